"""Largest correlations of functions of two variables: smooth ones of a kernel, or random ones of ranks."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.linalg

from shearer._validate import check_positive
from shearer.comparators.inputs import Floats, compared, points, ranks
from shearer.comparators.matrices import centered, kernel_matrices, rearranges
from shearer.data.table import Table
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Kernel
from shearer.spectrum.request import seed_of

# Directions shrunk to less than this move the correlation by no more.
_NEGLIGIBLE = 1e-9
# Smooth functions of one rank are nearly dependent. Directions below this part of the largest are left out, as the
# canonical correlation of the authors' program (R's cancor) does.
_RANK = 1e-7


def _shrunk_directions(kernel: Floats, regularization: float) -> Floats:
    """Directions of the centred kernel K, each times its shrinkage: F with F F' = P P', P = (K + n kappa/2)^-1 K."""
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


def _default_directions(table: Table) -> tuple[Floats, ...]:
    return tuple(_shrunk_directions(kernel, 0.02) for kernel in kernel_matrices(table))


@rearranges(_default_directions, _largest_correlation, square=False)
def kcca(
    *data: Any,
    regularization: float = 0.02,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Compute the first kernel canonical correlation of two variables of any dimension.

    The largest singular value of (K + n kappa/2)^-1 K L (L + n kappa/2)^-1 for centered kernel matrices K, L: the
    regularized correlation of a function of one variable with a function of the other, where a larger kappa asks for
    smoother functions (Bach and Jordan 2002, "Kernel independent component analysis", whose kappa for n <= 1000 is the
    default).

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two.
    regularization : float, default 0.02
        kappa, positive. Bach and Jordan take 0.002 for more than 1000 rows; here the default does not change.
    kernel, groups, missing
        As in `hsic`.

    Returns
    -------
    float
        From 0 to below 1, also for a variable and itself: the regularization shrinks it.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.linspace(-1, 1, 50)
    >>> round(sh.comparators.kcca(x, x**2), 4)
    0.8767
    """
    kappa = check_positive("regularization", regularization)
    kernels = kernel_matrices(compared(data, groups, missing, exactly=2), kernel)
    return _largest_correlation(*(_shrunk_directions(item, kappa) for item in kernels))


def rdc(
    *data: Any,
    features: int = 20,
    scale: float = 1 / 6,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    rng: np.random.Generator | int | None = 0,
) -> float:
    """Compute the randomized dependence coefficient of two variables of any dimension.

    The largest canonical correlation of random functions of the two: sin(w'u), where u are the ranks of the d
    coordinates divided by n, with a 1 appended, and w is normal with standard deviation scale / (d + 1) (Lopez-Paz,
    Hennig and Schölkopf 2013, "The randomized dependence coefficient"). At the default scale the functions are smooth;
    dependence that oscillates needs a larger one. The coefficient of independent variables is well above 0 if there
    are few rows.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of shape (n,) or (n, d), or one table of two. Labels are indicator columns.
    features : int, default 20
        Number of random functions of each variable.
    scale : float, default 1/6
        Scale of the random frequencies w, positive.
    groups, missing
        As in `shearer.entropy`.
    rng : int, Generator or None, default 0
        Source of the frequencies. Both variables start from one seed, so that the coefficient is symmetric.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, y = np.random.default_rng(0).uniform(-1, 1, size=(2, 1000))
    >>> round(sh.comparators.rdc(x, x**2), 2), round(sh.comparators.rdc(x, y), 1)
    (1.0, 0.0)
    """
    check_count("features", features, 1)
    check_positive("scale", scale)
    seed = seed_of(rng)
    left, right = (
        _directions(points(item), features, scale, seed) for item in compared(data, groups, missing, 2).variables
    )
    if min(left.shape[1], right.shape[1]) == 0:
        return 0.0
    return min(1.0, float(np.linalg.norm(left.T @ right, 2)))


def _directions(values: Floats, features: int, scale: float, seed: int) -> Floats:
    """An orthonormal basis of the centred random functions."""
    n, d = values.shape
    uniform = np.column_stack([ranks(values) / n, np.ones(n)])
    frequencies = np.random.default_rng(seed).normal(scale=scale / (d + 1), size=(d + 1, features))
    functions = np.sin(uniform @ frequencies)
    basis, sizes, _ = np.linalg.svd(functions - functions.mean(axis=0), full_matrices=False)
    kept: Floats = basis[:, sizes > _RANK * max(float(sizes[0]), _RANK)]
    return kept
