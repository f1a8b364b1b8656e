"""Sums of a Gaussian kernel over all pairs of scalars without visiting the pairs, with a proven error.

On an interval the kernel exp(-(x - y)^2) is a polynomial in x and in y to any accuracy: its sum over all pairs needs
only the sums of the Chebyshev polynomials over the values, O(n r) for degree r. The bound is the classical one for
functions analytic in a Bernstein ellipse (Trefethen 2013, Approximation Theory and Approximation Practice).
"""

import math

import numpy as np
from numpy.typing import NDArray

# Beyond this degree, tiles of pairs are as fast for the numbers of rows that come this way.
_MOST_NODES = 256
_WANTED = 1e-15
# Half of the span, in widths, that so many nodes resolve; beyond, the search would not find any.
_LARGEST_REACH = 30.0


def gaussian_total(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Mean of exp(-(x_i - x_j)^2) over all pairs and a bound on its error; None where the values span too many widths.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> mean, error = gaussian_total(x)
    >>> bool(abs(mean - np.mean(np.exp(-np.subtract.outer(x, x) ** 2))) <= error), error < 1e-12
    (True, True)
    """
    low, high = float(values.min()), float(values.max())
    reach = (high - low) / 2
    found = _nodes(reach)
    if found is None or reach == 0:
        return None
    count, error = found
    scaled = np.clip((values - (low + high) / 2) / reach, -1.0, 1.0)
    angles = (2 * np.arange(count) + 1) * np.pi / (2 * count)
    # Sum over values of the Lagrange polynomial of each node, from the sums of the Chebyshev polynomials.
    sums = _chebyshev_sums(scaled, count)
    weights = 2 * np.cos(np.outer(angles, np.arange(count))) @ sums - sums[0]
    weights /= count * len(values)
    points = reach * np.cos(angles)
    kernel = np.exp(-(np.subtract.outer(points, points) ** 2))
    lebesgue = 2 / math.pi * math.log(count) + 1
    round_off = 8 * np.finfo(np.float64).eps * count * float(np.abs(weights) @ kernel @ np.abs(weights))
    return float(weights @ kernel @ weights), float(error * (1 + lebesgue) + round_off)


def _chebyshev_sums(x: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Sums of T_0 ... T_(count - 1) over the values, by their recurrence."""
    sums = np.empty(count)
    sums[0] = len(x)
    before, now = np.ones_like(x), x.copy()
    double = 2 * x
    for degree in range(1, count):
        sums[degree] = now.sum()
        before *= -1.0
        before += double * now
        before, now = now, before
    return sums


def node_count(reach: float, most: int = _MOST_NODES) -> int | None:
    """How many nodes give exp(-(x - y)^2) on a span of twice `reach` to round-off; None where more than `most` do."""
    found = _nodes(reach, most)
    return None if found is None else found[0]


def _nodes(reach: float, most: int = _MOST_NODES) -> tuple[int, float] | None:
    """The smallest number of nodes whose error bound is small enough, and that bound."""
    if reach > _LARGEST_REACH * most / _MOST_NODES:
        return None
    ellipse = np.linspace(1.02, 8.0, 400)
    height = (ellipse - 1 / ellipse) / 2
    for count in range(16, most + 1, 8):
        logs = math.log(4) + (reach * height) ** 2 - (count - 1) * np.log(ellipse) - np.log(ellipse - 1)
        bound = float(np.exp(logs.min())) if logs.min() > -700 else 0.0
        if bound <= _WANTED:
            return count, bound
    return None
