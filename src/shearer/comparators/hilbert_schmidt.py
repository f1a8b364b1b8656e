"""Hilbert-Schmidt independence criterion of two variables, and its extension to any number."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from shearer._validate import check_option, value_error
from shearer.comparators.inputs import Floats, compared
from shearer.comparators.matrices import centered, kernel_matrices, rearranges, u_centered
from shearer.data.table import Table
from shearer.kernels import Kernel


def _centered_kernels(table: Table) -> tuple[Floats, ...]:
    return tuple(map(centered, kernel_matrices(table)))


def _mean_product(left: Floats, right: Floats) -> float:
    return float(np.vdot(left, right)) / len(left) ** 2


@rearranges(_centered_kernels, _mean_product)
def hsic(
    *data: Any,
    unbiased: bool = False,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the Hilbert-Schmidt independence criterion (HSIC) of two variables of any dimension.

    tr(KHLH) / n^2 for kernel matrices K, L and the centering matrix H (Gretton et al. 2008, "A kernel statistical test
    of independence"): the squared distance between the joint distribution and the product of the marginal ones in the
    reproducing kernel Hilbert space. In the population it is 0 only under independence, if the kernels are
    characteristic, as the default ones are. It is not normalized.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two.
    unbiased : bool, default False
        True: the unbiased estimate (Song et al. 2012, "Feature selection via dependence maximization"), whose mean is
        0 under independence; needs 4 rows.
    kernel : Kernel or mapping of name -> Kernel, optional
        For all continuous variables, or for the named ones. Default: for each variable a Gaussian kernel whose
        bandwidth is the median of its distances; labels have the delta kernel.
    groups, missing
        As in `shearer.entropy`.

    Returns
    -------
    float
        Not negative; the unbiased estimate can be negative.

    Examples
    --------
    >>> import shearer as sh
    >>> labels = ["a", "a", "b", "b"]
    >>> sh.comparators.hsic(labels, labels), sh.comparators.hsic(labels, ["u", "v", "u", "v"])
    (0.25, 0.0)
    """
    check_option("unbiased", unbiased, (True, False))
    table = compared(data, groups, missing, exactly=2)
    left, right = kernel_matrices(table, kernel)
    if not unbiased:
        return _mean_product(centered(left), right)
    n = table.rows
    if n < 4:
        raise value_error("data", "at least 4 rows for unbiased=True", f"{n}")
    return float(np.vdot(u_centered(left), u_centered(right))) / (n * (n - 3))


def _joint_less_margins(*kernels: Floats) -> float:
    rows = [kernel.mean(axis=0) for kernel in kernels]
    joint, apart = reduce(mul, kernels).mean(), np.prod([row.mean() for row in rows])
    return float(joint + apart - 2 * reduce(mul, rows).mean())


@rearranges(kernel_matrices, _joint_less_margins)
def dhsic(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute dHSIC, the HSIC of two or more variables of any dimension.

    mean_ij(prod_k K^k_ij) + prod_k mean_ij(K^k_ij) - 2 mean_i(prod_k mean_j K^k_ij): the squared distance between the
    joint distribution and the product of all marginal ones (Pfister et al. 2018, "Kernel-based tests for joint
    independence"). For two variables it equals `hsic`.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables of shape (n,) or (n, d), or one table.
    kernel, groups, missing
        As in `hsic`.

    Returns
    -------
    float
        Not negative.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True], [False, True, False, True]
    >>> sh.comparators.dhsic(a, b, [i != j for i, j in zip(a, b)])  # XOR: every two are independent
    0.125
    """
    return _joint_less_margins(*kernel_matrices(compared(data, groups, missing), kernel))
