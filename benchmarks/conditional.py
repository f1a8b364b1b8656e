"""Independence given conditions beside the tests of causal-learn: the same data in the same run, in turns.

Processor time with the matrix library held to one thread, for ours and for theirs, so that neither a second core nor
other work on the machine decides. KCI, whose cost grows with the cube of the rows, is extrapolated to 10,000 rows from
2000 (`--whole`: measured). Without causal-learn its tests are named as missing and only our own times are written.
"""

import importlib.util
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import shearer as sh
from benchmarks.cases import OPTIONS, Case
from shearer._threads import single_threaded_blas

# rows -> our time over KCI's, at most
PROMISED = {200: 2.0, 1000: 0.1}
REPEATS = {200: 12, 1000: 4}
DIMENSIONS = (1, 5)
RIVALS = {"KCI": "kci", "RCIT": "rcit", "FastKCI": "fastkci"}
CUBIC_ROWS, LARGE_ROWS, MANY_ROWS, SECONDS = 2000, 10_000, 100_000, 300.0
DETAILS: dict[str, Any] = {}


def sample(rows: int, dimensions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(rows)
    z = rng.normal(size=(rows, dimensions))
    mean = z.sum(axis=1) / dimensions**0.5
    return mean + rng.normal(size=rows), np.sin(mean) + rng.normal(size=rows), z


def ours(rows: int, dimensions: int) -> Callable[[], object]:
    x, y, z = sample(rows, dimensions)
    return lambda: sh.independence_test(x, y, given=z)


def theirs(name: str, rows: int, dimensions: int) -> Callable[[], object]:
    from causallearn.utils.cit import CIT

    data = np.column_stack(sample(rows, dimensions))
    return lambda: CIT(data, RIVALS[name])(0, 1, list(range(2, data.shape[1])))


def in_turns(functions: list[Callable[[], object]], repeats: int) -> list[float]:
    """The least processor time of each."""
    seconds = [[] for _ in functions]
    for _ in range(repeats):
        for function, own in zip(functions, seconds, strict=True):
            start = time.process_time()
            function()
            own.append(time.process_time() - start)
    return [min(own) for own in seconds]


def name_of(rows: int, dimensions: int) -> str:
    return f"given {dimensions} number{'s' * (dimensions > 1)}, n={rows}"


def beside(rows: int, dimensions: int) -> list[Case]:
    """Beside each of causal-learn's; FastKCI, which takes seconds, once, and with several conditions only."""
    ours(200, dimensions)()  # what is loaded and set up once
    first, kci, rcit = in_turns(
        [ours(rows, dimensions), theirs("KCI", rows, dimensions), theirs("RCIT", rows, dimensions)], REPEATS[rows]
    )
    name, note = name_of(rows, dimensions), "of causal-learn; processor time, one thread"
    found = [
        Case(f"{name}, beside KCI", first, kci, "s", at_most=PROMISED[rows], note=f"KCI {note}"),
        Case(f"{name}, beside RCIT", first, rcit, "s", note=f"RCIT {note}"),
    ]
    if dimensions == max(DIMENSIONS):
        [fast] = in_turns([theirs("FastKCI", rows, dimensions)], 1)
        found.append(Case(f"{name}, beside FastKCI", first, fast, "s", note=f"FastKCI {note}; run once"))
    return found


def beside_many(dimensions: int) -> list[Case]:
    """10,000 rows, of which KCI's matrices take gigabytes."""
    from_rows = LARGE_ROWS if OPTIONS.whole else CUBIC_ROWS
    first, rcit = in_turns([ours(LARGE_ROWS, dimensions), theirs("RCIT", LARGE_ROWS, dimensions)], 1)
    [kci] = in_turns([theirs("KCI", from_rows, dimensions)], 1)
    kci *= (LARGE_ROWS / from_rows) ** 3
    name, note = name_of(LARGE_ROWS, dimensions), "of causal-learn; processor time, one thread"
    extrapolated = "" if OPTIONS.whole else f"; extrapolated from {from_rows} rows by their cube"
    return [
        Case(f"{name}, beside KCI", first, kci, "s", at_most=0.1, note=f"KCI {note}{extrapolated}"),
        Case(f"{name}, beside RCIT", first, rcit, "s", note=f"RCIT {note}"),
    ]


def alone(rows: int, dimensions: int) -> Case:
    [seconds] = in_turns([ours(rows, dimensions)], 1)
    note = "reference: what it may take; processor time, one thread"
    return Case(name_of(rows, dimensions), seconds, SECONDS, "s", at_most=1, note=note)


def rivals() -> list[Case]:
    from joblib import parallel_config

    with parallel_config("sequential"):  # FastKCI starts processes of its own
        found = [case for rows in PROMISED for dimensions in DIMENSIONS for case in beside(rows, dimensions)]
        return [*found, *(case for dimensions in DIMENSIONS for case in beside_many(dimensions))]


def run() -> list[Case]:
    present = importlib.util.find_spec("causallearn") is not None
    DETAILS["not_installed"] = [] if present else [f"causal-learn: {', '.join(RIVALS)}"]
    if not present:
        print(f"not compared with {', '.join(RIVALS)}: causal-learn is not installed")
    with warnings.catch_warnings(), single_threaded_blas():
        warnings.simplefilter("ignore")
        sizes = (MANY_ROWS,) if present else (*PROMISED, LARGE_ROWS, MANY_ROWS)
        return [*(rivals() if present else []), *(alone(rows, d) for rows in sizes for d in DIMENSIONS)]
