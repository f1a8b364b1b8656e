"""How often the test of splits rejects, at 5 %, where none of three is independent of the others and where one is.

usage: python -m experiments.interaction [--quick] [--only NAME ...]
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from experiments import records
from shearer.data import read
from shearer.inference.threeway.interaction import split_components
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests

ROWS, TRIALS, LEVEL = 200, 300, 0.05
Generator = np.random.Generator


def pair_and_noise(g: Generator, n: int) -> tuple:
    a = g.normal(size=n)
    return a, a + 0.5 * g.normal(size=n), g.normal(size=n)


def chain(g: Generator, n: int) -> tuple:
    a, e, f = g.normal(size=(3, n))
    b = a + 0.5 * e
    return a, b, b + 0.5 * f


def continuous_xor(g: Generator, n: int) -> tuple:
    a, b, e = g.normal(size=(3, n))
    return a, b, np.sign(a * b) * np.abs(e)


# name -> (whether none is independent of the other two, draw)
DESIGNS: dict[str, tuple[bool, Callable[[Generator, int], tuple]]] = {
    "independent": (False, lambda g, n: tuple(g.normal(size=(3, n)))),
    "pair and noise": (False, pair_and_noise),
    "chain": (True, chain),
    "continuous XOR": (True, continuous_xor),
}


def study(name: str, quick: bool) -> dict:
    present, draw = DESIGNS[name]
    trials, start = (20 if quick else TRIALS), time.perf_counter()
    seed = list(DESIGNS).index(name)
    rejected = []
    for trial in range(trials):
        table = read(*draw(np.random.default_rng([seed, trial]), ROWS))
        splits = split_components(SplitTests(Ladders.of(table)), table.names)
        rejected.append(max(split.pvalue for split in splits) <= LEVEL)
    seconds = round(time.perf_counter() - start, 1)
    settings = {"rows": ROWS, "trials": trials, "seed": seed, "interaction": present, "seconds": seconds}
    return settings | {"rate": float(np.mean(rejected))}


if __name__ == "__main__":
    sys.exit(records.run("interaction", __doc__, DESIGNS, study))
