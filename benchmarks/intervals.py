"""Confidence intervals by the influence of every row, beside the jackknife of 20 groups: the same samples and run."""

import numpy as np

import shearer as sh
from benchmarks.cases import Case, best

# One decomposition of each entropy in place of 21 entropies, and what the influences cost beyond it.
ROWS, PROMISED = (200, 344, 1000, 2000), 8.0
MANY_ROWS, SECONDS = 20_000, 5.0


def sample(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(rows)
    x = rng.normal(size=rows)
    return x, x + rng.normal(size=rows)


def beside_the_jackknife(rows: int) -> Case:
    x, y = sample(rows)
    ours = best(lambda: sh.confidence_interval(x, y), 5)
    reference = best(lambda: sh.confidence_interval(x, y, method="jackknife"), 2)
    return Case(f"interval of I*, n={rows}", ours, reference, "s", at_least=PROMISED, note="jackknife of 20 groups")


def many_rows() -> Case:
    x, y = sample(MANY_ROWS)
    ours = best(lambda: sh.confidence_interval(x, y), 2)
    return Case(f"interval of I*, n={MANY_ROWS}", ours, SECONDS, "s", at_most=1, note="reference: what it may take")


def run() -> list[Case]:
    return [*map(beside_the_jackknife, ROWS), many_rows()]
