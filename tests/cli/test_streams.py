"""`shearer scan` of files that are read in chunks, here and on a cluster."""

import json
from concurrent.futures import CancelledError
from contextlib import nullcontext
from unittest.mock import MagicMock

import numpy as np
import polars as pl
import pytest

from cli.commands import failed_in_one_line
from shearer.cli import chunked_files


@pytest.fixture
def parts(tmp_path, rng):
    x = rng.normal(size=3000)
    frame = pl.DataFrame({"x": x, "y": x**2 + rng.normal(size=3000), "z": rng.normal(size=3000), "id": np.arange(3000)})
    for place in range(3):
        frame[1000 * place : 1000 * (place + 1)].write_parquet(tmp_path / f"part-{place}.parquet")
        frame[1000 * place : 1000 * (place + 1)].write_csv(tmp_path / f"part-{place}.csv")
    return tmp_path


def scanned(call, *arguments):
    result = call("scan", *arguments, "--order", 2, "--top", 1, "--json", "-", "--drop", "id")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_files_in_chunks(call, parts):
    found = scanned(call, parts / "part-*.parquet", "--stream")
    assert found["settings"]["rows"] == 3000
    assert found["settings"]["source"] == "part-0.parquet and 2 more"
    assert [pair["variables"] for pair in found["pairs"] if pair["reported"]] == [["x", "y"]]
    assert "all 3,000 rows, read in chunks" in " ".join(found["notes"])
    text = scanned(call, *sorted(parts.glob("*.csv")), "--stream")
    for one, other in zip(found["pairs"], text["pairs"], strict=True):
        assert one["pvalue"] == pytest.approx(other["pvalue"], rel=1e-6)


def test_files_that_would_not_fit_are_read_in_chunks(call, parts, monkeypatch):
    assert "read in chunks" not in " ".join(scanned(call, parts / "part-*.parquet")["notes"])
    monkeypatch.setattr("shearer.cli.chunked_files.declared_needs", lambda lazy: 10**15)
    assert "read in chunks" in " ".join(scanned(call, parts / "part-*.parquet")["notes"])


def test_what_cannot_be_read_in_chunks(call, parts):
    for options, code, said in (
        (("part-0.parquet", "--stream", "--sheet", "first"), 2, "workbooks are not read in chunks"),
        (("-", "--stream"), 1, "standard input: expected files"),
        (("part-0.parquet", "--stream", "--lags", "0..2"), 1, "lags: expected rows in memory"),
        (("part-0.parquet", "--stream", "--drop", "nope"), 1, "--drop: expected names among"),
    ):
        file = options[0] if options[0] == "-" else parts / options[0]
        result = call("scan", file, *options[1:])
        assert result.returncode == code
        assert said in result.stderr


def test_files_that_chunks_cannot_be_read_from_are_refused_in_one_line(call, parts):
    """An Arrow stream, and files that were cut off: a sentence, not an error of the library."""
    pl.read_parquet(parts / "part-0.parquet").write_ipc_stream(parts / "stream.arrow")
    pl.read_parquet(parts / "part-0.parquet").write_ipc(parts / "cut.arrow")
    for name in ("part-0.parquet", "cut.arrow"):
        (parts / name).write_bytes((parts / name).read_bytes()[:-40])
    for name, said in (
        ("stream.arrow", "got an Arrow stream. Write it as an Arrow file or as Parquet"),
        ("part-0.parquet", "expected a complete file in the format of Parquet, got one that is damaged"),
        ("cut.arrow", "expected a complete file in the format of Arrow, got one that is damaged"),
    ):
        result = call("scan", parts / name, "--stream")
        assert failed_in_one_line(result)
        assert said in result.stderr


def test_text_is_read_by_the_same_rules_in_chunks(call, tmp_path, rng):
    day = pl.Series(np.datetime64("2024-01-01") + np.arange(200))
    size = [f"{x:.2f}".replace(".", ",") for x in rng.normal(size=200)]
    frame = pl.DataFrame({"größe": ["?", *size[1:]], "tag": day, "x": np.arange(200) % 7 + rng.normal(size=200)})
    frame = frame.with_columns(pl.col("x").round(3).cast(pl.String).str.replace(".", ",", literal=True))
    path = tmp_path / "t.csv"
    path.write_bytes(frame.write_csv(separator=";").replace("x\n", "größe\n", 1).encode("cp1252"))
    options = ("scan", path, "--order", 2, "--top", 0, "--json", "-")
    whole, found = (json.loads(call(*options, *more).stdout) for more in ((), ("--stream",)))
    names = ["größe", "tag", "größe (2)"]
    for document in (whole, found):
        assert [(column["name"], column["kind"]) for column in document["columns"]] == [
            (name, "continuous") for name in names
        ]
        notes = " ".join(document["notes"])
        for words in ("decimal commas", "read as missing", "numbered: 'größe'", "read as Windows-1252"):
            assert words in notes


@pytest.mark.needs("distributed")
@pytest.mark.filterwarnings("default")
def test_a_cluster_of_that_address(call, parts):
    import dask
    import distributed

    local = scanned(call, parts / "part-*.parquet", "--stream")
    with (
        # New processes have the libraries loaded.
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
    ):
        found = scanned(call, parts / "part-*.parquet", "--scheduler", cluster.scheduler_address)
    assert found["pairs"] == local["pairs"]


@pytest.mark.needs("distributed")
def test_no_cluster_at_that_address(call, parts, monkeypatch):
    monkeypatch.setattr("shearer.cli.chunked_files.PATIENCE", "1s")
    result = call("scan", parts / "part-0.parquet", "--scheduler", "tcp://127.0.0.1:9")
    assert result.returncode == 2
    assert "no cluster answers at" in result.stderr


@pytest.mark.parametrize("ending", [CancelledError(), OSError("ConnectionPool closing."), RuntimeError("closed")])
def test_a_cluster_that_is_lost_is_told_in_words(monkeypatch, ending):
    client = MagicMock(status="closed")
    client.__enter__.return_value, client.__exit__.return_value = client, False
    monkeypatch.setattr(chunked_files, "load", lambda *_: MagicMock(Client=lambda *_, **__: client))
    monkeypatch.setattr("joblib.parallel_config", lambda **_: nullcontext())
    with (
        pytest.raises(ConnectionError, match=r"the cluster at tcp://a was lost\. Start one and run again"),
        chunked_files.connected("tcp://a"),
    ):
        raise ending
    client.status = "running"  # then it is another error
    if not isinstance(ending, CancelledError):
        with pytest.raises(type(ending), match=str(ending)), chunked_files.connected("tcp://a"):
            raise ending
