"""One root of a function of one number, kept between two ends where the function has different signs.

Small on purpose: a library of optimisers takes longer to load than all the roots that are looked for here.
"""

import math
from collections.abc import Callable

# Bisection alone would be done after these many steps, whatever the ends.
_MOST_STEPS = 200


def bracketed_root(function: Callable[[float], float], low: float, high: float, xtol: float) -> float:
    """A root between `low` and `high`, to within `xtol` and the spacing of doubles.

    Inverse quadratic interpolation where the last three points allow it, else bisection (Chandrupatla 1997).

    Examples
    --------
    >>> round(bracketed_root(lambda x: x**3 - 2, 0.0, 2.0, 1e-12), 9)
    1.25992105
    """
    newest, other = float(high), float(low)
    value, other_value = function(newest), function(other)
    if value == 0.0:
        return newest
    if other_value == 0.0:
        return other
    if not min(value, other_value) < 0.0 < max(value, other_value):
        raise ValueError(f"no change of sign between {low!r} and {high!r}: {other_value!r}, {value!r}")
    share = 0.5
    for _ in range(_MOST_STEPS):
        point = newest + share * (other - newest)
        found = function(point)
        # Three points: the newest, the one before, and the other end of the bracket.
        if math.copysign(1.0, found) == math.copysign(1.0, value):
            before, before_value = newest, value
        else:
            before, before_value, other, other_value = other, other_value, newest, value
        newest, value = point, found
        best = newest if abs(value) < abs(other_value) else other
        nearest = (xtol / 2 + 2e-16 * abs(best)) / abs(other - newest) if other != newest else 1.0
        if nearest > 0.5 or value == 0.0:
            return newest if value == 0.0 else best
        share = min(max(_interpolated(newest, other, before, value, other_value, before_value), nearest), 1.0 - nearest)
    return best


def _interpolated(newest: float, other: float, before: float, value: float, beyond: float, behind: float) -> float:
    """Where on the way from `newest` to `other` the root is expected; the middle where three points do not tell."""
    if behind == beyond:
        return 0.5
    place, level = (newest - other) / (before - other), (value - beyond) / (behind - beyond)
    if not (level**2 < place and (1.0 - level) ** 2 < 1.0 - place):
        return 0.5
    toward = value / (beyond - value) * behind / (beyond - behind)
    return toward + (before - newest) / (other - newest) * value / (behind - value) * beyond / (behind - beyond)
