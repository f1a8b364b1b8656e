"""Tables of results, refusals, and the bar."""

import io
import sys

import numpy as np
import pytest

from screening.tables import mixed
from shearer import _progress
from shearer._memory import MemoryBudgetError
from shearer.screening import pairwise, triples


def test_polars_by_default():
    import polars as pl

    m = pairwise(mixed())
    long, wide = m.to_frame(), m.to_frame("wide")
    assert isinstance(long, pl.DataFrame)
    assert long.columns == ["first", "second", "value", "joint"]
    assert long.height == 9 * 8 // 2
    row = long.row(by_predicate=(pl.col("first") == "x") & (pl.col("second") == "ties"))
    assert row[2:] == (m.value[0, 3], m.joint[0, 3])
    assert wide.columns == ["name", *m.names]
    assert wide["name"].to_list() == list(m.names)
    assert np.array_equal(wide.drop("name").to_numpy(), m.value)


def test_a_variable_called_name():
    m = pairwise({"name": [1.0, 2.0, 3.0], "b": [1.0, 5.0, 3.0]})
    assert m.to_frame("wide").columns == ["name (2)", "name", "b"]


@pytest.mark.needs("pandas")
def test_pandas_gives_pandas():
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": list("xyxy"), "c": [1.0, None, 3.0, 2.0]})
    m = pairwise(frame, missing="pairwise")
    assert isinstance(m.to_frame("wide"), pd.DataFrame)
    long = m.to_frame()
    assert long["rows"].tolist() == [4, 3, 3]
    assert long["first"].tolist() == ["a", "a", "b"]
    assert isinstance(pairwise(frame["a"], frame["b"]).to_frame(), pd.DataFrame)
    assert isinstance(pairwise({"a": frame["a"], "b": frame["b"]}).to_frame(), pd.DataFrame)
    assert isinstance(triples(frame, missing="drop").to_frame(), pd.DataFrame)


@pytest.mark.needs("pyarrow")
def test_pyarrow_gives_pyarrow():
    import pyarrow as pa

    frame = pa.table({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    assert isinstance(pairwise(frame).to_frame(), pa.Table)
    assert isinstance(pairwise(frame).to_frame("wide"), pa.Table)


def test_bad_layout():
    with pytest.raises(ValueError, match="layout: expected one of 'long', 'wide'"):
        pairwise([1.0, 2.0], [2.0, 1.0]).to_frame("square")


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"alpha": -1}, ValueError, "alpha: expected"),
        ({"normalize": "maximum"}, ValueError, "normalize: expected"),
        ({"normalize": 1}, ValueError, "normalize: expected"),
        ({"missing": "skip"}, ValueError, "missing: expected one of 'error', 'drop', 'pairwise'"),
        ({"dtype": "float16"}, ValueError, "dtype: expected one of 'float64', 'float32'"),
        ({"dtype": int}, ValueError, "dtype: expected"),
        ({"memory": "lots"}, ValueError, "memory: expected"),
        ({"kernel": "gaussian"}, TypeError, "kernel: expected a kernel"),
        ({"kernel": {"z": None}}, ValueError, "kernel: expected names among"),
        ({"groups": {"g": ["z"]}}, ValueError, "groups: expected names among"),
        ({"n_jobs": 0}, ValueError, "n_jobs: expected"),
        ({"n_jobs": "two"}, TypeError, "n_jobs: expected"),
    ],
)
def test_bad_options(rng, options, error, text):
    with pytest.raises(error, match=text):
        pairwise({"a": rng.normal(size=9), "b": rng.normal(size=9)}, **options)


def test_one_variable_is_no_pair(rng):
    with pytest.raises(ValueError, match="data: expected at least 2 variables, got 1"):
        pairwise(rng.normal(size=9))
    with pytest.raises(TypeError, match="data: expected at least one variable"):
        pairwise()


def test_misspelt_options_are_errors(rng):
    with pytest.raises(TypeError):
        pairwise(rng.normal(size=(9, 2)), aplha=1)


@pytest.mark.parametrize("alpha", [1, 2])
def test_memory_is_refused_before_it_is_taken(alpha, monkeypatch):
    x = np.arange(20 * 3000.0).reshape(20, 3000)
    monkeypatch.setattr(np, "empty", _no_large(np.empty))
    monkeypatch.setattr(np, "zeros", _no_large(np.zeros))
    with pytest.raises(MemoryBudgetError, match=r"shards=folder; target=; dtype"):
        pairwise(x, alpha=alpha, memory="100MB")


def _no_large(make):
    def checked(shape, *args, **options):
        assert np.prod(shape) < 10**6, f"allocated {shape}"
        return make(shape, *args, **options)

    return checked


def test_small_memory_takes_small_tiles(rng):
    x = rng.normal(size=(60, 30))
    assert np.allclose(pairwise(x, memory="6MB").value, pairwise(x).value, atol=1e-13)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_no_bar_for_quick_work(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(_progress.track(range(3), 3, "counting", True)) == [0, 1, 2]
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize(
    ("enabled", "terminal", "seen"), [(None, True, True), (None, False, False), (True, False, True)]
)
def test_bar_for_slow_work(monkeypatch, enabled, terminal, seen):
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "PATIENCE_SECONDS", -1.0)
    assert list(_progress.track(range(5), 5, "counting", enabled)) == list(range(5))
    assert ("counting" in stream.getvalue()) == seen


def test_lines_where_stderr_is_no_terminal(monkeypatch, capsys):
    """A line when one is due, of the share that is done and the time left; none at the end, or if not wanted."""
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: float(next(clock)))
    assert list(_progress.track(range(5), 5, "counting")) == list(range(5))
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.splitlines() == [
        "shearer: counting, 40 %, about 12 s left",
        "shearer: counting, 80 %, about 4 s left",
    ]
    list(_progress.track(range(5), 5, "counting", False))
    assert capsys.readouterr().err == ""


def test_bar_ends_with_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(_progress, "PATIENCE_SECONDS", -1.0)

    def fail():
        yield 1
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        list(_progress.track(fail(), 2, "counting", True))
    # a second bar can open: the first one was closed
    assert list(_progress.track(range(2), 2, "counting", True)) == [0, 1]


def test_bars_of_all_routes(monkeypatch, tmp_path):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "PATIENCE_SECONDS", -1.0)
    table = mixed(20)
    for options in ({}, {"alpha": 1}, {"shards": tmp_path / "new"}):
        pairwise(table, progress=True, **options)
    triples(table, progress=True)
    for label in ("pairs", "entropies", "blocks", "triples"):
        assert label in stream.getvalue()


def test_pictures(rng):
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    x = rng.normal(size=(40, 3))
    x[:, 2] = x[:, 0]
    m = pairwise(x)
    assert {text.get_text() for text in m.plot().get_xticklabels()} == {"x1", "x2", "x3"}
    names = {text.get_text() for text in m.plot("network").texts}
    assert {"x1", "x2", "x3"} <= names
    with pytest.raises(ValueError, match="kind: expected one of"):
        m.plot("graph")
    with pytest.raises(ValueError, match='kind: expected "heatmap" with targets'):
        pairwise(x[:, :2], target=x[:, 2]).plot("network")
    plt.close("all")
