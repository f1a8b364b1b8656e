"""What a release says of itself agrees with the package, wherever it is said."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import shearer as sh

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
PYTHONS = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]


def loaded(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_every_file_of_a_release_is_there():
    for name in (
        "LICENSE",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "CODE_OF_CONDUCT.md",
        "CITATION.cff",
        ".readthedocs.yaml",
    ):
        assert (ROOT / name).stat().st_size > 100, name


def test_the_recipe_has_the_requirements_of_the_package():
    recipe = loaded("recipe/recipe.yaml")
    assert recipe["context"]["version"] == sh.__version__
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    python, *others = recipe["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    assert others == [text.replace(">=", " >=") for text in PROJECT["dependencies"]]
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command == f"shearer = {PROJECT['scripts']['shearer']}"
    (backend,) = SETTINGS["build-system"]["requires"]
    assert backend.replace(">=", " >=") in recipe["requirements"]["host"]


def test_the_citation_is_complete():
    citation = loaded("CITATION.cff")
    assert citation["version"] == sh.__version__
    assert citation["license"] == PROJECT["license"]
    paper = citation["preferred-citation"]
    assert re.fullmatch(r"10\.\d{4,}/\S+", paper["doi"])
    assert paper["start"] < paper["end"]
    assert len(paper["authors"]) == 5


def test_the_changelog_has_a_place_for_what_follows():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1].split()[0] == sh.__version__


def test_pythons_are_the_same_everywhere():
    assert f">={PYTHONS[0]}" == PROJECT["requires-python"]
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    assert jobs["core"]["strategy"]["matrix"]["python"] == PYTHONS
    assert jobs["package"]["strategy"]["matrix"]["python"] == PYTHONS
    assert loaded(".readthedocs.yaml")["build"]["tools"]["python"] in PYTHONS


@pytest.mark.parametrize("name", ["ci", "release"])
def test_workflows_name_files_groups_and_targets_that_exist(name):
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    for path in re.findall(r"(?:tests|scripts|src)/[\w/.]+", text):
        assert (ROOT / path).exists(), path
    for group in re.findall(r"--group ([\w-]+)", text):
        assert group in SETTINGS["dependency-groups"], group
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_runs_that_decide_require_what_the_tests_need():
    """Where a component of the test group is missing the run fails, and no test is left out without a word."""
    full = set(loaded(".github/workflows/ci.yml")["jobs"]["full"]["env"]["SHEARER_REQUIRE"].split(","))
    assert {"duckdb", "xarray", "pandas", "pyarrow", "torch", "distributed"} <= full
    local = ROOT / ".ci" / "run"
    if local.exists():  # no part of a source distribution
        required = re.search(r'SHEARER_REQUIRE="([^"]+)"', local.read_text(encoding="utf-8"))[1]
        assert set(required.split(",")) - {"chromium"} == full


def test_only_the_last_step_may_publish():
    release = loaded(".github/workflows/release.yml")
    assert release["permissions"] == {"contents": "read"}
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert release["jobs"]["publish"]["needs"] == "build"
    assert "permissions" not in release["jobs"]["build"]


def test_groups_and_extras_name_each_other():
    groups, extras = SETTINGS["dependency-groups"], PROJECT["optional-dependencies"]
    for own in (*groups.values(), *extras.values()):
        for item in own:
            if isinstance(item, dict):
                assert item["include-group"] in groups
            elif item.startswith("shearer["):
                assert set(item[len("shearer[") : -1].split(",")) <= set(extras)
            else:
                assert ">=" in item, item


def test_every_hook_states_its_versions():
    (local,) = loaded(".pre-commit-config.yaml")["repos"]
    versions = {}
    for hook in local["hooks"]:
        assert hook["language"] == "python"
        first = hook["additional_dependencies"][0]
        tool, _, version = first.partition("==")
        assert version, first
        assert versions.setdefault(tool, version) == version
    assert {"ruff", "mypy", "codespell", "zizmor", "pre-commit-hooks"} == set(versions)
