"""Power of the default test beside six others at the 5 % level, over alternatives that it was not built on.

usage: python -m experiments.power [--quick] [--only NAME ...]

Writes experiments/results/power.json after every alternative and method, and goes on where it stopped.
"""

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import multiscale_graphcorr

import shearer as sh
from experiments import records
from experiments.alternatives import JUDGING, MONOTONE
from shearer.comparators import chatterjee_xi, distance_correlation, hsic, mhsic
from shearer.data import read
from shearer.inference.pvalue import rank_pvalue

LEVEL, RESAMPLES = 0.05, 199
MANY_TRIALS, TRIALS, SLOW_TRIALS, SLOWEST_TRIALS = 1000, 200, 40, 15
Generator = np.random.Generator


def measure_pvalue(data: tuple, alpha: float, rng: Generator) -> float:
    """I* of order alpha with permutations; the joint entropy alone decides."""
    noun = sh.Dependence(*data, alpha=alpha)
    n = noun.rows
    null = [-float(noun.shuffled([np.arange(n), rng.permutation(n)]).entropy()) for _ in range(RESAMPLES)]
    return rank_pvalue(null, -float(noun.entropy()))


def shuffled_pvalue(comparator: Callable[..., float], x: np.ndarray, y: np.ndarray, rng: Generator) -> float:
    """A comparator with permutations, its kernels or distances formed once."""
    statistic = comparator.__dict__["rearranged"](read(x, y))
    same = np.arange(len(x))
    null = [statistic([same, rng.permutation(len(x))]) for _ in range(RESAMPLES)]
    return rank_pvalue(null, statistic([same, same]))


def numeric(column: np.ndarray) -> np.ndarray:
    """Labels as indicator columns, for methods that know numbers only."""
    return column if column.dtype.kind == "f" else (column[:, None] == np.unique(column)[None, :]).astype(float)


def graph_correlation(x: np.ndarray, y: np.ndarray, rng: Generator) -> float:
    """Multiscale graph correlation with permutations, as scipy has it."""
    x, y = (column if column.ndim > 1 else column[:, None] for column in (x, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few permutations
        return float(multiscale_graphcorr(x, y, reps=99, random_state=rng).pvalue)


def chatterjee(x: np.ndarray, y: np.ndarray) -> float:
    """Chatterjee's xi by its asymptotic law without ties, the smaller p-value of both directions, doubled."""
    if x.ndim > 1 or y.ndim > 1:
        return 1.0
    z = np.sqrt(len(x) / 0.4) * np.array([chatterjee_xi(x, y), chatterjee_xi(y, x)])
    return min(1.0, 2 * float(ndtr(-z.max())))


@dataclass(frozen=True)
class Sample:
    """Data as they are drawn, the same as numbers, and a source of permutations."""

    data: tuple
    x: np.ndarray
    y: np.ndarray
    rng: Generator


#: Method -> how many trials, and its p-value of a sample.
METHODS: dict[str, tuple[int, Callable[[Sample], float]]] = {
    "shearer": (MANY_TRIALS, lambda s: sh.independence_test(*s.data).pvalue),
    "dCor": (TRIALS, lambda s: shuffled_pvalue(distance_correlation, s.x, s.y, s.rng)),
    "HSIC": (TRIALS, lambda s: shuffled_pvalue(hsic, s.x, s.y, s.rng)),
    "mHSIC": (TRIALS, lambda s: float(ndtr(-mhsic(s.x, s.y)))),
    "xi": (TRIALS, lambda s: chatterjee(s.x, s.y)),
    "I* 1.01": (SLOW_TRIALS, lambda s: measure_pvalue(s.data, 1.01, s.rng)),
    "MGC": (SLOWEST_TRIALS, lambda s: graph_correlation(s.x, s.y, s.rng)),
}


#: What there is to study: an alternative and a method, in one name.
CASES = {f"{name}: {method}": (name, method) for method in METHODS for name in JUDGING}


def study(case: str, quick: bool) -> dict:
    name, method = CASES[case]
    rows, draw = JUDGING[name]
    start, seed = time.perf_counter(), sorted(JUDGING).index(name)
    count, pvalue = METHODS[method]
    # Where it is the one to reach: a difference of .05 is to be seen.
    count = MANY_TRIALS if method == "dCor" and name.split(", n=")[0] in MONOTONE else count
    count = min(count, 20) if quick else count
    rejected = 0
    for k in range(count):
        g = np.random.default_rng([1, seed, k])
        data = draw(g, rows)
        sample = Sample(data, *(numeric(np.asarray(column)) for column in data), g)
        rejected += pvalue(sample) <= LEVEL
    seconds = round(time.perf_counter() - start, 1)
    return {"rows": rows, "seed": seed, "trials": count, "seconds": seconds, "power": rejected / count}


if __name__ == "__main__":
    sys.exit(records.run("power", __doc__, CASES, study))
