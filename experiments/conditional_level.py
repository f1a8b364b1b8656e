"""Level and power of the conditional test on a common cause, x <- z -> y, with and without a link x -> y.

usage: python -m experiments.conditional_level [--quick] [--seed N] [--out FILE]
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.inference.permutation.local import DEFAULT_NEIGHBORS, conditional_test

Array = NDArray[np.float64]

RESULTS = Path(__file__).parent / "results" / "conditional_level.json"
LEVEL = 0.05
RESAMPLES = 99
FULL = {"trials": 200, "rows": (100, 200)}
QUICK = {"trials": 10, "rows": (100,)}


def common_cause(rng: np.random.Generator, z: Array, noise: float) -> tuple[Array, Array]:
    """Both are z and noise: independent given z."""
    return z + noise * rng.normal(size=len(z)), z + noise * rng.normal(size=len(z))


def weak(rng: np.random.Generator, z: Array) -> tuple[Array, Array]:
    """Noise of half the size of z."""
    return common_cause(rng, z, 0.5)


def strong(rng: np.random.Generator, z: Array) -> tuple[Array, Array]:
    """Noise of a fifth of the size of z: neighbors in z blur what z says of x."""
    return common_cause(rng, z, 0.2)


def curved(rng: np.random.Generator, z: Array) -> tuple[Array, Array]:
    """x is the square of z and noise, y a sine of z and noise."""
    return (z + 0.5 * rng.normal(size=len(z))) ** 2, np.sin(2 * z) + 0.5 * rng.normal(size=len(z))


def linked(rng: np.random.Generator, z: Array) -> tuple[Array, Array]:
    """Not independent: y has half of the noise of x."""
    own = 0.5 * rng.normal(size=len(z))
    return z + own, z + 0.5 * own + 0.4 * rng.normal(size=len(z))


DESIGNS: tuple[Callable[[np.random.Generator, Array], tuple[Array, Array]], ...] = (weak, strong, curved, linked)


def run(*, quick: bool = False, seed: int = 0) -> dict[str, Any]:
    """The share of p-values at or below the level, for each design."""
    start = time.perf_counter()
    effort: dict[str, Any] = QUICK if quick else FULL
    records = []
    for rows in effort["rows"]:
        for number, design in enumerate(DESIGNS):
            pvalues = []
            for trial in range(effort["trials"]):
                rng = np.random.default_rng([seed, number, rows, trial])
                z = rng.normal(size=rows)
                x, y = design(rng, z)
                pvalues.append(conditional_test(x, y, given=z, n_resamples=RESAMPLES, rng=trial).pvalue)
            rejected = float(np.mean(np.array(pvalues) <= LEVEL))
            records.append({"design": design.__name__, "rows": rows, "trials": len(pvalues), "rejected": rejected})
            print(json.dumps(records[-1]), file=sys.stderr, flush=True)
    settings = {"seed": seed, "quick": quick, "level": LEVEL, "resamples": RESAMPLES, "neighbors": DEFAULT_NEIGHBORS}
    return {
        "question": "How often does conditional_test reject x independent of y given z? All but `linked` are null.",
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
    target = options.out or (None if options.quick else RESULTS)
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
