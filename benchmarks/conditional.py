"""Independence given conditions beside causal-learn's KCI (where it is installed): the same data in the same run."""

import importlib.util
import warnings

import numpy as np

import shearer as sh
from benchmarks.cases import Case, best

# rows -> our time over KCI's, at most
PROMISED = {200: 2.0, 1000: 0.1}
DIMENSIONS = (1, 5)
MANY_ROWS, SECONDS = 100_000, 300.0


def sample(rows: int, dimensions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(rows)
    z = rng.normal(size=(rows, dimensions))
    mean = z.sum(axis=1) / dimensions**0.5
    return mean + rng.normal(size=rows), np.sin(mean) + rng.normal(size=rows), z


def ours(rows: int, dimensions: int, repeats: int) -> float:
    x, y, z = sample(rows, dimensions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return best(lambda: sh.independence_test(x, y, given=z), repeats)


def beside_kci(rows: int, dimensions: int) -> Case:
    from causallearn.utils.cit import CIT

    data = np.column_stack(sample(rows, dimensions))
    given = list(range(2, data.shape[1]))
    repeats = 10 if rows < 1000 else 3
    reference = best(lambda: CIT(data, "kci")(0, 1, given), repeats)
    name = f"given {dimensions} numbers, n={rows}"
    return Case(
        name, ours(rows, dimensions, repeats), reference, "s", at_most=PROMISED[rows], note="KCI of causal-learn"
    )


def alone(rows: int, dimensions: int) -> Case:
    name = f"given {dimensions} numbers, n={rows}"
    return Case(name, ours(rows, dimensions, 1), SECONDS, "s", at_most=1, note="reference: what it may take")


def run() -> list[Case]:
    present = importlib.util.find_spec("causallearn") is not None
    found = [beside_kci(rows, dimensions) for rows in PROMISED for dimensions in DIMENSIONS] if present else []
    return [*found, *(alone(rows, dimensions) for rows in (10_000, MANY_ROWS) for dimensions in DIMENSIONS)]
