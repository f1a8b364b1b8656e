"""Features of a similarity: F of few columns whose products F F' are close to M.

Labels have one feature for each level. Everything else has features against landmarks, rows chosen by pivoted Cholesky
factorization (Harbrecht, Peters and Schneider 2012), turned to the directions in which the rows vary most and cut where
what is left is small. F F' is a positive semidefinite kernel in its own right, so that tests with it are as valid as
with M, whatever was cut.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular

from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import Gram, Index
from shearer.pairs import limits

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


# Smaller similarities are 0.
_SMALLEST = 1e-100
# Similarities to landmarks that are formed at a time.
_MOST_SIMILARITIES = 2**20


class Features(ABC):
    """Features of the rows of one variable at one width, less their mean over a sample to lose no digits later.

    Attributes
    ----------
    offset : array (rank,)
        What was subtracted.
    """

    offset: Floats

    @property
    def rank(self) -> int:
        """Number of features."""
        return len(self.offset)

    @abstractmethod
    def of(self, rows: Index) -> Floats:
        """Features of some rows, shape (rows, rank), less the offset."""


@dataclass(frozen=True, eq=False)
class LevelFeatures(Features):
    """Indicators of the level that a row has; levels beyond the most frequent ones have none."""

    codes: Indices
    offset: Floats

    @classmethod
    def fit(cls, gram: DeltaGram) -> "LevelFeatures":
        """One feature for each of the most frequent levels."""
        codes = np.unique(gram.codes, return_inverse=True)[1].reshape(-1)
        counts = np.bincount(codes)
        if len(counts) > limits.MOST_LEVELS:
            order = np.argsort(-counts, kind="stable")
            place = np.full(len(counts), limits.MOST_LEVELS)
            place[order[: limits.MOST_LEVELS]] = np.arange(limits.MOST_LEVELS)
            codes, counts = place[codes], counts[order[: limits.MOST_LEVELS]]
        return cls(codes, counts / len(codes))

    def of(self, rows: Index) -> Floats:
        """Zeros and ones, less the shares of the levels."""
        identity = np.vstack([np.eye(self.rank), np.zeros(self.rank)]) - self.offset
        found: Floats = identity[self.codes[rows]]
        return found


@dataclass(frozen=True, eq=False)
class LandmarkFeatures(Features):
    """Similarities to landmarks, whitened and turned to their leading directions.

    Attributes
    ----------
    gram : Gram
        M.
    landmarks : array
        Rows.
    whiten : array (landmarks, rank)
        What similarities to the landmarks are multiplied by.
    """

    gram: Gram
    landmarks: Indices
    whiten: Floats
    offset: Floats

    @classmethod
    def fit(cls, gram: Gram, sample: Indices, residual: float) -> "LandmarkFeatures":
        """Landmarks among the rows of a sample, and directions that leave no more than `residual` of what varies."""
        similar = _ordinary(np.array(gram.block(sample, sample), dtype=np.float64))
        varying = max(1.0 - float(similar.mean()), limits.SMALLEST_SPREAD)
        stop = max(min(limits.LANDMARK_RESIDUAL, residual) * varying, limits.ROUND_OFF_RESIDUAL)
        lower, pivots, rank, _ = lapack.dpstrf(similar, tol=stop, lower=1, overwrite_a=1)
        factor = np.tril(lower[:, :rank])  # rows in the order of the pivots
        order = np.argsort(pivots)
        shares, directions = np.linalg.eigh(factor.T @ factor / len(sample))
        kept = int(np.searchsorted(np.cumsum(shares), residual * varying, side="right"))
        directions = directions[:, min(kept, rank - 1) :]
        whiten = solve_triangular(factor[:rank], directions, lower=True, trans=1)
        offset = (factor @ directions)[order].mean(axis=0)
        return cls(gram, sample[pivots[:rank] - 1], whiten, offset)

    def of(self, rows: Index) -> Floats:
        """Similarities to the landmarks, times the matrix that whitens them."""
        places = np.arange(self.gram.n)[rows]
        step = max(1, _MOST_SIMILARITIES // max(1, len(self.landmarks)))
        if len(places) <= step:
            return self._of(rows)
        found = np.empty((len(places), self.rank))
        for start in range(0, len(places), step):
            found[start : start + step] = self._of(places[start : start + step])
        return found

    def _of(self, rows: Index) -> Floats:
        similar = _ordinary(np.asarray(self.gram.block(rows, self.landmarks)))
        found: Floats = similar @ self.whiten - self.offset
        return found


def _ordinary(similar: Floats) -> Floats:
    """Replace numbers so small that their products take a hundred times as long by 0."""
    if similar.size and abs(float(similar.min())) < _SMALLEST:
        similar[np.abs(similar) < _SMALLEST] = 0.0
    return similar


def fit(gram: Gram, sample: Indices, residual: float = limits.RESIDUAL) -> Features:
    """Fit features to a similarity M.

    Parameters
    ----------
    gram : Gram
        M.
    sample : array
        Rows among which landmarks are chosen.
    residual : float
        Share of what varies, 1 less the mean of M, that may be left out.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data.variables import Block
    >>> from shearer.kernels import Gaussian
    >>> gram = Gaussian(1.0).gram(Block("continuous", np.linspace(-2, 2, 300)[:, None]), np.empty(0))
    >>> found = fit(gram, np.arange(300), residual=1e-6)
    >>> F = found.of(slice(0, 300)) + found.offset
    >>> found.rank < 12, bool(np.abs(F @ F.T - gram.dense()).max() < 1e-4)
    (True, True)
    """
    return LevelFeatures.fit(gram) if isinstance(gram, DeltaGram) else LandmarkFeatures.fit(gram, sample, residual)
