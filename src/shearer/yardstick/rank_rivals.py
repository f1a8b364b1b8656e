"""Tests by ranks and moments of two columns of numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.inference.pvalue import rank_pvalue

Floats = NDArray[np.float64]
RESAMPLES = 199


def pearson_pvalue(x: Any, y: Any) -> float:
    """Pearson's correlation against t with n - 2 degrees of freedom; 1 where either is constant."""
    return _or_one("pearsonr", x, y)


def spearman_pvalue(x: Any, y: Any) -> float:
    """Spearman's correlation as scipy tests it; 1 where either is constant."""
    return _or_one("spearmanr", x, y)


def _or_one(name: str, x: Any, y: Any) -> float:
    from scipy import stats

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 1.0
    return float(getattr(stats, name)(x, y).pvalue)


def xi_pvalue(x: Any, y: Any) -> float:
    """Chatterjee's xi of y as a function of x, as scipy tests it: by its asymptotic law with ties."""
    from scipy import stats

    return 1.0 if np.ptp(x) == 0 or np.ptp(y) == 0 else float(stats.chatterjeexi(x, y).pvalue)


def xi_both_pvalue(x: Any, y: Any) -> float:
    """The smaller p-value of both directions, doubled."""
    return min(1.0, 2 * min(xi_pvalue(x, y), xi_pvalue(y, x)))


def hoeffding_d(x: Any, y: Any) -> float:
    """Hoeffding's D (1948, "A non-parametric test of independence"), times 30: at most 1.

    With ties a row counts half of those equal to it in one column and a quarter of those equal in both, as Hollander
    and Wolfe do.

    Examples
    --------
    >>> import numpy as np
    >>> round(hoeffding_d(np.arange(9.0), np.arange(9.0) ** 3), 3)
    1.0
    """
    below = [_below(np.asarray(column, dtype=float)) for column in (x, y)]
    return _hoeffding(below[0], below[1])


def hoeffding_pvalue(x: Any, y: Any, rng: int = 0) -> float:
    """Hoeffding's D by permutation: its asymptotic law supposes no ties."""
    left, right = (_below(np.asarray(column, dtype=float)) for column in (x, y))
    g = np.random.default_rng(rng)
    null = []
    for _ in range(RESAMPLES):
        order = g.permutation(len(left))
        null.append(_hoeffding(left, right[np.ix_(order, order)]))
    return rank_pvalue(null, _hoeffding(left, right))


def _below(x: Floats) -> Floats:
    """How far column j counts as below row i: 1, 1/2 where they are equal, 0."""
    found: Floats = (x[None, :] < x[:, None]) + 0.5 * (x[None, :] == x[:, None])
    np.fill_diagonal(found, 0.0)
    return found


def _hoeffding(left: Floats, right: Floats) -> float:
    n = len(left)
    # Ranks from 0 in x, in y, and in both.
    r, s, q = left.sum(axis=1), right.sum(axis=1), np.einsum("ij,ij->i", left, right)
    first = np.sum(q * (q - 1))
    second = np.sum(r * (r - 1) * s * (s - 1))
    third = np.sum((r - 1) * (s - 1) * q)
    total = (n - 2) * (n - 3) * first + second - 2 * (n - 2) * third
    return float(30 * total / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4)))
