"""Conditional independence: level, power, who changes places with whom."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.inference.permutation.local import conditional_test, local_orders, neighborhoods


def common_cause(seed, n=100):
    rng = np.random.default_rng([7, seed])
    z = rng.normal(size=n)
    x, y = z + 0.5 * rng.normal(size=(2, n))
    return x, y, z, rng


def test_level_and_power_on_a_common_cause():
    """A handful shows that nothing is broken; experiments/conditional_level.py has 200 trials of each design."""
    independent, dependent = [], []
    for seed in range(8):
        x, y, z, rng = common_cause(seed)
        independent.append(conditional_test(x, y, given=z, n_resamples=39, rng=seed).pvalue)
        caused = z + 0.5 * (x - z) + 0.4 * rng.normal(size=len(z))
        dependent.append(conditional_test(x, caused, given=z, n_resamples=39, rng=seed).pvalue)
    assert np.sum(np.array(independent) <= 0.05) <= 2
    assert np.sum(np.array(dependent) <= 0.05) >= 7
    x, y, _, _ = common_cause(0)
    assert sh.mutual_information(x, y, alpha=2) > 0.1  # without the condition they are far from independent


def test_statistic_is_the_conditional_mutual_information(rng):
    x, y, z = rng.normal(size=(3, 30))
    for alpha in (1.0, 2.0):
        found = conditional_test(x, y, given=z, alpha=alpha, n_resamples=5)
        expected = sh.mutual_information(x, y, given=z, alpha=alpha, normalize=False)
        assert found.statistic == pytest.approx(expected, abs=1e-10)
        assert found.names == ("x1", "x2")
        assert found.pvalue >= 1 / 6


def test_a_constant_condition_leaves_two_variables_to_test(rng):
    """One of the two that is constant leaves nothing; a condition that is constant is none."""
    x = rng.normal(size=40)
    label, y = ["u"] * 40, x + 0.2 * rng.normal(size=40)
    assert conditional_test(x, y, given=label, n_resamples=19).pvalue == 0.05
    constant = conditional_test(x, np.ones(40), given=label, n_resamples=19)
    assert constant.pvalue == 1.0
    assert "nothing to test: 'x2' constant" in constant.method


def test_seeds_and_threads():
    x, y, z, _ = common_cause(1, n=50)
    runs = [conditional_test(x, y, given=z, n_resamples=20, rng=s, n_jobs=j) for s, j in ((0, 1), (0, 2), (1, 1))]
    np.testing.assert_array_equal(runs[0].null_distribution, runs[1].null_distribution)
    assert not np.array_equal(runs[0].null_distribution, runs[2].null_distribution)


def conditions(*given):
    return read(np.zeros(len(given[0])), given=given).variables[1:]


def test_labels_change_places_within_their_label(rng):
    label = np.array(list("abc"))[rng.integers(3, size=40)]
    for order in local_orders(conditions(label), 5, 20, seed=0):
        assert sorted(order) == list(range(40))
        np.testing.assert_array_equal(label[order], label)


def test_numbers_change_places_with_their_neighbors(rng):
    z = np.sort(rng.normal(size=60))
    orders = np.array(list(local_orders(conditions(z), 5, 100, seed=0)))
    assert orders.shape == (100, 60)
    assert np.abs(orders - np.arange(60)).max() <= 4
    assert np.mean(orders != np.arange(60)) > 0.5
    used = [len(set(order)) / 60 for order in orders]
    assert np.mean(used) > 0.85  # hardly any row is used twice


def test_both_kinds_of_conditions(rng):
    label, number = rng.integers(2, size=50).astype(str), rng.normal(size=50)
    for order in local_orders(conditions(label, number), 5, 20, seed=0):
        np.testing.assert_array_equal(label[order], label)
    table = neighborhoods(number[:, None], [np.arange(3), np.arange(3, 50)], 5)
    assert (table[:3, 3:] == -1).all()
    assert table[3:].min() >= 3


def test_ties_in_the_condition_spread_over_all_that_are_equal(rng):
    z = rng.integers(2, size=60).astype(float)
    orders = np.array(list(local_orders(conditions(z), 6, 200, seed=0)))
    np.testing.assert_array_equal(z[orders], np.broadcast_to(z, orders.shape))
    assert np.mean([len(set(order)) for order in orders]) > 45


def test_many_conditions_and_names(rng):
    table = dict(zip("abcd", rng.normal(size=(4, 40)), strict=True))
    found = conditional_test(table, given=["c", "d"], n_resamples=9, most_numbers=2)
    assert found.names == ("a", "b")
    assert found.method == "conditional mutual information at alpha=2 given c, d, 9 local permutations"


def test_constant_variable_says_so():
    found = conditional_test(np.ones(20), np.arange(20.0), given=np.arange(20.0))
    assert found.pvalue == 1.0
    assert "nothing to test: 'x1' constant" in found.method


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": None}, "given: expected at least one variable, got None"),
        ({"given": np.arange(9.0)}, "same number of rows"),
        ({"given": [f"row {i}" for i in range(10)]}, "given: expected labels that repeat"),
        ({"given": np.ones((10, 2))}, "given: expected at most 1 numeric coordinate.*independence_test"),
        ({"neighbors": 1}, "neighbors: expected a whole number of 2 or more"),
        ({"neighbors": 11}, "neighbors: expected at most 10"),
        ({"n_resamples": 0}, "n_resamples: expected a whole number of 1 or more"),
        ({"alpha": "two"}, "alpha: expected a number"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        conditional_test(np.arange(10.0), np.arange(10.0) ** 2, **({"given": np.arange(10.0)} | options))


def test_two_variables_only(rng):
    with pytest.raises(ValueError, match="exactly 2 variables besides given, got 3"):
        conditional_test(*rng.normal(size=(3, 10)), given=np.arange(10.0))
