"""Threads of the matrix library: processor time of a small scan beside other work, and what large work keeps.

Each measurement runs in a process of its own, with OPENBLAS_NUM_THREADS set before numpy loads.
"""

import os
import subprocess
import sys
from contextlib import contextmanager

from benchmarks.cases import Case

REPEATS = 3
BUSY = "while True: pass"
PREPARE = """
import resource, time
import numpy as np
import shearer as sh
rng = np.random.default_rng(0)
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
def best(function, repeats):
    found = []
    for _ in range(repeats):
        wall, start = time.perf_counter(), used()
        function()
        found.append((used() - start, time.perf_counter() - wall))
    return [min(column) for column in zip(*found)]
"""
SCAN = """
table = sh.datasets.planted_table(200).columns
work = lambda: sh.scan(table, progress=False)
work()
"""
DENSE = """
x = rng.normal(size=(2000, 3))
work = lambda: sh.entropy(x, alpha=0.5)
"""
TEST = """
x, y = rng.normal(size=(2, {rows}))
work = lambda: [sh.independence_test(x, y) for _ in range({times})]
work()
"""
PAIRS = """
table = rng.normal(size=(136, 1000))
work = lambda: sh.pairwise(table, progress=False)
work()
"""


def _seconds(preparation: str, threads: int, repeats: int) -> tuple[float, float]:
    """Processor seconds and seconds, the smallest of some runs."""
    code = f"{PREPARE}{preparation}\nprint(*best(work, {repeats}))"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    environment.pop("OMP_NUM_THREADS", None)
    found = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    processor, wall = found.stdout.split()
    return float(processor), float(wall)


@contextmanager
def _busy_machine(loops: int):
    """So many loops beside the measurement, which end with it."""
    running = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def run() -> list[Case]:
    cases = []
    with _busy_machine(2):
        two, one = _seconds(SCAN, 2, REPEATS)[0], _seconds(SCAN, 1, REPEATS)[0]
        note = "the demo's table; two BLAS threads against one, two busy loops beside"
        cases.append(Case("scan 200 x 11, busy, CPU time", two, one, "s", at_most=1.3, note=note))
        two, one = _seconds(DENSE, 2, 1)[0], _seconds(DENSE, 1, 1)[0]
        note = "all eigenvalues; two BLAS threads against one, two busy loops beside"
        cases.append(Case("entropy of 2000 rows, busy, CPU time", two, one, "s", note=note))
    for name, preparation in (
        ("scan 200 x 11", SCAN),
        ("entropy of 2000 rows, all eigenvalues", DENSE),
        ("50 independence tests, 50 rows", TEST.format(rows=50, times=50)),
        ("10 independence tests, 200 rows", TEST.format(rows=200, times=10)),
        ("independence test, 2000 rows", TEST.format(rows=2000, times=1)),
        ("pairs of 1000 columns, 136 rows", PAIRS),
    ):
        two, one = _seconds(preparation, 2, REPEATS)[1], _seconds(preparation, 1, REPEATS)[1]
        cases.append(
            Case(f"{name}, time", two, one, "s", note="two BLAS threads against one; the load is the machine's")
        )
    return cases
