"""Power of the test at one width, for every rule of the width, over the development set of experiments.alternatives.

usage: python -m experiments.width_power [--quick] [--only NAME ...]

The moments test at the 5 % level; the aggregated test, over a ladder of widths, beside it. Every rule sees the same
samples. Writes experiments/results/width_power.json after every rule, and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

import shearer as sh
from experiments import records
from experiments.alternatives import DEVELOPMENT
from experiments.network_scores import widths
from experiments.power import LEVEL
from shearer.kernels import Gaussian

TRIALS, LADDER = 200, "ladder"


def tested(rule: str) -> Callable[[tuple], float]:
    """The p-value of a sample."""
    if rule == LADDER:
        return lambda data: sh.independence_test(*data).pvalue
    kernel = Gaussian(widths()[rule])
    return lambda data: sh.independence_test(*data, method="moments", kernel=kernel).pvalue


def study(rule: str, quick: bool) -> dict:
    trials, start, pvalue = (10 if quick else TRIALS), time.perf_counter(), tested(rule)
    power = {
        name: float(np.mean([pvalue(draw(np.random.default_rng([k, t]), rows)) <= LEVEL for t in range(trials)]))
        for k, (name, (rows, draw)) in enumerate(DEVELOPMENT.items())
    }
    return {"trials": trials, "seconds": round(time.perf_counter() - start, 1), "power": power}


if __name__ == "__main__":
    sys.exit(records.run("width_power", __doc__, [*widths(), LADDER], study))
