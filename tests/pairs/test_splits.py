"""Tests of the splits of triples: against whole matrices, with gaps, and what they find."""

from itertools import combinations

import numpy as np
import pytest

import shearer as sh
from pairs import dense
from shearer.data import read
from shearer.pairs import limits, splits
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests


def centered_features(tests, variable, height):
    own = tests._leading.of(variable, height)
    return own @ own.T


def test_by_definition(rng):
    """The product of two double-centered kernels against a third, as whole matrices."""
    a, b, c = rng.normal(size=(3, 60))
    c += a * b
    tests = SplitTests(Ladders.of(read(a, b, c)))
    expected = []
    for first, second, alone in ((1, 2, 0), (0, 2, 1), (0, 1, 2)):
        tails = []
        for height in range(3):
            matrices = [centered_features(tests, k, height) for k in (first, second, alone)]
            tails.append(dense.component(dense.centered(matrices[0] * matrices[1]), dense.centered(matrices[2])))
        expected.append(float(half_cauchy(tails, limits.RUNG_WEIGHTS[:3])))
    assert tests.pvalues([(0, 1, 2)])[0] == pytest.approx(max(expected), rel=1e-6)
    assert sh.interaction_test(a, b, c).split_pvalue == pytest.approx(max(expected), rel=1e-6)


def test_gaps_leave_out_rows(rng):
    """With gaps in the third alone, as without these rows, at the widths of the rows that each has."""
    a, b, c = rng.normal(size=(3, 80))
    c[:20] = np.nan
    table = read(a, b, c, missing="pairwise", pairwise=True)
    tests = SplitTests(Ladders.of(table))
    found = tests.of_pairs(np.array([[0, 1]]), 1)[0].tails[2]
    rows = slice(20, 80)
    product = centered_features(tests, 0, 1) * centered_features(tests, 1, 1)
    alone = centered_features(tests, 2, 1)
    expected = dense.component(dense.centered(product[rows, rows]), dense.centered(alone[rows, rows]))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("gaps", [1, 2])
def test_gaps_of_the_pair_leave_out_rows(rng, gaps):
    """With gaps in one or both of the pair, and in the third."""
    x = rng.normal(size=(3, 90))
    x[0, :20] = np.nan
    x[gaps, 10:30] = np.nan
    tests = SplitTests(Ladders.of(read(*x, missing="pairwise", pairwise=True)))
    found = tests.of_pairs(np.array([[0, 1]]), 1)[0].tails[2]
    rows = slice(30, 90)
    product = centered_features(tests, 0, 1) * centered_features(tests, 1, 1)
    alone = centered_features(tests, 2, 1)
    expected = dense.component(dense.centered(product[rows, rows]), dense.centered(alone[rows, rows]))
    assert found == pytest.approx(expected, rel=1e-6)


def test_work_is_that_of_the_products():
    """Sums over rows of products of a pair's features: twice as many rows, twice the work."""
    few, many = SplitTests.work(10_000, 3, 5), SplitTests.work(20_000, 3, 5)
    assert few >= 2.0 * 10_000 * splits.MOST_RANK**4
    assert many == pytest.approx(2 * few, rel=0.1)
    assert SplitTests.work(10_000, 3, 5, missing=0.3) > few


def test_work_of_a_pair_and_of_a_split():
    """A row adds its products with themselves to a pair and those with the features of a third to a split.

    The rows that stand for all are multiplied by a matrix of a pair, and by each other.
    """
    rows, products = limits.PROBES, splits.MOST_RANK**2
    probes, split = SplitTests.work(0, 1, 0), SplitTests.work(rows, 0, 1)
    own = SplitTests.work(rows, 1, 0) - probes
    assert own / split == pytest.approx(products / splits.MOST_RANK)
    assert probes / own == pytest.approx((products + rows) / products)


def test_what_is_found_and_what_is_not():
    rejected = {"independent": 0, "pair and noise": 0, "product": 0, "labels": 0}
    for seed in range(40):
        g = np.random.default_rng(seed)
        a, b, e = g.normal(size=(3, 100))
        x, y = g.integers(0, 2, size=(2, 100))
        designs = {
            "independent": (a, b, e),
            "pair and noise": (a, a + 0.5 * b, e),
            "product": (a, b, a * b + 0.5 * e),
            "labels": (x.astype(str), y.astype(str), (x ^ y ^ (g.uniform(size=100) < 0.1)).astype(str)),
        }
        for name, data in designs.items():
            # as interaction_test has it (test_by_definition), without its other tests
            rejected[name] += SplitTests(Ladders.of(read(*data))).pvalues([(0, 1, 2)])[0] <= 0.05
    assert rejected["independent"] <= 4
    assert rejected["pair and noise"] <= 4
    assert rejected["product"] >= 38
    assert rejected["labels"] == 40


def test_many_levels_and_constants(rng):
    labels = np.char.add("level ", rng.integers(0, 60, size=400).astype(str))
    table = read(labels, rng.normal(size=400), rng.normal(size=400), np.ones(400))
    found = SplitTests(Ladders.of(table)).pvalues([(0, 1, 2), (0, 1, 3)])
    assert 0.001 < found[0] <= 1
    assert found[1] == 1


def test_few_rows_stand_for_all_where_values_are_missing(rng, monkeypatch):
    """The sums of the third moment that they stand for move no p-value that decides anything."""
    x = rng.normal(size=(600, 6))
    x[:, 2], x[:, 3] = rng.standard_t(2, size=600), rng.exponential(size=600)
    x[:, 5] = np.abs(x[:, 5]) * np.where(rng.random(600) < 0.68, np.sign(x[:, 0] * x[:, 1]), 1.0)
    x[rng.random(x.shape) < 0.05] = np.nan
    table, triples = read(x, missing="pairwise", pairwise=True), list(combinations(range(6), 3))
    some = SplitTests(Ladders.of(table)).pvalues(triples)
    monkeypatch.setattr(splits, "_GAP_MOST", 1024)
    every = SplitTests(Ladders.of(table)).pvalues(triples)
    deciding = every > 1e-4
    assert not (some == every).all()
    assert 0 < deciding.sum() < len(triples)
    assert np.log(some[deciding]) == pytest.approx(np.log(every[deciding]), abs=0.05)
    assert np.log(some) == pytest.approx(np.log(every), rel=0.05, abs=0.05)
