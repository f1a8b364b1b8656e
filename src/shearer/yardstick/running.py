"""Run methods on suites: resumable, within budgets, spread over cores."""

import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shearer._files.writing import check_writable
from shearer._jobs import check_jobs, spread
from shearer._progress import track
from shearer._validate import check_names, check_positive, describe, type_error, value_error
from shearer._version import __version__
from shearer.inference.permutation.resampling import check_count
from shearer.yardstick.killable import close_idle, run_job
from shearer.yardstick.known_design import Design, Suite
from shearer.yardstick.method import Method
from shearer.yardstick.registered import METHODS, present_methods
from shearer.yardstick.stored import FORMAT, read_document, write_document
from shearer.yardstick.suites import SUITES
from shearer.yardstick.trial_worker import Job, answers

#: Rejections are counted at this level.
LEVEL = 0.05
# Seconds between two writes of the file.
_WRITE_EVERY = 5.0


@dataclass(frozen=True)
class Effort:
    """How much is run of each cell, which is one method on one design.

    Parameters
    ----------
    nulls, alternatives : int
        Trials of designs whose hypothesis holds, and of others.
    budget : float
        Seconds of the processor after which no further trial of a cell is begun.
    patience : float
        Seconds of one call after which its process is killed.
    """

    nulls: int = 200
    alternatives: int = 100
    budget: float = 60.0
    patience: float = 60.0

    def trials(self, design: Design) -> int:
        """At most, of a design."""
        wanted = self.alternatives if design.null is False else self.nulls
        return min(wanted, design.most or wanted)


#: Of a quick run.
QUICK = Effort(80, 50, 1.5, 60.0)


def run(
    path: str | os.PathLike[str] | None = None,
    *,
    suites: Sequence[str] | None = None,
    methods: Iterable[Method | str] | None = None,
    quick: bool = False,
    effort: Effort | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    isolated: bool = True,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Judge methods on suites of designs with known answers.

    Parameters
    ----------
    path : path, optional
        A JSON file for the result, written while the run goes on. If it is there, what it holds is not run again.
    suites : sequence of str, optional
        Names of `SUITES`; default: all.
    methods : iterable of Method or str, optional
        What to judge: names of `METHODS`, or methods of one's own. Default: all of `METHODS` whose packages are there.
    quick : bool, default False
        Designs of the quick selection only, and the effort `QUICK` unless stated.
    effort : Effort, optional
        Trials and seconds.
    seed : int, default 0
        Of the designs: trial k of a design draws the same data for every method.
    n_jobs : int, optional
        Cells at a time, each in a process of its own; `joblib.parallel_config` names other places to start them.
    isolated : bool, default True
        False: in this process, for debuggers and for methods that are quick and trusted; nothing is killed then.
    progress : bool, optional
        As elsewhere: a bar on stderr. Default: if the run takes seconds.

    Returns
    -------
    dict
        The document that the file holds; `shearer.yardstick.summary` and `render` read it.

    Examples
    --------
    >>> from shearer.yardstick import Effort, Method, run
    >>> coin = Method("coin", lambda x, y: 0.04 if x[0] > 0 else 0.9)
    >>> found = run(suites=["scaling"], methods=[coin], quick=True, effort=Effort(nulls=2), isolated=False)
    >>> found["cells"][0]["method"], found["cells"][0]["trials"]
    ('coin', 2)
    """
    chosen = [SUITES[name] for name in _suite_names(suites)]
    judged = _judged(methods)
    effort = effort or (QUICK if quick else Effort())
    _check_effort(effort)
    check_count("seed", seed, 0)
    check_jobs(n_jobs)
    document = _started(path, chosen, judged, quick, effort, seed)
    known = {(cell["method"], cell["suite"], cell["design"]) for cell in document["cells"]}
    jobs = [
        Job(method, suite.name, design.name, 0, effort.trials(design), seed, effort.budget)
        for suite in chosen
        for method in judged
        for design in suite.designs
        if (design.quick or not quick)
        and method.applies(design, suite.task)
        and (method.name, suite.name, design.name) not in known
    ]
    one: Callable[[Job], dict[str, Any]] = partial(_cell, patience=effort.patience if isolated else None)
    written = time.monotonic()
    try:
        for cell in track(_ended(spread(one, jobs, n_jobs)), len(jobs), "yardstick", progress):
            document["cells"].append(cell)
            if path is not None and time.monotonic() - written > _WRITE_EVERY:
                write_document(path, document)
                written = time.monotonic()
    finally:
        if path is not None:
            write_document(path, document)
    return document


def _ended(cells: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The cells, and after the last no process is left."""
    try:
        yield from cells
    finally:
        close_idle()


def _suite_names(suites: Sequence[str] | None) -> list[str]:
    if suites is None:
        return list(SUITES)
    if isinstance(suites, str):
        raise type_error("suites", "a list of names", describe(suites), f"suites=[{suites!r}]")
    check_names("suites", suites, SUITES)
    return list(dict.fromkeys(suites))


def _judged(methods: Iterable[Method | str] | None) -> list[Method]:
    if methods is None:
        return present_methods()
    if isinstance(methods, str):
        raise type_error("methods", "a list of methods or names", describe(methods), f"methods=[{methods!r}]")
    found = []
    for method in methods:
        if isinstance(method, str):
            check_names("methods", [method], METHODS)
            method = METHODS[method]
        if not isinstance(method, Method):
            raise type_error("methods", "a Method or the name of one", describe(method), "Method('name', function)")
        if not method.present:
            raise value_error("methods", f"{method.needs} to be installed for {method.name}", "no such module")
        found.append(method)
    names = [method.name for method in found]
    if len(set(names)) < len(names):
        raise value_error("methods", "names that differ", ", ".join(names))
    return found


def _check_effort(effort: Effort) -> None:
    check_count("nulls", effort.nulls, 1)
    check_count("alternatives", effort.alternatives, 1)
    check_positive("budget", effort.budget)
    check_positive("patience", effort.patience)


def _started(
    path: str | os.PathLike[str] | None,
    suites: Sequence[Suite],
    methods: Sequence[Method],
    quick: bool,
    effort: Effort,
    seed: int,
) -> dict[str, Any]:
    """The document to go on with: that of the file, or a new one."""
    settings = {"quick": quick, "seed": seed, "level": LEVEL, **vars(effort)}
    fresh: dict[str, Any] = {
        "format": FORMAT,
        "shearer": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "settings": settings,
        "suites": {},
        "methods": {},
        "cells": [],
    }
    if path is not None:
        check_writable("path", path)
    document = read_document(path) if path is not None and Path(path).exists() else fresh
    if document["settings"] != settings:
        raise value_error(
            "path",
            f"a result of the settings {describe(settings)}",
            describe(document["settings"]),
            "Name another file.",
        )
    for suite in suites:
        held = document["suites"].setdefault(suite.name, {"version": suite.version})
        if held["version"] != suite.version:
            got = f"version {held['version']}"
            raise value_error("path", f"suite {suite.name!r} of version {suite.version}", got, "Name another file.")
        shown = [design.described() for design in suite.designs if design.quick or not quick]
        held |= {"task": suite.task, "question": suite.question, "designs": shown}
    for method in methods:
        untaken = document["methods"].get(method.name, {}).get("untaken", {})
        untaken |= {
            suite.name: [design.name for design in suite.designs if not method.applies(design, suite.task)]
            for suite in suites
            if suite.task in method.tasks
        }
        document["methods"][method.name] = {**method.described(), "untaken": untaken}
    return document


def machine() -> dict[str, Any]:
    """What the seconds were measured on."""
    import scipy

    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _cell(job: Job, patience: float | None) -> dict[str, Any]:
    """What one method answers on one design; without patience, in this process."""
    found, stopped = (list(answers(job)), None) if patience is None else run_job(job, patience)
    values = [answer["value"] for answer in found]
    refused = [answer["refused"] for answer in found if answer["refused"]]
    given = [value for value in values if value is not None]
    cell: dict[str, Any] = {
        "method": job.method.name,
        "suite": job.suite,
        "design": job.design,
        "trials": len(values),
        "answered": len(given),
        "status": "timeout" if stopped == "timeout" else "failed" if stopped else "done",
        "why": (None if stopped == "timeout" else stopped) or (refused[0] if refused else None),
        "seconds": _middle([answer["seconds"] for answer in found]),
        "wall": _middle([answer["wall"] for answer in found]),
        "values": [None if value is None else float(f"{value:.6g}") for value in values],
    }
    if SUITES[job.suite].task == "strength":
        cell["mean"] = float(np.mean(given)) if given else None
        cell["error"] = float(np.std(given, ddof=1) / math.sqrt(len(given))) if len(given) > 1 else None
    else:
        # A trial without an answer rejects nothing.
        count = sum(value <= LEVEL for value in given)
        cell["rejected"] = count
        cell["rate"] = count / len(values) if values else None
        cell["error"] = math.sqrt(count * (len(values) - count) / len(values) ** 3) if values else None
    return cell


def _middle(values: Sequence[float]) -> float | None:
    return float(f"{np.median(values):.3g}") if values else None
