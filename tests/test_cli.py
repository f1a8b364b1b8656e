"""The command line: output, exit codes, one-line errors, files whole or not at all."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import polars as pl
import pytest

import shearer
from report.hostile_documents import HOSTILE
from shearer import cli
from shearer.cli import main
from shearer.datasets import planted_subspace, planted_table
from shearer.demo import demonstrate
from shearer.report.schema import departures

COMMAND = Path(sys.executable).parent / "shearer"


def run(*arguments, stdin=None, limit=None, **environment):
    """The installed command in a process of its own."""
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment}
    limits = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    arguments = [COMMAND, *map(str, arguments)]
    return subprocess.run(
        arguments, capture_output=True, text=True, env=env, input=stdin, check=False, preexec_fn=limits
    )


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "planted.csv"
    pl.DataFrame(planted_table(80, rng=0).columns).write_csv(path)
    return path


def failed_in_one_line(result, code=1):
    assert result.returncode == code, result.stderr
    assert result.stderr.startswith("shearer: ")
    assert result.stderr.count("\n") == 1
    return True


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
        ["scan", "t.csv", "--order", "4"],
        ["scan", "t.csv", "--group", "position"],
        ["scan", "t.csv", "--group", "=x,y"],
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


def test_demo_finds_what_was_planted(tmp_path):
    picture = tmp_path / "demo.svg"
    result = run("demo", "--svg", str(picture))
    assert result.returncode == 0
    assert result.stderr == ""
    for word in ("dose", "ring", "species", "lamp", "planted against found"):
        assert word in result.stdout
    assert "no " not in [line.split("│")[-2].strip() for line in result.stdout.splitlines() if line.startswith("│")]
    assert "https://cdn" not in picture.read_text()


def test_same_seed_same_output(call):
    first, second, other = (call("demo", "--rows", "50", "--seed", seed).stdout for seed in ("3", "3", "4"))
    assert first == second
    assert first != other


def test_scan_finds_what_was_planted(planted, tmp_path):
    result = run("scan", planted, "--top", "3", "--json", tmp_path / "out.json")
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
    result = run("scan", "-", "--order", "2", "--top", "0", "--json", "-", stdin=planted.read_text())
    assert result.returncode == 0
    document = json.loads(result.stdout)
    assert document["settings"]["source"] == "standard input"
    assert document["triples"] == []
    result = run("scan", "-", "--top", "0", "--csv", "-", stdin=planted.read_text())
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
    for words in ("decimal commas", "'row' counts the rows", "numbered: 'x'"):
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
        found = json.loads(call("scan", planted, "--order", "2", "--top", "2", "--seed", seed, "--json", "-").stdout)
        return [pair["measured"]["interval"] for pair in found["pairs"][:2]]

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
def test_a_limit_on_file_sizes_leaves_no_half_of_a_file(planted, tmp_path, option):
    path = tmp_path / "out"
    path.write_text("as before")
    result = run("scan", planted, "--top", "0", "--quiet", option, path, limit=500)
    assert failed_in_one_line(result)
    assert f"{option}: expected '{path}' to be written, got the error File too large" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    assert path.read_text() == "as before"


def test_a_full_disk(call, planted):
    result = call("scan", planted, "--order", "2", "--top", "0", "--quiet", "--json", "/dev/full")
    assert failed_in_one_line(result)
    assert "No space left on device" in result.stderr


def test_hostile_names(tmp_path, rng):
    names = [name for name in HOSTILE if "\udc80" not in name]
    common = rng.integers(0, 2, size=60)
    table = pl.DataFrame({name: common + rng.integers(0, 2, size=60) for name in names})
    table.write_parquet(tmp_path / "t.parquet")
    options = ["--order", "2", "--top", "0", "--limit", "500", "--csv", tmp_path / "out.csv"]
    result = run("scan", tmp_path / "t.parquet", *options, "--graphml", tmp_path / "out.graphml")
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


def test_interrupted(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    # The pipe opens when the command reads.
    with subprocess.Popen([COMMAND, "scan", pipe], stderr=subprocess.PIPE, text=True) as process, pipe.open("w"):
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "shearer: interrupted\n"


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


def test_independence_of_columns(call, planted):
    result = call("test", planted, "ring_x", "ring_y")
    assert result.returncode == 0
    assert result.stdout.startswith("ring_x and ring_y are dependent (p = ")
    frame = pl.read_csv(planted)
    expected = shearer.independence_test(frame["ring_x", "ring_y"])
    found = json.loads(call("test", planted, "ring_x", "ring_y", "--json", "-").stdout)
    assert found["pvalue"] == expected.pvalue
    assert found["statistic"] == expected.statistic
    assert [part["name"] for part in found["components"]] == [part.name for part in expected.components]
    assert found["interaction"] is None
    assert call("test", planted, "noise_1", "noise_2").stdout.startswith(
        "No dependence of noise_1 and noise_2 is found"
    )


def test_three_columns_are_also_tested_for_what_no_pair_shows(call, planted):
    found = json.loads(call("test", planted, "switch_a", "switch_b", "lamp", "--json", "-").stdout)
    expected = shearer.interaction_test(pl.read_csv(planted)["switch_a", "switch_b", "lamp"])
    assert found["interaction"]["pvalue"] == expected.pvalue
    assert found["interaction"]["kind"] == "synergistic"
    assert "no pair of them shows" in call("test", planted, "switch_a", "switch_b", "lamp").stdout


def test_conditions_methods_groups_and_kinds(call, planted):
    def found(*options):
        return json.loads(call("test", planted, *options, "--json", "-").stdout)

    conditional = found("dose", "response", "--given", "lamp", "--resamples", "49")
    assert conditional["given"] == ["lamp"]
    assert conditional["variables"] == ["dose", "response"]
    assert "conditional" in conditional["method"]
    options = ["--measure", "mutual_information", "--alpha", "2", "--resamples", "19", "--seed", "3"]
    assert "19 random permutations" in found("dose", "response", *options)["method"]
    assert found("ring", "dose", "--group", "ring=ring_x,ring_y")["variables"] == ["ring", "dose"]
    numbers, labels = found("dose", "response"), found("dose", "response", "--kind", "dose=categorical")
    assert numbers["pvalue"] < 1e-6 < labels["pvalue"]


@pytest.mark.parametrize(
    "options",
    [
        ["species", "dose", "--kind", "species=continuous"],
        ["species", "doze"],
        ["species", "dose", "--given", "doze"],
        ["ring", "dose", "--group", "ring=ring_x,ring_z"],
        ["dose", "dose"],
        ["dose", "response", "--method", "magic"],
        ["dose", "response", "--json", "no/such/folder/out.json"],
    ],
)
def test_errors_of_a_test(call, planted, options):
    assert failed_in_one_line(call("test", planted, *options))


def test_missing_values_are_counted(call, tmp_path, rng):
    pl.DataFrame({"a": rng.normal(size=30), "b": [None, *rng.normal(size=29)]}).write_csv(tmp_path / "t.csv")
    assert "29 rows (1 with missing values left out)" in call("test", tmp_path / "t.csv", "a", "b").stdout


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


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A table with names, three columns along a line, noise, gaps, and three rows off the line: 2, 4 and 6."""
    path = tmp_path_factory.mktemp("data") / "broken.csv"
    planted = planted_subspace(200, sizes=(3,), noise=4, outliers=3, rng=5)
    order = np.argsort(-planted.y, kind="stable")
    order[[1, 3, 5, 0, 2, 4]] = order[[0, 1, 2, 3, 4, 5]]
    values = planted.X[order]
    table = {f"c{k}": [f"{value:.4f}" for value in column] for k, column in enumerate(values.T)}
    table["c0"][10] = ""
    pl.DataFrame({"who": [f"row {k}" for k in range(1, 201)], **table}).write_csv(path)
    return path, {f"c{column}" for column in planted.subspaces[0]}


def test_outliers_are_printed_with_their_reasons(call, broken):
    path, columns = broken
    result = call("outliers", path, "--subspaces", "1", "--label", "who", "--share", "0.02", "--limit", "3")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "broken.csv: 199 of 200 rows, 4 stand out most."
    assert {line.split("row ")[1].split()[0] for line in lines[3:6]} == {"2", "4", "6"}
    assert all(all(column in line for column in columns) for line in lines[3:6])
    assert "and 1 more" in result.stdout
    assert "1 of 200 rows lack a finite value" in result.stdout


def test_outliers_as_json_and_csv(call, broken, tmp_path):
    path, columns = broken
    files = tmp_path / "out.json", tmp_path / "out.csv"
    options = ("--subspaces", "1", "--share", "0.02", "--drop", "who")
    result = call("outliers", path, *options, "--json", files[0], "--csv", files[1], "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    document = json.loads(files[0].read_text())
    assert {row["row"] for row in document["outliers"][:3]} == {2, 4, 6}
    assert set(document["subspaces"][0]["columns"]) == columns
    table = pl.read_csv(path)
    for found in document["outliers"]:
        assert sum(part["contribution"] for part in found["subspaces"]) == pytest.approx(found["score"])
        for column in found["columns"]:
            assert column["value"] == table[column["column"]][found["row"] - 1]
    scores = pl.read_csv(files[1])
    assert scores["row"].to_list() == [row["row"] for row in document["rows"]]
    assert scores["outlier"].sum() == 4
    assert sorted(scores["row"].to_list()) == [row for row in range(1, 201) if row != 11]


def test_outliers_where_none_scores_above_the_others(call, tmp_path):
    path = tmp_path / "corners.csv"
    path.write_text("a,b\n" + "0,0\n" * 10 + "0,1\n" * 10 + "1,0\n" * 10)
    result = call("outliers", path, "--json", tmp_path / "out.json")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("corners.csv: 30 of 30 rows, none stands out most.")
    assert json.loads((tmp_path / "out.json").read_text())["outliers"] == []


def test_outliers_of_labels_only(call, tmp_path):
    (tmp_path / "labels.csv").write_text("a,b\nx,y\ny,x\n")
    result = call("outliers", tmp_path / "labels.csv")
    assert result.returncode == 1
    assert "expected 2 or more columns of numbers" in result.stderr
    assert call("outliers", tmp_path / "labels.csv", "--label", "nobody").returncode == 1


@pytest.mark.parametrize("option", [("--measure", "much"), ("--share", "0.9"), ("--combination", "median")])
def test_outliers_with_bad_options(call, broken, option):
    result = call("outliers", broken[0], *option)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1


def test_outliers_of_hostile_names(call, tmp_path, rng):
    names = [name for name in HOSTILE if "\udc80" not in name]
    table = pl.DataFrame({name: rng.normal(size=40) for name in names})
    table.with_columns(pl.Series("who", [names[k % len(names)] for k in range(40)])).write_parquet(
        tmp_path / "t.parquet"
    )
    command = ("outliers", tmp_path / "t.parquet", "--label", "who", "--share", "0.5")
    printed = call(*command, "--limit", "40")
    assert printed.returncode == 0, printed.stderr
    assert not set("\x1b\x00\x07\u202e") & set(printed.stdout)
    document = json.loads(call(*command, "--json", "-").stdout)
    assert len(document["rows"]) == 40
    assert not any(line.startswith(("=", "+", "-", "@")) for line in call(*command, "--csv", "-").stdout.splitlines())


@pytest.mark.needs("data")
def test_outliers_among_cars(call, folder):
    result = call("outliers", folder / "tables" / "mpg.csv", "--label", "name", "--limit", "10")
    assert "mazda rx" in result.stdout  # three cylinders


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
