"""One side of a rectangle of pairs: some variables on some rows, at every rung of their ladders."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each, one_by_one
from shearer.kernels.gram import ALL, Index
from shearer.screening import tiles
from shearer.screening.ladder import Ladder
from shearer.screening.marginals import Marginals
from shearer.screening.similarities import Similarities
from shearer.screening.sums import marginals_of
from shearer.screening.tails import component_tails, joined, mirror_upper
from shearer.screening.tiles import Tile

Floats = NDArray[np.float64]
Cell = tuple[int, int]

# Row pairs multiplied at a time, at least, and entries of them: they decide the last bits of a p-value.
_ROW_PAIRS, _ENTRIES = 2**12, 2**19


def row_pairs(variables: int) -> int:
    """Row pairs multiplied at a time for so many variables: many where variables are few."""
    return max(_ROW_PAIRS, _ENTRIES // variables)


class Side:
    """Variables of a ladder on rows that all of them have.

    Parameters
    ----------
    ladder : Ladder
        All variables.
    variables : array
        Which of them, in ascending order.
    rows : slice or array
        Which rows.
    """

    def __init__(self, ladder: Ladder, variables: NDArray[np.intp], rows: Index = ALL) -> None:
        self._ladder = ladder
        self._variables = variables
        self._index = rows
        self._sums: dict[int, Marginals] = {}

    @property
    def count(self) -> int:
        """How many variables."""
        return len(self._variables)

    @property
    def rows(self) -> int:
        """How many rows."""
        return self.rung(0).rows

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """Which of the variables have several widths."""
        return self._ladder.several[self._variables]

    @property
    def heights(self) -> int:
        """How many rungs the longest of their ladders has."""
        return self._ladder.heights if self.several.any() else 1

    def rung(self, height: int) -> Similarities:
        """Their similarities at one height."""
        return self._ladder.rung(height).restrict(self._variables, self._index)

    def sums(self, height: int, each: Each = one_by_one) -> Marginals:
        """What pairs need of each variable at one height; found once."""
        height = min(height, self.heights - 1)
        if height not in self._sums:
            self._sums[height] = marginals_of(self.rung(height), each)
        return self._sums[height]

    def stack(self, source: Similarities, height: int, piece: Tile) -> Floats:
        """Centred similarities of the row pairs of a piece, shape (pairs, variables)."""
        sums = self.sums(height)
        stack = source.stack(piece)
        shift = np.ascontiguousarray(sums.shift.T)
        rest = shift - sums.constant
        filled = 0
        for row, columns in piece.strips():
            strip = stack[filled : filled + columns.stop - columns.start]
            strip -= shift[columns]
            strip -= rest[row]
            filled += len(strip)
        return stack


def _nothing() -> None:
    """Nobody counts."""


def pvalues(
    sides: Mapping[int, Side], cells: list[Cell], pairs: int, each: Each, step: Callable[[], None] = _nothing
) -> list[Floats]:
    """p-values of all pairs of the two sides of each cell, all sides on the same rows; nan on a diagonal.

    Parameters
    ----------
    sides : mapping
        The sides, by number.
    cells : list of pairs
        Which of them are to be compared.
    pairs : int
        Row pairs multiplied at a time.
    each : callable
        How to go through independent parts of the work.
    step : callable, optional
        Called after each piece of the row pairs at each height.
    """
    products: dict[Cell, list[Floats]] = {cell: [] for cell in cells}
    for height in range(max(side.heights for side in sides.values())):
        wanted = [(i, j) for i, j in cells if height < max(sides[i].heights, sides[j].heights)]
        needed = {k: sides[k] for cell in wanted for k in cell}
        for cell, total in _products(needed, height, wanted, pairs, each, step).items():
            products[cell].append(total)

    def finish(cell: Cell) -> Floats:
        return _combine(sides[cell[0]], sides[cell[1]], products[cell])

    return each(finish, cells)


def _products(
    sides: Mapping[int, Side], height: int, cells: list[Cell], pairs: int, each: Each, step: Callable[[], None]
) -> dict[Cell, Floats]:
    """Sums over row pairs of the products of centred similarities at one height, for the pairs of each cell."""
    sources = {}
    for k, side in sides.items():
        side.sums(height, each)
        sources[k] = side.rung(height)
    totals = {(i, j): np.zeros((sides[i].count, sides[j].count)) for i, j in cells}
    stacks: dict[int, Floats] = {}

    def fill(work: tuple[int, Tile]) -> None:
        k, piece = work
        stacks[k] = sides[k].stack(sources[k], height, piece)

    def add(cell: Cell) -> None:
        totals[cell] += stacks[cell[0]].T @ stacks[cell[1]]

    for piece in tiles.cut(next(iter(sources.values())).rows, pairs):
        each(fill, [(k, piece) for k in sides])
        each(add, cells)
        step()
    return totals


def _combine(left: Side, right: Side, products: list[Floats]) -> Floats:
    """Tails of both statistics at every height, joined; two variables of a single width meet only once."""
    tails = []
    for height, total in enumerate(products):
        tails.append(component_tails(left.sums(height), right.sums(height), total))
        if height > 0:
            tails[-1][:, ~np.logical_or.outer(left.several, right.several)] = np.nan
    pvalue = joined(tails)
    if left is right:
        mirror_upper(pvalue)
    return pvalue
