"""Ties are spread over the room they have, and nothing else moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from shearer.tools import SubspaceOutlierDetector
from shearer.tools.subspaces.ties import spread_ties


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.integers(0, 3))
def test_values_stay_in_order_and_single_ones_in_place(numbers, seed):
    column = np.array(numbers, dtype=float)[:, None]
    moved = spread_ties(column, np.random.RandomState(seed))
    for i, first in enumerate(numbers):
        if numbers.count(first) == 1 or len(set(numbers)) == 1:
            assert moved[i] == column[i]
        for j, second in enumerate(numbers):
            if first < second:
                assert moved[i] <= moved[j]
    assert column[:, 0].tolist() == numbers  # what was passed is left alone


def test_the_law_is_uniform_over_the_room():
    column = np.repeat([0.0, 1.0, 4.0], 4000)[:, None]
    moved = spread_ties(column, np.random.RandomState(1))[:, 0]
    for value, room in ((0.0, 1.0), (1.0, 1.0), (4.0, 3.0)):
        own = moved[column[:, 0] == value] - value
        assert np.max(np.abs(own)) <= room / 2
        assert np.mean(own) == pytest.approx(0, abs=0.03 * room)
        assert np.var(own) == pytest.approx(room**2 / 12, rel=0.05)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_any_size_and_round_off(size):
    column = size * np.array([0.1 + 0.2, 0.3, 0.3, -1.0, 1.7])[:, None]
    moved = spread_ties(column, np.random.RandomState(0))
    assert np.all(moved[:3] != column[:3])  # 0.1 + 0.2 is a tie with 0.3, not its nearest neighbor
    assert np.all(moved[3:] == column[3:])
    assert np.isfinite(moved).all()


def test_scores_of_counts_stay_in_proportion(rng):
    X = rng.poisson(3.0, size=(400, 3)).astype(float)
    X[:5, :2] = [[12, 0], [0, 12], [11, 11], [10, 1], [1, 11]]
    y = np.arange(400) < 5
    spread, keep = (SubspaceOutlierDetector([(0, 1)], ties=ties).fit(X).decision_scores_ for ties in ("spread", "keep"))
    assert keep.max() > 1e6
    assert spread.max() < 20
    assert roc_auc_score(y, spread) > 0.99 > roc_auc_score(y, keep)
    again, other = (SubspaceOutlierDetector([(0, 1)], random_state=seed).fit(X).decision_scores_ for seed in (0, 1))
    np.testing.assert_array_equal(again, spread)
    assert not np.array_equal(other, spread)
