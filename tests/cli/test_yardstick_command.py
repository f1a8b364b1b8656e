"""`shearer yardstick`."""

import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "yardstick" / "methods_of_tests.py"


def test_a_run_and_its_page(call, tmp_path):
    result, page = tmp_path / "result.json", tmp_path / "page.html"
    options = ["--quick", "--suite", "scaling", "--trials", "1"]
    found = call("yardstick", result, *options, "--method", f"{SCRIPT}:middle", "--report", page)
    assert found.returncode == 0, found.stderr
    assert "1  middle" in found.stdout
    assert page.read_text().startswith("<!doctype html>")
    cells = json.loads(result.read_text())["cells"]
    assert {cell["status"] for cell in cells} == {"done"}
    again = call("yardstick", "--merge", result, "--no-run")
    assert "1  middle" in again.stdout


def test_the_list(call):
    found = call("yardstick", "--list")
    assert found.returncode == 0
    assert "dCor (independence)" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["r.json", "--suite", "independance"], "Did you mean 'independence'"),
        (["r.json", "--method", "nobody"], "names among"),
        (["r.json", "--method", "absent.py:f"], "a file that exists"),
        (["r.json", "--task", "power"], "names among"),
        (["r.json", "--no-run"], "a result of shearer yardstick"),
        (["/no/such/folder/r.json"], "a folder that exists"),
    ],
)
def test_errors_are_one_line(call, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    found = call("yardstick", *arguments)
    assert found.returncode == 1
    assert words in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--no-run"], ["r.json", "--command", "program"], ["r.json", "--trials", "0"]])
def test_wrong_usage(call, arguments):
    assert call("yardstick", *arguments).returncode == 2
