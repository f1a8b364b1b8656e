"""Figure 1 of the paper: I* against other measures of two random vectors, by shuffles.

usage: python -m experiments.figure1 [--quick | --full] [--only NAME ...]

1a, decaying dependence: acceptance of independence over the angle of a rotation, 512 rows. 1b, y = x * noise in five
dimensions: detection over the number of rows. Gaussian kernels of median width, and for I* also of half of it ("half").
A decision is the quantile of 100 shuffles at a level of 5 %. The paper does not state the rest: in 1a vectors of two
dimensions, sources of variance 1, and a new pair of densities for each trial. 50 trials a point in 1a and 100 in 1b;
`--full` has 500. Writes experiments/results/figure1.json after every point, and goes on where it stopped.
"""

import sys
import time

import numpy as np

from experiments import records
from experiments.alternatives import multiplied
from experiments.decisions import LEVEL, both, entropies, rates, rivals, shuffles
from experiments.densities import rotated
from experiments.level import pvalue
from shearer.kernels import Gaussian
from shearer.kernels.bandwidth import median

# Two dimensions a vector, sources of variance 1, a fresh pair of densities for each trial: the paper states none of it.
SETTINGS = {"rows": 512, "dimensions": 2, "steps": 32}
SIZES = [*range(25, 51), *range(55, 101, 5), *range(110, 241, 10)]


def cases(full: bool) -> list[str]:
    """All points of the figure, or every fourth angle and fewer of the sizes."""
    angles = range(0, 33, 1 if full else 4)
    sizes = SIZES if full else [25, 28, 31, 34, 37, 40, 43, 46, 50, 60, 70, 80, 90, 100, 120, 140, 170, 200, 240]
    points = {"1b": sizes, "1a": angles, "1b_half": sizes if full else sizes[:14], "1a_half": angles}
    return [f"{panel}-{point}" for panel, numbers in points.items() for point in numbers]


def trial(panel: str, half: bool, point: int, number: int) -> dict:
    """Every method on one sample, or I* alone at half the width on the same."""
    g = np.random.default_rng([1, "ab".index(panel[1]), point, number])
    if panel == "1a":
        x, y = rotated(g, SETTINGS["rows"], point / SETTINGS["steps"] * np.pi / 4, SETTINGS["dimensions"])
    else:
        x, y = multiplied(g, point)
    orders = shuffles(len(x), g)
    if half:
        return entropies(x, y, orders, Gaussian(lambda values: median(values) / 2))
    found = entropies(x, y, orders) | rivals(x, y, orders)
    return found | {"aggregated": both(lambda: pvalue((x, y)) <= LEVEL)}


def study(case: str, full: bool) -> dict:
    name, point = case.split("-")
    panel, _, half = name.partition("_")
    start = time.process_time()
    trials = 500 if full else 50 if panel == "1a" else 100
    found = [trial(panel, half == "half", int(point), number) for number in range(trials)]
    position = int(point) / SETTINGS["steps"] if panel == "1a" else int(point)
    seconds = round(time.process_time() - start, 1)
    return {"x": position, "trials": trials, "seconds": seconds, "rates": rates(found, reject=panel == "1b")}


if __name__ == "__main__":
    sys.exit(records.run_figure("figure1", __doc__, cases, study))
