"""Names that are none, pipes, links in a circle and closed streams: the answer, or words."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import shearer as sh
from shearer._files import read_files
from shearer.cli.outputs import check_outputs
from shearer.sketching import open_rows


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    pl.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), schema=["x", "y"]).write_csv(path)
    return path


@pytest.mark.parametrize("read", [read_files, open_rows])
def test_a_name_that_is_too_long(read):
    with pytest.raises(ValueError, match="expected a file that can be read, got the error 'File name too long'"):
        read(f"{'x' * 5000}.csv")


@pytest.mark.parametrize("read", [read_files, open_rows])
def test_a_folder_is_no_file(read, tmp_path):
    with pytest.raises(ValueError, match="expected a file, got a folder"):
        read(tmp_path)


def test_chunks_of_a_pipe_are_refused_before_it_is_waited_for(tmp_path):
    """Chunks are read more than once: the second reading of a pipe would wait for ever."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="again and again, got a pipe or a device"):
        open_rows(pipe)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_changes_between_two_passes_is_told(tmp_path, suffix):
    """A scan in chunks passes over a file more than once: an answer from two states of it would be of neither."""
    path = tmp_path / f"table.{suffix}"
    frame = pl.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), schema=["x", "y"])
    write = frame.write_csv if suffix == "csv" else frame.write_parquet
    write(path)
    rows = open_rows(path)

    def count():
        return rows.fold(lambda chunks, _: sum(map(len, chunks)), sum, None, False)

    assert count() == 30
    write(path)
    os.utime(path, ns=(0, 1))
    with pytest.raises(ValueError, match="expected a file that stays as it is while it is read, got one that changed"):
        count()
    path.unlink()
    with pytest.raises(ValueError, match="expected"):
        count()


def test_links_in_a_circle(tmp_path, table):
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(ValueError, match="--json: expected the name of a file"):
        check_outputs({"--json": str(circle)}, [str(table)])
    check_outputs({"--json": str(tmp_path / "out.json")}, [str(circle)])  # for the reader to refuse
    with pytest.raises(ValueError, match="Too many levels of symbolic links"):
        read_files(circle)


def test_without_a_standard_error(monkeypatch, rng):
    """As under pythonw, where there is no console."""
    monkeypatch.setattr(sys, "stderr", None)
    found = sh.scan(rng.normal(size=(30, 3)), top=1)
    assert len(found.document["pairs"]) == 3


@pytest.mark.parametrize(
    ("streams", "code", "words"),
    [
        ("<&-", 1, "shearer: standard input: expected a table, got one that is closed.\n"),
        (">&-", 1, "shearer: --json: expected an open standard output, got one that is closed.\n"),
        ("2>&-", 0, ""),
    ],
)
def test_closed_streams(table, streams, code, words):
    source = "-" if streams == "<&-" else str(table)
    command = f'"{sys.executable}" -m shearer scan "{source}" --top 0 --json - {streams}'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, words)
    assert done.stdout.startswith("{") is (code == 0)


@pytest.mark.needs("torch")
def test_alignment_of_tensors_that_require_gradients(rng):
    import torch

    from shearer.neural import cka

    x, y = torch.tensor(rng.normal(size=(2, 20, 3)))
    assert cka(x.clone().requires_grad_(), y) == cka(x, y)


def test_more_lines_to_skip_than_there_are(table):
    """As many steps as lines were asked for were taken through an empty text."""
    with pytest.raises(ValueError, match="expected a table: a line of column names and at least one row"):
        read_files(table, skip_rows=10**21)
