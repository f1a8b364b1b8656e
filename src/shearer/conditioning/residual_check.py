"""Are residuals of rows with nearly the same conditions still alike? Then a regression missed something.

Residuals of a regression that misses nothing are slightly unlike among neighbors, since each row drew the fit towards
itself: by the entries of (I - H)^2, which are known and taken off.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from shearer._cached import cached_property
from shearer.conditioning import constants
from shearer.conditioning.ridge import Fit
from shearer.kernels.gram import Index

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Diagonal entries of (I - H)^2 below this are of rows that the fit goes through.
_LEAST_DIAGONAL = 0.05
# Rows whose neighbors are taken at a time, so that they stay in the cache.
_ROWS = 256


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest rows of some rows in the space of the conditions.

    Attributes
    ----------
    rows : array (m,)
        The rows that are looked at.
    nearest : array (m, k)
        The nearest others of each.
    mutual : array of bool (m, k)
        Where both rows of a pair are looked at from either side.
    count : int
        Of all rows.
    """

    rows: Indices
    nearest: Indices
    mutual: NDArray[np.bool_]
    count: int

    @classmethod
    def of(cls, points: Floats) -> "Neighbors":
        """Among all rows, seen from at most 20,000."""
        from scipy.spatial import cKDTree  # loaded only where it is used

        n = len(points)
        rows = np.arange(n)
        if n > constants.NEIGHBOR_ROWS:
            rows = np.sort(np.random.default_rng(0).choice(n, constants.NEIGHBOR_ROWS, replace=False))
        # equal conditions are neighbors at random
        moved = points + 1e-9 * np.random.default_rng(0).standard_normal(points.shape)
        found = np.asarray(cKDTree(moved).query(moved[rows], k=constants.NEIGHBORS + 1)[1])
        nearest = found[:, 1:].astype(np.intp)
        place = np.full(n, -1)
        place[rows] = np.arange(len(rows))
        back = place[nearest]
        mutual = (back >= 0) & (nearest[back] == rows[:, None, None]).any(axis=2)
        return cls(rows, nearest, mutual, n)

    @cached_property
    def _seen(self) -> tuple[Index, Index, Indices]:
        """The rows that take part, and where those looked at and the neighbors of each are among them."""
        if len(self.rows) == self.count:
            every = slice(0, self.count)
            return every, every, self.nearest
        seen, place = np.unique(np.concatenate([self.rows, self.nearest.ravel()]), return_inverse=True)
        return seen, place[: len(self.rows)], place[len(self.rows) :].reshape(self.nearest.shape)

    def score(self, fit: Fit) -> float:
        """How alike residuals are among neighbors, in standard deviations: the largest of the columns, for their count.

        Parameters
        ----------
        fit : Fit
            After the regression whose residuals these are.
        """
        count = fit.residuals.shape[1]
        smallest = min(1.0, count * min(chance(self._column(fit, k)) for k in range(count)))
        return -float(ndtri(min(max(smallest, 1e-300), 1 - 1e-16)))

    def _column(self, fit: Fit, column: int) -> float:
        choice = fit.choices[column]
        seen, own, other = self._seen
        values = fit.residuals[seen, column]
        parts = [fit.base[seen]]
        if choice.smoother is not None:
            parts.append(choice.smoother.at(seen, np.sqrt(choice.shrinkage * (2 - choice.shrinkage))))
        entries, diagonal = np.zeros(other.shape), np.ones(len(values))
        for features in parts:
            diagonal -= np.einsum("ij,ij->i", features, features)
            here = features[own]
            for start in range(0, len(other), _ROWS):
                rows = slice(start, start + _ROWS)
                for k, neighbors in enumerate(other[rows].T):
                    entries[rows, k] -= np.einsum("ij,ij->i", here[rows], np.take(features, neighbors, axis=0))
        variance = values**2 / np.maximum(diagonal, _LEAST_DIAGONAL)
        product = values[own][:, None] * values[other]
        expected = entries * (variance[own][:, None] + variance[other]) / 2
        spread = float(np.sum(product**2 * (1.0 + self.mutual)))
        return float(np.sum(product - expected)) / math.sqrt(spread) if spread > 0 else 0.0


def chance(score: float) -> float:
    """Chance of a score as large if nothing was missed."""
    return float(ndtr(-score))
