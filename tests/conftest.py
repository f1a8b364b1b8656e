"""Threads, seeds, array libraries, and what happens to tests whose component is missing."""

import importlib
import importlib.util
import os
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


def data_folder() -> Path | None:
    """The folder of real data, where `SHEARER_DATA` names one."""
    folder = os.environ.get("SHEARER_DATA")
    return Path(folder) if folder and Path(folder).is_dir() else None


def is_present(component: str) -> bool:
    if component == "data":
        return data_folder() is not None
    if component == "chromium":  # the browser and the library that drives it
        return shutil.which("chromium") is not None and is_present("playwright")
    return importlib.util.find_spec(component) is not None


def pytest_configure(config: pytest.Config) -> None:
    """Where a component is named, as in CI, its absence is a failure and not a reason to leave tests out."""
    required = [name for name in os.environ.get("SHEARER_REQUIRE", "").split(",") if name]
    absent = [name for name in required if not is_present(name)]
    if absent:
        raise pytest.UsageError(f"SHEARER_REQUIRE names {', '.join(absent)}, which is missing here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, and count, tests whose component is missing."""
    kept, left_out = [], []
    for item in items:
        if item.path.name == "README.md":
            item.add_marker(pytest.mark.needs("torch"))
        missing = [mark.args[0] for mark in item.iter_markers("needs") if not is_present(mark.args[0])]
        (left_out if missing else kept).append(item)
        _deselected.update(missing[:1])
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    if hasattr(config, "workeroutput"):
        config.workeroutput["deselected"] = dict(_deselected)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    """Every worker of pytest-xdist collects all tests: one count stands for all."""
    _deselected.clear()
    _deselected.update(getattr(node, "workeroutput", {}).get("deselected", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for component, count in sorted(_deselected.items()):
        terminalreporter.write_line(f"{count} tests left out: {component} is not here", yellow=True)


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
