"""p-values from ranks, ties included, and control over many tests."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option, describe, value_error

Floats = NDArray[np.float64]

# Values this close, relative to the larger, are ties: the same rearrangement summed in another order.
TIE = 1e-10
METHODS = ("holm", "bh", "by")


def count_as_large(null: Floats, observed: float) -> int:
    """How many values are at least the observed one, ties included."""
    return int(np.sum(null >= observed - TIE * max(abs(observed), 1e-300)))


def rank_pvalue(null: Any, observed: float) -> float:
    """(1 + number of values at least as large) / (1 + number of values); never 0.

    Valid at every level when the values come from random rearrangements that leave the null law unchanged.

    Examples
    --------
    >>> rank_pvalue([0.1, 0.4, 0.2], observed=0.3)
    0.5
    >>> rank_pvalue([1.0, 1.0, 1.0], observed=1.0)  # ties count
    1.0
    """
    values = np.asarray(null, dtype=np.float64)
    return (1 + count_as_large(values, observed)) / (1 + len(values))


def exact_pvalue(everything: Any, observed: float) -> float:
    """Share of all rearrangements, the observed one among them, that are at least as large.

    Examples
    --------
    >>> exact_pvalue([0.3, 0.1, 0.2, 0.3], observed=0.3)
    0.5
    """
    values = np.asarray(everything, dtype=np.float64)
    return count_as_large(values, observed) / len(values)


def sequential_pvalue(
    draw: Callable[[int], Floats], observed: float, most: int, exceedances: int
) -> tuple[float, Floats]:
    """Draw until `exceedances` values are as large as the observed one, or `most` are drawn (Besag and Clifford 1991).

    The p-value is exceedances / draws if stopped, else (1 + count) / (1 + most): valid at every level, and large
    p-values take few draws.

    Parameters
    ----------
    draw : callable
        Returns that many values under the null.
    observed : float
        The statistic.
    most : int
        Largest number of draws.
    exceedances : int
        Number of values as large as the observed one after which to stop.

    Returns
    -------
    pvalue : float
    null : array
        The values that count.
    """
    null: Floats = np.empty(0)
    while len(null) < most:
        null = np.concatenate([null, draw(min(max(2 * exceedances, len(null)), most - len(null)))])
        large = np.flatnonzero(null >= observed - TIE * max(abs(observed), 1e-300))
        if len(large) >= exceedances:
            null = null[: large[exceedances - 1] + 1]
            return exceedances / len(null), null
    return rank_pvalue(null, observed), null


def adjusted_pvalues(pvalues: Any, method: str = "bh", *, weights: Any = None) -> Floats:
    """Adjusted p-values of many tests, in the order given.

    Parameters
    ----------
    pvalues : array-like
        Of any shape.
    method : {"bh", "by", "holm"}
        Benjamini-Hochberg (false discovery rate, independent or positively dependent tests), Benjamini-Yekutieli (any
        dependence), Holm (any false rejection at all).
    weights : array-like, optional
        Of the shape of `pvalues`, positive: how much of the allowed error each test may use up against the others
        (Genovese, Roeder and Wasserman 2006; Holm 1979). Chosen without looking at the p-values.

    Examples
    --------
    >>> adjusted_pvalues([0.01, 0.04, 0.03], "bh").tolist()
    [0.03, 0.04, 0.04]
    >>> adjusted_pvalues([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    check_option("method", method, METHODS)
    p = np.asarray(pvalues, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():  # nan is neither
        raise value_error("pvalues", "numbers from 0 to 1", describe(p))
    normal = np.ones_like(p) if weights is None else _check_weights(weights, p)
    p = p / normal
    order = np.argsort(p, axis=None, kind="stable")
    ranked = p.ravel()[order]
    count = len(ranked)
    if method == "holm":
        left = np.cumsum(normal.ravel()[order][::-1])[::-1]  # of the error that those not yet rejected may use up
        adjusted = np.maximum.accumulate(ranked * left)
    else:
        factor = float(np.sum(1.0 / np.arange(1, count + 1))) if method == "by" else 1.0
        scaled = ranked * factor * count / np.arange(1, count + 1)
        adjusted = np.minimum.accumulate(scaled[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(adjusted, 1.0)
    return result.reshape(p.shape)


def _check_weights(weights: Any, pvalues: Floats) -> Floats:
    """Weights with mean 1."""
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != pvalues.shape or not (np.isfinite(w) & (w > 0)).all():
        raise value_error("weights", f"positive numbers of shape {pvalues.shape}", describe(weights))
    return w / w.mean() if w.size else w
