"""A whole scan of many columns beside a loop over its pairs."""

import numpy as np

import shearer as sh
from benchmarks.cases import Case, best

ROWS, COLUMNS, SAMPLE = 1000, 1000, 20


def run() -> list[Case]:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(ROWS, COLUMNS))
    sh.scan(table[:100, :20], order=2, progress=False)  # loads what is loaded once
    ours = best(lambda: sh.scan(table, order=2, progress=False), 1)
    picked = np.random.default_rng(1).choice(COLUMNS, size=(SAMPLE, 2), replace=False)
    loop = best(lambda: [sh.independence_test(table[:, i], table[:, j]) for i, j in picked], 1)
    pairs = COLUMNS * (COLUMNS - 1) // 2
    note = f"independence_test in a loop, extrapolated from {SAMPLE} of {pairs:,} pairs; the scan also measures"
    return [Case(f"scan of pairs, {COLUMNS} x {ROWS}", ours, loop / SAMPLE * pairs, "s", at_least=100, note=note)]
