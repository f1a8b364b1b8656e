"""Faults of a Dask cluster on which a command runs: scheduler or all workers killed, a worker of another version.

Scheduler and workers are processes of their own, as on several machines. Cases of faults.py.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

COMMAND = [sys.executable, "-m", "shearer", "scan"]
OPTIONS = ["--order", "2", "--top", "0", "-q"]
PATIENCE = 300
PARTS, ROWS = 6, 4000
Process = subprocess.Popen


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, running: contextlib.ExitStack) -> None:
        self._folder, self._running = folder, running
        file = folder / "scheduler.json"
        options = ["--scheduler-file", str(file), "--port", "0", "--dashboard-address", ":0"]
        self.scheduler = self._start("dask_scheduler", options)
        until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        self.address = str(json.loads(file.read_text())["address"])
        self.workers: list[Process[bytes]] = []

    def add_worker(self, **variables: str) -> None:
        """One more, which is back after it was killed (by its nanny)."""
        options = [self.address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
        self.workers.append(self._start("dask_worker", options, **variables))

    def wait(self, count: int) -> None:
        """Until so many workers are there."""
        from distributed import Client

        with Client(self.address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(count, timeout=PATIENCE)

    def pids(self) -> list[int]:
        """Of the workers themselves."""
        from distributed import Client

        with Client(self.address, timeout="60s", set_as_default=False) as client:
            return list(client.run(os.getpid).values())

    def _start(self, program: str, options: list[str], **variables: str) -> "Process[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.{program}", *options]
        silent = subprocess.DEVNULL
        process = subprocess.Popen(
            command, stdout=silent, stderr=silent, env={**os.environ, **variables}, cwd=self._folder
        )
        self._running.callback(process.wait)
        self._running.callback(process.terminate)
        return process


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.05)


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[tuple[Cluster, Path, list[str]]]:
    """A cluster, a folder and files in it."""
    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as running:
        folder = Path(place)
        paths = []
        for number in range(PARTS):
            rng = np.random.default_rng(number)
            x = rng.normal(size=ROWS)
            columns = {"x": x, "y": x**2 + rng.normal(size=ROWS)}
            columns |= {f"noise_{k}": rng.normal(size=ROWS) for k in range(6)}
            paths.append(str(folder / f"part-{number:02d}.csv"))
            pl.DataFrame(columns).write_csv(paths[-1])
        found = Cluster(folder, running)
        for _ in range(workers):
            found.add_worker()
        found.wait(workers)
        yield found, folder, paths


def scan(paths: list[str], *options: str) -> "Process[bytes]":
    return subprocess.Popen([*COMMAND, *paths, *OPTIONS, *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)


def finish(process: "Process[bytes]") -> tuple[int, str]:
    said = process.communicate(timeout=PATIENCE)[1].decode(errors="replace")
    lines = [line for line in said.strip().splitlines() if line.startswith("shearer: ")]
    ours = "Traceback" not in said and "bug" not in said
    shown = (lines[-1] if lines else "") if ours else said[-500:]
    return process.returncode, re.sub(r"tcp://[0-9.:]+", "its address", shown)


def begun(process: "Process[bytes]", folder: Path) -> bool:
    """Wait until the command has parts of its work done on the cluster: its shards, or time for them."""
    until(lambda: process.poll() is not None or any((folder / "shards").glob("*.json")))
    time.sleep(1.0)
    return process.poll() is None


def pairs(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))["pairs"]


def lost_scheduler() -> dict[str, Any]:
    """One sentence, no hang."""
    with cluster(1) as (found, folder, paths):
        process = scan(paths, "--scheduler", found.address, "--shards", str(folder / "shards"))
        middle = begun(process, folder)
        found.scheduler.send_signal(signal.SIGKILL)
        code, said = finish(process)
        good = code in (1, 2) and "cluster" in said
        return {"fault": "scheduler killed", "in the middle": middle, "code": code, "said": said, "good": good}


def lost_workers() -> dict[str, Any]:
    """Both killed at once; their nannies start others, and the answer is that of a quiet run."""
    with cluster(2) as (found, folder, paths):
        whole, out = folder / "whole.json", folder / "out.json"
        code, said = finish(scan(paths, "--stream", "--json", str(whole)))
        assert code == 0, said
        process = scan(paths, "--scheduler", found.address, "--json", str(out), "--shards", str(folder / "shards"))
        pids = found.pids()
        middle = begun(process, folder)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        code, said = finish(process)
        same = code == 0 and pairs(out) == pairs(whole)
        return {"fault": "both workers killed", "in the middle": middle, "code": code, "said": said, "good": same}


def other_version() -> dict[str, Any]:
    """Refused in words before any work goes there."""
    with cluster(1) as (found, folder, paths):
        other = folder / "other" / "shearer"
        other.mkdir(parents=True)
        (other / "__init__.py").write_text("")
        (other / "_version.py").write_text('__version__ = "0.0.9"\n')
        found.add_worker(PYTHONPATH=str(other.parent))
        found.wait(2)
        code, said = finish(scan(paths[:2], "--scheduler", found.address))
        good = code in (1, 2) and "expected workers with shearer" in said and "0.0.9" in said
        return {"fault": "worker of another version", "code": code, "said": said, "good": good}


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "scheduler killed": lost_scheduler,
    "both workers killed": lost_workers,
    "worker of another version": other_version,
}
