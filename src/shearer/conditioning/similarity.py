"""Gaussian similarities of rows as features, at several widths from one matrix of distances.

Landmarks are chosen by pivoted Cholesky factorization. Where all rows are in the sample the factor itself holds their
features. Nothing is turned to leading directions here: the regressions do that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from shearer.conditioning import constants
from shearer.conditioning.ridge import Source
from shearer.kernels import distances
from shearer.kernels.gram import Index
from shearer.pairs.rungs import rung_widths, sample_rows, unit_scale

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Similarities below its exponential are as good as 0, and their products are still ordinary numbers.
_LARGEST_EXPONENT = 230.0
# Features of a sample are looked up where there are at most so many times its rows.
_MOST_TIMES = 4
# Coordinates whose differences are squared one after the other; of more a matrix product is faster.
_MOST_DIRECT = 2


@dataclass(frozen=True, eq=False)
class Similarities:
    """exp(-|z - z'|^2 / width^2) at some widths, 0 between rows of different codes.

    Attributes
    ----------
    values : array (n, d)
        Numbers.
    codes : array (n,) or None
        Labels.
    widths : list of float
        The largest first.

    Examples
    --------
    >>> z = np.random.default_rng(0).normal(size=(100, 1))
    >>> found = Similarities.of(z, (1.0, 3.0))
    >>> (source, left_out), _ = found.features((0, 1), 100, 60)
    >>> F = source(slice(0, 100))
    >>> bool(np.abs(F @ F.T - found.between(slice(0, 100), slice(0, 100), 0)).max() < 1e-3), left_out < 1e-4
    (True, True)
    """

    values: Floats
    codes: Indices | None
    widths: Sequence[float]

    @classmethod
    def of(cls, values: Floats, bits: Sequence[float], codes: Indices | None = None) -> "Similarities":
        """At the widths of so many bits, as far as the rows tell values apart."""
        scaled = values * unit_scale(values)
        return cls(scaled, codes, rung_widths(scaled[sample_rows(scaled, constants.WIDTH_ROWS)], bits))

    def between(self, first: Index, second: Index, place: int) -> Floats:
        """Similarities of some rows with others, at one of the widths."""
        squared = _squared(self.values[first], self.values[second])
        found = self._at_width(squared, place, squared)
        return found if self.codes is None else found * np.equal.outer(self.codes[first], self.codes[second])

    def features(self, places: Sequence[int], sample: int, rank: int) -> Iterator[tuple[Source, float]]:
        """Features at some of the widths, and the share of the similarity that they leave out.

        Parameters
        ----------
        places : sequence of int
            Which widths.
        sample : int
            Rows among which landmarks are chosen.
        rank : int
            Features at most.
        """
        rows = _from_the_middle(self.values, sample_rows(self.values, sample))
        squared = _squared(self.values[rows], self.values[rows])
        same = None if self.codes is None else np.equal.outer(self.codes[rows], self.codes[rows])
        room = np.empty_like(squared) if len(places) > 1 else squared  # of one width after the other
        for k, place in enumerate(places, 1):
            similar = self._at_width(squared, place, room if k < len(places) else squared)
            if same is not None:
                similar *= same
            yield self._factored(similar, rows, rank, place)

    def _factored(self, similar: Floats, rows: Indices, rank: int, place: int) -> tuple[Source, float]:
        """Features by the factor of the similarities of some rows, which are overwritten."""
        varying = max(1.0 - float(similar.mean()), constants.SMALLEST_DIRECTION)
        # symmetric: its transpose has the order of LAPACK and is not copied
        lower, pivots, full, _ = lapack.dpstrf(similar.T, tol=constants.LEFT_OUT * varying, lower=1, overwrite_a=1)
        count, n = max(1, min(int(full), rank)), len(self.values)
        factor = lower.T[:count]  # a row for each feature, in the order of the pivots
        factor[:, :count] = np.triu(factor[:, :count])
        left_out = max(0.0, 1.0 - float(np.vdot(factor, factor)) / len(rows))
        order, first = rows[pivots - 1], np.array(factor[:, :count].T, order="F")

        def solved(some: Index) -> Floats:
            near = self.between(some, order[:count], place)
            features: Floats = blas.dtrsm(1.0, first, near.T, lower=1, overwrite_b=1).T
            return features

        if n > _MOST_TIMES * len(rows):
            return solved, left_out
        found = np.empty((n, count))
        found[order] = factor.T
        if len(rows) < n:
            others = np.ones(n, dtype=bool)
            others[rows] = False
            places = np.flatnonzero(others)
            found[places] = solved(places)
        return _handed_over(found, solved), left_out

    def _at_width(self, squared: Floats, place: int, out: Floats) -> Floats:
        rate = -1.0 / self.widths[place] ** 2
        np.multiply(squared, rate, out=out)
        if -rate * self.values.shape[1] > _LARGEST_EXPONENT:  # no coordinate has a range above 1
            np.maximum(out, -_LARGEST_EXPONENT, out=out)
        return np.exp(out, out=out)


def _handed_over(found: Floats, again: Source) -> Source:
    """Features that are there: who asks for all rows first has them without a copy; then they are formed again."""
    kept, every = [found], slice(0, len(found))

    def source(rows: Index) -> Floats:
        if not kept:
            return again(rows)
        return kept.pop() if isinstance(rows, slice) and rows == every else np.array(kept[0][rows])

    return source


def _from_the_middle(values: Floats, rows: Indices) -> Indices:
    """The same rows, that nearest to their mean first: where all are alike landmarks do not depend on their order."""
    points = values[rows]
    away = points - points.mean(axis=0)
    place = int(np.argmin(np.einsum("ij,ij->i", away, away)))
    found = rows.copy()
    found[[0, place]] = rows[[place, 0]]
    return found


def _squared(first: Floats, second: Floats) -> Floats:
    """Squared distances; of several coordinates by a matrix product, which is exact enough of standardised ones."""
    if first.shape[1] <= _MOST_DIRECT:
        found: Floats = distances.direct(first, second)
        return found
    one, other = (np.einsum("ij,ij->i", own, own) for own in (first, second))
    left = np.column_stack([first, one, np.ones(len(first))])
    right = np.column_stack([-2.0 * second, np.ones(len(second)), other])
    found = left @ right.T
    return np.maximum(found, 0.0, out=found)
