"""Views of how a row differs from the others: its single values, its related pairs, its nearest rows, what it breaks.

Outliers that are a class of their own have rare values and often follow the dependence of the columns, far out along
it: the pointwise dependence of related columns counts by how far it is from its mean, on either side, in a wide
neighborhood. Local ones have common values and break one relation: that is seen in a neighborhood as narrow as the
relation allows, and counts where it lies far beyond what other rows break.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._threads import single_threaded_blas
from shearer.tools.outliers.column_cells import Cells, Surprise
from shearer.tools.outliers.near_rows import NearRows
from shearer.tools.outliers.related_pairs import RelatedPair, alignments, spanning_pairs
from shearer.tools.outliers.tail_bits import TailBits, TailLine

Floats = NDArray[np.float64]

#: What a row is looked at by, whose mean counts: its values one by one, related pairs of columns, all columns together.
VIEWS = ("value", "relation", "distance")
#: The relation that it breaks most, which counts where it outweighs the mean of the others.
BREAK = len(VIEWS)


class Parts(NamedTuple):
    """What the views are made of, for some rows.

    Attributes
    ----------
    values : array (rows, columns)
        Bits of surprise of every value.
    relations : array (rows, pairs)
        Pointwise dependence of every related pair in bits, less its mean over the training rows.
    breaks : array (rows, pairs)
        The same in narrower neighborhoods.
    """

    values: Floats
    relations: Floats
    breaks: Floats


@dataclass(frozen=True, eq=False)
class SurpriseViews:
    """The views of a table, fitted to its rows.

    Attributes
    ----------
    cells, surprises : list
        Of every column.
    pairs, narrow : list of RelatedPair
        The maximum spanning tree of strengths, the strongest first: in wide neighborhoods, and in those that tell most
        of a row by the others.
    strengths : array
        Of these, on the scale of a correlation.
    near : NearRows
        Reference rows.
    scales : tuple
        Of each view, the last that of breaks.
    scores : array (training rows, views and breaks)
        Bits of the training rows.
    """

    cells: list[Cells]
    surprises: list[Surprise]
    pairs: list[RelatedPair]
    narrow: list[RelatedPair]
    strengths: Floats
    near: NearRows
    scales: tuple[TailBits | TailLine, ...]
    scores: Floats

    @classmethod
    def fit(
        cls, values: Floats, is_label: NDArray[np.bool_], neighbors: int, random: np.random.RandomState
    ) -> "SurpriseViews":
        """Fit all views to rows of finite numbers, in which labels are whole numbers from 0.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=400)
        >>> table = np.c_[x, x + 0.1 * rng.normal(size=400), rng.normal(size=400)]
        >>> table[0, :2] = 1.0, -1.0  # ordinary values that do not go together
        >>> found = SurpriseViews.fit(table, np.zeros(3, dtype=bool), 20, np.random.RandomState(0))
        >>> [pair.columns for pair in found.pairs], int(found.scores[:, 1].argmax())
        ([(0, 1)], 0)
        """
        with single_threaded_blas():  # many small steps: threads would wait for each other
            return cls._fitted(values, is_label, neighbors, random)

    @classmethod
    def _fitted(
        cls, values: Floats, is_label: NDArray[np.bool_], neighbors: int, random: np.random.RandomState
    ) -> "SurpriseViews":
        cells = [Cells.fit(column, bool(label)) for column, label in zip(values.T, is_label, strict=True)]
        surprises = [Surprise.fit(column, own) for column, own in zip(values.T, cells, strict=True)]
        squared = alignments(values, is_label, random)
        chosen = spanning_pairs(squared, len(values))
        codes = np.stack([own.of(column) for column, own in zip(values.T, cells, strict=True)], axis=1)
        widths = [RelatedPair.fit(columns, codes, cells) for columns in chosen]
        wide = [own[0] for own in widths]
        narrow = [max(own, key=lambda pair: pair.usual) for own in widths]
        strengths = np.sqrt(np.array([squared[columns] for columns in chosen]))
        near = NearRows.fit(values, cells, neighbors, random)
        unscaled = cls(cells, surprises, wide, narrow, strengths, near, (), np.empty((0, BREAK + 1)))
        raw = unscaled.raw(values, trained=True)
        bits = [TailBits.fit(view) for view in raw[:, :BREAK].T]
        scales: tuple[TailBits | TailLine, ...] = (*bits, TailLine.fit(raw[:, BREAK]))
        return replace(unscaled, scales=scales, scores=_scaled(scales, raw))

    def parts(self, values: Floats, *, trained: bool) -> Parts:
        """What the views of rows are made of, but for distances."""
        single = [own.of(column, trained=trained) for own, column in zip(self.surprises, values.T, strict=True)]
        codes = np.stack([own.of(column) for own, column in zip(self.cells, values.T, strict=True)], axis=1)
        wide, narrow = (
            np.array([pair.bits(codes, trained=trained) - pair.usual for pair in pairs]).reshape(-1, len(values)).T
            for pairs in (self.pairs, self.narrow)
        )
        return Parts(np.stack(single, axis=1), wide, narrow)

    def raw(self, values: Floats, *, trained: bool) -> Floats:
        """What each view says in its own unit.

        Sums of surprise, sums of absolute deviations of pointwise dependence, mean distance to the nearest rows, the
        largest deviation below the mean.
        """
        parts = self.parts(values, trained=trained)
        distances = self.near.distances(values, trained=trained)
        worst = -parts.breaks.min(axis=1, initial=0.0)
        return np.stack([parts.values.sum(axis=1), np.abs(parts.relations).sum(axis=1), distances, worst], axis=1)

    def bits(self, values: Floats) -> Floats:
        """Bits of new rows in each view, shape (rows, views and breaks)."""
        return _scaled(self.scales, self.raw(values, trained=False))

    def total(self, scores: Floats) -> Floats:
        """The score of rows: the mean of the views, or the bits of what a row breaks less half of what n rows allow.

        The highest of n rows has log2(2 n) bits in a view. Half of it is what the others would have to add for a break
        to be as outlying as a row that is so in all views.
        """
        allowed = np.log2(2.0 * len(self.scores)) / 2
        found: Floats = np.maximum(scores[:, :BREAK].mean(axis=1), scores[:, BREAK] - allowed)
        return found

    def shares(self, values: Floats, *, trained: bool) -> tuple[Parts, Floats, Floats, Floats]:
        """The parts, and for each view what each part gives to it; every row of a view adds up to 1.

        Values share by their bits beyond the least of the row, relations by their absolute deviation, columns by their
        part of the squared distances.
        """
        parts = self.parts(values, trained=trained)
        single = _normalized(parts.values - parts.values.min(axis=1, keepdims=True))
        return parts, single, _normalized(np.abs(parts.relations)), self.near.shares(values)


def _scaled(scales: Sequence[TailBits | TailLine], raw: Floats) -> Floats:
    return np.stack([scale.of(view) for scale, view in zip(scales, raw.T, strict=True)], axis=1)


def _normalized(amounts: Floats) -> Floats:
    """Divided by their sums; evenly where these are 0."""
    totals = amounts.sum(axis=1, keepdims=True)
    even: Floats = np.full_like(amounts, 1.0 / max(amounts.shape[1], 1))
    np.divide(amounts, totals, out=even, where=totals > 0)
    return even
