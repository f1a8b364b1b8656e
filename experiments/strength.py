"""Strength of pairs: bias, agreement with correlations, coverage of its intervals, and if it ranks as a forest does.

usage: python -m experiments.strength [--quick] [--renew] [--only NAME ...]

Development tables: scikit-learn's, those of SHEARER_DATA, and vega_datasets where it is installed. Of each at most 300
rows and 16 pairs are drawn. Of a pair a forest of 100 trees predicts each column from the other, out of bag: R^2 of
ranks of a number, share of the log loss of the frequencies that is saved for a label; the larger counts.

Writes experiments/results/strength.json after every case, and goes on where it stopped. With --renew the strengths are
computed again; what forests and rivals gave is kept.
"""

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import shearer as sh
from experiments import records
from shearer.data import read
from shearer.inference import adjusted_mutual_information
from shearer.inference.pvalue import adjusted_pvalues
from shearer.pairs.engine import PairTests
from shearer.pairs.strength import signed_root

Generator = np.random.Generator
Columns = dict[str, Any]

MOST_ROWS, MOST_PAIRS = 300, 16
TREES, FEWEST_ROWS_A_LEAF = 100, 5


def of_sklearn(name: str, most: int | None = None) -> Columns:
    from sklearn import datasets

    found = getattr(datasets, f"load_{name}")(as_frame=True)
    frame = found.frame.iloc[:, :most] if most else found.frame
    columns = {str(column): frame[column].to_numpy(dtype=float) for column in frame}
    if "target" in columns and hasattr(found, "target_names") and len(np.unique(columns["target"])) <= 5:
        columns["target"] = np.char.add("class ", columns["target"].astype(int).astype(str))
    return columns


def of_odds(name: str, most: int) -> Columns:
    data = sh.datasets.load_odds(name)
    return {f"x{k}": np.asarray(data.data[:, k], dtype=float) for k in range(min(most, data.data.shape[1]))}


def of_frame(frame: Any) -> Columns:
    """Numbers as floats, all else as labels."""
    return {
        name: frame[name].to_numpy().astype(float) if frame[name].dtype.is_numeric() else frame[name].to_numpy()
        for name in frame.columns
    }


def of_file(path: str, columns: list[str] | None = None, rows: int | None = None) -> Columns:
    import polars as pl

    place = Path(os.environ["SHEARER_DATA"]) / path
    separator = "," if path.endswith("csv") else "\t"
    frame = pl.read_csv(place, separator=separator, null_values=["NA", ""], n_rows=rows, infer_schema_length=None)
    return of_frame(frame.select(columns) if columns else frame)


def of_vega(name: str, leave: tuple[str, ...] = ()) -> Columns:
    import polars as pl
    import vega_datasets

    frame = pl.from_pandas(getattr(vega_datasets.local_data, name)()).drop(leave)
    dates = [name for name in frame.columns if frame[name].dtype.is_temporal()]
    return of_frame(frame.with_columns([pl.col(name).dt.ordinal_day() for name in dates]))


BIKE = ["season", "hr", "workingday", "weathersit", "temp", "hum", "windspeed", "casual", "registered"]
# Samples whose intervals are looked at.
COVERED = 500
TABLES: dict[str, Callable[[], Columns]] = {
    "iris": lambda: of_sklearn("iris"),
    "wine": lambda: of_sklearn("wine"),
    "breast cancer": lambda: of_sklearn("breast_cancer", 10),
    "diabetes": lambda: of_sklearn("diabetes"),
    "penguins": lambda: of_file("tables/penguins.csv"),
    "miles per gallon": lambda: {k: v for k, v in of_file("tables/mpg.csv").items() if k != "name"},
    "bike": lambda: of_file("bike/hour.csv", BIKE),
    "sachs": lambda: of_file("sachs/sachs.2005.continuous.txt", rows=853),
    "pima": lambda: of_odds("pima", 8),
    "breastw": lambda: of_odds("breastw", 9),
    "cardio": lambda: of_odds("cardio", 12),
    "dream4": lambda: dict(list(of_file("dream4/size100/insilico_size100_1_multifactorial.tsv").items())[:20]),
    "barley": lambda: of_vega("barley"),
    "driving": lambda: of_vega("driving", ("side",)),
    "seattle weather": lambda: of_vega("seattle_weather"),
    "us employment": lambda: of_vega("us_employment", ("month",)),
}
VEGA = ("barley", "driving", "seattle weather", "us employment")
KINDS = ("number, number", "number, label", "label, label")
LAWS: dict[str, Callable[[Generator, int, float], tuple[Any, Any]]] = {
    "normal": lambda g, n, r: _normal(g, n, r),
    "log-normal": lambda g, n, r: tuple(np.exp(x) for x in _normal(g, n, r)),
    "number, label": lambda g, n, r: _shifted(g, n, r),
    "labels": lambda g, n, r: _kept(g, n, r),
}
# Of each law: parameters at which its strength is about 0, .1, .3, .7 and .95.
PARAMETERS = {
    "normal": (0.0, 0.1, 0.3, 0.7, 0.95),
    "log-normal": (0.0, 0.13, 0.37, 0.78, 0.97),
    "number, label": (0.0, 0.12, 0.38, 1.2, 4.2),
    "labels": (0.0, 0.1, 0.3, 0.7, 0.95),
}
# Of a parabola in noise, which is found at unequal widths.
CURVE = (0.11, 0.33, 0.76, 1.0)
# Laws in which few rows lie far out: how many, how far; parameters at which the strength is about .3,
# .7 and .95, and more.
FAR_SHARE, FAR_SCALE = 0.03, 8.0
FAR = {
    "far rows": (0.3, 0.7, 0.95, 0.995),
    "broken rows": (0.3, 0.7, 0.95, 0.995),
    "heavy tails": (5.0, 1.5, 0.5, 0.1),
    "proportional": (1.0, 0.5, 0.2, 0.05),
}
# Of a label that decides a coarser one but in this share of the rows.
NESTED, EXCEPTIONS = ("nested labels", "nested labels, equal"), (0.0, 0.02, 0.1)
ROWS = (100, 400)
CASES = (
    *(f"bias: {kind}, n={n}" for kind in KINDS for n in (30, 100, 1000)),
    *(f"normal: r={r}, n=400" for r in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)),
    *(f"coverage: {law}, {parameter}, n={n}" for law in LAWS for parameter in PARAMETERS[law] for n in ROWS),
    *(f"table: {name}" for name in TABLES if name not in VEGA or importlib.util.find_spec("vega_datasets")),
    *(f"coverage: curve, {parameter}, n={n}" for parameter in CURVE for n in ROWS),
    *(f"coverage: {law}, {parameter}, n={n}" for law in FAR for parameter in FAR[law] for n in ROWS),
    *(f"coverage: {law}, {parameter}, n={n}" for law in NESTED for parameter in EXCEPTIONS for n in ROWS),
)


def _normal(g: Generator, n: int, r: float) -> tuple[Any, Any]:
    x, e = g.normal(size=(2, n))
    return x, r * x + np.sqrt(1 - r * r) * e


def _shifted(g: Generator, n: int, shift: float) -> tuple[Any, Any]:
    label = g.integers(0, 3, size=n)
    return g.normal(size=n) + shift * label, np.array(["a", "b", "c"])[label]


def _kept(g: Generator, n: int, share: float) -> tuple[Any, Any]:
    label, other = g.integers(0, 3, size=(2, n))
    return label.astype(str), np.where(g.uniform(size=n) < share, label, other).astype(str)


def _curved(g: Generator, n: int, share: float) -> tuple[Any, Any]:
    x, e = g.uniform(-1.7, 1.7, size=n), g.normal(size=n)
    return x, share * (x**2 - 1) + np.sqrt(1 - share**2) * e


def _far(g: Generator, n: int, r: float) -> tuple[Any, Any]:
    """Normal, but few rows lie several times as far out."""
    x, y = _normal(g, n, r)
    scale = np.where(g.uniform(size=n) < FAR_SHARE, FAR_SCALE, 1.0)
    return x * scale, y * scale


def _broken(g: Generator, n: int, r: float) -> tuple[Any, Any]:
    """Normal, but in few rows the second lies several times as far out and knows nothing of the first."""
    x, y = _normal(g, n, r)
    return x, np.where(g.uniform(size=n) < FAR_SHARE, FAR_SCALE * g.normal(size=n), y)


def _heavy(g: Generator, n: int, share: float) -> tuple[Any, Any]:
    """Student's t with 2 degrees of freedom, and that plus so much of another."""
    x, e = g.standard_t(2, size=(2, n))
    return x, x + share * e


def _proportional(g: Generator, n: int, share: float) -> tuple[Any, Any]:
    """A skewed number, and that with an error in proportion to it."""
    x = np.exp(1.5 * g.normal(size=n))
    return x, x * np.exp(share * g.normal(size=n))


def _nested(g: Generator, n: int, share: float, power: float = 1.0) -> tuple[Any, Any]:
    """Twelve places, the first the most frequent, and to which of four regions each belongs, now and then another."""
    places = np.arange(1.0, 13.0) ** -power
    place, other = g.choice(12, size=n, p=places / places.sum()), g.integers(0, 4, size=n)
    return place.astype(str), np.where(g.uniform(size=n) < share, other, place % 4).astype(str)


COVERED_LAWS: dict[str, Callable[[Generator, int, float], tuple[Any, Any]]] = {
    **LAWS,
    "curve": _curved,
    "far rows": _far,
    "broken rows": _broken,
    "heavy tails": _heavy,
    "proportional": _proportional,
    "nested labels": _nested,
    "nested labels, equal": lambda g, n, share: _nested(g, n, share, 0.0),
}


def squared_strength(x: Any, y: Any) -> float:
    return float(PairTests.of(read({"x": x, "y": y})).judged(slice(0, 1), slice(1, 2)).squared[0, 0])


def judged(x: Any, y: Any) -> tuple[float, float, float]:
    """Squared strength, and the ends of the interval of the strength."""
    tests = PairTests.of(read({"x": x, "y": y}))
    found = tests.judged(slice(0, 1), slice(1, 2))
    ends = tests.intervals(np.array([[0, 1]]), found.squared[0], found.rungs[0], found.pvalue[0])
    return float(found.squared[0, 0]), float(ends.low[0]), float(ends.high[0])


def study(case: str, quick: bool) -> dict[str, Any]:
    kind, rest = case.split(": ")
    start = time.perf_counter()
    seed = CASES.index(case)
    found = {"bias": bias, "normal": normal, "coverage": coverage, "table": ranking}[kind](rest, seed, quick)
    return found | {"seed": seed, "seconds": round(time.perf_counter() - start, 1)}


def renewed(case: str, known: dict[str, Any]) -> dict[str, Any]:
    """A case again; of a table only what the library's own test and strength give."""
    kind, rest = case.split(": ")
    if kind != "table":
        return study(case, quick=False)
    return known | {"pairs": drawn_pairs(TABLES[rest](), known["seed"], quick=False, known=known["pairs"])}


def bias(rest: str, seed: int, quick: bool) -> dict[str, Any]:
    """Mean of the squared strength of independent columns of several laws."""
    kind, n = rest.rsplit(", n=")
    rows = int(n)
    numbers: list[Callable[[Generator], Any]] = [
        lambda g: g.normal(size=rows),
        lambda g: g.uniform(size=rows),
        lambda g: g.lognormal(size=rows),
        lambda g: g.standard_t(2, size=rows),
        lambda g: g.integers(0, 6, size=rows).astype(float),
    ]
    labels: list[Callable[[Generator], Any]] = [
        lambda g: g.integers(0, 2, size=rows).astype(str),
        lambda g: g.integers(0, 5, size=rows).astype(str),
        lambda g: np.char.add("level ", g.geometric(0.4, size=rows).astype(str)),
    ]
    g = np.random.default_rng(seed)
    sides = [numbers if part == "number" else labels for part in kind.split(", ")]
    squares = []
    for _ in range(4 if quick else 12 if rows > 500 else 40):
        left, right = ([make(g) for make in side for _ in range(3)] for side in sides)
        table = read({f"c{k}": column for k, column in enumerate([*left, *right])})
        found = PairTests.of(table).judged(slice(0, len(left)), slice(len(left), len(left) + len(right)))
        squares.append(found.squared.ravel())
    means = np.mean(squares, axis=1)
    return {
        "rows": rows,
        "pairs": int(np.size(squares)),
        "mean": float(np.mean(squares)),
        "error": float(means.std() / np.sqrt(len(means))),
    }


def normal(rest: str, seed: int, quick: bool) -> dict[str, Any]:
    r, rows = float(rest.split(",")[0][2:]), 400
    g = np.random.default_rng(seed)
    squares = [squared_strength(*_normal(g, rows, r)) for _ in range(20 if quick else 100)]
    return {"rows": rows, "r": r, "strength": float(signed_root(np.mean(squares)))}


def coverage(rest: str, seed: int, quick: bool) -> dict[str, Any]:
    """How often the interval holds the strength of the law, which 12 samples of 4000 rows give."""
    *name, parameter, rows = rest.split(", ")
    law, value, n = COVERED_LAWS[", ".join(name)], float(parameter), int(rows[2:])
    g = np.random.default_rng(seed)
    truth = np.mean([squared_strength(*law(g, 4000, value)) for _ in range(12)]) if value or "nested" in rest else 0.0
    root = float(np.sqrt(max(truth, 0.0)))
    ends = np.array([judged(*law(g, n, value))[1:] for _ in range(20 if quick else COVERED)])
    held = (ends[:, 0] <= root) & (root <= ends[:, 1])
    return {
        "law": ", ".join(name),
        "rows": n,
        "strength": root,
        "samples": len(ends),
        "coverage": float(held.mean()),
        "too_high": float((ends[:, 0] > root).mean()),
        "too_low": float((ends[:, 1] < root).mean()),
        "width": float((ends[:, 1] - ends[:, 0]).mean()),
    }


def ranking(name: str, seed: int, quick: bool) -> dict[str, Any]:
    """Every measure of a draw of the pairs of a table, and how well a forest predicts one column from the other."""
    return {"pairs": drawn_pairs(TABLES[name](), seed, quick)}


def drawn_pairs(
    columns: Columns, seed: int, quick: bool, known: list[dict[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """What `pair_record` has of a draw of the pairs of a table, with q-values among them.

    Where records of the same pairs are known, only p-values and strengths are computed again.
    """
    g = np.random.default_rng(seed)
    pairs = list(combinations(columns, 2))
    chosen = g.permutation(len(pairs))[: 4 if quick else MOST_PAIRS]
    places = sorted(chosen.tolist())
    earlier = known or [None] * len(places)
    found = [pair_record(columns, pairs[k], g, one) for k, one in zip(places, earlier, strict=True)]
    qvalues = adjusted_pvalues(np.array([record["pvalue"] for record in found]))
    return [record | {"qvalue": float(q)} for record, q in zip(found, qvalues, strict=True)]


def pair_record(
    columns: Columns, names: tuple[str, str], g: Generator, earlier: dict[str, Any] | None = None
) -> dict[str, Any]:
    two = [np.asarray(columns[name]) for name in names]
    known = np.logical_and.reduce([_known(column) for column in two])
    rows = g.permutation(np.flatnonzero(known))[:MOST_ROWS]
    x, y = (column[rows] if column.dtype.kind == "f" else column[rows].astype(str) for column in two)
    tests = PairTests.of(read({"x": x, "y": y}))
    judged = tests.judged(slice(0, 1), slice(1, 2))
    own = {"pvalue": float(judged.pvalue[0, 0]), "strength": float(signed_root(judged.squared)[0, 0])}
    if earlier is not None:
        assert earlier["variables"] == list(names)
        assert earlier["rows"] == len(rows)
        return earlier | own
    matrix = sh.pairwise({"x": x, "y": y})
    flat = [_numbers(column) for column in (x, y)]
    wide = [_indicators(column) for column in (x, y)]
    xi = max(sh.comparators.chatterjee_xi(*flat), sh.comparators.chatterjee_xi(*flat[::-1]))
    order1 = adjusted_mutual_information(x, y, alpha=1.0, n_resamples=2)
    return {
        "variables": list(names),
        "rows": len(rows),
        "predictability": max(_predicted(x, y), _predicted(y, x)),
        **own,
        "alignment": float(_best_alignment(tests)),
        "adjusted I, order 2": float(matrix.adjusted[0, 1]),
        "adjusted I, order 1": float(order1),
        "distance correlation": float(sh.comparators.distance_correlation(*wide)),
        "xi": float(xi),
        "|Spearman|": abs(sh.comparators.spearman(*flat)),
    }


def _best_alignment(tests: PairTests) -> float:
    """The largest alignment at equal rungs as it is: no share of the attainable, and its choice not paid for."""
    from shearer.tools.outliers.related_pairs import aligned

    ladders = tests._ladders
    found = []
    for height in range(max(ladders.heights(0), ladders.heights(1))):
        parts = [ladders.features(k, height).of(slice(0, ladders.rows)) for k in (0, 1)]
        found.append(aligned([part - part.mean(axis=0) for part in parts])[0, 1])
    return float(signed_root(np.array(max(found))))


def _known(column: Any) -> Any:
    if column.dtype.kind == "f":
        return np.isfinite(column)
    return np.array([value is not None and value == value for value in column])


def _numbers(column: Any) -> Any:
    return column if column.dtype.kind == "f" else np.unique(column, return_inverse=True)[1].astype(float)


def _indicators(column: Any) -> Any:
    if column.dtype.kind == "f":
        return column
    return np.equal.outer(column, np.unique(column)).astype(float)


def _predicted(x: Any, y: Any) -> float:
    from scipy.stats import rankdata
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    options = {"n_estimators": TREES, "min_samples_leaf": FEWEST_ROWS_A_LEAF, "oob_score": True, "random_state": 0}
    features = _indicators(x).reshape(len(x), -1)
    if y.dtype.kind == "f":
        ranks = rankdata(y)
        if np.ptp(ranks) == 0:
            return 0.0
        out = RandomForestRegressor(**options).fit(features, ranks).oob_prediction_
        return float(1 - np.mean((ranks - out) ** 2) / np.var(ranks))
    levels, codes = np.unique(y, return_inverse=True)
    if len(levels) < 2:
        return 0.0
    shares = np.bincount(codes) / len(codes)
    out = RandomForestClassifier(**options).fit(features, codes).oob_decision_function_
    own = np.clip(np.nan_to_num(out[np.arange(len(codes)), codes], nan=1e-3), 1e-3, 1.0)
    return float(1 - np.mean(np.log(own)) / np.sum(shares * np.log(shares)))


if __name__ == "__main__":
    sys.exit(records.run("strength", __doc__, CASES, study, renewed))
