"""Many patterns of missing values at once, against one pair or one set of rows at a time."""

import numpy as np
import pytest

import shearer as sh
from shearer.data import read
from shearer.kernels import Gaussian
from shearer.pairs import engine, limits
from shearer.pairs.engine import PairTests
from shearer.pairs.patterns import FeatureRows, on_patterns
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests
from shearer.pairs.sums import RowSums, Totals, probes_of
from shearer.screening.masked_triples import masked_triples

EVERY = slice(None)


def holed(rng, rows, columns, share=0.1):
    """Numbers and labels, dependent and not, each with gaps of its own."""
    x = rng.normal(size=(rows, columns))
    x[:, 1] += x[:, 0]
    table = {f"x{k}": np.where(rng.uniform(size=rows) < share, np.nan, x[:, k]) for k in range(columns - 3)}
    for k in range(columns - 3, columns):
        label = np.where(x[:, k] + 0.3 * x[:, 0] > 0, "up", rng.choice(list("ab"), size=rows)).astype(object)
        label[rng.uniform(size=rows) < share] = None
        table[f"l{k}"] = label
    return table


def alone(table, first, second, **options):
    """Two columns on the rows that both have."""
    columns = [np.asarray(table[name]) for name in (first, second)]
    there = np.logical_and.reduce([np.array([v is not None and v == v for v in column]) for column in columns])
    return sh.independence_test(*(column[there] for column in columns), **options)


@pytest.mark.parametrize("columns", [8, 20])
def test_pvalues_are_those_of_the_common_rows(rng, columns):
    """Fewer patterns than are found at once, and more: with a stated width, and features that leave out nothing."""
    table, kernel = holed(rng, 240, columns), Gaussian(0.7)
    assert (columns > limits.FEW_PATTERNS) == (columns == 20)
    found = sh.pairwise(table, missing="pairwise", kernel=kernel).pvalue
    names = list(table)
    for i, j in [(0, 1), (0, 2), (1, columns - 1), (2, columns - 2), (columns - 3, columns - 1)]:
        expected = alone(table, names[i], names[j], kernel=kernel).pvalue
        assert found[i, j] == pytest.approx(expected, rel=1e-8, abs=1e-300)
        assert found[j, i] == found[i, j]


def test_the_same_bits_in_every_rectangle_of_many_patterns(rng):
    count = engine.GAP_TILE + 10
    tests = PairTests.of(read(holed(rng, limits.EXACT_ROWS + 20, count), missing="pairwise", pairwise=True))
    assert count > max(tests._tile, limits.FEW_PATTERNS)
    whole = tests.pvalues(EVERY, EVERY)
    last = slice(count - 7, count)
    for rows, columns in ((slice(3, 18), slice(13, 22)), (last, slice(0, 5)), (EVERY, slice(18, 19))):
        assert np.array_equal(tests.pvalues(rows, columns), whole[rows, columns], equal_nan=True)


@pytest.mark.parametrize("shared", range(8))
def test_hardly_a_row_in_common(rng, shared):
    """Columns of parts of a table that have no row in common, one, and more, up to as many as a test needs."""
    a, b, c = rng.normal(size=(3, 60))
    a[:30], b[30 + shared :] = np.nan, np.nan
    found = sh.scan({"a": a, "b": b, "c": c + np.nan_to_num(a)}).document
    (pair,) = (pair for pair in found["pairs"] if pair["variables"] == ["a", "b"])
    tested = shared >= limits.FEWEST_ROWS
    assert (pair["n"], pair["strength"] is not None, pair["pvalue"] < 1.0) == (shared, tested, tested)
    said = "1 of 3 pairs was not tested (p = 1): fewer than 6 rows have both values."
    assert (said in found["notes"]) == (not tested)


@pytest.mark.parametrize("far", [0.0, 50.0])
def test_sums_of_each_set_of_rows(rng, far):
    """Against two passes over the rows of each set; features far from 0 lose no digits."""
    n, rank = 900, 5
    own = rng.uniform(size=n) < 0.9
    features = (rng.normal(size=(n, rank)) * [1, 0.5, 0.2, 0.1, 0.01] + far) * own[:, None]
    shares = (1.0, 0.95, 0.6, 0.3, 0.004)
    masks = np.array([own & (rng.uniform(size=n) < share) for share in shares])
    masks[4, np.flatnonzero(own)[:3]] = True
    masks[4, np.flatnonzero(own)[3:]] = False
    cuts = [slice(0, 400), slice(400, n)]
    rows = FeatureRows(lambda: ((cut, features[cut]) for cut in cuts), features.__getitem__, own, np.zeros(rank))
    for mask, found in zip(masks, on_patterns(rows, masks, most=128, probes=64), strict=True):
        f = features[mask]
        if len(f) < limits.FEWEST_ROWS:
            assert np.isnan(found.marginal.trace)
            continue
        totals = Totals.of(len(f), f.sum(axis=0), f.T @ f, np.zeros(rank))
        sums, terms = RowSums(totals), totals.terms(f)
        sums.add(terms)
        chosen, stands_for = probes_of(terms.diagonal, 128, 64)
        expected = sums.marginal(f[chosen] - totals.center, stands_for)
        accuracy = 1e-9 if far == 0 else 1e-6
        assert found.diagonal[mask] == pytest.approx(terms.diagonal, rel=accuracy, abs=accuracy)
        assert not found.diagonal[~mask].any()
        assert not found.slope[~mask].any()
        assert found.slope[mask] == pytest.approx(terms.slope, rel=1e-6, abs=1e-6 * np.abs(terms.slope).max())
        for name in ("second", "third", "spread"):
            ours, theirs = getattr(found.marginal.centered, name), getattr(expected.centered, name)
            assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-6 * np.abs(theirs).max())


def test_splits_of_many_patterns(rng):
    """Whatever pairs are asked for together, and as on the common rows alone."""
    table = read(holed(rng, 150, 7), missing="pairwise", pairwise=True)
    tests = SplitTests(Ladders.of(table))
    pairs = np.array([(0, 1), (0, 2), (1, 6), (3, 4)])
    for height in range(2):
        together = tests.of_pairs(pairs, height)
        for pair, found in zip(pairs, together, strict=True):
            single = tests.of_pairs(pair[None], height)[0]
            assert found.tails == pytest.approx(single.tails, rel=1e-8, nan_ok=True)


def test_triples_of_the_common_rows(rng):
    """T* and O at alpha = 2 with a stated width, and nan where too few rows are common."""
    data, kernel = holed(rng, 90, 6), Gaussian(0.5)
    data["x2"] = np.where(np.arange(90) < 5, 1.0 * np.arange(90), np.nan)
    table = read(data, missing="pairwise", pairwise=True)
    triples = np.array([(0, 1, 3), (0, 1, 2), (1, 4, 5), (0, 3, 5)])
    found = masked_triples(table, kernel, triples, ("total_correlation", "o_information"), limits.FEWEST_ROWS)
    for place, triple in enumerate(triples):
        common = table.common(triple)
        if 2 in triple:
            assert np.isnan(found["total_correlation"][place])
            continue
        columns = [data[table.names[k]] for k in triple]
        rows = np.logical_and.reduce([[v is not None and v == v for v in column] for column in columns])
        assert common.rows == rows.sum()
        expected = sh.screening.triples(*(np.asarray(column)[rows] for column in columns), kernel=kernel)
        for name, values in found.items():
            assert values[place] == pytest.approx(getattr(expected, name)[0], rel=1e-9, abs=1e-12)
