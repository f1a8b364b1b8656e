"""Permutation tests: ties, exact enumeration, seeds, blocks, threads, statistics of the caller's."""

from itertools import permutations, product

import numpy as np
import pytest

import shearer as sh
from shearer.inference.permutation.permuted import permutation_test
from shearer.inference.permutation.rearrangements import Contiguous, Within
from shearer.inference.pvalue import rank_pvalue
from shearer.measures.registry import dependence_measures


def covariance(x, y):
    return float(np.asarray(x, dtype=float) @ np.asarray(y, dtype=float))


def test_exact_enumeration_with_ties():
    """Two of six values are tied at the top of every arrangement: counting with > would give 0."""
    x, y = [0, 0, 1], [0, 0, 1]
    found = permutation_test(x, y, statistic=covariance)
    assert found.pvalue == 1 / 3
    assert found.method == "covariance, all 6 permutations"
    assert len(found.null_distribution) == 6


@pytest.mark.parametrize("statistic", dependence_measures())
def test_measures_against_enumeration_by_hand(statistic):
    labels = np.array(list("aabbc")), np.array(list("uvuvv"))
    values = [getattr(sh, statistic)(labels[0], labels[1][list(p)]) for p in permutations(range(5))]
    observed = getattr(sh, statistic)(*labels)
    expected = np.mean(np.array(values) >= observed - 1e-9)
    found = permutation_test(*labels, statistic=statistic)
    assert found.statistic == pytest.approx(observed, abs=1e-11)
    assert found.pvalue == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(np.sort(found.null_distribution), np.sort(values), atol=1e-11)


def test_three_variables_are_permuted_apart():
    data = [0.0, 1.0, 3.0], [2.0, 2.5, 0.0], [1.0, 5.0, 4.0]
    values = [
        float(sh.total_correlation(data[0], np.take(data[1], p), np.take(data[2], q)))
        for p, q in product(permutations(range(3)), repeat=2)
    ]
    found = permutation_test(*data)
    assert found.method.endswith("all 36 permutations")
    np.testing.assert_allclose(np.sort(found.null_distribution), np.sort(values), atol=1e-10)
    assert found.pvalue == np.mean(np.array(values) >= values[0] - 1e-9)


@pytest.mark.parametrize("alpha", [1.0, 2.0])
@pytest.mark.parametrize("statistic", ["total_correlation", "dual_total_correlation", "mutual_information"])
def test_value_is_that_of_the_function(rng, statistic, alpha):
    x = rng.normal(size=(30, 2))
    y = x[:, 0] + rng.normal(size=30)
    found = permutation_test(x, y, statistic=statistic, alpha=alpha, n_resamples=9)
    assert found.statistic == pytest.approx(getattr(sh, statistic)(x, y, alpha=alpha), abs=1e-11)
    assert found.names == ("x1", "x2")
    assert found.rows == 30


def test_never_zero_and_power(rng):
    x = rng.normal(size=60)
    found = permutation_test(x, x**2, n_resamples=49)
    assert found.pvalue == 1 / 50
    assert found.pvalue == rank_pvalue(found.null_distribution, found.statistic)


def test_seeds(rng):
    x, y = rng.normal(size=(2, 30))
    first, same, other = (permutation_test(x, y, n_resamples=20, alpha=2, rng=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.null_distribution, same.null_distribution)
    assert not np.array_equal(first.null_distribution, other.null_distribution)
    streams = [permutation_test(x, y, n_resamples=20, rng=np.random.default_rng(1)).pvalue for _ in range(2)]
    assert streams[0] == streams[1]


@pytest.mark.parametrize("statistic", ["total_correlation", covariance])
@pytest.mark.parametrize("exceedances", [None, 5])
def test_threads_do_not_change_the_answer(rng, statistic, exceedances):
    x, y = rng.normal(size=(2, 30))
    options = {"statistic": statistic, "n_resamples": 40, "exceedances": exceedances}
    one, two = (permutation_test(x, y, n_jobs=jobs, **options) for jobs in (1, 2))
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)
    assert one.pvalue == two.pvalue


def test_sequential_stopping(rng):
    x, y = rng.normal(size=(2, 40))
    found = permutation_test(x, y, statistic=covariance, n_resamples=5000, exceedances=10)
    assert found.pvalue == 10 / len(found.null_distribution)
    assert len(found.null_distribution) < 5000
    assert found.method.endswith(f"{len(found.null_distribution)} of at most 5000 random permutations")
    whole = permutation_test(x, y, statistic=covariance, n_resamples=5000).null_distribution
    np.testing.assert_array_equal(found.null_distribution, whole[: len(found.null_distribution)])
    certain = permutation_test(x, x, statistic=covariance, n_resamples=99, exceedances=10)
    assert certain.pvalue == 0.01


def test_rows_stay_in_their_blocks():
    blocks = np.repeat(["a", "b", "c"], 8)

    def strays(x, y):  # rows of another block: none must ever come
        return float(np.sum(x // 8 != y // 8))

    rows = np.arange(24)
    found = permutation_test(rows, rows, statistic=strays, blocks=blocks, n_resamples=50)
    assert set(found.null_distribution) == {0.0}
    assert found.pvalue == 1.0
    assert found.method == "strays, 50 random permutations within 3 blocks"
    assert max(permutation_test(rows, rows, statistic=strays, n_resamples=50).null_distribution) > 0


def test_blocks_remove_an_effect_of_the_block(rng):
    site = np.repeat(np.arange(6), 10)
    x, y = site + 0.3 * rng.normal(size=(2, 60))
    assert permutation_test(x, y, alpha=2, n_resamples=99).pvalue == 0.01
    assert permutation_test(x, y, alpha=2, n_resamples=99, blocks=site).pvalue > 0.05


def test_stretches_keep_their_order():
    rows = np.arange(23)

    def broken(x, y):  # neighbors in time that were torn apart
        return float(np.sum(np.diff(y) != 1))

    found = permutation_test(rows, rows, statistic=broken, blocks=5, n_resamples=99)
    assert max(found.null_distribution) <= 4
    assert found.method == "broken, 99 random permutations of blocks of 5 rows"
    exact = permutation_test(rows, rows, statistic=broken, blocks=11)
    assert exact.method == "broken, all 6 permutations of blocks of 11 rows"


def test_dropped_rows_take_their_block_along(rng):
    x, y = rng.normal(size=(2, 20))
    blocks = np.repeat([0, 1], 10)
    x[3] = np.nan
    kept = np.arange(20) != 3
    dropped = permutation_test(x, y, blocks=blocks, missing="drop", n_resamples=19)
    direct = permutation_test(x[kept], y[kept], blocks=blocks[kept], n_resamples=19)
    np.testing.assert_array_equal(dropped.null_distribution, direct.null_distribution)


def test_what_a_function_gets(rng):
    seen = {}

    def statistic(number, vector, label, mixed):
        seen.update(number=number, vector=vector, label=label, mixed=mixed)
        return 0.0

    table = {"number": rng.normal(size=(6, 1)), "vector": rng.normal(size=(6, 2)), "label": list("abcabc")}
    groups = {"mixed": ["u", "v"]}
    table |= {"u": rng.normal(size=6), "v": list("ppqqrr")}
    found = permutation_test(table, groups=groups, statistic=statistic, n_resamples=3)
    assert found.names == ("number", "vector", "label", "mixed")
    assert [seen[name].shape for name in found.names] == [(6,), (6, 2), (6,), (6, 2)]
    assert np.issubdtype(seen["label"].dtype, np.integer)
    assert found.pvalue == 1.0


@pytest.mark.parametrize("statistic", ["total_correlation", "dual_total_correlation", covariance])
def test_constant_variables_say_so(statistic):
    found = permutation_test(np.arange(20.0), np.ones(20), statistic=statistic)
    assert found.pvalue == 1.0
    assert "nothing to test: 'x2' constant" in found.method
    assert "p = 1 " in str(found)


def test_one_constant_among_three_does_not_matter(rng):
    x = rng.normal(size=30)
    assert permutation_test(x, np.ones(30), x, n_resamples=19).pvalue == 0.05


def test_level(rng):
    """Uniform p-values under the null: 200 tests at 20 % with 19 permutations, within 4 standard errors."""
    draws = rng.normal(size=(200, 2, 12))
    found = [permutation_test(*d, statistic=covariance, n_resamples=19, rng=i).pvalue for i, d in enumerate(draws)]
    assert abs(np.mean(np.array(found) <= 0.2) - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 200)


def test_schemes():
    within = Within((np.array([0, 2]), np.array([1, 3, 4])))
    assert within.count() == len({tuple(order) for order in within.every()}) == 12
    whole = Contiguous(rows=7, length=3)
    assert whole.count() == len({tuple(order) for order in whole.every()}) == 6
    for scheme in (within, whole):
        known = {tuple(order) for order in scheme.every()}
        drawn = {tuple(scheme.draw(np.random.default_rng(seed))) for seed in range(200)}
        assert drawn == known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 0}, "n_resamples: expected a whole number of 1 or more, got 0"),
        ({"n_resamples": 9.5}, "n_resamples: expected a whole number"),
        ({"exceedances": 0}, "exceedances: expected a whole number of 1 or more"),
        ({"statistic": "total_corelation"}, "Did you mean 'total_correlation'"),
        ({"statistic": None}, "statistic: expected one of"),
        ({"blocks": [1, 2, 3]}, "variables with the same number of rows, got .*'blocks=': 3"),
        ({"blocks": 6}, "blocks: expected a length from 1 to 5 for 10 rows, got 6"),
        ({"blocks": range(10)}, "blocks: expected labels that repeat"),
        ({"blocks": 0}, "blocks: expected a length"),
        ({"n_jobs": 0}, "n_jobs: expected a number of threads"),
        ({"rng": "seed"}, "rng: expected a seed"),
        ({"alpha": -1}, "alpha: expected a number"),
        ({"statistic": lambda x, y: "much"}, "statistic: expected a function that returns one number, got 'much'"),
        ({"statistic": lambda x, y: float("nan")}, "statistic: expected a function that returns a number, got nan"),
        ({"statistic": lambda x, y: 0.0, "kernel": sh.kernels.Gaussian()}, "kernel: expected none with a function"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        permutation_test(np.arange(10.0), np.arange(10.0) ** 2, **options)


def test_bad_data():
    with pytest.raises(ValueError, match="at least 2 rows"):
        permutation_test([1.0], [2.0])
    with pytest.raises(ValueError, match="at least 2 variables"):
        permutation_test([1.0, 2.0])
    with pytest.raises(ValueError, match="exactly 2 variables, got 3"):
        permutation_test([1, 2], [1, 2], [2, 1], statistic="mutual_information")
