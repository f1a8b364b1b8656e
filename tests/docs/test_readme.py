"""What README says is so: defaults, exceptions, extras, commands, names and generated parts."""

import importlib.util
import inspect
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

import shearer as sh
from shearer.cli import app

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def defaults(function):
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def script():
    """scripts/readme.py, which is no package."""
    spec = importlib.util.spec_from_file_location("readme_script", ROOT / "scripts" / "readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_oldest_python():
    assert PROJECT["requires-python"] == ">=3.11"


def test_defaults_draw_no_permutations(rng):
    a, b, c = rng.normal(size=(3, 60))
    assert sh.independence_test(a, b).method == "aggregated"
    assert "permut" not in sh.independence_test(a, b, given=c).method
    assert "permut" not in sh.independence_test(a, b, cluster=np.arange(60) // 3).method
    assert not hasattr(sh.interaction_test(a, b, c), "n_resamples")


def test_exceptions_draw_permutations(rng):
    a, b = rng.normal(size=(2, 30))
    assert "permut" in sh.independence_test(a[:5], b[:5]).method
    for options in ({"alpha": 1.0}, {"measure": "mutual_information"}, {"method": "permutation"}):
        assert "permut" in sh.independence_test(a, b, n_resamples=9, **options).method
    assert "permut" in sh.permutation_test(a, b, n_resamples=9).method


def test_false_discovery_rates():
    assert defaults(sh.scan)["fdr"] == defaults(sh.tools.DependenceNetwork)["fdr"] == 0.05
    network = get_command(app).commands["network"]
    assert {option.name: option.default for option in network.params}["fdr"] in (0.05, "0.05")


def test_default_network():
    table = np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=1)
    found = sh.tools.DependenceNetwork().fit(table)
    stated = sh.tools.DependenceNetwork(weight="information", indirect=None).fit(table)
    assert (found.weights_ == stated.weights_).all()
    assert (found.weights_[np.triu_indices(3, 1)] > 0).all()
    for method in ("pc", "dpi", "conditional"):
        sh.tools.DependenceNetwork(indirect=method)
    options = {option.name: option for option in get_command(app).commands["network"].params}
    assert options["indirect"].default == defaults(sh.tools.DependenceNetwork)["indirect"] == "preset"


def test_most_triples():
    from shearer.scanning.screened_triples import MOST_TRIPLES

    assert MOST_TRIPLES == 20_000


def test_number_of_comparators():
    assert len([name for name in sh.comparators.__all__ if callable(getattr(sh.comparators, name))]) == 26


def test_negative_at_order_two():
    x, y = [0, 1, 1, 1], [1, 0, 1, 1]
    assert round(sh.total_correlation(x, y, kernel=sh.kernels.Delta(), alpha=2), 3) == -0.087


def test_a_variable_and_itself(rng):
    x = rng.normal(size=100)
    assert sh.mutual_information(x, x) < 0.9
    assert sh.mutual_information(list("abca"), list("abca")) == pytest.approx(1)


def test_extras():
    said = set(re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)) & set(PROJECT["optional-dependencies"])
    assert said == set(PROJECT["optional-dependencies"]) - {"integrations"}


def test_commands_and_options():
    commands = get_command(app).commands
    said = set(re.findall(r"`shearer (\w+)", README))
    assert said == set(commands)
    known = {name for command in commands.values() for option in command.params for name in option.opts}
    assert set(re.findall(r"(--[a-z][a-z-]+)", README)) <= known


@pytest.mark.needs("torch")
def test_names():
    for path in set(re.findall(r"\bsh\.([A-Za-z_][\w.]*)", README)):
        found = sh
        for name in path.split("."):
            found = getattr(found, name, None) or getattr(found, "__dict__", {}).get(name)
            assert found is not None, path


def test_generated_parts():
    written = script()
    assert f"<!-- speeds:begin -->\n{written.speeds()}\n<!-- speeds:end -->" in README
    assert f"<!-- times:begin -->\n{written.scan_times()}\n<!-- times:end -->" in README
    for file, names, *_ in written.SPEEDS:
        assert file in {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json")}
        assert names


def test_links_of_readme():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        if target.startswith("#"):
            titles = re.findall(r"^#+ (.*)$", README, re.MULTILINE)
            assert target[1:] in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
        else:
            assert (ROOT / target).exists(), target
