"""`shearer test`."""

import json
import re

import polars as pl
import pytest
from typer.main import get_command

import shearer
from cli.commands import failed_in_one_line
from shearer import cli
from shearer.measures.registry import dependence_measures


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
    assert "no model of pairs explains" in call("test", planted, "switch_a", "switch_b", "lamp").stdout


def test_conditions_methods_groups_and_kinds(call, planted):
    def found(*options):
        return json.loads(call("test", planted, *options, "--json", "-").stdout)

    conditional = found("dose", "response", "--given", "lamp")
    assert conditional["given"] == ["lamp"]
    assert conditional["variables"] == ["dose", "response"]
    assert "strata" in conditional["method"]
    assert len(conditional["explained"]) == 2
    assert conditional["reason"] == ""
    permuted = found("dose", "response", "--given", "lamp", "--method", "permutation", "--resamples", "49")
    assert "49 local permutations" in permuted["method"]
    assert "conditional" in permuted["method"]
    options = ["--measure", "mutual_information", "--alpha", "2", "--resamples", "19", "--seed", "3"]
    assert "19 random permutations" in found("dose", "response", *options)["method"]
    assert found("ring", "dose", "--group", "ring=ring_x,ring_y")["variables"] == ["ring", "dose"]
    numbers, labels = found("dose", "response"), found("dose", "response", "--kind", "dose=categorical")
    assert numbers["pvalue"] < 1e-6 < labels["pvalue"]


def test_what_conditions_explain_is_said(call, planted):
    said = " ".join(call("test", planted, "dose", "response", "--given", "ring_x,species").stdout.split())
    assert re.search(r"ring_x and species explain \d+% of dose and \d+% of response \(of the variance", said)
    refused = call("test", planted, "lamp", "dose", "--given", "switch_a,switch_b").stdout
    assert "lamp and dose could not be tested" in refused
    assert "is a function of" in refused


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


def test_measures_are_listed_and_checked(call, planted):
    result = call("test", planted, "dose", "response", "--measure", "total_corelation")
    assert failed_in_one_line(result)
    assert result.stderr.startswith("shearer: --measure: expected one of 'mutual_information', 'total_correlation', ")
    assert "Did you mean 'total_correlation'?" in result.stderr
    options = get_command(cli.app).commands["test"].params
    explained = next(option.help for option in options if option.name == "measure")
    assert all(measure in explained for measure in dependence_measures())


def test_missing_values_are_counted(call, tmp_path, rng):
    pl.DataFrame({"a": rng.normal(size=30), "b": [None, *rng.normal(size=29)]}).write_csv(tmp_path / "t.csv")
    assert "29 rows (1 with missing values left out)" in call("test", tmp_path / "t.csv", "a", "b").stdout


def test_memory_bounds_what_is_computed(call, planted):
    refused = call("test", planted, "switch_a", "switch_b", "lamp", "--memory", "300kB")
    assert failed_in_one_line(refused)
    assert "memory: expected at most 300 kB" in refused.stderr
    arguments = ("test", planted, "ring_x", "ring_y", "--json", "-")
    assert call(*arguments, "--memory", "100MB").stdout == call(*arguments).stdout
