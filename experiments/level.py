"""Level of the default test: how often `independence_test` rejects independent variables, over named null designs.

usage: python -m experiments.level [--quick] [--only NAME ...]

Writes experiments/results/level.json after every design, and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

import shearer as sh
from experiments import records

Generator = np.random.Generator


def far(g: Generator, n: int, share: float) -> np.ndarray:
    """Normal, some rows far away."""
    return g.normal(size=n) + np.where(g.uniform(size=n) < share, 50.0, 0.0)


def inflated(g: Generator, n: int, zeros: float) -> np.ndarray:
    """Exponential, many rows 0."""
    return np.where(g.uniform(size=n) < zeros, 0.0, g.exponential(size=n))


def names(codes: np.ndarray) -> np.ndarray:
    """Labels of numbers."""
    return np.array([f"l{code}" for code in np.minimum(codes, 99)])


def lattice(g: Generator, n: int, times: int) -> np.ndarray:
    """Labels that occur so many times each."""
    return names(g.permutation(np.repeat(np.arange(n // times), times)))


# name -> (rows, trials, draw)
DESIGNS: dict[str, tuple[int, int, Callable[[Generator, int], tuple]]] = {
    "normal, n=20": (20, 1000, lambda g, n: (g.normal(size=n), g.normal(size=n))),
    "normal, n=100": (100, 1000, lambda g, n: (g.normal(size=n), g.normal(size=n))),
    "normal, n=1000": (1000, 1000, lambda g, n: (g.normal(size=n), g.normal(size=n))),
    "uniform, n=50": (50, 1000, lambda g, n: (g.uniform(size=n), g.uniform(size=n))),
    "t(2) and normal, n=50": (50, 1000, lambda g, n: (g.standard_t(2, size=n), g.normal(size=n))),
    "Cauchy, n=60": (60, 1000, lambda g, n: (g.standard_cauchy(size=n), g.standard_cauchy(size=n))),
    "log-normal, n=60": (60, 1000, lambda g, n: (g.lognormal(size=n), g.lognormal(size=n))),
    "exponential and uniform, n=40": (40, 1000, lambda g, n: (g.exponential(size=n), g.uniform(size=n))),
    "5 % ones and normal, n=200": (200, 1000, lambda g, n: (g.uniform(size=n) < 0.05, g.normal(size=n))),
    "balanced binary and normal, n=60": (60, 1000, lambda g, n: (g.uniform(size=n) < 0.5, g.normal(size=n))),
    "Poisson(1), n=80": (80, 1000, lambda g, n: (1.0 * g.poisson(1, size=n), 1.0 * g.poisson(1, size=n))),
    "rounded normal, n=100": (100, 1000, lambda g, n: (np.round(g.normal(size=n)), np.round(g.normal(size=n)))),
    "4 labels and normal, n=60": (60, 1000, lambda g, n: (g.choice(list("abcd"), size=n), g.normal(size=n))),
    "3 and 5 labels, n=100": (100, 1000, lambda g, n: (g.choice(list("abc"), size=n), g.choice(list("uvxyz"), size=n))),
    "5 and 5 dimensions, n=50": (50, 1000, lambda g, n: (g.normal(size=(n, 5)), g.normal(size=(n, 5)))),
    "10 and 1 dimensions, n=100": (100, 1000, lambda g, n: (g.normal(size=(n, 10)), g.normal(size=n))),
    "t(1.5) in 10 dimensions, n=1000": (1000, 1000, lambda g, n: (g.standard_t(1.5, size=(n, 10)), g.normal(size=n))),
    "two clusters and t(3), n=80": (
        80,
        1000,
        lambda g, n: (np.where(g.uniform(size=n) < 0.3, -4.0, 0.0) + g.normal(size=n), g.standard_t(3, size=n)),
    ),
    "three normal, n=50": (50, 1000, lambda g, n: tuple(g.normal(size=(3, n)))),
    "three mixed, n=60": (
        60,
        1000,
        lambda g, n: (g.normal(size=n), g.choice(list("abc"), size=n), g.lognormal(size=n)),
    ),
    "five normal, n=40": (40, 1000, lambda g, n: tuple(g.normal(size=(5, n)))),
    "normal, n=6": (6, 1000, lambda g, n: (g.normal(size=n), g.normal(size=n))),
    "exponential, n=8": (8, 1000, lambda g, n: (g.exponential(size=n), g.exponential(size=n))),
    "uniform and label, n=12": (12, 1000, lambda g, n: (g.uniform(size=n), g.choice(list("ab"), size=n))),
    "Cauchy, n=30": (30, 1000, lambda g, n: (g.standard_cauchy(size=n), g.standard_cauchy(size=n))),
    "Cauchy and label, n=300": (300, 1000, lambda g, n: (g.standard_cauchy(size=n), g.choice(list("abc"), size=n))),
    "far cluster, n=50": (50, 1000, lambda g, n: (far(g, n, 0.06), g.normal(size=n))),
    "far clusters in both, n=100": (100, 1000, lambda g, n: (far(g, n, 0.05), far(g, n, 0.05))),
    "zero-inflated, n=60": (60, 1000, lambda g, n: (inflated(g, n, 0.7), g.normal(size=n))),
    "zero-inflated both, n=200": (200, 1000, lambda g, n: (inflated(g, n, 0.9), inflated(g, n, 0.8))),
    "labels twice each, n=60": (60, 1000, lambda g, n: (lattice(g, n, 2), lattice(g, n, 2))),
    "labels twice each, n=100": (100, 1000, lambda g, n: (lattice(g, n, 2), lattice(g, n, 2))),
    "labels twice and thrice, n=60": (60, 1000, lambda g, n: (lattice(g, n, 2), lattice(g, n, 3))),
    "labels twice each and normal, n=60": (60, 1000, lambda g, n: (lattice(g, n, 2), g.normal(size=n))),
    "many labels, n=80": (80, 1000, lambda g, n: (names(g.zipf(1.6, n)), names(g.integers(0, 60, n)))),
    "50 dimensions, n=40": (40, 1000, lambda g, n: (g.normal(size=(n, 50)), g.normal(size=(n, 50)))),
    "50 heavy dimensions and one, n=100": (100, 1000, lambda g, n: (g.standard_t(2, size=(n, 50)), g.normal(size=n))),
    "sparse binary, n=100": (100, 1000, lambda g, n: (g.uniform(size=n) < 0.05, g.uniform(size=n) < 0.08)),
    "sparse binary, n=1000": (1000, 1000, lambda g, n: (g.uniform(size=n) < 0.01, g.uniform(size=n) < 0.02)),
    "rare label and log-normal, n=150": (150, 1000, lambda g, n: (g.uniform(size=n) < 0.03, g.lognormal(size=n))),
    "binary vectors, n=60": (60, 1000, lambda g, n: (1.0 * (g.uniform(size=(n, 6)) < 0.2), g.normal(size=n))),
    "integers of a lattice, n=50": (50, 1000, lambda g, n: (g.integers(0, 200, n) * 1.0, g.integers(0, 7, n) * 1.0)),
    "three labels, n=80": (80, 1000, lambda g, n: tuple(g.choice(list("abc"), size=(3, n)))),
    "five mixed, n=60": (
        60,
        1000,
        lambda g, n: (*g.normal(size=(2, n)), g.choice(list("ab"), size=n), g.exponential(size=n), inflated(g, n, 0.5)),
    ),
    "normal, n=5000": (5000, 500, lambda g, n: (g.normal(size=n), g.normal(size=n))),
    "log-normal and label, n=20000": (20_000, 300, lambda g, n: (g.lognormal(size=n), g.choice(list("abcd"), size=n))),
    "Cauchy, n=20000": (20_000, 300, lambda g, n: (g.standard_cauchy(size=n), g.standard_cauchy(size=n))),
    "labels twice each, n=60, deep": (60, 5000, lambda g, n: (lattice(g, n, 2), lattice(g, n, 2))),
    "zero-inflated, n=60, deep": (60, 5000, lambda g, n: (inflated(g, n, 0.7), g.normal(size=n))),
    "4 labels and normal, n=60, deep": (60, 5000, lambda g, n: (g.choice(list("abcd"), size=n), g.normal(size=n))),
    "normal, n=50, deep": (50, 5000, lambda g, n: (g.normal(size=n), g.normal(size=n))),
    "log-normal, n=60, deep": (60, 5000, lambda g, n: (g.lognormal(size=n), g.lognormal(size=n))),
    "very heavy tails: Cauchy, n=30, deep": (
        30,
        5000,
        lambda g, n: (g.standard_cauchy(size=n), g.standard_cauchy(size=n)),
    ),
}


def pvalue(data: tuple) -> float:
    """The p-value of the test as it is called."""
    return sh.independence_test(*data).pvalue


def study(name: str, quick: bool) -> dict:
    rows, trials, draw = DESIGNS[name]
    trials = min(trials, 100) if quick else trials
    start = time.perf_counter()
    seed = sorted(DESIGNS).index(name)
    values = np.array([pvalue(draw(np.random.default_rng([seed, trial]), rows)) for trial in range(trials)])
    rates = {str(level): float(np.mean(values <= level)) for level in (0.05, 0.01, 0.001)}
    return {
        "rows": rows,
        "trials": trials,
        "seed": seed,
        "rates": rates,
        "seconds": round(time.perf_counter() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("level", __doc__, DESIGNS, study))
