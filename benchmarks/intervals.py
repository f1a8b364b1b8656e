"""Confidence intervals by the influence of every row, beside the jackknife of 20 groups: the same samples and run."""

import numpy as np

import shearer as sh
from benchmarks.cases import Case, best

# Rows and what is promised there; with few rows a fixed cost of some milliseconds counts.
PROMISED = {200: 5.0, 344: 8.0, 1000: 40.0, 2000: 100.0}
GROUPS = 20
# Beyond, the jackknife is extrapolated from one of its groups.
MOST_IN_FULL = 1000
MANY_ROWS, SECONDS = 20_000, 5.0


def sample(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(rows)
    x = rng.normal(size=rows)
    return x, x + rng.normal(size=rows)


def jackknife_seconds(x: np.ndarray, y: np.ndarray) -> tuple[float, str]:
    rows = len(x)
    if rows <= MOST_IN_FULL:
        return best(lambda: sh.confidence_interval(x, y, method="jackknife"), 1), f"jackknife of {GROUPS} groups"
    kept = np.arange(rows - rows // GROUPS)
    one = best(lambda: sh.Dependence(x, y).on_rows(kept).mutual_information(), 1)
    return (GROUPS + 1) * one, f"jackknife of {GROUPS} groups, extrapolated from one"


def run() -> list[Case]:
    cases = []
    for rows, promised in PROMISED.items():
        x, y = sample(rows)
        ours = best(lambda x=x, y=y: sh.confidence_interval(x, y), 5)
        reference, note = jackknife_seconds(x, y)
        cases.append(Case(f"interval of I*, n={rows}", ours, reference, "s", at_least=promised, note=note))
    x, y = sample(MANY_ROWS)
    ours = best(lambda: sh.confidence_interval(x, y), 1)
    cases.append(
        Case(f"interval of I*, n={MANY_ROWS}", ours, SECONDS, "s", at_most=1, note="reference: what it may take")
    )
    return cases
