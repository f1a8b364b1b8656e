"""What the package promises about itself: names, imports, direction of data flow."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import shearer as sh

ROOT = Path(__file__).parent.parent
HEAVY = [
    "torch",
    "pandas",
    "sklearn",
    "matplotlib",
    "dask",
    "polars",
    "narwhals",
    "networkx",
    "rich",
    "typer",
    "scipy.stats",
]


@pytest.mark.needs("torch")
def test_every_public_name_exists():
    for name in sh.__all__:
        assert getattr(sh, name) is not None
    assert set(sh.__all__) <= set(dir(sh))
    for name in sh.kernels.__all__:
        assert getattr(sh.kernels, name) is not None


def test_results_are_of_public_classes():
    rows = {"a": [0.0, 1.0, 2.0, 3.0, 5.0, 8.0], "b": [1.0, 0.0, 2.0, 4.0, 5.0, 6.0], "c": list("xyxyxx")}
    assert type(sh.pairwise(rows)) is sh.Pairwise
    assert type(sh.triples(rows)) is sh.Triples
    assert type(sh.independence_test(rows)) is sh.TestResult
    assert type(sh.scan(rows, order=2, progress=False)) is sh.Scan
    assert sh.sketching.Sketch is sh.Sketch
    assert sh.report.render_page(sh.scan(rows, order=2, progress=False).document).startswith("<!doctype html>")


def test_unknown_name():
    with pytest.raises(AttributeError, match="no_such_thing"):
        sh.no_such_thing  # noqa: B018


def test_import_loads_nothing_heavy():
    script = f"import sys, json, shearer; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    assert json.loads(subprocess.check_output([sys.executable, "-c", script])) == []


def test_measuring_arrays_loads_nothing_heavy():
    script = (
        "import sys, json, numpy, shearer; shearer.mutual_information(numpy.arange(9.0), numpy.arange(9) % 2 == 0);"
        f"print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    )
    assert json.loads(subprocess.check_output([sys.executable, "-c", script])) == []


def test_data_flows_one_way():
    run = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def imported():
    """The packages that src imports, at the top of a module or later, by name or through `_optional.load`."""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load":
                yield from (str(part.value) for part in node.args[:1] if isinstance(part, ast.Constant))


def test_every_import_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    stated = [
        *project["dependencies"],
        *(
            text
            for name in ("torch", "plot", "data", "excel", "arrow", "pandas", "cluster", "integrations", "causal")
            for text in extras[name]
        ),
    ]
    declared = {re.match(r"[\w-]+", text)[0].replace("-", "_") for text in stated}
    others = {"sklearn": "scikit_learn", "causallearn": "causal_learn"}
    ours = {others.get(name, name) for name in (name.split(".")[0] for name in imported())}
    assert ours - {*sys.stdlib_module_names, "shearer"} <= declared


def test_versions_agree():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["project"]["name"] == "shearer"
    assert f"version: {sh.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {sh.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_no_file_name_twice():
    names = [path.name for path in (ROOT / "src").rglob("*.py") if path.name != "__init__.py"]
    assert sorted(names) == sorted(set(names))


def test_no_module_is_hidden_by_a_function_of_its_name():
    for name in sh.__all__:
        assert not (ROOT / "src" / "shearer" / f"{name}.py").exists() or name == "testing"
