"""How far a row lies from others: the mean distance to its nearest neighbors among some of the training rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.tools.outliers.column_cells import Cells

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Training rows that distances are taken to; of more a random sample. Outliers that are alike are fewer in it.
MOST_REFERENCES = 1000
# Distances held at a time.
_BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class NearRows:
    """Reference rows in a space in which every column varies alike.

    Attributes
    ----------
    cells : sequence of Cells
        Of the columns.
    center, spread : array
        Mean and standard deviation of every column of numbers; of labels the root of the chance that two rows differ.
    points : array (references, dimensions)
        The reference rows.
    rows : array
        Their positions among the training rows.
    neighbors : int
        How many count.
    """

    cells: list[Cells]
    center: Floats
    spread: Floats
    points: Floats
    rows: Indices
    neighbors: int

    @classmethod
    def fit(cls, values: Floats, cells: list[Cells], neighbors: int, random: np.random.RandomState) -> "NearRows":
        """Choose the reference rows."""
        center, spread = values.mean(axis=0), values.std(axis=0)
        for column, own in enumerate(cells):
            if own.is_label:
                shares = np.bincount(own.of(values[:, column]), minlength=len(own.centers)) / len(values)
                spread[column] = np.sqrt(1.0 - shares @ shares)
        varies = np.any(values != values[0], axis=0) & (spread > 0)
        spread = np.where(varies, spread, np.inf)
        count = min(len(values), MOST_REFERENCES)
        rows = np.sort(random.choice(len(values), count, replace=False))
        found = cls(cells, center, spread, np.empty((0, 0)), rows, min(neighbors, max(count - 1, 1)))
        return cls(cells, center, spread, found.place(values[rows]), rows, found.neighbors)

    def place(self, values: Floats) -> Floats:
        """Rows as points: numbers standardised, a label as a point for each level; all columns vary alike."""
        scaled = (values - self.center) / self.spread
        parts = []
        for column, own in enumerate(self.cells):
            if own.is_label:
                parts.append(np.eye(len(own.centers))[own.of(values[:, column])] / self.spread[column])
            else:
                parts.append(scaled[:, [column]])
        return np.hstack(parts)

    @property
    def owners(self) -> Indices:
        """The column that each dimension belongs to."""
        widths = [len(own.centers) if own.is_label else 1 for own in self.cells]
        return np.repeat(np.arange(len(widths)), widths)

    def distances(self, values: Floats, *, trained: bool) -> Floats:
        """Mean distance of rows to their nearest references; a training row is not its own neighbor."""
        points, found = self.place(values), np.empty(len(values))
        squares = np.vecdot(self.points, self.points)
        step = max(1, _BLOCK // len(self.points))
        for start in range(0, len(points), step):
            block = points[start : start + step]
            square = block @ self.points.T
            square *= -2.0
            square += np.vecdot(block, block)[:, None] + squares
            if trained:
                self._leave_out(square, start)
            square.partition(self.neighbors - 1, axis=1)
            nearest = square[:, : self.neighbors]
            found[start : start + step] = np.sqrt(np.maximum(nearest, 0.0)).mean(axis=1)
        return found

    def shares(self, values: Floats) -> Floats:
        """Each column's share of the squared distances of rows to their nearest references, shape (rows, columns).

        For a few rows at a time: those to be explained.
        """
        points, owners = self.place(values), self.owners
        found = np.zeros((len(values), len(self.cells)))
        for row, point in enumerate(points):
            squares = (self.points - point) ** 2
            total = squares.sum(axis=1)
            total[total == 0.0] = np.inf  # the row itself, among the training rows
            nearest = np.argpartition(total, self.neighbors - 1)[: self.neighbors]
            found[row] = np.bincount(owners, weights=squares[nearest].sum(axis=0), minlength=len(self.cells))
        totals = found.sum(axis=1, keepdims=True)
        even: Floats = np.full_like(found, 1.0 / len(self.cells))
        np.divide(found, totals, out=even, where=totals > 0)
        return even

    def _leave_out(self, square: Floats, start: int) -> None:
        own = np.flatnonzero((self.rows >= start) & (self.rows < start + len(square)))
        square[self.rows[own] - start, own] = np.inf
