"""Whether a goal is in reach: told early where errors fall ever more slowly, patient where they fall ever faster."""

import math

import numpy as np
import pytest

from shearer.spectrum.decay import Decay


def follow(error, goal, most, step=20):
    """Rank at which an attempt ends, and whether it was given up."""
    decay = Decay(goal, most)
    for rank in range(step, most + 1, step):
        if error(rank) <= goal:
            return rank, False, decay
        if decay.is_hopeless(rank, error(rank)):
            return rank, True, decay
    return most, True, decay


@pytest.mark.parametrize("power", [0.3, 0.5, 1.0])
def test_what_is_in_reach_is_reached(power):
    """exp(-c r^power): smooth kernels in several dimensions."""
    for needed in (100, 400, 980):
        speed = math.log(1e8) / needed**power
        rank, given_up, _ = follow(lambda r, c=speed: math.exp(-c * r**power), 1e-8, 1000)
        assert not given_up
        assert rank < needed + 20


def test_narrow_kernels_are_given_credit():
    """Nothing, then all at once: each column holds one stretch of the line until all are covered."""
    rank, given_up, _ = follow(lambda r: (1 - r / 700) ** 8 if r < 700 else 1e-300, 1e-6, 2000)
    assert not given_up
    assert rank <= 700


@pytest.mark.parametrize(
    "error", [lambda r: 1 / r, lambda r: r**-2.0, lambda r: 0.5, lambda r: math.exp(-0.2 * r**0.5)]
)
def test_what_is_not_is_given_up_at_a_fifth(error):
    rank, given_up, decay = follow(error, 1e-10, 1000)
    assert given_up
    assert rank <= 220
    assert decay.needed > 1000
    assert decay.outlook


def test_floors_of_round_off_are_seen():
    rank, given_up, decay = follow(lambda r: max(math.exp(-0.1 * r), 1e-5), 1e-8, 1000)
    assert given_up
    assert rank <= 260
    assert decay.outlook == ", which more columns do not improve"


def test_noise_does_not_end_an_attempt():
    rng = np.random.default_rng(0)
    for _ in range(50):
        steps = np.cumsum(rng.gamma(9.0, 0.5 / 9.0, size=60))
        _, given_up, _ = follow(lambda r, s=steps: math.exp(-s[r // 20 - 1]), 1e-6, 1200)
        assert not given_up


def test_before_anything_is_known():
    decay = Decay(1e-6, 1000)
    assert not decay.is_hopeless(10, 0.5)
    assert decay.outlook == ""
    assert not decay.is_hopeless(10, 0.5)  # no new column
    assert not decay.is_hopeless(11, 1e-7)
    assert decay.needed == 11
