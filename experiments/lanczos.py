"""Coverage of the Lanczos route: how often its 95 % interval holds the exact entropy, over laws without low rank.

usage: python -m experiments.lanczos [--quick] [--only NAME ...]

Data and random vectors are new for every seed (n = 1000), or the random vectors alone (n = 2000). Writes
experiments/results/lanczos.json after every law, and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

import shearer as sh
from experiments import records
from shearer.data.variables import Block
from shearer.kernels.gram import Gram
from shearer.spectrum.dense import Dense
from shearer.spectrum.lanczos import Lanczos
from shearer.spectrum.request import Request

SEEDS, QUICK_SEEDS = 400, 10
# Twice the half-width that is promised.
TOL = 0.1

# name -> rows, dimensions, width over the median distance, order, drawing
LAWS: dict[str, tuple[int, int, float, float, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]]] = {
    "normal, d=5, half the median": (1000, 5, 0.5, 1.0, lambda g, shape: g.normal(size=shape)),
    "normal, d=3, a fifth of the median": (1000, 3, 0.2, 1.0, lambda g, shape: g.normal(size=shape)),
    "t(2), d=5, half the median": (1000, 5, 0.5, 1.0, lambda g, shape: g.standard_t(2, size=shape)),
    "uniform, d=10, half the median": (1000, 10, 0.5, 1.0, lambda g, shape: g.uniform(size=shape)),
    "normal, d=5, half the median, alpha 0.5": (1000, 5, 0.5, 0.5, lambda g, shape: g.normal(size=shape)),
    "normal, d=5, half the median, alpha 1.5": (1000, 5, 0.5, 1.5, lambda g, shape: g.normal(size=shape)),
    "normal, d=5, half the median, n=2000": (2000, 5, 0.5, 1.0, lambda g, shape: g.normal(size=shape)),
}


def operator(rng: np.random.Generator, law: str) -> Gram:
    """The operator of one sample."""
    rows, dimensions, part, _, draw = LAWS[law]
    values = draw(rng, (rows, dimensions))
    kernel = sh.kernels.Gaussian(part * sh.kernels.Gaussian().width(values))
    return kernel.gram(Block("continuous", values), np.empty(0))


def study(law: str, quick: bool) -> dict:
    """Coverage, half-width and error over all seeds."""
    rows, _, _, alpha, _ = LAWS[law]
    seeds = QUICK_SEEDS if quick else SEEDS
    errors, halves, covered = [], [], 0
    start = time.perf_counter()
    gram, exact = None, 0.0
    for seed in range(seeds):
        if gram is None or rows <= 1000:
            gram = operator(np.random.default_rng([1, seed]), law)
            exact = float(Dense().solve(gram, Request(alpha, memory=10**10)))
        found = Lanczos().solve(gram, Request(alpha, memory=10**10, tol=TOL, seed=seed))
        covered += found.lower <= exact <= found.upper
        errors.append(float(found) - exact)
        halves.append(found.width / 2)
    return {
        "rows": rows,
        "alpha": alpha,
        "seeds": seeds,
        "coverage": covered / seeds,
        "error": float(np.sqrt(np.mean(np.square(errors)))),
        "bias": float(np.mean(errors)),
        "half_width": float(np.mean(halves)),
        "largest_half_width": float(np.max(halves)),
        "seconds": round(time.perf_counter() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("lanczos", __doc__, LAWS, study))
