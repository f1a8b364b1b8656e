"""One table of formats: the same files are read at once and in chunks, or refused in words."""

import gzip
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shearer._files import read_files
from shearer._files.formats import (
    ARROW,
    ARROW_STREAM,
    EXCEL,
    FORMATS,
    PARQUET,
    TEXT,
    by_contents,
    by_name,
    check_chunks,
    chunk_suffixes,
    described,
)
from shearer.sketching import open_rows
from shearer.sketching.opened_rows import FileRows


@pytest.fixture
def frame(rng):
    return pl.DataFrame({"x": rng.normal(size=300), "k": rng.choice(["u", "v"], size=300)})


WRITERS = {
    ".parquet": pl.DataFrame.write_parquet,
    ".pq": pl.DataFrame.write_parquet,
    ".arrow": pl.DataFrame.write_ipc,
    ".ipc": pl.DataFrame.write_ipc,
    ".feather": pl.DataFrame.write_ipc,
    ".csv": pl.DataFrame.write_csv,
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".txt": lambda frame, path: frame.write_csv(path, separator="|"),
}


def test_no_suffix_and_no_mark_stands_twice():
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    marks = [mark for known in FORMATS for mark in known.marks]
    assert not [(a, b) for a in marks for b in marks if a != b and a.startswith(b)]


def test_every_suffix_that_chunks_are_read_from_is_tried_here():
    assert set(chunk_suffixes()) == set(WRITERS)


@pytest.mark.parametrize("suffix", WRITERS)
def test_at_once_and_in_chunks(frame, tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    WRITERS[suffix](frame, path)
    at_once = read_files(path).frame
    rows = open_rows(path)
    in_chunks = rows.sample(1000, seed=0)
    assert rows.names() == at_once.columns == frame.columns
    assert in_chunks.equals(at_once)
    assert by_name(path.name) is by_contents(path.read_bytes()[:8])


def test_names_and_contents():
    assert [by_name(name) for name in ("a.CSV", "b.csv.GZ", "c.pq", "d.ipc", "e.xls", "f.arrows")] == [
        TEXT,
        TEXT,
        PARQUET,
        ARROW,
        EXCEL,
        ARROW_STREAM,
    ]
    assert [by_name(name) for name in ("a", "b.dat", ".gz", "c.gz", "")] == [None] * 5
    assert by_contents(b"") is TEXT
    assert described("csv") == "csv, Parquet, Arrow or Excel"


@pytest.mark.parametrize("name", ["t.arrow", "t.feather", "t.ipc"])
def test_an_arrow_stream_in_chunks_is_refused_in_words(frame, tmp_path, name):
    path = tmp_path / name
    frame.write_ipc_stream(path)
    assert read_files(path).frame.equals(frame)
    with pytest.raises(ValueError, match=f"^{name}: expected a file that can be read in chunks, got an Arrow stream"):
        open_rows(path)
    frame.write_ipc_stream(tmp_path / "t.arrows")
    assert read_files(tmp_path / "t.arrows").frame.equals(frame)
    with pytest.raises(
        ValueError, match=r"expected a file called \*\.parquet.* Write it as an Arrow file or as Parquet"
    ):
        open_rows(tmp_path / "t.arrows")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_damaged_files_in_chunks_are_refused_in_words(frame, tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    WRITERS[suffix](frame, path)
    whole = path.read_bytes()
    for length in (0, 1, 6, 30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=rf"^t\{suffix}: expected a (complete )?file in the format of") as caught:
            open_rows(path).sample(5, seed=0)
        assert "\n" not in str(caught.value)
        with pytest.raises(ValueError, match=rf"^t\{suffix}: expected a (complete )?file in the format of"):
            open_rows(path).names()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_files_with_altered_bytes_never_end_in_an_error_of_the_library(frame, tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    WRITERS[suffix](frame, path)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(40):
        broken = bytearray(whole)
        start = int(rng.integers(8, len(whole) - 16))
        broken[start : start + 8] = rng.bytes(8)
        path.write_bytes(broken)
        for read in (read_files, lambda path: open_rows(path).sample(400, seed=0)):
            try:
                read(path)
            except ValueError as error:
                assert str(error).startswith(path.name + ": expected ")  # noqa: PT017 - either outcome is right


def test_a_file_that_is_damaged_after_it_was_opened(frame, tmp_path):
    frame.write_parquet(tmp_path / "t.parquet")
    rows = open_rows(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="expected a file in the format of Parquet, got other contents"):
        rows.sample(5, seed=0)
    frame.write_ipc_stream(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="expected a file in the format of Parquet, got other contents"):
        rows.names()


def test_compressed_files_in_chunks(frame, tmp_path):
    frame.write_parquet(tmp_path / "t.parquet")
    packed = tmp_path / "t.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    assert read_files(packed).frame.equals(frame)
    with pytest.raises(ValueError, match=r"got a compressed one\. Only text is read in chunks from compressed files"):
        open_rows(packed)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(frame.write_csv().encode()))
    assert open_rows(tmp_path / "t.csv.gz").sample(1000, seed=0).equals(frame)


def test_other_contents_than_the_name_says(frame, tmp_path):
    frame.write_parquet(tmp_path / "t.csv")
    assert read_files(tmp_path / "t.csv").frame.equals(frame)  # text promises nothing
    with pytest.raises(ValueError, match=r"t\.csv: expected text, got contents in the format of Parquet"):
        open_rows(tmp_path / "t.csv")
    frame.write_ipc(tmp_path / "t.parquet")
    for read in (read_files, open_rows):
        with pytest.raises(ValueError, match=r"t\.parquet: expected a file in the format of Parquet, got other"):
            read(tmp_path / "t.parquet")


def test_workbooks_are_read_into_memory(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="Other formats are read into memory"):
        open_rows(tmp_path / "t.xlsx")
    assert not EXCEL.in_chunks
    with pytest.raises(ValueError, match=r"t\.xlsx: expected a file that can be read in chunks"):
        check_chunks(tmp_path / "t.xlsx")


def test_names_with_signs_of_patterns(frame, tmp_path):
    path = tmp_path / "part[1].parquet"
    frame.write_parquet(path)
    assert FileRows.open((path,)).sample(1000, seed=0).equals(frame)


@contextmanager
def somebody_else():
    """Run as a user without rights to what is closed to others; root may read everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("read", [open_rows, read_files])
def test_files_that_may_not_be_read(read, suffix, frame):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / f"t.{suffix}"
        write = {"parquet": frame.write_parquet, "csv": frame.write_csv, "arrow": frame.write_ipc}[suffix]
        write(path)
        path.chmod(0)
        with somebody_else(), pytest.raises(ValueError, match=rf"t\.{suffix}: expected a file that can be read"):
            read(path)
