"""The classical coefficients of two columns of numbers: Pearson, Spearman, Kendall."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option
from shearer.comparators.inputs import Floats, ranks, scalars, varies


def pearson(*data: Any, signed: bool = True, missing: str = "error") -> float:
    """Compute Pearson's correlation of two columns; 0 if either is constant.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two columns of numbers, or one table of two.
    signed : bool, default True
        False: the absolute value. As a permutation test looks at the upper tail only, the signed coefficient makes it
        a one-sided test for positive correlation, and the absolute value a two-sided test.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        From -1 to 1, or from 0 to 1 for the absolute value.

    Examples
    --------
    >>> import shearer as sh
    >>> [round(sh.comparators.pearson([1, 2, 3], [6, 4, 2], signed=signed), 6) for signed in (True, False)]
    [-1.0, 1.0]
    """
    return _with_sign(correlation(*scalars(data, missing)), signed)


def spearman(*data: Any, signed: bool = True, missing: str = "error") -> float:
    """Compute Spearman's rank correlation of two columns, with mean ranks for ties; 0 if either is constant.

    Parameters
    ----------
    *data, signed, missing
        As in `pearson`.

    Returns
    -------
    float
        From -1 to 1, or from 0 to 1 for the absolute value.

    Examples
    --------
    >>> import shearer as sh
    >>> round(sh.comparators.spearman([1, 2, 3, 4], [1, 8, 27, 64]), 6)
    1.0
    """
    return _with_sign(correlation(*map(ranks, scalars(data, missing))), signed)


def kendall(*data: Any, signed: bool = True, missing: str = "error") -> float:
    """Compute Kendall's tau-b of two columns; 0 if either is constant.

    The number of concordant pairs of rows minus that of discordant ones, divided by sqrt(n_x n_y), where n_x and n_y
    are the numbers of pairs that are not tied in x and in y.

    Parameters
    ----------
    *data, signed, missing
        As in `pearson`.

    Returns
    -------
    float
        From -1 to 1, or from 0 to 1 for the absolute value.

    Examples
    --------
    >>> import shearer as sh
    >>> round(sh.comparators.kendall([1, 2, 3, 4], [1, 3, 2, 4]), 6)  # 5 of 6 pairs are concordant
    0.666667
    """
    from scipy.stats import kendalltau

    x, y = scalars(data, missing)
    if not (varies(x) and varies(y)):
        check_option("signed", signed, (True, False))
        return 0.0
    return _with_sign(float(kendalltau(x, y).statistic), signed)


def correlation(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Correlate two columns of finite numbers; 0 where either is constant.

    They are moved to 0 and scaled to size 1 first: nothing is lost, and squares neither overflow nor vanish.

    Examples
    --------
    >>> round(correlation(np.array([1.0, 2.0, 3.0]), np.array([6.0, 4.0, 2.0])), 6)
    -1.0
    """
    parts = []
    for values in (x, y):
        moved = unit_range(values)
        if not moved.any():
            return 0.0
        offset = moved - np.mean(moved)
        parts.append(offset / np.linalg.norm(offset))
    return float(np.clip(parts[0] @ parts[1], -1.0, 1.0))


def unit_range(values: Floats) -> Floats:
    """A column less its first value, at a range of 1; 0 where it is constant.

    Examples
    --------
    >>> unit_range(np.array([1e308, -1e308, 0.0])).tolist()
    [0.0, -1.0, -0.5]
    """
    scaled = np.ldexp(values, -np.frexp(np.abs(values).max(initial=0.0))[1])  # to below 1, exactly
    moved: Floats = scaled - scaled[:1]
    size = np.ptp(moved) if moved.size else 0.0
    return moved / size if size > 0 else moved


def _with_sign(value: float, signed: bool) -> float:
    check_option("signed", signed, (True, False))
    return value if signed else abs(value)
