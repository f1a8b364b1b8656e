"""What a benchmark case is, how one line of it reads, and where its JSON goes."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Peak memory of a process in MiB, as an expression; ru_maxrss would count what the parent had at the fork.
PEAK = "next(int(l.split()[1]) / 1024 for l in open('/proc/self/status') if l.startswith('VmHWM'))"

RESULTS = Path(__file__).parent / "results"


@dataclass
class Options:
    """What the command line says.

    `before` is the folder of another checkout, `rivals` an interpreter that has the packages to compare with, and
    `whole` asks for what is extrapolated otherwise.
    """

    before: str | None = None
    rivals: str = sys.executable
    whole: bool = False


OPTIONS = Options()


@dataclass(frozen=True)
class Case:
    """One measured thing: our figure, the reference's, and the ratio that is promised.

    `ratio` is ours / reference where `at_most` is set, reference / ours where `at_least` is.
    """

    name: str
    ours: float
    reference: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.reference / self.ours if self.at_least is not None else self.ours / self.reference

    @property
    def holds(self) -> bool:
        if self.at_least is not None:
            return self.ratio >= self.at_least
        return self.at_most is None or self.ratio <= self.at_most

    @property
    def target(self) -> str:
        if self.at_least is not None:
            return f">= {self.at_least:g}x faster"
        return "-" if self.at_most is None else f"<= {self.at_most:g}x"

    def line(self) -> str:
        verdict = "holds" if self.holds else "FAILS"
        return (
            f"{self.name:<52} ours {self.ours:10.4g} {self.unit:<6} reference {self.reference:10.4g}"
            f"  ratio {self.ratio:8.3g}  target {self.target:<16} {verdict}"
        )


def child(code: str, *arguments: str, checkout: str | None = None, python: str = sys.executable) -> dict[str, Any]:
    """The JSON that a fresh process prints, with the source of another checkout if one is named."""
    environment = dict(os.environ)
    if checkout is not None:
        environment["PYTHONPATH"] = str(Path(checkout).resolve() / "src")
    command = [python, "-c", code, *arguments]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=7200)
    if answer.returncode:
        raise RuntimeError(f"a child process failed:\n{answer.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def best(function: Callable[[], object], repeats: int) -> float:
    """The shortest of several runs: disturbances only ever add."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def write(name: str, cases: list[Case], details: Mapping[str, Any]) -> Path:
    """Write the cases, the machine they ran on and what else was found: the source of every published figure."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    machine = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }
    rows = [asdict(case) | {"ratio": case.ratio, "target": case.target, "holds": case.holds} for case in cases]
    path.write_text(json.dumps({"machine": machine, "cases": rows, **details}, indent=2) + "\n")
    return path
