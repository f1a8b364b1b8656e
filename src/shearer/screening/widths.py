"""Widths of many variables: medians of scalar columns at once, and the ladder of one variable."""

import math
from bisect import insort
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.kernels.width_rules import decay_goals, mean_decay, widths_of_distances

Values = NDArray[np.float64]

# Up to this many rows selecting among all differences beats one bisection after the other.
MOST_ROWS = 200
# Columns at a time: their differences, 160 MB for 1000 columns of 200 rows, are never all in memory.
_CHUNK = 64
# Every fourth order statistic brackets the median of all differences within this share of their number.
_THINNING, _MARGIN = 4, 0.03
# Steps of the log width after which interpolation, or else bisection, is close enough; and the most looks for a width.
_CLOSE, _CLOSEST, _MOST_LOOKS = 1e-7, 1e-13, 100
# A mean similarity so close to 1 says little about the width, in digits.
_NEARLY_ONE = 1 - 1e-6


def medians(columns: Values) -> Values:
    """Median of the non-zero differences of each row of `columns` (variables x observations); 1 if there are none.

    The same numbers as `kernels.bandwidth.median` gives one by one.

    Examples
    --------
    >>> import numpy as np
    >>> medians(np.array([[0.0, 0.0, 1.0, 5.0], [7.0, 7.0, 7.0, 7.0]]))  # differences 1, 1, 4, 5, 5
    array([4., 1.])
    """
    ordered = np.sort(columns, axis=1)
    chunks = [ordered[start : start + _CHUNK] for start in range(0, len(ordered), _CHUNK)]
    return np.concatenate(map_threads(_medians_of_chunk, chunks))


def _medians_of_chunk(ordered: Values) -> Values:
    differences = _differences(ordered)
    low, high = _brackets(ordered)
    above = differences > low[:, None]
    inside = above & (differences < high[:, None])
    ties = np.any(ordered[:, 1:] == ordered[:, :-1], axis=1)
    found = np.empty(len(ordered))
    for k, column in enumerate(differences):
        pairs = column.size
        zeros = pairs - int(np.count_nonzero(column)) if ties[k] else 0
        # 0-based ranks, zeros included, of the one or two middle values among the non-zero
        ranks = zeros + (pairs - zeros - 1) // 2, zeros + (pairs - zeros) // 2
        found[k] = 1.0 if zeros == pairs else _mean_of_ranks(column, ranks, above[k], inside[k])
    return found


def _mean_of_ranks(
    column: Values, ranks: tuple[int, int], above: NDArray[np.bool_], inside: NDArray[np.bool_]
) -> float:
    """Mean of the values of two ranks: sought among those inside the bracket, or among all if it missed them."""
    below = column.size - int(np.count_nonzero(above))
    candidates = column[inside]
    low, high = ranks[0] - below, ranks[1] - below
    if low < 0 or high >= candidates.size:
        candidates, (low, high) = column, ranks
    candidates.partition((low, high))
    return float(candidates[low] + candidates[high]) / 2


def _differences(ordered: Values) -> Values:
    """All differences of each sorted row, one flat row each; none is negative."""
    count, n = ordered.shape
    flat = np.empty((count, n * (n - 1) // 2))
    filled = 0
    for i in range(n - 1):
        stop = filled + n - 1 - i
        np.subtract(ordered[:, i + 1 :], ordered[:, i : i + 1], out=flat[:, filled:stop])
        filled = stop
    return flat


def _brackets(ordered: Values) -> tuple[Values, Values]:
    """Two values between which the median difference of each row is likely to lie, from a few order statistics."""
    n = ordered.shape[1]
    few = max(2, n // _THINNING)
    centers = ((np.arange(few) + 0.5) * n / few).astype(np.intp)
    differences = _differences(ordered[:, centers])
    count = differences.shape[1]
    low, high = max(0, int((0.5 - _MARGIN) * count) - 1), min(count - 1, int((0.5 + _MARGIN) * count) + 1)
    differences.partition((low, high), axis=1)
    return differences[:, low], differences[:, high]


def ladder_widths(squared: Values, n: int, fractions: Sequence[float]) -> list[float]:
    """As `kernels.width_rules.widths_of_distances`, to 1e-12, in a third of its looks at the distances.

    With m the mean of exp(-squared / width^2), log(-log m) is nearly a straight line in log(width): what was seen for
    one width is interpolated for the next.

    Examples
    --------
    >>> import numpy as np
    >>> squared = np.random.default_rng(0).exponential(size=300)
    >>> found, expected = (f(squared, 25, [0.2, 0.5, 0.8]) for f in (ladder_widths, widths_of_distances))
    >>> np.allclose(found, expected, rtol=1e-11)
    True
    """
    unequal, goals = decay_goals(squared, n, fractions)
    if not goals or max(goals) > _NEARLY_ONE:
        return widths_of_distances(squared, n, fractions)
    seen: list[tuple[float, float]] = []  # log(-log m), descending with the log width beside it
    return [math.exp(_log_width(unequal, math.log(-math.log(goal)), seen)) for goal in goals]


def _log_width(squared: Values, goal: float, seen: list[tuple[float, float]]) -> float:
    """The log width at which log(-log m) is `goal`; `seen` is added to."""
    # If all pairs were as close as the closest, or as far as the farthest, the width would be known.
    low, high = (0.5 * (math.log(end) - goal) for end in (np.min(squared), np.max(squared)))
    low, high = low - 1e-6, high + 1e-6
    for value, place in seen:
        low, high = (max(low, place), high) if value > goal else (low, min(high, place))
    place = 0.5 * (math.log(float(np.mean(squared))) - goal) if not seen else _interpolated(seen, goal)
    place = place if low < place < high else (low + high) / 2
    step = math.inf
    for _ in range(_MOST_LOOKS):
        value = math.log(-math.log(mean_decay(squared, math.exp(-2 * place))))
        insort(seen, (value, place))
        low, high = (place, high) if value > goal else (low, place)
        following = _interpolated(seen, goal)
        # The polynomial through four values is better than the last step by far more than the step is small.
        if abs(following - place) < _CLOSE and abs(value - goal) < 2 * _CLOSE and low <= following <= high:
            return following
        if high - low < _CLOSEST:
            break
        # Where interpolation does not help, as on a plateau between two scales of distances, halves do.
        if not low < following < high or abs(following - place) > step / 2:
            following = (low + high) / 2
        step, place = abs(following - place), following
    return place


def _interpolated(seen: list[tuple[float, float]], goal: float) -> float:
    """The log width at a value, by the polynomial through those seen nearest to it; one has a slope of -2."""
    distinct = dict(seen)
    nearest = sorted(distinct.items(), key=lambda point: abs(point[0] - goal))[:4]
    if len(nearest) == 1:
        return nearest[0][1] - (goal - nearest[0][0]) / 2
    total = 0.0
    for k, (value, place) in enumerate(nearest):
        others = [other for j, (other, _) in enumerate(nearest) if j != k]
        total += place * math.prod((goal - other) / (value - other) for other in others)
    return total
