"""Binned information, KSG, Gaussian copulas and MINE against closed forms, scikit-learn and loops."""

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_regression
from sklearn.metrics import mutual_info_score

from shearer.comparators import (
    binned_mutual_information,
    binned_total_correlation,
    gaussian_dual_total_correlation,
    gaussian_total_correlation,
    ksg,
    mine,
)


def normal_pair(r, n, seed=11):
    x, e = np.random.default_rng(seed).normal(size=(2, n))
    return x, r * x + np.sqrt(1 - r**2) * e


@pytest.mark.parametrize("edges", ["quantile", "width"])
def test_binned_against_scikit_learn(edges, rng):
    x, y = rng.normal(size=(2, 200))
    y += x
    if edges == "width":
        codes = [np.minimum((7 * (z - z.min()) / np.ptp(z)).astype(int), 6) for z in (x, y)]
    else:
        codes = [np.argsort(np.argsort(z)) * 7 // 200 for z in (x, y)]
    expected = mutual_info_score(*codes) / np.log(2)
    assert binned_mutual_information(x, y, bins=7, edges=edges) == pytest.approx(expected, abs=1e-12)
    assert binned_total_correlation(x, y, bins=7, edges=edges, normalize=False) == pytest.approx(expected, abs=1e-12)


def test_bins_by_default(rng):
    x, y, z = rng.normal(size=(3, 125 * 5))
    assert binned_mutual_information(x, y) == binned_mutual_information(x, y, bins=11)
    assert binned_total_correlation(x, y, z) == binned_total_correlation(x, y, z, bins=5)
    assert binned_mutual_information(x[:5], y[:5]) == binned_mutual_information(x[:5], y[:5], bins=2)


def test_equal_values_share_a_bin():
    x = np.repeat([1.0, 2.0, 3.0], [70, 20, 10])
    assert binned_mutual_information(x, x, bins=10) == pytest.approx(-sum(p * np.log2(p) for p in (0.7, 0.2, 0.1)))


def test_labels_are_bins():
    assert binned_mutual_information(list("aabb"), list("uvuv")) == 0.0
    assert binned_total_correlation(list("abab"), list("abab"), list("abab"), normalize=False) == pytest.approx(2.0)


@pytest.mark.parametrize("r", [0.3, -0.8])
def test_joe_of_a_normal_pair_is_its_correlation(r):
    x, y = normal_pair(r, 100_000)
    assert binned_total_correlation(x, y, bins=30) == pytest.approx(abs(r), abs=0.03)


def ksg_by_loops(k, *blocks):
    """Kraskov et al. 2004, Eq. 8, distances between all rows; every coordinate divided by its deviation."""
    blocks = [b.reshape(len(b), -1) / b.reshape(len(b), -1).std(axis=0) for b in blocks]
    distances = [np.max(np.abs(b[:, None] - b[None]), axis=2) for b in blocks]
    joint = np.maximum.reduce(distances)
    n = len(joint)
    total = 0.0
    for i in range(n):
        radius = np.sort(np.delete(joint[i], i))[k - 1]
        total -= sum(digamma(np.sum(np.delete(d[i], i) < radius - 1e-12) + 1) for d in distances)
    return (digamma(k) + total / n + (len(blocks) - 1) * digamma(n)) / np.log(2)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_ksg_by_loops(k, rng):
    x, y, z = rng.normal(size=(60, 2)), rng.normal(size=60), rng.normal(size=60)
    y += x[:, 0]
    assert ksg(x, y, neighbors=k) == pytest.approx(ksg_by_loops(k, x, y), abs=1e-12)
    assert ksg(x, y, z, neighbors=k) == pytest.approx(ksg_by_loops(k, x, y, z), abs=1e-12)


def test_ksg_against_scikit_learn(rng):
    """Which adds noise of 1e-10 and cuts off below 0."""
    x, y = normal_pair(0.7, 500)
    expected = mutual_info_regression(x[:, None], y, n_neighbors=3, random_state=0)[0] / np.log(2)
    assert ksg(x, y) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("r", [0.0, 0.6, 0.95])
def test_information_of_a_normal_pair(r):
    expected = -0.5 * np.log2(1 - r**2)
    assert ksg(*normal_pair(r, 4000)) == pytest.approx(expected, abs=0.06)
    assert gaussian_total_correlation(*normal_pair(r, 40_000)) == pytest.approx(expected, abs=0.02)


def test_ksg_of_labels_and_ties(rng):
    """Rows that coincide: the plug-in information of the counts."""
    x = rng.integers(0, 3, size=600)
    y = np.where(rng.uniform(size=600) < 0.7, x, rng.integers(0, 3, size=600))
    expected = mutual_info_score(x, y) / np.log(2)
    assert ksg(x.astype(float), y.astype(float)) == pytest.approx(expected, abs=0.02)
    assert ksg(x.astype(str), y.astype(str)) == pytest.approx(expected, abs=0.02)


def test_gaussian_total_correlations_of_known_covariance():
    covariance = np.array([[1.0, 0.5, 0.2, 0.0], [0.5, 1.0, 0.3, 0.1], [0.2, 0.3, 1.0, 0.4], [0.0, 0.1, 0.4, 1.0]])
    data = np.random.default_rng(4).multivariate_normal(np.zeros(4), covariance, size=60_000)
    whole = np.linalg.slogdet(covariance)[1]
    inverse = np.linalg.inv(covariance)
    total = -0.5 * whole / np.log(2)
    dual = 0.5 * (whole + np.sum(np.log(np.diag(inverse)))) / np.log(2)  # det R_-k = det R (R^-1)_kk
    assert gaussian_total_correlation(np.exp(data)) == pytest.approx(total, abs=0.01)
    assert gaussian_dual_total_correlation(np.exp(data)) == pytest.approx(dual, abs=0.01)
    blocks = [data[:, :2], data[:, 2:]]
    between = 0.5 * (sum(np.linalg.slogdet(covariance[i : i + 2, i : i + 2])[1] for i in (0, 2)) - whole) / np.log(2)
    assert gaussian_total_correlation(*blocks) == pytest.approx(between, abs=0.01)
    assert gaussian_dual_total_correlation(*blocks) == pytest.approx(gaussian_total_correlation(*blocks), abs=1e-9)


def test_gaussian_copula_of_copies_is_without_bound(rng):
    x, y = rng.normal(size=(2, 50))
    assert gaussian_total_correlation(x, np.exp(x)) == np.inf
    assert gaussian_dual_total_correlation(x, y, x) == np.inf
    assert gaussian_total_correlation(rng.normal(size=(5, 4)), rng.normal(size=(5, 2))) == np.inf
    # a column twice within one variable tells nothing more
    assert gaussian_total_correlation(np.column_stack([x, x]), y) == pytest.approx(gaussian_total_correlation(x, y))


@pytest.mark.needs("torch")
def test_mine_of_normal_pairs():
    x, y = normal_pair(0.8, 1000)
    expected = -0.5 * np.log2(1 - 0.64)
    assert mine(x, y, steps=150) == pytest.approx(expected, abs=0.12)
    assert mine(y[:, None], np.column_stack([x, x**2]), steps=150) == pytest.approx(expected, abs=0.15)
    assert abs(mine(*np.random.default_rng(0).normal(size=(2, 1000)), steps=50)) < 0.05


@pytest.mark.needs("torch")
def test_mine_honours_its_seed():
    x, y = normal_pair(0.8, 100)
    options = {"steps": 20, "hidden": 8}
    assert mine(x, y, rng=1, **options) == mine(x, y, rng=1, **options) != mine(x, y, rng=2, **options)
    import torch

    state = torch.random.get_rng_state()
    mine(x, y, **options)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.needs("torch")
def test_mine_without_much_to_learn():
    labels = np.repeat(["a", "b"], 50)
    assert mine(labels, labels, steps=100) == pytest.approx(1.0, abs=0.15)
    assert mine(np.ones(30), np.arange(30.0), steps=5) == pytest.approx(0.0, abs=0.2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: binned_mutual_information(x, x, bins=0), ValueError, "bins: expected a whole number of 1 or more"),
        (lambda x: binned_mutual_information(x, x, bins=2.5), TypeError, "bins: expected a whole number"),
        (lambda x: binned_mutual_information(x, x, edges="equal"), ValueError, "edges: expected one of"),
        (lambda x: binned_total_correlation(x, x, normalize=2), ValueError, "normalize: expected one of"),
        (lambda x: ksg(x, x, neighbors=10), ValueError, "neighbors: expected fewer than the 10 rows, got 10"),
        (lambda x: ksg(x, x, neighbors=0), ValueError, "neighbors: expected a whole number of 1 or more"),
        (lambda x: mine(x, x), ValueError, "at least 20 rows"),
        (lambda x: mine(x, x, steps=0), ValueError, "steps: expected a whole number of 1 or more"),
        (lambda x: mine(x, x, batch=1), ValueError, "batch: expected a whole number of 2 or more"),
        (lambda x: mine(x, x, learning_rate=0.0), ValueError, "learning_rate: expected a positive"),
        (lambda x: mine(x, x, x), ValueError, "exactly 2 variables"),
    ],
)
def test_bad_options(call, error, message):
    with pytest.raises(error, match=message):
        call(np.arange(10.0))
