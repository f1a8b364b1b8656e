"""Three-way terms: how often the test rejects models of pairs, and finds what no model of pairs explains.

usage: python -m experiments.threeway [--quick] [--only NAME ...]

Effects of the alternatives fall as sqrt(300 / rows). Scans are of 10 columns, each the sum of two earlier ones and of
noise; what they report among them is false, or smaller than worth reporting. Writes experiments/results/threeway.json
after every case, and goes on where it stopped.
"""

import math
import sys
import time
from collections.abc import Callable

import numpy as np

import shearer as sh
from experiments import records
from shearer.data import read
from shearer.inference.threeway.term import three_way

LEVEL = 0.05
ROWS = {300: 500, 3000: 300, 30_000: 40}
TABLES, TABLE_ROWS, COLUMNS = 15, 300, 10
# Apart from the seeds that the test was made with.
SEED = 20_260
Generator = np.random.Generator
Draw = Callable[[Generator, int], tuple]


def normal(ab: float, ac: float, bc: float) -> Draw:
    """Three normal variables with these correlations."""
    matrix = np.array([[1, ab, ac], [ab, 1, bc], [ac, bc, 1]])
    return lambda g, n: tuple(g.multivariate_normal(np.zeros(3), matrix, n).T)


def chain(g: Generator, n: int) -> tuple:
    a, e, f = g.normal(size=(3, n))
    b = 0.6 * a + 0.8 * e
    return a, b, 0.6 * b + 0.8 * f


def collider(g: Generator, n: int) -> tuple:
    a, b, e = g.normal(size=(3, n))
    return a, b, a + b + e


def ising(coupling: float, field: float) -> Draw:
    """Three signs with a coupling of each two and a field."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    pairs = signs[:, 0] * signs[:, 1] + signs[:, 0] * signs[:, 2] + signs[:, 1] * signs[:, 2]
    law = np.exp(coupling * pairs + field * signs.sum(axis=1))
    return lambda g, n: tuple(signs[g.choice(8, n, p=law / law.sum())].T)


def loglinear(g: Generator, n: int) -> tuple:
    """Three labels of three levels; one model of pairs, the same in all samples."""
    ab, ac, bc = np.random.default_rng(SEED).normal(0, 0.7, size=(3, 3, 3))
    law = np.exp(ab[:, :, None] + ac[:, None, :] + bc[None]).ravel()
    return tuple(part.astype(str) for part in np.unravel_index(g.choice(27, n, p=law / law.sum()), (3, 3, 3)))


def additive(g: Generator, n: int) -> tuple:
    a, b, e = g.normal(size=(3, n))
    return a, b, np.sin(2 * a) + b**2 + 0.5 * e


def effect(n: int) -> float:
    return math.sqrt(300 / n)


def xor(g: Generator, n: int) -> tuple:
    a, b = g.integers(0, 2, size=(2, n))
    return a, b, a ^ b ^ (g.random(n) < 0.5 - 0.3 * effect(n))


def product(g: Generator, n: int) -> tuple:
    a, b, e = g.normal(size=(3, n))
    return a, b, effect(n) * a * b + e


def continuous_xor(g: Generator, n: int) -> tuple:
    a, b, e = g.normal(size=(3, n))
    sign = np.where(g.random(n) < effect(n), np.sign(a * b), g.choice([-1, 1], n))
    return a, b, sign * np.abs(e)


def mixed_parity(g: Generator, n: int) -> tuple:
    label, (b, e) = g.choice(["u", "v"], n), g.normal(size=(2, n))
    parity = np.where(label == "u", 1, -1) * np.sign(b)
    return label, b, np.where(g.random(n) < effect(n), parity, g.choice([-1, 1], n)) * np.abs(e)


# name -> (whether a model of pairs holds, draw)
DESIGNS: dict[str, tuple[bool, Draw]] = {
    "normal, correlations .3": (True, normal(0.3, 0.3, 0.3)),
    "normal, correlations .6": (True, normal(0.6, 0.6, 0.6)),
    "normal, .4, .4, -.4": (True, normal(0.4, 0.4, -0.4)),
    "chain": (True, chain),
    "collider a + b + e": (True, collider),
    "log-normal": (True, lambda g, n: tuple(np.exp(part) for part in normal(0.5, 0.5, 0.5)(g, n))),
    "Ising": (True, ising(0.5, 0.0)),
    "Ising with a field": (True, ising(0.3, 0.4)),
    "3 x 3 x 3 log-linear": (True, loglinear),
    "sin 2a + b^2 + e/2": (True, additive),
    "XOR, 20 % flips": (False, xor),
    "a b + e": (False, product),
    "continuous XOR": (False, continuous_xor),
    "parity of a label and numbers": (False, mixed_parity),
}
NOISES: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "normal": lambda g, n: g.normal(size=n),
    "uniform": lambda g, n: g.uniform(-math.sqrt(3), math.sqrt(3), size=n),
    "Laplace": lambda g, n: g.laplace(size=n) / math.sqrt(2),
    "gamma(4)": lambda g, n: g.gamma(4, size=n) / 2 - 2,
    "exponential": lambda g, n: g.exponential(size=n) - 1,
}
CASES = [f"{name}, n={rows}" for rows in ROWS for name in DESIGNS]
CASES += [f"scan, {noise} noise" for noise in NOISES] + ["scan, normal noise and a product"]


def sums_of_columns(g: Generator, noise: Callable[[Generator, int], np.ndarray]) -> np.ndarray:
    """Columns that are sums of two earlier ones, with weights of .4 to 1 in standard deviations, and of noise."""
    table = np.empty((TABLE_ROWS, COLUMNS))
    for column in range(COLUMNS):
        table[:, column] = noise(g, TABLE_ROWS)
        for parent in g.choice(column, 2, replace=False) if column >= 2 else ():
            weight = g.choice([-1, 1]) * g.uniform(0.4, 1.0)
            table[:, column] += weight * table[:, parent] / table[:, parent].std()
    return table


def study_scan(name: str, quick: bool) -> dict:
    noise = NOISES[name.removeprefix("scan, ").split(" noise")[0]]
    planted = name.endswith("product")
    tables, start, seed = (3 if quick else TABLES), time.perf_counter(), SEED + CASES.index(name)
    false, found, within = [], [], []
    for trial in range(tables):
        g = np.random.default_rng([seed, trial])
        columns = {f"x{k}": column for k, column in enumerate(sums_of_columns(g, noise).T)}
        if planted:
            a, b, e = g.normal(size=(3, TABLE_ROWS))
            columns |= {"a": a, "b": b, "c": a * b + e}
        triples = sh.scan(columns, top=0, progress=False).document["triples"]
        reported = [set(triple["variables"]) for triple in triples if triple["reported"]]
        false.append(sum(triple != {"a", "b", "c"} for triple in reported))
        found.append({"a", "b", "c"} in reported)
        within.append(sum(triple["qvalue"] is not None and triple["qvalue"] <= LEVEL for triple in triples))
    return {
        "rows": TABLE_ROWS,
        "trials": tables,
        "seed": seed,
        "rate": float(np.mean(np.array(false) > 0)),
        "false": float(np.mean(false)),
        "within_rate": float(np.mean(within)),
        "found": float(np.mean(found)) if planted else None,
        "discovery_rate": float(np.mean([f / max(f + g, 1) for f, g in zip(false, found, strict=True)])),
        "seconds": round(time.perf_counter() - start, 1),
    }


def study(name: str, quick: bool) -> dict:
    if name.startswith("scan"):
        return study_scan(name, quick)
    design, rows = name.rsplit(", n=", 1)
    pairwise, draw = DESIGNS[design]
    n = int(rows)
    trials, start, seed = (10 if quick else ROWS[n]), time.perf_counter(), SEED + CASES.index(name)
    found = [three_way(read(*draw(np.random.default_rng([seed, trial]), n)).variables) for trial in range(trials)]
    pvalues = np.array([one.pvalue for one in found])
    seconds = time.perf_counter() - start
    return {
        "rows": n,
        "trials": trials,
        "seed": seed,
        "pairwise": pairwise,
        "rates": {str(level): float(np.mean(pvalues <= level)) for level in (0.05, 0.01)},
        "added": round(float(np.mean([one.added for one in found])), 4),
        "added_sd": round(float(np.std([one.added for one in found])), 4),
        "added_error": round(float(np.mean([one.error for one in found])), 4),
        "seconds": round(seconds, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("threeway", __doc__, CASES, study))
