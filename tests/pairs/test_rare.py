"""What a p-value cannot be below, against the enumeration of all orders of the rows; and levels of rare labels."""

from itertools import permutations, product
from math import comb, prod

import numpy as np
import polars as pl
import pytest
from scipy.stats import fisher_exact, hypergeom

import shearer as sh
from shearer.data import read
from shearer.pairs.engine import PairTests
from shearer.pairs.null_law import rare
from shearer.pairs.null_law.rare import (
    _count,
    alike_pairs,
    chance_of_arrangement,
    coincidence_pvalue,
    joint_codes,
    least_pvalue,
    least_pvalue_of_codes,
    level_codes,
    table_of,
    table_pvalue,
)


def distance(table):
    expected = np.multiply.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return np.square(table - expected).sum()


@pytest.mark.parametrize("seed", range(8))
def test_all_orders(seed):
    g = np.random.default_rng(seed)
    a, b = (np.unique(g.integers(0, 3, size=6), return_inverse=True)[1] for _ in range(2))
    observed = table_of(a, b)
    tables = [table_of(a, b[list(order)]) for order in permutations(range(6))]
    same = np.mean([np.array_equal(table, observed) for table in tables])
    far = np.mean([distance(table) >= distance(observed) - 1e-9 for table in tables])
    assert chance_of_arrangement([a, b]) == pytest.approx(same)
    assert least_pvalue(observed, exact=False) == pytest.approx(same)
    assert least_pvalue(observed, exact=True) == pytest.approx(far)


def test_three_variables_in_all_orders():
    a, b, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])
    orders = [list(order) for order in permutations(range(4))]
    observed = np.bincount(4 * a + 2 * b + c, minlength=8)
    same = [np.array_equal(np.bincount(4 * a + 2 * b[p] + c[q], minlength=8), observed) for p in orders for q in orders]
    assert chance_of_arrangement([a, b, c]) == pytest.approx(np.mean(same))
    assert table_of(joint_codes(a, b), c).sum() == 4


def test_two_by_two():
    law = hypergeom(100, 3, 5)
    for overlap in range(4):
        table = np.array([[overlap, 3 - overlap], [5 - overlap, 92 + overlap]])
        expected = sum(law.pmf(k) for k in range(4) if abs(k - 0.15) >= abs(overlap - 0.15) - 1e-9)
        assert table_pvalue(table) == pytest.approx(expected)
    assert table_pvalue(np.array([[7, 1], [1, 7]])) == pytest.approx(fisher_exact([[7, 1], [1, 7]]).pvalue)
    assert table_pvalue(np.array([[7, 1, 0], [1, 7, 0], [0, 0, 0]])) == table_pvalue(np.array([[7, 1], [1, 7]]))
    assert table_pvalue(np.full((6, 6), 50)) is None  # too many tables
    assert least_pvalue(np.full((6, 6), 50), exact=True) == 0.0  # and a smooth law


@pytest.mark.parametrize(("ones", "rows"), [(3, 6), (4, 8), (3, 10), (3, 12), (1, 40)])
@pytest.mark.parametrize("kind", [bool, float])
def test_copies_of_few_rows(ones, rows, kind):
    """No order of the rows is rarer than the orders of a copy."""
    x = (np.arange(rows) < ones).astype(kind)
    exact = table_pvalue(table_of(x.astype(int), x.astype(int)))
    table = pl.DataFrame({"x": x, "y": x})
    found = [sh.independence_test(x, x).pvalue, sh.independence_test(x, x, method="moments").pvalue]
    found += [sh.pairwise(table).pvalue[0, 1], PairTests.of(read(table)).pvalues(slice(0, 1), slice(1, 2)).item()]
    assert min(found) == pytest.approx(exact) if ones > 1 else min(found) >= exact
    assert found[1:] == pytest.approx([found[1]] * 3)


@pytest.mark.parametrize("counts", [(5, 5, 40), (3, 5, 100), (1, 5, 40)])
def test_level_of_rare_labels(counts):
    """Over all tables with these sums, by their chances: no sampling error."""
    first, second, rows = counts
    law, rejected = hypergeom(rows, first, second), 0.0
    x = np.arange(rows) < first
    for overlap in range(min(first, second) + 1):
        y = np.zeros(rows, dtype=bool)
        y[:overlap] = y[first : first + second - overlap] = True
        rejected += law.pmf(overlap) * (sh.independence_test(x, y).pvalue <= 0.05)
    assert rejected <= 0.05


def test_a_rare_label_beside_numbers(rng):
    """The one row with the label can be any of 40: no p-value is below 1 / 40, however far out it lies."""
    numbers = rng.normal(size=40)
    numbers[0] = 50.0
    label = np.arange(40) == 0
    assert sh.independence_test(numbers, label).pvalue >= 1 / 40 - 1e-12
    assert sh.pairwise({"x": numbers, "y": label}).pvalue[0, 1] >= 1 / 40 - 1e-12


def test_pairs_with_gaps(rng):
    """As the test of one pair on the rows that both have."""
    frame = {name: (rng.uniform(size=60) < 0.08).astype(float) for name in "abcd"}
    frame["d"] = frame["a"].copy()
    for name in "bd":
        frame[name][rng.integers(60, size=5)] = np.nan
    found = sh.pairwise(frame, missing="pairwise").pvalue
    for i, j in ((0, 1), (0, 3), (1, 2), (2, 3)):
        pair = [list(frame.values())[k] for k in (i, j)]
        assert found[i, j] == pytest.approx(sh.independence_test(*pair, method="moments", missing="drop").pvalue)


def test_interaction_of_few_rows():
    a, b = np.array([0, 0, 1, 1] * 2, dtype=bool), np.array([0, 1, 0, 1] * 2, dtype=bool)
    # the third is one of 8 over 4 halves of the rows
    assert sh.interaction_test(a, b, a ^ b).split_pvalue >= 1 / 70 - 1e-12
    scanned = sh.scan({"a": a, "b": b, "c": a ^ b}).document["triples"][0]
    assert scanned["split_pvalue"] == pytest.approx(sh.interaction_test(a, b, a ^ b).split_pvalue)


def test_rare_labels_in_a_stream(rng):
    from shearer.sketching import PairSketch

    rows, places = 6000, np.arange(6000)
    x, y = ((places < 30).astype(str), ((places >= 28) & (places < 70)).astype(str))
    table = pl.DataFrame({"x": x, "y": y, "z": rng.normal(size=rows)})
    first = PairSketch.like(table)
    first.update(table)
    second = first.second_pass()
    second.update(table)
    exact = table_pvalue(table_of((x == "True").astype(int), (y == "True").astype(int)))
    assert second.independence_test("x", "y").pvalue == pytest.approx(exact)
    assert second.pvalues()[0, 1] == pytest.approx(exact)
    assert sh.independence_test(x, y).pvalue == pytest.approx(exact)


@pytest.mark.parametrize("levels", [(30, 30), (20, 30), (15, 12)])
def test_pairs_of_rows_alike_in_two_labels(levels, rng):
    """Their number over random orders: the tail is never below the share of orders by more than chance."""
    codes = [np.repeat(np.arange(count), 60 // count) for count in levels]
    tables = [table_of(codes[0], rng.permutation(codes[1])) for _ in range(2000)]
    counts = np.array([alike_pairs(table) for table in tables])
    assert counts.mean() == pytest.approx(np.prod([alike_pairs(np.bincount(own)) for own in codes]) / 1770, rel=0.1)
    for observed in np.unique(counts)[1:5]:
        table = tables[int(np.argmax(counts == observed))]
        share = np.mean(counts >= observed)
        assert coincidence_pvalue(table.sum(axis=1), table.sum(axis=0), table) == pytest.approx(
            share, rel=0.25, abs=0.01
        )


def test_level_of_labels_that_occur_twice(rng):
    labels = np.array([f"l{code}" for code in np.repeat(np.arange(30), 2)])
    pvalues = [sh.independence_test(labels, rng.permutation(labels)).pvalue for _ in range(200)]
    assert np.mean(np.array(pvalues) <= 0.05) <= 0.05
    batch = {f"x{k}": rng.permutation(labels) for k in range(12)}
    found = sh.pairwise(batch, alpha=2).pvalue
    one = sh.independence_test(batch["x0"], batch["x1"]).pvalue
    assert found[0, 1] == pytest.approx(one, rel=1e-7)
    assert np.mean(found[np.triu_indices(12, 1)] <= 0.05) <= 0.1


def tables_with_sums(rows, columns):
    """How many tables have these sums, one cell after the other."""
    if len(rows) == 1:
        return 1
    ways = [way for way in product(*(range(total + 1) for total in columns)) if sum(way) == rows[0]]
    return sum(tables_with_sums(rows[1:], np.subtract(columns, way).tolist()) for way in ways)


@pytest.mark.parametrize(
    "table", [[[5, 1, 0, 0], [0, 0, 1, 1]], [[1, 2], [3, 0], [0, 4]], [[2, 0, 1], [1, 1, 1], [0, 3, 0]]]
)
def test_tables_are_counted_by_rows(table):
    """No fewer than there are: an upper bound by the rows but the largest, whichever way the table lies."""
    for own in (np.array(table), np.array(table).T):
        rows, columns = own.sum(axis=1).tolist(), own.sum(axis=0).tolist()
        ways = [comb(total + len(columns) - 1, total) for total in sorted(rows)[:-1]]
        assert _count(own) == prod(ways)
        assert _count(own) >= tables_with_sums(rows, columns)
        assert table_pvalue(own) == pytest.approx(table_pvalue(own.T))


@pytest.mark.parametrize("exact", [False, True])
def test_codes_give_what_tables_give(rng, exact, monkeypatch):
    laws = ((2, 0.05), (3, 0.9), (30, 0.0), (20, 0.97))
    for levels, share in laws:
        first, second = (np.where(rng.random(60) < share, 0, rng.integers(0, levels, 60)) for _ in range(2))
        second[:5] = first[:5] = np.arange(5) % levels
        expected = least_pvalue(table_of(first, second), exact=exact)
        assert least_pvalue_of_codes(first, second, exact=exact) == pytest.approx(expected, rel=1e-12)
        with monkeypatch.context() as patch:  # without the table: the chance of the arrangement or of coincidences
            patch.setattr(rare, "_MOST_CELLS", 0)
            patch.setattr(rare, "_MOST_TABLES", 0)
            without = least_pvalue(table_of(first, second), exact=exact)
            assert least_pvalue_of_codes(first, second, exact=exact) == pytest.approx(without, rel=1e-12)


def test_many_different_values_take_no_table(rng):
    x = np.arange(200_000)
    y = np.concatenate([x[:100_000], rng.permutation(x[100_000:])])
    assert least_pvalue_of_codes(x // 2, y // 2, exact=True) < 1e-6
    x, y = x.astype(float), y.astype(float)
    assert sh.independence_test(x, y).pvalue < 1e-6
    found = sh.interaction_test(x[:30_000], y[:30_000], rng.permutation(x[:30_000]))
    assert 0 <= found.split_pvalue <= 1


def test_values_of_vectors_are_rows():
    """Two rows are alike where all of their coordinates are."""
    vectors = read(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 3.0]]), groups={"v": ["x1", "x2"]}).variables[0]
    assert level_codes(vectors).tolist() == [0, 2, 0, 1]
