"""Figures 7 and 8 of the paper's supplement: measures averaged over groups of few rows.

usage: python -m experiments.figures78 [--quick | --full] [--only NAME ...]

7: acceptance of independence by I* over 10 groups of 128 of 512 rows, on the data of Figure 1a. 8: T* over 10 groups of
100 of 1000 rows, on Data B of Figure 2 in the reading of its source. Groups are drawn without replacement, and kernel
widths are those of all rows; a shuffle moves all rows of y, and the groups stay. The paper states none of this. Writes
experiments/results/figures78.json after every point, and goes on where it stopped.
"""

import sys
import time

import numpy as np

import shearer as sh
from experiments import figure1, figure2, records
from experiments.decisions import Decision, joint_entropies, judged, rates, shuffles
from experiments.densities import rotated
from shearer.comparators.matrices import kernel_matrices
from shearer.data import read

GROUPS, SIZE, ALPHA = 10, 128, 1.01
Floats = np.ndarray


def cases(full: bool) -> list[str]:
    angles = range(0, 33, 1 if full else 8)
    return [*(f"8-{variables}" for variables in range(2, 11)), *(f"7-{angle}" for angle in angles)]


def averaged(left: Floats, right: Floats, groups: list[Floats]) -> float:
    """Mean over groups of I*, from kernel matrices of all rows."""
    a, b = (np.stack([matrix[np.ix_(rows, rows)] for rows in groups]) / SIZE for matrix in (left, right))
    single = [joint_entropies(stack, [ALPHA])[:, 0] for stack in (a, b)]
    joint = joint_entropies(a * b * SIZE, [ALPHA])[:, 0]
    return float(np.mean((single[0] + single[1] - joint) / np.maximum(*single)))


def trial(angle: int, number: int) -> dict[str, Decision]:
    """The sample of Figure 1a of that number."""
    g = np.random.default_rng([1, 0, angle, number])
    steps, rows = figure1.SETTINGS["steps"], figure1.SETTINGS["rows"]
    x, y = rotated(g, rows, angle / steps * np.pi / 4, figure1.SETTINGS["dimensions"])
    left, right = kernel_matrices(read(x, y))
    orders = shuffles(rows, g)
    groups = [g.choice(rows, SIZE, replace=False) for _ in range(GROUPS)]
    null = (np.array([averaged(left, right[np.ix_(order, order)], groups)]) for order in orders)
    return {"I*(1.01) 10x128 of 512": judged(np.array([averaged(left, right, groups)]), null)[0]}


def acceptance(angle: int, full: bool) -> dict:
    start, trials = time.process_time(), 500 if full else 50
    found = rates([trial(angle, number) for number in range(trials)], reject=False)
    seconds = round(time.process_time() - start, 1)
    return {"x": angle / figure1.SETTINGS["steps"], "trials": trials, "seconds": seconds, "rates": found}


def scores(variables: int, full: bool) -> dict:
    start, repeats = time.process_time(), 20 if full else 3
    found: dict[str, list[float]] = {label: [] for label in figure2.WIDTHS}
    for k in range(repeats):
        # The samples of Figure 2.
        g = np.random.default_rng([2, list(figure2.RELATIONS).index("B-source"), variables, k])
        table = figure2.RELATIONS["B-source"](g, variables)
        for label in figure2.WIDTHS:
            kernel = figure2.kernel_of(table, label)
            parts = sh.Subsampling(table, repeats=GROUPS, rows=100, alpha=ALPHA, kernel=kernel, rng=k)
            found[label].append(float(parts.total_correlation()))
    means = {f"T* 10x100 of 1000, {label}": round(float(np.mean(values)), 4) for label, values in found.items()}
    seconds = round(time.process_time() - start, 1)
    return {"x": variables - 1, "repeats": repeats, "seconds": seconds, "scores": means}


def study(case: str, full: bool) -> dict:
    figure, point = case.split("-")
    return acceptance(int(point), full) if figure == "7" else scores(int(point), full)


if __name__ == "__main__":
    sys.exit(records.run_figure("figures78", __doc__, cases, study))
