"""Pairs of columns of tables that scikit-learn ships, ranked beside how well one column predicts the other.

The protocol: of each table up to 12 pairs, evenly spread over the list of all pairs in the order of the columns, and
the first 300 rows in an order drawn with seed 0. The reference of a pair is its predictability: a forest of 100 trees
(at least 5 rows a leaf, seed 0) predicts each column from the other, out of bag: R^2 of ranks for a number, the share
saved of the log loss of the frequencies for a label; the larger of both directions counts. It is kept with the
package (`predictability.json`), so that all versions of scikit-learn judge alike.
"""

import json
from collections.abc import Iterator
from functools import cache, partial
from importlib import resources
from itertools import combinations
from typing import Any

import numpy as np

from shearer.yardstick.known_design import Design, Generator, Suite

#: Table -> columns that are taken, the target included.
TABLES = {"iris": 4, "wine": 13, "breast_cancer": 10, "diabetes": 10}
_MOST_PAIRS, _MOST_ROWS, _MOST_CLASSES = 12, 300, 5
_TREES, _LEAF, _LEAST_SHARE = 100, 5, 1e-3


@cache
def table(name: str) -> dict[str, Any]:
    """Columns of a table: numbers, and the target as labels where it is one of a few classes."""
    from sklearn import datasets

    found = getattr(datasets, f"load_{name}")()
    columns = {
        str(title): np.asarray(found.data[:, k], dtype=float)
        for k, title in enumerate(list(found.feature_names)[: TABLES[name]])
    }
    target = np.asarray(found.target)
    few = len(np.unique(target)) <= _MOST_CLASSES
    columns["target"] = np.char.add("class ", target.astype(int).astype(str)) if few else target.astype(float)
    order = np.random.default_rng(0).permutation(len(target))[:_MOST_ROWS]
    return {title: column[order] for title, column in columns.items()}


def pairs(name: str) -> list[tuple[str, str]]:
    """The pairs of a table that count.

    Examples
    --------
    >>> len(pairs("iris")), pairs("iris")[0]
    (10, ('sepal length (cm)', 'sepal width (cm)'))
    """
    every = list(combinations(table(name), 2))
    chosen = np.unique(np.linspace(0, len(every) - 1, min(_MOST_PAIRS, len(every))).round().astype(int))
    return [every[k] for k in chosen.tolist()]


def predictability(x: Any, y: Any) -> float:
    """How well a forest predicts one column from the other, the better of both directions; 0 is not at all."""
    return max(_predicted(x, y), _predicted(y, x))


def _predicted(x: Any, y: Any) -> float:
    from scipy.stats import rankdata
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    options = {"n_estimators": _TREES, "min_samples_leaf": _LEAF, "oob_score": True, "random_state": 0}
    features = x[:, None] if x.dtype.kind == "f" else np.equal.outer(x, np.unique(x)).astype(float)
    if y.dtype.kind == "f":
        ranks = rankdata(y)
        out = RandomForestRegressor(**options).fit(features, ranks).oob_prediction_
        return float(1 - np.mean((ranks - out) ** 2) / np.var(ranks))
    codes = np.unique(y, return_inverse=True)[1]
    shares = np.bincount(codes) / len(codes)
    out = RandomForestClassifier(**options).fit(features, codes).oob_decision_function_
    own = np.clip(out[np.arange(len(codes)), codes], _LEAST_SHARE, 1.0)
    return float(1 - np.mean(np.log(own)) / np.sum(shares * np.log(shares)))


def reference() -> dict[str, dict[str, tuple[float, int, str]]]:
    """Of every pair, by table and names of the columns: predictability, rows, kind. What is kept; takes a minute."""
    return {name: {" | ".join(pair): _judged(name, pair) for pair in pairs(name)} for name in TABLES}


def _judged(name: str, pair: tuple[str, str]) -> tuple[float, int, str]:
    x, y = (table(name)[part] for part in pair)
    labels = sum(column.dtype.kind != "f" for column in (x, y))
    return round(predictability(x, y), 4), len(x), ("numbers", "mixed", "labels")[labels]


def _drawn(name: str, pair: tuple[str, str], _g: Generator, _n: int) -> tuple[Any, ...]:
    columns = table(name)
    return columns[pair[0]], columns[pair[1]]


def _designs() -> Iterator[Design]:
    """From the kept reference alone: no table is loaded before a pair of it is drawn."""
    text = resources.files("shearer.yardstick").joinpath("predictability.json").read_text(encoding="utf-8")
    for name, known in json.loads(text).items():
        for title, (share, rows, kind) in known.items():
            first, second = title.split(" | ")
            yield Design(
                f"{name}: {first}, {second}", partial(_drawn, name, (first, second)), rows, None, name,
                f"{name} of scikit-learn; predictability {share:g}", kind=kind, place=share, most=1,
            )  # fmt: skip


SUITE = Suite(
    "tables",
    1,
    "strength",
    "Does its value rank pairs of columns of real tables as well as one column predicts the other? The strength of "
    "shearer was developed on these tables, among others.",
    tuple(_designs()),
)
