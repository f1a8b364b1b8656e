"""p-values of rows in chunks, files and Dask collections: those of the same rows in memory."""

import itertools

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer.data import read
from shearer.pairs.engine import PairTests
from shearer.pairs.limits import SPACED_ROWS
from shearer.pairs.rungs import spaced_rows
from shearer.sketching import PairSketch, open_rows

EVERY = slice(None)
CUTS = (0, 1, 700, 5000, 9400)


@pytest.fixture(scope="module")
def table():
    """More rows than widths come from: numbers, heavy tails, rounded and two-valued ones, and labels."""
    rng = np.random.default_rng(0)
    n = CUTS[-1]
    assert n > SPACED_ROWS
    x = rng.normal(size=n)
    return pl.DataFrame(
        {
            "normal": x,
            "square": x**2 + 20 * rng.normal(size=n),
            "heavy": rng.standard_t(2, size=n),
            "two": (0.05 * x + rng.normal(size=n) > 0).astype(float),
            "label": rng.choice(list("uvwxyz"), size=n, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05]),
            "rounded": np.round(rng.normal(size=n) + 0.02 * x),
        }
    )


@pytest.fixture(scope="module")
def in_memory(table):
    return PairTests.of(read(table)).pvalues(EVERY, EVERY)


def pieces(table):
    return [table[start:stop] for start, stop in itertools.pairwise(CUTS)]


def of_source(rows, count):
    """As a scan goes over a source: a sample with the rows of each part, those to find widths from, two passes."""
    _, counts = rows.counted(50, seed=3)
    assert sum(counts.values()) == count
    sketch = PairSketch.like(rows.spaced(counts), rows=count)
    return rows.add_to(rows.add_to(sketch).second_pass()).pvalues()


def close(found, expected):
    assert np.isfinite(expected).all()
    assert np.log(found) == pytest.approx(np.log(expected), abs=1e-8)


def test_chunks(table, in_memory):
    close(of_source(open_rows(lambda: iter(pieces(table))), len(table)), in_memory)


def test_files(table, in_memory, tmp_path):
    for place, piece in enumerate(pieces(table)):
        piece.write_parquet(tmp_path / f"{place}.parquet")
    close(of_source(open_rows(str(tmp_path / "*.parquet")), len(table)), in_memory)


def test_a_scan_of_chunks(table, in_memory):
    rows = open_rows(lambda: iter(pieces(table)))
    document = sh.scan(rows, top=0, progress=False).document
    names = table.columns
    assert len(document["pairs"]) == 15
    for pair in document["pairs"]:
        first, second = (names.index(name) for name in pair["variables"])
        assert np.log(pair["pvalue"]) == pytest.approx(np.log(in_memory[first, second]), abs=1e-8)


@pytest.mark.needs("distributed")
def test_dask(table, in_memory):
    import dask.dataframe

    collection = dask.dataframe.from_pandas(table.to_pandas(), npartitions=5)
    close(of_source(open_rows(collection), len(table)), in_memory)


def test_the_rows_that_widths_come_from(table):
    """Whatever the chunks are, the same rows; a chunk may have none of them."""
    chosen = table[spaced_rows(len(table), 10)]
    rows = open_rows(lambda: iter(pieces(table)))
    _, counts = rows.counted(5, seed=0)
    assert rows.spaced(counts, 10).equals(chosen)
    assert rows.spaced(counts).equals(table[spaced_rows(len(table))])


def test_rows_that_are_no_number():
    with pytest.raises(ValueError, match="rows: expected"):
        PairSketch.like(np.arange(40.0).reshape(20, 2), rows=0)
