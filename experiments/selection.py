"""Ten tables: what models make of the features that are chosen, by ways of ours and by rivals.

usage: python -m experiments.selection [--quick] [--only NAME ...]

Five tables of scikit-learn (iris with 16 columns of noise) and five planted ones, drawn anew for each of two seeds that
were not used while the selector was written: XOR of two of 20 columns, parity of three of 12, five of 60 columns that
separate classes together with five sums of them (as Madelon), Friedman's first function in 5 of 40, and a product and
a line in 3 of 30. A number of features is chosen on two thirds of the rows, and the mean score (accuracy, or R^2) of 7
nearest neighbors and of a forest of 50 trees with these features on the last third counts, over three folds.

Writes experiments/results/selection.json after every case (table/seed), and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif, mutual_info_regression
from sklearn.linear_model import LogisticRegression, lasso_path
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments import records
from shearer.tools import DependenceSelector

SEEDS = (101, 102)
# Features that are chosen.
COUNTS = {
    "wine": 4, "breast cancer": 6, "digits": 16, "diabetes": 4, "iris and noise": 3, "XOR": 2, "parity of three": 3,
    "as Madelon": 8, "Friedman 1": 5, "product and line": 3,
}  # fmt: skip
Chosen = Callable[[np.ndarray, np.ndarray, int, bool], np.ndarray]


def load(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Features, target, and whether that is a class."""
    rng = np.random.default_rng(seed)
    known = {"wine": "wine", "breast cancer": "breast_cancer", "digits": "digits", "diabetes": "diabetes"}
    if name in known:
        X, y = getattr(datasets, f"load_{known[name]}")(return_X_y=True)
        return X, y, name != "diabetes"
    if name == "iris and noise":
        X, y = datasets.load_iris(return_X_y=True)
        return np.hstack([X, rng.normal(size=(150, 16))]), y, True
    if name == "XOR":
        X = rng.normal(size=(400, 20))
        return X, ((X[:, 3] * X[:, 11] > 0) ^ (rng.uniform(size=400) < 0.05)).astype(int), True
    if name == "parity of three":
        X = rng.normal(size=(600, 12))
        return X, ((X[:, 1] * X[:, 4] * X[:, 8] > 0) ^ (rng.uniform(size=600) < 0.05)).astype(int), True
    if name == "as Madelon":
        X, y = datasets.make_classification(
            800,
            60,
            n_informative=5,
            n_redundant=5,
            n_clusters_per_class=4,
            class_sep=1.5,
            flip_y=0.02,
            random_state=seed,
        )
        return X, y, True
    if name == "Friedman 1":
        X, y = datasets.make_friedman1(400, 40, noise=1.0, random_state=seed)
        return X, y, False
    X = rng.normal(size=(400, 30))
    return X, X[:, 2] * X[:, 7] + X[:, 5] + 0.5 * rng.normal(size=400), False


def heaviest(scores: np.ndarray, count: int) -> np.ndarray:
    return np.argsort(-np.nan_to_num(scores), kind="stable")[:count]


def forest(X: np.ndarray, y: np.ndarray, count: int, classes: bool) -> np.ndarray:
    model = (RandomForestClassifier if classes else RandomForestRegressor)(200, random_state=0)
    return heaviest(model.fit(X, y).feature_importances_, count)


def penalised(X: np.ndarray, y: np.ndarray, count: int, classes: bool) -> np.ndarray:
    """The first features along a path of penalties; the largest coefficients of a logistic regression for classes."""
    scaled = StandardScaler().fit_transform(X)
    if classes:
        model = LogisticRegression(penalty="l1", solver="saga", C=0.1, max_iter=300).fit(scaled, y)
        return heaviest(np.abs(model.coef_).max(axis=0), count)
    _, path, _ = lasso_path(scaled, y - y.mean())
    return np.argsort(np.where((path != 0).any(axis=1), np.argmax(path != 0, axis=1), path.shape[1]))[:count]


def ours(**options: object) -> Chosen:
    return lambda X, y, count, _: DependenceSelector(count, **options).fit(X, y).order_


WAYS: dict[str, Chosen] = {
    "stepwise (default)": ours(),
    "stepwise, auto": lambda X, y, *_: DependenceSelector().fit(X, y).order_,
    "joint (default before)": ours(method="joint"),
    "joint, start=2": ours(method="joint", start=2),
    "mrmr": ours(method="mrmr"),
    "forest importance": forest,
    "F test": lambda X, y, count, classes: heaviest((f_classif if classes else f_regression)(X, y)[0], count),
    "mutual information, neighbors": lambda X, y, count, classes: heaviest(
        (mutual_info_classif if classes else mutual_info_regression)(X, y, random_state=0), count
    ),
    "penalised regression": penalised,
}
# All pairs of 1200 rows and 64 columns: more than ten minutes for each fold.
SLOW = {"digits": ("joint, start=2",)}


def study(case: str, quick: bool) -> dict[str, dict[str, float]]:
    name, seed = case.rsplit("/", 1)
    X, y, classes = load(name, int(seed))
    if quick:
        X, y = X[::3], y[::3]
    folds = (StratifiedKFold if classes else KFold)(3, shuffle=True, random_state=int(seed))
    found = {}
    for way, choose in WAYS.items():
        if way in SLOW.get(name, ()):
            continue
        scores, sizes, start = [], [], time.process_time()
        for train, test in folds.split(X, y):
            chosen = choose(X[train], y[train], COUNTS[name], classes)
            sizes.append(len(chosen))
            models = [KNeighborsClassifier(7), RandomForestClassifier(50, random_state=0)]
            if not classes:
                models = [KNeighborsRegressor(7), RandomForestRegressor(50, random_state=0)]
            for model in models:
                fitted = make_pipeline(StandardScaler(), model).fit(X[train][:, chosen], y[train])
                scores.append(fitted.score(X[test][:, chosen], y[test]))
        found[way] = {
            "score": round(float(np.mean(scores)), 4),
            "features": round(float(np.mean(sizes)), 2),
            "processor seconds": round(time.process_time() - start, 2),
        }
    return found


if __name__ == "__main__":
    sys.exit(records.run("selection", __doc__, [f"{name}/{seed}" for seed in SEEDS for name in COUNTS], study))
