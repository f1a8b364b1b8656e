"""Rényi's entropy of a spectrum, in bits, with bounds and safe derivatives (paper Eq. renyi_entropy).

Close to alpha = 1 the sum of powers is close to 1 and its logarithm is divided by a small number. There the entropy is
taken from ``tau(l) = -l expm1((alpha - 1) ln l) / (alpha - 1)``, which at alpha = 1 is ``-l ln l``:
``S = log1p((1 - alpha) sum tau) / ((1 - alpha) ln 2)``, exact to round-off for every alpha in that range.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shearer.data.arrays import Array, detach, epsilon, namespace, to_float, to_numpy

# Inside, tau is used: outside, the power sum is not amplified by more than a factor of ten.
_NEAR_ONE = 0.1
_SMALLEST = float(np.finfo(np.float64).tiny)


def near_one(alpha: float) -> bool:
    """True where the entropy is taken from `tau` instead of from the power sum."""
    return abs(alpha - 1.0) < _NEAR_ONE


def entropy(eigenvalues: Array, alpha: float) -> Array:
    """Entropy in bits of a spectrum; round-off below 0 is cut away and the rest scaled to sum 1."""
    xp = namespace(eigenvalues)
    positive = _where_positive(eigenvalues, eigenvalues)
    mass = xp.sum(positive)
    if math.isinf(alpha):
        return xp.log2(mass) - xp.log2(xp.max(positive))
    floor = rank_tolerance(eigenvalues)
    if alpha == 0:
        return xp.log2(xp.sum(xp.astype(detach(eigenvalues) > floor, eigenvalues.dtype)))
    if near_one(alpha):
        # of l/mass; d(tau)/dl is finite above the floor, held at the floor below it
        total = xp.sum(_floored(eigenvalues / mass, floor, lambda x: tau(x, alpha), _tau_slope(floor, alpha)))
        return bits_of_tau(total, alpha)
    # Relative to the largest eigenvalue, so that high powers of small numbers do not vanish.
    largest = xp.max(detach(eigenvalues))
    relative = floor / to_float(largest)
    slope = alpha * math.pow(relative, alpha - 1.0)
    powers = xp.sum(_floored(eigenvalues / largest, relative, lambda x: x**alpha, slope))
    return bits_of_power_sum(powers, alpha) + (alpha / (1.0 - alpha)) * (xp.log2(largest) - xp.log2(mass))


def rank_tolerance(eigenvalues: Array) -> float:
    """Below n epsilon times the largest, an eigenvalue is not told from 0."""
    largest = float(np.max(to_numpy(eigenvalues)))
    return max(int(eigenvalues.shape[0]) * epsilon(eigenvalues) * largest, float(np.finfo(np.float64).tiny))


def bits_of_power_sum(power_sum: Array, alpha: float) -> Array:
    """S = log2(tr A^alpha) / (1 - alpha)."""
    return namespace(power_sum).log2(power_sum) / (1.0 - alpha)


def bits_of_tau(total: Array, alpha: float) -> Array:
    """S from the sum of tau; increasing in it for every alpha."""
    if alpha == 1.0:
        return total / math.log(2.0)
    return namespace(total).log1p((1.0 - alpha) * total) / ((1.0 - alpha) * math.log(2.0))


def tau(eigenvalues: Array, alpha: float) -> Array:
    """``-l ln l`` and its neighbours: concave, 0 at 0 and at 1. Needs l > 0."""
    xp = namespace(eigenvalues)
    logs = xp.log(eigenvalues)
    if alpha == 1.0:
        return -eigenvalues * logs
    return -eigenvalues * xp.expm1((alpha - 1.0) * logs) / (alpha - 1.0)


def _tau_slope(x: float, alpha: float) -> float:
    if alpha == 1.0:
        return -math.log(x) - 1.0
    return (1.0 - alpha * math.pow(x, alpha - 1.0)) / (alpha - 1.0)


def _floored(x: Array, floor: float, function: Callable[[Array], Array], slope: float) -> Array:
    """function(x) in value, with the derivative held at its value at the floor for smaller arguments.

    On the null space the derivative of x**alpha is infinite for alpha < 1. Through the data it is 0 there for
    alpha > 1/2; holding it finite makes the product come out so instead of as nan.
    """
    xp = namespace(x)
    above = detach(x) > floor
    inside = function(xp.where(above, x, xp.ones_like(x)))
    fixed = detach(x)
    small = _where_positive(fixed, function(xp.where(fixed > 0, fixed, xp.ones_like(fixed))))
    return xp.where(above, inside, small + slope * (x - fixed))


def _where_positive(x: Array, values: Array) -> Array:
    xp = namespace(x)
    return xp.where(detach(x) > 0, values, xp.zeros_like(values))


def bounds(eigenvalues: Array, error: float, alpha: float) -> tuple[float, float]:
    """Smallest and largest entropy of any spectrum of trace 1 within `error` of each eigenvalue."""
    values = to_numpy(eigenvalues).astype(np.float64)
    low, high = np.clip(values - error, 0.0, 1.0), np.clip(values + error, 0.0, 1.0)
    largest = float(np.log2(len(values)))
    if math.isinf(alpha):
        return -math.log2(high.max()), min(largest, -math.log2(max(low.max(), 1.0 / len(values))))
    if alpha == 0:  # a rank can be certified from below only
        return math.log2(max(1, int((low > 0).sum()))), largest
    if near_one(alpha):
        flat = len(values) * float(tau_or_zero(np.array(1.0 / len(values)), alpha))
        smallest = np.minimum(tau_or_zero(low, alpha), tau_or_zero(high, alpha))
        totals = [float(np.sum(smallest)), min(flat, largest_tau(values, error, alpha))]
        lower, upper = (float(bits_of_tau(np.float64(total), alpha)) for total in totals)
    else:
        lower, upper = sorted(_bits_of_powers(end, alpha) for end in (low, high))
    return max(0.0, lower), min(largest, upper)


def _bits_of_powers(values: NDArray[np.float64], alpha: float) -> float:
    """log2 of the sum of powers over 1 - alpha; relative to the largest, so that high powers do not vanish."""
    scale = float(values.max())
    if scale == 0.0:
        return math.copysign(math.inf, alpha - 1.0)
    total = np.sum((values[values > 0] / scale) ** alpha)
    return float(bits_of_power_sum(total, alpha)) + alpha / (1.0 - alpha) * math.log2(scale)


def largest_tau(values: NDArray[np.float64], error: float, alpha: float) -> float:
    """The largest sum of tau over numbers within `error` of the given ones."""
    low, high = np.clip(values - error, 0.0, 1.0), np.clip(values + error, 0.0, 1.0)
    peak = math.exp(-1.0) if alpha == 1.0 else max(alpha ** (1.0 / (1.0 - alpha)), _SMALLEST)
    ends = np.maximum(tau_or_zero(low, alpha), tau_or_zero(high, alpha))
    return float(np.sum(np.where((low < peak) & (high > peak), tau_or_zero(np.array(peak), alpha), ends)))


def tau_or_zero(x: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """`tau`, with its value 0 at 0."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, tau(safe, alpha), 0.0)
