"""Width rules: each a function of one variable, equivariant to scale and shift, defined on ties and constants.

A rule takes the values (n, d) of one variable to the width of exp(-|x - y|^2 / (2 width^2)). A constant variable has
width 1, which stands for any: its kernel is 1 at every width.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._roots import bracketed_root
from shearer._validate import check_positive, describe, type_error, value_error
from shearer.kernels.distances import triangle
from shearer.kernels.samples import SHORTEST, equal_pairs, neighbor_distances, ranked_difference, sample

# A quarter of a megabyte: a piece of the distances stays in the second-level cache from scaling to summing.
_PIECE = 2**15
# exp(-700) is 1e-304; below, exp is several times slower and its result as good as 0.
_LARGEST_EXPONENT = 700.0


def median(values: NDArray[np.float64]) -> float:
    """Compute the median of the non-zero pairwise Euclidean distances.

    Beyond 5000 rows a fixed sample of that many is taken. The width of constant values is 1, here and in all rules.

    Examples
    --------
    >>> import numpy as np
    >>> median(np.array([[0.0], [0.0], [1.0], [5.0]]))  # distances 1, 1, 4, 5, 5
    4.0
    """
    values = sample(values)
    pairs = len(values) * (len(values) - 1) // 2
    if values.shape[1] == 1:
        x = np.sort(values[:, 0])
        zeros = equal_pairs(x)
        return ranked_difference(x, *_middle(zeros, pairs)) if zeros < pairs else 1.0
    squared = triangle(values)
    zeros = pairs - int(np.count_nonzero(squared))
    if zeros == pairs:
        return 1.0
    low, high = _middle(zeros, pairs)
    squared.partition((low, high))
    return float(np.sqrt(squared[low]) + np.sqrt(squared[high])) / 2


def _middle(zeros: int, pairs: int) -> tuple[int, int]:
    """0-based ranks, zeros included, of the one or two middle values among the non-zero."""
    return zeros + (pairs - zeros - 1) // 2, zeros + (pairs - zeros) // 2


def silverman(values: NDArray[np.float64]) -> float:
    """Compute Silverman's normal reference rule for d dimensions: s (4 / ((d + 2) n))^(1/(d + 4)).

    For many rows of independent normal coordinates with equal variances it is the best width of a Gaussian kernel
    density estimate (Silverman 1986, "Density estimation for statistics and data analysis"). s is the root mean square
    of the standard deviations of the coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> round(silverman(np.array([[1.0], [2.0], [3.0], [4.0]])), 6)  # s = 1.290994, n = 4
    1.036335
    """
    n, d = values.shape
    return spread(values) * math.pow(4 / ((d + 2) * n), 1 / (d + 4)) or 1.0


def scott(values: NDArray[np.float64]) -> float:
    """Compute Scott's rule for d dimensions: s n^(-1/(d + 4)).

    Silverman's rule without its factor, which lies between 0.92 and 1.06 (Scott 1992, "Multivariate density
    estimation"). s is one number for all coordinates, the root mean square of their standard deviations.

    Examples
    --------
    >>> import numpy as np
    >>> round(scott(np.array([[1.0], [2.0], [3.0], [4.0]])), 6)  # s = 1.290994, n = 4
    0.978391
    """
    n, d = values.shape
    return spread(values) * math.pow(n, -1 / (d + 4)) or 1.0


def spread(values: NDArray[np.float64]) -> float:
    """Root mean square of the coordinates' standard deviations (n - 1 in the denominator).

    The same in every rotated frame of coordinates; 0 for a constant variable.

    Examples
    --------
    >>> import numpy as np
    >>> spread(np.array([[0.0, 0.0], [6.0, 8.0]]))  # variances 18 and 32
    5.0
    """
    # The middle of the range of equal values is that value, while their mean may be off by a digit.
    low, high = values.min(axis=0), values.max(axis=0)
    largest = float(np.max(high - low))
    if largest == 0.0:
        return 0.0
    columns = np.ascontiguousarray(values.T)
    columns = (columns - (low + (high - low) / 2)[:, None]) / largest  # no square vanishes
    return largest * math.sqrt(float(np.mean(np.var(columns, axis=1, ddof=1))))


@dataclass(frozen=True)
class Neighbors:
    """Width rule: the median over the rows of the distance to their k-th nearest neighbor.

    Neighbors are values that differ from the row's own: repeated ones count once, so that the width of tied data is
    not 0, and where there are fewer than k others, the farthest of them is taken. It is the median, not the mean,
    because the distances of a few outliers can exceed all others together. Beyond 5000 rows the median is over a fixed
    sample of the rows, while neighbors are still searched among all rows.

    Parameters
    ----------
    k : int, default 5
        Which neighbor, from 1.

    Examples
    --------
    >>> import numpy as np
    >>> Neighbors(k=2)(np.array([[0.0], [0.0], [1.0], [3.0], [7.0]]))  # distances 3, 3, 2, 3, 6
    3.0
    """

    k: int = 5

    def __post_init__(self) -> None:
        """Check k."""
        expected = "a whole number from 1"
        try:
            k = operator.index(self.k)
        except TypeError as error:
            raise type_error("k", expected, describe(self.k)) from error
        if isinstance(self.k, bool):
            raise type_error("k", expected, describe(self.k))
        if k < 1:
            raise value_error("k", expected, describe(self.k))

    def __call__(self, values: NDArray[np.float64]) -> float:
        """Compute the width for values of shape (n, d)."""
        distances = neighbor_distances(values, [self.k])
        return float(np.median(distances)) if distances.size else 1.0


@dataclass(frozen=True)
class EntropyFraction:
    """Width rule: the width at which the entropy of order 2 is a given fraction of its maximum.

    The entropy -log2(sum_ij K_ij^2 / n^2) falls to 0 as the width grows. Its maximum is -log2 of the sum of the squared
    relative frequencies of the distinct values, which is log2 n without ties. Beyond 5000 rows the distances of a fixed
    sample are taken in place of all; the maximum is still that of n rows.

    Parameters
    ----------
    fraction : float, default 0.4
        Above 0 (all values count as alike) and below 1 (all count as different).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> width = EntropyFraction(0.5)(x)
    >>> kernel = np.exp(-((x - x.T) ** 2) / (2 * width**2))
    >>> round(float(-np.log2(np.mean(kernel**2))), 9)  # half of log2(4)
    1.0
    """

    fraction: float = 0.4

    def __post_init__(self) -> None:
        """Check the fraction."""
        if check_positive("fraction", self.fraction) >= 1:
            raise value_error("fraction", "a number above 0 and below 1", describe(self.fraction))

    def __call__(self, values: NDArray[np.float64]) -> float:
        """Compute the width for values of shape (n, d)."""
        return entropy_widths(values, [self.fraction])[0]


def entropy_widths(values: NDArray[np.float64], fractions: Sequence[float]) -> list[float]:
    """The widths of several entropy fractions, from one look at the distances; 1 each for a constant variable.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> entropy_widths(x, [0.2, 0.5])[1] == EntropyFraction(0.5)(x)
    True
    """
    return widths_of_distances(triangle(sample(values)), len(values), fractions)


def widths_of_distances(squared: NDArray[np.float64], n: int, fractions: Sequence[float]) -> list[float]:
    """The same from squared distances of pairs of different rows, for a sample of n rows."""
    unequal, goals = decay_goals(squared, n, fractions)
    return [_width_of_mean(unequal, goal) for goal in goals] if unequal.size else [1.0] * len(fractions)


def decay_goals(
    squared: NDArray[np.float64], n: int, fractions: Sequence[float]
) -> tuple[NDArray[np.float64], list[float]]:
    """The distances that are not 0, and what the mean of exp(-squared / width^2) over them shall be."""
    unequal = squared[squared > SHORTEST**2]
    if unequal.size == 0:
        return unequal, []
    # With p the sum of squared frequencies and m the mean of K^2 = exp(-d^2/width^2) over unequal pairs, the mean
    # of K^2 over all n^2 pairs is p + (1 - p) m. It shall be p^fraction: m = (p^fraction - p) / (1 - p).
    differing = (1 - 1 / n) * unequal.size / squared.size  # 1 - p
    log_p = math.log1p(-differing)
    goals = [(1 - differing) * math.expm1((fraction - 1) * log_p) / differing for fraction in fractions]
    return unequal, [min(goal, 1 - float(np.finfo(np.float64).eps)) for goal in goals]


def _width_of_mean(squared: NDArray[np.float64], goal: float) -> float:
    """The width at which the mean of exp(-squared / width^2) is `goal`."""

    def excess(log_width: float) -> float:
        return math.log(mean_decay(squared, math.exp(-2 * log_width)) / goal)

    # If all pairs were as close as the closest, or as far as the farthest, the width would be known.
    shortest, longest = 0.5 * math.log(np.min(squared)), 0.5 * math.log(np.max(squared))
    unit = -0.5 * math.log(-math.log(goal))
    slack = 1e-6  # for round-off, where all distances are equal
    return math.exp(bracketed_root(excess, shortest + unit - slack, longest + unit + slack, xtol=1e-12))


def mean_decay(squared: NDArray[np.float64], rate: float) -> float:
    """Mean of exp(-rate squared), piece by piece."""
    buffer = np.empty(min(_PIECE, squared.size))
    total = 0.0
    for start in range(0, squared.size, _PIECE):
        piece = squared[start : start + _PIECE]
        decay = np.multiply(piece, -rate, out=buffer[: piece.size])
        np.maximum(decay, -_LARGEST_EXPONENT, out=decay)
        total += float(np.sum(np.exp(decay, out=decay)))
    return total / squared.size
