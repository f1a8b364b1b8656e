"""Theorem 1 of the paper on a family with one parameter: where I(x; e), H(e) and the mean squared error are least.

usage: python -m experiments.theorem_one [--quick] [--only NAME ...]

Theorem 1 says that I(x; e) and H(e) have the same minimizer, as H(e) - I(x; e) = H(y | x) does not depend on the model.
That is Shannon's differential entropy in the population; the matrix functionals of a sample with kernels of fixed width
are looked at here. Data: y = x + noise, the model is f(x) = theta x, the error e = (1 - theta) x + noise; theta = 1 is
the truth. Every measure is taken on the same samples over a grid of theta, with the width of the errors fixed at 0.5
or, where "median" is said, equal to the median distance.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from experiments import records
from shearer.kernels import Gaussian
from shearer.neural import DependenceLoss, ErrorEntropyLoss, HSICLoss

ROWS, SEEDS = 200, 20
# Close around the truth, where minima are told apart, and far out, where a measure may fall again.
GRID = np.unique(np.concatenate([np.linspace(-2, 4, 41), np.linspace(0.4, 1.6, 49)]).round(6))
Generator = np.random.Generator
Measure = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def normal(g: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return g.normal(size=n), g.normal(size=n)


def exponential(g: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return g.normal(size=n), 1 - g.exponential(size=n)


def heavy(g: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return g.normal(size=n), g.standard_t(2, size=n)


def skewed_both(g: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return g.exponential(size=n), 1 - g.exponential(size=n)


def spreading(g: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = g.normal(size=n)
    return x, (0.3 + np.abs(x)) * g.normal(size=n)


DESIGNS = {
    "normal noise": normal,
    "shifted exponential noise": exponential,
    "Student t noise, 2 degrees": heavy,
    "exponential inputs, shifted exponential noise": skewed_both,
    "noise that spreads with the input": spreading,
}
MEDIAN, FIXED = Gaussian("median"), Gaussian(0.5)


def information(alpha: float, kernel: Gaussian, normalize: bool = False) -> DependenceLoss:
    """The paper's I(x; e) at the median width of the inputs and this one of the errors."""
    return DependenceLoss(
        alpha=alpha, form="raw", kernel={"x": MEDIAN, "e": kernel}, normalize=normalize, width_gradient=False
    )


def entropy(alpha: float, kernel: Gaussian) -> Measure:
    """H(e)."""
    loss = ErrorEntropyLoss(alpha=alpha, kernel=kernel, width_gradient=False)
    return lambda _x, e: loss(e)


MEASURES: dict[str, Measure] = {
    "I(x;e), 1.01": information(1.01, FIXED),
    "I(x;e), 1.01, median": information(1.01, MEDIAN),
    "I(x;e), 2": information(2.0, FIXED),
    "I*(x;e), 2": information(2.0, FIXED, normalize=True),
    "H(e), 1.01": entropy(1.01, FIXED),
    "H(e), 1.01, median": entropy(1.01, MEDIAN),
    "H(e), 2": entropy(2.0, FIXED),
    "HSIC": HSICLoss(unbiased=False, kernel=MEDIAN, width_gradient=False),
    "MSE": lambda _x, e: e.square().mean(),
}


def curves(draw: Callable[[Generator, int], tuple], seed: list[int]) -> dict[str, list[float]]:
    x, noise = (torch.from_numpy(part)[:, None] for part in draw(np.random.default_rng(seed), ROWS))
    errors = [(1 - theta) * x + noise for theta in GRID]
    return {name: [float(measure(x, e)) for e in errors] for name, measure in MEASURES.items()}


def study(name: str, quick: bool) -> dict:
    seeds, start = (2 if quick else SEEDS), time.process_time()
    found = [curves(DESIGNS[name], [list(DESIGNS).index(name), seed]) for seed in range(seeds)]
    result: dict = {"rows": ROWS, "seeds": seeds, "theta": GRID.tolist(), "measures": {}}
    for measure in MEASURES:
        values = np.array([run[measure] for run in found])
        result["measures"][measure] = {
            "mean_curve": values.mean(axis=0).round(5).tolist(),
            "minima": GRID[values.argmin(axis=1)].tolist(),
        }
    return result | {"cpu_seconds": round(time.process_time() - start, 1)}


if __name__ == "__main__":
    sys.exit(records.run("theorem_one", __doc__, DESIGNS, study))
