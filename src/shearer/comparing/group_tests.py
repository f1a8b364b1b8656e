"""Do means differ between groups? Sums of squares against a mixture of chi-square laws."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.pearson3 import pearson3_tail

Floats = NDArray[np.float64]

#: Clusters that a comparison must rest on: fewer, where some outweigh the others, have no known law.
FEWEST_UNITS = 10
_TINY = 1e-30


class GroupMeans(NamedTuple):
    """Estimates of the same k means in several groups.

    Attributes
    ----------
    means : array (groups, k)
        The estimates.
    covariance : array (groups * k, groups * k)
        Of all of them; groups of independent rows have a block each.
    rows : array (groups,)
        Rows of the groups.
    """

    means: Floats
    covariance: Floats
    rows: Floats


def independent_groups(means: Sequence[Floats], covariances: Sequence[Floats], rows: Sequence[float]) -> GroupMeans:
    """Groups whose rows have nothing to do with each other."""
    groups, k = len(means), len(means[0])
    whole = np.zeros((groups, k, groups, k))
    for place, own in enumerate(covariances):
        whole[place, :, place] = own
    return GroupMeans(np.stack(means), whole.reshape(groups * k, groups * k), np.asarray(rows, dtype=np.float64))


def matched_groups(means: Sequence[Floats], sums: Sequence[Floats], rows: Sequence[float]) -> GroupMeans:
    """Groups that share clusters of rows; covariances are nan where all rests on a few of these.

    Parameters
    ----------
    means : sequence of array (k,)
        The estimates.
    sums : sequence of array (clusters, k)
        Influences of the rows of each cluster in the group, over the rows of the group; 0 where it has none.
    rows : sequence of float
        Rows of the groups.
    """
    stacked = np.concatenate(sums, axis=1)
    squares = (stacked**2).sum(axis=1)
    if squares.sum() ** 2 < FEWEST_UNITS * (squares**2).sum():
        stacked = np.full_like(stacked, np.nan)
    count = int(np.any(stacked != 0, axis=1).sum())
    stacked = stacked - stacked.mean(axis=0)
    return GroupMeans(
        np.stack(means), stacked.T @ stacked * count / max(count - 1, 1), np.asarray(rows, dtype=np.float64)
    )


def difference_pvalue(groups: GroupMeans, features: Sequence[int] | None = None) -> float:
    """p-value of equal means: sum over groups of n_g |m_g - m|^2, m the mean of all rows.

    The law is that of a weighted sum of chi-square variables, by its first three moments.

    Examples
    --------
    >>> means = [np.array([0.0, 0.1]), np.array([0.3, 0.1])]
    >>> groups = independent_groups(means, [np.eye(2) / 100, np.eye(2) / 100], [100, 100])
    >>> 0.05 < difference_pvalue(groups) < 0.15, difference_pvalue(groups, [1])
    (True, 1.0)
    """
    count, k = groups.means.shape
    chosen = np.arange(k) if features is None else np.asarray(features)
    means = groups.means[:, chosen]
    covariance = groups.covariance.reshape(count, k, count, k)[:, chosen][:, :, :, chosen]
    roots, share = np.sqrt(groups.rows), groups.rows / groups.rows.sum()
    removed = roots[:, None] * (np.eye(count) - share)
    statistic = float(((removed @ means) ** 2).sum())
    law = np.einsum("ag,gihj,bh->aibj", removed, covariance, removed, optimize=True)
    size = count * len(chosen)
    law = law.reshape(size, size)
    first, squared = float(np.trace(law)), law @ law
    second, third = float(np.trace(squared)), float(np.vdot(squared, law))
    if math.isnan(first):
        return math.nan
    if first <= _TINY or second <= _TINY**2:
        return 1.0 if statistic <= _TINY else math.nan
    z = (statistic - first) / math.sqrt(2 * second)
    return float(np.clip(pearson3_tail(z, math.sqrt(8) * third / second**1.5), limits.SMALLEST_PVALUE, 1.0))


def joined_pvalue(groups: GroupMeans, components: Sequence[Sequence[int]], weights: Sequence[float]) -> float:
    """The p-values of several sets of means as one."""
    pvalues = [difference_pvalue(groups, own) for own in components]
    return math.nan if all(map(math.isnan, pvalues)) else float(half_cauchy(pvalues, weights))
