"""`shearer network`: what it prints and writes, and what it refuses."""

import json
import warnings
from pathlib import Path

import networkx
import polars as pl
import pytest

from shearer.cli import main
from shearer.datasets import planted_table
from shearer.tools import DependenceNetwork


@pytest.fixture
def run(monkeypatch, capfd):
    """The command in this process: its exit code, and what it printed."""

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["shearer", "network", *map(str, arguments)])
        monkeypatch.setattr("warnings.showwarning", warnings.showwarning)  # which the command replaces
        monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code, *capfd.readouterr()

    return call


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "table.csv"
    pl.DataFrame(planted_table(150).columns).rename({"noise_1": "-noise\x1b"}).write_csv(path)
    return path


def test_everything_is_written(run, table, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("dose\n\nnobody\n")
    places = {option: tmp_path / f"out.{option}" for option in ("json", "csv", "graphml", "arboreto")}
    outputs = [item for option, path in places.items() for item in (f"--{option}", path)]
    code, printed, said = run(table, "--indirect", "clr", "--fdr", "0.001", *outputs, "--regulators", names)
    assert code == 0
    assert "1 link between 11 variables, from 150 rows." in printed
    assert "1 of 2 regulators are not among the columns" in said
    network = DependenceNetwork(indirect="clr", fdr=0.001, regulators=["dose"]).fit(pl.read_csv(table))
    document = json.loads(places["json"].read_text())
    assert [(edge["source"], edge["target"]) for edge in document["edges"]] == network.edges_.select(
        "source", "target"
    ).rows()
    assert [edge["weight"] for edge in document["edges"]] == pytest.approx(network.edges_["weight"].to_list())
    assert document["settings"]["indirect"] == "clr"
    assert document["settings"]["regulators"] == ["dose"]
    assert pl.read_csv(places["csv"]).columns == network.edges_.columns
    graph = networkx.read_graphml(places["graphml"])
    assert set(graph.nodes) >= {"dose", "lamp", r"-noise\x1b"}
    assert graph.number_of_edges() == 1
    adjacencies = pl.read_csv(places["arboreto"], separator="\t")
    assert adjacencies.columns == ["TF", "target", "importance"]
    assert adjacencies["TF"].to_list() == ["dose"]


def test_options_reach_the_network(run, table):
    code, _, said = run(table, "--weight", "adjusted", "--missing", "error", "--width", "2 median")
    assert code == 1
    assert "bandwidth" in said
    columns = "dose,response,weight"
    code, printed, _ = run(table, "--fdr", "none", "--top", "2", "--width", "0.5", "--columns", columns, "--csv", "-")
    assert code == 0
    assert len(printed.splitlines()) == 3
    assert printed.splitlines()[1].endswith(",,")  # no p-values
    assert run(table, "-q") == (0, "", "")
    code, printed, _ = run(table, "--preset", "expression", "--stability", "3", "--top", "2", "--indirect", "none")
    assert code == 0
    assert "stability" in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "share of what a copy would tell"),
        (("--weight", "strength"), "on the scale of a correlation"),
        (("--weight", "pvalue"), "-log10 of p"),
        (("--weight", "adjusted"), "1 for copies"),
        (("--preset", "paper"), "mutual information I* of order 1.01"),
        (("--preset", "expression"), "mean of two ranks"),
        (("--indirect", "clr"), "in standard deviations"),
        (("--stability", "2"), "share of 2 halves of the rows"),
        (("--indirect", "dpi"), "Links that other columns explain are left out."),
    ],
)
def test_what_numbers_of_links_mean_is_said(run, table, tmp_path, options, said):
    code, printed, _ = run(table, *options, "--top", "1", "--json", tmp_path / "out.json")
    assert code == 0
    text = " ".join(printed.split())
    assert said in text
    assert "p: of independence, rows taken as independent" in text
    assert "Links have no direction." in text
    settings = json.loads((tmp_path / "out.json").read_text())["settings"]
    assert settings["weight"] in ("information", "strength", "pvalue", "adjusted", "value")
    assert (settings["alpha"] is not None) == (settings["weight"] in ("value", "adjusted"))
    assert "of independence" not in run(table, "--fdr", "none", "--top", "1")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--fdr", "many"], 2, "neither a number nor none"),
        (["--preset", "genes"], 1, "preset: expected one of"),
        (["--stability", "-1"], 2, "--stability"),
        (["--weight", "size"], 1, "weight: expected one of"),
        (["--columns", "dose,nothing"], 1, "--columns: expected names among"),
        (["--columns", "dose"], 1, "at least 2 variables"),
        (["--alpha", "1", "--weight", "adjusted"], 1, "weight: expected alpha=2"),
        (["--arboreto", "out.tsv", "--regulators", "no-such-file"], 1, "no-such-file"),
    ],
)
def test_wrong_usage_is_one_line(run, table, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    found, _, said = run(table, *arguments)
    assert found == code
    assert "Traceback" not in said
    assert message in " ".join(said.split())
