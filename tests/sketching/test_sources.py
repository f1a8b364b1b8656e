"""Rows from files, Dask collections and functions: each gives the sketch of the rows in memory."""

import gzip
import pickle
from datetime import date

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer import ToleranceError
from shearer.sketching import PairSketch, file_rows, open_rows


@pytest.fixture
def frame(rng):
    x = rng.normal(size=3000)
    return pl.DataFrame(
        {
            "x": x,
            "y": x**2 + rng.normal(size=3000),
            "k": rng.choice(["u", "v"], size=3000),
            "day": np.datetime64("2020-01-01") + rng.integers(0, 100, size=3000),
        }
    )


@pytest.fixture
def parts(frame, tmp_path):
    for place in range(3):
        piece = frame[1000 * place : 1000 * (place + 1)]
        piece.write_parquet(tmp_path / f"part-{place}.parquet")
        piece.write_csv(tmp_path / f"part-{place}.csv")
        piece.write_csv(tmp_path / f"part-{place}.tsv", separator="\t")
        piece.write_ipc(tmp_path / f"part-{place}.arrow")
    return tmp_path


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow", "tsv"])
def test_files_equal_rows_in_memory(frame, parts, suffix, monkeypatch):
    monkeypatch.setattr(file_rows, "CHUNK_ROWS", 256)
    options = {"measures": ("total_correlation",), "columns": ["x", "y", "k"]}
    found = sh.Sketch.of(str(parts / f"part-*.{suffix}"), **options)
    assert found.rows == 3000
    whole = found.empty()
    whole.update(frame.select("x", "y", "k"))
    assert found.total_correlation().value == pytest.approx(whole.total_correlation().value, abs=1e-11)


def test_times_in_files_are_counted_from_one_moment(frame, parts):
    found = sh.Sketch.of(str(parts / "part-*.parquet"), measures=("entropy",), columns=["day"])
    whole = sh.entropy(frame["day"], kernel=found.kernels["day"])
    assert found.entropy().lower <= whole <= found.entropy().upper


def test_text_is_looked_through_once_and_its_rules_travel(tmp_path):
    (tmp_path / "part-0.csv").write_text("day;size;size\n2024-01-31;1,5;a\n2024-02-01;?;b\n")
    (tmp_path / "part-1.csv.gz").write_bytes(gzip.compress(b"day,size,size\n2024-02-02,2,c\n"))
    pl.DataFrame({"day": [date(2024, 2, 3)], "size": [4.0], "size (2)": ["d"]}).write_parquet(tmp_path / "p.parquet")
    paths = [tmp_path / "part-0.csv", tmp_path / "part-1.csv.gz", tmp_path / "p.parquet"]
    rows = pickle.loads(pickle.dumps(open_rows(paths)))
    assert rows.names() == ["day", "size", "size (2)"]
    drawn = rows.sample(10, seed=0)
    first = (date(2024, 1, 31) - date(1970, 1, 1)).days
    assert drawn.rows() == [(first, 1.5, "a"), (first + 1, None, "b"), (first + 2, 2.0, "c"), (first + 3, 4.0, "d")]
    assert [word for note in rows.notes for word in ("twice", "missing", "commas") if word in note] == [
        "twice",
        "missing",
        "commas",
    ]
    assert open_rows(paths[2]).notes == ()
    (tmp_path / "t.dat").write_text("1:2\n3:4\n")
    assert open_rows(tmp_path / "t.dat", separator=":", header=False).sample(5, seed=0).rows() == [(1, 2), (3, 4)]


def test_text_that_changes_after_it_was_opened(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    rows = open_rows(path)
    path.write_text("a,b\n1,x\n")
    with pytest.raises(ValueError, match=r"t\.csv: expected a file that can be read"):
        rows.sample(5, seed=0)


def test_a_list_of_paths_and_threads(parts, monkeypatch):
    monkeypatch.setattr(file_rows, "CHUNK_ROWS", 500)
    paths = sorted(parts.glob("part-*.parquet"))
    one, two = (
        sh.Sketch.of(paths, measures=("mutual_information",), columns=["x", "y"], n_jobs=jobs) for jobs in (None, 2)
    )
    assert one.mutual_information() == two.mutual_information()


def test_a_tolerance_is_met_by_further_passes_or_refused(parts):
    source = str(parts / "part-*.parquet")
    options = {"measures": ("mutual_information",), "columns": ["x", "y"]}
    close = sh.Sketch.of(source, tol=1e-6, **options)
    assert close.widest <= 1e-6
    with pytest.raises(ToleranceError, match=r"tol: expected entropies within 1e-08 bits, got bounds .* landmarks"):
        sh.Sketch.of(source, tol=1e-8, rank=20, **options)


def test_samples_are_drawn_from_all_rows_alike(frame, parts, monkeypatch):
    monkeypatch.setattr(file_rows, "CHUNK_ROWS", 100)
    rows = open_rows(str(parts / "part-*.parquet"))
    drawn = rows.sample(300, seed=0)
    assert len(drawn) == 300
    assert drawn.equals(rows.sample(300, seed=0))
    assert not drawn.equals(rows.sample(300, seed=1))
    places = [frame["x"].to_list().index(x) // 1000 for x in drawn["x"]]
    assert min(np.bincount(places)) > 70
    assert len(set(drawn["x"])) == 300
    assert len(rows.sample(10**6, seed=0)) == 3000


def test_chunks_of_a_function(rng):
    def chunks():
        own = np.random.default_rng(5)
        for _ in range(6):
            x = own.normal(size=200)
            yield np.column_stack([x, x + own.normal(size=200)])

    found = sh.Sketch.of(chunks, measures=("mutual_information",))
    whole = found.empty()
    whole.update(np.concatenate(list(chunks())))
    assert found.rows == 1200
    assert found.mutual_information().value == pytest.approx(whole.mutual_information().value, abs=1e-12)
    with pytest.raises(ValueError, match="at least one chunk"):
        sh.Sketch.of(lambda: iter(()))


@pytest.mark.needs("dask")
@pytest.mark.parametrize("columns_cut", [False, True])
def test_dask_arrays_partition_by_partition(rng, columns_cut):
    import dask.array as da

    x = rng.normal(size=(2000, 3))
    x[:, 2] += x[:, 0]
    cut = da.from_array(x, chunks=(300, 1 if columns_cut else 3))
    found = sh.Sketch.of(cut, measures=("total_correlation",))
    whole = found.empty()
    whole.update(x)
    assert found.rows == 2000
    assert found.total_correlation().value == pytest.approx(whole.total_correlation().value, abs=1e-12)


@pytest.mark.needs("dask")
def test_dask_dataframes_partition_by_partition(frame):
    import dask.dataframe as dd

    plain = frame.drop("day").to_pandas()
    found = sh.Sketch.of(dd.from_pandas(plain, npartitions=5), measures=("total_correlation",))
    whole = found.empty()
    whole.update(plain)
    assert found.total_correlation().value == pytest.approx(whole.total_correlation().value, abs=1e-12)
    pairs = PairSketch.like(plain)
    rows = open_rows(dd.from_pandas(plain, npartitions=4))
    second = rows.add_to(rows.add_to(pairs).second_pass())
    local = pairs.empty()
    local.update(plain)
    local = local.second_pass()
    local.update(plain)
    assert np.allclose(second.pvalues(), local.pvalues(), rtol=1e-6)


@pytest.mark.needs("dask")
def test_a_scan_of_a_dask_array(rng):
    import dask.array as da

    x = rng.normal(size=(4000, 4))
    x[:, 3] = x[:, 0] ** 2 + x[:, 3]
    x[:, 1] = 7.0
    found = sh.scan(da.from_array(x, chunks=(500, 4)), order=2, top=1, max_rows=1000)
    document = found.document
    assert document["settings"]["rows"] == 4000
    assert [pair["variables"] for pair in document["pairs"] if pair["reported"]] == [["x1", "x4"]]
    assert "all 4,000 rows" in " ".join(document["notes"])
    assert any("Left out: 'x2'" in note for note in document["notes"])


def test_what_is_no_source_is_refused(parts, rng):
    with pytest.raises(TypeError, match="source: expected files, a query, a Dask collection or a function"):
        sh.Sketch.of(rng.normal(size=(100, 2)))
    with pytest.raises(ValueError, match="a pattern that matches some file"):
        sh.Sketch.of(str(parts / "none-*.parquet"))
    with pytest.raises(ValueError, match="no such file"):
        sh.Sketch.of(str(parts / "none.parquet"))
    (parts / "table.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="Other formats are read into memory"):
        sh.Sketch.of(parts / "table.xlsx")
    (parts / "broken.parquet").write_bytes((parts / "part-0.parquet").read_bytes()[:200])
    with pytest.raises(ValueError, match=r"broken\.parquet: expected a complete file in the format of Parquet"):
        sh.Sketch.of(parts / "broken.parquet")
    with pytest.raises(ValueError, match="columns: expected names among"):
        sh.Sketch.of(parts / "part-0.parquet", columns=["x", "nope"])


def test_a_scan_says_how_text_was_read(tmp_path, rng):
    x = rng.normal(size=60)
    lines = [f"{a:.4f};{b:.4f}".replace(".", ",") for a, b in zip(x, x**2, strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(["size;area", *lines, "?;1,5"]) + "\n")
    notes = sh.scan(open_rows(tmp_path / "table.csv"), order=2, top=0).document["notes"]
    assert notes[0] == "'size': 1 of 61 values are one of '?', '-', '.', read as missing"
    assert "decimal commas read in 'size', 'area'" in notes
