"""Public functions on one table, with answers that can be compared, and the state of a process that none may change."""

import locale
import os
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import shearer as sh
from shearer import comparators, tools


def _table() -> np.ndarray:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    x[:, 1] += x[:, 0]
    x[:, 3] = x[:, 0] * x[:, 2] + 0.3 * x[:, 3]
    return x


X = _table()
LABELS = (X[:, 0] > 0).astype(int)
#: Name -> call; answers are numbers, or lists of them.
CALLS: dict[str, Callable[[], Any]] = {
    "entropy": lambda: sh.entropy(X[:, 0]),
    "mutual_information": lambda: sh.mutual_information(X[:, 0], X[:, 1]),
    "total_correlation": lambda: sh.total_correlation(X, alpha=2),
    "dual_total_correlation": lambda: sh.dual_total_correlation(X),
    "o_information": lambda: sh.o_information(X),
    "s_information": lambda: sh.s_information(X),
    "co_information": lambda: sh.co_information(X),
    "shearer_gap": lambda: sh.shearer_gap(X, size=2),
    "confidence_interval": lambda: sh.confidence_interval(X[:, 0], X[:, 1]).low,
    "independence_test": lambda: sh.independence_test(X[:, 0], X[:, 1]).pvalue,
    "independence_test, given": lambda: sh.independence_test(X[:, 0], X[:, 1], given=X[:, 2]).pvalue,
    "interaction_test": lambda: sh.interaction_test(X[:, 0], X[:, 2], X[:, 3]).pvalue,
    "permutation_test": lambda: sh.permutation_test(X[:, 0], X[:, 1], n_resamples=19, rng=0).pvalue,
    "pairwise": lambda: sh.pairwise(X).pvalue.ravel().tolist(),
    "triples": lambda: len(sh.triples(X).to_frame()),
    "scan": lambda: [pair["pvalue"] for pair in sh.scan(X, top=1, progress=False).document["pairs"]],
    "compare": lambda: len(sh.compare(X[:30], X[30:], progress=False).document["pairs"]),
    "DependenceNetwork": lambda: tools.DependenceNetwork().fit(X).pvalues_.ravel().tolist(),
    "SubspaceSearch": lambda: len(tools.SubspaceSearch(n_subspaces=2).fit(X).subspaces_),
    "DependenceSelector": lambda: tools.DependenceSelector(1).fit(X, LABELS).get_support().tolist(),
    "distance_correlation": lambda: comparators.distance_correlation(X[:, 0], X[:, 1]),
    "hsic": lambda: comparators.hsic(X[:, 0], X[:, 1]),
    "ksg": lambda: comparators.ksg(X[:, 0], X[:, 1]),
}


def same(one: Any, other: Any) -> bool:
    return bool(np.allclose(np.asarray(one, dtype=float), np.asarray(other, dtype=float), rtol=1e-9, equal_nan=True))


def state() -> dict[str, Any]:
    """What belongs to the process, not to a function."""
    from threadpoolctl import threadpool_info

    found: dict[str, Any] = {
        "threads of matrix libraries": sorted(
            (pool["filepath"].rpartition("/")[2], pool["num_threads"])
            for pool in threadpool_info()
            if pool["user_api"] == "blas"
        ),
        "warning filters": [repr(entry) for entry in warnings.filters],
        "environment": dict(os.environ),
        "locale": locale.setlocale(locale.LC_ALL),
        "numpy's errors": np.geterr(),
        "numpy's printing": repr(np.get_printoptions()),
        "numpy's random numbers": np.random.get_state()[1].tobytes(),  # noqa: NPY002 - to see that nobody draws from it
        "random numbers": random.getstate(),
        "folder": os.getcwd(),
        "recursion": sys.getrecursionlimit(),
    }
    if "torch" in sys.modules:
        import torch

        found |= {"threads of torch": torch.get_num_threads(), "type of torch": str(torch.get_default_dtype())}
    if "matplotlib" in sys.modules:
        import matplotlib

        found["backend of matplotlib"] = matplotlib.rcParams["backend"]
    return found


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Names of what differs."""
    return [name for name, value in before.items() if after.get(name) != value]
