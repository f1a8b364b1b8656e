"""Planted subspaces are what they are said to be."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

import shearer as sh
from shearer.datasets import planted_subspace

KINDS = ("visible", "hidden")


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_and_answers_agree(kind):
    planted = planted_subspace(100, sizes=(2, 4, 3), noise=5, outliers=7, kind=kind)
    assert planted.X.shape == (100, 14)
    assert planted.y.sum() == 7
    assert np.array_equal(planted.y == 1, planted.broken >= 0)
    assert [len(columns) for columns in planted.subspaces] == [2, 4, 3]
    assert len({column for columns in planted.subspaces for column in columns}) == 9
    assert np.bincount(planted.broken[planted.y == 1]).tolist() == [3, 2, 2]
    assert planted.X.min() >= 0
    assert planted.X.max() <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_planted_columns_depend(kind):
    planted = planted_subspace(400, sizes=(3,), noise=3, outliers=0, kind=kind)
    (columns,) = planted.subspaces
    others = [column for column in range(6) if column not in columns]
    assert sh.independence_test(planted.X[:, columns]).pvalue < 1e-6
    assert sh.independence_test(planted.X[:, others]).pvalue > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_no_column_alone_tells_outliers_apart(kind):
    planted = planted_subspace(8000, sizes=(3,), noise=0, outliers=4000, kind=kind)
    outlier = planted.y == 1
    for column in planted.X.T:
        assert ks_2samp(column[outlier], column[~outlier]).pvalue > 0.001


def test_no_pair_tells_hidden_outliers_apart_and_the_whole_set_does():
    planted = planted_subspace(8000, sizes=(3,), noise=0, outliers=4000, kind="hidden")
    outlier, large = planted.y == 1, (planted.X > 0.5).astype(int)
    for pair in ((0, 1), (0, 2), (1, 2)):
        cell = large[:, pair] @ [1, 2]
        counts = [np.bincount(cell[rows], minlength=4) for rows in (outlier, ~outlier)]
        assert chi2_contingency(counts).pvalue > 0.001
    assert np.array_equal(large.sum(axis=1) % 2 == 1, outlier)


def test_visible_outliers_are_off_the_diagonal_and_no_other_row_is():
    planted = planted_subspace(2000, sizes=(4,), noise=0, outliers=100)
    spread = np.ptp(planted.X, axis=1)
    assert spread[planted.y == 1].min() > spread[planted.y == 0].max() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_are_honoured(kind):
    first, same, other = (planted_subspace(50, kind=kind, rng=seed).X for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n": 0}, ValueError, "n: expected a whole number of 1 or more, got 0"),
        ({"n": 10.0}, TypeError, "n: expected a whole number"),
        ({"sizes": (1,)}, ValueError, "sizes: expected a whole number of 2 or more, got 1"),
        ({"sizes": 3}, TypeError, "sizes: expected whole numbers of 2 or more, got 3. sizes="),
        ({"sizes": "23"}, TypeError, "sizes: expected whole numbers"),
        ({"noise": -1}, ValueError, "noise"),
        ({"outliers": 501}, ValueError, "outliers: expected at most the 500 rows"),
        ({"outliers": 1, "sizes": ()}, ValueError, "a set to break"),
        ({"kind": "hiden"}, ValueError, "Did you mean 'hidden'?"),
    ],
)
def test_bad_input_is_refused(options, error, message):
    with pytest.raises(error) as caught:
        planted_subspace(**options)
    assert message in str(caught.value)


def test_noise_alone_is_a_table_too():
    planted = planted_subspace(20, sizes=(), noise=2, outliers=0)
    assert planted.X.shape == (20, 2)
    assert planted.subspaces == ()
