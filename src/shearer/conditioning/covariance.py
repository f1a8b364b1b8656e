"""Is the mean of products of residual features 0? Its squared length against a sum of weighted chi-squares.

With Z the products of a row, n |mean Z|^2 is compared with sum lambda chi^2, lambda the eigenvalues of Cov(Z): valid
under heteroscedasticity, as the generalised covariance measure (Shah and Peters 2020); weighted by the conditions, as
in Scheidegger, Hörrmann and Bühlmann (2022).

The eigenvalues of a sample covariance are further apart than those of the law, the more so the longer the tails of Z,
and the cumulants 2 sum lambda^2 and 8 sum lambda^3 too large. Taken are those over all signs of the rows: with
G = Z Z' / n and signs s, s'Gs = tr G + sum_{i != j} s_i s_j G_ij has the cumulants tr G, 2 sum_{i != j} G_ij^2 and
8 sum over different i, j, k of G_ij G_jk G_ki. They differ by terms of the order 1/n.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from shearer.conditioning.ridge import runs
from shearer.pairs.null_law.pearson3 import pearson3_tail

Floats = NDArray[np.float64]

#: Most products of features and weights.
_MOST_PRODUCTS = 256


@dataclass(frozen=True)
class Tail:
    """A statistic, in deviations from its mean, with its upper tail and skewness."""

    statistic: float
    pvalue: float
    skewness: float


def quadratic_tail(first: Floats, second: Floats, weights: Floats | None, spent: float) -> Tail:
    """The test of all products of two sets of features, times weights.

    Parameters
    ----------
    first, second : array (n, a), (n, b)
        Residual features.
    weights : array (n, w), optional
        Of the conditions.
    spent : float
        Degrees of freedom that both regressions spent.
    """
    n = len(first)
    if weights is not None:
        weights = weights[:, : max(1, _MOST_PRODUCTS // (first.shape[1] * second.shape[1]))]
    count = first.shape[1] * second.shape[1] * (1 if weights is None else weights.shape[1])

    def products(rows: slice) -> Floats:
        found = first[rows][:, :, None] * second[rows][:, None, :]
        found = found.reshape(len(found), -1)
        if weights is not None:
            found = (found[:, :, None] * weights[rows][:, None, :]).reshape(len(found), -1)
        return found

    if count > n:
        every = products(slice(0, n))
        mean = every.mean(axis=0)
        every -= mean
        gram: Floats = every @ every.T / (n - spent)
        own, cumulants = np.diag(gram), chi_square_cumulants(gram)
        twice = np.einsum("ij,ij->i", gram, gram)
    else:
        total, covariance = np.zeros(count), np.zeros((count, count))
        for rows in runs(n):
            block = products(rows)
            total += block.sum(axis=0)
            covariance += block.T @ block
        mean = total / n
        covariance -= n * np.outer(mean, mean)
        covariance *= 1.0 / (n - spent)
        if count == 1:
            deviation = math.sqrt(n) * float(mean[0]) / math.sqrt(max(float(covariance[0, 0]), 1e-300))
            return Tail(deviation, 2.0 * float(stdtr(n - spent - 1.0, -abs(deviation))), 0.0)
        cumulants = chi_square_cumulants(covariance)
        own, twice = np.empty(n), np.empty(n)  # diagonals of the Gram matrix of the products, and of its square
        for rows in runs(n):
            block = products(rows) - mean
            own[rows] = np.einsum("ij,ij->i", block, block) / (n - spent)
            twice[rows] = np.einsum("ij,ij->i", block @ covariance, block) / (n - spent)
    variance = cumulants[1] - 2.0 * float(own @ own)
    skew = cumulants[2] + 8.0 * float(np.sum(own * (2.0 * own * own - 3.0 * twice)))
    return cumulant_tail(n * float(mean @ mean), cumulants[0], variance, skew)


def chi_square_cumulants(matrix: Floats) -> tuple[float, float, float]:
    """Cumulants of a sum of chi-squares weighted by the eigenvalues of a symmetric matrix."""
    squares = matrix @ matrix
    return float(np.trace(matrix)), 2.0 * float(np.trace(squares)), 8.0 * float(np.vdot(squares, matrix))


def cumulant_tail(statistic: float, mean: float, variance: float, third: float) -> Tail:
    """Upper tail of a law of these cumulants, by Pearson's type III."""
    if not variance > 0:
        return Tail(0.0, 1.0, 0.0)
    z, skewness = (statistic - mean) / math.sqrt(variance), third / variance**1.5
    return Tail(z, float(pearson3_tail(np.array([z]), np.array([skewness]))[0]), skewness)
