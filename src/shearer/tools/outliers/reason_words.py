"""Sentences on a row: what is usual of all rows, or of rows like it, that is not so of this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shearer.tools.outliers.column_cells import Cells
    from shearer.tools.outliers.explained_rows import Explained

Floats = NDArray[np.float64]

#: Between these shares of the rows lie values that are called usual.
USUAL = (0.05, 0.95)
# Rows alike beyond this weight stand for "rows like this", and in a narrower neighborhood beyond the second; with fewer
# of them nothing is said of what is usual there.
_FEWEST_ALIKE, _FEWEST_ALIKE_NARROW = 8.0, 20.0
# Rows found together are called few below this share of those that unrelated columns would have.
_CLEARLY_FEWER = 0.8
# A number with at most this share of the rows at or beyond it lies far out.
_FAR = 0.1


class ComparedRows:
    """Training rows that words compare others with; what is needed of a column again and again is found once.

    Parameters
    ----------
    values : array (rows, columns)
        The rows, coded.
    cells : sequence of Cells
        Of the columns.
    """

    def __init__(self, values: Floats, cells: Sequence[Cells]) -> None:
        self.values, self._cells = values, cells
        self._orders: dict[int, tuple[NDArray[np.intp], Floats]] = {}
        self._codes: dict[int, NDArray[np.intp]] = {}
        self._ranges: dict[int, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self.values)

    def codes(self, column: int) -> NDArray[np.intp]:
        """The cells of the values of a column."""
        if column not in self._codes:
            self._codes[column] = self._cells[column].of(self.values[:, column])
        return self._codes[column]

    def usual(self, column: int, weights: Floats | None = None) -> tuple[float, float]:
        """Between which values of a column the usual share of the rows lies, of all or as rows count with weights."""
        if column not in self._orders:
            order = np.argsort(self.values[:, column], kind="stable")
            self._orders[column] = order, self.values[order, column]
        if weights is None:
            if column not in self._ranges:
                self._ranges[column] = self.usual(column, np.ones(len(self)))
            return self._ranges[column]
        order, rising = self._orders[column]
        steps = np.cumsum(weights[order])
        low, high = (float(rising[np.searchsorted(steps, share * steps[-1])]) for share in USUAL)
        return low, high

    def counts(self, column: int, weights: Floats | None = None) -> Floats:
        """How many rows have each label of a column, or their weight."""
        found: Floats = np.bincount(self.values[:, column].astype(np.intp), weights=weights).astype(np.float64)
        return found


def value_words(explained: Explained, row: int, column: int) -> str:
    """What is odd of a single value: how few rows share a label, a range that a number is outside of, or a gap."""
    own, stated = explained.values[row, column], _valued(explained, row, column)
    if explained.reader.levels[column] is not None:
        return f"{stated}: of all rows {_label_shares(explained, column, own, explained.compared.counts(column))}"
    low, high = explained.compared.usual(column)
    if own < low or own > high:
        return f"{stated}: of all rows {_usual_words(explained, column, low, high)}"
    # Inside of the range, and yet rare: between other values, or alone at its end.
    near = np.abs(explained.compared.values[:, column] - own) <= explained.views.surprises[column].width
    return f"{stated}: {_in_rows(float(near.mean()))} rows have a value near it"


def relation_words(explained: Explained, row: int, place: int) -> str:
    """What is odd of two values together, `place` being that of their pair."""
    wide, narrow = explained.views.pairs[place], explained.views.narrow[place]
    bits = float(explained.bits[row, len(explained.names) + place])
    # What is odd is rather the rarer of the two; the other is what it is held against.
    odd, other = sorted(wide.columns, key=lambda column: -explained.bits[row, column])
    together = f"{_valued(explained, row, odd)} with {_valued(explained, row, other)}"
    if bits > 0:
        if all(_far_out(explained, row, column) for column in wide.columns):
            return f"{together}: both far along what the two columns have in common"
        return f"{together}: these go together more closely than most values of the two columns"
    neighborhoods = [_alike(explained, row, given, narrow.width) for given in (other, odd)]
    for told, given, alike in ((odd, other, neighborhoods[0]), (other, odd, neighborhoods[1])):
        if alike is not None and (said := _unusual_among(explained, row, told, alike)):
            pair = f"{_valued(explained, row, told)} with {_valued(explained, row, given)}"
            return f"{pair}: of rows with {_like_this(explained, row, given)} {said}"
    codes = np.stack(
        [own.of(column) for own, column in zip(explained.views.cells, explained.values[[row]].T, strict=True)], axis=1
    )
    seen, expected = (float(own[0]) for own in narrow.seen_and_expected(codes, trained=bool(explained.known[row])))
    if seen < 1 and expected < 1:
        few = other if neighborhoods[0] is None else odd
        return f"{together}: hardly seen together, and few rows have {_like_this(explained, row, few)}"
    if seen < _CLEARLY_FEWER * expected:
        rows = "hardly any other row" if seen < 1 else f"some {seen:.0f} other rows"
        return f"{together}: in {rows} like this one; unrelated columns would have {expected:.0f}"
    return f"{together}: these go together less closely than most values of the two columns"


def _valued(explained: Explained, row: int, column: int) -> str:
    return f"{explained.names[column]} = {explained.reader.shown(column, explained.values[row, column])}"


def _like_this(explained: Explained, row: int, column: int) -> str:
    """Which rows a value is held against: those with the same label, or with a similar number."""
    cells, name = explained.views.cells[column], explained.names[column]
    if not cells.is_label:
        return f"{name} like this"
    told_apart = cells.of(explained.values[[row], column])[0] < len(cells.centers) - 1
    return f"this {name}" if told_apart else f"a rare {name}"


def _alike(explained: Explained, row: int, column: int, width: int) -> Floats | None:
    """Weights of the training rows by how alike they are in a column, at most so narrow; None of too few."""
    cells = explained.views.cells[column]
    own = cells.of(explained.values[[row], column])[0]
    others = explained.compared.codes(column)
    for narrower in range(width, -1, -1):
        alike: Floats = cells.weights[narrower, own, others]
        if alike.sum() >= (_FEWEST_ALIKE_NARROW if narrower else _FEWEST_ALIKE):
            return alike
    return None


def _unusual_among(explained: Explained, row: int, column: int, weights: Floats) -> str:
    """What is usual among rows that count with weights, if the value of the row is not; else nothing."""
    own = explained.values[row, column]
    if explained.reader.levels[column] is not None:
        counts = explained.compared.counts(column, weights)
        return "" if own == counts.argmax() else _label_shares(explained, column, own, counts)
    low, high = explained.compared.usual(column, weights)
    return "" if low <= own <= high else _usual_words(explained, column, low, high)


def _far_out(explained: Explained, row: int, column: int) -> bool:
    """Whether a value is a number with few rows at or beyond it."""
    values, own = explained.compared.values[:, column], explained.values[row, column]
    number = explained.reader.levels[column] is None
    return number and bool(min((values <= own).mean(), (values >= own).mean()) <= _FAR)


def _usual_words(explained: Explained, column: int, low: float, high: float) -> str:
    return f"90 in 100 have {explained.reader.shown(column, low)} to {explained.reader.shown(column, high)}"


def _label_shares(explained: Explained, column: int, own: float, counts: Floats) -> str:
    """How many rows have a label, and how many the most frequent one."""
    shares, level = counts / counts.sum(), float(counts.argmax())
    share = float(shares[int(own)]) if 0 <= own < len(shares) else 0.0  # a new label is below 0
    most = f"{_in_rows(shares.max())} {explained.reader.shown(column, level)}"
    return f"{_in_rows(share)} have this" + ("" if own == level else f", {most}")


def _in_rows(share: float) -> str:
    """A share in words.

    Examples
    --------
    >>> _in_rows(0.031), _in_rows(0.0028), _in_rows(0.0001), _in_rows(0.0)
    ('3 in 100', '3 in 1,000', 'fewer than 1 in 1,000', 'hardly any')
    """
    if share >= 0.01:
        return f"{100 * share:.0f} in 100"
    if share >= 0.001:
        return f"{1000 * share:.0f} in 1,000"
    return "fewer than 1 in 1,000" if share > 0 else "hardly any"
