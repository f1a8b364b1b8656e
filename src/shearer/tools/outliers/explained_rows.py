"""Why a row stands out: what each value, relation and distance gives to its score, in numbers and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.tools.outliers.mixed_rows import RowReader
from shearer.tools.outliers.surprise_views import BREAK, VIEWS, SurpriseViews

Floats = NDArray[np.float64]

#: Between these shares of the rows lie values that are called usual.
USUAL = (0.05, 0.95)
# Rows alike beyond this weight stand for "such rows"; with fewer of them nothing is said of what is usual there.
_FEWEST_ALIKE = 8.0
# Training rows that stand for all where words say what is usual.
_MOST_COMPARED = 10_000


@dataclass(frozen=True, eq=False)
class Explained:
    """The scores of some rows, divided.

    Attributes
    ----------
    values : array (rows, columns)
        The rows, coded.
    views : SurpriseViews
        What they were looked at by.
    training : array
        The rows that these were fitted to; of many, some evenly spread.
    reader : RowReader
        Of both.
    names : sequence of str
        The columns.
    bits : array (rows, parts)
        What is known of each part: bits of surprise of every column, then deviations of the pointwise dependence of
        every related pair, then 0 for all columns together.
    given : array (rows, parts)
        What each part gives to the score, which is the sum of them.
    by_column : array (rows, columns)
        The same with pairs divided between their two columns, and distances among all.
    """

    values: Floats
    views: SurpriseViews
    training: Floats
    reader: RowReader
    names: Sequence[str]
    bits: Floats
    given: Floats
    by_column: Floats

    @classmethod
    def of(
        cls,
        values: Floats,
        scores: Floats,
        known: NDArray[np.bool_],
        views: SurpriseViews,
        training: Floats,
        reader: RowReader,
        names: Sequence[str],
    ) -> "Explained":
        """Divide the scores of rows, shape (rows, views and breaks); `known` says which are training rows."""
        found = [views.shares(values, trained=trained) for trained in (False, True)]
        parts, single, related, near = (_pick(known, *pair) for pair in zip(*found, strict=True))
        total, own = views.total(scores), scores[:, :BREAK] / BREAK
        if not views.pairs:  # then the view of relations is the same for all rows
            own = own + np.array([[0.5, 0.0, 0.5]]) * own[:, [1]]
            own[:, 1] = 0.0
        breaks = total > scores[:, :BREAK].mean(axis=1)  # then all of it is the relation that is broken most
        worst = np.argmin(parts.breaks, axis=1) if views.pairs else np.zeros(len(values), dtype=np.intp)
        whole = np.eye(max(len(views.pairs), 1))[worst, : len(views.pairs)] * total[:, None]
        relations = np.where(breaks[:, None], whole, own[:, [1]] * related)
        bits = np.where(breaks[:, None], parts.breaks, parts.relations)
        own = np.where(breaks[:, None], 0.0, own)
        columns = own[:, [0]] * single + own[:, [2]] * near
        for place, pair in enumerate(views.pairs):
            for column in pair.columns:
                columns[:, column] += relations[:, place] / 2
        given = np.hstack([own[:, [0]] * single, relations, own[:, [2]]])
        bits = np.hstack([parts.values, bits, np.zeros((len(values), 1))])
        few = training[:: max(1, len(training) // _MOST_COMPARED)]
        return cls(values, views, few, reader, names, bits, given, columns)

    def part_names(self) -> list[str]:
        """Columns, pairs and all columns, as `bits` has them."""
        pairs = [", ".join(self.names[column] for column in pair.columns) for pair in self.views.pairs]
        return [*self.names, *pairs, "all columns"]

    def part_views(self) -> list[str]:
        """The view that each belongs to."""
        counts = len(self.names), len(self.views.pairs), 1
        return [name for name, count in zip(VIEWS, counts, strict=True) for _ in range(count)]

    def lines(self, by: str) -> dict[str, Any]:
        """One line for each row and part, or for each row and column, the largest contribution first."""
        if by == "column":
            order = np.argsort(-self.by_column, axis=1, kind="stable")
            return {
                "row": np.repeat(np.arange(len(self.values)), order.shape[1]),
                "column": np.array(self.names, dtype=object)[order].ravel(),
                "contribution": np.take_along_axis(self.by_column, order, axis=1).ravel(),
            }
        order = np.argsort(-self.given, axis=1, kind="stable")
        return {
            "row": np.repeat(np.arange(len(self.values)), order.shape[1]),
            "subspace": np.array(self.part_names(), dtype=object)[order].ravel(),
            "view": np.array(self.part_views(), dtype=object)[order].ravel(),
            "score": np.take_along_axis(self.bits, order, axis=1).ravel(),
            "contribution": np.take_along_axis(self.given, order, axis=1).ravel(),
        }

    def reasons(self, row: int, most: int) -> list[dict[str, Any]]:
        """What gives most to the score of a row, as a mapping with a sentence; relations and values only."""
        found: list[dict[str, Any]] = []
        width = len(self.names)
        for part in np.argsort(-self.given[row, :-1], kind="stable"):
            bits, share = float(self.bits[row, part]), float(self.given[row, part])
            if len(found) == most or share <= 0:
                break
            if part < width:
                columns: tuple[int, ...] = (int(part),)
                text = self._value_words(row, int(part))
            else:
                columns = self.views.pairs[int(part) - width].columns
                text = self._relation_words(row, columns, bits)
            found.append(
                {
                    "columns": [self.names[column] for column in columns],
                    "values": [self.reader.shown(column, self.values[row, column]) for column in columns],
                    "bits": bits,
                    "contribution": share,
                    "words": text,
                }
            )
        return found

    def _value_words(self, row: int, column: int) -> str:
        return f"{self._valued(row, column)}: of all rows {self._usual(column, np.ones(len(self.training)))}"

    def _relation_words(self, row: int, columns: tuple[int, ...], bits: float) -> str:
        # What is odd is the rarer of the two; the other is what it is held against.
        odd, other = sorted(columns, key=lambda column: -self.bits[row, column])
        together = f"{self._valued(row, odd)} with {self._valued(row, other)}"
        cells = self.views.cells[other]
        own = cells.of(self.values[row : row + 1, other])[0]
        alike = cells.weights[0, own, cells.of(self.training[:, other])]
        if bits > 0:
            return f"{together}: both far along what the two columns have in common"
        if alike.sum() < _FEWEST_ALIKE:
            return f"{together}: not seen together, and few rows have {self.names[other]} like this"
        return f"{together}: of rows with {self.names[other]} like this {self._usual(odd, alike)}"

    def _valued(self, row: int, column: int) -> str:
        return f"{self.names[column]} = {self.reader.shown(column, self.values[row, column])}"

    def _usual(self, column: int, weights: Floats) -> str:
        """What 90 of 100 rows have, or the most frequent label, among rows that count with weights."""
        values = self.training[:, column]
        if self.reader.levels[column] is not None:
            counts = np.bincount(values.astype(np.intp), weights=weights)
            level = int(counts.argmax())
            share = counts[level] / counts.sum()
            return f"{100 * share:.0f} in 100 have {self.reader.shown(column, float(level))}"
        order = np.argsort(values, kind="stable")
        steps = np.cumsum(weights[order])
        low, high = (values[order][np.searchsorted(steps, share * steps[-1])] for share in USUAL)
        return f"90 in 100 have {self.reader.shown(column, low)} to {self.reader.shown(column, high)}"


def _pick(known: NDArray[np.bool_], new: Any, trained: Any) -> Any:
    """What holds of training rows for these, and of new rows for those."""
    if isinstance(new, tuple):
        return type(new)(*(_pick(known, *pair) for pair in zip(new, trained, strict=True)))
    return np.where(known[:, None], trained, new)
