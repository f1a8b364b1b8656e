"""Level and power of the tests of two series over lags: the two of `scan`, and two that were tried beside them.

usage: python -m experiments.lags [--quick] [--only NAME ...]

Two autoregressive series of 200 rows, lags 0 to 3 in both directions, one p-value a pair for all lags together.
"whitened" and "stretches" are `scan(lag_test=...)`. "shifts" turns one series round against the other, by 10 rows or
more either way; "bootstrap" puts one series together anew of stretches of 12 rows drawn with replacement; both compare
the largest distance covariance over lags. Writes experiments/results/lags.json after every design, and goes on where it
stopped.
"""

import sys
import time
from collections.abc import Iterable

import numpy as np
from scipy.signal import lfilter

import shearer as sh
from experiments import records

ROWS, LAGS, LEVEL = 200, range(4), 0.05
# Independent series, those of a long memory that the default test shall hold its level for, series that depend; and the
# two slow tests that were tried beside those of a scan.
TRIALS, MORE_TRIALS, POWER_TRIALS, RIVAL_TRIALS = 200, 600, 100, 60
REACH, LEAST_SHIFT, STRETCH, DRAWS = max(LAGS), 10, 12, 199
# Name -> memory of both series, by how many rows the second follows the first, and how strongly.
SERIES = {
    "independent, memory 0": (0.0, 0, 0.0),
    "independent, memory 0.5": (0.5, 0, 0.0),
    "independent, memory 0.8": (0.8, 0, 0.0),
    "independent, memory 0.95": (0.95, 0, 0.0),
    "independent, random walks": (1.0, 0, 0.0),
    "follows by 2, memory 0.5": (0.5, 2, 0.3),
    "square follows by 3, memory 0.5": (0.5, 3, -0.3),
    "follows by 2, memory 0.95": (0.95, 2, 0.3),
}
# Independent series whose memory no autoregression takes away.
OTHERS = ("independent, volatility with memory 0.95", "independent, labels with memory 0.9")
METHODS = ("whitened", "stretches", "shifts", "bootstrap")
DESIGNS = [
    f"{name}; {method}" for name in (*SERIES, *OTHERS) for method in METHODS if name in SERIES or method in METHODS[:2]
]


def draw(name: str, seed: list[int]) -> dict[str, np.ndarray]:
    """The two series; a negative strength is that of the square."""
    g = np.random.default_rng(seed)
    if name == OTHERS[0]:
        logs = lfilter([0.3], [1.0, -0.95], g.normal(size=(2, ROWS + 100)), axis=1)[:, 100:]
        return dict(zip("xy", np.exp(logs) * g.normal(size=(2, ROWS)), strict=True))
    if name == OTHERS[1]:
        places = np.maximum.accumulate(np.where(g.uniform(size=(2, ROWS)) < 0.1, np.arange(ROWS), 0), axis=1)
        drawn = g.integers(0, 3, size=(2, ROWS))
        return {key: np.array(list("abc"))[own[at]] for key, own, at in zip("xy", drawn, places, strict=True)}
    memory, lag, strength = SERIES[name]
    noise = g.normal(size=(2, ROWS + 100))
    x, y = (lfilter([1.0], [1.0, -memory], row)[100 - lag :] for row in noise)
    cause = x if strength >= 0 else x**2
    y = y[lag:] + abs(strength) * cause[: len(cause) - lag]
    return {"x": x[lag:], "y": y}


def rival(table: dict[str, np.ndarray], method: str, rng: np.random.Generator) -> float:
    """The p-value of shifts or of a bootstrap."""
    x, y = table.values()
    rows = ROWS - 2 * REACH
    base = np.abs(np.subtract.outer(x, x))[REACH:-REACH, REACH:-REACH]
    far = np.abs(np.subtract.outer(y, y))
    seen = [far[lag : lag + rows, lag : lag + rows] for lag in range(2 * REACH + 1)]
    centered = np.stack([part - part.mean(0) - part.mean(1)[:, None] + part.mean() for part in seen])
    centered = (centered / np.linalg.norm(centered, axis=(1, 2), keepdims=True)).reshape(len(seen), -1)

    def orders() -> Iterable[np.ndarray]:
        if method == "shifts":
            yield from (np.roll(np.arange(rows), shift) for shift in range(LEAST_SHIFT, rows - LEAST_SHIFT))
        else:
            for _ in range(DRAWS):
                starts = rng.integers(0, rows - STRETCH, size=-(-rows // STRETCH))
                yield (starts[:, None] + np.arange(STRETCH)).ravel()[:rows]

    def largest(order: np.ndarray) -> float:
        part = base[np.ix_(order, order)]
        part = part - part.mean(0) - part.mean(1)[:, None] + part.mean()
        return float(np.max(centered @ part.ravel()) / np.linalg.norm(part))

    observed = largest(np.arange(rows))
    null = [largest(order) for order in orders()]
    return (1 + sum(value >= observed for value in null)) / (1 + len(null))


def study(design: str, quick: bool) -> dict:
    name, method = design.split("; ")
    lag = SERIES[name][1] if name in SERIES else 0
    more = name in ("independent, memory 0.8", "independent, memory 0.95") and method == "whitened"
    trials, start = POWER_TRIALS if lag else MORE_TRIALS if more else TRIALS, time.perf_counter()
    trials = RIVAL_TRIALS if method in METHODS[2:] else trials
    trials = min(trials, 5) if quick else trials
    pvalues, found, untested = [], [], 0
    for k in range(trials):
        table = draw(name, [[*SERIES, *OTHERS].index(name), k])
        if method not in METHODS[:2]:
            pvalues.append(rival(table, method, np.random.default_rng(k)))
            continue
        scan = sh.scan(table, order=2, lags=LAGS, lag_test=method, rng=k, progress=False, top=0)
        pair = scan.document["pairs"][0]
        untested += bool(scan.document["untested"])
        pvalues.append(pair["pvalue"])
        found.append(pair["lag"] if pair["variables"] == ["x", "y"] else -pair["lag"])
    return {
        "series": name,
        "method": method,
        "rows": ROWS,
        "trials": trials,
        "rejected": float(np.mean(np.array(pvalues) <= LEVEL)),
        "untested": untested / trials,
        "right_lag": float(np.mean(np.array(found) == lag)) if lag and found else None,
        "seconds": round(time.perf_counter() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(records.run("lags", __doc__, DESIGNS, study))
