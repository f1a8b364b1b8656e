"""Which features lead, and which rows stand for all: equal ones are told apart by their order, not by round-off."""

import numpy as np
import pytest

from shearer.pairs.leading import leading_directions
from shearer.pairs.sums import probes_of


def isolated(rng, n=40, far=20):
    """Centered features in which many rows have a direction of their own, all of the same variance."""
    values = np.zeros((n, far + 2))
    values[np.arange(far), np.arange(far)] = 1.0
    values[:, far:] = 3.0 * rng.normal(size=(n, 2))
    return values - values.mean(axis=0)


@pytest.mark.parametrize("most", [3, 7, 12])
def test_directions_do_not_hang_on_round_off(rng, most):
    values = isolated(rng)
    turn = np.linalg.qr(rng.normal(size=(values.shape[1],) * 2))[0]
    first = values @ leading_directions(values, most)
    second = (values @ turn) @ leading_directions(values @ turn, most)
    assert np.allclose(first @ first.T, second @ second.T, atol=1e-6)


def test_leading_directions_are_those_of_the_largest_variance(rng):
    values = rng.normal(size=(50, 6)) * np.arange(1, 7)
    values -= values.mean(axis=0)
    chosen = leading_directions(values, 4)
    assert np.allclose(chosen.T @ chosen, np.eye(4), atol=1e-10)
    expected = np.sort(np.linalg.eigvalsh(values.T @ values))[-4:].sum()
    assert np.sum((values @ chosen) ** 2) == pytest.approx(expected)
    assert leading_directions(values, 6).shape == (6, 6)


def test_rows_that_stand_for_all_do_not_hang_on_round_off(rng):
    diagonal = rng.integers(1, 4, size=3000).astype(float)
    noise = 1.0 + 1e-14 * rng.normal(size=3000)
    rows, weights = probes_of(diagonal, 512)
    again, _ = probes_of(diagonal * noise, 512)
    assert np.array_equal(np.sort(rows), np.sort(again))
    assert len(set(rows.tolist())) == len(rows)
    assert weights.sum() == pytest.approx(3000)
    few, ones = probes_of(diagonal[:100], 512)
    assert len(few) == 100
    assert (ones == 1).all()


def test_the_largest_rows_are_among_them(rng):
    diagonal = rng.random(2000)
    rows, _ = probes_of(diagonal, 512)
    assert set(np.argsort(diagonal)[-128:].tolist()) <= set(rows.tolist())


def test_rows_that_are_not_the_largest_are_spread_from_the_first_to_the_last(rng):
    diagonal = rng.random(2000)
    others = np.sort(np.argsort(diagonal)[:-128])
    rows, _ = probes_of(diagonal, 512)
    places = np.searchsorted(others, rows[128:])
    assert np.array_equal(others[places], rows[128:])
    assert (places[0], places[-1]) == (0, len(others) - 1)
    assert np.ptp(np.diff(places)) <= 1
