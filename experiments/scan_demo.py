"""A scan of the demonstration table over seeds: is what was planted found, and is what is found planted?

usage: python -m experiments.scan_demo [--quick] [--only NAME ...]

"demo": the planted table of 300 rows; share of seeds in which the XOR triple is reported and called synergistic, and
mean share of reported pairs and triples that were not planted. "pair and noise": three columns, two of which depend;
share of seeds in which the triple is reported as synergistic. Writes experiments/results/scan_demo.json.
"""

import sys
from typing import Any

import numpy as np

import shearer as sh
from experiments import records

SEEDS = {"demo": 100, "pair and noise": 200}


def demo(seed: int) -> dict[str, float]:
    planted = sh.datasets.planted_table(300, rng=seed)
    found = sh.scan(planted.columns, top=1).document
    reported = [tuple(r["variables"]) for part in ("pairs", "triples") for r in found[part] if r["reported"]]
    (triple,) = planted.triples
    called = [r["kind"] for r in found["triples"] if tuple(r["variables"]) == triple and r["reported"]]
    false = [variables for variables in reported if variables not in planted.relations]
    return {
        "xor_synergistic": float(called == ["synergistic"]),
        "pairs_found": float(np.mean([pair in reported for pair in planted.pairs])),
        "false_share": len(false) / max(len(reported), 1),
    }


def pair_and_noise(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=200)
    table = {"a": a, "b": a + 0.5 * rng.normal(size=200), "noise": rng.normal(size=200)}
    (triple,) = sh.scan(table, top=1).document["triples"]
    return {"synergistic": float(triple["reported"] and triple["kind"] == "synergistic")}


CASES = {"demo": demo, "pair and noise": pair_and_noise}


def study(name: str, quick: bool) -> dict[str, Any]:
    seeds = 3 if quick else SEEDS[name]
    found = [CASES[name](seed) for seed in range(seeds)]
    means = {key: round(float(np.mean([item[key] for item in found])), 4) for key in found[0]}
    if name == "demo":
        means["false_share_of_first_20"] = round(float(np.mean([item["false_share"] for item in found[:20]])), 4)
    return {"seeds": seeds, **means}


if __name__ == "__main__":
    sys.exit(records.run("scan_demo", __doc__, CASES, study))
