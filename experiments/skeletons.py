"""Skeletons that causal-learn's PC finds with tests of independence given others: F1 of the edges, and seconds.

usage: python -m experiments.skeletons [--quick] [--only CASE ...]

A case is "kind | method | graph". Random graphs of 10 columns and 500 rows: linear, nonlinear, and mixed, in which
every other column is a label of three levels (other methods than shearer see codes). "sachs": the 853 observational
cells of Sachs et al. 2005, in logarithms, against the consensus list of links (needs SHEARER_DATA). "asia": 2000 rows
of the eight yes-or-no columns of Lauritzen and Spiegelhalter 1988. KCI, which takes minutes for a graph, has fewer of
them. Needs causal-learn. Writes experiments/results/skeletons.json after every case, and goes on where it stopped.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments import records
from shearer.datasets import load_sachs
from shearer.tools import register_causal_learn

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NODES, ROWS, ASIA_ROWS, LEVEL = 10, 500, 2000, 0.05
# chance of an arrow from a column to a later one
DENSITY = 0.22
# kind -> method -> graphs
GRAPHS = {
    "linear": {"shearer": 8, "fisherz": 8, "rcit": 8, "kci": 5},
    "nonlinear": {"shearer": 8, "fisherz": 8, "rcit": 8, "kci": 5},
    "mixed": {"shearer": 8, "fisherz": 8, "rcit": 8, "kci": 5},
    "sachs": {"shearer": 1, "fisherz": 1, "rcit": 1, "kci": 1},
    "asia": {"shearer": 5, "chisq": 5, "fisherz": 5},
}
FUNCTIONS = (lambda x: np.sin(2 * x), lambda x: x**2 / 1.4, lambda x: np.tanh(3 * x), lambda x: 1.5 * np.abs(x))
# of yes, by the parents' answers
ASIA: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "asia": ((), (0.01,)),
    "smoke": ((), (0.5,)),
    "tub": (("asia",), (0.01, 0.05)),
    "lung": (("smoke",), (0.01, 0.1)),
    "bronc": (("smoke",), (0.3, 0.6)),
    "either": (("lung", "tub"), (0.0, 1.0, 1.0, 1.0)),
    "xray": (("either",), (0.05, 0.98)),
    "dysp": (("bronc", "either"), (0.1, 0.7, 0.8, 0.9)),
}


def random_graph(kind: str, rng: np.random.Generator) -> tuple[Floats, Mask, list[int]]:
    """Rows, the skeleton, and which columns are labels."""
    arrows = np.triu(rng.uniform(size=(NODES, NODES)) < DENSITY, 1)
    labels = list(range(1, NODES, 2)) if kind == "mixed" else []
    columns = np.zeros((ROWS, NODES))
    for node in range(NODES):
        total = rng.normal(size=ROWS)
        for parent in np.flatnonzero(arrows[:, node]):
            total += effect(columns[:, parent], kind, int(parent) in labels, rng)
        if node in labels:
            total = np.digitize(total, np.quantile(total, (1 / 3, 2 / 3))).astype(np.float64)
        else:
            total = (total - total.mean()) / total.std()
        columns[:, node] = total
    return columns, arrows | arrows.T, labels


def effect(values: Floats, kind: str, label: bool, rng: np.random.Generator) -> Floats:
    if label:
        return np.asarray(rng.permutation([-1.2, 0.0, 1.2])[values.astype(np.intp)], dtype=np.float64)
    if kind == "linear":
        return rng.choice([-1.0, 1.0]) * rng.uniform(0.6, 1.2) * values
    found: Floats = 1.3 * FUNCTIONS[rng.integers(len(FUNCTIONS))](values)
    return found


def asia(rng: np.random.Generator) -> tuple[Floats, Mask, list[int]]:
    names = list(ASIA)
    drawn: dict[str, NDArray[np.intp]] = {}
    linked = np.zeros((len(names), len(names)), dtype=bool)
    for place, (name, (parents, chances)) in enumerate(ASIA.items()):
        code = np.zeros(ASIA_ROWS, dtype=np.intp)
        for parent in parents:
            code = 2 * code + drawn[parent]
            linked[place, names.index(parent)] = linked[names.index(parent), place] = True
        drawn[name] = (rng.uniform(size=ASIA_ROWS) < np.array(chances)[code]).astype(np.intp)
    return np.column_stack(list(drawn.values())).astype(np.float64), linked, list(range(len(names)))


def sachs() -> tuple[Floats, Mask, list[int]]:
    known = load_sachs("observational", truth="consensus")
    return np.log1p(known.data.to_numpy()).astype(np.float64), known.undirected, []


def drawn(kind: str, graph: int) -> tuple[Floats, Mask, list[int]]:
    if kind == "sachs":
        return sachs()
    rng = np.random.default_rng([15, sorted(GRAPHS).index(kind), graph])
    return asia(rng) if kind == "asia" else random_graph(kind, rng)


def cases() -> list[str]:
    """What is slow last."""
    found = [
        f"{kind} | {method} | {graph}"
        for kind, methods in GRAPHS.items()
        for method, graphs in methods.items()
        for graph in range(graphs)
    ]
    return sorted(found, key=lambda case: " kci " in case)


def study(case: str, quick: bool) -> dict[str, Any]:
    from causallearn.search.ConstraintBased.PC import pc

    kind, method, graph = case.split(" | ")
    data, linked, labels = drawn(kind, int(graph))
    if quick:
        data = data[:150, :5]
        linked, labels = linked[:5, :5], [label for label in labels if label < 5]
    np.random.seed(0)  # noqa: NPY002 - what causal-learn draws from
    options: dict[str, Any] = {"show_progress": False}
    if method == "shearer":
        method = register_causal_learn()
        options["labels"] = labels
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.asarray(pc(data, LEVEL, method, **options).G.graph) != 0
    seconds = time.process_time() - start
    upper = np.triu_indices(len(linked), 1)
    hits = int((found & linked)[upper].sum())
    drawn_links, true_links = int((found | found.T)[upper].sum()), int(linked[upper].sum())
    return {
        "edges": true_links,
        "found": drawn_links,
        "hits": hits,
        "f1": round(2 * hits / max(drawn_links + true_links, 1), 4),
        "seconds": round(seconds, 2),
    }


if __name__ == "__main__":
    sys.exit(records.run("skeletons", __doc__, cases(), study))
