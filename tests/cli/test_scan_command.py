"""`shearer scan`: output, files whole or not at all, errors."""

import json
import re
import resource

import networkx as nx
import polars as pl
import pytest

from cli.commands import failed_in_one_line, run
from shearer.datasets import planted_table
from shearer.report.schema import departures


def test_scan_finds_what_was_planted(call, planted, tmp_path):
    result = call("scan", planted, "--top", "3", "--json", tmp_path / "out.json")
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith(f"shearer: wrote {tmp_path / 'out.json'} (")
    document = json.loads((tmp_path / "out.json").read_text())
    assert departures(document) == []
    reported = {frozenset(pair["variables"]) for pair in document["pairs"] if pair["reported"]}
    assert {frozenset(pair) for pair in planted_table(80).pairs} <= reported
    triples = {frozenset(triple["variables"]) for triple in document["triples"] if triple["reported"]}
    assert frozenset(["switch_a", "switch_b", "lamp"]) in triples
    for words in ("planted.csv", "dose", "response", "lamp", "synergistic", "strength"):
        assert words in result.stdout


def test_all_files_are_written(call, planted, tmp_path):
    places = {name: tmp_path / f"out.{name}" for name in ("json", "csv", "graphml")}
    options = [part for name, path in places.items() for part in (f"--{name}", path)]
    result = call("scan", planted, "--top", "0", "--quiet", *options)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out-triples.csv", "out.csv", "out.graphml", "out.json"]
    document = json.loads(places["json"].read_text())
    assert pl.read_csv(places["csv"]).height == len(document["pairs"])
    assert pl.read_csv(tmp_path / "out-triples.csv").height == len(document["triples"])
    reported = sum(pair["reported"] for pair in document["pairs"])
    assert nx.read_graphml(places["graphml"]).number_of_edges() == reported


def test_a_page_with_and_without_rows(call, tmp_path, rng):
    labels = ["kept_secret" if number % 2 else "told" for number in range(60)]
    sizes = [number % 2 + 0.1 * noise for number, noise in enumerate(rng.normal(size=60))]
    pl.DataFrame({"label": labels, "size": sizes}).write_csv(tmp_path / "t.csv")
    for option, expected in (((), True), (("--no-rows",), False)):
        result = call("scan", tmp_path / "t.csv", "--top", "0", "--quiet", "--report", tmp_path / "out.html", *option)
        assert result.returncode == 0, result.stderr
        page = (tmp_path / "out.html").read_text()
        assert page.startswith("<!doctype html>")
        assert ("kept_secret" in page) == expected


def test_pipes(planted, tmp_path):
    options = ("scan", "-", "--columns", "switch_a,switch_b,lamp", "--top", "0")  # pairs, and a triple
    result = run(*options, "--order", "2", "--json", "-", stdin=planted.read_text())
    assert result.returncode == 0
    document = json.loads(result.stdout)
    assert document["settings"]["source"] == "standard input"
    assert document["triples"] == []
    result = run(*options, "--csv", "-", stdin=planted.read_text())
    assert pl.read_csv(result.stdout.encode()).height == len(document["pairs"])
    assert "pairs only" in result.stderr


def test_options_reach_the_scan(call, planted):
    options = ["--columns", "dose,response,ring_x,ring_y,switch_a,lamp", "--drop", "lamp", "--target", "ring"]
    options += ["--group", "ring=ring_x,ring_y", "--kind", "switch_a=categorical"]
    options += ["--fdr", "0.2", "--top", "2", "--alpha", "2", "--seed", "5", "--order", "2", "--jobs", "1"]
    document = json.loads(call("scan", planted, *options, "--json", "-").stdout)
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds == {"dose": "continuous", "response": "continuous", "switch_a": "categorical", "ring": "continuous"}
    assert len(document["pairs"]) == 3
    settings = {"fdr": 0.2, "top": 2, "alpha": 2.0, "seed": 5, "order": 2, "target": "ring", "source": "planted.csv"}
    assert settings.items() <= document["settings"].items()
    assert document["settings"]["groups"] == {"ring": ["ring_x", "ring_y"]}


def test_lags(call, tmp_path, rng):
    walk = rng.normal(size=121)
    table = pl.DataFrame(
        {"first": walk[1:], "second": walk[:-1] + 0.1 * rng.normal(size=120), "z": rng.normal(size=120)}
    )
    table.write_csv(tmp_path / "t.csv")
    result = call("scan", tmp_path / "t.csv", "--lags", "0..2", "--json", "-")
    best = json.loads(result.stdout)["pairs"][0]
    assert (best["variables"], best["lag"], best["reported"]) == (["first", "second"], 1, True)
    assert "lag" in call("scan", tmp_path / "t.csv", "--lags", "0..2").stdout


def test_notes_on_the_file_are_shown_and_kept(call, tmp_path, rng):
    rows = "".join(f"{i};{x:.3f};{y:.3f}\n".replace(".", ",") for i, (x, y) in enumerate(rng.normal(size=(30, 2))))
    (tmp_path / "t.csv").write_text(f"row;x;x\n{rows}")
    result = call("scan", tmp_path / "t.csv", "--top", "0")
    for words in ("decimal commas", "'row' (counts the rows", "numbered: 'x'"):
        assert words in result.stdout
    document = json.loads(call("scan", tmp_path / "t.csv", "--top", "0", "--json", "-").stdout)
    assert any("decimal commas" in note for note in document["notes"])


def test_patterns_that_the_shell_left_alone(call, planted, tmp_path):
    frame = pl.read_csv(planted)
    frame[:40].write_csv(tmp_path / "a.csv")
    frame[40:].write_csv(tmp_path / "b.csv")
    document = json.loads(call("scan", tmp_path / "*.csv", "--order", "2", "--top", "0", "--json", "-").stdout)
    assert document["settings"]["rows"] == 80
    assert failed_in_one_line(call("scan", tmp_path / "*.tsv"))


def test_names_with_commas_and_signs(call, tmp_path, rng):
    names = ["a, b", "c=d", "e"]
    pl.DataFrame(dict(zip(names, rng.integers(0, 3, size=(3, 40)), strict=True))).write_csv(tmp_path / "t.csv")
    options = ["--columns", '"a, b",c=d,e', "--kind", "c=d=categorical", "--group", 'g="a, b",e', "--json", "-"]
    document = json.loads(call("scan", tmp_path / "t.csv", *options).stdout)
    kinds = {column["name"]: column["kind"] for column in document["columns"]}
    assert kinds == {"c=d": "categorical", "g": "continuous"}


def test_seeds(call, planted):
    def intervals(seed):
        options = ["--order", "2", "--top", "2", "--max-rows", "60", "--seed", seed, "--json", "-"]
        found = json.loads(call("scan", planted, *options).stdout)
        return [(pair["strength_low"], pair["strength_high"]) for pair in found["pairs"][:2]]

    assert intervals(1) == intervals(1)
    assert intervals(1) != intervals(2)


def test_shards_and_resume(call, planted, tmp_path):
    options = ["--order", "2", "--top", "1", "--shards", tmp_path / "parts", "--json", "-"]
    first = json.loads(call("scan", planted, *options).stdout)
    again = json.loads(call("scan", planted, *options, "--resume").stdout)
    assert again["pairs"] == first["pairs"]
    assert failed_in_one_line(call("scan", planted, *options))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--drop", "dosis"], "--drop: expected names among .* got 'dosis'"),
        (["--columns", "dose,resp"], "--columns: expected names among"),
        (["--target", "lamb"], "Did you mean 'lamp'?"),
        (["--group", "g=dose,nothing"], "nothing"),
        (["--kind", "nothing=categorical"], "nothing"),
        (["--fdr", "7"], "fdr: expected a number between 0 and 1"),
        (["--alpha", "-1"], "alpha: expected a number from 0"),
        (["--memory", "much"], "memory: expected bytes or a size"),
        (["--separator", "::"], "separator: expected one character"),
        (["--encoding", "klingon"], "encoding: expected the name"),
        (["--json", "no/such/folder/out.json"], "--json: expected a file in a folder that exists"),
        (["--csv", "."], "--csv: expected a file, got '.', which is a folder"),
        (["--json", "out.x", "--csv", "out.x"], "--csv: expected a file of its own, got 'out.x', as --json"),
        (["--json", "-", "--csv", "-"], "--csv: expected a file of its own, got '-', as --json"),
        (["--csv", "out.csv", "--json", "out-triples.csv"], "of its own"),
    ],
)
def test_errors_of_a_scan(call, planted, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    result = call("scan", planted, *options)
    assert failed_in_one_line(result)
    assert re.search(said, result.stderr)
    assert not list(tmp_path.iterdir())


def test_what_is_read_is_not_overwritten(call, planted):
    before = planted.read_bytes()
    assert "which is being read" in call("scan", planted, "--csv", planted).stderr
    assert planted.read_bytes() == before


def test_outputs_are_checked_before_anything_is_read(call, tmp_path):
    result = call("scan", tmp_path / "missing.csv", "--json", tmp_path / "no" / "out.json")
    assert result.stderr.startswith("shearer: --json: ")


def test_errors_of_files(call, tmp_path):
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    assert "got 1 in line 3" in call("scan", tmp_path / "ragged.csv").stderr
    (tmp_path / "one.csv").write_text("a\n1\n2\n3\n")
    assert failed_in_one_line(call("scan", tmp_path / "one.csv"))
    assert failed_in_one_line(call("scan", tmp_path))
    assert failed_in_one_line(call("scan", tmp_path / "nothing.csv"))


@pytest.mark.parametrize("option", ["--json", "--csv", "--graphml"])
def test_a_limit_on_file_sizes_leaves_no_half_of_a_file(call, planted, tmp_path, option):
    path = tmp_path / "out"
    path.write_text("as before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        result = call("scan", planted, "--order", "2", "--top", "0", "--quiet", option, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert failed_in_one_line(result)
    assert f"{option}: expected '{path}' to be written, got the error File too large" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    assert path.read_text() == "as before"


def test_a_full_disk(call, planted):
    result = call("scan", planted, "--order", "2", "--top", "0", "--quiet", "--json", "/dev/full")
    assert failed_in_one_line(result)
    assert "No space left on device" in result.stderr


@pytest.mark.needs("data")
def test_penguins(call, folder, tmp_path):
    result = call("scan", folder / "tables" / "penguins.csv", "--top", "5", "--json", tmp_path / "out.json")
    assert result.returncode == 0, result.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    assert departures(document) == []
    found = {tuple(sorted(pair["variables"])): pair for pair in document["pairs"] if pair["reported"]}
    assert ("flipper_length_mm", "species") in found
    assert found["body_mass_g", "sex"]["n"] == 333


@pytest.mark.needs("data")
def test_cars(call, folder):
    document = json.loads(
        call("scan", folder / "tables" / "mpg.csv", "--order", "2", "--top", "0", "--json", "-").stdout
    )
    pair = next(pair for pair in document["pairs"] if set(pair["variables"]) == {"mpg", "horsepower"})
    assert pair["n"] == 392
    assert pair["reported"]


@pytest.mark.needs("data")
def test_proteins(call, folder, tmp_path):
    table = pl.read_csv(folder / "sachs" / "sachs.2005.continuous.txt", separator="\t")[:300]
    table.write_csv(tmp_path / "sachs.txt", separator="\t")
    document = json.loads(call("scan", tmp_path / "sachs.txt", "--order", "2", "--top", "0", "--json", "-").stdout)
    found = {frozenset(pair["variables"]) for pair in document["pairs"] if pair["reported"]}
    assert {frozenset(["raf", "mek"]), frozenset(["erk", "akt"]), frozenset(["pip2", "pip3"])} <= found


def test_trivial_columns_and_kinds(call, tmp_path, rng):
    x = rng.normal(size=80)
    table = pl.DataFrame({"no": range(80), "x": x, "half": x / 2, "y": x + rng.normal(size=80)})
    table.with_columns(kind=pl.Series(rng.integers(0, 4, size=80))).write_csv(tmp_path / "t.csv")
    shown = " ".join(call("scan", tmp_path / "t.csv", "--top", "0").stdout.split())
    for words in ("'no' (counts the rows, 0 to 79)", "x and half are the same column on different scales", "--keep no"):
        assert words in shown
    assert "--kind kind=label" in shown
    options = ("--keep", "no", "--keep", "half", "--kind", "kind=label", "--top", "0", "--order", "2", "--json", "-")
    document = json.loads(call("scan", tmp_path / "t.csv", *options).stdout)
    assert len(document["pairs"]) == 10
    assert document["columns"][-1]["kind"] == "categorical"
    named = json.loads(call("scan", tmp_path / "t.csv", "--columns", "no,x,y", "--top", "0", "--json", "-").stdout)
    assert not any(column["notes"] for column in named["columns"])


def test_rows_above_the_table(call, planted, tmp_path):
    (tmp_path / "t.csv").write_text("first,second,third\nA title\n" + planted.read_text())
    document = json.loads(call("scan", tmp_path / "t.csv", "--skip-rows", "2", "--top", "0", "--json", "-").stdout)
    assert document["settings"]["rows"] == 80
    streamed = call("scan", tmp_path / "t.csv", "--skip-rows", "2", "--top", "0", "--json", "-", "--stream").stdout
    assert json.loads(streamed)["settings"]["rows"] == 80


def test_the_summary_begins_with_rows_that_depend(call, tmp_path, rng):
    walk = rng.normal(size=(60, 2)).cumsum(axis=0)
    table = pl.DataFrame({"year": range(1960, 2020), "a": walk[:, 0], "b": walk[:, 1]})
    table.write_csv(tmp_path / "t.csv")
    lines = call("scan", tmp_path / "t.csv", "--top", "0").stdout.splitlines()
    assert lines[0].startswith("The rows are in the order of year")
    assert call("scan", tmp_path / "t.csv", "--lags", "0..5", "--top", "0").returncode == 0  # as it was offered
