"""Why a row stands out: what each value, relation and distance gives to its score, in numbers and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.tools.outliers.mixed_rows import RowReader
from shearer.tools.outliers.reason_words import ComparedRows, relation_words, value_words
from shearer.tools.outliers.surprise_views import BREAK, VIEWS, SurpriseViews

Floats = NDArray[np.float64]

# Training rows that stand for all where words say what is usual.
_MOST_COMPARED = 10_000


@dataclass(frozen=True, eq=False)
class Explained:
    """The scores of some rows, divided.

    Attributes
    ----------
    values : array (rows, columns)
        The rows, coded.
    known : array of bool (rows,)
        Which of them are training rows.
    views : SurpriseViews
        What they were looked at by.
    compared : ComparedRows
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
    known: NDArray[np.bool_]
    views: SurpriseViews
    compared: ComparedRows
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
        few = ComparedRows(training[:: max(1, len(training) // _MOST_COMPARED)], views.cells)
        return cls(values, known, views, few, reader, names, bits, given, columns)

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
                text = value_words(self, row, int(part))
            else:
                columns = self.views.pairs[int(part) - width].columns
                text = relation_words(self, row, int(part) - width)
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


def _pick(known: NDArray[np.bool_], new: Any, trained: Any) -> Any:
    """What holds of training rows for these, and of new rows for those."""
    if isinstance(new, tuple):
        return type(new)(*(_pick(known, *pair) for pair in zip(new, trained, strict=True)))
    return np.where(known[:, None], trained, new)
