"""The only p-value arithmetic: ranks with ties, exact tails, combinations, and control over many tests."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

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


def pearson3_tail(z: Any, skewness: Any) -> Floats:
    """Upper tail of the Pearson type III law of mean 0, variance 1 and the given skewness.

    Examples
    --------
    >>> float(pearson3_tail(0.0, 0.0))
    0.5
    >>> round(float(pearson3_tail(2.0, 2.0)), 6)  # an exponential variable less its mean
    0.049787
    """
    z, skewness = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(skewness, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shape = 4.0 / skewness**2
        at = np.maximum(shape + np.copysign(np.sqrt(shape), skewness) * z, 0.0)
    # Beyond this shape the gamma law is normal to a dozen digits and its series lose some.
    normal = shape > 1e8
    parts = ((special.gammaincc, ~normal & (skewness > 0)), (special.gammainc, ~normal & (skewness <= 0)))
    tail = np.full(z.shape, np.nan)
    tail[normal] = special.ndtr(-z[normal])
    for function, part in parts:
        tail[part] = function(shape[part], at[part])
    return tail


def upper_tail(z: Any, skewness: Any) -> Floats:
    """Upper tail of a statistic of which three moments over all permutations are known, in deviations from the mean.

    A Pearson type III law of negative skewness ends 2 / |skewness| deviations above its mean, and the values of a
    statistic go on: there the normal law, whose tail is longer, stands in.

    Examples
    --------
    >>> float(upper_tail(2.5, -1.0)) == float(upper_tail(2.5, 0.0)) > float(pearson3_tail(2.5, -1.0))
    True
    """
    return pearson3_tail(z, np.maximum(skewness, 0.0))


def half_cauchy(pvalues: Any, valid: Any = None) -> Floats:
    """Combine dependent p-values along the last axis by the mean of cot(pi p / 2).

    Under the null each term is half-Cauchy: its tail is so heavy that one small p-value decides, whatever the others
    and their dependence. The sum of m independent ones is close to the stable law of index 1 with skewness 1.

    Parameters
    ----------
    pvalues : array-like
        The p-values.
    valid : array-like of bool, optional
        Which of them count, of the same shape; default: all. 1 where none does.

    Examples
    --------
    >>> float(half_cauchy([0.02]))
    0.02
    >>> 0.03 < float(half_cauchy([0.01, 0.5, 0.9])) < 0.04
    True
    >>> half_cauchy([[0.02, 0.3], [0.02, 0.3]], [[True, False], [False, False]]).tolist()
    [0.02, 1.0]
    """
    p = np.asarray(pvalues, dtype=np.float64)
    counted = np.ones(p.shape, dtype=bool) if valid is None else np.asarray(valid, dtype=bool)
    p = np.where(counted, np.clip(p, 1e-300, 1.0), 1.0)  # of which the cotangent is 0
    count = np.maximum(np.sum(counted, axis=-1, dtype=np.float64), 1.0)
    statistic = np.sum(1.0 / np.tan(np.pi / 2 * p), axis=-1) / count
    shifted = statistic - (2.0 / np.pi) * (np.log(count) + 1.0 - np.euler_gamma)
    combined: Floats = np.where(count > 1, np.clip(_stable_tail(shifted), 1e-300, 1.0), p.min(axis=-1))
    return combined


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


def _stable_tail(x: Any) -> Floats:
    """Upper tail of the stable law of index 1, skewness 1, scale 1, location 0: a table, and its expansion beyond.

    For large x the tail is 2/(pi x) + (2/pi)^2 (ln x + c) / x^2; c is matched to the end of the table.
    """
    low, step, logs = _stable_table()
    shape = np.shape(x)
    x = np.asarray(x, dtype=np.float64).reshape(-1)
    place = np.clip((np.arcsinh(x) - low) / step, 0.0, len(logs) - 1.000001)
    cell = place.astype(np.intp)
    place -= cell
    tail: Floats = np.exp((1.0 - place) * logs[cell] + place * logs[cell + 1])
    end, rate = math.sinh(low + step * (len(logs) - 1)), 2.0 / np.pi
    matched = (math.exp(logs[-1]) - rate / end) * (end / rate) ** 2 - math.log(end)
    beyond = x > end
    far = x[beyond]
    tail[beyond] = rate / far * (1.0 + rate * (np.log(far) + matched) / far)
    return tail.reshape(shape)


@cache
def _stable_table() -> tuple[float, float, Floats]:
    """Logarithms of the tail at equal steps of arcsinh(x), with the first of these and the step.

    1 - F(x) = (1/pi) int (1 - exp(-exp(-pi x / 2) V(t))) dt over (-pi/2, pi/2) (Zolotarev; Nolan 1997, beta = 1).
    """
    places, step = np.linspace(np.arcsinh(-4.0), np.arcsinh(30.0), 800, retstep=True)
    # t = pi/2 - gap with gap = pi / (1 + exp(2 u)): the trapezoidal rule in u sees both ends, where V is extreme.
    u = np.linspace(-18.0, 18.0, 4801)
    gap = np.pi * special.expit(-2.0 * u)
    slope = 2.0 * gap * special.expit(2.0 * u)
    with np.errstate(over="ignore", divide="ignore"):
        log_v = np.log(2 / np.pi * (np.pi - gap)) - np.log(np.sin(gap)) + (np.pi - gap) / np.tan(gap)
        inner = -np.expm1(-np.exp(np.minimum(log_v[None, :] - np.pi / 2 * np.sinh(places)[:, None], 700.0)))
    return float(places[0]), float(step), np.log(np.sum(inner * slope, axis=1) * (u[1] - u[0]) / np.pi)
