"""Mutual information from distances to nearest neighbors."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from shearer._validate import value_error
from shearer.comparators.inputs import Floats, compared, points, standardized
from shearer.inference.permutation.resampling import check_count


def ksg(
    *data: Any,
    neighbors: int = 3,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> float:
    """Estimate mutual information, of more than two variables total correlation, in bits from nearest neighbors.

    The first estimator of Kraskov, Stögbauer and Grassberger (2004, "Estimating mutual information"): psi(k) + (L - 1)
    psi(n) - mean_i sum_l psi(n_l(i) + 1) for L variables and the digamma function psi. n_l(i) is the number of rows
    that are nearer to row i in variable l than the k-th nearest row is in all variables; the distance is the largest
    absolute difference of a coordinate. Each coordinate is divided by its standard deviation first. Where the k-th
    nearest row is equal to row i, all rows equal to it are counted, jointly and in each variable (Gao et al. 2017,
    "Estimating mutual information for discrete-continuous mixtures").

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables of shape (n,) or (n, d), or one table. Labels become indicator columns.
    neighbors : int, default 3
        k, from 1 to below the number of rows. A larger k has less variance and more bias.
    groups, missing
        As in `shearer.entropy`.

    Returns
    -------
    float
        Bits; can be negative.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, e = np.random.default_rng(0).normal(size=(2, 1000))
    >>> round(sh.comparators.ksg(x, 0.6 * x + 0.8 * e), 2), float(round(-0.5 * np.log2(1 - 0.36), 2))
    (0.32, 0.32)
    """
    check_count("neighbors", neighbors, 1)
    table = compared(data, groups, missing)
    n = table.rows
    if neighbors >= n:
        raise value_error("neighbors", f"fewer than the {n} rows", f"{neighbors}")
    blocks = [standardized(points(item)) for item in table.variables]
    radius, count = _neighborhoods(np.hstack(blocks), neighbors)
    marginal = sum(digamma(_within(block, radius) + 1.0) for block in blocks)
    nats = np.mean(digamma(count) - marginal) + (len(blocks) - 1) * digamma(n)
    return float(nats) / math.log(2.0)


def _neighborhoods(joint: Floats, neighbors: int) -> tuple[Floats, Floats]:
    """Distance to the k-th other row, and k, or how many rows coincide, the row itself included, where that is 0."""
    from scipy.spatial import KDTree

    tree = KDTree(joint)
    radius: Floats = tree.query(joint, k=[neighbors + 1], p=np.inf)[0][:, 0]
    count = np.full(len(joint), float(neighbors))
    tied = radius == 0
    if tied.any():
        count[tied] = tree.query_ball_point(joint[tied], 0.0, p=np.inf, return_length=True)
    return radius, count


def _within(block: Floats, radius: Floats) -> NDArray[np.float64]:
    """Other rows nearer than the radius, or at distance 0 where the radius is 0."""
    # The k-th neighbor itself lies on the edge: it must stay outside whichever way its distance was rounded.
    gap = np.maximum(1e-10 * radius, 8 * np.finfo(np.float64).eps * float(np.abs(block).max()))
    inside = np.maximum(radius - gap, 0.0)
    if block.shape[1] == 1:
        x = block[:, 0]
        ascending = np.sort(x)
        upper = np.searchsorted(ascending, x + inside, side="right")
        return (upper - np.searchsorted(ascending, x - inside, side="left") - 1).astype(np.float64)
    from scipy.spatial import KDTree

    counts: Floats = KDTree(block).query_ball_point(block, inside, p=np.inf, return_length=True) - 1.0
    return counts
