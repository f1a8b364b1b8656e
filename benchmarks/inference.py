"""Tests without permutations beside hyppo's: the same samples, the same run, rivals compiled first."""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

import shearer as sh
from benchmarks.cases import Case

ROWS, RESAMPLES, TIMED = 2000, 1000, 20


def best(function: Callable[[], object], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def permutation_seconds(x: np.ndarray, y: np.ndarray) -> float:
    """hyppo's Hsic with 1000 permutations, extrapolated from 20: its cost is proportional to their number."""
    from hyppo.independence import Hsic

    warnings.simplefilter("ignore")
    Hsic().test(x[:100], y[:100], reps=5, workers=1, auto=False)  # compiles
    base = best(lambda: Hsic().test(x, y, reps=1, workers=1, auto=False), 1)
    more = best(lambda: Hsic().test(x, y, reps=TIMED + 1, workers=1, auto=False), 1)
    return base + (more - base) / TIMED * (RESAMPLES - 1)


def one_test() -> list[Case]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 1))
    y = 0.05 * x + rng.normal(size=(ROWS, 1))
    reference = permutation_seconds(x, y)
    note = f"hyppo Hsic, {RESAMPLES} permutations, extrapolated from {TIMED}"
    cases = []
    for method, target in (("moments", 500), ("aggregated", 100)):
        ours = best(lambda m=method: sh.independence_test(x, y, method=m), 3)
        cases.append(Case(f"{method} test, n={ROWS}", ours, reference, "s", at_least=target, note=note))
    return cases


def run() -> list[Case]:
    return one_test()
