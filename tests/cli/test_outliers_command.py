"""`shearer outliers`."""

import io
import json
import re

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from report.hostile_documents import HOSTILE
from shearer.datasets import planted_subspace
from shearer.report.outlying import OutlierView


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
    assert lines[0] == "broken.csv: 199 of 200 rows, 4 stand out most. Rows are counted from 1."
    assert {line.split("row ")[1].split()[0] for line in lines[6:9]} == {"2", "4", "6"}
    assert all(all(column in line for column in columns) for line in lines[6:9])
    assert "and 1 more" in result.stdout
    assert "1 of 200 rows lack a finite value" in result.stdout


@pytest.mark.parametrize("width", ["50", "80", "120"])
def test_rows_and_scores_are_whole_at_any_width(call, broken, width):
    path, columns = broken
    long = pl.read_csv(path).rename({column: f"{column}_with_a_very_long_name" for column in columns})
    long.write_csv(path.with_name("long.csv"))
    console = Console(width=int(width), file=(shown := io.StringIO()))
    result = call("outliers", path.with_name("long.csv"), "--subspaces", "1", "--share", "0.02", "--json", "-")
    console.print(OutlierView(json.loads(result.stdout)))
    found = json.loads(result.stdout)["outliers"]
    for outlier in found:
        assert re.search(rf"^ *{outlier['row']} +{outlier['score']:.3g} ", shown.getvalue(), re.MULTILINE)


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
    result = call("outliers", tmp_path / "labels.csv", "--scheme", "paper")
    assert result.returncode == 1
    assert "expected 2 or more columns of numbers" in result.stderr
    named = call("outliers", tmp_path / "labels.csv")  # every label names a row
    assert named.returncode == 1
    assert "expected 2 or more columns of numbers or labels" in named.stderr
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
    words = " ".join(result.stdout.split())
    assert "buick estate wagon (sw)" in words  # 455 cubic inches at 3086 pounds: misprinted in the table
    assert "displacement = 455 with weight = 3086" in words
    paper = call("outliers", folder / "tables" / "mpg.csv", "--label", "name", "--limit", "10", "--scheme", "paper")
    assert "mazda rx" in paper.stdout  # three cylinders


def test_labels_take_part_and_breaks_are_told_in_words(call, tmp_path):
    rng = np.random.default_rng(0)
    town = rng.integers(0, 12, 400)
    country = np.where(np.arange(400) < 3, (town + 1) % 3, town % 3)
    table = {"town": [f"town {k}" for k in town], "country": [f"land {k}" for k in country]}
    path, out = tmp_path / "towns.csv", tmp_path / "out.json"
    pl.DataFrame(table | {"noise": rng.normal(size=400)}).write_csv(path)
    result = call("outliers", path, "--share", "0.0075", "--json", out)
    assert result.returncode == 0, result.stderr
    document = json.loads(out.read_text())
    assert {found["row"] for found in document["outliers"]} == {1, 2, 3}
    for found in document["outliers"]:
        assert set(found["reasons"][0]["columns"]) == {"town", "country"}
        assert found["reasons"][0]["words"] in " ".join(result.stdout.split())
        assert found["reasons"][0]["bits"] < -3
    assert document["relations"][0]["columns"] == ["town", "country"]
    lines = call("outliers", path, "--csv", "-").stdout.splitlines()
    assert lines[0] == "row,label,score,outlier,columns,reason"
    assert len(lines) == 401


def test_page_with_pictures(call, tmp_path, rng):
    names = [name for name in HOSTILE if "\udc80" not in name][:6]
    table = pl.DataFrame({name: rng.normal(size=60) for name in names})
    table = table.with_columns(kind=pl.Series(rng.choice(["<b>", "c"], 60)))
    table.write_parquet(tmp_path / "t.parquet")
    result = call("outliers", tmp_path / "t.parquet", "--report", tmp_path / "out.html", "--quiet")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    page = (tmp_path / "out.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<b>" not in page
    assert "<script" not in page
    assert page.count("<section>") >= 2
    assert page.count("<svg") == page.count("<figcaption>") >= 2
    refused = call("outliers", tmp_path / "t.parquet", "--report", tmp_path / "out.html", "--scheme", "paper")
    assert refused.returncode == 1


def test_options_of_the_paper_choose_its_scheme(call, broken):
    result = call("outliers", broken[0], "--subspaces", "1", "--scheme", "relations")
    assert result.returncode == 1
    assert "--subspaces is an option of the paper's" in result.stderr
    assert call("outliers", broken[0], "--scheme", "both").returncode == 1
