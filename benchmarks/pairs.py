"""All pairs and all triples at alpha=2: beside the bare matrix product, a loop over dcor, and hoi.

Needs dcor (``pip install dcor``); hoi is used where it is installed.
"""

import importlib.util
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk, ssyrk

import shearer as sh
from benchmarks.cases import PEAK, Case
from shearer._threads import single_threaded_blas, thread_count
from shearer.screening import pairwise, triples

ROWS = 136
ROW_PAIRS = ROWS * (ROWS - 1) // 2


def interleaved(*functions: Callable[[], object], repeats: int) -> list[float]:
    """Smallest time of each, taken in turns so that a busy moment falls on all of them."""
    best = [math.inf] * len(functions)
    for _ in range(repeats):
        for position, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[position] = min(best[position], time.perf_counter() - start)
    return best


def columns(count: int, seed: int = 0) -> np.ndarray:
    """Normal columns, some of which depend on each other."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, count))
    x[:, 1::10] += x[:, ::10][:, : x[:, 1::10].shape[1]]
    return x


def bare_product(count: int, dtype: str) -> Callable[[], object]:
    """The symmetric product of as many stacked triangles, of any numbers: one triangle of the result."""
    stack = np.random.default_rng(0).random((count, ROW_PAIRS), dtype=dtype)
    syrk = dsyrk if dtype == "float64" else ssyrk
    return lambda: syrk(1.0, stack.T, trans=True)


def check_pairs(values: np.ndarray, x: np.ndarray, count: int, tolerance: float) -> None:
    """Random pairs against the measure itself."""
    for i, j in np.random.default_rng(1).integers(0, x.shape[1], size=(count, 2)):
        expected = sh.mutual_information(x[:, i], x[:, j], alpha=2)
        if abs(values[i, j] - expected) > tolerance:
            raise AssertionError(f"pair ({i}, {j}): {values[i, j]} instead of {expected}")


def beside_the_product(dtype: str, threads: int) -> Case:
    """1000 columns, widths included, against the product alone."""
    x = columns(1000)
    limit: AbstractContextManager[Any] = single_threaded_blas() if threads == 1 else nullcontext()
    with limit:
        product = bare_product(1000, dtype)
        pairwise(x, dtype=dtype), product()
        ours, reference = interleaved(lambda: pairwise(x, dtype=dtype), product, repeats=9)
    check_pairs(pairwise(x, dtype=dtype).value, x, 20, 1e-11 if dtype == "float64" else 1e-5)
    name = f"all pairs, 1000 x {ROWS}, {dtype}, {threads} thread{'s'[: threads > 1]}"
    note = "reading and widths inside; reference: syrk of the ready triangles, same dtype and threads"
    return Case(name, ours, reference, "s", at_most=2.5, note=note)


def beside_dcor() -> Case:
    """1000 columns against a loop over dcor, from a sample of its pairs."""
    import dcor

    x = columns(1000)
    sample = np.random.default_rng(2).integers(0, 1000, size=(400, 2))
    data = [np.ascontiguousarray(column) for column in x.T]

    def loop() -> None:
        for i, j in sample:
            dcor.distance_correlation(data[i], data[j])

    loop(), pairwise(x)  # dcor compiles itself on its first call
    ours, sampled = interleaved(lambda: pairwise(x), loop, repeats=7)
    pairs = 1000 * 999 // 2
    one = sampled / len(sample)
    note = f"reference: {one:.2g} s a pair on {len(sample)} of {pairs} pairs, scaled, on the one thread that it takes"
    return Case(f"all pairs, 1000 x {ROWS}, v a loop over dcor", ours, one * pairs, "s", at_least=200, note=note)


_WIDE = 10_000
_CHILD = f"""
import json, time
from benchmarks.pairs import bare_product, check_pairs, columns, interleaved, pairwise
x = columns({_WIDE})
pairwise(x[:, :50], dtype="float32")
start = time.perf_counter()
m = pairwise(x, dtype="float32", memory="4GB")
seconds = time.perf_counter() - start
peak = {PEAK} * 2**20
check_pairs(m.value, x, 100, 1e-5)
result = m.value.nbytes + m.joint.nbytes
del m
product = bare_product(4000, "float32")
product()
print(json.dumps([seconds, peak - result, interleaved(product, repeats=3)[0]]))
"""


def many_columns() -> list[Case]:
    """10,000 columns in single precision, in a process of its own, one thread."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    path = os.pathsep.join(["", *sys.path, os.environ.get("PYTHONPATH", "")])
    runs = []
    for _ in range(2):
        out = subprocess.check_output([sys.executable, "-c", _CHILD], env={**os.environ, **one, "PYTHONPATH": path})
        runs.append(json.loads(out))
    seconds, beyond, product = (min(column) for column in zip(*runs, strict=True))
    reference = product * (_WIDE / 4000) ** 2
    name = f"all pairs, {_WIDE} x {ROWS}, float32"
    note = "one thread; 100 random pairs equal mutual_information to 1e-5; reference: syrk of 4000 columns x (10/4)^2"
    memory = "peak of a child process, interpreter included, less value and joint; reference: 1 GiB"
    return [
        Case(f"{name}, 1 thread", seconds, reference, "s", at_most=1.5, note=note),
        Case(f"{name}, memory beyond the result", beyond / 2**30, 1.0, "GiB", at_most=1.0, note=memory),
    ]


def all_triples() -> Case:
    """All 19,600 triples of 50 columns x 1000 rows."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1000, 50))
    found = triples(x)
    chosen = found.index[rng.integers(0, len(found), size=6)]
    if importlib.util.find_spec("hoi"):
        one, note = _hoi_triple(x), "O-information by hoi, knn"
    else:
        one, note = _own_triple(x), "T*, D* and O by a loop over Dependence"
    for index in chosen:
        noun = sh.Dependence(*x[:, index].T, alpha=2)
        place = int(np.flatnonzero((found.index == index).all(axis=1))[0])
        if abs(noun.total_correlation().value - found.total_correlation[place]) > 1e-11:
            raise AssertionError(f"triple {index}")
    ours, sampled = interleaved(lambda: triples(x), lambda: one(chosen), repeats=2)
    note = f"reference: {note}, {sampled / len(chosen):.2g} s a triple on {len(chosen)} triples, scaled"
    return Case("all triples, 50 x 1000", ours, sampled / len(chosen) * len(found), "s", note=note)


def defaults_of_triples() -> list[Case]:
    """The same beside what hoi does without options: the Gaussian copula."""
    if not importlib.util.find_spec("hoi"):
        return []
    from hoi.metrics import Oinfo

    x = np.random.default_rng(3).normal(size=(1000, 50))

    def theirs() -> object:
        return Oinfo(x, verbose=False).fit(minsize=3, maxsize=3)

    triples(x), theirs()
    ours, reference = interleaved(lambda: triples(x), theirs, repeats=2)
    name = "all triples, 50 x 1000, v hoi's default"
    return [Case(name, ours, reference, "s", note="reference: O-information by hoi, Gaussian copula")]


def _hoi_triple(x: np.ndarray) -> Callable[[np.ndarray], object]:
    from hoi.metrics import Oinfo

    def fit(chosen: np.ndarray) -> object:
        return Oinfo(x, multiplets=chosen.tolist(), verbose=False).fit(minsize=3, maxsize=3, method="knn")

    fit(np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3], [2, 3, 4], [3, 4, 5]]))  # jax compiles for these shapes
    return fit


def _own_triple(x: np.ndarray) -> Callable[[np.ndarray], object]:
    def measure(chosen: np.ndarray) -> object:
        nouns = [sh.Dependence(*x[:, index].T, alpha=2) for index in chosen]
        return [(n.total_correlation(), n.dual_total_correlation(), n.o_information()) for n in nouns]

    return measure


def run() -> list[Case]:
    if importlib.util.find_spec("dcor") is None:
        raise ImportError("benchmarks.pairs measures against dcor, which is not installed. Run: pip install dcor")
    cases = [beside_the_product("float64", 1), beside_the_product("float32", 1)]
    if thread_count() > 1:
        cases.append(beside_the_product("float64", thread_count()))
    return [*cases, beside_dcor(), *many_columns(), all_triples(), *defaults_of_triples()]
