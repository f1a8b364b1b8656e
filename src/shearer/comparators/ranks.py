"""Measures of ranks: Spearman's coefficient of many columns, and Chatterjee's coefficient of functions."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option
from shearer.comparators.inputs import Floats, ranks, scalars

FORMS = ("lower", "upper", "mean")


def multivariate_spearman(*data: Any, form: str = "lower", missing: str = "error") -> float:
    """Compute one of three extensions of Spearman's rho to two or more columns.

    For d columns, with U = rank / n and h = (d + 1) / (2^d - d - 1) (Schmid and Schmidt 2007, "Multivariate extensions
    of Spearman's rho"). All three miss dependence that is not monotone. "lower" and "upper" have errors of the order of
    1/n, and larger ones with ties; "mean" is exact.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more columns of numbers, or one table.
    form : {"lower", "upper", "mean"}, default "lower"
        "lower": rho_1 = h (2^d mean(prod(1 - U)) - 1), large if small values go together. "upper": rho_2 = h (2^d
        mean(prod U) - 1), large if large values go together. "mean": rho_3, the mean of `spearman` over all pairs.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        1, up to the error, if all columns increase together; near 0 for independent columns; signed.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.arange(1000.0)
    >>> [round(sh.comparators.multivariate_spearman(x, x**2, x**3, form=f), 2) for f in ("lower", "upper", "mean")]
    [1.0, 1.0, 1.0]
    """
    check_option("form", form, FORMS)
    columns = scalars(data, missing, exactly=None)
    ranked = ranks(np.column_stack(columns))
    n, d = ranked.shape
    if form == "mean":
        spread = ranked - (n + 1) / 2
        size = np.linalg.norm(spread, axis=0)
        unit = np.divide(spread, size, out=np.zeros_like(spread), where=size > 0)
        return float((np.sum(unit.sum(axis=1) ** 2) - np.count_nonzero(size)) / (d * (d - 1)))
    shares = 1.0 - ranked / n if form == "lower" else ranked / n
    return float((d + 1) / (2.0**d - d - 1) * (2.0**d * np.mean(np.prod(shares, axis=1)) - 1.0))


def chatterjee_xi(*data: Any, missing: str = "error") -> float:
    """Compute Chatterjee's xi of two columns: how far the second is a function of the first.

    1 - n sum_i |r_{i+1} - r_i| / (2 sum_i l_i (n - l_i)) with the rows in ascending order of x, where r_i and l_i are
    the numbers of y that are at most and at least y_i (Chatterjee 2021, "A new coefficient of correlation"). It is not
    symmetric. The paper orders tied x at random; here the mean over all such orders is computed.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        x and y, columns of numbers, or one table of two.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        In the limit of many rows 0 under independence and 1 if y is a function of x. Without ties at most 1 - 3/(n +
        1); can be negative; 0 if y is constant.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.arange(-500, 501)
    >>> round(sh.comparators.chatterjee_xi(x, x**2), 3), round(sh.comparators.chatterjee_xi(x**2, x), 3)
    (0.994, -0.125)
    """
    return xi(*scalars(data, missing))


def xi(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Compute Chatterjee's xi of two columns of finite numbers; see `chatterjee_xi`.

    Examples
    --------
    >>> xi(np.arange(9.0), np.arange(9.0) ** 2) == 1 - 3 / 10
    True
    """
    n = len(x)
    ascending = np.sort(y)
    at_most = np.searchsorted(ascending, y, side="right").astype(np.float64)
    at_least = n - np.searchsorted(ascending, y, side="left").astype(np.float64)
    size = 2.0 * float(at_least @ (n - at_least))
    if size == 0:
        return 0.0
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return 1.0 - n * _expected_path(at_most[order], starts) / size


def _expected_path(levels: Floats, starts: NDArray[np.intp]) -> float:
    """Mean of sum |r_(i+1) - r_i| over all orders of the rows within groups that start at the given places."""
    if len(starts) == len(levels):
        return float(np.abs(np.diff(levels)).sum())
    groups = [np.sort(group) for group in np.split(levels, starts[1:])]
    within = sum(2 * _total_difference(group) / len(group) for group in groups)
    between = sum(_mean_gap(left, right) for left, right in pairwise(groups))
    return within + between


def _total_difference(ascending: Floats) -> float:
    """Sum over i < j of r_j - r_i; of m rows in random order, neighbours differ by 2/m times it in all."""
    m = len(ascending)
    return float(ascending @ (2.0 * np.arange(m) - (m - 1)))


def _mean_gap(left: Floats, right: Floats) -> float:
    """Mean of |a - b| over a in left, b in right, both ascending."""
    below = np.searchsorted(left, right)
    sums = np.concatenate([[0.0], np.cumsum(left)])
    total = np.sum(right * (2 * below - len(left)) + sums[-1] - 2 * sums[below])
    return float(total) / (len(left) * len(right))
