"""Chance adjustment: 1 for copies, 0 on average under independence, the formula against permutations."""

from itertools import permutations

import numpy as np
import pytest

import shearer as sh
from shearer.inference.adjust import (
    adjusted_dual_total_correlation,
    adjusted_mutual_information,
    adjusted_total_correlation,
    expected_by_chance,
)


def test_affine_copies_score_one(rng):
    x = rng.normal(size=40)
    assert adjusted_mutual_information(x, 3 - 2 * x) == pytest.approx(1, abs=1e-9)
    assert adjusted_total_correlation(x, 3 - 2 * x, 1e3 * x) == pytest.approx(1, abs=1e-9)
    assert adjusted_dual_total_correlation(x, 3 - 2 * x, 1e3 * x) == pytest.approx(1, abs=1e-9)
    labels = np.array(list("abcd"))[rng.integers(4, size=40)]
    assert adjusted_mutual_information(labels, np.char.upper(labels)) == pytest.approx(1, abs=1e-9)
    assert adjusted_mutual_information(x, 2 * x, alpha=1.0, n_resamples=5) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("bandwidth", ["median", 0.2])
def test_zero_on_average_under_independence(rng, bandwidth):
    kernel = sh.kernels.Gaussian(bandwidth)
    pairs = [adjusted_mutual_information(*rng.normal(size=(2, 30)), kernel=kernel) for _ in range(150)]
    triples = [adjusted_total_correlation(*rng.normal(size=(3, 30)), kernel=kernel) for _ in range(60)]
    for values in (pairs, triples):
        assert abs(np.mean(values)) < 0.01 + 3 * np.std(values) / np.sqrt(len(values))
        assert max(values) <= 1


def test_expected_by_chance_against_all_permutations(rng):
    x, y = rng.normal(size=6), rng.exponential(size=6)
    options = {"alpha": 2, "normalize": False}
    values = [sh.mutual_information(x, y[list(p)], **options) for p in permutations(range(6))]
    assert expected_by_chance(x, y, measure="mutual_information") == pytest.approx(np.mean(values), abs=0.0034)


@pytest.mark.parametrize("measure", ["total_correlation", "dual_total_correlation"])
def test_expected_by_chance_against_random_permutations(rng, measure):
    x, y, z = rng.normal(size=25), rng.exponential(size=(25, 2)), rng.integers(3, size=25).astype(str)
    values = [
        getattr(sh, measure)(x, y[rng.permutation(25)], z[rng.permutation(25)], alpha=2, normalize=False)
        for _ in range(300)
    ]
    error = np.std(values) / np.sqrt(len(values))
    exact = expected_by_chance(x, y, z, measure=measure)
    assert abs(exact - np.mean(values)) < 4 * error + 0.0034
    drawn = expected_by_chance(x, y, z, measure=measure, n_resamples=300)
    assert abs(drawn - np.mean(values)) < 6 * error


def test_exclusive_or_scores_above_copies_in_dual_total_correlation():
    a, b = np.array([0, 0, 1, 1] * 20), np.array([0, 1, 0, 1] * 20)
    bits = a.astype(str), b.astype(str), (a ^ b).astype(str)
    assert 1.9 < adjusted_dual_total_correlation(*bits) < 2.1
    assert 0.4 < adjusted_total_correlation(*bits) < 0.55


def test_other_orders_take_permutations(rng):
    x, y = rng.normal(size=(2, 20))
    first, same, other = (
        expected_by_chance(x, y, alpha=1.0, n_resamples=10, rng=seed, n_jobs=jobs)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    )
    assert first == same != other
    with pytest.raises(ValueError, match="alpha: expected 2 without n_resamples, got 1"):
        expected_by_chance(x, y, alpha=1.0)


def test_nothing_to_share():
    x = np.arange(10.0)
    assert adjusted_mutual_information(x, np.ones(10)) == 0.0
    assert adjusted_total_correlation(np.ones(10), np.ones(10), np.ones(10)) == 0.0
    # Every label different: permutations change nothing.
    names = [str(i) for i in range(10)]
    assert adjusted_mutual_information(names, names) == 0.0


def test_bad_input(rng):
    x = rng.normal(size=(3, 5))
    with pytest.raises(ValueError, match="at least 6 rows, got 5"):
        expected_by_chance(x[0], x[1])
    assert np.isfinite(expected_by_chance(x[0], x[1], n_resamples=3))
    with pytest.raises(ValueError, match="exactly 2 variables, got 3"):
        adjusted_mutual_information(*x)
    with pytest.raises(ValueError, match="measure: expected one of"):
        expected_by_chance(x[0], x[1], measure="total")
    with pytest.raises(ValueError, match="n_resamples: expected a whole number"):
        expected_by_chance(x[0], x[1], n_resamples=0)
    with pytest.raises(ValueError, match="memory: expected at most"):
        expected_by_chance(*rng.normal(size=(2, 200)), memory="100kB")
