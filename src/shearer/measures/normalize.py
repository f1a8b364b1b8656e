"""Normalisations: what a measure is divided by, written once for estimates with bounds, for arrays and for gradients.

A ceiling is made of subset entropies and grows in proportion with them. `FORMS` holds those that a measure can offer:
a new one is a line there and its name in `shearer.measures.registry`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self, TypeAlias

import numpy as np

from shearer.measures.combination import Combination, ratio, sum_of
from shearer.measures.cover import Cover
from shearer.measures.entropies import Entropies, Subset
from shearer.spectrum import Estimate

#: Entropies of subsets as plain numbers or as arrays.
Bits: TypeAlias = Callable[[Subset], Any]


@dataclass(frozen=True)
class Ceiling(ABC):
    """What a measure is divided by.

    Attributes
    ----------
    parts : tuple of Combination
        What it is made of.
    """

    parts: tuple[Combination, ...]

    def given(self, conditions: Subset) -> Self:
        """The same of conditional entropies."""
        return replace(self, parts=tuple(part.given(conditions) for part in self.parts))

    @abstractmethod
    def divide(self, raw: Combination, entropies: Entropies) -> Estimate:
        """Raw / ceiling, with bounds."""

    @abstractmethod
    def values(self, bits: Bits, floor: Any) -> Any:
        """The ceiling for numbers or, element by element, for arrays; entropies up to `floor` are round-off."""

    @abstractmethod
    def tangent(self, bits: Bits, floor: float) -> Combination:
        """The combination with the value and the derivative of the ceiling at these numbers (Euler)."""


class Linear(Ceiling):
    """One combination."""

    def divide(self, raw: Combination, entropies: Entropies) -> Estimate:
        """The quotient."""
        return ratio(raw, self.parts[0], entropies)

    def values(self, bits: Bits, _floor: Any) -> Any:
        """The combination."""
        return self.parts[0].value(bits)

    def tangent(self, _bits: Bits, _floor: float) -> Combination:
        """Itself."""
        return self.parts[0]


@dataclass(frozen=True)
class Extreme(Ceiling):
    """The largest of the parts, or the smallest."""

    largest: bool

    def divide(self, raw: Combination, entropies: Entropies) -> Estimate:
        """Bounds cover every part that could be the one."""
        raw.evaluate(entropies)  # the joint first: if it is refused, the others need not be computed
        sizes = [part.evaluate(entropies) for part in self.parts]
        chosen = (max if self.largest else min)(sizes, key=float)
        possible = [
            part
            for part, size in zip(self.parts, sizes, strict=True)
            if size.lower <= chosen.upper and size.upper >= chosen.lower
        ]
        quotients = [ratio(raw, part, entropies) for part in possible]
        best = ratio(raw, self.parts[sizes.index(chosen)], entropies)
        lower, upper = min(q.lower for q in quotients), max(q.upper for q in quotients)
        return Estimate(best.value, min(lower, best.lower), max(upper, best.upper), best.certified, best.route)

    def values(self, bits: Bits, _floor: Any) -> Any:
        """Element by element."""
        return reduce(np.maximum if self.largest else np.minimum, (part.value(bits) for part in self.parts))

    def tangent(self, bits: Bits, _floor: float) -> Combination:
        """The first of the parts that is the one."""
        return (max if self.largest else min)(self.parts, key=lambda part: float(part.value(bits)))


class Rest(Ceiling):
    """The first part less the largest of the others."""

    @property
    def _largest(self) -> Extreme:
        return Extreme(self.parts[1:], largest=True)

    def divide(self, raw: Combination, entropies: Entropies) -> Estimate:
        """By the smallest of the differences."""
        differences = tuple(self.parts[0] - part for part in self.parts[1:])
        return Extreme(differences, largest=False).divide(raw, entropies)

    def values(self, bits: Bits, floor: Any) -> Any:
        """Element by element."""
        return self.parts[0].value(bits) - self._largest.values(bits, floor)

    def tangent(self, bits: Bits, floor: float) -> Combination:
        """The difference with the first of the largest."""
        return self.parts[0] - self._largest.tangent(bits, floor)


class GeometricMean(Ceiling):
    """The square root of the product of two parts; 0 where either is round-off."""

    def divide(self, raw: Combination, entropies: Entropies) -> Estimate:
        """The geometric mean of the two quotients, which share their sign."""
        first, second = (ratio(raw, part, entropies) for part in self.parts)
        if not float(first) * float(second):
            return first if not float(first) else second
        # Written with the quotients' quotient, so that derivatives at small values stay finite.
        value = first.value * (second.value / first.value) ** 0.5
        lower, upper = _signed_mean(first.lower, second.lower), _signed_mean(first.upper, second.upper)
        return Estimate(value, lower, upper, first.certified, first.route)

    def values(self, bits: Bits, floor: Any) -> Any:
        """Element by element."""
        first, second = (part.value(bits) for part in self.parts)
        root = np.sqrt(np.maximum(first * second, 0.0))
        return np.where(np.minimum(first, second) <= floor, 0.0, root)

    def tangent(self, bits: Bits, floor: float) -> Combination:
        """Nothing where the derivative of the root would be infinite."""
        first, second = (float(part.value(bits)) for part in self.parts)
        if min(first, second) <= floor:
            return Combination({})
        slope = 0.5 * math.sqrt(second / first)
        return self.parts[0] * slope + self.parts[1] * (0.25 / slope)


#: From the positions of the variables to the ceiling of a measure of them.
Form: TypeAlias = Callable[[Sequence[int]], Ceiling]


def _singles(variables: Sequence[int]) -> tuple[Combination, ...]:
    return tuple(Combination.of([i]) for i in variables)


#: Normalisations by name; S(A^i) are the entropies of the single variables, S(A^[L]) that of all together.
FORMS: dict[str, Form] = {
    # max S(A^i)
    "max": lambda v: Extreme(_singles(v), largest=True),
    # min S(A^i)
    "min": lambda v: Extreme(_singles(v), largest=False),
    # the joint entropy S(A^[L])
    "joint": lambda v: Linear((Combination.of(v),)),
    # the arithmetic mean of the S(A^i)
    "mean": lambda v: Linear((sum_of(_singles(v)) * (1.0 / len(v)),)),
    # the geometric mean of two S(A^i)
    "sqrt": lambda v: GeometricMean(_singles(v)),
    # sum S(A^i) - max S(A^i)
    "rest": lambda v: Rest((sum_of(_singles(v)), *_singles(v))),
}


def offered(default: str, *names: str) -> dict[bool | str, Form]:
    """What True stands for, and the forms that can be asked for by name."""
    return {True: FORMS[default], **{name: FORMS[name] for name in names}}


def of_cover(cover: Cover) -> dict[bool | str, Form]:
    """For the gap of a cover: its best bound, or the joint's share."""
    subsets = tuple(Combination.of(subset) for subset in cover.weights)

    def marginal(_variables: Sequence[int]) -> Ceiling:
        return Rest((cover.average, *subsets))

    def joint(_variables: Sequence[int]) -> Ceiling:
        return Linear((cover.joint_ceiling(),))

    return {True: marginal, "marginal": marginal, "joint": joint}


def options_of(forms: Mapping[bool | str, Form]) -> tuple[bool | str, ...]:
    """All that `normalize=` may be."""
    return (True, False, *(name for name in forms if name is not True)) if forms else (False,)


def quotient(top: Any, bottom: Any, floor: Any) -> Any:
    """Top / bottom; 0 where there is no entropy to share, nan where the denominator is negative.

    Examples
    --------
    >>> import numpy as np
    >>> quotient(np.array([1.0, 0.0, 1.0]), np.array([2.0, 0.0, -1.0]), 1e-15)
    array([0.5, 0. , nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.true_divide(top, bottom)
    small = bottom <= floor
    if np.any(small):
        ratio = np.where(small & ~np.isnan(top), np.where(bottom < -floor, np.nan, 0.0), ratio)
    return ratio


def _signed_mean(first: float, second: float) -> float:
    return math.copysign(math.sqrt(abs(first) * abs(second)), first)
