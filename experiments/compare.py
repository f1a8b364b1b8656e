"""Tests of equal dependence in two groups: level, power, false discovery rate, beside rivals.

usage: python -m experiments.compare [--quick] [--only NAME ...]

Rivals: Fisher's z on Pearson's and on Spearman's correlations, and a permutation of the group labels of rows (99 times)
on the difference of distance correlations of ranks within groups; the last in fewer trials, and not with 2000 rows.

Writes experiments/results/compare.json after every case, and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special, stats

import shearer as sh
from experiments import records
from shearer.comparing.compared_groups import TableGroup
from shearer.comparing.own_columns import OwnColumn
from shearer.comparing.read_groups import ReadGroups
from shearer.comparing.tested_pairs import pair_test
from shearer.inference.pvalue import adjusted_pvalues, rank_pvalue

Generator = np.random.Generator
Pair = tuple[Any, Any]

TRIALS, POWER_TRIALS, PERMUTED_TRIALS, PERMUTATIONS, TABLES = 500, 200, 100, 99, 30
COLUMNS, CHANGED, TABLE_ROWS = 30, 5, 300


def normal(g: Generator, n: int, r: float) -> Pair:
    x, e = g.normal(size=(2, n))
    return x, r * x + np.sqrt(1 - r * r) * e


def bent(pair: Pair) -> Pair:
    """The same ranks: one column moved, scaled and skewed, the other skewed."""
    return 5 + 3 * np.exp(pair[0]), -np.exp(-pair[1])


def thinned(g: Generator, pair: Pair) -> Pair:
    """A third of the values of each column missing at random."""
    return tuple(np.where(g.random(len(own)) < 1 / 3, np.nan, own) for own in pair)  # type: ignore[return-value]


def clayton(g: Generator, n: int, r: float) -> Pair:
    """A copula whose lower tails depend more."""
    shape = g.gamma(1 / r, size=n)
    x, y = ((1 + g.exponential(size=n) / shape) ** (-1 / r) for _ in range(2))
    return x, y


def mixed(g: Generator, n: int, shares: list[float], shifts: list[float]) -> Pair:
    codes = g.choice(len(shares), n, p=shares)
    return np.array(list("uvwxyz"))[codes], g.normal(size=n) * (1 + 0.5 * (codes == 1)) + np.array(shifts)[codes]


def labels(g: Generator, n: int, law: Any, rows: Any = 1.0, columns: Any = 1.0) -> Pair:
    """Two labels; factors of rows and of columns change shares and leave the odds ratios as they are."""
    weights = np.asarray(law, dtype=float) * np.reshape(rows, (-1, 1)) * columns
    cells = g.choice(weights.size, n, p=weights.reshape(-1) / weights.sum())
    return np.array(list("abcdef"))[cells // weights.shape[1]], np.array(list("uvwxyz"))[cells % weights.shape[1]]


def parabola(g: Generator, n: int, slope: float) -> Pair:
    x, e = g.normal(size=(2, n))
    return x, slope * x**2 + e


def ring(g: Generator, n: int) -> Pair:
    angle = g.uniform(0, 2 * np.pi, n)
    return np.cos(angle) + 0.2 * g.normal(size=n), np.sin(angle) + 0.2 * g.normal(size=n)


SIZES = ((30, 30), (100, 100), (100, 2000))
LAW2 = [[0.3, 0.1], [0.2, 0.4]]
LAW3 = [[0.2, 0.1, 0.1], [0.1, 0.2, 0.05], [0.05, 0.05, 0.15]]
Draw = Callable[[Generator, int, int], tuple[Pair, Pair]]
LEVEL: dict[str, Draw] = {
    **{f"normal r={r}": (lambda g, n, m, r=r: (normal(g, n, r), normal(g, m, r))) for r in (0.0, 0.5, 0.8, 0.95)},
    **{f"bent, r={r}": (lambda g, n, m, r=r: (normal(g, n, r), bent(normal(g, m, r)))) for r in (0.0, 0.8)},
    "thinned, r=0.8": lambda g, n, m: (normal(g, n, 0.8), thinned(g, normal(g, m, 0.8))),
    "Clayton 2": lambda g, n, m: (clayton(g, n, 2.0), bent(clayton(g, m, 2.0))),
    "parabola": lambda g, n, m: (parabola(g, n, 1.0), bent(parabola(g, m, 1.0))),
    "ring": lambda g, n, m: (ring(g, n), bent(ring(g, m))),
    "number, 2 labels, other shares": lambda g, n, m: (
        mixed(g, n, [0.5, 0.5], [0, 1]),
        mixed(g, m, [0.8, 0.2], [0, 1]),
    ),
    "number, 3 labels, other shares": lambda g, n, m: (
        mixed(g, n, [0.3, 0.3, 0.4], [0, 1, 2]),
        mixed(g, m, [0.6, 0.2, 0.2], [0, 1, 2]),
    ),
    "2 x 2 labels, other shares": lambda g, n, m: (labels(g, n, LAW2), labels(g, m, LAW2, [3, 1], [1, 2])),
    "3 x 3 labels, other shares": lambda g, n, m: (labels(g, n, LAW3), labels(g, m, LAW3, [2, 1, 1], [1, 2, 1])),
}
POWER: dict[str, Draw] = {
    "r=0.3, 0.6": lambda g, n, m: (normal(g, n, 0.3), normal(g, m, 0.6)),
    "r=0.8, 0.9": lambda g, n, m: (normal(g, n, 0.8), normal(g, m, 0.9)),
    "r=0, 0.3": lambda g, n, m: (normal(g, n, 0.0), normal(g, m, 0.3)),
    "r=0.3, 0.6, bent": lambda g, n, m: (normal(g, n, 0.3), bent(normal(g, m, 0.6))),
    "parabola turned": lambda g, n, m: (parabola(g, n, 0.3), parabola(g, m, -0.3)),
    "ring, independent": lambda g, n, m: (ring(g, n), normal(g, m, 0.0)),
    "Clayton 2, normal r=0.71": lambda g, n, m: (clayton(g, n, 2.0), normal(g, m, 0.71)),
    "labels of a number move": lambda g, n, m: (
        mixed(g, n, [0.5, 0.5], [0, 0.3]),
        mixed(g, m, [0.5, 0.5], [0, 1.2]),
    ),
    "odds ratio 6, 1.5": lambda g, n, m: (labels(g, n, LAW2), labels(g, m, [[0.3, 0.2], [0.25, 0.25]])),
}
CASES = (
    *(f"level: {name}, n={n}, {m}" for name in LEVEL for n, m in SIZES),
    *(f"power: {name}, n=100, 100" for name in POWER),
    "fdr: numbers",
    "fdr: mixed",
)


def own(one: Pair, other: Pair) -> float:
    """The p-value of `shearer.compare`."""
    return _pvalues(tuple({"x": x, "y": y} for x, y in (one, other)))["x", "y"]


def groups_of(tables: tuple[dict[str, Any], ...]) -> ReadGroups:
    """Groups of such columns as `compare` makes them, without reading tables of any library."""
    levels = {name: tuple(np.unique(np.concatenate([own[name] for own in tables])).tolist())
              for name, column in tables[0].items() if column.dtype.kind != "f"}  # fmt: skip
    groups = []
    for place, table in enumerate(tables):
        columns = {
            name: OwnColumn("number", column, np.empty(0, dtype=np.intp))
            if name not in levels
            else OwnColumn("label", np.empty(len(column)), np.searchsorted(levels[name], column), levels[name], False)
            for name, column in table.items()
        }
        groups.append(TableGroup(str(place), columns, len(next(iter(table.values())))))
    kinds = {name: "label" if name in levels else "number" for name in tables[0]}
    return ReadGroups(tuple(groups), kinds, {}, levels, [], "polars")


def _pvalues(tables: tuple[dict[str, Any], ...]) -> dict[tuple[str, str], float]:
    """The tests of all pairs as `compare` makes them, without strengths."""
    read = groups_of(tables)
    return {pair: pair_test(read, *pair, 0).pvalue for pair in combinations(read.kinds, 2)}


def fisher(one: Pair, other: Pair, spearman: bool) -> float:
    """Difference of two correlations by Fisher's z; of Spearman's with the variance of Bonett and Wright."""
    deviation, variance = [], 0.0
    for x, y in (one, other):
        both = np.isfinite(x) & np.isfinite(y)
        measure = sh.comparators.spearman if spearman else sh.comparators.pearson
        r = float(np.clip(measure(x[both], y[both]), -1 + 1e-12, 1 - 1e-12))
        deviation.append(np.arctanh(r))
        variance += (1 + r * r / 2 if spearman else 1.0) / (both.sum() - 3)
    return float(2 * special.ndtr(-abs(deviation[0] - deviation[1]) / np.sqrt(variance)))


def permuted(g: Generator, one: Pair, other: Pair) -> float:
    """Difference of distance correlations of ranks within groups, group labels of rows rearranged."""
    ranks = [np.stack([stats.rankdata(x) / len(x) for x in pair]) for pair in (one, other)]
    whole, n = np.concatenate(ranks, axis=1), len(one[0])

    def gap(order: Any) -> float:
        parts = whole[:, order[:n]], whole[:, order[n:]]
        return abs(float(np.subtract(*(sh.comparators.distance_correlation(*part) for part in parts))))

    observed = gap(np.arange(whole.shape[1]))
    null = np.array([gap(g.permutation(whole.shape[1])) for _ in range(PERMUTATIONS)])
    return rank_pvalue(null, observed)


def study(case: str, quick: bool) -> dict[str, Any]:
    kind, rest = case.split(": ", 1)
    start, seed = time.perf_counter(), CASES.index(case)
    g = np.random.default_rng(seed)
    found = tables(rest, g, quick) if kind == "fdr" else rates(kind, rest, g, quick)
    return found | {"seed": seed, "seconds": round(time.perf_counter() - start, 1)}


def rates(kind: str, rest: str, g: Generator, quick: bool) -> dict[str, Any]:
    """How often each test rejects at 5 %."""
    name, sizes = rest.split(", n=")
    n, m = (int(size) for size in sizes.split(", "))
    draw = (LEVEL if kind == "level" else POWER)[name]
    trials = 20 if quick else TRIALS if kind == "level" else POWER_TRIALS
    below: dict[str, list[bool]] = {}
    for trial in range(trials):
        one, other = draw(g, n, m)
        below.setdefault("shearer", []).append(own(one, other) <= 0.05)
        if all(x.dtype.kind == "f" for x in (*one, *other)):
            for measure in ("Pearson", "Spearman"):
                pvalue = fisher(one, other, measure == "Spearman")
                below.setdefault(measure, []).append(pvalue <= 0.05)
            whole = all(np.isfinite(x).all() for x in (*one, *other))
            if kind == "power" and whole and trial < (5 if quick else PERMUTED_TRIALS):
                below.setdefault("dCor", []).append(permuted(g, one, other) <= 0.05)
    return {"rows": [n, m], "rejected": {test: [int(np.sum(own)), len(own)] for test, own in below.items()}}


def tables(rest: str, g: Generator, quick: bool) -> dict[str, Any]:
    """Share of false ones among the pairs reported at a rate of 5 %, and of those that changed that are found."""
    changed = {(f"c{2 * k}", f"c{2 * k + 1}") for k in range(CHANGED)}
    false, found = [], []
    for _ in range(2 if quick else TABLES):
        groups = tuple(_table(g, turned, labelled=rest == "mixed") for turned in (False, True))
        pvalues = _pvalues(groups)
        names = [pair for pair, p in pvalues.items() if np.isfinite(p)]
        q = adjusted_pvalues([pvalues[pair] for pair in names])
        reported = {pair for pair, value in zip(names, q, strict=True) if value <= 0.05}
        false.append(len(reported - changed) / max(len(reported), 1))
        found.append(len(reported & changed) / CHANGED)
    return {
        "tables": len(false),
        "rate": float(np.mean(false)),
        "error": float(np.std(false) / np.sqrt(len(false))),
        "found": float(np.mean(found)),
    }


def _table(g: Generator, turned: bool, labelled: bool) -> dict[str, Any]:
    """Columns in blocks that depend on each other; the first ten are pairs of which the second group has others."""
    columns: dict[str, Any] = {}
    for k in range(CHANGED):
        x, y = normal(g, TABLE_ROWS, 0.1 if turned else 0.7)
        columns |= {f"c{2 * k}": x, f"c{2 * k + 1}": y}
    for block in range((COLUMNS - 2 * CHANGED) // 4):
        common = g.normal(size=TABLE_ROWS)
        for k in range(4):
            column = common + g.normal(size=TABLE_ROWS) * (0.5 + k / 2)
            if labelled and k == 3:
                column = np.array(["low", "middle", "high"])[np.digitize(column, [-1.0, 1.0])]
            elif turned and k == 2:
                column = np.exp(column)
            columns[f"b{block}{k}"] = column
    return columns


if __name__ == "__main__":
    sys.exit(records.run("compare", __doc__, CASES, study))
