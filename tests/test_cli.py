"""The installed command: output, exit codes, one-line errors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shearer.datasets import planted_table
from shearer.demo import demonstrate

COMMAND = Path(sys.executable).parent / "shearer"


def run(*arguments, **environment):
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, env=env, check=False)


def test_help_shows_commands_and_examples():
    result = run("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout
    assert "Examples" in result.stdout


def test_version():
    import shearer

    assert run("--version").stdout == f"shearer {shearer.__version__}\n"


def test_no_command_shows_help():
    assert "Usage" in run().stdout


def test_demo_finds_what_was_planted(tmp_path):
    picture = tmp_path / "demo.svg"
    result = run("demo", "--svg", str(picture))
    assert result.returncode == 0
    assert result.stderr == ""
    for word in ("dose", "ring", "species", "lamp", "planted against found"):
        assert word in result.stdout
    assert "no " not in [line.split("│")[-2].strip() for line in result.stdout.splitlines() if line.startswith("│")]
    assert "https://cdn" not in picture.read_text()


def test_same_seed_same_output():
    first, second, other = (run("demo", "--rows", "50", "--seed", seed).stdout for seed in ("3", "3", "4"))
    assert first == second
    assert first != other


@pytest.mark.parametrize("arguments", [["demo", "--rows", "3"], ["demo", "--seed", "x"], ["nonsense"]])
def test_wrong_usage(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_an_error_is_one_line(tmp_path):
    result = run("demo", "--rows", "50", "--svg", str(tmp_path / "no" / "such" / "folder.svg"))
    assert result.returncode == 1
    assert result.stderr.startswith("shearer: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("seed", range(3))
def test_demonstration(seed):
    result = demonstrate(rows=120, seed=seed)
    planted = {frozenset(names) for names in (*result.planted.pairs, *result.planted.triples)}
    assert {frozenset(finding.names) for finding in result.findings} == planted


def test_planted_table_honours_its_seed():
    first, same, other = planted_table(50, rng=1), planted_table(50, rng=1), planted_table(50, rng=2)
    assert all((first.columns[name] == same.columns[name]).all() for name in first.columns)
    assert (first.columns["dose"] != other.columns["dose"]).any()
    assert ((first.columns["switch_a"] ^ first.columns["switch_b"]) == first.columns["lamp"]).all()
