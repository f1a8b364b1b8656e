"""What the kernel width does to outlier detection: subspaces by T*, D* and the adjusted T under each width rule.

usage: python -m experiments.odds_widths [--quick] [--only "pima: median" ...]

As experiments.odds otherwise, on the data sets of the paper that are there. Writes
experiments/results/odds_widths.json after every case, and goes on where it stopped.
"""

import sys
import time
from typing import Any

from experiments import records
from experiments.network_scores import widths
from experiments.odds import MEASURES, NEIGHBORS, SIZES, is_there, load, search
from shearer.kernels import EntropyFraction, Gaussian, Neighbors

DATA_SETS = ("pima", "breastw", "cardio", "musk", "speech")
RULES: dict[str, Any] = {
    "median": "median",
    "silverman": "silverman",
    "scott": "scott",
    "5 neighbors": Neighbors(5),
    **{f"entropy {fraction:g}": EntropyFraction(fraction) for fraction in (0.1, 0.25, 0.4, 0.55, 0.7, 0.82)},
    "authors-silverman": "authors-silverman",
    "authors-demo": "authors-demo",
    "authors-graph": "authors-graph",
    "authors-knn": "authors-knn",
    "authors-dib": "authors-dib",
    **{name: rule for name, rule in widths().items() if name.endswith(" median")},
}


def study(case: str, quick: bool) -> dict[str, Any]:
    name, rule = case.split(": ")
    table = load(name, quick)
    start, found = time.perf_counter(), {}
    for label, measure in MEASURES.items():
        chosen, _ = search(table, measure, SIZES[0], kernel=Gaussian(RULES[rule]))
        found[label] = {"auc": table.areas(chosen.subspaces_), "subspaces": chosen.subspaces_}
    seconds = round(time.perf_counter() - start, 1)
    return {"neighbors": NEIGHBORS, "max_size": SIZES[0], "seconds": seconds} | found


def cases() -> list[str]:
    return [f"{name}: {rule}" for name in DATA_SETS if is_there(name) for rule in RULES]


if __name__ == "__main__":
    sys.exit(records.run("odds_widths", __doc__, cases(), study))
