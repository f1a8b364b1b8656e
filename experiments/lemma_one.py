"""A search for violations of the paper's Lemma 1 at several orders of the entropy.

Lemma 1 (paper, supplement): T >= max_i I(y^i; rest) and D >= max_i I(y^i; rest). Written out in entropies,
``T - I(y^i; rest) = T(rest)`` and ``D - I(y^i; rest) = D(rest | y^i)``: a violation is a negative total correlation of
all variables but one, or a negative dual total correlation of all but one given that one. Laws of labels and samples
of numbers under Gaussian kernels are drawn at random; from the worst of them a random descent goes on.

usage: python -m experiments.lemma_one [--quick] [--seed N] [--out FILE]
"""

import argparse
import json
import sys
import time
from abc import ABC, abstractmethod
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shearer as sh

Array = NDArray[np.float64]

RESULTS = Path(__file__).parent / "results" / "lemma_one.json"
# From large to small: the worst law at one order is a good start at the next.
ALPHAS = (5.0, 3.0, 2.0, 1.5, 1.01, 1.0, 0.5)
COUNTS = (3, 4)
BOUNDS = ("T", "D")
# Rows of the table of labels that stands for the worst law.
EXAMPLE_ROWS = 10_000
# Laws drawn; then descents, their steps, and neighbors looked at in each step.
FULL = {
    "labels": {"drawn": 50_000, "descents": 4, "steps": 150, "proposals": 60},
    "gaussian": {"drawn": 20_000, "descents": 4, "steps": 80, "proposals": 20},
}
QUICK = {
    "labels": {"drawn": 2_000, "descents": 1, "steps": 30, "proposals": 40},
    "gaussian": {"drawn": 200, "descents": 1, "steps": 5, "proposals": 10},
}


def entropy(spectra: Array, alpha: float) -> Array:
    """S_alpha in bits of each spectrum along the last axis."""
    if alpha == 1.0:
        return -np.sum(spectra * np.log2(np.where(spectra > 0, spectra, 1.0)), axis=-1)
    return np.log2(np.sum(spectra**alpha, axis=-1)) / (1.0 - alpha)


def margins(known: dict[tuple[int, ...], Array], count: int) -> dict[str, Array]:
    """T - max_i I(y^i; rest) and D - max_i I(y^i; rest), from subset entropies."""
    everyone = tuple(range(count))
    rests = [tuple(j for j in everyone if j != i) for i in everyone]
    joint = known[everyone]
    total = sum(known[(i,)] for i in everyone) - joint
    dual = sum(known[rest] for rest in rests) - (count - 1) * joint
    shared = np.max([known[(i,)] + known[rest] - joint for i, rest in enumerate(rests)], axis=0)
    return {"T": total - shared, "D": dual - shared}


class Family(ABC):
    """Random joint laws of a number of variables: arrays whose first axis counts the laws."""

    name: str
    #: Tells the random streams of the families apart.
    key: int

    def __init__(self, count: int) -> None:
        self.count = count
        self.subsets = [chosen for size in range(1, count + 1) for chosen in combinations(range(count), size)]

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: int) -> Array:
        """That many laws."""

    @abstractmethod
    def move(self, rng: np.random.Generator, law: Array, size: int, step: float) -> Array:
        """That many laws near one."""

    @abstractmethod
    def spectra(self, laws: Array) -> dict[tuple[int, ...], Array]:
        """The eigenvalues of every subset, for each law."""

    def tolerance(self, alpha: float) -> float:
        """Bits of round-off that a margin may have below 0."""
        return 1e-9

    @abstractmethod
    def example(self, law: Array) -> dict[str, Any]:
        """The law as JSON."""

    @abstractmethod
    def table(self, example: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Variables and options for `shearer.Dependence` that are the example."""


class Labels(Family):
    """Laws of labels with two levels each, under the delta kernel; the array holds the 2^L probabilities."""

    name, key = "labels", 0

    def draw(self, rng: np.random.Generator, size: int) -> Array:
        """Dirichlet laws, from nearly deterministic to nearly uniform."""
        concentration = np.exp(rng.uniform(np.log(0.05), np.log(5.0), size=(size, 1)))
        weights = rng.gamma(np.broadcast_to(concentration, (size, 2**self.count))) + 1e-12
        return weights / weights.sum(axis=1, keepdims=True)

    def move(self, rng: np.random.Generator, law: Array, size: int, step: float) -> Array:
        """Every probability times a log-normal factor."""
        weights = (law + 1e-9) * np.exp(step * rng.normal(size=(size, len(law))))
        return weights / weights.sum(axis=1, keepdims=True)

    def spectra(self, laws: Array) -> dict[tuple[int, ...], Array]:
        """Marginal probabilities."""
        cube = laws.reshape(-1, *[2] * self.count)
        known = {}
        for subset in self.subsets:
            others = tuple(i + 1 for i in range(self.count) if i not in subset)
            known[subset] = cube.sum(axis=others).reshape(len(laws), -1)
        return known

    def example(self, law: Array) -> dict[str, Any]:
        """Counts in a table of fixed length, cells in the order 0..0, 0..1, ..., 1..1."""
        counts = np.round(law * EXAMPLE_ROWS).astype(int)
        counts[np.argmax(counts)] += EXAMPLE_ROWS - counts.sum()
        return {"counts": counts.tolist()}

    def table(self, example: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """One row for each count."""
        cells = np.array(np.unravel_index(np.arange(2**self.count), [2] * self.count))
        columns = np.repeat(cells, example["counts"], axis=1)
        return {f"y{i + 1}": column.astype(bool) for i, column in enumerate(columns)}, {}


class GaussianKernels(Family):
    """Samples of scalar variables in units of their kernel width; the array holds (rows, variables)."""

    name, key = "gaussian", 1
    rows = 10

    def draw(self, rng: np.random.Generator, size: int) -> Array:
        """Normal samples with a common factor of either sign, some exponentiated, at widths from fine to coarse."""
        shape = (size, 1, self.count)
        weight = rng.uniform(-1, 1, size=shape)
        values = weight * rng.normal(size=(size, self.rows, 1)) + 0.5 * rng.normal(size=(size, self.rows, self.count))
        skew = rng.uniform(0.2, 2.0, size=shape)
        values = np.where(rng.random(shape) < 0.5, np.expm1(skew * values), values)
        return np.round(values * np.exp(rng.uniform(np.log(0.3), np.log(10.0), size=shape)), 3)

    def move(self, rng: np.random.Generator, law: Array, size: int, step: float) -> Array:
        """Rows moved by normal steps."""
        return np.round(law + step * rng.normal(size=(size, *law.shape)), 3)

    def spectra(self, laws: Array) -> dict[tuple[int, ...], Array]:
        """Eigenvalues of the products of exp(-(x_i - x_j)^2 / 2), scaled to sum 1."""
        exponents = 0.5 * (laws[:, :, None, :] - laws[:, None, :, :]) ** 2
        known = {}
        for subset in self.subsets:
            kernels = np.exp(-np.sum(exponents[..., list(subset)], axis=-1))
            known[subset] = np.clip(np.linalg.eigvalsh(kernels) / self.rows, 0.0, None)
        return known

    def tolerance(self, alpha: float) -> float:
        """Below 1 the round-off of an eigenvalue near 0 enters at the power alpha."""
        return 1e-9 if alpha >= 1 else 1e-5

    def example(self, law: Array) -> dict[str, Any]:
        """The rows; the width is 1."""
        return {"rows": law.tolist()}

    def table(self, example: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """One column for each variable, and the kernel."""
        columns = np.array(example["rows"]).T
        return {f"y{i + 1}": column for i, column in enumerate(columns)}, {"kernel": sh.kernels.Gaussian(1.0)}


def certified_margin(family: Family, example: dict[str, Any], alpha: float, bound: str) -> sh.Estimate:
    """The margin of an example by shearer: the smallest T(rest), or the smallest D(rest | y^i)."""
    table, options = family.table(example)
    found = []
    for name in table:
        if bound == "T":
            noun = sh.Dependence(table, alpha=alpha, **options)
            rest = [other for other in table if other != name]
            found.append(noun.total_correlation(*rest, normalize=False))
        else:
            noun = sh.Dependence(table, alpha=alpha, given=name, **options)
            found.append(noun.dual_total_correlation(normalize=False))
    return min(found, key=float)


def margin_of(family: Family, laws: Array, alpha: float, bound: str) -> Array:
    """The margin of each law."""
    known = {subset: entropy(values, alpha) for subset, values in family.spectra(laws).items()}
    return margins(known, family.count)[bound]


def descend(
    family: Family, law: Array, alpha: float, bound: str, effort: dict[str, int], rng: np.random.Generator
) -> tuple[float, Array]:
    """A random descent of the margin: the best of some neighbors, with a step that shrinks where none is better."""
    best, step = float(margin_of(family, law[None], alpha, bound)[0]), 0.5
    for _ in range(effort["steps"]):
        near = family.move(rng, law, effort["proposals"], step)
        here = margin_of(family, near, alpha, bound)
        lowest = int(np.argmin(here))
        if here[lowest] < best:
            law, best = near[lowest], float(here[lowest])
        else:
            step *= 0.8
    return best, law


def search(family: Family, effort: dict[str, int], seed: int) -> list[dict[str, Any]]:
    """Draw laws, count violations at every order, and go down from the worst law of each."""
    stream = [seed, family.key, family.count]
    laws = family.draw(np.random.default_rng(stream), effort["drawn"])
    spectra = family.spectra(laws)
    records = []
    last: dict[str, Array] = {}
    for index, alpha in enumerate(ALPHAS):
        drawn = margins({subset: entropy(values, alpha) for subset, values in spectra.items()}, family.count)
        for bound in BOUNDS:
            print(f"{family.name}, L={family.count}, alpha={alpha:g}, {bound}", file=sys.stderr, flush=True)
            rng = np.random.default_rng([*stream, index, BOUNDS.index(bound)])
            starts = [*laws[np.argsort(drawn[bound])[: effort["descents"]]], *last.get(bound, laws[:0])]
            descents = [descend(family, law, alpha, bound, effort, rng) for law in starts]
            lowest, law = min(descents, key=lambda found: found[0])
            last[bound] = law[None]
            example = family.example(law)
            checked = certified_margin(family, example, alpha, bound)
            records.append(
                {
                    "family": family.name,
                    "variables": family.count,
                    "alpha": alpha,
                    "bound": bound,
                    "drawn": effort["drawn"],
                    "tolerance": family.tolerance(alpha),
                    "violations": int(np.sum(drawn[bound] < -family.tolerance(alpha))),
                    "lowest_drawn": float(np.min(drawn[bound])),
                    "lowest_after_descent": lowest,
                    "example": example | {"margin": float(checked), "bounds": [checked.lower, checked.upper]},
                }
            )
    return records


def run(*, quick: bool = False, seed: int = 0) -> dict[str, Any]:
    """The whole search as one JSON document."""
    start = time.perf_counter()
    effort = QUICK if quick else FULL
    records = [
        record
        for kind in (Labels, GaussianKernels)
        for count in COUNTS
        for record in search(kind(count), effort[kind.name], seed)
    ]
    settings = {"seed": seed, "quick": quick, "effort": effort, "gaussian_rows": GaussianKernels.rows}
    return {
        "question": "Lemma 1: T >= max_i I(y^i; rest) and D >= max_i I(y^i; rest); margins in bits",
        "settings": settings,
        "seconds": round(time.perf_counter() - start, 1),
        "records": records,
    }


def main() -> int:
    """Run and write; a quick run writes only where --out says so."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds; prints, and writes only with --out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    result = run(quick=options.quick, seed=options.seed)
    for r in result["records"]:
        where = f"{r['family']:8} L={r['variables']} alpha={r['alpha']:<4g} {r['bound']}"
        lowest = f"lowest {r['lowest_after_descent']: .3e}, example {r['example']['margin']: .3e}"
        print(f"{where}: {r['violations']:5} of {r['drawn']}, {lowest}")
    target = options.out or (None if options.quick else RESULTS)
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        head = {key: value for key, value in result.items() if key != "records"}
        lines = ",\n".join(map(json.dumps, result["records"]))  # one record a line
        target.write_text(json.dumps(head, indent=1)[:-2] + f',\n "records": [\n{lines}\n]\n}}\n', encoding="utf-8")
    return 1 if refuted(result["records"]) else 0


def refuted(records: list[dict[str, Any]]) -> bool:
    """True if the lemma failed at alpha = 1, where it is a theorem."""
    at_one = [record for record in records if record["alpha"] == 1.0]
    return any(min(r["lowest_drawn"], r["lowest_after_descent"]) < -r["tolerance"] for r in at_one)


if __name__ == "__main__":
    sys.exit(main())
