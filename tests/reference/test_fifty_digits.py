"""Every measure against an independent computation with 50 digits."""

import functools
from itertools import combinations

import mpmath as mp
import numpy as np
import pytest

import shearer as sh
from reference import oracle
from shearer.measures.registry import MEASURES, dependence_measures

ALPHAS = [0.5, 0.95, 0.999999999, 1, 1 + 1e-12, 1.01, 1.09, 1.11, 1.5, 2, 3, 4, 5, 7.5, 40, np.inf]
# At alpha >= 1 round-off of the eigenvalues is not amplified; below, the certified bounds say by how much it is.
TOLERANCE = 1e-10


def sample(seed, n=9):
    """Three variables of dimensions 1, 2 and 3, heavy-tailed, with a duplicate row, and their widths."""
    rng = np.random.default_rng(seed)
    x = rng.standard_t(3, size=(n, 1))
    y = np.hstack([x**2, rng.normal(size=(n, 1))])
    z = rng.normal(size=(n, 3)) + x
    for block in (x, y, z):
        block[1] = block[0]
    return [x, y, z], [0.8, 1.1, 2.0]


@functools.cache
def oracle_of(seed):
    """The spectra serve every order."""
    return oracle.Oracle([oracle.gaussian(block, width) for block, width in zip(*sample(seed), strict=True)], 1)


def kernels_and_oracle(seed, alpha):
    data, widths = sample(seed)
    kernels = {name: sh.kernels.Gaussian(width) for name, width in zip("xyz", widths, strict=True)}
    table = dict(zip("xyz", data, strict=True))
    return table, kernels, oracle_of(seed).at(mp.inf if np.isinf(alpha) else alpha)


def agree(estimate, exact, alpha):
    error = abs(float(mp.mpf(estimate.value) - exact))
    assert estimate.lower - 1e-13 <= float(exact) <= estimate.upper + 1e-13
    assert error <= (TOLERANCE if alpha >= 0.999 else estimate.width + 1e-13)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("seed", [0, 1])
def test_measures(alpha, seed):
    table, kernels, exact = kernels_and_oracle(seed, alpha)
    noun = sh.Dependence(table, kernel=kernels, alpha=alpha)
    agree(noun.entropy(), exact.entropy(0, 1, 2), alpha)
    agree(noun.entropy("y"), exact.entropy(1), alpha)
    for name in dependence_measures():
        for normalize in MEASURES[name].options:
            found = noun.measure(name, *"xyz"[: MEASURES[name].most], normalize=normalize)
            agree(found, by_the_oracle(exact, name, normalize), alpha)


def by_the_oracle(exact, name, normalize):
    """Every measure is written down again in `oracle`; those in bits only take no option."""
    return getattr(exact, name)(*([normalize] if MEASURES[name].is_normalized else []))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_conditional(alpha):
    table, kernels, exact = kernels_and_oracle(2, alpha)
    noun = sh.Dependence(table, kernel=kernels, alpha=alpha, given="z")
    agree(noun.mutual_information(normalize=False), exact.conditional_mutual_information(), alpha)
    agree(noun.entropy(), exact.entropy(0, 1, 2) - exact.entropy(2), alpha)
    smaller = max(exact.entropy(0, 2), exact.entropy(1, 2)) - exact.entropy(2)
    agree(noun.mutual_information(), exact.conditional_mutual_information() / smaller, alpha)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_rest_of_the_family(alpha):
    data, widths = sample(4, n=8)
    data.append(data[0] * data[2][:, :1])
    kernels = [sh.kernels.Gaussian(width) for width in (*widths, 1.5)]
    matrices = [oracle.gaussian(block, kernel.bandwidth) for block, kernel in zip(data, kernels, strict=True)]
    exact = oracle.Oracle(matrices, mp.inf if np.isinf(alpha) else alpha)
    noun = sh.Dependence(
        dict(zip("abcd", data, strict=True)), kernel=dict(zip("abcd", kernels, strict=True)), alpha=alpha
    )
    for size in (1, 2, 3):
        subsets = list(combinations(range(4), size))
        for normalize in (False, "marginal", "joint"):
            agree(noun.shearer_gap(size=size, normalize=normalize), exact.shearer_gap(subsets, normalize), alpha)
    chain = [(0, 1), (1, 2), (2, 3), (3, 0), (0,)]
    agree(noun.shearer_gap(cover=chain, normalize=False), exact.shearer_gap(chain, False), alpha)
    for name in dependence_measures():
        if MEASURES[name].most != 2:
            agree(noun.measure(name), by_the_oracle(exact, name, True), alpha)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_laplacian(alpha):
    data, widths = sample(6)
    exact = oracle.Oracle(
        [oracle.laplacian(b, w) for b, w in zip(data, widths, strict=True)], mp.inf if np.isinf(alpha) else alpha
    )
    kernels = {name: sh.kernels.Laplacian(width) for name, width in zip("xyz", widths, strict=True)}
    noun = sh.Dependence(dict(zip("xyz", data, strict=True)), kernel=kernels, alpha=alpha)
    agree(noun.total_correlation(), exact.total_correlation(True), alpha)
    agree(noun.dual_total_correlation(), exact.dual_total_correlation(True), alpha)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_labels_and_numbers_together(alpha):
    data, widths = sample(3)
    labels = list("aabbcacba")
    exact = oracle.Oracle(
        [oracle.gaussian(data[1], widths[1]), oracle.delta(labels)], mp.inf if np.isinf(alpha) else alpha
    )
    noun = sh.Dependence(data[1], labels, kernel=sh.kernels.Gaussian(widths[1]), alpha=alpha)
    agree(noun.mutual_information(), exact.mutual_information(True), alpha)


def test_half_on_a_well_conditioned_gram():
    """At alpha = 0.5 with eigenvalues far from 0 the value is as accurate as elsewhere."""
    x = np.linspace(0, 10, 9)[:, None]
    exact = oracle.entropy([oracle.gaussian(x, 0.7)], 0.5)
    assert abs(float(mp.mpf(sh.entropy(x, alpha=0.5, kernel=sh.kernels.Gaussian(0.7))) - exact)) < 1e-10


def test_rank_order():
    """alpha = 0 counts eigenvalues above the tolerance: distinct points far apart, and labels."""
    x = np.array([0.0, 5.0, 5.0, 10.0])
    assert sh.entropy(x, alpha=0, kernel=sh.kernels.Gaussian(1.0)) == pytest.approx(np.log2(3))
    assert sh.entropy(["a", "b", "b"], alpha=0) == 1.0


def test_many_dimensions_take_the_product_form():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(8, 20)) + 1000.0
    x[3] = x[2]
    kernel = sh.kernels.Gaussian(4.0)
    estimate = sh.Dependence(x[:, :15], x[:, 15:], kernel=kernel).total_correlation()
    exact = oracle.Oracle([oracle.gaussian(x[:, :15], 4.0), oracle.gaussian(x[:, 15:], 4.0)], 1).total_correlation(True)
    agree(estimate, exact, 1)


def test_far_outliers_leave_the_product_form():
    """Two close points a billion widths away: the product form would lose their distance."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(8, 20))
    x[6] = 1e9
    x[7] = x[6] + np.arange(20) / 8
    exact = oracle.entropy([oracle.gaussian(x, 3.0)], 1)
    assert abs(float(mp.mpf(sh.entropy(x, kernel=sh.kernels.Gaussian(3.0))) - exact)) < TOLERANCE
