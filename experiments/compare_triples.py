"""Tests of equal three-way relations in two groups: level, also where pairs change, power and false discovery rate.

usage: python -m experiments.compare_triples [--quick] [--only NAME ...]

Writes experiments/results/compare_triples.json after every case, and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from experiments import records
from experiments.compare import groups_of
from shearer.comparing.tested_triples import triple_test
from shearer.inference.pvalue import adjusted_pvalues

Generator = np.random.Generator
Triple = tuple[Any, Any, Any]

TRIALS, POWER_TRIALS, TABLES, TABLE_ROWS = 500, 200, 120, 400


def chain(g: Generator, n: int, r: float) -> Triple:
    """Three normal columns of which the second explains all dependence."""
    a, e, f = g.normal(size=(3, n))
    b = r * a + np.sqrt(1 - r * r) * e
    return a, b, r * b + np.sqrt(1 - r * r) * f


def parabolas(g: Generator, n: int) -> Triple:
    a, e, f = g.normal(size=(3, n))
    return a, a**2 + e, np.abs(a) + f


def product(g: Generator, n: int, slope: float = 1.0) -> Triple:
    """The third depends on the product of the others: no pair of them is correlated."""
    a, b, e = g.normal(size=(3, n))
    return a, b, slope * a * b + e


def signs(g: Generator, n: int) -> Triple:
    a, b, e = g.normal(size=(3, n))
    return a, b, np.sign(a * b) * np.abs(e)


def clayton(g: Generator, n: int, r: float) -> Triple:
    shape = g.gamma(1 / r, size=n)
    a, b, c = ((1 + g.exponential(size=n) / shape) ** (-1 / r) for _ in range(3))
    return a, b, c


def bent(triple: Triple) -> Triple:
    """The same ranks."""
    return 5 + 3 * np.exp(triple[0]), -np.exp(-triple[1]), triple[2] ** 3


def thinned(g: Generator, triple: Triple) -> Triple:
    """A tenth of the values of each column missing at random."""
    return tuple(np.where(g.random(len(own)) < 0.1, np.nan, own) for own in triple)  # type: ignore[return-value]


def labelled(triple: Triple, border: float) -> Triple:
    """The third column as two labels."""
    return *triple[:2], np.where(triple[2] > border, "u", "v")


def two_labels(triple: Triple, borders: tuple[float, float]) -> Triple:
    """The first and third as two labels each; the second, a number, explains all dependence of a chain."""
    return np.where(triple[0] > borders[0], "u", "v"), triple[1], np.where(triple[2] > borders[1], "u", "v")


def labels(g: Generator, n: int, levels: int, *, other: bool, shifted: float = 0.0) -> Triple:
    """Three labels; `other` has other shares and pairs with the same three-way odds ratios, `shifted` others."""
    law = np.exp(np.random.default_rng(levels).normal(size=(levels,) * 3) / 2)
    if other:
        fixed = np.random.default_rng(99)
        for axis in range(3):
            law = law * np.expand_dims(np.exp(fixed.normal(size=(levels, levels)) / 2), axis)
    law[0, 0, 0] *= np.exp(shifted)
    cells = np.unravel_index(g.choice(law.size, n, p=law.ravel() / law.sum()), law.shape)
    names = np.array(list("pqrs"))
    return names[cells[0]], names[cells[1]], names[cells[2]]


Draw = Callable[[Generator, int, int], tuple[Triple, Triple]]
CHANGING: dict[str, Draw] = {
    "pairs change: chain r=0.2, 0.8": lambda g, n, m: (chain(g, n, 0.2), chain(g, m, 0.8)),
    "pairs change: chain r=0, 0.95": lambda g, n, m: (chain(g, n, 0.0), chain(g, m, 0.95)),
    "pairs change: parabolas, independent": lambda g, n, m: (parabolas(g, n), chain(g, m, 0.0)),
}
LEVEL: dict[str, Draw] = {
    "independent": lambda g, n, m: (chain(g, n, 0.0), chain(g, m, 0.0)),
    "chain r=0.8, bent": lambda g, n, m: (chain(g, n, 0.8), bent(chain(g, m, 0.8))),
    **CHANGING,
    "product, bent": lambda g, n, m: (product(g, n), bent(product(g, m))),
    "product, a tenth missing": lambda g, n, m: (product(g, n), thinned(g, product(g, m))),
    "signs": lambda g, n, m: (signs(g, n), signs(g, m)),
    "Clayton 2, bent": lambda g, n, m: (clayton(g, n, 2.0), bent(clayton(g, m, 2.0))),
    "label of a product": lambda g, n, m: (labelled(product(g, n), 0.0), labelled(product(g, m), 0.0)),
    "label, pairs and shares change": lambda g, n, m: (
        labelled(chain(g, n, 0.2), 0.0),
        labelled(chain(g, m, 0.7), 0.8),
    ),
    "two labels, pairs and shares change": lambda g, n, m: (
        two_labels(chain(g, n, 0.2), (0.0, 0.0)),
        two_labels(chain(g, m, 0.7), (0.5, -0.5)),
    ),
    "2 x 2 x 2 labels, other pairs": lambda g, n, m: (labels(g, n, 2, other=False), labels(g, m, 2, other=True)),
    "3 x 3 x 3 labels, other pairs": lambda g, n, m: (labels(g, n, 3, other=False), labels(g, m, 3, other=True)),
}
POWER: dict[str, Draw] = {
    "product appears, slope 0.2": lambda g, n, m: (product(g, n, 0.0), product(g, m, 0.2)),
    "product turns, slope 0.2": lambda g, n, m: (product(g, n, -0.2), product(g, m, 0.2)),
    "product slope 1, 0.5": lambda g, n, m: (product(g, n, 1.0), product(g, m, 0.5)),
    "signs, independent": lambda g, n, m: (signs(g, n), chain(g, m, 0.0)),
    "label of a product appears": lambda g, n, m: (
        labelled(product(g, n, 0.0), 0.0),
        labelled(product(g, m, 0.4), 0.0),
    ),
    "2 x 2 x 2 labels, ratio 3": lambda g, n, m: (
        labels(g, n, 2, other=False),
        labels(g, m, 2, other=True, shifted=np.log(3.0)),
    ),
}
SIZES = ((200, 200), (200, 2000), (1000, 1000))
CASES = (
    *(f"level: {name}, n={n}, {m}" for name in LEVEL for n, m in SIZES),
    *(f"level: {name}, n=20000, 20000" for name in CHANGING),
    *(f"power: {name}, n=400, 400" for name in POWER),
    "fdr: numbers",
)


def study(case: str, quick: bool) -> dict[str, Any]:
    kind, rest = case.split(": ", 1)
    start, seed = time.process_time(), CASES.index(case)
    g = np.random.default_rng(seed)
    found = tables(g, quick) if kind == "fdr" else rates(kind, rest, g, quick)
    return found | {"seed": seed, "seconds": round(time.process_time() - start, 1)}


def rates(kind: str, rest: str, g: Generator, quick: bool) -> dict[str, Any]:
    """How often the test rejects at 5 %."""
    name, sizes = rest.split(", n=")
    n, m = (int(size) for size in sizes.split(", "))
    draw = (LEVEL if kind == "level" else POWER)[name]
    trials = 10 if quick else TRIALS if kind == "level" else POWER_TRIALS
    below = []
    for _ in range(trials):
        groups = groups_of(tuple(dict(zip("abc", one, strict=True)) for one in draw(g, n, m)))
        below.append(triple_test(groups, ("a", "b", "c"), 0).pvalue <= 0.05)
    return {"rows": [n, m], "rejected": [int(np.sum(below)), trials]}


def tables(g: Generator, quick: bool) -> dict[str, Any]:
    """Share of false ones among the triples reported at a rate of 5 %, and how often the one that changed is found."""
    false, found = [], []
    for _ in range(2 if quick else TABLES):
        groups = groups_of(tuple(_table(g, turned) for turned in (False, True)))
        triples = list(combinations(groups.kinds, 3))
        q = adjusted_pvalues([triple_test(groups, names, 0).pvalue for names in triples])
        reported = {names for names, value in zip(triples, q, strict=True) if value <= 0.05}
        false.append(len(reported - {("c0", "c1", "c2")}) / max(len(reported), 1))
        found.append(("c0", "c1", "c2") in reported)
    return {
        "tables": len(false),
        "rate": float(np.mean(false)),
        "error": float(np.std(false) / np.sqrt(len(false))),
        "found": float(np.mean(found)),
    }


def _table(g: Generator, turned: bool) -> dict[str, Any]:
    """Three columns whose product term appears, three whose pairs change, three that stay as they are."""
    parts = (product(g, TABLE_ROWS, 0.5 * turned), chain(g, TABLE_ROWS, 0.8 if turned else 0.3), signs(g, TABLE_ROWS))
    columns = [own for part in parts for own in part]
    return {f"c{place}": own for place, own in enumerate(columns)}


if __name__ == "__main__":
    sys.exit(records.run("compare_triples", __doc__, CASES, study))
