"""Permutation moments against full enumeration, and their digits where spread is small against the mean."""

from dataclasses import replace
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from pairs import dense
from shearer.pairs.null_law.moments import PAIRS, form_of, moments, sums_of
from shearer.pairs.null_law.pearson3 import pearson3_tail
from shearer.pairs.null_law.tails import moment, standardized


def similarity(rng, n, width=1.0):
    x = rng.normal(size=(n, 2))
    matrix = np.exp(-np.sum((x[:, None] - x[None]) ** 2, axis=-1) / width**2)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def enumerated(matrices):
    """Z over all permutations of all variables but the first."""
    n = len(matrices[0])
    upper = np.triu_indices(n, 1)
    orders = [np.array(order) for order in permutations(range(n))]
    moved = [np.array([m[np.ix_(order, order)][upper] for order in orders]) for m in matrices[1:]]
    if len(moved) == 1:
        return moved[0] @ matrices[0][upper]
    return ((moved[0] * matrices[0][upper]) @ moved[1].T).ravel()


def moments_of(matrices):
    """Mean of Z, and deviation and skewness, from the sums of M / mean - 1."""
    n = len(matrices[0])
    means = [m.sum() / (n * (n - 1)) for m in matrices]
    found = moments([sums_of(dense.raw(matrix)).means() for matrix in matrices], n)
    scale = np.prod(means)
    return SimpleNamespace(mean=scale * n * (n - 1) / 2, deviation=scale * found.deviation, skewness=found.skewness)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("width", [0.3, 1.0, 30.0])
def test_equal_to_enumeration(rng, count, width):
    matrices = [similarity(rng, 6, width) for _ in range(count)]
    values = enumerated(matrices)
    found = moments_of(matrices)
    assert found.mean == pytest.approx(values.mean(), rel=1e-12)
    assert found.deviation == pytest.approx(values.std(), rel=1e-10)
    assert found.skewness == pytest.approx(stats.skew(values), abs=1e-7 if width > 1 else 1e-10)


def test_equal_to_enumeration_at_seven(rng):
    matrices = [similarity(rng, 7) for _ in range(2)]
    values = enumerated(matrices)
    found = moments_of(matrices)
    assert found.deviation == pytest.approx(values.std(), rel=1e-10)
    assert found.skewness == pytest.approx(stats.skew(values), abs=1e-10)


def test_discrete_laws(rng):
    labels = [np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0, 1])]
    matrices = [(a[:, None] == a[None, :]) * 1.0 - np.eye(6) for a in labels]
    values = enumerated(matrices)
    found = moments_of(matrices)
    assert found.deviation == pytest.approx(values.std(), rel=1e-12)
    assert found.skewness == pytest.approx(stats.skew(values), abs=1e-10)


def test_unbiased_hsic_has_its_closed_form(rng):
    """For U-centered matrices E Z = 0 and E Z^2 = B B' / (2 n (n - 3))."""
    sums = [sums_of(dense.centered(similarity(rng, 40))) for _ in range(2)]
    found = moments([own.means() for own in sums], 40)
    assert found.deviation**2 == pytest.approx(sums[0].B * sums[1].B / (2 * 40 * 37), rel=1e-12)


def test_a_product_of_many_variables(rng):
    """L = 4 against a large sample of permutations."""
    matrices = [similarity(rng, 12) for _ in range(4)]
    found = moments_of(matrices)
    values = []
    for _ in range(20_000):
        total = matrices[0].copy()
        for matrix in matrices[1:]:
            order = rng.permutation(12)
            total *= matrix[np.ix_(order, order)]
        values.append(total.sum() / 2)
    assert found.mean == pytest.approx(np.mean(values), rel=0.02)
    assert found.deviation == pytest.approx(np.std(values), rel=0.05)
    assert found.skewness == pytest.approx(stats.skew(values), rel=0.2)


def test_what_varies_by_round_off_alone_has_no_tail(rng):
    """Neither where a similarity is constant, nor where the moments of a statistic have cancelled."""
    left, right = (
        form_of(
            20, {key: value for key, value in vars(sums_of(dense.centered(similarity(rng, 20)))).items() if key != "n"}
        )
        for _ in range(2)
    )
    every = np.array(True)
    z, skewness = standardized(np.array(0.5), 20, left, right, every)
    deviation = np.sqrt(moment(left.second, right.second, 20, PAIRS))
    assert z == pytest.approx(0.5 / deviation)
    assert np.isfinite(skewness)
    constant = left.scaled(1e-9)
    cancelled = replace(left, second=1e-18 * left.second, third=1e-27 * left.third)
    for none in (constant, cancelled):
        for pair in ((none, right), (right, none)):
            assert np.isnan(standardized(np.array(0.5), 20, *pair, every)).all()
    assert np.isnan(standardized(np.array(0.5), 20, left, right, ~every)).all()


@pytest.mark.parametrize(("z", "skewness"), list(product([-2.0, -0.5, 0.0, 1.0, 4.0], [-2.5, -0.3, 1e-9, 0.4, 2.8])))
def test_tail_against_scipy(z, skewness):
    assert float(pearson3_tail(z, skewness)) == pytest.approx(stats.pearson3.sf(z, skewness), rel=1e-7, abs=1e-15)
