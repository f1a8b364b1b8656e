"""Measures of the copula: of ranks against the uniform law, and information of a Gaussian copula."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist
from scipy.special import ndtr, ndtri

from shearer._validate import check_option, check_positive
from shearer.comparators.inputs import Floats, compared, numbers, ranks, scalars


def c_kdm(*data: Any, bandwidth: float | str = "median", normalize: bool = True, missing: str = "error") -> float:
    """Copula-based kernel dependency of two or more columns: the squared MMD of their ranks to the uniform law.

    mean_ij k(u_i, u_j) - 2 mean_i E k(u_i, V) + E k(V, V') for ranks u over n, a Gaussian kernel k and V, V' uniform on
    the cube, expectations in closed form (Póczos, Ghahramani and Schneider 2012, "Copula-based kernel dependency
    measures", which leaves the width open; common code draws V at random). Normalising is ours. Ranks with ties are
    not uniform, and count as dependence although the columns may have none.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more columns of numbers, or one table.
    bandwidth : float or "median"
        Width of the kernel on the unit cube; "median": of the distances between rows of ranks.
    normalize : bool, default True
        Divide by the value of columns that all have the same ranks: 1 then, and near 0 under independence.
    missing : {"error", "drop"}
        What to do with rows that lack a value.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, y = np.random.default_rng(0).normal(size=(2, 500))
    >>> round(sh.comparators.c_kdm(x, np.exp(x)), 6), round(sh.comparators.c_kdm(x, y), 2)
    (1.0, 0.0)
    """
    check_option("normalize", normalize, (True, False))
    columns = np.column_stack(scalars(data, missing, exactly=None))
    n, d = columns.shape
    uniform = ranks(columns) / n
    if isinstance(bandwidth, str):
        check_option("bandwidth", bandwidth, ("median",))
        distances = pdist(uniform)
        width = float(np.median(distances[distances > 0])) if distances.any() else 1.0
    else:
        width = check_positive("bandwidth", bandwidth)
    value = _to_uniform(uniform, width)
    if not normalize:
        return value
    return value / _to_uniform(np.repeat(np.arange(1.0, n + 1)[:, None] / n, d, axis=1), width)


def _to_uniform(points: Floats, width: float) -> float:
    """Squared MMD between the points and the uniform law on the unit cube; not negative."""
    among = np.exp(cdist(points, points, "sqeuclidean") / (-2.0 * width**2)).mean()
    # The integral of exp(-(u - v)^2 / 2 w^2) over v from 0 to 1, and that of it over u.
    size = width * math.sqrt(2.0 * math.pi)
    single = size * (ndtr((1.0 - points) / width) - ndtr(-points / width))
    both = size * (2.0 * ndtr(1.0 / width) - 1.0) + 2.0 * width**2 * math.expm1(-0.5 / width**2)
    return max(0.0, float(among - 2.0 * np.mean(np.prod(single, axis=1)) + both ** points.shape[1]))


def gaussian_total_correlation(
    *data: Any, groups: Mapping[str, Iterable[str]] | None = None, missing: str = "error"
) -> float:
    """Total correlation in bits of the Gaussian copula of two or more variables of any dimension.

    log2(prod_k det R_kk / det R) / 2 for the correlations R of normal scores, the normal quantiles of ranks over n + 1:
    a lower bound that sees monotone dependence only. Infinite where one variable is a linear function of the others.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables of numbers, of shape (n,) or (n, d), or one table.
    groups, missing
        As in `shearer.entropy`.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, e = np.random.default_rng(0).normal(size=(2, 2000))
    >>> round(sh.comparators.gaussian_total_correlation(x, 0.6 * x + 0.8 * e), 2)  # -log2(1 - 0.36) / 2 = 0.32
    0.31
    """
    return _bits(-_log_determinant(_scores(data, groups, missing)))


def gaussian_dual_total_correlation(
    *data: Any, groups: Mapping[str, Iterable[str]] | None = None, missing: str = "error"
) -> float:
    """Dual total correlation in bits of the Gaussian copula of two or more variables of any dimension.

    log2(prod_k det R(k) / (det R)^(L-1)) / 2, R(k) the correlations of all variables but k, each variable made
    uncorrelated in itself. Of two variables it is `gaussian_total_correlation`.

    Parameters
    ----------
    *data, groups, missing
        As in `gaussian_total_correlation`.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, a, b = np.random.default_rng(0).normal(size=(3, 2000))
    >>> round(sh.comparators.gaussian_dual_total_correlation(x, x + a, x + b), 2)
    0.79
    """
    blocks = _scores(data, groups, missing)
    whole = _log_determinant(blocks)
    if math.isinf(whole):
        return math.inf
    without = [_log_determinant(blocks[:k] + blocks[k + 1 :]) for k in range(len(blocks))]
    return _bits(math.fsum(without) - (len(blocks) - 1) * whole)


def _scores(data: tuple[Any, ...], groups: Mapping[str, Iterable[str]] | None, missing: str) -> list[Floats]:
    """For each variable an orthonormal basis of its normal scores: only the space they span matters."""
    blocks = []
    for item in compared(data, groups, missing).variables:
        scores = ndtri(ranks(numbers(item)) / (len(numbers(item)) + 1.0))
        basis, sizes, _ = np.linalg.svd(scores - scores.mean(axis=0), full_matrices=False)
        blocks.append(basis[:, sizes > len(scores) * np.finfo(np.float64).eps * max(float(sizes[0]), 1.0)])
    return blocks


def _log_determinant(blocks: list[Floats]) -> float:
    """Ln det R of variables that are uncorrelated in themselves; -inf where R is singular."""
    joint = np.hstack(blocks)
    if joint.shape[1] > len(joint) - 1:
        return -math.inf
    squares = np.linalg.svd(joint, compute_uv=False) ** 2
    if np.any(squares <= len(joint) * np.finfo(np.float64).eps):
        return -math.inf
    return float(np.sum(np.log(squares)))


def _bits(nats_twice: float) -> float:
    return max(0.0, nats_twice / (2.0 * math.log(2.0)))
