"""How often a confidence interval holds the population value, on five designs.

The population value of a trial is that of the kernel widths of its own sample. It is read off a grid of widths, at each
of which the measure of a very large sample was computed by certified low rank, its own bias of order 1/n removed.

usage: python -m experiments.coverage [--quick] [--seed N] [--out FILE]
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shearer as sh
from shearer.inference.intervals import confidence_interval

Array = NDArray[Any]
Sample = tuple[Array, Array]

RESULTS = Path(__file__).parent / "results" / "coverage.json"
LEVEL = 0.95
METHODS = ("jackknife", "subsampling")
ROWS = (100, 200)
TOL = 1e-4
# Widths of the grid, over the median width of the large sample; samples of 100 rows stay within it.
GRID = (0.75, 1.0, 1.35)
# The second method costs twice as much and is not the default: fewer trials.
FULL = {"trials": {"jackknife": 300, "subsampling": 100}, "large": 20_000, "large_samples": 2}
QUICK = {"trials": {"jackknife": 10, "subsampling": 5}, "large": 5_000, "large_samples": 1}


def independent_normal(rng: np.random.Generator, n: int) -> Sample:
    """Two normal variables."""
    return rng.normal(size=n), rng.normal(size=n)


def linear_normal(rng: np.random.Generator, n: int) -> Sample:
    """Normal, correlation 0.7."""
    x = rng.normal(size=n)
    return x, 0.7 * x + math.sqrt(1 - 0.49) * rng.normal(size=n)


def ring(rng: np.random.Generator, n: int) -> Sample:
    """A circle of radius 1 with noise of 0.1."""
    angle = rng.uniform(0, 2 * np.pi, size=n)
    x, y = np.cos(angle), np.sin(angle)
    return x + 0.1 * rng.normal(size=n), y + 0.1 * rng.normal(size=n)


def shifted_by_label(rng: np.random.Generator, n: int) -> Sample:
    """Three labels, and a normal number whose mean moves by one standard deviation from label to label."""
    label = rng.integers(3, size=n)
    return np.array(["a", "b", "c"])[label], label + rng.normal(size=n)


def heavy_tailed(rng: np.random.Generator, n: int) -> Sample:
    """Student's t with 3 degrees of freedom, and that plus another one."""
    x = rng.standard_t(3, size=n)
    return x, x + rng.standard_t(3, size=n)


DESIGNS: dict[str, Callable[[np.random.Generator, int], Sample]] = {
    design.__name__: design for design in (independent_normal, linear_normal, ring, shifted_by_label, heavy_tailed)
}


def widths(sample: Sample) -> tuple[float | None, float | None]:
    """Median widths, as the default kernel takes them; None for labels."""
    rule = sh.kernels.Gaussian()
    first, second = (None if values.dtype.kind == "U" else rule.width(values[:, None]) for values in sample)
    return first, second


def kernels(chosen: tuple[float | None, float | None]) -> dict[str, sh.kernels.Gaussian]:
    return {f"x{i}": sh.kernels.Gaussian(width) for i, width in enumerate(chosen, start=1) if width is not None}


class Population:
    """Population value of the normalised mutual information as a function of the widths."""

    def __init__(self, name: str, effort: dict[str, Any], seed: int) -> None:
        self.is_independent = name == "independent_normal"
        number = list(DESIGNS).index(name)
        samples = [
            DESIGNS[name](np.random.default_rng([seed, 1, number, k]), effort["large"])
            for k in range(effort["large_samples"])
        ]
        self.center = widths(samples[0])
        self.logs = [math.log(factor) for factor in GRID]
        self.grid = np.zeros([*(1 if width is None else len(GRID) for width in self.center), 3])
        if self.is_independent:
            return
        for place in np.ndindex(*self.grid.shape[:-1]):
            chosen = tuple(w and w * GRID[i] for w, i in zip(self.center, place, strict=True))
            self.grid[place] = np.mean([unbiased(sample, chosen) for sample in samples], axis=0)

    def __call__(self, sample: Sample) -> float:
        """At the widths of a sample: 0 if independent, else by interpolation on the grid."""
        if self.is_independent:
            return 0.0
        value = self.grid
        for center, width in zip(self.center, widths(sample), strict=True):
            value = value[0] if center is None else interpolate(self.logs, value, math.log(width / center))
        shared, *entropies = value
        return float(shared / max(entropies))


def unbiased(sample: Sample, chosen: tuple[float | None, float | None]) -> Array:
    """I and both entropies in bits of all rows, less the bias that halves of them show.

    Bits are smooth in the widths; I over the larger entropy has a ridge where the two are equal.
    """
    n = len(sample[0])
    found = []
    for part in (slice(None), slice(n // 2), slice(n // 2, None)):
        noun = sh.Dependence(*(values[part] for values in sample), kernel=kernels(chosen), tol=TOL)
        estimates = noun.mutual_information(normalize=False), noun.entropy("x1"), noun.entropy("x2")
        found.append([float(estimate) for estimate in estimates])
    full, *halves = np.array(found)
    return 2 * full - np.mean(halves, axis=0)


def interpolate(nodes: list[float], values: Array, x: float) -> Array:
    """Lagrange's polynomial along the first axis; the measure is smooth in the logarithm of a width."""
    inside = min(max(x, nodes[0]), nodes[-1])
    total = np.zeros(values.shape[1:])
    for i, node in enumerate(nodes):
        weight = math.prod((inside - other) / (node - other) for j, other in enumerate(nodes) if j != i)
        total = total + weight * values[i]
    return total


def measured(population: Population, name: str, rows: int, method: str, trials: int, seed: int) -> dict[str, Any]:
    """Coverage of one method on one design."""
    began = time.perf_counter()
    number = list(DESIGNS).index(name)
    samples = [DESIGNS[name](np.random.default_rng([seed, 2, number, rows, t]), rows) for t in range(trials)]
    targets = np.array([population(sample) for sample in samples])
    found = [
        confidence_interval(*sample, method=method, confidence_level=LEVEL, rng=t) for t, sample in enumerate(samples)
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
    }
    record = {"design": name, "rows": rows, "method": method, "trials": trials}
    record |= {key: round(float(np.mean(value)), 4) for key, value in shares.items()}
    return record | {"seconds": round(time.perf_counter() - began, 1)}


def run(*, quick: bool = False, seed: int = 0, save: Callable[[dict[str, Any]], None]) -> None:
    """The whole study as one JSON document, saved after each part of it."""
    start = time.perf_counter()
    effort: dict[str, Any] = QUICK if quick else FULL
    result: dict[str, Any] = {
        "question": "How often does the interval for I* (alpha=1, median widths) hold the population value?",
        "settings": {"seed": seed, "quick": quick, "level": LEVEL, "tol": TOL, "grid": GRID, **effort},
        "seconds": 0.0,
        "records": [],
    }
    populations = {name: Population(name, effort, seed) for name in DESIGNS}
    print(f"population values: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    for rows, method in ((ROWS[0], METHODS[0]), (ROWS[1], METHODS[0]), (ROWS[0], METHODS[1])):
        for name, population in populations.items():
            record = measured(population, name, rows, method, effort["trials"][method], seed)
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
