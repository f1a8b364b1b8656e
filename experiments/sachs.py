"""Links of the protein signalling network of Sachs et al. 2005 ranked by dependence, by many methods.

usage: python -m experiments.sachs [--quick] [--only NAME ...]

The 853 observational cells and all 7466; both published lists of links, without directions; intensities as they are
and their logarithms. Needs SHEARER_DATA. Writes experiments/results/sachs.json after every case
(rows/scale/family), and goes on where it stopped.
"""

import sys

import numpy as np

import shearer as sh
from experiments import network_scores, records
from shearer.datasets import load_sachs
from shearer.kernels import Gaussian
from shearer.tools import DependenceNetwork

TRUTHS = ("consensus", "cdt")
ROWS = ("observational", "all")
SCALES = {"raw": network_scores.as_they_are, "log": np.log1p}
# All 7466 rows: what takes all distances of every pair of rows is left to 853.
TALL = ("correlations", "bins", "neighbours", "few widths")


def few_widths(X: network_scores.Floats) -> network_scores.Scores:
    """I* at alpha = 2 and at the paper's order with certified bounds, and -log p of the network's own tests."""
    for name in ("median", "authors-demo", "3 median"):
        kernel = Gaussian(network_scores.widths()[name])
        yield f"I*, alpha 2, {name}, max", sh.pairwise(X, kernel=kernel).value
        paper = [
            sh.mutual_information(X[:, i], X[:, j], alpha=network_scores.PAPER_ORDER, kernel=kernel, tol=1e-3)
            for i, j in zip(*np.triu_indices(X.shape[1], 1), strict=True)
        ]
        matrix = np.zeros((X.shape[1], X.shape[1]))
        matrix[np.triu_indices(X.shape[1], 1)] = paper
        yield f"I*, alpha 1.01, {name}, max", matrix + matrix.T
    yield "-log p, median", DependenceNetwork(weight="pvalue").fit(X).weights_


def families() -> dict:
    """As for DREAM4, with bounds in place of the spectra of 853 rows and more."""
    found = network_scores.families()
    del found["order 1.01"]
    return found | {"few widths": few_widths}


def cases() -> list[str]:
    """Rows, scale and family of methods."""
    chosen = {"observational": families(), "all": TALL}
    return [f"{rows}/{scale}/{family}" for rows in ROWS for scale in SCALES for family in chosen[rows]]


def study(case: str, quick: bool) -> dict[str, dict[str, dict[str, float]]]:
    rows, scale, family = case.split("/")
    known = {truth: load_sachs(rows, truth=truth) for truth in TRUTHS}
    X = SCALES[scale](known["consensus"].data.to_numpy()[: 200 if quick else None])
    found = {}
    for name, matrix in network_scores.with_context(families()[family](X)):
        found[name] = {truth: network_scores.rank_quality(matrix, known[truth].undirected) for truth in TRUTHS}
    return found


if __name__ == "__main__":
    sys.exit(records.run("sachs", __doc__, cases(), study))
