"""Width rules: each a function of one variable, equivariant to scale and shift, defined on ties and constants."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_positive, describe, suggest, type_error, value_error
from shearer.kernels.distances import triangle

Rule: TypeAlias = Callable[[NDArray[np.float64]], float]

# Beyond this many rows a rule sees a fixed sample of that many: pairwise distances grow with the square of the rows.
MOST_ROWS = 5000
_SAMPLE_SEED = 0


def resolve(bandwidth: str | float | Rule, values: NDArray[Any]) -> float:
    """The width of one variable: a number as it is, a rule applied to the values (n, d).

    Examples
    --------
    >>> import numpy as np
    >>> resolve("median", np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    if isinstance(bandwidth, str):
        if bandwidth not in RULES:
            raise value_error(
                "bandwidth",
                f"a positive number, a function or one of {', '.join(map(repr, RULES))}",
                describe(bandwidth),
                suggest(bandwidth, RULES),
            )
        rule = RULES[bandwidth]
    elif callable(bandwidth):
        rule = bandwidth
    else:
        return check_positive("bandwidth", bandwidth)
    values = np.asarray(values, dtype=np.float64)
    # Squares of huge or tiny values leave the range of floats; a power of two changes no digit.
    largest = np.max(np.abs(values))
    shift = int(np.frexp(largest)[1]) if largest > 0 else 0
    width = float(rule(np.ldexp(values, -shift)))
    if not (np.isfinite(width) and width > 0):
        raise type_error("bandwidth", "a rule that returns a positive width", describe(width))
    return float(np.ldexp(width, shift))


def median(values: NDArray[np.float64]) -> float:
    """Median of the non-zero pairwise distances; 1 for a constant variable, whose kernel is 1 at any width.

    Examples
    --------
    >>> import numpy as np
    >>> median(np.array([[0.0], [0.0], [1.0], [5.0]]))  # distances 1, 1, 4, 5, 5
    4.0
    """
    values = _sample(values)
    if values.shape[1] == 1:
        return _median_difference(np.sort(values[:, 0]))
    squared = triangle(values)
    squared = squared[squared > 0]
    if squared.size == 0:
        return 1.0
    low, high = (squared.size - 1) // 2, squared.size // 2
    parted = np.partition(squared, (low, high))
    return float(np.sqrt(parted[low]) + np.sqrt(parted[high])) / 2


def _sample(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """All rows, or a fixed sample of them."""
    if len(values) <= MOST_ROWS:
        return values
    rows = np.random.default_rng(_SAMPLE_SEED).choice(len(values), MOST_ROWS, replace=False)
    return values[np.sort(rows)]


def _median_difference(x: NDArray[np.float64]) -> float:
    """Median of the non-zero differences of a sorted sample, by bisection on their counting function.

    No array of pairs is formed: each count is one search of the sorted values in themselves.
    """
    n = len(x)
    first = np.searchsorted(x, x, side="right")
    zeros = int(np.sum(first - np.arange(n) - 1))
    nonzero = n * (n - 1) // 2 - zeros
    if nonzero == 0:
        return 1.0
    # 0-based ranks of the one or two middle values among all differences, zeros included
    low_rank, high_rank = zeros + (nonzero - 1) // 2, zeros + nonzero // 2
    low, high = 0.0, float(x[-1] - x[0])
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):  # neighbouring floats: every difference between them is the same
            return _largest_up_to(high, x)
        bound = np.searchsorted(x, x + middle, side="right")
        count = int(np.sum(bound - np.arange(n) - 1))
        if count == low_rank + 1 == high_rank:
            inner = bound < n
            return (_largest_up_to(middle, x) + float(np.min(x[bound[inner]] - x[inner]))) / 2
        if count > high_rank:
            high = middle
        else:
            low = middle


def _largest_up_to(limit: float, x: NDArray[np.float64]) -> float:
    return float(np.max(x[np.searchsorted(x, x + limit, side="right") - 1] - x))


RULES: dict[str, Rule] = {"median": median}
