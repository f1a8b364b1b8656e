"""One p-value from several that depend on each other."""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shearer.pairs import limits

Floats = NDArray[np.float64]


def half_cauchy(pvalues: Any, weights: Any = None) -> Floats:
    """Combine dependent p-values along the last axis by the weighted mean of cot(pi p / 2).

    Under the null each term is half-Cauchy: its tail is so heavy that far out one small p-value decides, whatever the
    others and their dependence. The weighted mean of independent ones is close to the stable law of index 1 with
    skewness 1, shifted by 2/pi times the entropy of the weights. That of dependent ones is shifted less: at 5 % the
    level is then a little below (experiments/level.py).

    Parameters
    ----------
    pvalues : array-like
        The p-values; one that is nan does not count. 1 where none counts.
    weights : array-like, optional
        How much each counts, along the last axis; default: all alike.

    Examples
    --------
    >>> import numpy as np
    >>> float(half_cauchy([0.02]))
    0.02
    >>> 0.03 < float(half_cauchy([0.01, 0.5, 0.9])) < 0.04
    True
    >>> half_cauchy([[0.02, np.nan], [np.nan, np.nan]]).tolist()
    [0.02, 1.0]
    >>> bool(half_cauchy([0.01, 0.5], weights=[9, 1]) < half_cauchy([0.01, 0.5], weights=[1, 1]))
    True
    """
    p = np.asarray(pvalues, dtype=np.float64)
    share = np.where(np.isfinite(p), 1.0 if weights is None else np.asarray(weights, dtype=np.float64), 0.0)
    p = np.where(share > 0, np.clip(p, limits.SMALLEST_PVALUE, 1.0), 1.0)  # of which the cotangent is 0
    total = share.sum(axis=-1, keepdims=True)
    share = np.divide(share, total, out=np.zeros_like(share), where=total > 0)
    statistic = np.sum(share / np.tan(np.pi / 2 * p), axis=-1)
    entropy = special.entr(share).sum(axis=-1)
    shifted = statistic - (2.0 / np.pi) * (entropy + 1.0 - np.euler_gamma)
    tail = np.clip(_stable_tail(shifted), limits.SMALLEST_PVALUE, 1.0)
    combined: Floats = np.where(entropy > 0, tail, p.min(axis=-1))
    return combined


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
        # One place after the other: as a whole it would take more memory than what it serves.
        exponents = (np.minimum(log_v - np.pi / 2 * np.sinh(place), 700.0) for place in places)
        sums = np.array([np.sum(-np.expm1(-np.exp(exponent)) * slope) for exponent in exponents])
    return float(places[0]), float(step), np.log(sums * (u[1] - u[0]) / np.pi)
