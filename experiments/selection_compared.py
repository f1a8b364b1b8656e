"""The default of feature selection beside every other way, over ten tables.

usage: python -m experiments.selection_compared

Reads experiments/results/selection.json and writes experiments/results/selection_compared.json: mean scores of each
table over its seeds, their mean, and the default less each other way with the exact test by all changes of signs over
the tables that both have.
"""

import json
import sys

import numpy as np

from experiments.paired import sign_test
from experiments.records import FOLDER
from experiments.selection import COUNTS, WAYS

DEFAULT = next(iter(WAYS))


def main() -> int:
    cases = json.loads((FOLDER / "selection.json").read_text())
    scores: dict[str, dict[str, float]] = {}
    for way in WAYS:
        for table in COUNTS:
            own = [
                found[way]["score"] for case, found in cases.items() if case.startswith(f"{table}/") and way in found
            ]
            if own:
                scores.setdefault(way, {})[table] = round(float(np.mean(own)), 4)
    result = {}
    for way, own in scores.items():
        differences = [scores[DEFAULT][table] - own[table] for table in own]
        result[way] = {
            "scores": own,
            "mean": round(float(np.mean(list(own.values()))), 4),
            "default less this": round(float(np.mean(differences)), 4),
            "p": round(sign_test(differences), 4),
        }
    (FOLDER / "selection_compared.json").write_text(json.dumps(result, indent=1) + "\n")
    json.dump({way: (own["mean"], own["default less this"], own["p"]) for way, own in result.items()}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
