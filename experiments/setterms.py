"""Terms of four variables: how often the test rejects models of fewer, and finds what these do not explain.

usage: python -m experiments.setterms [--quick] [--only NAME ...]

Nulls are models of pairs and of triples; effects of the alternatives fall as sqrt(500 / rows). Scans with ``order=4``
are of 12 columns, each a sum or a product of two earlier ones with noise, or of 20 independent ones; the last has a
parity of four among 40 columns. Writes experiments/results/setterms.json after every case, and goes on where it
stopped.
"""

import math
import sys
import time
from collections.abc import Callable

import numpy as np

import shearer as sh
from experiments import records
from shearer.data import read
from shearer.inference.threeway.set_term import set_term

ROWS = {500: 100, 3000: 40}
TABLES = 8
# Apart from the seeds that the test was made with.
SEED = 23_400
Generator = np.random.Generator
Draw = Callable[[Generator, int], tuple]


def normal(correlation: float) -> Draw:
    """Four normal variables, any two with this correlation."""
    matrix = np.full((4, 4), correlation) + (1 - correlation) * np.eye(4)
    return lambda g, n: tuple(g.multivariate_normal(np.zeros(4), matrix, n).T)


def chain(g: Generator, n: int) -> tuple:
    a, e, f, h = g.normal(size=(4, n))
    b = 0.6 * a + 0.8 * e
    c = 0.6 * b + 0.8 * f
    return a, b, c, 0.6 * c + 0.8 * h


def ising(coupling: float, triple: float) -> Draw:
    """Four signs with a coupling of each two and of each three."""
    signs = np.array([[i, j, k, m] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1) for m in (-1, 1)])
    total = signs.sum(axis=1)
    pairs = (total**2 - 4) / 2
    triples = np.array([sum(np.delete(row, place).prod() for place in range(4)) for row in signs])
    law = np.exp(coupling * pairs + triple * triples)
    return lambda g, n: tuple(signs[g.choice(16, n, p=law / law.sum())].T)


def product_chain(g: Generator, n: int) -> tuple:
    """c from a and b by their product, d from a and c by theirs: two models of three."""
    a, b, e, f = g.normal(size=(4, n))
    c = a * b + e
    return a, b, c, a * np.tanh(c) + f


def xor_and_copy(g: Generator, n: int) -> tuple:
    a, b = g.integers(0, 2, size=(2, n))
    c = a ^ b ^ (g.random(n) < 0.1)
    return a, b, c, c ^ (g.random(n) < 0.2)


def groups(g: Generator, n: int) -> tuple:
    """A label of three levels, and numbers that have means, slopes and spreads of their own in each."""
    level = g.integers(0, 3, n)
    a, b, e = g.normal(size=(3, n))
    return level.astype(str), a + level, b, (level - 1) * b + (1 + 0.5 * level) * e


def effect(n: int) -> float:
    return math.sqrt(500 / n)


def parity(g: Generator, n: int) -> tuple:
    a, b, c = g.integers(0, 2, size=(3, n))
    return a, b, c, a ^ b ^ c ^ (g.random(n) < 0.5 - 0.3 * effect(n))


def continuous_parity(g: Generator, n: int) -> tuple:
    a, b, c, e = g.normal(size=(4, n))
    sign = np.where(g.random(n) < 0.6 * effect(n), np.sign(a * b * c), g.choice([-1, 1], n))
    return a, b, c, sign * np.abs(e)


def product(g: Generator, n: int) -> tuple:
    a, b, c, e = g.normal(size=(4, n))
    return a, b, c, effect(n) * a * b * c + e


def mixed_parity(g: Generator, n: int) -> tuple:
    label, (b, c, e) = g.choice(["u", "v"], n), g.normal(size=(3, n))
    sign = np.where(label == "u", 1, -1) * np.sign(b * c)
    return label, b, c, np.where(g.random(n) < 0.6 * effect(n), sign, g.choice([-1, 1], n)) * np.abs(e)


# name -> (whether a model of fewer holds, draw)
DESIGNS: dict[str, tuple[bool, Draw]] = {
    "independent": (True, lambda g, n: tuple(g.normal(size=(4, n)))),
    "exponential": (True, lambda g, n: tuple(g.exponential(size=(4, n)))),
    "normal, correlations .3": (True, normal(0.3)),
    "normal, correlations .6": (True, normal(0.6)),
    "chain": (True, chain),
    "Ising, pairs": (True, ising(0.3, 0.0)),
    "Ising, pairs and triples": (True, ising(0.2, 0.3)),
    "c = ab + e, d = a tanh c + f": (True, product_chain),
    "XOR and a noisy copy": (True, xor_and_copy),
    "label with slopes of its own": (True, groups),
    "parity, 20 % flips": (False, parity),
    "continuous parity": (False, continuous_parity),
    "abc + e": (False, product),
    "parity of a label and numbers": (False, mixed_parity),
}
SCANS = ("scan, independent", "scan, parity of four among 40", "scan, sums", "scan, products")
SMALL, LARGE = ([f"{name}, n={rows}" for name in DESIGNS] for rows in ROWS)
CASES = [*SMALL, *SCANS, *LARGE]


def columns_of(name: str, g: Generator) -> dict[str, np.ndarray]:
    if name == "scan, independent":
        return {f"x{k}": column for k, column in enumerate(g.normal(size=(20, 400)))}
    if name.startswith("scan, parity"):
        table = g.normal(size=(40, 500))
        table[30] = np.sign(table[3] * table[11] * table[19]) * np.abs(table[30])
        return {f"x{k}": column for k, column in enumerate(table)}
    table = np.empty((12, 400))
    for place in range(12):
        table[place] = g.normal(size=400)
        if place >= 2:
            one, other = table[g.choice(place, 2, replace=False)]
            both = one * other if name == "scan, products" and place % 3 == 0 else 0.7 * (one + other)
            table[place] += both / both.std()
    return {f"x{k}": column for k, column in enumerate(table)}


def study_scan(name: str, quick: bool) -> dict:
    start, seed = time.process_time(), SEED + CASES.index(name)
    tables = 2 if quick else TABLES
    wanted = {"x3", "x11", "x19", "x30"} if "parity" in name else None
    false, found, passed = [], [], []
    for trial in range(tables):
        columns = columns_of(name, np.random.default_rng([seed, trial]))
        document = sh.scan(columns, order=4, top=0, progress=False).document
        reported = [set(entry["variables"]) for entry in document["quadruples"] if entry["reported"]]
        false.append(sum(own != wanted for own in reported))
        found.append(wanted in reported if wanted else None)
        passed.append(document["settings"]["quadruples_passed"])
    return {
        "rows": len(next(iter(columns.values()))),
        "columns": len(columns),
        "trials": tables,
        "seed": seed,
        "rate": float(np.mean(np.array(false) > 0)),
        "false": float(np.mean(false)),
        "passed": float(np.mean(passed)),
        "found": float(np.mean(found)) if wanted else None,
        "processor_seconds": round(time.process_time() - start, 1),
    }


def study(name: str, quick: bool) -> dict:
    if name.startswith("scan"):
        return study_scan(name, quick)
    design, rows = name.rsplit(", n=", 1)
    fewer, draw = DESIGNS[design]
    n = int(rows)
    trials, start, seed = (10 if quick else ROWS[n]), time.process_time(), SEED + CASES.index(name)
    found = [set_term(read(*draw(np.random.default_rng([seed, trial]), n)).variables) for trial in range(trials)]
    pvalues = np.array([one.pvalue for one in found])
    return {
        "rows": n,
        "trials": trials,
        "seed": seed,
        "fewer": fewer,
        "rates": {str(level): float(np.mean(pvalues <= level)) for level in (0.05, 0.01)},
        "added": round(float(np.mean([one.added for one in found])), 4),
        "added_sd": round(float(np.std([one.added for one in found])), 4),
        "added_error": round(float(np.mean([one.error for one in found])), 4),
        "processor_seconds": round(time.process_time() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("setterms", __doc__, CASES, study))
