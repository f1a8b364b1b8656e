"""Linear combinations of subset entropies and their ratios: the form of every measure, with exact bounds.

An entropy that occurs twice is one number, not two intervals: coefficients are added up before bounds are taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shearer.data.arrays import to_float
from shearer.measures.entropies import Entropies, Subset
from shearer.spectrum import Estimate


@dataclass(frozen=True)
class Combination:
    """sum_S coefficient_S * S_alpha(A^S)."""

    terms: Mapping[Subset, float]

    @classmethod
    def of(cls, subset: Iterable[int], coefficient: float = 1.0) -> Combination:
        """One entropy."""
        return cls({frozenset(subset): coefficient})

    def __add__(self, other: Combination) -> Combination:
        """Add coefficients; one that cancels stays as 0, so that a sum of nothing still has a library and a graph."""
        return sum_of([self, other])

    def __mul__(self, factor: float) -> Combination:
        """Scale every coefficient."""
        return Combination({subset: factor * coefficient for subset, coefficient in self.terms.items()})

    def __sub__(self, other: Combination) -> Combination:
        """Subtract coefficients."""
        return self + other * -1.0

    def given(self, conditions: Subset) -> Combination:
        """Replace every S(A) by the conditional S(A | Z) = S(A, Z) - S(Z)."""
        if not conditions:
            return self
        shifted = sum_of(Combination.of(subset | conditions, c) for subset, c in self.terms.items())
        return shifted - Combination.of(conditions, math.fsum(self.terms.values()))

    def value(self, bits: Callable[[Subset], Any]) -> Any:
        """The sum of entropies that are plain numbers, arrays or tensors."""
        total: Any = None
        for subset, coefficient in self.terms.items():
            own = bits(subset)
            term = own if coefficient == 1 else -own if coefficient == -1 else coefficient * own
            total = term if total is None else total + term
        return 0.0 if total is None else total

    def evaluate(self, entropies: Entropies) -> Estimate:
        """The value, and the extreme values over all entropies within their bounds."""

        def build(tol: float | None) -> Estimate:
            known = _largest_first(self.terms, entropies, tol)
            return Estimate(
                self.value(lambda subset: known[subset].value),
                self._extreme(known, upper=False),
                self._extreme(known, upper=True),
                all(estimate.certified for estimate in known.values()),
                _routes(known.values()),
            )

        return entropies.meet(build, self.weight)

    @property
    def weight(self) -> float:
        """Sum of the coefficients' sizes."""
        return math.fsum(abs(coefficient) for coefficient in self.terms.values())

    def _extreme(self, known: Mapping[Subset, Estimate], *, upper: bool) -> float:
        return math.fsum(
            coefficient * (known[subset].upper if (coefficient > 0) == upper else known[subset].lower)
            for subset, coefficient in self.terms.items()
        )


def sum_of(combinations: Iterable[Combination]) -> Combination:
    """The sum of several combinations."""
    total: dict[Subset, float] = {}
    for combination in combinations:
        for subset, coefficient in combination.terms.items():
            total[subset] = total.get(subset, 0.0) + coefficient
    return Combination(total)


def ratio(numerator: Combination, denominator: Combination, entropies: Entropies) -> Estimate:
    """Numerator / denominator; 0 where there is no entropy to share (0/0).

    The bounds are the exact range of the quotient over all entropies within theirs, up to 1.
    """
    return entropies.meet(
        lambda tol: _quotient(numerator, denominator, entropies, tol), numerator.weight + denominator.weight
    )


def _quotient(numerator: Combination, denominator: Combination, entropies: Entropies, tol: float | None) -> Estimate:
    known = _largest_first({**numerator.terms, **denominator.terms}, entropies, tol)
    top, bottom = (side.value(lambda subset: known[subset].value) for side in (numerator, denominator))
    certified = all(estimate.certified for estimate in known.values())
    routes = _routes(known.values())
    if to_float(bottom) < -no_entropy(entropies.rows):
        return Estimate(math.nan * top, math.nan, math.nan, certified, routes)
    if to_float(bottom) <= no_entropy(entropies.rows):
        exact = denominator._extreme(known, upper=True) == 0.0  # constants: 0/0 is 0 by definition
        low, high = (0.0, 0.0) if exact else (-math.inf, 1.0)
        return Estimate(0.0 * top, low, high, certified, routes)
    lower, upper = (_ratio_extreme(numerator, denominator, known, upper=side) for side in (False, True))
    value = top / bottom
    # No normalised measure exceeds 1: an entropy never exceeds that of more variables (majorisation).
    return Estimate(value, min(lower, to_float(value)), max(min(upper, 1.0), to_float(value)), certified, routes)


def no_entropy(rows: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """Bits below which an entropy is the round-off of a spectrum of that many rows: -log2(eps) for each epsilon.

    In single precision it is more. Numbers of rows may be an array.
    """
    bits = 52 * rows * 2.0**-52
    return bits if dtype is None or dtype == np.float64 else np.maximum(bits, 2.0**-18)


def _ratio_extreme(
    numerator: Combination, denominator: Combination, known: Mapping[Subset, Estimate], *, upper: bool
) -> float:
    """Extreme of a quotient of linear functions over a box, by Dinkelbach's iteration.

    r is the largest value iff max over the box of (numerator - r denominator) = 0; the inner problem is linear.
    """
    if denominator._extreme(known, upper=False) <= 0:
        return math.inf if upper else -math.inf
    guess = numerator._extreme(known, upper=upper) / denominator._extreme(known, upper=not upper)
    for _ in range(50):  # each step is monotone and gains digits quadratically; a handful is enough
        slack = numerator - denominator * guess
        at = {
            subset: (estimate.upper if (slack.terms.get(subset, 0.0) > 0) == upper else estimate.lower)
            for subset, estimate in known.items()
        }
        improved = _at(numerator, at) / _at(denominator, at)
        if improved == guess:
            break
        guess = improved
    return guess


def _at(combination: Combination, values: Mapping[Subset, float]) -> float:
    return math.fsum(coefficient * values[subset] for subset, coefficient in combination.terms.items())


def _largest_first(subsets: Iterable[Subset], entropies: Entropies, tol: float | None) -> dict[Subset, Estimate]:
    """The entropies; those of most variables are the hardest, and what is refused is refused before the others."""
    return {subset: entropies(subset, tol) for subset in sorted(subsets, key=len, reverse=True)}


def _routes(estimates: Iterable[Estimate]) -> str:
    return " + ".join(sorted({estimate.route for estimate in estimates if estimate.route != "empty"}))
