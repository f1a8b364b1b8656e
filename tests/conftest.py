"""Threads, seeds, array libraries, and what happens to tests whose component is missing."""

import importlib
import importlib.util
import os
import random
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

# Before numpy or torch load: two workers with two threads each slow each other down many times over.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

hypothesis.settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("default")

_deselected: Counter[str] = Counter()
_ROOT = Path(__file__).parent.parent
# Files that cannot be imported without torch, and examples in text and docstrings that use it.
_IMPORTS_TORCH = re.compile(r"^(?:import|from) (?:torch|shearer\.neural)\b", re.MULTILINE)
_USES_TORCH = re.compile(r"\b(?:torch|neural|mine)\b")


def data_folder() -> Path | None:
    """The folder of real data, where `SHEARER_DATA` names one."""
    folder = os.environ.get("SHEARER_DATA")
    return Path(folder) if folder and Path(folder).is_dir() else None


def is_present(component: str) -> bool:
    if component == "data":
        return data_folder() is not None
    if component == "chromium":  # the browser and the library that drives it
        return shutil.which("chromium") is not None and is_present("playwright")
    if component == "systemd":  # as what runs the machine
        return Path("/run/systemd/system").exists() and shutil.which("systemd-run") is not None
    if component == "control_group":  # a folder of version 2 that is handed to this process
        return Path(os.environ.get("SHEARER_CONTROL_GROUP", "/nowhere")).is_dir()
    return importlib.util.find_spec(component) is not None


def pytest_configure(config: pytest.Config) -> None:
    """Where a component is named, as in CI, its absence is a failure and not a reason to leave tests out."""
    required = [name for name in os.environ.get("SHEARER_REQUIRE", "").split(",") if name]
    absent = [name for name in required if not is_present(name)]
    if absent:
        raise pytest.UsageError(f"SHEARER_REQUIRE names {', '.join(absent)}, which is missing here")
    if not is_present("torch"):
        config.pluginmanager.register(WithoutTorch())


class WithoutTorch:
    """Leaves out, and counts, files that need torch. A plugin, because a conftest is not asked about src."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if collection_path.suffix != ".py":
            return None
        inside = collection_path.is_relative_to(_ROOT) and "neural" in collection_path.relative_to(_ROOT).parts
        if not inside and not _IMPORTS_TORCH.search(collection_path.read_text(encoding="utf-8")):
            return None
        _deselected["files, torch"] += 1
        return True


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in an order drawn at random")


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.getoption("shuffle")
    return None if seed is None else f"order of the tests: --shuffle={seed}"


def is_example(item: pytest.Item, pattern: re.Pattern[str]) -> bool:
    """Whether an item is a doctest whose examples use something."""
    examples = getattr(getattr(item, "dtest", None), "examples", ())
    return any(pattern.search(example.source) for example in examples)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, and count, tests whose component is missing."""
    kept, left_out = [], []
    for item in items:
        if is_example(item, _USES_TORCH):
            item.add_marker(pytest.mark.needs("torch"))
        missing = [mark.args[0] for mark in item.iter_markers("needs") if not is_present(mark.args[0])]
        (left_out if missing else kept).append(item)
        _deselected.update(missing[:1])
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    seed = config.getoption("shuffle")
    if seed is not None:  # every worker of pytest-xdist draws the same order
        random.Random(seed).shuffle(items)
    if hasattr(config, "workeroutput"):
        config.workeroutput["deselected"] = dict(_deselected)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    """Every worker of pytest-xdist collects all tests: one count stands for all."""
    _deselected.clear()
    _deselected.update(getattr(node, "workeroutput", {}).get("deselected", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for component, count in sorted(_deselected.items()):
        what, _, name = component.rpartition(", ")
        terminalreporter.write_line(f"{count} {what or 'tests'} left out: {name} is not here", yellow=True)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20210202)


@pytest.fixture
def folder() -> Path:
    """The real data; only for tests marked needs("data")."""
    found = data_folder()
    assert found is not None
    return found


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command line in this process, which is faster."""
    from shearer.cli import main

    def call(*arguments):
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setattr(sys, "argv", ["shearer", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        out = capsys.readouterr()
        return SimpleNamespace(returncode=stop.value.code or 0, stdout=out.out, stderr=out.err)

    return call


LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.needs("torch")),
    pytest.param("array_api_strict", marks=pytest.mark.needs("array_api_strict")),
]


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest):
    """An array library; tests that take it run once for each."""
    return importlib.import_module(request.param)
