"""Kernel canonical correlation: the largest correlation of functions of two variables, regularised."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.linalg

from shearer._blocks import Variables
from shearer._validate import check_positive
from shearer.comparators.inputs import Floats, read
from shearer.comparators.matrices import centered, kernel_matrices, rearranges
from shearer.kernels import Kernel

# Directions shrunk to less than this move the correlation by no more.
_NEGLIGIBLE = 1e-9


def _shrunk_directions(kernel: Floats, regularization: float) -> Floats:
    """F with F F' = (P P'), P = (K + n kappa/2)^-1 K of the centred kernel: its directions times their shrinkage."""
    values, vectors = scipy.linalg.eigh(centered(kernel), driver="evd")
    values = np.maximum(values, 0.0)
    shrunk = values / (values + len(kernel) * regularization / 2)
    kept = shrunk > _NEGLIGIBLE
    directions: Floats = vectors[:, kept] * shrunk[kept]
    return directions


def _largest_correlation(left: Floats, right: Floats) -> float:
    cross = left.T @ right if left.shape[1] >= right.shape[1] else right.T @ left
    if cross.size == 0:
        return 0.0
    last = cross.shape[1] - 1
    square = scipy.linalg.eigvalsh(cross.T @ cross, subset_by_index=(last, last))
    return float(np.sqrt(max(square[0], 0.0)))


def _default_directions(variables: Variables) -> tuple[Floats, ...]:
    return tuple(_shrunk_directions(kernel, 0.02) for kernel in kernel_matrices(variables))


@rearranges(_default_directions, _largest_correlation, square=False)
def kcca(
    *data: Any,
    regularization: float = 0.02,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """First kernel canonical correlation of two variables of any dimension, from 0 to 1.

    The largest singular value of (K + n kappa/2)^-1 K L (L + n kappa/2)^-1 for centred kernels K, L: the largest
    correlation of a function of one variable with a function of the other, both smooth in the measure of kappa
    (Bach and Jordan 2002, "Kernel independent component analysis", whose kappa for n <= 1000 is the default).

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two.
    regularization : float, default 0.02
        kappa. Bach and Jordan take 0.002 beyond 1000 rows.
    kernel, groups, missing
        As in `hsic`.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.linspace(-1, 1, 50)
    >>> round(sh.comparators.kcca(x, x**2), 4)
    0.8767
    """
    kappa = check_positive("regularization", regularization)
    kernels = kernel_matrices(read(data, groups, missing, exactly=2), kernel)
    return _largest_correlation(*(_shrunk_directions(item, kappa) for item in kernels))
