"""Which scheme finds outliers on tables that it was not chosen on, and which rows that break a relation are found.

usage: python -m experiments.outlier_choice [--quick] [--only "pima: rivals" ...]

"pima: choice": settings of the detector of `scheme="relations"` (views that count, how they are joined, whether breaks
count, neighbors), each with its areas under the ROC and the precision-recall curve; the documentation chooses for each
table the settings that did best on the others. "pima: rivals": other detectors with the defaults of their libraries,
on z-scored columns. "broken ring: choice" and so on: the same on tables in which ten of 1000 rows break a relation of
two columns among noise, and no column shows it. A data set that is not in SHEARER_DATA is left out. Writes
experiments/results/outlier_choice.json after every case, and goes on where it stopped.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import polars.selectors as cs
from pyod.models.copod import COPOD
from pyod.models.ecod import ECOD
from pyod.models.hbos import HBOS
from pyod.models.knn import KNN
from pyod.models.pca import PCA
from sklearn import datasets
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import scale
from sklearn.svm import OneClassSVM

from experiments import records
from experiments.odds import is_there
from shearer.datasets import load_mpg, load_odds, load_penguins
from shearer.tools import SubspaceOutlierDetector, SubspaceSearch
from shearer.tools.outliers.detector import DISTANCE_NEIGHBORS
from shearer.tools.outliers.surprise_views import BREAK, VIEWS, SurpriseViews
from shearer.tools.outliers.tail_bits import TailBits

ODDS = ("pima", "breastw", "cardio", "musk", "mnist", "internetads")
SEEDS, PLANTED_ROWS, PLANTED_OUTLIERS, NOISE = 3, 1000, 10, 10
NEIGHBORS = (10, 20, 50, 100)
JOINED = ("bits", "ranks", "largest")
SETS = ("value", "relation", "distance", "value+relation", "value+distance", "relation+distance", "+".join(VIEWS))
Table = tuple[np.ndarray, np.ndarray, np.ndarray]  # rows with labels as numbers, which columns are labels, outliers
# Tables with classes: the rows of each class in turn, a twentieth as many as the others have, are outliers among them.
CLASSES: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "wdbc": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "penguins": lambda: named_classes(load_penguins(), "species"),
    "cars": lambda: named_classes(load_mpg(), "origin"),
}
OUTLYING = 0.05


def named_classes(found: Any, column: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a table, on the rows that have all of them, and the classes that a column names."""
    rows = found.frame.with_columns(cs.numeric().cast(float)).drop_nulls(cs.numeric())
    return rows.select(cs.numeric()).to_numpy(), np.unique(rows[column].to_list(), return_inverse=True)[1]


def of_classes(name: str) -> Iterator[Table]:
    X, classes = CLASSES[name]()
    for outlying in np.unique(classes):
        rng, others = np.random.default_rng(0), np.flatnonzero(classes != outlying)
        own = np.flatnonzero(classes == outlying)
        drawn = rng.choice(own, min(len(own), round(OUTLYING * len(others))), replace=False)
        rows = np.sort(np.r_[drawn, others])
        values = X[rows]
        yield values[:, np.ptp(values, axis=0) > 0], np.zeros(0), np.isin(rows, drawn).astype(int)


def line(g: np.random.Generator, n: int, broken: np.ndarray) -> list[np.ndarray]:
    x, e = g.normal(size=(2, n))
    y = x + 0.2 * e
    y[broken] = -np.sign(x[broken]) * np.abs(y[broken]).clip(0.7)
    x[broken] = np.sign(x[broken]) * np.abs(x[broken]).clip(0.7)
    return [x, y]


def ring(g: np.random.Generator, n: int, broken: np.ndarray) -> list[np.ndarray]:
    angle, radius = g.uniform(0, 2 * np.pi, n), 1 + 0.1 * g.normal(size=n)
    radius[broken] = 0.3 * g.random(broken.sum())
    return [radius * np.cos(angle), radius * np.sin(angle)]


def parabola(g: np.random.Generator, n: int, broken: np.ndarray) -> list[np.ndarray]:
    x = g.uniform(-1, 1, n)
    x[broken] = 0.5 * x[broken]  # inside the arms
    y = x**2 + 0.05 * g.normal(size=n)
    y[broken] += 0.5
    return [x, y]


def wave(g: np.random.Generator, n: int, broken: np.ndarray) -> list[np.ndarray]:
    x = g.uniform(0, 2 * np.pi, n)
    y = np.sin(2 * x) + 0.1 * g.normal(size=n)
    y[broken] = -np.sign(np.sin(2 * x[broken])) * g.uniform(0.3, 0.9, broken.sum())
    return [x, y]


def groups(g: np.random.Generator, n: int, broken: np.ndarray) -> list[np.ndarray]:
    """A label and a number: four levels, each with its own middle; broken rows have that of another."""
    level = g.integers(0, 4, n)
    shown = np.where(broken, (level + 2) % 4, level)
    return [level.astype(float), 3.0 * shown + g.normal(size=n)]


def labels(g: np.random.Generator, n: int, broken: np.ndarray) -> list[np.ndarray]:
    """Twelve towns in three countries, and a number that they have nothing to do with; broken rows are elsewhere."""
    town = g.integers(0, 12, n)
    country = town % 3
    return [town.astype(float), np.where(broken, (country + 1) % 3, country).astype(float)]


# Name -> the two columns, and which of them are labels.
PLANTED: dict[str, tuple[Callable[[np.random.Generator, int, np.ndarray], list[np.ndarray]], tuple[bool, bool]]] = {
    "broken line": (line, (False, False)),
    "broken ring": (ring, (False, False)),
    "broken parabola": (parabola, (False, False)),
    "broken wave": (wave, (False, False)),
    "broken groups": (groups, (True, False)),
    "broken labels": (labels, (True, True)),
}


def planted(name: str, seed: int) -> Table:
    """The two columns among normal noise, in the first places; order tells a detector nothing."""
    make, kinds = PLANTED[name]
    g = np.random.default_rng([seed, *name.encode()])
    broken = np.zeros(PLANTED_ROWS, dtype=bool)
    broken[g.choice(PLANTED_ROWS, PLANTED_OUTLIERS, replace=False)] = True
    noise = g.normal(size=(PLANTED_ROWS, NOISE))
    return np.column_stack([*make(g, PLANTED_ROWS, broken), noise]), np.flatnonzero(kinds), broken.astype(int)


def tables(name: str) -> Iterator[Table]:
    if name in PLANTED:
        yield from (planted(name, seed) for seed in range(SEEDS))
    elif name in CLASSES:
        yield from of_classes(name)
    else:
        found = load_odds(name)
        yield found.data.astype(float), np.zeros(0), found.target


def settings(scores: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Scores of every way to join the views."""
    ranks = 1.0 - 2.0 ** -scores[:, :BREAK]
    allowed = np.log2(2 * len(scores)) / 2
    for chosen, joined in product(SETS, JOINED):
        places = [VIEWS.index(view) for view in chosen.split("+")]
        if len(places) == 1 and joined != "bits":
            continue
        own = (scores if joined != "ranks" else ranks)[:, places]
        total = own.max(axis=1) if joined == "largest" else own.mean(axis=1)
        yield f"{chosen}, {joined}", total
        if joined == "bits":
            yield f"{chosen}, {joined}, breaks", np.maximum(total, scores[:, BREAK] - allowed)


def choice(table: Table) -> dict[str, list[float]]:
    X, places, y = table
    is_label = np.isin(np.arange(X.shape[1]), places)
    found = {}
    views = SurpriseViews.fit(X, is_label, min(max(NEIGHBORS), len(X) - 1), np.random.RandomState(0))
    for neighbors in NEIGHBORS:
        object.__setattr__(views.near, "neighbors", min(neighbors, len(X) - 1))
        distances = views.near.distances(X, trained=True)
        scores = views.scores.copy()
        scores[:, 2] = TailBits.fit(distances).of(distances)
        for name, total in settings(scores):
            if "distance" in name or neighbors == NEIGHBORS[0]:
                found[f"{name}, k={neighbors}" if "distance" in name else name] = areas(y, total)
    return found


def areas(y: np.ndarray, scores: np.ndarray) -> list[float]:
    return [round(float(area(y, scores)), 4) for area in (roc_auc_score, average_precision_score)]


def rivals(table: Table, name: str) -> dict[str, list[float]]:
    X, places, y = table
    numbers = np.setdiff1d(np.arange(X.shape[1]), places)
    indicators = [(X[:, [place]] == np.unique(X[:, place])).astype(float) for place in places.astype(int)]
    Z = scale(np.column_stack([X[:, numbers], *indicators]))
    found: dict[str, Any] = {
        "LOF": lambda: -LocalOutlierFactor(n_neighbors=20).fit(Z).negative_outlier_factor_,
        "one-class SVM": lambda: -OneClassSVM().fit(Z).score_samples(Z),
        "subspaces by T*, LOF": lambda: paper_scores(Z, name),
    }
    for model in (KNN(), HBOS(), COPOD(), ECOD(), PCA()):
        found[{"KNN": "kNN"}.get(type(model).__name__, type(model).__name__)] = lambda model=model: (
            model.fit(Z).decision_scores_
        )
    result = {key: areas(y, np.nan_to_num(make())) for key, make in found.items()}
    forests = [areas(y, -IsolationForest(random_state=seed).fit(Z).score_samples(Z)) for seed in range(SEEDS)]
    return {"isolation forest": np.mean(forests, axis=0).round(4).tolist()} | result


def paper_scores(Z: np.ndarray, name: str) -> np.ndarray:
    """The paper's scheme; of ODDS tables the subspaces that experiments.odds found already."""
    known = json.loads((records.FOLDER / "odds.json").read_text()).get(f"{name}: T*", {})
    search = known.get("subspaces") or SubspaceSearch()
    return SubspaceOutlierDetector(search, scheme="paper").fit(Z).decision_scores_


def default(table: Table) -> dict[str, list[float]]:
    X, places, y = table
    is_label = np.isin(np.arange(X.shape[1]), places)
    views = SurpriseViews.fit(X, is_label, min(DISTANCE_NEIGHBORS, len(X) - 1), np.random.RandomState(0))
    return {"default": areas(y, views.total(views.scores))}


def study(case: str, quick: bool) -> dict[str, Any]:
    name, part = case.split(": ")
    start, found = time.process_time(), []
    for table in tables(name):
        some = (table[0][:300], table[1], table[2][:300]) if quick else table
        found.append({"choice": choice, "rivals": lambda t: rivals(t, name), "default": default}[part](some))
        X, _, y = some
    mean = {key: np.mean([one[key] for one in found], axis=0).round(4).tolist() for key in found[0]}
    about = {"rows": len(X), "columns": X.shape[1], "outliers": int(y.sum()), "tables": len(found)}
    return about | {"areas": mean, "processor_seconds": round(time.process_time() - start, 1)}


def cases() -> list[str]:
    names = [*CLASSES, *PLANTED, *(name for name in ODDS if is_there(name))]
    names = [name for name in names if name not in ("penguins", "cars") or is_there("pima")]
    return [f"{name}: {part}" for name in names for part in ("default", "choice", "rivals")]


if __name__ == "__main__":
    sys.exit(records.run("outlier_choice", __doc__, cases(), study))
