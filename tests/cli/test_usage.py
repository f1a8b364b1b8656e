"""The command as a whole: help, usage, pipes, signals, and errors of one line."""

import json
import os
import signal
import subprocess
import sys

import networkx as nx
import numpy as np
import polars as pl
import pytest

import shearer
from cli.commands import COMMAND, failed_in_one_line, run
from report.hostile_documents import HOSTILE
from shearer import cli
from shearer.cli import main


def test_help_shows_commands_and_examples(call):
    result = call("--help")
    assert result.returncode == 0
    for words in ("scan", "test", "demo", "Examples"):
        assert words in result.stdout


@pytest.mark.parametrize("command", ["scan", "test", "demo"])
def test_help_of_each_command_has_examples(call, command):
    result = call(command, "--help")
    assert result.returncode == 0
    assert f"shearer {command}" in result.stdout.split("Examples:")[1]


def test_every_option_is_explained():
    from typer.main import get_command

    for command in get_command(cli.app).commands.values():
        for param in command.params:
            assert param.help, param.name


def test_version_of_the_installed_command():
    assert run("--version").stdout == f"shearer {shearer.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["scan"], ["test"]])
def test_without_arguments_there_is_help(call, arguments):
    assert "Usage" in call(*arguments).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["demo", "--rows", "3"],
        ["demo", "--seed", "x"],
        ["scan", "t.csv", "--order", "5"],
        ["scan", "t.csv", "--group", "position"],
        ["scan", "t.csv", "--group", "=x,y"],
        ["scan", "t.csv", "--group", "p=x", "--group", "p=y"],
        ["scan", "t.csv", "--kind", "x=continuous", "--kind", "x=categorical"],
        ["test", "t.csv", "a", "b", "--group", "p=x,y", "--group", "p=x,y"],
        ["scan", "t.csv", "--kind", "year"],
        ["scan", "t.csv", "--kind", "year=nominal"],
        ["scan", "t.csv", "--lags", "few"],
        ["scan", "t.csv", "--lags", "5..1"],
        ["scan", "t.csv", "--lags", "-1"],
        ["scan", "t.csv", "--lags", "0..99999999999"],
        ["scan", "t.csv", "--resume"],
        ["scan", "t.csv", "--limit", "-1"],
        ["test", "t.csv", "a"],
        ["test", "t.csv", "a", "b", "--level", "2"],
    ],
)
def test_wrong_usage(call, arguments):
    result = call(*arguments)
    assert result.returncode == 2
    assert "Usage" in result.stderr
    assert "Traceback" not in result.stderr


def test_hostile_names(call, tmp_path, rng):
    names = [name for name in HOSTILE if "\udc80" not in name]
    common = rng.integers(0, 2, size=60)
    table = pl.DataFrame({name: common + rng.integers(0, 2, size=60) for name in names})
    table.write_parquet(tmp_path / "t.parquet")
    options = ["--order", "2", "--top", "0", "--limit", "500", "--csv", tmp_path / "out.csv"]
    result = call("scan", tmp_path / "t.parquet", *options, "--graphml", tmp_path / "out.graphml")
    assert result.returncode == 0, result.stderr
    assert all(line.isprintable() for line in result.stdout.splitlines())
    assert nx.read_graphml(tmp_path / "out.graphml").number_of_nodes() == len(names)
    written = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    for column in ("first", "second"):
        assert not written[column].str.contains(r"^[=+\-@\t\r]").any()


def test_a_terminal_without_unicode(tmp_path, rng):
    table = pl.DataFrame(rng.normal(size=(40, 3)), schema=["größe", "体重", "y"])
    table.with_columns(pl.col("y") + pl.col("größe")).write_csv(tmp_path / "t.csv")
    result = run("scan", tmp_path / "t.csv", "--top", "0", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()
    assert "gr\\xf6\\xdfe" in result.stdout


@pytest.mark.parametrize(
    ("sign", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_interrupted(tmp_path, sign, code, word):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    # The pipe opens when the command reads.
    with subprocess.Popen([COMMAND, "scan", pipe], stderr=subprocess.PIPE, text=True) as process, pipe.open("w"):
        process.send_signal(sign)
        _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said == f"shearer: {word}\n"


def test_a_pipe_that_is_closed(planted):
    arguments = [COMMAND, "scan", planted, "--order", "2", "--top", "0"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        said = process.stderr.read()
        process.wait(timeout=60)
    assert "Traceback" not in said
    assert process.returncode == 1


def test_bugs_are_one_line_too(call, planted, monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("lost")

    monkeypatch.setattr(shearer, "scan", broken, raising=False)
    result = call("scan", planted)
    assert failed_in_one_line(result)
    assert "unexpected RuntimeError: lost. This is a bug" in result.stderr
    monkeypatch.setenv("SHEARER_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["shearer", "scan", str(planted)])
    with pytest.raises(RuntimeError):
        main()


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(call, tmp_path, rng):
    pl.DataFrame({"a": [f"{x:.5f}" for x in rng.normal(size=60)] + ["x"], "b": [*range(61)]}).write_csv(
        tmp_path / "t.csv"
    )
    result = call("test", tmp_path / "t.csv", "a", "b", "--quiet")
    assert result.returncode == 0
    assert result.stderr.startswith("shearer: warning: a: 60 of 61 different texts are numbers")
    assert result.stderr.count("\n") == 1
    assert "say --kind COL=label if labels are meant" in result.stderr
    assert "Delta" not in result.stderr


@pytest.fixture
def with_units(tmp_path, rng):
    rows = "".join(f"{i},{x:.4f},{100 * x:.1f}%,{y:.4f}\n" for i, (x, y) in enumerate(rng.normal(size=(40, 2))))
    (tmp_path / "t.csv").write_text(f"row,size,share,other\n0,cm,1%,mm\n{rows}")
    return tmp_path / "t.csv"


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "--drop", "row,share"],
        ["scan", "--stream", "--drop", "row,share"],
        ["test", "size", "other", "--kind", "size=continuous"],
        ["network", "--drop", "row,share", "--kind", "size=continuous"],
        ["outliers", "--drop", "row,share"],
    ],
)
@pytest.mark.filterwarnings("default")
def test_notes_stand_above_the_error_that_they_explain(call, with_units, arguments):
    result = call(arguments[0], with_units, *arguments[1:])
    *notes, error = result.stderr.splitlines()
    assert result.returncode == 1
    assert error.startswith("shearer: ")
    assert "note:" not in error
    for name, unit in (("size", "cm"), ("other", "mm")):
        assert (
            f"shearer: note: '{name}': 1 of 41 values are no numbers ('{unit}'), so the column is read as labels"
            in notes
        )
    assert not [note for note in notes if "'row'" in note or "'share'" in note]
    assert failed_in_one_line(call(arguments[0], with_units, *arguments[1:], "--quiet"))


def test_numbers_with_units_are_pointed_out(call, with_units):
    result = call("scan", with_units, "--columns", "share,size")
    assert "note: the unit % left out in 'share'" in result.stderr


def test_kinds_that_texts_cannot_have(call, with_units):
    for command in (("scan", with_units), ("test", with_units, "size", "other"), ("network", with_units)):
        result = call(*command, "--kind", "size=continuous", "--quiet")
        assert failed_in_one_line(result)
        assert "--kind: expected numbers in 'size', got 1 of 41 values that are none ('cm'). Mend them" in result.stderr


def test_notes_are_on_columns_that_are_used(call, tmp_path, rng):
    rows = "".join(f"{i},{x:.4f},{y:.4f},?\n" for i, (x, y) in enumerate(rng.normal(size=(30, 2))))
    (tmp_path / "t.csv").write_text(f"row,x,y,z\n{rows}")
    said = ("counts the rows", "'z': 30 of 30 values")
    for command, some in (
        ("scan", ["--top", "0"]),
        ("network", []),
        ("outliers", ["--subspaces", "1"]),
    ):
        for choice in (["--drop", "row,z"], ["--columns", "x,y"]):
            result = call(command, tmp_path / "t.csv", *some, *choice)
            assert result.returncode == 0, result.stderr
            assert not [words for words in said if words in result.stdout + result.stderr]
        assert said[0] in call(command, tmp_path / "t.csv", *some, "--drop", "z").stdout
    result = call("test", tmp_path / "t.csv", "x", "y")
    assert not [words for words in said if words in result.stdout + result.stderr]
    assert said[0] in call("test", tmp_path / "t.csv", "x", "row").stderr


@pytest.mark.parametrize("command", [("outliers",), ("network",), ("select", "price")], ids=" ".join)
def test_columns_that_number_the_rows_are_left_out(call, tmp_path, rng, command):
    """Whatever looks at all columns leaves them out, says so, and takes them where they are named."""
    size = rng.normal(size=80)
    numbered = np.delete(np.arange(100), np.s_[::5])
    table = {"no": numbered, "size": size, "price": size + rng.normal(size=80), "age": rng.integers(20, 70, size=80)}
    path = tmp_path / "table.csv"
    pl.DataFrame(table).write_csv(path)
    out = tmp_path / "out.json"
    name, *rest = command
    assert call(name, path, *rest, "--json", out).returncode == 0
    document = json.loads(out.read_text())
    assert "Left out: 'no' (counts the rows, 1 to 99 with gaps)" in " ".join(document["notes"])
    assert '"no"' not in json.dumps({**document, "notes": []})
    assert call(name, path, *rest, "--columns", "no,size,age", "--json", out).returncode == 0
    assert '"no"' in out.read_text()
