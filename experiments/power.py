"""Power of the aggregated test beside six others, over named alternatives at the 5 % level.

usage: python -m experiments.power [--quick] [--only NAME ...]
       python -m experiments.power --ours    our column only, on the same samples

Writes experiments/results/power.json after every alternative, and goes on where it stopped.
"""

import json
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

import shearer as sh
from experiments import records
from experiments.level import pvalue
from shearer._variables import read_variables
from shearer.comparators import distance_correlation, hsic, mhsic, xhsic
from shearer.inference.pvalue import rank_pvalue

LEVEL, TRIALS, RESAMPLES = 0.05, 100, 199
Generator = np.random.Generator


def rotated(g: Generator, n: int, angle: float = np.pi / 8) -> tuple:
    """The paper's first test data: a uniform and a Laplace source mixed by a rotation, a noise dimension each."""
    sources = np.column_stack([g.uniform(-np.sqrt(3), np.sqrt(3), size=n), g.laplace(scale=np.sqrt(0.5), size=n)])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    mixed = sources @ turn
    return tuple(np.column_stack([mixed[:, k], g.normal(size=n)]) for k in (0, 1))


def multiplied(g: Generator, n: int) -> tuple:
    """The paper's second test data: y = x * noise in five dimensions."""
    x = g.normal(size=(n, 5))
    return x, x * g.normal(size=(n, 5))


def linear(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, 0.5 * x + g.normal(size=n)


def negative_lognormal(g: Generator, n: int) -> tuple:
    x, e = g.normal(size=(2, n))
    return np.exp(x), np.exp(-0.5 * x + np.sqrt(0.75) * e)


def scale_mixture(g: Generator, n: int) -> tuple:
    scale = np.where(g.uniform(size=n) < 0.5, 0.2, 2.0)
    return scale * g.normal(size=n), scale * g.normal(size=n)


def circle(g: Generator, n: int) -> tuple:
    angle = g.uniform(0, 2 * np.pi, size=n)
    return np.cos(angle) + 0.2 * g.normal(size=n), np.sin(angle) + 0.2 * g.normal(size=n)


def parabola(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, x**2 + 0.3 * g.normal(size=n)


def sine(g: Generator, n: int) -> tuple:
    x = g.uniform(-1, 1, size=n)
    return x, np.sin(4 * np.pi * x) + 0.5 * g.normal(size=n)


def cross(g: Generator, n: int) -> tuple:
    x = g.normal(size=n)
    return x, np.where(g.uniform(size=n) < 0.5, x, -x) + 0.5 * g.normal(size=n)


def checkerboard(g: Generator, n: int) -> tuple:
    cell = g.integers(0, 4, size=n)
    other = (cell + 2 * g.integers(0, 2, size=n)) % 4
    return cell + g.uniform(size=n), other + g.uniform(size=n)


def shifted_labels(g: Generator, n: int) -> tuple:
    label = g.integers(0, 3, size=n)
    return np.array(list("abc"))[label], 0.5 * label + g.normal(size=n)


def noisy_spread(g: Generator, n: int) -> tuple:
    x = g.uniform(0, 1, size=n)
    return x, (0.3 + x) * g.normal(size=n)


def one_of_five(g: Generator, n: int) -> tuple:
    x = g.normal(size=(n, 5))
    y = g.normal(size=(n, 5))
    y[:, 0] += x[:, 0]
    return x, y


def heavy_linear(g: Generator, n: int) -> tuple:
    x = g.standard_t(2, size=n)
    return x, 0.5 * x + g.standard_t(2, size=n)


ALTERNATIVES: dict[str, tuple[int, Callable[[Generator, int], tuple]]] = {
    "rotated sources (paper 1a), n=256": (256, rotated),
    "multiplied noise (paper 1b), n=25": (25, multiplied),
    "multiplied noise (paper 1b), n=50": (50, multiplied),
    "linear, n=40": (40, linear),
    "negative log-normal, n=40": (40, negative_lognormal),
    "scale mixture, n=25": (25, scale_mixture),
    "circle, n=60": (60, circle),
    "parabola, n=60": (60, parabola),
    "sine, n=60": (60, sine),
    "cross, n=60": (60, cross),
    "checkerboard, n=100": (100, checkerboard),
    "labels that shift, n=60": (60, shifted_labels),
    "noisy spread, n=150": (150, noisy_spread),
    "one of five dimensions, n=60": (60, one_of_five),
    "heavy-tailed linear, n=40": (40, heavy_linear),
}


def measure_pvalue(data: tuple, alpha: float, rng: Generator) -> float:
    """I* of order alpha with permutations; the joint entropy alone decides."""
    noun = sh.Dependence(*data, alpha=alpha)
    n = noun.rows
    null = [-float(noun.shuffled([np.arange(n), rng.permutation(n)]).entropy()) for _ in range(RESAMPLES)]
    return rank_pvalue(null, -float(noun.entropy()))


def shuffled_pvalue(comparator: Callable[..., float], x: np.ndarray, y: np.ndarray, rng: Generator) -> float:
    """A comparator with permutations, its kernels or distances formed once."""
    statistic = comparator.__dict__["rearranged"](read_variables(x, y))
    same = np.arange(len(x))
    null = [statistic([same, rng.permutation(len(x))]) for _ in range(RESAMPLES)]
    return rank_pvalue(null, statistic([same, same]))


def numeric(column: np.ndarray) -> np.ndarray:
    """Labels as indicator columns, for methods that know numbers only."""
    return column if column.dtype.kind == "f" else (column[:, None] == np.unique(column)[None, :]).astype(float)


def trial(draw: Callable[[Generator, int], tuple], rows: int, seed: list[int]) -> dict[str, float]:
    g = np.random.default_rng(seed)
    data = draw(g, rows)
    x, y = (numeric(np.asarray(column)) for column in data)
    return {
        "aggregated": pvalue(data),
        "HSIC": shuffled_pvalue(hsic, x, y, g),
        "dCor": shuffled_pvalue(distance_correlation, x, y, g),
        "I* 1.01": measure_pvalue(data, 1.01, g),
        "I* 2": measure_pvalue(data, 2.0, g),
        "mHSIC": float(ndtr(-mhsic(x, y))),
        "xHSIC": float(ndtr(-xhsic(x, y))),
    }


def study(name: str, quick: bool) -> dict:
    rows, draw = ALTERNATIVES[name]
    trials, start = (20 if quick else TRIALS), time.perf_counter()
    seed = list(ALTERNATIVES).index(name)
    found = [trial(draw, rows, [seed, k]) for k in range(trials)]
    power = {method: float(np.mean([f[method] <= LEVEL for f in found])) for method in found[0]}
    seconds = round(time.perf_counter() - start, 1)
    settings = {"rows": rows, "trials": trials, "resamples": RESAMPLES, "seed": seed, "seconds": seconds}
    return settings | {"power": power}


def refresh() -> int:
    """Our column again, on the same samples; those of the others stay."""
    path = records.FOLDER / "power.json"
    known = json.loads(path.read_text())
    for name, (rows, draw) in ALTERNATIVES.items():
        record = known[name]
        samples = (draw(np.random.default_rng([record["seed"], k]), rows) for k in range(record["trials"]))
        record["power"]["aggregated"] = float(np.mean([pvalue(data) <= LEVEL for data in samples]))
        print(name, record["power"], flush=True)
    path.write_text(json.dumps(known, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(refresh() if "--ours" in sys.argv else records.run("power", __doc__, ALTERNATIVES, study))
