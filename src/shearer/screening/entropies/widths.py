"""Widths of many variables: medians of scalar columns at once."""

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads

Values = NDArray[np.float64]

# Up to this many rows selecting among all differences beats one bisection after the other.
MOST_ROWS = 200
# Columns at a time: their differences, 160 MB for 1000 columns of 200 rows, are never all in memory.
_CHUNK = 64
# Every fourth order statistic brackets the median of all differences within this share of their number.
_THINNING, _MARGIN = 4, 0.03


def medians(columns: Values) -> Values:
    """Median of the non-zero differences of each row of `columns` (variables x rows); 1 if there are none.

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
