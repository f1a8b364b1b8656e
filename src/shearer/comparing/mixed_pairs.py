"""The dependence of a number on a label in one group: where the number stands within each level.

Ranks are taken in a mixture of the levels with weights that are the same in all groups, so that the shares of the label
do not matter: if the laws of the number within levels are the same in two groups up to one increasing function of the
number, the same for all levels, then the ranks within levels have the same laws.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.comparing.rank_features import DEGREE, FEATURES, FeatureRanks

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Bins of the number; the profile of a table has as many.
BINS = 64


class MixedPair(NamedTuple):
    """Means of rank features within levels, as contrasts of the levels, and what rows do to them.

    Attributes
    ----------
    means : array (k,)
        (levels - 1) contrasts of each feature in turn.
    influence : array (levels, bins, k)
        What a row does to them, times the number of rows.
    covariance : array (k, k)
        Of the means, for independent rows.
    """

    means: Floats
    influence: Floats
    covariance: Floats


def mixed_components(levels: int) -> tuple[tuple[int, ...], ...]:
    """The statistics that are joined, as for two numbers: normal scores, degrees up to 2, up to 4."""
    runs = [tuple(range(k * (levels - 1), (k + 1) * (levels - 1))) for k in range(FEATURES)]
    return runs[0], runs[1] + runs[2], sum(runs[1 : DEGREE + 1], ())


def mixed_pair(counts: Floats, shares: Floats) -> MixedPair:
    """Means within levels, from the counts of levels and bins.

    Parameters
    ----------
    counts : array (levels, bins)
        Rows.
    shares : array (levels,)
        Weights of the levels in the mixture.

    Examples
    --------
    >>> counts = np.array([[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]])
    >>> same = mixed_pair(counts, np.array([0.5, 0.5])).means
    >>> other = mixed_pair(counts * [[7.0], [1.0]], np.array([0.5, 0.5])).means
    >>> bool(np.allclose(same, other))
    True
    """
    rows, own = float(counts.sum()), counts.sum(axis=1)
    within = counts / own[:, None]
    ranks = FeatureRanks(shares @ within)
    values, levels = ranks.values, len(counts)
    means = within @ values
    direct = np.zeros((levels, counts.shape[1], levels, FEATURES))
    factor = shares * rows / own
    for level in range(levels):
        direct[level, :, level] = (values - means[level]) * rows / own[level]
    for level in range(levels):
        # Through the ranks a row of any level moves the features of all rows of this one.
        moved = ranks.reach(ranks.slopes * within[level][:, None])
        direct[:, :, level] += factor[:, None, None] * (moved - (within @ moved)[:, None, :])
    # Means are taken within levels, some of which have few rows.
    direct *= np.sqrt(own / np.maximum(own - 1, 1.0))[:, None, None, None]
    contrasts = _contrasts(shares)
    influence = np.einsum("lbmf,mq->lbfq", direct, contrasts).reshape(levels, counts.shape[1], -1)
    flat = influence.reshape(-1, influence.shape[-1])
    covariance = (flat.T * counts.reshape(-1)) @ flat / rows**2
    return MixedPair((means.T @ contrasts).reshape(-1), influence, covariance)


def _contrasts(shares: Floats) -> Floats:
    """Orthonormal contrasts of levels weighted by the roots of their shares, shape (levels, levels - 1)."""
    roots = np.sqrt(shares)
    basis = np.linalg.qr(np.column_stack([roots, np.eye(len(shares))[:, 1:]]))[0][:, 1:]
    found: Floats = roots[:, None] * basis
    return found
