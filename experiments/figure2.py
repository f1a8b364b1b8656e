"""Figure 2 of the paper: raw scores of multivariate measures on two relations, over the number of variables.

usage: python -m experiments.figure2 [--quick | --full] [--only NAME ...]

Each family of data is read in two ways. "text" is what the paper says: A, y_i = y_1^i of a uniform y_1; B, y_1 the
square of the mean of the others, which are uniform on [0, 1]. "source" is what its curves agree with, relations B and C
of Romano et al. 2016, "Measuring dependency via intrinsic dimensionality": A, y_2 = ... = y_d, each y_1 or 20 y_1 at
random; B, the others uniform on [-1, 1]. The paper states no kernel width: T*, D* and I* are taken at the median width
of each variable, and at the one width for all that the authors' public demos take from the first variable, Silverman's
rule, once and ten times. Writes experiments/results/figure2.json after every point, and goes on where it stopped.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

import shearer as sh
from experiments import records

ROWS, ALPHA, NEIGHBORS, COPULA_WIDTH = 1000, 1.01, 250, 0.1
WIDTHS = ("median width", "authors' Silverman", "ten times it")
Generator = np.random.Generator
Floats = np.ndarray


def powers(g: Generator, variables: int) -> Floats:
    first = g.uniform(size=ROWS)
    return np.column_stack([first**i for i in range(1, variables + 1)])


def two_slopes(g: Generator, variables: int) -> Floats:
    first = g.uniform(size=ROWS)
    other = first * g.choice([1.0, 20.0], size=ROWS)
    return np.column_stack([first, *[other] * (variables - 1)])


def squared_mean(low: float) -> Callable[[Generator, int], Floats]:
    def draw(g: Generator, variables: int) -> Floats:
        others = g.uniform(low, 1.0, size=(ROWS, variables - 1))
        return np.column_stack([others.mean(axis=1) ** 2, others])

    return draw


RELATIONS = {
    "A-source": two_slopes,
    "A-text": powers,
    "B-source": squared_mean(-1.0),
    "B-text": squared_mean(0.0),
}


def kernel_of(table: Floats, label: str) -> sh.kernels.Gaussian:
    if label == "median width":
        return sh.kernels.Gaussian()
    rule = "authors-silverman" if label == "authors' Silverman" else "authors-demo"
    return sh.kernels.Gaussian(sh.kernels.Gaussian(rule).width(table[:, :1]))


def matrix_measures(table: Floats, label: str) -> dict[str, float]:
    noun = sh.Dependence(table, alpha=ALPHA, kernel=kernel_of(table, label))
    found = {"T*": float(noun.total_correlation()), "D*": float(noun.dual_total_correlation())}
    return found | ({"I*": float(noun.mutual_information())} if table.shape[1] == 2 else {})


def scores(table: Floats) -> dict[str, float]:
    """Every measure of one sample; Spearman in the first form of Schmid and Schmidt, without its sign."""
    found = {
        "IDD": sh.comparators.idd(table, neighbors=NEIGHBORS),
        "C-KDM": sh.comparators.c_kdm(table, bandwidth=COPULA_WIDTH),
        "Spearman": abs(sh.comparators.multivariate_spearman(table)),
    }
    for label in WIDTHS:
        found |= {f"{name}, {label}": value for name, value in matrix_measures(table, label).items()}
    return found


def cases(full: bool) -> list[str]:  # noqa: ARG001 - both sizes have all points
    return [f"{relation}-{variables}" for variables in range(2, 11) for relation in RELATIONS]


def study(case: str, full: bool) -> dict:
    relation, _, variables = case.rpartition("-")
    start, repeats = time.process_time(), 20 if full else 3
    seeds = ([2, list(RELATIONS).index(relation), int(variables), k] for k in range(repeats))
    found = [scores(RELATIONS[relation](np.random.default_rng(seed), int(variables))) for seed in seeds]
    means = {name: round(float(np.mean([one[name] for one in found])), 4) for name in found[0]}
    seconds = round(time.process_time() - start, 1)
    return {"x": int(variables) - 1, "repeats": repeats, "seconds": seconds, "scores": means}


if __name__ == "__main__":
    sys.exit(records.run_figure("figure2", __doc__, cases, study))
