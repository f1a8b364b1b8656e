"""Outliers in subspaces that depend most: ROC AUC on the ODDS data sets (the paper's Table 4).

usage: python -m experiments.odds [--quick] [--only "pima: LOF" ...]

Every method gets z-scored columns and the local outlier factor with the same numbers of neighbors (5, 10, 20, 50, 100),
once with ties kept as they are and once with ties spread. Ten subspaces, measures at order 2 and median width, the
search on 1000 rows; for Table 4 the scores of the subspaces are averaged. A data set that is not in SHEARER_DATA is
left out. Writes experiments/results/odds.json after every case, and goes on where it stopped.
"""

import sys
import time
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

import shearer as sh
from experiments import records
from experiments.peak import PeakMemory
from shearer.datasets import load_odds
from shearer.tools import SubspaceOutlierDetector, SubspaceSearch
from shearer.tools.outliers.bagging import random_subsets
from shearer.tools.outliers.combining import COMBINATIONS, parts
from shearer.tools.outliers.members import RowIndex, shared_means
from shearer.tools.subspaces.ties import spread_ties

DATA_SETS = ("pima", "breastw", "cardio", "musk", "speech", "mnist", "internetads")
LARGE = ("mnist", "internetads")
NEIGHBORS = (5, 10, 20, 50, 100)
SUBSPACES, SEEDS, QUICK_ROWS = 10, 10, 300
# The first is the default of the library and goes into the comparison; the others show, on small tables, what it does.
SIZES = (3, 2, 4)
MEASURES = {"T*": "total_correlation", "D*": "dual_total_correlation", "adjusted": "adjusted"}
# IDD takes all its distances anew for every set: it is searched with on fewer rows.
ROWS_OF_IDD = 300
Sets = list[tuple[int, ...]]
Areas = dict[str, dict[str, list[float]]]


class Table:
    """A data set, z-scored, with ties and with ties spread, and the local outlier factors of any of its subspaces."""

    def __init__(self, X: np.ndarray, y: np.ndarray, is_large: bool) -> None:
        self.X, self.y, self.is_large = X, y, is_large
        kept = scale(X)
        self.views = {"keep": kept, "spread": spread_ties(kept, np.random.RandomState(0))}
        self.same = RowIndex(X).same

    def areas(self, subspaces: Sets) -> Areas:
        """AUC with ties kept or spread, for each way to combine scores; one for each number of neighbors."""
        found: Areas = {}
        for ties, values in self.views.items():
            factors = np.stack([self._factors(values[:, columns]) for columns in subspaces], axis=-1)
            found[ties] = {
                name: [self._area(parts(scores, scores, name).sum(axis=1)) for scores in factors]
                for name in COMBINATIONS
            }
        return found

    def _area(self, scores: np.ndarray) -> float:
        return round(float(roc_auc_score(self.y, scores)), 4)

    def _factors(self, values: np.ndarray) -> np.ndarray:
        """Local outlier factors, one row for each number of neighbors, from one search for the most of them."""
        distances, neighbors = NearestNeighbors(n_neighbors=max(NEIGHBORS)).fit(values).kneighbors()
        found = []
        for k in NEIGHBORS:
            near = neighbors[:, :k]
            reach = np.maximum(distances[:, :k], distances[near, k - 1])
            density = 1.0 / (reach.mean(axis=1) + 1e-10)  # the constant of scikit-learn
            found.append(shared_means(density[near].mean(axis=1) / density, self.same))
        return np.array(found)

    def check(self, subspaces: Sets) -> None:
        """Raise unless the detector of the library says the same."""
        for place, k in enumerate(NEIGHBORS):
            detector = SubspaceOutlierDetector(subspaces, n_subspaces=len(subspaces), n_neighbors=k).fit(self.X)
            area = self._area(detector.decision_scores_)
            if abs(area - self.areas(subspaces)["spread"]["mean"][place]) > 1e-3:
                raise ArithmeticError(f"the detector has an AUC of {area} with {k} neighbors")


@cache
def load(name: str, quick: bool) -> Table:
    found = load_odds(name)
    rows = np.random.default_rng(0).permutation(len(found.data))[: QUICK_ROWS if quick else None]
    return Table(found.data[np.sort(rows)], found.target[np.sort(rows)], name in LARGE)


def search(table: Table, measure: Any, size: int, **options: Any) -> tuple[SubspaceSearch, float]:
    start = time.perf_counter()
    found = SubspaceSearch(measure, n_subspaces=SUBSPACES, max_size=size, **options).fit(table.X)
    return found, round(time.perf_counter() - start, 2)


def average(trials: list[Areas]) -> dict[str, Any]:
    """Mean and standard deviation over seeds."""
    found: dict[str, Any] = {"seeds": len(trials), "auc": {}, "deviation": {}}
    for ties, names in trials[0].items():
        for name in names:
            values = [trial[ties][name] for trial in trials]
            found["auc"].setdefault(ties, {})[name] = np.mean(values, axis=0).round(4).tolist()
            found["deviation"].setdefault(ties, {})[name] = np.std(values, axis=0, ddof=1).round(4).tolist()
    return found


def full_space(table: Table) -> dict[str, Any]:
    return {"auc": table.areas([tuple(range(table.X.shape[1]))])}


def bagged(table: Table) -> dict[str, Any]:
    return average([table.areas(random_subsets(table.X.shape[1], SUBSPACES, seed)) for seed in range(SEEDS)])


def dependent(measure: Any, table: Table, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for size in SIZES[: 1 if callable(measure) or table.is_large else None]:
        found, seconds = search(table, measure, size, **options)
        own = {"auc": table.areas(found.subspaces_), "subspaces": found.subspaces_, "search_seconds": seconds}
        own |= {"scores": found.scores_.round(4).tolist()} | options
        result |= own if size == SIZES[0] else {f"size {size}": own}
    return result


def random_subspaces(table: Table) -> dict[str, Any]:
    """As many columns in each as in the subspaces by T*, drawn among the columns that vary."""
    sizes = [len(columns) for columns in search(table, "total_correlation", SIZES[0])[0].subspaces_]
    varying = np.flatnonzero(np.ptp(table.X, axis=0))
    trials = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        drawn = [tuple(sorted(rng.choice(varying, size, replace=False).tolist())) for size in sizes]
        trials.append(table.areas(drawn))
    return {"sizes": sizes} | average(trials)


METHODS = {
    "LOF": full_space,
    "FB": bagged,
    **{name: partial(dependent, measure) for name, measure in MEASURES.items()},
    "random": random_subspaces,
}
if hasattr(sh.comparators, "idd"):
    METHODS["IDD"] = partial(dependent, sh.comparators.idd, max_rows=ROWS_OF_IDD)


def study(case: str, quick: bool) -> dict[str, Any]:
    name, method = case.split(": ")
    table = load(name, quick)
    settings = {"rows": len(table.X), "columns": table.X.shape[1], "outliers": int(table.y.sum())}
    settings |= {"neighbors": NEIGHBORS, "subspaces": SUBSPACES, "alpha": 2, "width": "median", "search_rows": 1000}
    start, peak = time.perf_counter(), PeakMemory()
    result = METHODS[method](table)
    seconds = round(time.perf_counter() - start, 1)
    if quick and "subspaces" in result:
        table.check(result["subspaces"])
    return {"settings": settings, "seconds": seconds, "peak_gib": peak.gib()} | result


def is_there(name: str) -> bool:
    try:
        load_odds(name)
    except (OSError, ValueError):
        return False
    return True


def cases() -> list[str]:
    known = [name for name in DATA_SETS if is_there(name)]
    # IDD would take days on the large ones
    return [f"{name}: {method}" for name in known for method in METHODS if method != "IDD" or name not in LARGE]


if __name__ == "__main__":
    sys.exit(records.run("odds", __doc__, cases(), study))
