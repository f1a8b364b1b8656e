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
    """Compute the copula-based kernel dependency measure of two or more columns.

    The squared maximum mean discrepancy (MMD) between the ranks and the uniform distribution on the unit cube:
    mean_ij k(u_i, u_j) - 2 mean_i E k(u_i, V) + E k(V, V') for ranks u divided by n, a Gaussian kernel k, and V, V'
    uniform and independent (Póczos, Ghahramani and Schneider 2012, "Copula-based kernel dependency measures"). The
    expectations are computed in closed form; other programs draw V at random. The paper does not say which bandwidth,
    and does not normalize. Tied ranks are not uniform and raise the value, even if the columns are independent.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more columns of numbers, or one table.
    bandwidth : float or "median", default "median"
        Bandwidth of the kernel on the unit cube; "median": the median of the distances between rows of ranks.
    normalize : bool, default True
        Divide by the value for columns without ties that all have the same ranks.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        Not negative. Normalized: near 0 for independent columns, 1 for columns with the same ranks; with ties it can
        exceed 1.

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
    """Compute the total correlation of a Gaussian copula fitted to two or more variables of any dimension, in bits.

    log2(prod_k det R_kk / det R) / 2, where R is the correlation matrix of the normal scores (the normal quantiles of
    the ranks divided by n + 1) and R_kk its block for variable k. Only correlations of normal scores count, so that
    dependence that is not monotone is missed; of scalars it is, for many rows, at most the true total correlation.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables of numbers, of shape (n,) or (n, d), or one table.
    groups, missing
        As in `shearer.entropy`.

    Returns
    -------
    float
        Bits, not negative. Infinite if R is singular: where the normal scores of one variable are a linear combination
        of those of the others (as for a column and a strictly monotone function of it), and where there are as many
        columns as rows, or more.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, e = np.random.default_rng(0).normal(size=(2, 2000))
    >>> sh.comparators.gaussian_total_correlation(x, np.exp(x))
    inf
    >>> round(sh.comparators.gaussian_total_correlation(x, 0.6 * x + 0.8 * e), 2)  # -log2(1 - 0.36) / 2 = 0.32
    0.31
    """
    return _bits(-_log_determinant(_scores(data, groups, missing)))


def gaussian_dual_total_correlation(
    *data: Any, groups: Mapping[str, Iterable[str]] | None = None, missing: str = "error"
) -> float:
    """Compute the dual total correlation of a Gaussian copula fitted to two or more variables, in bits.

    log2(prod_k det R(k) / (det R)^(L-1)) / 2 for L variables of any dimension, where R is the correlation matrix of the
    normal scores and R(k) that of all variables but k, after the coordinates of each vector have been made
    uncorrelated. For two variables it equals `gaussian_total_correlation`.

    Parameters
    ----------
    *data, groups, missing
        As in `gaussian_total_correlation`.

    Returns
    -------
    float
        Bits, not negative; infinite as in `gaussian_total_correlation`.

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
