"""Studentized statistics that are standard normal under independence, so that tests need no permutations."""

import math
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from shearer._validate import value_error
from shearer.comparators.inputs import Floats, compared
from shearer.comparators.matrices import centered, kernel_matrices
from shearer.data.table import Table
from shearer.kernels import Kernel

# Kernels are at most 1: less than this is what rounding leaves of a variable that does not vary.
_ROUND_OFF = 1e-12


def mhsic(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the martingale HSIC of two variables of any dimension, a test statistic that needs no permutations.

    sum_i t_i / sqrt(sum_i t_i^2) with t_i = sum_{j<i} (HKH)_ij (HLH)_ij, for kernel matrices K, L and the centering
    matrix H (Laumann, Liu and Barahona 2026, "A martingale kernel independence test", arXiv 2605.22549). For many
    independent rows it is standard normal under independence and large under dependence: the p-value is
    ``scipy.stats.norm.sf`` of it. It depends on the order of the rows.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two.
    kernel, groups, missing
        As in `hsic`.

    Returns
    -------
    float
        The statistic; 0 if a variable is constant.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, y = np.random.default_rng(0).normal(size=(2, 200))
    >>> round(sh.comparators.mhsic(x, x**2), 1), round(sh.comparators.mhsic(x, y), 1)
    (9.6, 0.4)
    """
    kernels = kernel_matrices(compared(data, groups, missing, exactly=2), kernel)
    return _self_normalized(reduce(mul, map(centered, kernels)))


def mdhsic(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the martingale dHSIC of two or more variables of any dimension, a test statistic without permutations.

    The statistic of `mhsic` for the product of all centered kernel matrices over the second half of the rows, each
    centered by its means over the first half. Implemented after the abstract of arXiv 2605.22549, which describes the
    construction in words. It detects dependence in which all variables take part, not a dependent pair beside
    variables that are independent of it.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables of shape (n,) or (n, d), or one table; 4 rows or more.
    kernel, groups, missing
        As in `hsic`.

    Returns
    -------
    float
        The statistic; 0 if a variable is constant.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> a, b, e = np.random.default_rng(0).normal(size=(3, 400))
    >>> round(sh.comparators.mdhsic(a, b, np.sign(a * b) * abs(e)), 1)  # every two are independent
    9.4
    """
    table = _halves(data, groups, missing, exactly=None)
    half = table.rows // 2
    moved = []
    for matrix in kernel_matrices(table, kernel):
        means = matrix[half:, :half].mean(axis=1)
        moved.append(matrix[half:, half:] - means[:, None] - means[None, :] + matrix[:half, :half].mean())
    return _self_normalized(reduce(mul, moved))


def xhsic(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the cross HSIC of two variables of any dimension, a test statistic that needs no permutations.

    The inner product of the cross-covariance operators of the first and of the second half of the rows, as a
    U-statistic of the first half given the second, divided by its estimated standard deviation (Shekhar, Kim and Ramdas
    2023, "A permutation-free kernel independence test"). For many rows it is standard normal under independence and
    large under dependence: the p-value is ``scipy.stats.norm.sf`` of it. If the number of rows is odd, the last row is
    left out.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two; 6 rows or more.
    kernel, groups, missing
        As in `hsic`.

    Returns
    -------
    float
        The statistic; 0 if a variable is constant.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, y = np.random.default_rng(0).normal(size=(2, 200))
    >>> round(sh.comparators.xhsic(x, x**2), 1), round(sh.comparators.xhsic(x, y), 1)
    (13.7, 0.3)
    """
    table = _halves(data, groups, missing, exactly=2, least=6)
    half = table.rows // 2
    left, right = (matrix[:half, half : 2 * half] for matrix in kernel_matrices(table, kernel))
    return _cross_statistic(left, right)


def _halves(data: tuple[Any, ...], groups: Any, missing: str, exactly: int | None, least: int = 4) -> Table:
    table = compared(data, groups, missing, exactly)
    if table.rows < least:
        raise value_error("data", f"at least {least} rows, which are split in two", f"{table.rows}")
    return table


def _self_normalized(products: Floats) -> float:
    steps = np.tril(products, -1).sum(axis=1)
    size = math.sqrt(float(steps @ steps))
    return float(steps.sum()) / size if size > _ROUND_OFF * len(steps) else 0.0


def _cross_statistic(left: Floats, right: Floats) -> float:
    """From kernels between the halves, rows of the first against rows of the second.

    With C the unbiased covariance operator of the second half and P_ij = <C, phi(x_i) psi(y_j)>, the kernel of the
    U-statistic is h_ij = (P_ii + P_jj - P_ij - P_ji) / 2; of P only the diagonal, row and column sums are needed.
    """
    n = len(left)
    a, b = left.sum(axis=1), right.sum(axis=1)
    # P = K L' / (n - 1) - a b' / (n (n - 1)), since 1/n + 1/(n (n - 1)) = 1/(n - 1)
    diagonal = np.einsum("ij,ij->i", left, right) / (n - 1) - a * b / (n * (n - 1))
    rows = left @ right.sum(axis=0) / (n - 1) - a * b.sum() / (n * (n - 1))
    columns = right @ left.sum(axis=0) / (n - 1) - b * a.sum() / (n * (n - 1))
    means = (n * diagonal + diagonal.sum() - rows - columns) / (2 * (n - 1))
    value = float(means.mean())
    deviation = 2.0 * math.sqrt(n - 1) / (n - 2) * math.sqrt(float(np.sum((means - value) ** 2)))
    return math.sqrt(n) * value / deviation if deviation > _ROUND_OFF else 0.0
