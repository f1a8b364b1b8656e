"""Outliers in subspaces that depend most: ROC AUC on the ODDS data sets (the paper's Table 4).

usage: python -m experiments.odds [--quick] [--only "pima: LOF" ...]

Every method gets z-scored columns, the local outlier factor and the same numbers of neighbors. A data set that is not
in SHEARER_DATA is left out. Writes experiments/results/odds.json after every case, and goes on where it stopped.
"""

import os
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from experiments import records
from experiments.peak import PeakMemory
from shearer.tools import SubspaceOutlierDetector, SubspaceSearch
from shearer.tools.bagging import random_subsets
from shearer.tools.combining import COMBINATIONS, parts

DATA_SETS = ("pima", "breastw", "cardio", "musk", "speech", "mnist", "internetads")
NEIGHBORS = (5, 10, 20, 50, 100)
SUBSPACES, SEEDS = 10, 10
# The first is the default of the library and goes into the comparison; the others show what the limit does.
SIZES = (3, 2, 4)
MEASURES = {"T*": "total_correlation", "D*": "dual_total_correlation", "adjusted": "adjusted"}
Sets = list[tuple[int, ...]]


def data_file(name: str) -> Path:
    return Path(os.environ["SHEARER_DATA"]) / "odds" / f"{name}.npz"


@cache
def load(name: str, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    with np.load(data_file(name), allow_pickle=False) as found:
        X, y = found["X"].astype(np.float64), found["y"].astype(int)
    rows = np.random.default_rng(0).permutation(len(X))[:300] if quick else slice(None)
    return X[rows], y[rows]


def search(X: np.ndarray, measure: str, size: int, **options: Any) -> tuple[SubspaceSearch, float]:
    start = time.perf_counter()
    found = SubspaceSearch(measure, n_subspaces=SUBSPACES, max_size=size, **options).fit(X)
    return found, round(time.perf_counter() - start, 2)


def areas(X: np.ndarray, y: np.ndarray, subspaces: Sets) -> dict[str, list[float]]:
    """AUC for each way to combine the scores of the subspaces, one for each number of neighbors."""
    found: dict[str, list[float]] = {name: [] for name in COMBINATIONS}
    for k in NEIGHBORS:
        detector = SubspaceOutlierDetector(subspaces, n_subspaces=len(subspaces), n_neighbors=k).fit(X)
        for name, values in found.items():
            scores = parts(detector._training, detector._training, name).sum(axis=1)
            values.append(round(float(roc_auc_score(y, scores)), 4))
    return found


def average(trials: list[dict[str, list[float]]]) -> dict[str, Any]:
    """Mean over seeds, and for the mean combination the standard deviation."""
    means = {name: np.mean([trial[name] for trial in trials], axis=0).round(4).tolist() for name in trials[0]}
    return {"auc": means, "deviation": np.std([trial["mean"] for trial in trials], axis=0, ddof=1).round(4).tolist()}


def full_space(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    return {"auc": areas(X, y, [tuple(range(X.shape[1]))])}


def bagged(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    drawn = [random_subsets(X.shape[1], SUBSPACES, seed) for seed in range(SEEDS)]
    return {"seeds": SEEDS} | average([areas(X, y, subsets) for subsets in drawn])


def dependent(measure: str, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for size in SIZES:
        found, seconds = search(X, measure, size)
        own = {"auc": areas(X, y, found.subspaces_), "subspaces": found.subspaces_, "search_seconds": seconds}
        own |= {"scores": found.scores_.round(4).tolist()}
        result |= own if size == SIZES[0] else {f"size {size}": own}
    return result


def random_subspaces(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """As many columns in each as in the subspaces by T*, drawn among the columns that vary."""
    sizes = [len(columns) for columns in search(X, "total_correlation", SIZES[0])[0].subspaces_]
    varying = np.flatnonzero(np.ptp(X, axis=0))
    trials = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        drawn = [tuple(sorted(rng.choice(varying, size, replace=False).tolist())) for size in sizes]
        trials.append(areas(X, y, drawn))
    return {"seeds": SEEDS, "sizes": sizes} | average(trials)


METHODS = {
    "LOF": full_space,
    "FB": bagged,
    **{name: partial(dependent, measure) for name, measure in MEASURES.items()},
    "random": random_subspaces,
}


def study(case: str, quick: bool) -> dict[str, Any]:
    name, method = case.split(": ")
    X, y = load(name, quick)
    settings = {"rows": len(X), "columns": X.shape[1], "outliers": int(y.sum()), "neighbors": NEIGHBORS}
    settings |= {"subspaces": SUBSPACES, "alpha": 2, "width": "median", "search_rows": min(len(X), 1000)}
    start, peak = time.perf_counter(), PeakMemory()
    result = METHODS[method](X, y)
    seconds = round(time.perf_counter() - start, 1)
    return {"settings": settings, "seconds": seconds, "peak_gib": peak.gib()} | result


def cases() -> list[str]:
    known = [name for name in DATA_SETS if data_file(name).exists()]
    return [f"{name}: {method}" for name in known for method in METHODS]


if __name__ == "__main__":
    sys.exit(records.run("odds", __doc__, cases(), study))
