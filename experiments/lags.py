"""Level and power of the scan over lags: pairs of series with memory, tested by rearranged blocks.

usage: python -m experiments.lags [--quick] [--only NAME ...]

Two autoregressive series of 200 rows, lags 0 to 3 in both directions, one p-value a pair for all lags together. Writes
experiments/results/lags.json after every design, and goes on where it stopped.
"""

import sys
import time

import numpy as np
from scipy.signal import lfilter

import shearer as sh
from experiments import records

ROWS, TRIALS, LAGS, LEVEL = 200, 200, range(4), 0.05
# Name -> memory of both series, by how many rows the second follows the first, and how strongly.
DESIGNS = {
    "independent, memory 0": (0.0, 0, 0.0),
    "independent, memory 0.5": (0.5, 0, 0.0),
    "independent, memory 0.8": (0.8, 0, 0.0),
    "independent, memory 0.95": (0.95, 0, 0.0),
    "independent, random walks": (1.0, 0, 0.0),
    "follows by 2, memory 0.5": (0.5, 2, 0.7),
    "square follows by 3, memory 0.5": (0.5, 3, -0.7),
    "follows by 2, memory 0.95": (0.95, 2, 0.7),
}


def draw(name: str, seed: list[int]) -> dict[str, np.ndarray]:
    """The two series; a negative strength is that of the square."""
    memory, lag, strength = DESIGNS[name]
    g = np.random.default_rng(seed)
    noise = g.normal(size=(2, ROWS + 100))
    x, y = (lfilter([1.0], [1.0, -memory], row)[100 - lag :] for row in noise)
    cause = x if strength >= 0 else x**2
    y = y[lag:] + abs(strength) * cause[: len(cause) - lag]
    return {"x": x[lag:], "y": y}


def study(name: str, quick: bool) -> dict:
    trials, start = (5 if quick else TRIALS), time.perf_counter()
    pvalues, found, untested = [], [], 0
    for k in range(trials):
        table = draw(name, [list(DESIGNS).index(name), k])
        document = sh.scan(table, order=2, lags=LAGS, rng=k, progress=False, top=0).document
        pair = document["pairs"][0]
        untested += any("not tested" in note for note in document["notes"])
        pvalues.append(pair["pvalue"])
        found.append(pair["lag"] if pair["variables"] == ["x", "y"] else -pair["lag"])
    lag = DESIGNS[name][1]
    return {
        "rows": ROWS,
        "trials": trials,
        "rejected": float(np.mean(np.array(pvalues) <= LEVEL)),
        "untested": untested / trials,
        "right_lag": float(np.mean(np.array(found) == lag)) if lag else None,
        "seconds": round(time.perf_counter() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("lags", __doc__, DESIGNS, study))
