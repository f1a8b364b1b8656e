"""Recorded cases: estimators."""

import numpy as np

from shearer.datasets import planted_network, planted_subspace
from shearer.kernels import Laplacian
from shearer.tools import (
    DependenceNetwork,
    DependenceSelector,
    FeatureBagging,
    SubspaceOutlierDetector,
    SubspaceSearch,
    dependence_score,
)
from tests.recorded.answers import Cases, entries, upper
from tests.recorded.kinds import every_kind, scalars, with_gaps

CASES = Cases()


def network(X, **options):
    """Weights, p-values and links; I* at order 2 unless another weight is stated."""
    n = DependenceNetwork(**({"weight": "value"} | options)).fit(X)
    found = {"names": n.names_} | entries("weights", upper(n.weights_))
    if n.pvalues_ is not None:
        found |= entries("pvalues", upper(n.pvalues_)) | entries("qvalues", upper(n.qvalues_))
    edges = n.edges_.to_dict(as_series=False)
    links = [f"{a}/{b}" for a, b in zip(edges.pop("source"), edges.pop("target"), strict=True)]
    return found | {"links": links} | {f"link {key}": values for key, values in edges.items()}


def planted(rows=100, columns=8, seed=0):
    return planted_network(rows, columns, links=columns // 2, rng=seed).data


CASES.add("network", lambda: network(planted()))
CASES.add("network over a ladder", lambda: network(planted(seed=1), test="aggregated"))
CASES.add("network adjusted", lambda: network(planted(seed=2), weight="adjusted", threshold=0.05))
CASES.add("network of p-values", lambda: network(planted(seed=3), weight="pvalue", top_k=5))
CASES.add("network by dpi", lambda: network(planted(150, 10, 4), indirect="dpi"))
CASES.add("network by clr", lambda: network(planted(150, 10, 4), indirect="clr", fdr=None, top_k=8))
CASES.add("network by conditions", lambda: network(planted(100, 6, 5), indirect="conditional", n_resamples=29))
CASES.add("network alpha 1", lambda: network(planted(60, 6, 6), alpha=1.0, kernel=Laplacian(), normalize="joint"))
CASES.add("network with labels", lambda: network(_frame(scalars(every_kind(100, 111, "weak")))))
CASES.add(
    "network with gaps",
    lambda: network(_frame(with_gaps(scalars(every_kind(100, 112)), 4)), missing="pairwise", fdr=0.2),
)
CASES.add("network of many rows", lambda: network(planted(5200, 3, 7)))


def _frame(columns):
    import polars as pl

    plain = {name: list(v) if isinstance(v, list) else v.tolist() for name, v in columns.items()}
    return pl.DataFrame({name: _without_nan(values) for name, values in plain.items()}, strict=False)


def _without_nan(values):
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values]


def score(X, y, **options):
    scores, pvalues = dependence_score(X, y, **options)
    return {"scores": scores, "pvalues": pvalues}


def features(rows, seed):
    X = np.random.default_rng(seed).normal(size=(rows, 8)).round(8)
    X[:, 5] = X[:, 5].round()
    X[:, 6] = np.round(1e8 + X[:, 6], 3)
    return X


CASES.add("scores of numbers", lambda: score(features(100, 113), features(100, 113)[:, 2] ** 2))
CASES.add("scores of classes", lambda: score(features(100, 114), features(100, 114)[:, 1] > 0.3, test="aggregated"))
CASES.add("scores of few rows", lambda: score(features(7, 115), np.arange(7.0), target="continuous"))
CASES.add("scores with a kernel", lambda: score(features(60, 116), np.arange(60) % 3, kernel=Laplacian(1.0)))


def selected(X, y, **options):
    s = DependenceSelector(**({"method": "joint"} | options)).fit(X, y)
    return {"order": s.order_, "scores": s.scores_}


def target(X):
    return (X[:, 1] + X[:, 4] ** 2).round(6)


CASES.add("selector", lambda: selected(features(120, 117), target(features(120, 117)), n_resamples=19))
CASES.add(
    "selector of pairs",
    lambda: selected(features(120, 118), features(120, 118)[:, 0] * features(120, 118)[:, 3] > 0, start=2),
)
CASES.add(
    "selector mrmr",
    lambda: selected(features(120, 119), target(features(120, 119)), method="mrmr", n_features_to_select=4),
)
CASES.add(
    "selector mrmr, auto", lambda: selected(features(80, 120), target(features(80, 120)), method="mrmr", random_state=3)
)
CASES.add(
    "selector of a share", lambda: selected(features(60, 121), target(features(60, 121)), n_features_to_select=0.5)
)


def subspaces(X, **options):
    s = SubspaceSearch(**options).fit(X)
    return {"subspaces": [", ".join(map(str, columns)) for columns in s.subspaces_], "scores": s.scores_}


def cloud(rows=150, seed=0):
    return planted_subspace(rows, sizes=(3, 2), noise=6, rng=seed).X


CASES.add("subspaces", lambda: subspaces(cloud()))
CASES.add("subspaces dual", lambda: subspaces(cloud(seed=1), measure="dual_total_correlation", beam=12, n_subspaces=6))
CASES.add("subspaces adjusted", lambda: subspaces(cloud(seed=2), measure="adjusted", max_size=None, n_subspaces=6))
CASES.add("subspaces alpha 1", lambda: subspaces(cloud(60, 3)[:, :6], alpha=1.0, n_subspaces=5))
CASES.add(
    "subspaces of all triples", lambda: subspaces(cloud(seed=4), exhaustive_triples=True, prune=False, max_rows=100)
)
CASES.add("subspaces of every kind", lambda: subspaces(_frame(scalars(every_kind(60, 122))), keep_copies=True))


def outliers(model, X):
    found = model.fit(X)
    return {"subspaces": [", ".join(map(str, columns)) for columns in found.subspaces_]} | {
        "scores": found.decision_scores_[:20],
        "threshold": found.threshold_,
        "outliers": np.flatnonzero(found.labels_),
    }


CASES.add("outliers", lambda: outliers(SubspaceOutlierDetector(scheme="paper", n_subspaces=4), cloud(seed=5)))
CASES.add("outliers by bags", lambda: outliers(FeatureBagging(n_estimators=4, combination="max"), cloud(seed=6)))
