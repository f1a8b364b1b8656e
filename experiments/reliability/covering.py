"""Which tests run which lines of the packages that mutants change: a plugin of pytest that traces them.

Tests that do not run a line cannot notice a change of it, and the fastest of the others notice it soonest. What is kept
from test to test would hide who runs a line: caches are emptied before each test, and what the fixtures of a file have
run counts for all of its tests. Lines that a module runs as it is imported are not traced.
"""

import functools
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

#: Names of the environment: the folder and the packages in it that are traced, and where the record goes.
FOLDER, PACKAGES, RECORD = "SHEARER_TRACED", "SHEARER_PACKAGES", "SHEARER_RECORD"


class Recorder:
    """Lines by test and what each test took, written at the end of the session."""

    def __init__(self, folder: Path, packages: list[str], path: Path) -> None:
        self._folder, self._path = folder, path
        self._prefixes = tuple(f"{folder / package}{os.sep}" for package in packages)
        self._tests: dict[str, dict[str, Any]] = {}
        self._lines: set[tuple[str, int]] = set()
        # What a fixture of a module has run, counts for all tests of the module.
        self._of_fixtures: dict[str, set[tuple[str, int]]] = {}

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._on_line if frame.f_code.co_filename.startswith(self._prefixes) else None

    def _on_line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._on_line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        yield from self._traced()
        self._of_fixtures.setdefault(item.nodeid.partition("::")[0], set()).update(self._lines)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        began = time.process_time()
        yield from self._traced()
        self._tests[item.nodeid] = {"seconds": time.process_time() - began, "lines": self._lines}

    def _traced(self) -> Iterator[None]:
        self._lines = set()
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "shearer":
                for kept in vars(module).values():
                    if isinstance(kept, functools._lru_cache_wrapper):
                        kept.cache_clear()
        threading.settrace(self._on_call)
        sys.settrace(self._on_call)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]

    def pytest_sessionfinish(self) -> None:
        found: dict[str, list[tuple[float, str]]] = {}
        for test, own in self._tests.items():
            for file, line in own["lines"] | self._of_fixtures[test.partition("::")[0]]:
                place = f"{Path(file).relative_to(self._folder).as_posix()}:{line}"
                found.setdefault(place, []).append((round(own["seconds"], 3), test))
        self._path.write_text(json.dumps({line: sorted(tests) for line, tests in sorted(found.items())}))


def pytest_configure(config: pytest.Config) -> None:
    packages = os.environ[PACKAGES].split(",")
    config.pluginmanager.register(Recorder(Path(os.environ[FOLDER]), packages, Path(os.environ[RECORD])))
