"""Mutual information and total correlation of binned columns."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option
from shearer.comparators.inputs import compared, scalar
from shearer.data.arrays import to_numpy
from shearer.data.variables import Variable
from shearer.inference.permutation.resampling import check_count

EDGES = ("quantile", "width")
# Rows a cell should hold on average for its share to be estimated at all (Cochran's rule).
_ROWS_A_CELL = 5


def binned_mutual_information(
    *data: Any, bins: int | None = None, edges: str = "quantile", missing: str = "error"
) -> float:
    """Compute the mutual information of two binned columns, in bits, from relative frequencies.

    The frequencies are plugged into the formula without correction, so that the estimate is biased upwards.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two columns of numbers or labels, or one table of two. Each label is a bin of its own.
    bins : int, optional
        Bins of each column of numbers. Default: sqrt(n/5) rounded down, so that a cell has at least 5 rows on average;
        at least 2.
    edges : {"quantile", "width"}, default "quantile"
        Bins with equal numbers of rows, where equal values stay in one bin, or bins of equal width.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        Bits, not negative.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.arange(100.0)
    >>> sh.comparators.binned_mutual_information(x, (x - 49.5) ** 2, bins=4)  # the bin of x leaves two of four bins
    1.0
    """
    return _total_correlation(_codes(data, bins, edges, missing, exactly=2))


def binned_total_correlation(
    *data: Any, bins: int | None = None, edges: str = "quantile", normalize: bool = True, missing: str = "error"
) -> float:
    """Compute the total correlation of two or more binned columns, as Joe's coefficient or in bits.

    Joe's coefficient is sqrt(1 - exp(-2 T)) with T in nats; for a bivariate normal distribution it is |rho| (Joe 1989,
    "Relative entropy measures of multivariate dependence"). As in `binned_mutual_information`, T is biased upwards.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more columns of numbers or labels, or one table. Each label is a bin of its own.
    bins : int, optional
        Bins of each column of numbers. Default: (n/5)^(1/d) for d columns, rounded down; at least 2.
    edges, missing
        As in `binned_mutual_information`.
    normalize : bool, default True
        True: Joe's coefficient. False: bits.

    Returns
    -------
    float
        From 0 to 1, or bits.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = list("aabb"), list("uvuv")
    >>> sh.comparators.binned_total_correlation(a, b, list("0110"), normalize=False)  # XOR
    1.0
    """
    check_option("normalize", normalize, (True, False))
    bits = _total_correlation(_codes(data, bins, edges, missing, exactly=None))
    return math.sqrt(-math.expm1(-2.0 * math.log(2.0) * bits)) if normalize else bits


def _codes(
    data: tuple[Any, ...], bins: int | None, edges: str, missing: str, exactly: int | None
) -> list[NDArray[np.intp]]:
    check_option("edges", edges, EDGES)
    if bins is not None:
        check_count("bins", bins, 1)
    table = compared(data, None, missing, exactly)
    # Half a unit of round-off: 125^(1/3) must be 5.
    most = (table.rows / _ROWS_A_CELL) ** (1.0 / len(table.variables)) + 1e-9
    return [_binned(item, max(2, int(most)) if bins is None else bins, edges) for item in table.variables]


def _binned(variable: Variable, bins: int, edges: str) -> NDArray[np.intp]:
    if variable.kind == "categorical":
        return to_numpy(variable.blocks[0].values).astype(np.intp)
    x = scalar(variable)
    low, high = x.min(), x.max()
    if edges == "width":
        share = (x - low) / (high - low) if high > low else np.zeros(len(x))
        return np.minimum((share * bins).astype(np.intp), bins - 1)
    # By the number of smaller values: equal ones stay together, and no edge needs interpolating.
    return np.searchsorted(np.sort(x), x, side="left") * bins // len(x)


def _total_correlation(codes: list[NDArray[np.intp]]) -> float:
    """Sum H(X_k) - H(X) of the counts, in bits; round-off below 0 is 0."""
    joint = np.unique(np.column_stack(codes), axis=0, return_counts=True)[1]
    single = [np.unique(code, return_counts=True)[1] for code in codes]
    return max(0.0, math.fsum(map(_entropy, single)) - _entropy(joint))


def _entropy(counts: NDArray[np.intp]) -> float:
    shares = counts / counts.sum()
    return float(-np.sum(shares * np.log2(shares)))
