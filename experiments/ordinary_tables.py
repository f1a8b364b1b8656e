"""How often a scan says of ordinary tables that columns are trivial, or that rows depend on each other.

usage: python -m experiments.ordinary_tables [--quick] [--only NAME ...]

Tables of independent rows: numbers, counts, labels, zeros, gaps, columns that depend on each other, from 12 to 3000
rows and 2 to 30 columns; sorted by a number, by one of their columns, by labels, or with dates. No column counts the
rows, is a copy, or is computed from others, so that whatever is said is a false alarm. The last three designs have what
should be said. Writes experiments/results/ordinary_tables.json after every design, and goes on where it stopped.
"""

import sys
import time
import warnings
from collections import Counter

import numpy as np

from experiments import records
from shearer.data import read
from shearer.scanning.columns.coded import coded_columns
from shearer.scanning.columns.roles import find_roles
from shearer.scanning.columns.row_order import rows_that_depend

TRIALS = 500
ROWS = (12, 20, 40, 100, 300, 1000, 3000)


def column(g: np.random.Generator, n: int, base: np.ndarray) -> np.ndarray:
    """A column of one of twelve kinds; some depend on `base`, which the table need not hold."""
    kinds = (
        lambda: g.normal(size=n),
        lambda: g.integers(0, g.integers(2, 12), n),
        lambda: g.integers(0, 100, n),
        lambda: g.poisson(g.choice([0.3, 2.0, 20.0]), n),
        lambda: g.choice([f"level {k}" for k in range(g.integers(2, 8))], n),
        lambda: np.array([f"level {k}" for k in g.zipf(1.7, n) % 50]),
        lambda: np.round(g.exponential(30, n), 2),
        lambda: base + g.choice([0.1, 0.5, 2.0]) * g.normal(size=n),
        lambda: np.round(10 * (base + 0.3 * g.normal(size=n))),
        lambda: g.random(n) < g.choice([0.5, 0.1, 0.02]),
        lambda: np.where(g.random(n) < 0.6, 0.0, np.round(g.exponential(10, n), 1)),
        lambda: np.where(g.random(n) < 0.1, np.nan, g.normal(size=n)),
    )
    return kinds[g.integers(len(kinds))]()


class Draw:
    """Columns, and what some of them depend on."""

    def __init__(self, g: np.random.Generator) -> None:
        self.g, self.rows = g, int(g.choice(ROWS))
        self.base = g.normal(size=self.rows)
        self.columns = {f"c{k}": column(g, self.rows, self.base) for k in range(int(g.integers(2, 31)))}


def days(g: np.random.Generator, n: int, spread: int) -> np.ndarray:
    return np.datetime64("2020-01-01") + g.integers(0, spread, n).astype("timedelta64[D]")


def sorted_by(columns: dict[str, np.ndarray], order: np.ndarray, **more: np.ndarray) -> dict[str, np.ndarray]:
    return {name: values[order] for name, values in (columns | more).items()}


def by_number(draw):
    return sorted_by(draw.columns, np.argsort(draw.base), key=draw.base)


def by_column(draw):
    return sorted_by(draw.columns, np.argsort(draw.columns["c0"], kind="stable"))


def by_label(draw):
    group = np.digitize(draw.base, [-1, 0, 1])
    return sorted_by(draw.columns, np.argsort(group, kind="stable"), group=np.array(list("abcd"))[group])


def by_labels(draw):
    first, second = draw.g.integers(0, 3, draw.rows), np.digitize(draw.base, [-0.5, 0.5])
    order = np.lexsort((second, first))
    return sorted_by(draw.columns, order, first=np.array(list("abc"))[first], second=np.array(list("xyz"))[second])


def by_date(draw):
    return draw.columns | {"date": np.sort(days(draw.g, draw.rows, max(draw.rows, 50)))}


def with_date(draw):
    return draw.columns | {"date": days(draw.g, draw.rows, 20 * draw.rows)}


def drifting(draw):
    rows = max(draw.rows, 40)
    walks = {f"w{k}": draw.g.normal(size=rows).cumsum() for k in range(3)}
    return walks | {"date": np.datetime64("2020-01-01") + np.arange(rows)}


def panel(draw):
    units, times = 10, 12
    level = np.repeat(draw.g.normal(size=units) * 3, times)
    rows = units * times
    walk = draw.g.normal(size=(units, times)).cumsum(axis=1).ravel()
    place = np.repeat([f"place {k}" for k in range(units)], times)
    year = np.tile(np.arange(2000, 2000 + times), units)
    return {"place": place, "year": year, "x": level + walk, "y": draw.g.normal(size=rows)}


def repeated(draw):
    plain = {"x": draw.g.normal(size=100), "y": np.round(draw.g.normal(size=100), 2), "z": draw.g.integers(0, 5, 100)}
    order = draw.g.permutation(np.r_[np.arange(100), draw.g.integers(0, 100, 10)])
    return {name: values[order] for name, values in plain.items()}


DESIGNS = {
    "in any order": lambda draw: draw.columns,
    "sorted by a number": by_number,
    "sorted by a column": by_column,
    "sorted by a label": by_label,
    "sorted by two labels": by_labels,
    "in the order of dates": by_date,
    "with dates": with_date,
    "drifting in time": drifting,
    "units in time": panel,
    "rows repeated": repeated,
}


def study(name: str, quick: bool) -> dict:
    trials, start = (100 if quick else TRIALS), time.perf_counter()
    said: Counter[str] = Counter()
    for k in range(trials):
        g = np.random.default_rng([list(DESIGNS).index(name), k])
        data = DESIGNS[name](Draw(g))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            coded = coded_columns(read(data, missing="pairwise", pairwise=True).columns)
        coded = {label: found for label, found in coded.items() if found.distinct > 1}
        roles = find_roles(coded, (), ())
        dependent = [found["kind"] for found in rows_that_depend(coded, roles)] if coded else []
        said.update({"left out"} if roles.left_out else set())
        said.update({found["kind"] for found in roles.known} | set(dependent))
        said.update({"anything"} if roles.left_out or roles.known or dependent else set())
    return {
        "trials": trials,
        **{kind: said[kind] / trials for kind in sorted(said)},
        "seconds": round(time.perf_counter() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("ordinary_tables", __doc__, DESIGNS, study))
