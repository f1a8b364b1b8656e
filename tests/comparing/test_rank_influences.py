"""Influences through ranks against the jackknife and against formulas."""

import numpy as np
import pytest

from shearer.comparing.group_tests import difference_pvalue, independent_groups, matched_groups
from shearer.comparing.mixed_pairs import mixed_pair
from shearer.comparing.number_pairs import PRODUCTS, cells_of, number_pair
from shearer.comparing.rank_features import binned, dense_codes, ranks_of


def codes(*columns):
    return [dense_codes(np.asarray(column, dtype=float))[0] for column in columns]


def jackknife(estimate, rows):
    every = np.array([estimate(np.delete(np.arange(rows), row)) for row in range(rows)])
    return (every - every.mean(axis=0)).T @ (every - every.mean(axis=0)) * (rows - 1) / rows


@pytest.mark.parametrize("ties", [False, True])
def test_the_covariance_of_two_numbers_is_that_of_the_jackknife(ties):
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 400))
    y = x**2 + x + noise
    if ties:
        x, y = np.round(2 * x), np.round(y)
    a, b = codes(x, y)
    influences = number_pair(a, b).influences(a, b)
    own = influences.T @ influences / 400**2
    other = jackknife(lambda rows: number_pair(*codes(x[rows], y[rows])).means, 400)
    assert np.abs(influences.mean(axis=0)).max() < 1e-9
    np.testing.assert_allclose(np.sqrt(np.diag(own)), np.sqrt(np.diag(other)), rtol=0.12)


def test_of_normal_scores_the_influence_is_the_known_formula():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 20000))
    y = 0.8 * x + 0.6 * noise
    a, b = codes(x, y)
    found = number_pair(a, b).influences(a, b)[:, 0]
    known = x * y - 0.8 * (x**2 + y**2) / 2
    assert np.corrcoef(found, known)[0, 1] > 0.995
    # taking ranks as fixed gives (1 + rho^2) in place of (1 - rho^2)^2
    assert found.var() == pytest.approx((1 - 0.8**2) ** 2, rel=0.1)


def test_cells_with_counts_are_rows():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 6, size=(2, 500))
    cells = cells_of(a, b, 6)
    rows, counted = number_pair(a, b), number_pair(*cells[:2], cells[2])
    np.testing.assert_allclose(rows.means, counted.means, atol=1e-12)
    np.testing.assert_allclose(rows.influences(*cells[:2]), counted.influences(*cells[:2]), atol=1e-9)


def test_any_increasing_change_of_a_column_leaves_everything_as_it_is():
    x, y = np.random.default_rng(2).normal(size=(2, 100))
    one, other = number_pair(*codes(x, y)), number_pair(*codes(np.exp(x), 5 + 7 * y**3))
    np.testing.assert_array_equal(one.means, other.means)


def test_the_covariance_of_a_number_and_a_label_is_that_of_the_jackknife():
    rng = np.random.default_rng(5)
    label = rng.choice(3, 300, p=[0.5, 0.3, 0.2])
    number = np.floor(8 * rng.beta(2 + label, 2)).astype(int)
    shares = np.array([0.2, 0.3, 0.5])

    def table(rows):
        return np.bincount(label[rows] * 8 + number[rows], minlength=24).reshape(3, 8).astype(float)

    own = mixed_pair(table(np.arange(300)), shares)
    other = jackknife(lambda rows: mixed_pair(table(rows), shares).means, 300)
    flat = own.influence.reshape(24, -1)
    assert np.abs(table(np.arange(300)).reshape(-1) @ flat).max() < 1e-8
    # Scales of features are left out of the influences: they hardly vary.
    np.testing.assert_allclose(np.sqrt(np.diag(own.covariance)), np.sqrt(np.diag(other)), rtol=0.15)


def test_features_have_mean_zero_and_variance_one():
    ranks = ranks_of(np.random.default_rng(0).integers(1, 9, 50))
    np.testing.assert_allclose(ranks.weights @ ranks.values, 0, atol=1e-12)
    np.testing.assert_allclose(ranks.weights @ ranks.values**2, 1, atol=1e-12)
    assert PRODUCTS[0] == (0, 0)
    assert len(PRODUCTS) == 17


def test_bins_keep_equal_values_together():
    values = np.repeat([1.0, 2.0, 3.0], [500, 3, 497])
    joined, count = binned(*dense_codes(values), 2)
    assert count == 2
    assert len({int(code) for code in joined[values == 1]}) == 1


def test_the_statistic_against_draws():
    rng = np.random.default_rng(0)
    shape = np.array([[1.0, 0.6], [0.6, 2.0]])
    root = np.linalg.cholesky(shape)
    draws = [root @ rng.normal(size=(2, 3)) / np.sqrt([50, 100, 200]) for _ in range(2000)]
    pvalues = [
        difference_pvalue(independent_groups(list(own.T), [shape / n for n in (50, 100, 200)], [50, 100, 200]))
        for own in draws
    ]
    assert 0.03 < np.mean(np.array(pvalues) < 0.05) < 0.07
    assert 0.45 < np.mean(np.array(pvalues) < 0.5) < 0.55


def test_matched_groups_that_hold_single_rows_are_independent_ones():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 50, 3))
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    none = np.zeros_like(first)
    matched = matched_groups(
        [np.zeros(3), np.ones(3)],
        [np.concatenate([first, none]) / 50, np.concatenate([none, second]) / 50],
        [50, 50],
    )
    alone = independent_groups([np.zeros(3), np.ones(3)], [own.T @ own / 2500 for own in (first, second)], [50, 50])
    np.testing.assert_allclose(matched.covariance, alone.covariance * 100 / 99, atol=1e-12)
