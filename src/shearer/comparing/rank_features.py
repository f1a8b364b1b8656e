"""Functions of ranks, and what a single row does to their means through the ranks of all others.

A number enters by its rank u in its group: as the normal score, and as Legendre polynomials of degree 1 to 4, which are
bounded. Ranks are known up to the codes of the values, so that equal values, rows in bins and single rows are one case:
code c with weight w_c has u_c = (weight below + w_c / 2) / total.

A row at code c moves the ranks of all codes above it by 1 / n and its own by half of that, less what keeps the mean.
The mean of f(u) g, where g is anything that belongs to the rows, is moved by E[f'(u) g (1{c < u} + 1{c = u} / 2)],
centered: `FeatureRanks.reach`. Taking ranks as fixed leaves this out, and the test would reject equal copulas.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.special import ndtri

from shearer._cached import cached_property

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Degree of the polynomials; feature 0 is the normal score.
DEGREE = 4
FEATURES = DEGREE + 1


@dataclass(frozen=True, eq=False)
class FeatureRanks:
    """Features of ranks for every code of a number.

    Attributes
    ----------
    weights : array (codes,)
        Of the codes, in increasing order of the values; they sum to 1.
    """

    weights: Floats

    @cached_property
    def places(self) -> Floats:
        """Rank of each code, between 0 and 1."""
        return np.cumsum(self.weights) - self.weights / 2

    @cached_property
    def values(self) -> Floats:
        """Features of each code with mean 0 and variance 1, shape (codes, FEATURES)."""
        raw = self._raw - self.weights @ self._raw
        found: Floats = raw / self._deviations
        return found

    @cached_property
    def slopes(self) -> Floats:
        """Derivatives of the features by the rank."""
        normal = np.sqrt(2 * np.pi) * np.exp(self._raw[:, 0] ** 2 / 2)
        inner = 2 * self.places - 1
        others = [
            2 * np.sqrt(2 * k + 1) * legendre.legval(inner, legendre.legder(_unit(k))) for k in range(1, DEGREE + 1)
        ]
        found: Floats = np.stack([normal, *others], axis=1) / self._deviations
        return found

    @cached_property
    def spreads(self) -> Floats:
        """What one row at each code does to the variance of each feature: 0 up to 1 / n unless values are equal."""
        own = self.values**2
        return own - self.weights @ own + self.reach(2 * self.slopes * self.values * self.weights[:, None])

    def reach(self, masses: Floats) -> Floats:
        """What a row at each code does to a mean through the ranks, with mean 0.

        Parameters
        ----------
        masses : array (codes, k)
            For each code the derivative of the feature times the share of rows and whatever it is multiplied with.
        """
        above = masses.sum(axis=0) - np.cumsum(masses, axis=0) + masses / 2
        found: Floats = above - self.weights @ above
        return found

    @cached_property
    def _raw(self) -> Floats:
        inner = 2 * self.places - 1
        others = [np.sqrt(2 * k + 1) * legendre.legval(inner, _unit(k)) for k in range(1, DEGREE + 1)]
        inside = np.clip(self.places, np.finfo(float).tiny, 1 - np.finfo(float).epsneg)
        return np.stack([ndtri(inside), *others], axis=1)

    @cached_property
    def _deviations(self) -> Floats:
        centered = self._raw - self.weights @ self._raw
        return np.sqrt(np.maximum(self.weights @ centered**2, np.finfo(float).tiny))


def ranks_of(counts: NDArray[Any]) -> FeatureRanks:
    """Features of codes that have these counts.

    Examples
    --------
    >>> ranks = ranks_of(np.ones(1000))
    >>> bool(np.abs(ranks.values.T @ ranks.values / 1000 - np.eye(5))[1:, 1:].max() < 0.01)
    True
    >>> bool(np.abs(ranks.spreads[:, 1:]).max() < 0.01)
    True
    """
    weights = np.asarray(counts, dtype=np.float64)
    return FeatureRanks(weights / weights.sum())


def dense_codes(values: Floats) -> tuple[Indices, int]:
    """Codes of values in increasing order, and how many there are.

    Examples
    --------
    >>> codes, count = dense_codes(np.array([2.5, 1.0, 2.5]))
    >>> codes.tolist(), count
    ([1, 0, 1], 2)
    """
    levels, codes = np.unique(values, return_inverse=True)
    return codes.reshape(-1).astype(np.intp), len(levels)


def binned(codes: Indices, count: int, bins: int) -> tuple[Indices, int]:
    """Codes joined to at most so many bins of nearly the same number of rows; equal values stay together.

    Examples
    --------
    >>> np.bincount(binned(np.arange(12), 12, 4)[0]).tolist()
    [3, 3, 3, 3]
    """
    joined = joined_bins(np.bincount(codes, minlength=count), bins)
    return joined[codes], int(joined.max(initial=-1)) + 1


def joined_bins(counts: NDArray[Any], bins: int) -> Indices:
    """A bin for every code, from how often codes occur: at most so many of nearly the same number of rows.

    Examples
    --------
    >>> joined_bins(np.array([1, 1, 5, 1, 1]), 3).tolist()
    [0, 0, 1, 2, 2]
    """
    if len(counts) <= bins:
        return np.arange(len(counts))
    weights = counts / counts.sum()
    place = np.floor((np.cumsum(weights) - weights / 2) * bins).astype(np.intp)
    found: Indices = np.unique(place, return_inverse=True)[1].reshape(-1)
    return found


def bin_middles(values: Floats, codes: Indices) -> Floats:
    """The middle one of the values of every bin; codes increase with values, and none is unused.

    Examples
    --------
    >>> bin_middles(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [2.0, 9.0]
    """
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    found: Floats = np.sort(values)[starts + (sizes - 1) // 2]
    return found


def _unit(degree: int) -> Floats:
    found: Floats = np.eye(degree + 1)[degree]
    return found
