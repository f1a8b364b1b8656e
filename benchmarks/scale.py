"""Scale: Lanczos beside all eigenvalues, cost of a row and of a pair, and the model that foretells large runs.

Processor seconds of one thread, not of the clock: the machine may be busy. Every model is fitted to small runs and then
checked against three larger ones.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import shearer as sh
from benchmarks.cases import Case
from shearer._threads import single_threaded_blas
from shearer.data import read
from shearer.data.variables import Block
from shearer.pairs.engine import PairTests
from shearer.sketching import PairSketch
from shearer.spectrum.dense import Dense
from shearer.spectrum.lanczos import Lanczos
from shearer.spectrum.request import Request

#: What the page on scale shows beside the cases: costs, and what large runs would take.
DETAILS: dict[str, Any] = {}
WORKERS = 100


def cpu(function: Callable[[], object], repeats: int = 1) -> float:
    """The least processor time of several runs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return min(seconds)


def lanczos() -> list[Case]:
    """n = 4000, half-width at most 0.05 bits, against all eigenvalues."""
    cases = []
    for dimensions, part in ((5, 0.5), (3, 0.2), (10, 0.5)):
        values = np.random.default_rng(0).normal(size=(4000, dimensions))
        kernel = sh.kernels.Gaussian(part * sh.kernels.Gaussian().width(values))
        gram = kernel.gram(Block("continuous", values), np.empty(0))
        found: list[sh.Estimate] = []
        request = Request(1.0, memory=10**10, tol=0.1)

        def ours(gram: Any = gram, found: list[sh.Estimate] = found, request: Request = request) -> None:
            found.append(Lanczos().solve(gram, request))

        exact: list[sh.Estimate] = []

        def dense(gram: Any = gram, exact: list[sh.Estimate] = exact) -> None:
            exact.append(Dense().solve(gram, Request(1.0, memory=10**10)))

        mine, reference = cpu(ours, 2), cpu(dense)
        assert found[0].width <= 0.1
        assert found[0].lower <= float(exact[0]) <= found[0].upper
        note = f"half-width {found[0].width / 2:.3g} bits, error {abs(float(found[0]) - float(exact[0])):.2g}; CPU time"
        name = f"Lanczos, n=4000, d={dimensions}, {part:g} of the median"
        cases.append(Case(name, mine, reference, "s", at_least=3, note=note))
    return cases


def pair_of(rows: int, seed: int = 0) -> np.ndarray:
    x, noise = np.random.default_rng(seed).normal(size=(2, rows))
    return np.column_stack([x, 0.7 * x + np.sqrt(0.51) * noise])


def rows() -> list[Case]:
    """I* of two scalars: seconds a row from 50,000 rows, foretold and measured at three sizes."""
    start = sh.Sketch.like(pair_of(4096, 1), measures=("mutual_information",))

    def seconds(count: int) -> float:
        sketch, chunk = start.empty(), pair_of(50_000)
        return cpu(lambda: [sketch.update(chunk) for _ in range(count // 50_000)])

    row = min(seconds(50_000) for _ in range(3)) / 50_000
    cases = []
    for count in (200_000, 500_000, 1_000_000):
        name = f"sketch, 2 scalars, {count:,} rows: against the model"
        cases.append(Case(name, seconds(count), row * count, "s", at_most=1.3, note="CPU time; slope 1 if it holds"))
    parts = [start.empty() for _ in range(8)]
    for part in parts:
        part.update(pair_of(2000))
    total = start.empty()
    merge = cpu(lambda: [total.merge(part) for part in parts]) / 8
    with tempfile.TemporaryDirectory() as folder:
        total.save(Path(folder) / "s.npz")
        size = (Path(folder) / "s.npz").stat().st_size
    DETAILS["rows"] = {
        "landmarks": start.landmarks,
        "seconds_a_row": row,
        "seconds_a_merge": merge,
        "bytes_of_a_sketch": size,
        "rows": 10**9,
        "workers": WORKERS,
        "seconds": row * 10**9 / WORKERS + merge * WORKERS,
    }
    return cases


def table(count: int, columns: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, columns)) + 0.1 * rng.normal(size=(count, 1))


def pair_rows() -> list[Case]:
    """Tests of all pairs in two passes: a row costs a p + b p^2, fitted at two numbers of columns."""

    def seconds(count: int, columns: int) -> float:
        data = table(count, columns)
        first = PairSketch.like(table(3000, columns, 1))
        taken = cpu(lambda: first.update(data))
        second = first.second_pass()
        return taken + cpu(lambda: second.update(data))

    sizes = (8, 32)
    costs = [min(seconds(4000, columns) for _ in range(2)) / 4000 for columns in sizes]
    single, pair = np.linalg.solve([[p, p * p] for p in sizes], costs).tolist()
    cases = []
    for columns, count in ((12, 16_000), (20, 12_000), (48, 8_000)):
        model = (single * columns + pair * columns**2) * count
        name = f"all pairs by sketch, {columns} columns, {count:,} rows"
        cases.append(Case(name, seconds(count, columns), model, "s", at_most=1.5, note="CPU time, two passes"))
    wanted = {"columns": 100, "rows": 10**9}
    cost = single * wanted["columns"] + pair * wanted["columns"] ** 2
    DETAILS["pair_rows"] = {
        "seconds_a_row_and_column": single,
        "seconds_a_row_and_pair": 2 * pair,
        **wanted,
        "workers": WORKERS,
        "seconds": cost * wanted["rows"] / WORKERS,
    }
    return cases


def columns() -> list[Case]:
    """Tests of all pairs of many columns in memory: a cell of 128 x 128 pairs is the unit of work on a cluster."""
    height = 500

    def seconds(count: int) -> float:
        whole = read(table(height, count))
        return cpu(lambda: PairTests.of(whole).pvalues(slice(0, count), slice(0, count), progress=False))

    def cells(count: int) -> float:
        tiles = count // 128
        return tiles * (tiles + 1) / 2

    # What a tile of columns costs by itself, and what a cell does, from two sizes.
    sizes = (128, 256)
    work = [[count // 128, cells(count)] for count in sizes]
    tile, cell = np.linalg.solve(work, [seconds(count) for count in sizes]).tolist()
    cases = []
    for count in (384, 512, 640):
        model = tile * (count // 128) + cell * cells(count)
        name = f"all pairs in memory, {count} columns, {height} rows"
        cases.append(Case(name, seconds(count), model, "s", at_most=1.3, note="CPU time"))
    wanted = 100_000
    tiles = -(-wanted // 128)
    # A task makes the two sides of its cell anew.
    total = tiles * (tiles + 1) / 2 * (cell + 2 * tile)
    DETAILS["columns"] = {
        "rows": height,
        "seconds_a_pair": cell / 128**2,
        "columns": wanted,
        "pairs": wanted * (wanted - 1) // 2,
        "workers": WORKERS,
        "seconds": total / WORKERS,
    }
    return cases


def run() -> list[Case]:
    with single_threaded_blas():
        return [*lanczos(), *rows(), *pair_rows(), *columns()]
