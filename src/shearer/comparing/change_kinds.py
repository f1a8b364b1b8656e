"""In which way a dependence has changed, and by how much."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

#: Kinds of change. "strength" and the last two are of any number of groups, the others of two.
KINDS = ("appears", "vanishes", "strengthens", "weakens", "strength", "sign", "shape")
# Deviations from 0 that a correlation must have to have a sign.
_CLEAR = 2.6


class Side(NamedTuple):
    """A pair in one group: strength and its interval, whether a dependence was found, correlation and its error."""

    strength: float
    low: float
    high: float
    dependent: bool
    correlation: float = math.nan
    error: float = math.nan

    @property
    def sign(self) -> int:
        """1 or -1 where the correlation of normal scores is clearly not 0."""
        if not self.error > 0 or not abs(self.correlation) > _CLEAR * self.error:
            return 0
        return 1 if self.correlation > 0 else -1


def difference(first: Side, second: Side) -> tuple[float, float, float]:
    """Strength in the second group less that in the first, and its 95 % interval.

    From the ends of the two intervals (Zou and Donner 2008): distances of independent estimates add as squares do.

    Examples
    --------
    >>> found = difference(Side(0.8, 0.7, 0.9, True), Side(0.3, 0.1, 0.5, True))
    >>> [round(value, 2) for value in found]
    [-0.5, -0.72, -0.28]
    """
    gap = second.strength - first.strength
    low = gap - math.hypot(second.strength - second.low, first.high - first.strength)
    high = gap + math.hypot(second.high - second.strength, first.strength - first.low)
    return gap, max(low, -1.0), min(high, 1.0)


def kind_of_change(sides: Sequence[Side]) -> str:
    """What happened to a pair that differs between groups.

    Examples
    --------
    >>> strong, weak, none = Side(0.8, 0.7, 0.9, True), Side(0.3, 0.2, 0.4, True), Side(0.0, 0.0, 0.1, False)
    >>> kind_of_change([strong, weak]), kind_of_change([none, strong]), kind_of_change([strong, strong])
    ('weakens', 'appears', 'shape')
    """
    if {1, -1} <= {side.sign for side in sides}:
        return "sign"
    if len(sides) == 2:
        first, second = sides
        if first.dependent != second.dependent:
            return "appears" if second.dependent else "vanishes"
        _, low, high = difference(first, second)
        if low > 0:
            return "strengthens"
        return "weakens" if high < 0 else "shape"
    gaps = [difference(*two) for two in combinations(sides, 2)]
    return "strength" if any(low > 0 or high < 0 for _, low, high in gaps) else "shape"
