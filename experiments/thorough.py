"""Level and power of method="thorough" of `independence_test` beside the default.

usage: python -m experiments.thorough [--quick] [--only NAME ...]

Writes experiments/results/thorough.json after every design, and goes on where it stopped.
"""

import sys
import time

import numpy as np

import shearer as sh
from experiments import records
from experiments.alternatives import JUDGING
from experiments.level import DESIGNS as NULLS

LEVELS = (0.05, 0.01)
NULL_TRIALS, TRIALS = 300, 50
INDEPENDENT = ("normal, n=20", "Cauchy, n=30", "uniform, n=50", "4 labels and normal, n=60")
# Of the alternatives on which tests are judged, every third of 50 rows.
DEPENDENT = sorted(name for name, (rows, _) in JUDGING.items() if rows == 50)[::3]


def study(name: str, quick: bool) -> dict:
    independent = name in INDEPENDENT
    rows, draw = (NULLS[name][0], NULLS[name][2]) if independent else JUDGING[name]
    trials, start = NULL_TRIALS if independent else TRIALS, time.perf_counter()
    trials = min(trials, 5) if quick else trials
    found: dict[str, list[float]] = {"default": [], "thorough": []}
    for k in range(trials):
        data = draw(np.random.default_rng([7, (*INDEPENDENT, *DEPENDENT).index(name), k]), rows)
        found["default"].append(sh.independence_test(*data).pvalue)
        found["thorough"].append(sh.independence_test(*data, method="thorough", rng=k).pvalue)
    shares = {
        method: {str(level): float(np.mean(np.array(pvalues) <= level)) for level in LEVELS}
        for method, pvalues in found.items()
    }
    seconds = round(time.perf_counter() - start, 1)
    return {"rows": rows, "trials": trials, "independent": independent, **shares, "seconds": seconds}


if __name__ == "__main__":
    sys.exit(records.run("thorough", __doc__, [*INDEPENDENT, *DEPENDENT], study))
