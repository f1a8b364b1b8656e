"""Measures as functions of entropies, with their derivatives: what `shearer.measures` computes, in plain numbers.

Entropies come as a list: those of the single variables and, where there are several, that of all together. A measure is
a linear form of them, or a quotient of two forms that scale alike, the lower one known by its derivative (Euler).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from shearer._validate import value_error
from shearer.measures.combination import Combination
from shearer.measures.entropies import Subset
from shearer.measures.measure import Measure

Bits: TypeAlias = Sequence[float]
Weights: TypeAlias = list[float]
#: Entropies, and the bits below which one is round-off -> the value and its derivative in each entropy.
Formula: TypeAlias = Callable[[Bits, float], tuple[float, Weights]]


def formula_of(measure: Measure, normalize: Any) -> Formula:
    """A measure of the registry; with a derivative of 0 where there is no entropy to share.

    Examples
    --------
    >>> from shearer.measures.registry import MEASURES
    >>> formula_of(MEASURES["mutual_information"], "max")([1.0, 2.0, 2.5], 0.0)
    (0.25, [0.5, 0.375, -0.5])
    >>> formula_of(MEASURES["total_correlation"], True)([1.0, 1.0, 2.0, 3.0], 0.0)
    (0.5, [0.25, 0.25, 0.5, -0.5])
    """
    measure.check_form(normalize)

    def formula(bits: Bits, floor: float) -> tuple[float, Weights]:
        count = max(1, len(bits) - 1)
        places = _places(count)
        raw, ceiling = measure.parts(count, normalize)
        if not raw.terms.keys() <= places.keys():
            expected = "one made of the entropies of single variables and of all together"
            raise value_error("measure", expected, f"{measure.name} of {count} variables")

        def at(subset: Subset) -> float:
            return bits[places[subset]]

        top = _weights(raw, places)
        if ceiling is None:
            return float(raw.value(at)), top
        lower = ceiling.tangent(at, floor)
        size = lower.value(at)
        if size <= floor:
            return 0.0, [0.0] * len(bits)
        value = float(raw.value(at) / size)
        return value, [(t - value * b) / size for t, b in zip(top, _weights(lower, places), strict=True)]

    return formula


@lru_cache(maxsize=64)
def _places(count: int) -> dict[Subset, int]:
    """Where the entropy of a subset stands in the list."""
    places = {frozenset([index]): index for index in range(count)}
    return places | ({frozenset(range(count)): count} if count > 1 else {})


def _weights(combination: Combination, places: dict[Subset, int]) -> Weights:
    return [combination.terms.get(subset, 0.0) for subset in places]
