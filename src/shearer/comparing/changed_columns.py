"""Has a single column changed between groups: where it lies, how it spreads, its law, its gaps, its labels?"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from shearer.comparing.compared_groups import Distribution
from shearer.comparing.group_tests import (
    GroupMeans,
    difference_pvalue,
    independent_groups,
    joined_pvalue,
    matched_groups,
)
from shearer.comparing.number_pairs import WEIGHTS
from shearer.comparing.rank_features import DEGREE, ranks_of
from shearer.pairs import limits

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Of the features of ranks: the normal score, degrees up to 2, up to 4.
_LAW = ((0,), (1, 2), tuple(range(1, DEGREE + 1)))
# Rows that a label is expected to have in every group to count by itself.
_ENOUGH = 5.0
# Differences of larger numbers may be no floats.
_LARGEST = 2.0**1022


def number_changes(groups: Sequence[Distribution], units: int = 0) -> dict[str, Any]:
    """Tests of one number in several groups, by ranks among the rows of all of them.

    "law" looks at all of the law, "shift" at the mean normal score, "spread" at distances from the median of the
    group. None where a group has no two values.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> groups = [Distribution(rng.normal(size=300) * k, np.ones(300), 0) for k in (1.0, 2.0)]
    >>> found = number_changes(groups)
    >>> found["spread_pvalue"] < 1e-6 < 0.01 < found["shift_pvalue"]
    True
    """
    quartiles = [_quantiles(own, (0.25, 0.5, 0.75)) for own in groups]
    found: dict[str, Any] = {
        "median": [None if own is None else float(own[1]) for own in quartiles],
        "range": [None if own is None else _range_of(own) for own in quartiles],
        "shift_pvalue": None,
        "spread_pvalue": None,
        "law_pvalue": None,
    }
    if any(len(own.values) < 2 for own in groups):
        return found
    means = _feature_means(groups, units)
    distances = [
        own._replace(values=_distances(own.values, middle[1]))
        for own, middle in zip(groups, quartiles, strict=True)
        if middle is not None
    ]
    return found | {
        "shift_pvalue": difference_pvalue(means, (0,)),
        "spread_pvalue": difference_pvalue(_feature_means(distances, units), (0,)),
        "law_pvalue": joined_pvalue(means, _LAW, WEIGHTS),
    }


def _range_of(quartiles: Floats) -> float:
    """Of the middle half; the largest float where it is more."""
    return min(float(quartiles[2]) - float(quartiles[0]), sys.float_info.max)


def _distances(values: Floats, center: float) -> Floats:
    """To be ranked: halves of those that could be more than a float holds."""
    half = 0.5 if float(np.abs(values).max()) > _LARGEST else 1.0
    found: Floats = np.abs(half * values - half * center)
    return found


def label_changes(groups: Sequence[Distribution], levels: Sequence[str], units: int = 0) -> dict[str, Any]:
    """Shares of labels in several groups by chi-square, rare labels joined; of two groups, which came and went.

    Examples
    --------
    >>> codes = [np.repeat([0.0, 1.0], [50, 50]), np.repeat([0.0, 2.0], [50, 50])]
    >>> found = label_changes([Distribution(own, np.ones(100), 0) for own in codes], ["a", "b", "c"])
    >>> found["appeared"], found["vanished"], found["law_pvalue"] < 1e-9
    (['c'], ['b'], True)
    """
    counts = np.stack([np.bincount(own.values.astype(np.intp), own.weights, minlength=len(levels)) for own in groups])
    first, last = (counts[0] > 0, counts[1] > 0) if len(counts) == 2 else (counts[0] > 0,) * 2
    found: dict[str, Any] = {
        "shares": [(own / max(own.sum(), 1.0)).tolist() for own in counts],
        "appeared": [levels[int(k)] for k in np.flatnonzero(last & ~first)],
        "vanished": [levels[int(k)] for k in np.flatnonzero(first & ~last)],
        "law_pvalue": None,
    }
    sizes = counts.sum(axis=1)
    if sizes.min() < 2:
        return found
    rare = counts.sum(axis=0) * sizes.min() / sizes.sum() < _ENOUGH
    place = np.where(rare, 0, np.cumsum(~rare))
    joined = np.stack([np.bincount(place, own, minlength=int(place.max()) + 1) for own in counts]).astype(np.float64)
    if groups[0].clusters is not None:
        return found | {"law_pvalue": _matched_shares(groups, place, joined, units)}
    return found | {"law_pvalue": shares_pvalue(joined)}


def missing_pvalue(groups: Sequence[Distribution]) -> float | None:
    """p-value of equal shares of rows without a value; none if all rows have one."""
    missing = np.array([own.missing for own in groups], dtype=np.float64)
    if not missing.any():
        return None
    present = np.array([own.weights.sum() for own in groups])
    return shares_pvalue(np.stack([missing, present], axis=1))


def shares_pvalue(counts: Floats) -> float:
    """Pearson's chi-square of a table of groups by classes.

    Examples
    --------
    >>> shares_pvalue(np.array([[10.0, 20.0], [20.0, 40.0]]))
    1.0
    """
    table = counts[:, counts.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return 1.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(np.clip(chdtrc(freedom, ((table - expected) ** 2 / expected).sum()), limits.SMALLEST_PVALUE, 1.0))


def _matched_shares(groups: Sequence[Distribution], place: Indices, joined: Floats, units: int) -> float:
    """Equal shares where rows come in clusters."""
    used = np.flatnonzero(joined.sum(axis=0) > 0)
    if len(used) < 2:
        return 1.0
    scale = np.sqrt(joined[:, used].sum(axis=0) / joined.sum())
    features = np.zeros((int(place.max()) + 1, len(used)))
    features[used, np.arange(len(used))] = 1 / scale
    rows = [features[place[own.values.astype(np.intp)]] for own in groups]
    return difference_pvalue(_means(groups, rows, units))


def _feature_means(groups: Sequence[Distribution], units: int) -> GroupMeans:
    """Means of features of the ranks among all rows."""
    pooled, codes = np.unique(np.concatenate([own.values for own in groups]), return_inverse=True)
    sizes = np.cumsum([len(own.values) for own in groups])[:-1]
    parts = np.split(codes.reshape(-1), sizes)
    weights = np.bincount(codes.reshape(-1), np.concatenate([own.weights for own in groups]), minlength=len(pooled))
    features = ranks_of(weights).values
    return _means(groups, [features[part] for part in parts], units)


def _means(groups: Sequence[Distribution], features: Sequence[Floats], units: int) -> GroupMeans:
    means, covariances, sums, rows = [], [], [], []
    for own, values in zip(groups, features, strict=True):
        total = float(own.weights.sum())
        mean = own.weights @ values / total
        centered = values - mean
        means.append(mean)
        rows.append(total)
        if own.clusters is None:
            covariances.append((centered.T * own.weights) @ centered / (total * max(total - 1.0, 1.0)))
        else:
            sums.append(
                np.stack([np.bincount(own.clusters, column, minlength=units) for column in centered.T], axis=1) / total
            )
    return matched_groups(means, sums, rows) if sums else independent_groups(means, covariances, rows)


def _quantiles(own: Distribution, shares: Sequence[float]) -> Floats | None:
    if not len(own.values):
        return None
    order = np.argsort(own.values, kind="stable")
    reached = (np.cumsum(own.weights[order]) - own.weights[order] / 2) / own.weights.sum()
    found: Floats = np.interp(shares, reached, own.values[order])
    return found
