"""Pearson, Spearman, Kendall, Schmid and Schmidt's forms and Chatterjee's xi against scipy and enumeration."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from shearer.comparators import chatterjee_xi, kendall, multivariate_spearman, pearson, spearman

SCIPY = {pearson: stats.pearsonr, spearman: stats.spearmanr, kendall: stats.kendalltau}


@pytest.mark.parametrize("function", SCIPY)
@pytest.mark.parametrize("ties", [False, True])
def test_against_scipy(function, ties, rng):
    for _ in range(10):
        x, y = rng.normal(size=(2, 30))
        y -= 0.5 * x
        if ties:
            x, y = np.round(x), np.round(y)
        expected = SCIPY[function](x, y).statistic
        assert function(x, y) == pytest.approx(expected, abs=1e-12)
        assert function(x, y, signed=False) == pytest.approx(abs(expected), abs=1e-12)


def test_pearson_of_extreme_sizes():
    x = np.array([1.0, 2.0, 4.0, 3.0])
    y = np.array([1.0, 3.0, 2.0, 5.0])
    expected = stats.pearsonr(x, y).statistic
    for size in (1e-200, 1e200):
        assert pearson(x * size, y / size) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("function", [pearson, spearman, kendall])
def test_sign_must_be_a_truth_value(function):
    for y in ([1.0, 2.0, 3.0], [1.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="signed: expected one of True, False, got 1"):
            function([1.0, 2.0, 3.0], y, signed=1)


def test_multivariate_spearman_of_two_is_spearman(rng):
    x, y = rng.normal(size=(2, 50))
    assert multivariate_spearman(x, y, form="mean") == pytest.approx(spearman(x, y), abs=1e-12)


def test_multivariate_spearman_from_its_definition(rng):
    """mean of products of U by loops; rho_3 as a mean over pairs of scipy's coefficient."""
    columns = np.round(rng.normal(size=(12, 4)), 1)
    shares = stats.rankdata(columns, axis=0) / 12
    factor = 5 / (16 - 5)
    lower = factor * (16 * sum(np.prod([1 - u for u in row]) for row in shares) / 12 - 1)
    upper = factor * (16 * sum(np.prod(row) for row in shares) / 12 - 1)
    pairs = [stats.spearmanr(columns[:, i], columns[:, j]).statistic for i in range(4) for j in range(i)]
    assert multivariate_spearman(columns, form="lower") == pytest.approx(lower, abs=1e-12)
    assert multivariate_spearman(columns, form="upper") == pytest.approx(upper, abs=1e-12)
    assert multivariate_spearman(columns, form="mean") == pytest.approx(np.mean(pairs), abs=1e-12)


@pytest.mark.parametrize("form", ["lower", "upper"])
def test_multivariate_spearman_in_the_population(form, rng):
    """1 for equal ranks, 0 for independent columns, the mean of 6/pi asin(r/2) for three of a Gaussian copula."""
    x = np.arange(20_000.0)
    assert multivariate_spearman(x, x, x, x, form=form) == pytest.approx(1.0, abs=1e-3)
    independent = rng.uniform(size=(20_000, 3))
    assert abs(multivariate_spearman(independent, form=form)) < 0.02
    normal = rng.multivariate_normal(np.zeros(3), 0.5 + 0.5 * np.eye(3), size=50_000)
    assert multivariate_spearman(normal, form=form) == pytest.approx(6 / np.pi * np.arcsin(0.25), abs=0.02)


def test_forms_are_checked():
    with pytest.raises(ValueError, match="form: expected one of 'lower', 'upper', 'mean', got 'uper'"):
        multivariate_spearman([1.0, 2.0], [1.0, 2.0], form="uper")


@pytest.mark.parametrize("ties", [False, True])
def test_xi_against_scipy(ties, rng):
    """scipy leaves ties of x in the order of the rows, so x has none here."""
    x = rng.permutation(40).astype(float)
    y = np.round(np.sin(x), 1) if ties else np.sin(x)
    assert chatterjee_xi(x, y) == pytest.approx(stats.chatterjeexi(x, y).statistic, abs=1e-12)


def test_xi_of_tied_x_is_the_mean_over_all_orders():
    x = np.array([0, 0, 0, 1, 2, 2])
    y = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 0.0])
    groups = [np.flatnonzero(x == level) for level in range(3)]
    orders = [np.concatenate(order) for order in product(*(permutations(group) for group in groups))]
    assert len(orders) == 12
    values = [stats.chatterjeexi(np.arange(6), y[order]).statistic for order in orders]
    assert chatterjee_xi(x, y) == pytest.approx(np.mean(values), abs=1e-12)


def test_xi_of_a_function_is_the_largest_there_is(rng):
    """Without ties 1 - 3/(n+1) for rising y (Chatterjee 2021), and near 1 for a parabola; near 0 for noise."""
    x = np.linspace(-1, 1, 200)
    assert chatterjee_xi(x, x) == pytest.approx(1 - 3 / 201)
    assert chatterjee_xi(np.linspace(-1, 1, 2000), np.linspace(-1, 1, 2000) ** 2) == pytest.approx(1, abs=0.01)
    assert abs(chatterjee_xi(*rng.normal(size=(2, 5000)))) < 4 * np.sqrt(0.4 / 5000)
