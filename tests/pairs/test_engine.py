"""p-values of all pairs over the ladder of widths: equal to one pair at a time, and the same in every rectangle."""

import tracemalloc

import numpy as np
import pytest

import shearer as sh
from pairs import dense
from shearer import _threads
from shearer.data import read
from shearer.data.variables import Block, Variable
from shearer.kernels import Gaussian
from shearer.pairs import cross_products, engine, limits
from shearer.pairs.engine import PairTests
from shearer.pairs.rungs import Ladder
from shearer.pairs.sides import Side

EVERYTHING = slice(None), slice(None)


def mixed_table(n=60, seed=0):
    """Every kind of variable, and those that are hard: flat, additive, saturated, far from 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {
        "x": x,
        "linear": x + rng.normal(size=n),
        "square": x**2 + 0.3 * rng.normal(size=n),
        "heavy": rng.standard_cauchy(n),
        "ties": np.round(x),
        "label": rng.choice(list("abc"), size=n),
        "sign": np.where(x > 0, "up", "down"),
        "two": np.where(x > 0.3, 1.0, 3.0),
        "vector": rng.normal(size=(n, 3)),
        "long": rng.normal(size=(n, 12)) + x[:, None],
        "constant": np.ones(n),
        "identifier": [f"row {i}" for i in range(n)],
        "single": np.eye(n)[3],
        "huge": x * 1e200,
        "tiny": 1e-200 * x**2,
        "far": 1e8 + rng.normal(size=n),
    }


def alone(table, kernel=None):
    """The p-value of every pair, one by one."""
    names = list(table)
    found = np.ones((len(names), len(names)))
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            own = (
                {name: kernel[name] for name in (first, second) if name in kernel}
                if isinstance(kernel, dict)
                else kernel
            )
            pair = {first: table[first], second: table[second]}
            found[i, j] = found[j, i] = sh.independence_test(pair, method="aggregated", kernel=own).pvalue
    return found


@pytest.mark.parametrize(
    "kernel",
    [
        None,
        sh.kernels.Gaussian(),
        sh.kernels.Laplacian("silverman"),
        {
            "x": sh.kernels.Gaussian(0.5),
            "label": sh.kernels.Custom(lambda a, b: 1.0 if a == b else 0.5),
            "vector": sh.kernels.Laplacian(),
        },
    ],
    ids=["ladder", "median", "laplacian", "named"],
)
def test_equal_to_one_pair_at_a_time(kernel):
    table = mixed_table()
    found = PairTests.of(read(table), kernel).pvalues(*EVERYTHING)
    assert found == pytest.approx(alone(table, kernel), rel=1e-7, abs=1e-12)
    assert np.array_equal(found, found.T)
    assert (np.diag(found) == 1).all()


def test_a_kernel_under_which_hardly_anything_varies():
    """Similarities of spread 1e-4: the statistics must not be differences of large sums."""
    table = {name: mixed_table()[name] for name in ("x", "linear", "square", "label", "vector")}
    kernel = sh.kernels.Gaussian(100.0)
    assert PairTests.of(read(table), kernel).pvalues(*EVERYTHING) == pytest.approx(alone(table, kernel), rel=1e-7)


@pytest.mark.parametrize("n", [6, 100])
def test_few_and_more_rows(n):
    table = mixed_table(n, seed=n)
    assert PairTests.of(read(table)).pvalues(*EVERYTHING) == pytest.approx(alone(table), rel=1e-7, abs=1e-12)


def test_mixed_groups(rng):
    x = rng.normal(size=40)
    table = {"a": x, "b": rng.normal(size=40), "c": np.where(x > 0, "p", "m"), "d": x**2}
    groups = {"both": ["b", "c"]}
    found = PairTests.of(read(table, groups=groups)).pvalues(*EVERYTHING)
    one = sh.independence_test({k: table[k] for k in "bcd"}, groups=groups).pvalue
    names = read(table, groups=groups).names
    assert found[names.index("both"), names.index("d")] == pytest.approx(one, rel=1e-8)


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of 3 variables and chunks of 11 rows, so that a small table has many of both."""
    for place, name in ((limits, "TILE"), (engine, "WIDE_TILE"), (engine, "GAP_TILE")):
        monkeypatch.setattr(place, name, 3)
    monkeypatch.setattr(cross_products, "_BAND", 500)
    monkeypatch.setattr(limits, "CHUNK_ROWS", 11)


@pytest.mark.parametrize("missing", ["error", "pairwise"])
@pytest.mark.usefixtures("small_tiles")
def test_the_same_bits_in_every_rectangle(rng, missing):
    table = read(with_gaps(rng) if missing == "pairwise" else mixed_table(30), missing=missing, pairwise=True)
    whole = PairTests.of(table).pvalues(*EVERYTHING)
    count = len(whole)
    tests = PairTests.of(table, memory=10**6)
    for _ in range(6):
        first, second = (slice(*sorted(rng.integers(0, count + 1, size=2))) for _ in range(2))
        part = tests.pvalues(first, second)
        assert part.shape == (first.stop - first.start, second.stop - second.start)
        assert np.array_equal(part, whole[first, second], equal_nan=True)
    some = (0, 2, 3)  # the last of another tile
    one_by_one = [[PairTests.of(table).pvalues(slice(i, i + 1), slice(j, j + 1))[0, 0] for j in some] for i in some]
    assert np.array_equal(one_by_one, whole[np.ix_(some, some)], equal_nan=True)


def test_the_same_bits_at_full_size(rng):
    border = engine.WIDE_TILE
    table = read(rng.normal(size=(30, border + 60)))
    whole = PairTests.of(table).pvalues(*EVERYTHING)
    rows, columns = slice(border - 28, border + 12), slice(border - 8, border + 50)
    part = PairTests.of(table, memory=40 * 10**6).pvalues(rows, columns)
    assert np.array_equal(part, whole[rows, columns])


@pytest.mark.parametrize(
    ("shape", "gaps", "budget"),
    [
        ((30, 260), 0.0, 40 * 10**6),  # 57 MB without tiles
        ((400, 8), 0.0, 60 * 10**6),
        ((80, 20), 0.1, 60 * 10**6),
        ((9000, 4), 0.0, 60 * 10**6),
    ],
)
def test_memory_stays_within_the_budget(rng, shape, gaps, budget):
    data = rng.normal(size=shape)
    data[rng.random(shape) < gaps] = np.nan
    tests = PairTests.of(read(data, missing="pairwise", pairwise=True), memory=budget)
    tracemalloc.start()
    try:
        tests.pvalues(*EVERYTHING)
        assert tracemalloc.get_traced_memory()[1] < budget
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("missing", ["error", "pairwise"])
@pytest.mark.usefixtures("small_tiles")
def test_the_same_bits_with_any_number_of_threads(rng, monkeypatch, missing):
    table = read(with_gaps(rng) if missing == "pairwise" else mixed_table(30), missing=missing, pairwise=True)
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(_threads, "thread_count", lambda threads=threads: threads)
        found.append(PairTests.of(table).pvalues(*EVERYTHING))
    assert np.array_equal(*found, equal_nan=True)


@pytest.mark.usefixtures("small_tiles")
def test_small_tiles_give_the_same_values():
    table = mixed_table(30)
    assert PairTests.of(read(table)).pvalues(*EVERYTHING) == pytest.approx(alone(table), rel=1e-8, abs=1e-12)


@pytest.mark.usefixtures("small_tiles")
def test_tiles_of_columns_serve_two_rows_of_tiles(rng, monkeypatch):
    """Features of a tile are formed again for every other row of tiles only."""
    formed = []

    class Counted(Side):
        def __init__(self, ladders, places, *rest):
            formed.append(places.tolist())
            super().__init__(ladders, places, *rest)

    monkeypatch.setattr(engine, "Side", Counted)
    PairTests.of(read(rng.normal(size=(30, 12))), Gaussian(1.0)).pvalues(*EVERYTHING)
    tiles = np.arange(12).reshape(4, 3).tolist()
    assert all(tile in tiles for tile in formed)
    assert {formed.count(tile) for tile in tiles} <= {1, 2}


def with_gaps(rng, n=40):
    x = rng.normal(size=n)
    table = {
        "x": x,
        "linear": x + rng.normal(size=n),
        "square": x**2,
        "label": rng.choice(list("abc"), size=n).astype(object),
        "two": np.where(rng.random(n) > 0.4, 1.0, 3.0),
        "late": rng.normal(size=n),
        "early": rng.normal(size=n),
    }
    for name, gaps in (("x", [0, 5]), ("linear", [0, 5]), ("label", [7, 8, 9]), ("two", [1]), ("square", [3, 30])):
        for row in gaps:
            table[name][row] = None if name == "label" else np.nan
    table["late"][:18] = np.nan
    table["early"][20:] = np.nan
    return table


def ladder_matrices(values):
    """The similarity matrices of a column at every rung, by their definition."""
    if values.dtype.kind != "f":
        return [np.equal.outer(values, values).astype(float)]
    rungs = Ladder.of(Variable("x", (Block("continuous", values[:, None]),))).rungs
    return [np.array(rung.dense()) for rung in rungs]


def test_components_by_definition():
    """Both forms at every rung against whole centered matrices."""
    table = mixed_table()
    for first, second in (("x", "square"), ("x", "label"), ("ties", "heavy"), ("label", "sign"), ("two", "linear")):
        found = PairTests.of(read(table[first], table[second])).components(0, 1)
        expected = dense.components(*(ladder_matrices(np.asarray(table[name])) for name in (first, second)))
        assert np.array([(p, weight) for *_, p, _, weight in found]) == pytest.approx(np.array(expected), rel=1e-7)


def test_missing_values_by_definition(rng):
    """Each pair on its common rows, similarities as on the rows that the variable has."""
    table = with_gaps(rng)
    own = {}
    for name, column in table.items():
        rows = np.flatnonzero([value is not None and value == value for value in column])
        own[name] = rows, ladder_matrices(column[rows].astype(str if name == "label" else float))
    found = PairTests.of(read(table, missing="pairwise", pairwise=True)).pvalues(*EVERYTHING)
    for i, first in enumerate(table):
        for j, second in enumerate(list(table)[:i]):
            common = np.intersect1d(own[first][0], own[second][0])
            if len(common) < 6:
                assert {first, second} == {"late", "early"}
                assert np.isnan(found[i, j])
                continue
            ladders = []
            for rows, matrices in (own[first], own[second]):
                keep = np.flatnonzero(np.isin(rows, common))
                ladders.append([matrix[np.ix_(keep, keep)] for matrix in matrices])
            assert found[i, j] == pytest.approx(dense.pvalue(*ladders), rel=1e-7)
    assert np.array_equal(found, found.T, equal_nan=True)


def test_no_gaps_in_a_table_that_may_have_some(rng):
    x = rng.normal(size=(30, 4))
    found = PairTests.of(read(x, missing="pairwise", pairwise=True)).pvalues(*EVERYTHING)
    assert np.array_equal(found, PairTests.of(read(x)).pvalues(*EVERYTHING))


def tall_table(rng, n=5100):
    x = rng.normal(size=n)
    return {
        "x": x,
        "weak": 0.04 * x + rng.normal(size=n),
        "heavy": 0.01 * x + rng.standard_cauchy(n),
        "label": rng.choice(list("abc"), n),
        "levels": np.char.add("level ", rng.integers(0, 700, n).astype(str)),
        "identifier": np.char.add("row ", np.arange(n).astype(str)),
        "flat": np.ones(n),
    }


def test_many_rows(rng):
    """Some of the pairs one by one, in rectangles, and in little memory."""
    table = tall_table(rng)
    tests = PairTests.of(read(table), memory=100 * 10**6)
    found = tests.pvalues(*EVERYTHING)
    names = list(table)
    for first, second in (("x", "weak"), ("weak", "heavy"), ("x", "levels"), ("label", "levels"), ("x", "identifier")):
        one = sh.independence_test(table[first], table[second]).pvalue
        assert found[names.index(first), names.index(second)] == pytest.approx(one, rel=1e-8)
    assert np.array_equal(found, found.T)
    assert np.array_equal(tests.pvalues(slice(2, 4), slice(1, 3)), found[2:4, 1:3])
    crowded = PairTests.of(read({name: table[name] for name in names[:3]}), memory=10**6)
    assert crowded.pvalues(*EVERYTHING) == pytest.approx(found[:3, :3], rel=1e-9)


def test_features_leave_out_little(rng):
    """Tests by features of a sample of rows against whole matrices of all rows."""
    x = rng.normal(size=900)
    pairs = {
        "dependent": (x, x**2 + 2 * rng.normal(size=900)),
        "independent": (x, rng.standard_t(3, size=900)),
        "labels": (x, np.where(x + 2 * rng.normal(size=900) > 0, "a", "b")),
    }
    for first, second in pairs.values():
        found = sh.independence_test(first, second).pvalue
        expected = dense.pvalue(ladder_matrices(first), ladder_matrices(second))
        assert np.log(found) == pytest.approx(np.log(expected), rel=0.02, abs=0.02)


def test_many_rows_of_many_dimensions(rng):
    """No low rank: the features are those of a coarser kernel, and the test is as valid."""
    x, y = rng.normal(size=(2, 5100, 6))
    assert sh.independence_test(x, y).pvalue > 0.001
    y[:, 0] += 0.5 * x[:, 0]
    assert sh.independence_test(x, y).pvalue < 1e-6


def test_nothing_jumps(rng):
    """Components are the same on both sides of where rows become many."""
    x = rng.normal(size=(5100, 2))
    few, many = (sh.independence_test(*x[:n].T).components for n in (4900, 5100))
    assert [one.name for one in few] == [one.name for one in many]
    names = [one.name for one in sh.independence_test(*x[:60].T).components]
    assert names == [one.name for one in many]


def test_many_rows_with_gaps(rng):
    """Against the rows that both have, at the widths of the rows that each has."""
    table = {name: column for name, column in tall_table(rng).items() if name in ("x", "weak", "label")}
    table["x"][:40] = np.nan
    table["weak"][30:90] = np.nan
    table["few"] = np.where(np.arange(5100) < 200, rng.normal(size=5100), np.nan)
    found = PairTests.of(read(table, missing="pairwise", pairwise=True)).pvalues(*EVERYTHING)
    rows = np.arange(90, 5100)
    whole = sh.independence_test(table["x"][rows], table["weak"][rows]).pvalue
    assert np.log(found[0, 1]) == pytest.approx(np.log(whole), rel=0.05)
    assert found[0, 1] < 0.05
    assert 0 < found[0, 3] < 1  # 160 common rows
    assert np.array_equal(found, found.T)


def test_what_is_refused(rng):
    with pytest.raises(ValueError, match="data: expected at least 6 rows, got 5"):
        PairTests.of(read(rng.normal(size=(5, 3))))
    tests = PairTests.of(read(rng.normal(size=(20, 3))))
    with pytest.raises(ValueError, match="rows: expected a slice of 3 variables"):
        tests.pvalues(slice(0, 4), slice(0, 3))
    with pytest.raises(TypeError, match="columns: expected a slice of 3 variables"):
        tests.pvalues(slice(0, 2), 1)
    with pytest.raises(TypeError, match="rows: expected a slice"):
        tests.pvalues(slice(0.5, 2), slice(0, 1))
    with pytest.raises(ValueError, match="kernel"):
        PairTests.of(read(rng.normal(size=(20, 3))), {"nobody": sh.kernels.Gaussian()})
    assert tests.pvalues(slice(1, 1), slice(0, 3)).shape == (0, 3)
