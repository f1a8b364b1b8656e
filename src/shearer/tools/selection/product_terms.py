"""Two or three features that tell together what none of them tells alone: products against what is left to explain."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

Floats = NDArray[np.float64]

# Columns up to which all pairs, and all triples, are looked at.
MOST_FOR_PAIRS, MOST_FOR_TRIPLES = 500, 60
# Features of a column in products of two and of three: bends are left out of the latter.
_IN_PAIRS, _IN_TRIPLES = 2, 1


class Term(NamedTuple):
    """One or more features that explain something together.

    Attributes
    ----------
    features : tuple of int
        Which.
    log_pvalue : float
        Natural logarithm of the p-value, adjusted for all terms of as many features.
    """

    features: tuple[int, ...]
    log_pvalue: float


def adjusted_log(log_pvalue: float, count: int) -> float:
    """The logarithm of a p-value times how many there are, at most 0 (Bonferroni)."""
    return min(0.0, float(log_pvalue) + float(np.log(max(count, 1))))


def best_pair(values: Floats, residual: Floats, freedom: int) -> Term | None:
    """The two features whose products explain most of what is left; None of too many columns.

    n times the sum of squared means of products of two features and a residual, each over its variance where that is
    above 1 (what is left can vary more where a feature is large), is compared with chi-squared of as many degrees of
    freedom as there are products.

    Parameters
    ----------
    values : array (n, p, r)
        Orthonormal columns of each feature.
    residual : array (n, s)
        What is left of the target, orthonormal.
    freedom : int
        Rows less what was fitted.
    """
    n, count, width = values.shape
    if not 2 <= count <= MOST_FOR_PAIRS:
        return None
    kept = min(width, _IN_PAIRS)
    flat = values[:, :, :kept].reshape(n, -1)
    squares = np.zeros((count * kept, count * kept))
    for column in residual.T:
        squares += _standardised(flat, flat, column)
    sums = freedom * squares.reshape(count, kept, count, kept).sum(axis=(1, 3))
    first, second = np.triu_indices(count, 1)
    best = int(np.argmax(sums[first, second]))
    pair = int(first[best]), int(second[best])
    log = chi2.logsf(sums[pair], kept**2 * residual.shape[1])
    return Term(pair, adjusted_log(log, len(first)))


def best_triple(values: Floats, residual: Floats, freedom: int) -> Term | None:
    """The three features whose product explains most of what is left; None of too many columns.

    Parameters
    ----------
    values, residual, freedom
        As in `best_pair`.
    """
    count = values.shape[1]
    if not 3 <= count <= MOST_FOR_TRIPLES:
        return None
    lines = values[:, :, 0]
    first, second = np.triu_indices(count, 1)
    products = lines[:, first] * lines[:, second]
    squares = np.zeros((len(first), count))
    for column in residual.T:
        squares += _standardised(products, lines, column)
    squares[np.arange(count) <= second[:, None]] = 0.0  # each triple once
    pair, third = np.unravel_index(int(np.argmax(squares)), squares.shape)
    log = chi2.logsf(freedom * squares[pair, third], residual.shape[1])
    triple = int(first[pair]), int(second[pair]), int(third)
    return Term(triple, adjusted_log(log, count * (count - 1) * (count - 2) // 6))


def _standardised(left: Floats, right: Floats, column: Floats) -> Floats:
    """Squared means of the products of each of two sets of columns with one, over their variance if that is above 1."""
    n = len(column)
    weighed = left * column[:, None]
    means = weighed.T @ right / n
    variances = (weighed**2).T @ right**2 / n - means**2
    found: Floats = means**2 / np.maximum(variances, 1.0)
    return found


def product_columns(values: Floats, features: tuple[int, ...]) -> Floats:
    """All products of the features of several columns, shape (n, products), as the searches take them."""
    kept = _IN_PAIRS if len(features) == 2 else _IN_TRIPLES
    found = np.ones((len(values), 1))
    for feature in features:
        own = values[:, feature, :kept]
        found = (found[:, :, None] * own[:, None, :]).reshape(len(values), -1)
    return found
