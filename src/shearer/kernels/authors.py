"""The width recipes in the public code of the paper's authors, as rules of one variable.

Their MATLAB code (SJYuCNEL/Matrix-based-Dependence) writes exp(-d^2 / (2 s^2)), whose s is our width; their PyTorch
code (yuxi120407/DIB) writes exp(-d^2 / s), so that our width is sqrt(s / 2). They take one width, from one variable,
for all variables; here each variable has its own. What else was changed, so that a recipe scales with the data, does
not depend on the order of rows and has a value on ties, is said with each.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shearer.kernels.distances import triangle
from shearer.kernels.samples import equal_pairs, neighbor_distances, ranked_difference, sample
from shearer.kernels.width_rules import spread


def authors_silverman(values: NDArray[np.float64]) -> float:
    """Compute Silverman's one-dimensional rule for the first column, divided by sqrt 2: s_1 (4 / (3 n))^(1/5) / sqrt 2.

    s_1 is the standard deviation. Odd: only the first column counts, however many there are; the division by sqrt 2 is
    not Silverman's. Changed: constant columns are passed over.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 70.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    >>> round(authors_silverman(x), 6)  # s_1 = 1.290994, n = 4
    0.732799
    """
    return _silverman_of_first(values) or 1.0


def authors_demo(values: NDArray[np.float64]) -> float:
    """Compute ten times `authors_silverman`, the width that both demos of the MATLAB code run with.

    Examples
    --------
    >>> import numpy as np
    >>> round(authors_demo(np.array([[1.0], [2.0], [3.0], [4.0]])), 6)
    7.327994
    """
    return 10 * _silverman_of_first(values) or 1.0


def authors_graph(values: NDArray[np.float64]) -> float:
    """Compute the 5th percentile of the pairwise distances in the first column.

    In ascending order it is the distance whose rank is 0.05 times their number, rounded. Odd: only the first column
    counts; the comment in the code speaks of 10 to 20 percent. Changed: constant columns are passed over, distances of
    0 are left out, and the rank is at least 1 (theirs is 0, an error, below five rows). Beyond 5000 rows a fixed sample
    of that many is taken.

    Examples
    --------
    >>> import numpy as np
    >>> authors_graph(np.arange(10.0)[:, None] ** 2)  # the 2nd of 45 distances 1, 3, 4, 5, ...
    3.0
    """
    x = np.sort(sample(_first_column(values))[:, 0])
    zeros, pairs = equal_pairs(x), len(x) * (len(x) - 1) // 2
    if zeros == pairs:
        return 1.0
    rank = zeros + max(1, (pairs - zeros + 10) // 20) - 1  # 0-based; halves are rounded up, as MATLAB does
    return ranked_difference(x, rank, rank)


def authors_knn(values: NDArray[np.float64]) -> float:
    """Compute the root mean square difference to the 5 nearest neighbors, over rows, neighbors and coordinates.

    Odd: theirs is the mean square, a squared length that is used as a width, so that it does not scale with the data.
    Changed: the root is taken; repeated values count once among the neighbors (theirs can be 0 if values repeat), and
    where there are fewer than 5 others, all are taken. Beyond 5000 rows the mean is over a fixed sample of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> authors_knn(np.array([[0.0], [3.0], [6.0]]))  # squares 9, 36; 9, 9; 9, 36
    4.242640687119285
    """
    distances = neighbor_distances(values, range(1, 6))
    return math.sqrt(float(np.mean(distances**2)) / values.shape[1]) if distances.size else 1.0


def authors_dib(values: NDArray[np.float64]) -> float:
    """Compute the mean of all entries of the distance matrix, divided by sqrt 2.

    From the code of the deep information bottleneck, where s is the square of a mean distance. Odd: that mean is
    over the first ten columns of the distance matrix, the zeros of its diagonal included; a sort without effect
    suggests that the ten nearest neighbors were meant. Changed: the first ten rows of a shuffled batch stand for any
    ten, so the mean over all columns is taken, which is the expectation of theirs (and equal to theirs up to ten
    rows). Beyond 5000 rows, of the pairs of a fixed sample.

    Examples
    --------
    >>> import numpy as np
    >>> round(authors_dib(np.array([[0.0, 0.0], [3.0, 4.0]])), 6)  # distances 0, 5, 5, 0
    1.767767
    """
    distances = triangle(sample(values))
    np.sqrt(distances, out=distances)
    if not np.any(distances):
        return 1.0
    n = len(values)
    return (1 - 1 / n) * float(np.mean(distances)) / math.sqrt(2)


def _silverman_of_first(values: NDArray[np.float64]) -> float:
    return spread(_first_column(values)) * math.pow(4 / (3 * len(values)), 1 / 5) / math.sqrt(2)


def _first_column(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first column that is not constant, shape (n, 1)."""
    varies = np.any(values != values[0], axis=0)
    first = int(np.argmax(varies))
    return values[:, first : first + 1]
