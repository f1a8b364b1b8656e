"""Distance covariance and correlation against their definition, enumeration and the bivariate normal."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import shearer as sh
from shearer.comparators import distance_correlation, distance_covariance
from shearer.comparators.distance_covariance import _sums_below


def by_definition(x, y, unbiased=False):
    """Centred distance matrices and their mean product, entry by entry."""
    n = len(x)
    a, b = (cdist(z.reshape(n, -1), z.reshape(n, -1)) for z in (x, y))
    if unbiased:
        moved = []
        for m in (a, b):
            u = np.zeros((n, n))
            for i in range(n):
                for j in range(n):
                    if i != j:
                        u[i, j] = m[i, j] - (m[i].sum() + m[j].sum()) / (n - 2) + m.sum() / ((n - 1) * (n - 2))
            moved.append(u)
        return np.sum(moved[0] * moved[1]) / (n * (n - 3))
    a, b = (m - m.mean(axis=0) - m.mean(axis=1)[:, None] + m.mean() for m in (a, b))
    return np.sum(a * b) / n**2


@given(seed=st.integers(0, 10_000), n=st.integers(4, 40), dimensions=st.sampled_from([(1, 1), (1, 3), (2, 2)]),
       ties=st.booleans())  # fmt: skip
def test_against_the_definition(seed, n, dimensions, ties):
    rng = np.random.default_rng(seed)
    x, y = (rng.normal(size=(n, d)) for d in dimensions)
    if ties:
        x, y = np.round(x), np.round(2 * y)
    biased, unbiased = by_definition(x, y), by_definition(x, y, unbiased=True)
    assert distance_covariance(x, y) == pytest.approx(np.sqrt(max(biased, 0)), abs=1e-7)
    assert distance_covariance(x, y, unbiased=True) == pytest.approx(unbiased, abs=1e-10)
    size = np.sqrt(by_definition(x, x) * by_definition(y, y))
    if size > 1e-9:
        assert distance_correlation(x, y) == pytest.approx(np.sqrt(max(biased, 0) / size), abs=1e-6)
    else:
        assert distance_correlation(x, y) == 0.0


@given(seed=st.integers(0, 10_000), n=st.integers(1, 70))
def test_sums_below(seed, n):
    rng = np.random.default_rng(seed)
    y, weights = rng.permutation(n).astype(float), rng.normal(size=(2, n))
    expected = [[sum(row[i] for i in range(j) if y[i] < y[j]) for j in range(n)] for row in weights]
    np.testing.assert_allclose(_sums_below(y, weights), expected, atol=1e-12)


def test_unbiased_is_0_on_average_over_all_permutations(rng):
    x, y = rng.normal(size=(2, 6))
    values = [distance_covariance(x, y[list(order)], unbiased=True) for order in permutations(range(6))]
    assert np.mean(values) == pytest.approx(0.0, abs=1e-13)
    assert min(values) < 0


@pytest.mark.parametrize("r", [0.0, 0.5, -0.9])
def test_bivariate_normal(r):
    """Szekely, Rizzo and Bakirov 2007, theorem 7."""
    expected = (r * np.arcsin(r) + np.sqrt(1 - r**2) - r * np.arcsin(r / 2) - np.sqrt(4 - r**2) + 1) / (
        1 + np.pi / 3 - np.sqrt(3)
    )
    x, e = np.random.default_rng(7).normal(size=(2, 20_000))
    y = r * x + np.sqrt(1 - r**2) * e
    assert distance_correlation(x, y, unbiased=True) == pytest.approx(expected, abs=0.01)
    assert distance_correlation(x, y) ** 2 == pytest.approx(expected, abs=0.01)


def test_a_large_offset_costs_no_digits(rng):
    x, y = rng.normal(size=(2, 100))
    assert distance_correlation(x + 1e8, y) == pytest.approx(distance_correlation(x, y), rel=1e-7)


def test_orthogonal_maps_are_no_matter(rng):
    x = rng.normal(size=(50, 3))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert distance_correlation(x, 2 * x @ turn + 1) == pytest.approx(1.0, abs=1e-12)


def test_labels_are_1_apart():
    """Two labels: the same as the numbers 0 and 1."""
    labels, numbers = list("aabab"), [0.0, 0.0, 1.0, 0.0, 1.0]
    y = [1.0, 2.0, 5.0, 3.0, 4.0]
    assert distance_covariance(labels, y) == pytest.approx(distance_covariance(numbers, y), rel=1e-12)


@pytest.mark.parametrize("function", [distance_covariance, distance_correlation])
def test_bad_options(function):
    with pytest.raises(ValueError, match="at least 4 rows for unbiased=True, got 3"):
        function([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], unbiased=True)
    with pytest.raises(ValueError, match="unbiased: expected one of True, False, got 'yes'"):
        function([1.0, 2.0], [1.0, 2.0], unbiased="yes")


def test_huge_numbers(rng):
    x, y = rng.normal(size=(2, 30))
    y += x
    assert distance_covariance(x * 1e300, y * 1e300, unbiased=True) == np.inf
    plain, huge = (sh.permutation_test(x * size, y, statistic=distance_correlation, rng=0) for size in (1.0, 1e200))
    assert huge.pvalue == plain.pvalue
    assert huge.statistic == pytest.approx(plain.statistic)
