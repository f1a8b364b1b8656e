"""Similarities of one variable at a ladder of widths, centred in the two ways that the tests need.

The kernel is K o K of the measures at alpha = 2. Two centred forms of it enter tests: *raw*, M/mean - 1, whose product
sums to the alpha = 2 statistic, and *centred*, U-centred with zero row sums, whose product sums to the unbiased HSIC.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Variable, Variables
from shearer._threads import blas_threads_for
from shearer.inference.centring import Known
from shearer.inference.moments import Sums, shifted_triangles, sums_of
from shearer.kernels import Kernel, chosen_kernels, distances
from shearer.kernels import gram as gram_of
from shearer.kernels.gaussian import Gaussian
from shearer.kernels.width_rules import widths_of_distances

Floats = NDArray[np.float64]

# Entropy fractions of the ladder: from nearly everything alike to short of saturation, where tails fail.
FRACTIONS = (0.1, 0.25, 0.4, 0.55, 0.7, 0.82)
# Rows whose pairs stand for all in finding the widths of the ladder.
_LADDER_ROWS = 1000
# Spread against the largest entry below which sums are taken of the centred matrix itself.
_FLAT = 1e-2
# Smaller similarities are 0: their products are no ordinary floats, which take a hundred times as long.
_SMALLEST = 1e-150


@dataclass(frozen=True, eq=False)
class Centered:
    """A symmetric matrix of zero diagonal and zero total, with the sums that the moments need."""

    matrix: Floats
    sums: Sums

    @property
    def spread(self) -> float:
        """Root mean square off the diagonal."""
        n = self.sums.n
        return float(np.sqrt(self.sums.B / (n * (n - 1))))


@dataclass(frozen=True, eq=False)
class Rung:
    """A similarity matrix M at one width: zero diagonal, entries from 0 to 1."""

    matrix: Floats

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.matrix)

    @cached_property
    def _row_sums(self) -> Floats:
        sums: Floats = self.matrix.sum(axis=1)
        return sums

    @cached_property
    def _triangles(self) -> float:
        """tr(MMM), the only cubic cost; both centred forms derive theirs from it."""
        with blas_threads_for(self.n**3):
            return float(np.vdot(self.matrix.T @ self.matrix, self.matrix))

    @cached_property
    def known(self) -> Known | None:
        """Sums from which those of both forms follow; None where entries hardly vary and too many digits would go."""
        squares = np.einsum("ij,ij->i", self.matrix, self.matrix)
        mean = float(self._row_sums.sum()) / (self.n * (self.n - 1))
        if float(squares.sum()) / (self.n * (self.n - 1)) - mean**2 <= _FLAT**2:
            return None
        cubes = float(np.vdot(self.matrix * self.matrix, self.matrix))
        return Known(self._row_sums, squares, cubes, self._triangles, self.matrix.__matmul__)

    @cached_property
    def raw(self) -> Centered:
        """M / mean - 1 off the diagonal."""
        mean = float(self._row_sums.sum()) / (self.n * (self.n - 1))
        if mean <= 0:  # all values differ under a delta kernel: nothing is similar
            return self._shifted(1.0, np.zeros(self.n), 0.0)
        return self._shifted(1.0 / mean, np.zeros(self.n), -1.0)

    @cached_property
    def centered(self) -> Centered:
        """U-centred: zero row sums (Székely and Rizzo 2014)."""
        n, rows = self.n, self._row_sums
        return self._shifted(1.0, rows / (n - 2), float(rows.sum()) / ((n - 1) * (n - 2)))

    @property
    def saturation(self) -> float:
        """Entropy of order 2 over its largest value log2 n: near 1, all rows are unlike and tails fail."""
        total = float(self._row_sums.sum()) + self.n
        return float(-np.log2(total / self.n**2) / np.log2(self.n))

    def _shifted(self, factor: float, row: Floats, constant: float) -> Centered:
        """M_ij times factor less row_i and row_j plus constant, off the diagonal; triangles come from those of M."""
        n = self.n
        full = factor * self.matrix
        full -= row[:, None]
        full -= row[None, :]
        full += constant
        squares = np.einsum("ij,ij->i", full, full)
        triangles = shifted_triangles(self._triangles, self.matrix.__matmul__, factor, row, constant, squares)
        np.fill_diagonal(full, 0.0)
        # Where entries hardly vary against their mean, the difference of large sums has no digits left.
        varies = float(np.sum(squares - (constant - 2.0 * row) ** 2)) > (_FLAT * factor * n) ** 2
        return Centered(full, sums_of(full, triangles if varies else None))


class Similarity:
    """A variable, or several joined, as a ladder of rungs.

    Parameters
    ----------
    squared : array or None
        Squared distances of the continuous part, in units in which its coordinates may be added up.
    fixed : array or None
        A similarity that is the same at every width: labels, or a kernel of the user's.
    """

    def __init__(self, squared: Floats | None, fixed: Floats | None) -> None:
        self._squared = squared
        self._fixed = fixed

    @classmethod
    def of(cls, variable: Variable, general: Kernel | None, own: Kernel | None = None) -> Similarity:
        """From a variable: a ladder for numbers under the default kernel, one rung else."""
        like = np.empty(0)
        values = widened(variable, own or general)
        if values is None:
            return cls(None, gram_of(variable, like, general or Gaussian(), own).squared().dense())
        values = values * unit_scale(values)
        squared = distances.direct(values, values)
        squared /= _unit(squared) ** 2
        labels = Variable(variable.name, variable.blocks[1:])
        fixed = gram_of(labels, like, Gaussian()).squared().dense() if labels.blocks else None
        return cls(squared, fixed)

    def joined(self, other: Similarity) -> Similarity:
        """The joint variable: distances add, fixed similarities multiply."""
        both = [item for item in (self._squared, other._squared) if item is not None]
        same = [item for item in (self._fixed, other._fixed) if item is not None]
        return Similarity(sum(both[1:], start=both[0]) if both else None, np.prod(same, axis=0) if same else None)

    @property
    def n(self) -> int:
        """Rows."""
        known = self._squared if self._squared is not None else self._fixed
        assert known is not None
        return len(known)

    @property
    def is_single(self) -> bool:
        """True without a width to choose: labels, two values, a kernel of the user's."""
        return self._squared is None

    @cached_property
    def rungs(self) -> list[Rung]:
        """One for each fraction of the ladder; a single one without a width to choose."""
        return [self.rung(height) for height in range(1 if self.is_single else len(FRACTIONS))]

    def rung(self, height: int) -> Rung:
        """The rung at one height, made anew: for many variables, of which not all rungs can be held."""
        if self._squared is None:
            return _rung(self._fixed)
        return _rung(_decay(self._squared, self._widths[height]), self._fixed)

    @cached_property
    def _widths(self) -> list[float]:
        assert self._squared is not None
        return _widths(self._squared, FRACTIONS)


def similarities(variables: Variables, kernel: Kernel | Mapping[str, Kernel] | None) -> list[Similarity]:
    """One ladder for each variable; a kernel of the user's, for all or by name, gives a single rung."""
    own, general = chosen_kernels(variables, kernel)
    return [Similarity.of(item, general, own.get(item.name)) for item in variables.items]


def widened(variable: Variable, kernel: Kernel | None) -> Floats | None:
    """The numbers whose width makes the ladder; None under a kernel of the user's, for labels, and for two values.

    Two values have one distance: every width gives the same test.
    """
    block = variable.blocks[0]
    if kernel is not None or block.kind != "continuous":
        return None
    values = np.asarray(block.values, dtype=np.float64)
    return values if len(np.unique(values, axis=0)) > 2 else None


def unit_scale(values: Floats) -> float:
    """The power of two that brings the widest coordinate to a range below 1: squares are then ordinary numbers."""
    widest = float(np.max(np.max(values, axis=0) / 2 - np.min(values, axis=0) / 2))
    return math.ldexp(0.5, min(1000, -math.frexp(widest)[1]))


def ladder_rows(n: int) -> NDArray[np.intp]:
    """The rows whose pairs stand for all in finding widths."""
    return np.random.default_rng(0).permutation(n)[:_LADDER_ROWS]


def _unit(squared: Floats) -> float:
    """A width at which coordinates of different variables may be added up."""
    return _widths(squared, [0.4])[0]


def _widths(squared: Floats, fractions: Sequence[float]) -> list[float]:
    """The widths of entropy fractions, from the pairs of some rows."""
    rows = ladder_rows(len(squared))
    pairs = squared[np.ix_(rows, rows)][np.triu_indices(len(rows), 1)]
    return widths_of_distances(pairs, len(squared), fractions)


def _decay(squared: Floats, width: float) -> Floats:
    exponents = squared / -(width**2)
    np.maximum(exponents, -700.0, out=exponents)
    return np.exp(exponents, out=exponents)


def _rung(*parts: Floats | None) -> Rung:
    first, *others = [part for part in parts if part is not None]
    matrix = first.copy()
    for part in others:
        matrix *= part
    matrix[matrix < _SMALLEST] = 0.0
    np.fill_diagonal(matrix, 0.0)
    return Rung(matrix)
