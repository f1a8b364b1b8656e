"""Distance covariance and correlation (Székely, Rizzo and Bakirov 2007): in n log n for scalars, in n^2 for vectors."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from shearer._validate import check_option, value_error
from shearer.comparators.inputs import Floats, compared, near_one, points
from shearer.comparators.matrices import centered, distance_matrices, rearranges, require_matrices
from shearer.data.table import Table


def _centered_distances(table: Table) -> tuple[Floats, ...]:
    return tuple(map(centered, distance_matrices(table)))


def _centered_near_one(table: Table) -> tuple[Floats, ...]:
    return tuple(centered(near_one(matrix)[0]) for matrix in distance_matrices(table))


def _root_of_mean(left: Floats, right: Floats) -> float:
    return float(np.sqrt(max(float(np.vdot(left, right)), 0.0))) / len(left)


def _root_of_cosine(left: Floats, right: Floats) -> float:
    square = _cosine(float(np.vdot(left, right)), float(np.vdot(left, left)), float(np.vdot(right, right)))
    return float(np.sqrt(max(square, 0.0)))


@rearranges(_centered_distances, _root_of_mean)
def distance_covariance(
    *data: Any,
    unbiased: bool = False,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the distance covariance of two variables of any dimension.

    The root of mean_ij A_ij B_ij, where A and B are the Euclidean distances between rows, centered to row and column
    means of 0 (Székely, Rizzo and Bakirov 2007, "Measuring and testing dependence by correlation of distances"). In the
    population it is 0 only under independence. Computed in n log n steps for two scalars, in n^2 steps for vectors.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two. Different labels have distance 1.
    unbiased : bool, default False
        False: as above. True: the unbiased estimate of the square (Székely and Rizzo 2014, "Partial distance
        correlation with methods for dissimilarities"), of which no root is taken; needs 4 rows.
    groups, missing
        As in `shearer.entropy`.

    Returns
    -------
    float
        Not negative; the unbiased estimate of the square can be negative.

    Examples
    --------
    >>> import shearer as sh
    >>> round(sh.comparators.distance_covariance([0.0, 1.0], [0.0, 3.0]), 6)
    0.866025
    """
    (left, right), exponent = _read(data, unbiased, groups, missing)
    product = _product(left, right, unbiased)
    with np.errstate(over="ignore"):  # what doubles do not hold is infinite
        return float(np.ldexp(product, 2 * exponent) if unbiased else np.ldexp(np.sqrt(max(product, 0.0)), exponent))


@rearranges(_centered_near_one, _root_of_cosine)
def distance_correlation(
    *data: Any,
    unbiased: bool = False,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the distance correlation of two variables of any dimension; 0 if either is constant.

    Their `distance_covariance` divided by the root of the product of the distance covariances of each with itself; for
    ``unbiased=True`` the same of the unbiased squares.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two. Different labels have distance 1.
    unbiased : bool, default False
        True: the bias-corrected estimate of the square, of which no root is taken; needs 4 rows.
    groups, missing
        As in `shearer.entropy`.

    Returns
    -------
    float
        From 0 to 1; 1 only if one variable is the other after a shift, a rotation and a change of scale. The
        bias-corrected estimate of the square can be negative.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.linspace(-1, 1, 1001)
    >>> round(sh.comparators.distance_correlation(x, 2 - 3 * x), 6)
    1.0
    >>> round(sh.comparators.distance_correlation(x, x**2), 3)
    0.491
    """
    (left, right), _ = _read(data, unbiased, groups, missing)
    square = _cosine(*(_product(a, b, unbiased) for a, b in ((left, right), (left, left), (right, right))))
    return square if unbiased else float(np.sqrt(max(square, 0.0)))


def _read(data: tuple[Any, ...], unbiased: bool, groups: Any, missing: str) -> tuple[tuple[Floats, Floats], int]:
    """Both variables near 1, and the exponent of the power of 4 that their products are to be multiplied by."""
    check_option("unbiased", unbiased, (True, False))
    table = compared(data, groups, missing, exactly=2)
    if unbiased and table.rows < 4:
        raise value_error("data", "at least 4 rows for unbiased=True", f"{table.rows}")
    (left, own), (right, other) = (near_one(points(item)) for item in table.variables)
    if max(left.shape[1], right.shape[1]) > 1:
        require_matrices(table)
    return (left, right), own + other


def _cosine(product: float, left: float, right: float) -> float:
    size = np.sqrt(max(left, 0.0)) * np.sqrt(max(right, 0.0))
    return float(product / size) if size > 0 else 0.0


def _product(x: Floats, y: Floats, unbiased: bool) -> float:
    """Squared distance covariance from sums of distances; no centred matrix is formed."""
    n = len(x)
    products, left, right = _sums(x, y)
    mixed, totals = float(left @ right), float(left.sum() * right.sum())
    if unbiased:
        return (products - 2 * mixed / (n - 2) + totals / ((n - 1) * (n - 2))) / (n * (n - 3))
    return products / n**2 - 2 * mixed / n**3 + totals / n**4


def _sums(x: Floats, y: Floats) -> tuple[float, Floats, Floats]:
    """Sum over all i, j of |x_i - x_j| |y_i - y_j|, and the row sums of both."""
    if x.shape[1] == y.shape[1] == 1:
        # Around 0, so that sums of squares do not drown differences.
        x1, y1 = x[:, 0] - x[:, 0].mean(), y[:, 0] - y[:, 0].mean()
        products = _scalar_products(x1, y1) if x is not y else 2.0 * (len(x) * float(x1 @ x1) - float(x1.sum()) ** 2)
        return products, _scalar_rows(x1), _scalar_rows(y1)
    a, b = cdist(x, x), cdist(y, y)
    return float(np.vdot(a, b)), a.sum(axis=0), b.sum(axis=0)


def _scalar_rows(x: Floats) -> Floats:
    """sum_j |x_i - x_j| for every i, from running sums of the sorted values."""
    order = np.argsort(x)
    ascending = x[order]
    below = np.cumsum(ascending) - ascending
    position = np.arange(len(x))
    rows = np.empty(len(x))
    rows[order] = position * ascending - below + (x.sum() - below - ascending) - (len(x) - 1 - position) * ascending
    return rows


def _scalar_products(x: Floats, y: Floats) -> float:
    """sum_ij |x_i - x_j| |y_i - y_j| in n log n.

    For rows in ascending x, |x_j - x_i| |y_j - y_i| over i < j is twice the sum of (x_j - x_i)(y_j - y_i) over those i
    that are below in y too, less that over all. Ties add 0 on either side.
    """
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    below = _sums_below(y, np.stack([np.ones_like(x), x, y, x * y]))
    concordant = float(np.sum(x * y * below[0] - y * below[1] - x * below[2] + below[3]))
    every = len(x) * float(x @ y) - float(x.sum() * y.sum())
    return 2.0 * (2.0 * concordant - every)


def _sums_below(y: Floats, weights: Floats) -> Floats:
    """For every j and row of weights, the sum over i < j of those whose y is below y_j.

    Ranks are split bit by bit from the highest: rows that agree in all higher bits stand together, in their order. Of
    such a group, those with bit 0 are below those with bit 1, and a running sum adds up the ones before each.
    """
    n = len(y)
    ranks: NDArray[np.intp] = np.empty(n, dtype=np.intp)
    ranks[np.argsort(y, kind="stable")] = np.arange(n)
    rows = np.arange(n)
    found = np.zeros_like(weights)
    for bit in reversed(range(int(n - 1).bit_length())):
        start = ranks >> (bit + 1) << (bit + 1)
        zero = (ranks >> bit & 1) == 0
        before = _before(np.vstack([zero, np.where(zero, weights[:, rows], 0.0)]), start)
        one = ~zero
        found[:, rows[one]] += before[1:, one]
        zeros_before = before[0].astype(np.intp)
        place = np.where(zero, start + zeros_before, start + (1 << bit) + np.arange(n) - start - zeros_before)
        ranks_next, rows_next = np.empty_like(ranks), np.empty_like(rows)
        ranks_next[place], rows_next[place] = ranks, rows
        ranks, rows = ranks_next, rows_next
    return found


def _before(values: Floats, start: NDArray[np.intp]) -> Floats:
    """Sums of what comes before each column within its group, groups starting at the given columns."""
    running = np.cumsum(values, axis=1) - values
    within: Floats = running - running[:, start]
    return within
