"""Queries and streams, read in chunks: the rows, and the results of a scan, are those of the same rows in memory."""

import gc
import tempfile
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer.sketching import file_rows, open_rows

KINDS = [
    "LazyFrame",
    pytest.param("relation", marks=[pytest.mark.needs("duckdb"), pytest.mark.needs("pyarrow")]),
    pytest.param("reader", marks=pytest.mark.needs("pyarrow")),
]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(4)
    x = rng.normal(size=900)
    return pl.DataFrame(
        {
            "x": x,
            'odd "name"': x**2 + rng.normal(size=900),
            "label": np.where(x + rng.normal(size=900) > 0, "up", "down"),
            "count": rng.integers(0, 7, size=900),
        }
    )


def opened(kind, frame):
    if kind == "LazyFrame":
        return frame.lazy()
    if kind == "relation":
        import duckdb

        return duckdb.from_arrow(frame.to_arrow())
    table = frame.to_arrow()
    return table.to_reader(max_chunksize=250)


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(file_rows, "CHUNK_ROWS", 128)


@pytest.fixture
def left_behind(tmp_path, monkeypatch):
    """Names of temporary files, in a folder that no other process writes to."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def names():
        gc.collect()
        return [path.name for path in tmp_path.iterdir()]

    return names


@pytest.mark.parametrize("kind", KINDS)
def test_rows_can_be_gone_over_again_and_some_columns_chosen(kind, frame, small_chunks):
    rows = open_rows(opened(kind, frame))
    assert max(len(chunk) for chunk in rows.begin()) <= 128
    for _ in range(2):
        assert pl.concat(rows.begin()).equals(frame)
    some = ['odd "name"', "count"]
    assert open_rows(opened(kind, frame), some).sample(2000, seed=0).equals(frame.select(some))
    with pytest.raises(ValueError, match=r"columns: expected names among 'x', .* got 'q'"):
        open_rows(opened(kind, frame), ["q"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_of_a_query_is_that_of_its_rows(kind, frame, small_chunks):
    in_memory = sh.scan(frame, order=2, top=0, progress=False).document["pairs"]
    found = sh.scan(opened(kind, frame), order=2, top=0, progress=False).document
    assert found["settings"]["rows"] == 900
    assert found["settings"]["source"] == open_rows(opened(kind, frame)).name
    by_names = {tuple(pair["variables"]): pair for pair in found["pairs"]}
    assert len(by_names) == len(in_memory) == 6
    for pair in in_memory:
        own = by_names[tuple(pair["variables"])]
        assert np.log(own["pvalue"]) == pytest.approx(np.log(pair["pvalue"]), abs=1e-8)
        assert own["strength"] == pytest.approx(pair["strength"], abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_other_functions_say_how_to_bring_it_into_memory(kind, frame):
    call = {"LazyFrame": "collect", "relation": "pl", "reader": "read_all"}[kind]
    with pytest.raises(TypeError, match=rf"a table in memory, got a lazy one\. Call \.{call}\(\) on it first; scan"):
        sh.pairwise(opened(kind, frame))
    in_memory = getattr(opened(kind, frame), call)()
    assert sh.pairwise(in_memory).names == tuple(frame.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows(kind, frame):
    with pytest.raises(ValueError, match=r"expected .* got none"):
        sh.scan(opened(kind, frame[:0]))


def test_options_that_need_rows_in_memory(frame):
    for options in ({"lags": [0, 1]}, {"cluster": "label"}, {"given": "x"}, {"difference": True}):
        with pytest.raises(ValueError, match="expected rows in memory, got a source that is read in chunks"):
            sh.scan(frame.lazy(), **options)


def test_sketches_take_queries(frame, small_chunks):
    found = sh.Sketch.of(frame.lazy(), measures=("mutual_information",), columns=["x", "count"])
    whole = found.empty()
    whole.update(frame.select("x", "count"))
    assert found.rows == 900
    assert found.mutual_information().value == pytest.approx(whole.mutual_information().value, abs=1e-12)


def test_moments_finer_than_a_float_tells_apart(small_chunks):
    first = datetime(2024, 5, 1)
    times = [first + timedelta(hours=hour) for hour in range(200)]
    frame = pl.DataFrame({"at": times, "value": [float(hour % 24) for hour in range(200)]})
    fine = frame.with_columns(pl.col("at").dt.cast_time_unit("ns"), took=pl.duration(nanoseconds=pl.col("value")))
    fine = fine.with_columns(pl.col("took").dt.cast_time_unit("ns"))
    drawn = open_rows(fine.lazy()).sample(200, seed=0)
    assert drawn["at"].to_list() == frame["at"].to_physical().to_list()
    assert drawn["took"].dtype == pl.Int64


@pytest.mark.needs("pyarrow")
def test_the_temporary_file_of_a_reader_goes(frame, left_behind):
    rows = open_rows(opened("reader", frame))
    assert len(left_behind()) == 1
    del rows
    assert left_behind() == []
    reader = opened("reader", frame)
    sh.scan(reader, order=2, top=0, progress=False)
    with pytest.raises(ValueError, match=r"record batches with rows, got none\. A reader can be gone over once"):
        open_rows(reader)
    assert left_behind() == []


@pytest.mark.needs("pyarrow")
def test_a_reader_that_fails_leaves_nothing(frame, left_behind):
    import pyarrow as pa

    def batches():
        yield from frame.to_arrow().to_batches()
        raise OSError("the line is down")

    with pytest.raises(OSError, match="the line is down"):
        open_rows(pa.RecordBatchReader.from_batches(frame.to_arrow().schema, batches()))
    assert left_behind() == []


@pytest.mark.needs("pyarrow")
def test_types_that_cannot_be_read():
    import pyarrow as pa

    table = pa.table({"wait": pa.array([pa.scalar((1, 2, 3), pa.month_day_nano_interval())] * 9), "x": range(9)})
    with pytest.raises(ValueError, match=r"source: expected columns of types that polars reads, got .* cast it"):
        open_rows(table.to_reader()).sample(5, seed=0)


@pytest.mark.needs("pyarrow")
def test_labels_whose_dictionary_changes_from_batch_to_batch():
    import pyarrow as pa

    parts = [pa.array(list(text)).dictionary_encode() for text in ("aab", "cca", "bbb")]
    batches = [pa.record_batch({"label": part}) for part in parts]
    rows = open_rows(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
    assert rows.sample(9, seed=0)["label"].cast(pl.String).to_list() == list("aabccabbb")


@pytest.mark.needs("duckdb")
@pytest.mark.needs("pyarrow")
def test_types_of_a_database():
    import duckdb

    query = """
        select sin(i) as x, (sin(i) * 100)::decimal(10, 2) as money, sum(i) over (order by i) as total,
            date '2020-01-01' + i::int as day, i % 3 = 0 as third, ('u' || i % 2)::enum('u0', 'u1') as kind
        from range(60) numbers(i)
    """
    document = sh.scan(duckdb.sql(query), order=2, top=0, progress=False).document
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds["money"] == kinds["total"] == kinds["day"] == "continuous"
    assert kinds["third"] == kinds["kind"] == "categorical"
