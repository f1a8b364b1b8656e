"""`shearer network`: what it prints and writes, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import networkx
import polars as pl
import pytest

from shearer.datasets import planted_table
from shearer.tools import DependenceNetwork

COMMAND = Path(sys.executable).parent / "shearer"


def run(*arguments):
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(
        [COMMAND, "network", *map(str, arguments)], capture_output=True, text=True, env=env, check=False
    )


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "table.csv"
    pl.DataFrame(planted_table(150).columns).rename({"noise_1": "-noise\x1b"}).write_csv(path)
    return path


def test_everything_is_written(table, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("dose\n\nnobody\n")
    places = {option: tmp_path / f"out.{option}" for option in ("json", "csv", "graphml", "arboreto")}
    outputs = [item for option, path in places.items() for item in (f"--{option}", path)]
    result = run(table, "--indirect", "clr", *outputs, "--regulators", names)
    assert result.returncode == 0
    assert "3 links between 11 variables, from 150 rows." in result.stdout
    assert "1 of 2 regulators are not among the columns" in result.stderr
    network = DependenceNetwork(indirect="clr").fit(pl.read_csv(table))
    document = json.loads(places["json"].read_text())
    assert [(edge["source"], edge["target"]) for edge in document["edges"]] == network.edges_.select(
        "source", "target"
    ).rows()
    assert [edge["weight"] for edge in document["edges"]] == pytest.approx(network.edges_["weight"].to_list())
    assert document["settings"]["indirect"] == "clr"
    assert pl.read_csv(places["csv"]).columns == network.edges_.columns
    graph = networkx.read_graphml(places["graphml"])
    assert set(graph.nodes) >= {"dose", "lamp", r"-noise\x1b"}
    assert graph.number_of_edges() == 3
    adjacencies = pl.read_csv(places["arboreto"], separator="\t")
    assert adjacencies.columns == ["TF", "target", "importance"]
    assert adjacencies["TF"].to_list() == ["dose"]


def test_options_reach_the_network(table):
    result = run(
        table, "--fdr", "none", "--top", "2", "--weight", "adjusted", "--missing", "error", "--width", "2 median"
    )
    assert result.returncode == 1
    assert "bandwidth" in result.stderr
    result = run(
        table, "--fdr", "none", "--top", "2", "--width", "0.5", "--columns", "dose,response,weight", "--csv", "-"
    )
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 3
    assert result.stdout.splitlines()[1].endswith(",,")  # no p-values
    quiet = run(table, "-q")
    assert (quiet.stdout, quiet.stderr) == ("", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--fdr", "many"], 2, "neither a number nor none"),
        (["--regulators", "names.txt"], 2, "needs --arboreto"),
        (["--weight", "size"], 1, "weight: expected one of"),
        (["--columns", "dose,nothing"], 1, "--columns: expected names among"),
        (["--columns", "dose"], 1, "at least 2 variables"),
        (["--missing", "pairwise", "--weight", "adjusted"], 1, "weight: expected alpha=2"),
        (["--arboreto", "out.tsv", "--regulators", "no-such-file"], 1, "no-such-file"),
    ],
)
def test_wrong_usage_is_one_line(table, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    result = run(table, *arguments)
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert message in result.stderr
