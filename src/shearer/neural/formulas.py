"""Measures as functions of entropies, with their derivatives: what `shearer.measures` computes, in plain numbers.

Entropies come as a list: those of the single variables and, where there are several, that of all together. A measure is
a linear form of them, or a quotient of two forms that scale alike, the lower one known by its derivative (Euler).
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Bits: TypeAlias = Sequence[float]
Weights: TypeAlias = list[float]
#: Entropies, and the bits below which one is round-off -> the value and its derivative in each entropy.
Formula: TypeAlias = Callable[[Bits, float], tuple[float, Weights]]


def entropy(bits: Bits, _floor: float) -> tuple[float, Weights]:
    """S of a single variable."""
    return bits[0], [1.0]


def mutual_information(normalize: bool | str) -> Formula:
    """I in bits (False), over the larger entropy (True, "max"), the smaller, the joint, or a mean of the two.

    Examples
    --------
    >>> mutual_information("max")([1.0, 2.0, 2.5], 0.0)
    (0.25, [0.5, 0.375, -0.5])
    """

    def lower(bits: Bits, floor: float) -> Weights:
        x, y, _ = bits
        if normalize == "joint":
            return [0.0, 0.0, 1.0]
        if normalize == "mean":
            return [0.5, 0.5, 0.0]
        if normalize == "sqrt":
            # the derivative of a root is infinite at 0
            return [0.5 * math.sqrt(y / x), 0.5 * math.sqrt(x / y), 0.0] if min(x, y) > floor else [0.0] * 3
        first = (x < y) == (normalize == "min")
        return [1.0, 0.0, 0.0] if first else [0.0, 1.0, 0.0]

    return total_correlation(False) if normalize is False else _quotient(lower)


def total_correlation(normalize: bool) -> Formula:
    """T in bits, or T* (paper Eq. NTC_renyi).

    Examples
    --------
    >>> total_correlation(True)([1.0, 1.0, 2.0, 3.0], 0.0)
    (0.5, [0.25, 0.25, 0.5, -0.5])
    """

    def lower(bits: Bits, _floor: float) -> Weights:
        single = bits[:-1]
        weights = [1.0] * len(single)
        weights[max(range(len(single)), key=single.__getitem__)] = 0.0
        return [*weights, 0.0]

    def raw(bits: Bits, _floor: float) -> tuple[float, Weights]:
        weights = _raw_weights(bits)
        return _sum(weights, bits), weights

    return _quotient(lower) if normalize else raw


def _quotient(lower: Callable[[Bits, float], Weights]) -> Formula:
    """T over a form that scales like it; 0, with a derivative of 0, where there is no entropy to share."""

    def formula(bits: Bits, floor: float) -> tuple[float, Weights]:
        top, bottom = _raw_weights(bits), lower(bits, floor)
        size = _sum(bottom, bits)
        if size <= floor:
            return 0.0, [0.0] * len(bits)
        value = _sum(top, bits) / size
        return value, [(t - value * b) / size for t, b in zip(top, bottom, strict=True)]

    return formula


def _raw_weights(bits: Bits) -> Weights:
    return [*[1.0] * (len(bits) - 1), -1.0]


def _sum(weights: Weights, bits: Bits) -> float:
    return math.fsum(w * b for w, b in zip(weights, bits, strict=True))
