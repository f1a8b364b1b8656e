"""How often a confidence interval holds the population value.

The population value of a trial is that of the kernel widths of its own sample, read off a grid of widths at each of
which it is known by quadrature over the law (`experiments.coverage_laws`).

usage: python -m experiments.coverage [--quick] [--seed N] [--out FILE]
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import shearer as sh
from experiments.coverage_laws import LAWS, Array, Law, Sample, operator_bits
from shearer.inference.intervals.confidence import confidence_interval

RESULTS = Path(__file__).parent / "results" / "coverage.json"
LEVEL = 0.95
# Widths of the grid, over the median width of the law; samples of 50 rows stay within it.
GRID, COARSE_GRID = (0.6, 0.8, 1.0, 1.25, 1.6), (0.7, 1.0, 1.4)
# Method, rows, trials and laws, in the order in which they are run; at 400 rows the jackknife takes minutes a law.
EVERY = tuple(LAWS)
STUDY = [("influence", rows, 500, EVERY) for rows in (50, 100, 200, 400)]
STUDY += [("jackknife", rows, 400, EVERY) for rows in (50, 100)]
STUDY += [("subsampling", 100, 100, EVERY), ("jackknife", 400, 100, EVERY[:6])]
QUICK = [("influence", 100, 20, EVERY), ("jackknife", 100, 5, EVERY), ("subsampling", 100, 5, EVERY)]
# Of three numbers the default alone is studied: a trial of the others takes more than a hundred spectra.
DEFAULT_ONLY = ("three_normals",)
# Laws whose population values take minutes.
LONG = ("three_normals", "heavy_tailed")


def widths(sample: Sample) -> tuple[float | None, ...]:
    """Median widths, as the default kernel takes them; None for labels."""
    rule = sh.kernels.Gaussian()
    return tuple(None if values.dtype.kind == "U" else rule.width(values[:, None]) for values in sample)


class Population:
    """Population values as functions of the widths: all subset entropies on a grid."""

    def __init__(self, law: Law, seed: int) -> None:
        self.center = widths(law.draw(np.random.default_rng([seed, 1]), 5000))
        grid = GRID if len(self.center) == 2 else COARSE_GRID
        self.logs = [math.log(factor) for factor in grid]
        indices = range(len(self.center))
        self.subsets = [s for size in indices for s in combinations(indices, size + 1)]
        shape = [1 if width is None else len(grid) for width in self.center]
        self.grid = np.zeros([*shape, len(self.subsets)])
        columns, weights = law.nodes()
        known: dict[Any, float] = {}
        for place in np.ndindex(*shape):
            chosen = tuple(w and w * grid[i] for w, i in zip(self.center, place, strict=True))
            for position, subset in enumerate(self.subsets):
                key = subset, tuple(chosen[i] for i in subset)
                if key not in known:
                    part = tuple(columns[i] for i in subset)
                    known[key] = operator_bits(part, weights, key[1], law.residual)
                self.grid[(*place, position)] = known[key]

    def __call__(self, sample: Sample, measure: str) -> float:
        """At the widths of a sample, by interpolation on the grid."""
        value = self.grid
        for center, width in zip(self.center, widths(sample), strict=True):
            value = value[0] if center is None else interpolate(self.logs, value, math.log(width / center))
        return of_entropies(dict(zip(self.subsets, value, strict=True)), measure)


def of_entropies(bits: dict[tuple[int, ...], float], measure: str) -> float:
    """I*, T*, D* or O from the entropies of all subsets."""
    joint = max(bits, key=len)
    single = [bits[(i,)] for i in joint]
    rests = [bits[tuple(j for j in joint if j != i)] for i in joint]
    total, dual = sum(single) - bits[joint], sum(rests) - (len(joint) - 1) * bits[joint]
    return {
        "mutual_information": total / max(single),
        "total_correlation": total / (sum(single) - max(single)),
        "dual_total_correlation": dual / bits[joint],
        "o_information": total - dual,
    }[measure]


def interpolate(nodes: list[float], values: Array, x: float) -> Array:
    """Lagrange's polynomial along the first axis; entropies are smooth in the logarithm of a width."""
    inside = min(max(x, nodes[0]), nodes[-1])
    total = np.zeros(values.shape[1:])
    for i, node in enumerate(nodes):
        weight = math.prod((inside - other) / (node - other) for j, other in enumerate(nodes) if j != i)
        total = total + weight * values[i]
    return total


def measured(
    population: Population, name: str, measure: str, rows: int, method: str, trials: int, seed: int
) -> dict[str, Any]:
    """Coverage of one method on one law."""
    began = time.perf_counter()
    number = list(LAWS).index(name)
    samples = [LAWS[name].draw(np.random.default_rng([seed, 3, number, rows, t]), rows) for t in range(trials)]
    samples = [sample for sample in samples if all(len(np.unique(values)) > 1 for values in sample)]
    targets = np.array([population(sample, measure) for sample in samples])
    found = [
        confidence_interval(*sample, measure=measure, method=method, confidence_level=LEVEL, rng=t)
        for t, sample in enumerate(samples)
    ]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    values, estimates = ([getattr(one, field) for one in found] for field in ("value", "estimate"))
    shares = {
        "coverage": (low <= targets) & (targets <= high),
        "below": targets < low,
        "above": targets > high,
        "population": targets,
        "mean_value": values,
        "mean_estimate": estimates,
        "mean_width": high - low,
        "noted": [not one.reliable for one in found],
    }
    record = {"design": name, "measure": measure, "rows": rows, "method": method, "trials": len(samples)}
    record |= {key: round(float(np.mean(value)), 4) for key, value in shares.items()}
    return record | {"seconds": round(time.perf_counter() - began, 1)}


def run(*, quick: bool = False, seed: int = 0, save: Callable[[dict[str, Any]], None]) -> None:
    """The whole study as one JSON document, saved after each part of it."""
    start = time.perf_counter()
    result: dict[str, Any] = {
        "question": "How often does the interval (alpha=1, median widths) hold the population value?",
        "settings": {"seed": seed, "quick": quick, "level": LEVEL, "grid": GRID},
        "designs": {name: law.words for name, law in LAWS.items()},
        "seconds": 0.0,
        "records": [],
    }
    populations: dict[str, Population] = {}
    for name, law in LAWS.items():
        if not (quick and name in LONG):
            populations[name] = Population(law, seed)
    print(f"population values: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    for method, rows, trials, laws in QUICK if quick else STUDY:
        for name, population in populations.items():
            if name not in laws or (name in DEFAULT_ONLY and method != "influence"):
                continue
            for measure in LAWS[name].measures:
                record = measured(population, name, measure, rows, method, trials, seed)
                print(json.dumps(record), file=sys.stderr, flush=True)
                result["records"].append(record)
                result["seconds"] = round(time.perf_counter() - start, 1)
                save(result)


def write(target: Path, result: dict[str, Any]) -> None:
    """One record a line."""
    target.parent.mkdir(parents=True, exist_ok=True)
    head = {key: value for key, value in result.items() if key != "records"}
    lines = ",\n".join(map(json.dumps, result["records"]))
    target.write_text(json.dumps(head, indent=1)[:-2] + f',\n "records": [\n{lines}\n]\n}}\n', encoding="utf-8")


def main() -> int:
    """Run and write; a quick run writes only where --out says so."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="under a minute; prints, and writes only with --out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    target = options.out or (None if options.quick else RESULTS)
    run(quick=options.quick, seed=options.seed, save=lambda result: write(target, result) if target else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
