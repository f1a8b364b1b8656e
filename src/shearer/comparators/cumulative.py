"""Dependence by cumulative entropy, -int F ln F, which needs no density and no bins of the variable itself."""

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from shearer._validate import check_option
from shearer.comparators.inputs import Floats, near_one, scalars
from shearer.inference.permutation.resampling import check_count

# Lloyd's iteration ends after a dozen rounds on most data; a partition that still moves is as good as the next.
_ROUNDS = 100
# Fewer rows in a cluster say nothing of a distribution.
_ROWS_A_CLUSTER = 5


def cmi(*data: Any, clusters: int = 10, normalize: bool = True, missing: str = "error") -> float:
    """Compute the cumulative mutual information of two or more columns.

    sum_{i>1} h(X_i) - h(X_i | X_1 ... X_{i-1}), where h(X) = -int F(x) ln F(x) dx is the cumulative entropy of the
    empirical distribution function F, each column is scaled to [0, 1], and conditioning is on clusters of the columns
    before (Nguyen et al. 2013, "CMI: an information-theoretic contrast measure for enhancing subspace cluster and
    outlier detection"). Implemented from this description: the order is greedy, first the pair and then the column with
    the largest difference; the clusters are those of k-means from evenly spaced starts. The normalization is not in the
    paper.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more columns of numbers, or one table.
    clusters : int, default 10
        Number of clusters of the columns conditioned on, ten as in the authors' program; never more than a fifth of
        the rows.
    normalize : bool, default True
        Divide by the sum of h(X_i) over i > 1.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        Normalized: from 0 to 1, and 0 if all columns are constant. Above 0 for independent columns too, and more so
        with few rows.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, y = np.random.default_rng(0).uniform(-1, 1, size=(2, 500))
    >>> round(sh.comparators.cmi(x, x**2), 2), round(sh.comparators.cmi(x, y), 2)
    (0.79, 0.03)
    """
    check_count("clusters", clusters, 1)
    check_option("normalize", normalize, (True, False))
    columns = np.column_stack([_scaled(x) for x in scalars(data, missing, exactly=None)])
    count = max(1, min(clusters, len(columns) // _ROWS_A_CLUSTER))
    single = [cumulative_entropy(column) for column in columns.T]
    alone = [_clustered(columns[:, [j]], count) for j in range(columns.shape[1])]
    gains = {(j, i): single[i] - _given(columns[:, i], alone[j]) for j, i in permutations(range(len(single)), 2)}
    pair = max(gains, key=lambda pair: gains[pair])
    order, total = list(pair), gains[pair]
    while len(order) < len(single):
        before = _clustered(columns[:, order], count)
        rest = [i for i in range(len(single)) if i not in order]
        gained = [single[i] - _given(columns[:, i], before) for i in rest]
        order.append(rest[int(np.argmax(gained))])
        total += max(gained)
    if not normalize:
        return total
    size = sum(single[i] for i in order[1:])
    return total / size if size > 0 else 0.0


def cumulative_entropy(x: Floats) -> float:
    """-int F ln F of the empirical distribution, in the unit of x."""
    ascending = np.sort(x)
    share = np.arange(1, len(x)) / len(x)
    return float(-np.sum(np.diff(ascending) * share * np.log(share)))


def _given(x: Floats, labels: NDArray[np.intp]) -> float:
    """Cumulative entropy within clusters, weighted by their sizes."""
    order = np.argsort(labels, kind="stable")
    parts = np.split(x[order], np.flatnonzero(np.diff(labels[order])) + 1)
    return sum(len(part) / len(x) * cumulative_entropy(part) for part in parts)


def _scaled(x: Floats) -> Floats:
    x = near_one(x)[0]  # the range of what is near the largest float is none
    size = np.ptp(x)
    return (x - x.min()) / size if size > 0 else np.zeros_like(x)


def _clustered(values: Floats, count: int) -> NDArray[np.intp]:
    """Clusters by Lloyd's iteration from starts evenly spaced along the diagonal, whatever the order of the rows."""
    along = np.lexsort((*values.T, values.sum(axis=1)))
    places = ((np.arange(count) + 0.5) * len(values) / count).astype(np.intp)
    centers = values[along[places]]
    labels = np.zeros(len(values), dtype=np.intp)
    for _ in range(_ROUNDS):
        nearest = np.argmin(cdist(values, centers, "sqeuclidean"), axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        sizes = np.bincount(labels, minlength=count)
        kept = sizes > 0
        sums = np.stack([np.bincount(labels, weights=column, minlength=count) for column in values.T], axis=1)
        centers[kept] = sums[kept] / sizes[kept, None]
    return labels
