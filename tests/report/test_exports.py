"""JSON, CSV and GraphML of a scan's document, read back by other programs."""

import csv
import io
import json
from copy import deepcopy

import networkx as nx
import pandas as pd
import polars as pl
import pytest

from report.hostile_documents import HOSTILE, PLAIN, document
from shearer.report.exports import to_csv, to_graphml, to_json, triples_path
from shearer.report.schema import FIELDS, departures


@pytest.mark.parametrize("lags", [False, True])
def test_documents_are_as_declared(lags):
    assert departures(document(HOSTILE, lags=lags)) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(version="1"), "version: expected integer, got '1'"),
        (lambda d: d["settings"].pop("fdr"), "settings.fdr: missing"),
        (lambda d: d["settings"].update(extra=1), "settings.extra: not declared"),
        (lambda d: d.pop("notes"), "notes: missing"),
        (lambda d: d["pairs"][1].update(pvalue="0.1"), "pairs[1].pvalue: expected number or null, got '0.1'"),
        (lambda d: d["pairs"][0]["details"].pop("pearson"), "pairs[0].details.pearson: missing"),
        (lambda d: d["pairs"][0]["details"].update(kendall=0.1), "pairs[].details.kendall: not declared"),
        (lambda d: d["pairs"][0].update(reported=1), "pairs[0].reported: expected truth value, got 1"),
        (lambda d: d["pairs"][0].update(n=True), "pairs[0].n: expected integer or null, got True"),
        (lambda d: d["triples"][2].pop("kind"), "triples[2].kind: missing"),
        (lambda d: d["columns"][0].update(members="x"), "columns[0].members: expected list of text, got 'x'"),
    ],
)
def test_departures_from_the_declaration_are_named(change, said):
    changed = document()
    change(changed)
    assert said in departures(changed)


def test_every_declared_field_is_in_the_documents():
    """Else the test above would pass whatever the declaration says."""
    full = document(lags=True)
    full["settings"]["given"] = ["z"]
    full["columns"][0]["explained"] = 0.5
    full["pairs"][0] |= {"warned": False, "direct": True}
    rows = {"kind": "time", "columns": ["a"], "alike": ["b"], "shared": True, "rows": 9, "sorted": True}
    full["dependent_rows"] = [rows]
    full["settings"] |= {f"quadruples_{name}": 1 for name in ("screened", "passed", "possible")}
    four = {"variables": ["a", "b", "c", "d"], "n": 9, "reported": False}
    numbers = ("added", "added_error", "pvalue", "qvalue", "screen_pvalue")
    full["quadruples"] = [four | dict.fromkeys(numbers, 0.5)]
    assert departures(full) == []
    text = to_json(full)
    names = [field.rsplit(".", 1)[-1].removesuffix("?").removesuffix("[]").replace("*", "1") for field in FIELDS]
    assert all(f'"{name}"' in text for name in names)


def test_json_is_read_back(tmp_path):
    given = document(HOSTILE)
    text = to_json(given, tmp_path / "out.json")
    expected = deepcopy(given)
    for triple in expected["triples"]:
        triple["qvalue"] = None  # nan
    assert json.loads((tmp_path / "out.json").read_bytes()) == expected
    assert json.loads(text.encode("utf-8", "backslashreplace")) == expected
    assert "NaN" not in text


def test_infinite_numbers_are_null():
    assert json.loads(to_json({"a": [float("inf"), -float("inf"), (float("nan"), 1.5)]})) == {
        "a": [None, None, [None, 1.5]]
    }


def test_csv_is_read_back(tmp_path):
    given = document()
    to_csv(given, tmp_path / "out.csv")
    by_pandas = pd.read_csv(tmp_path / "out.csv")
    for frame in (pl.read_csv(tmp_path / "out.csv"), pl.from_pandas(by_pandas)):
        assert frame.height == len(given["pairs"])
        assert frame["first"].to_list() == [pair["variables"][0] for pair in given["pairs"]]
        # the last digit is pandas' own
        assert frame["strength"].to_list() == pytest.approx([pair["strength"] for pair in given["pairs"]], rel=1e-14)
        assert frame["reported"].to_list() == [pair["reported"] for pair in given["pairs"]]
        own = "mutual_information_order1_low"
        assert frame[own][0] == pytest.approx(given["pairs"][0]["details"][own], rel=1e-14)
        assert frame[own][1] is None
    triples = pl.read_csv(tmp_path / "out-triples.csv")
    assert triples["third"].to_list() == [triple["variables"][2] for triple in given["triples"]]
    assert triples["kind"][:3].to_list() == [None, "synergistic", "redundant"]
    assert triples["qvalue"].null_count() == len(triples)


def test_csv_without_triples_or_pairs(tmp_path):
    to_csv(document(triples=False), tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    empty = pl.read_csv(to_csv(document(("a",)))[0].encode())
    assert empty.height == 0
    assert empty.columns[:3] == ["first", "second", "strength"]


def test_lags_have_a_column():
    frame = pl.read_csv(to_csv(document(lags=True))[0].encode())
    assert frame["lag"][:2].to_list() == [0, 3]
    assert "lag" not in pl.read_csv(to_csv(document())[0].encode()).columns


@pytest.mark.parametrize("read", ["csv", "polars", "pandas"])
def test_no_cell_of_hostile_names_is_a_formula(read):
    pairs, triples = to_csv(document(HOSTILE))
    for text, width in ((pairs, 2), (triples, 3)):
        contents = text.encode("utf-8", "backslashreplace")
        if read == "csv":
            rows = list(csv.reader(io.StringIO(contents.decode(), newline="")))[1:]
        elif read == "polars":
            rows = pl.read_csv(contents, infer_schema=False).fill_null("").rows()
        else:
            rows = pd.read_csv(io.BytesIO(contents), dtype=str, keep_default_na=False).itertuples(index=False)
        names = {name for row in rows for name in row[:width]}
        assert not any(name.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for name in names)
        assert {"'=cmd|' /C calc'!A0", "'+1", "two\nlines", "a,b;c"} <= names
        assert width == 3 or len(names) == len(HOSTILE)


def test_where_triples_go():
    assert str(triples_path("folder/out.csv")) == "folder/out-triples.csv"
    assert str(triples_path("out")) == "out-triples"


def test_graphml_is_read_back(tmp_path):
    given = document()
    to_graphml(given, tmp_path / "out.graphml")
    graph = nx.read_graphml(tmp_path / "out.graphml")
    assert set(graph.nodes) == set(PLAIN)
    assert graph.nodes["species"] == {"kind": "continuous", "n": 340, "missing": 4, "distinct": 3}
    reported = [pair for pair in given["pairs"] if pair["reported"]]
    assert graph.number_of_edges() == len(reported)
    for pair in reported:
        edge = graph.edges[pair["variables"]]
        assert edge["weight"] == edge["strength"] == pair["strength"]
        assert edge["pvalue"] == pair["pvalue"]
        assert edge["n"] == pair["n"]
        assert ("pearson" in edge) == (pair["details"] is not None)


def test_graphml_of_lags_has_an_edge_for_each():
    graph = nx.parse_graphml(to_graphml(document(lags=True)))
    assert graph.is_directed()
    assert graph.is_multigraph()
    assert sorted(edge["lag"] for edge in graph.get_edge_data("species", "island").values()) == [0, 3]


def test_graphml_of_hostile_names(tmp_path):
    to_graphml(document(HOSTILE), tmp_path / "out.graphml")
    nodes = set(nx.read_graphml(tmp_path / "out.graphml").nodes)
    assert len(nodes) == len(HOSTILE)
    assert {"\\x1b[31mred\\x1b[0m", "\\x00nul\\x07bell", "<script>\"&'", "体重（千克）", "''"} <= nodes


def test_names_that_would_become_the_same_stay_apart():
    names = ("a\n", "a\\n", "a\\n'")
    assert nx.parse_graphml(to_graphml(document(names))).number_of_nodes() == 3
