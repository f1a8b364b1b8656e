"""`shearer select`: what it prints and writes, and what it refuses."""

import json

import numpy as np
import polars as pl
import pytest

from shearer.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["shearer", "select", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4))
    frame = pl.DataFrame(x, schema=["a", "b", "c\x1b", "d"]).with_columns(
        kind=pl.Series(np.where(x[:, 0] * x[:, 1] > 0, "good", "bad")), amount=pl.Series(x[:, 3] + 0.1 * x[:, 2])
    )
    path = tmp_path / "table.csv"
    frame.write_csv(path)
    return path


def test_what_is_chosen_is_printed_and_written(run, table, tmp_path):
    code, printed, said = run(
        table, "kind", "--drop", "amount", "--json", tmp_path / "o.json", "--csv", tmp_path / "o.csv"
    )
    assert code == 0, said
    assert printed.startswith("2 of 4 columns for kind, 200 rows.")
    document = json.loads((tmp_path / "o.json").read_text())
    assert {row["column"] for row in document["chosen"]} == {"a", "b"}
    assert document["settings"]["target"] == "kind"
    assert all(row["pvalue"] < 1e-6 for row in document["chosen"])
    assert pl.read_csv(tmp_path / "o.csv").columns == ["column", "score", "pvalue", "qvalue"]
    code, printed, _ = run(table, "amount", "--drop", "kind", "--number", "3", "--method", "mrmr")
    assert code == 0
    assert printed.splitlines()[2].split()[0] == "d"
    assert run(table, "amount", "-q") == (0, "", "")


def test_rows_without_a_target_do_not_count(run, table, tmp_path):
    frame = pl.read_csv(table)
    gappy = frame.with_columns(pl.when(pl.int_range(200) < 30).then(None).otherwise(pl.col("amount")).alias("amount"))
    gappy.write_csv(tmp_path / "gappy.csv")
    code, printed, _ = run(tmp_path / "gappy.csv", "amount")
    assert code == 0
    assert "170 rows" in printed


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing"], 1, "TARGET: expected names among"),
        (["kind", "--number", "none"], 2, "neither a number from 1 nor auto"),
        (["kind", "--number", "0"], 2, "neither a number from 1 nor auto"),
        (["kind", "--method", "best"], 1, "method: expected one of"),
        (["kind", "--level", "2"], 1, "level: expected"),
        (["kind", "--columns", "kind"], 1, "some column beside the target"),
        (["kind", "--json", "no/such/folder/o.json"], 1, "--json"),
    ],
)
def test_wrong_usage_is_one_line(run, table, arguments, code, message):
    found, _, said = run(table, *arguments)
    assert found == code
    assert message in said
    assert code == 2 or len(said.strip().splitlines()) == 1


def test_columns_are_explained_and_rows_that_lack_a_value_counted(run, tmp_path):
    x = np.random.default_rng(0).normal(size=(80, 2))
    lacking = [None, float("nan"), *x[2:, 0].tolist()]
    path = tmp_path / "gaps.parquet"
    pl.DataFrame({"a": lacking, "b": x[:, 1], "t": x.sum(axis=1)}, strict=False).write_parquet(path)
    code, printed, _ = run(path, "t")
    text = " ".join(printed.split())
    assert code == 0
    assert "2 of 2 columns for t, 78 rows." in text
    assert "2 of 80 rows lack a value" in text
    assert "score: share of the target" in text
    assert "it can be below p" in text


def test_what_is_named_without_a_test_is_said(run, tmp_path):
    x = np.random.default_rng(0).normal(size=(100, 4))
    path = tmp_path / "noise.csv"
    pl.DataFrame(x, schema=["a", "b", "c", "t"]).write_csv(path)
    alone = " ".join(run(path, "t")[1].split())
    assert "1 of 3 columns for t" in alone
    assert "No column is clearly related to t; " in alone
    filled = " ".join(run(path, "t", "--number", "3")[1].split())
    assert "Without p: taken to make up the number" in filled
    joint = " ".join(run(path, "t", "--method", "joint")[1].split())
    assert "Without p: not tested." in joint


def test_the_kind_of_the_target(run, tmp_path):
    rng = np.random.default_rng(1)
    count = rng.integers(0, 5, 200)
    few = pl.DataFrame({"count": count, "x": count + rng.normal(size=200), "sure": count > 2})
    path = tmp_path / "counts.csv"
    few.write_csv(path)
    text = " ".join(run(path, "count")[1].split())
    assert "the numbers of 'count' are taken as 5 classes; --kind count=number takes them as amounts" in text
    assert "classes" not in run(path, "count", "--kind", "count=number")[1]
    assert "classes" not in run(path, "sure")[1]
    # of sixteen whole numbers that all differ none is a class
    years = pl.DataFrame(
        {"total": np.arange(16) * 7 % 50, "product": np.arange(16) * 7 % 50 + 0.5, "other": rng.random(16)}
    )
    years.write_csv(path)
    code, printed, _ = run(path, "total")
    assert code == 0
    assert printed.splitlines()[2].startswith("product")
    assert "classes" not in printed


def test_dates_are_told_about(run, tmp_path):
    rng = np.random.default_rng(2)
    days = np.sort(rng.integers(0, 900, 120))
    table = pl.DataFrame({"day": days, "level": days + rng.normal(0, 20, 120), "noise": rng.normal(size=120)})
    path = tmp_path / "days.csv"
    table.with_columns(day=pl.date(2020, 1, 1) + pl.duration(days=pl.col("day"))).write_csv(path)
    code, printed, said = run(path, "day")
    assert code == 0, said
    assert printed.splitlines()[2].startswith("level")
