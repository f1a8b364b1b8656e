"""Tests of all pairs of variables; the test of two is a batch of one.

A p-value is a function of the two tiles of variables that the pair lies in, and these are cut at fixed places: it is
the same to the last bit in whatever rectangle it is asked for, with any memory and any number of threads.
"""

import math
import operator
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._memory import parse_memory
from shearer._progress import Meter
from shearer._threads import single_threaded_blas
from shearer._validate import describe, type_error, value_error
from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.pairs import limits
from shearer.pairs.chance import Chances
from shearer.pairs.cross_products import margins_of, samples_of
from shearer.pairs.null_law.rare import RarePairs
from shearer.pairs.null_law.tails import joined
from shearer.pairs.sides import Ladders, Prepared, Side
from shearer.pairs.statistics import chances_of, compared, counts_at, rungs_of_pairs, turned, weights_of
from shearer.pairs.strength import Interval, Strongest, intervals_of

Floats = NDArray[np.float64]
Cell = tuple[int, int]

# Variables of a tile of few rows, and of one with missing values; decides the last bits of a p-value.
WIDE_TILE, GAP_TILE = 128, 16
# Rows of tiles that are gone through together, so that a tile of columns serves several.
_ROWS_OF_TILES = 2
# Sides that may keep features at a time: of three tiles, at every height.
_SIDES = 16
# Row vectors of two tiles with missing values: tiles squared times rows.
_GAP_VECTORS = 2**23


class Judged(NamedTuple):
    """Test and strength of all pairs of two ranges of variables, each of shape (rows, columns).

    Attributes
    ----------
    pvalue : array
        Of the test.
    squared : array
        Share of the attainable alignment where it is largest, less what that choice gains by chance
        (`shearer.pairs.strength`).
    rungs : array of int
        Where that is: a place among `rungs_of_pairs`, the rung of the row's variable and that of the column's.
    """

    pvalue: Floats
    squared: Floats
    rungs: NDArray[np.intp]


class PairTests:
    """Independence tests of pairs of variables of a table.

    At equal rungs of the ladders, and at some unequal ones, statistics are compared with their permutation moments (the
    unbiased HSIC, and the covariance of the row means of the similarities), and their tails are joined to one p-value
    (`shearer.pairs.statistics`). With missing values each pair is tested on the rows that both variables have, at
    widths found from the rows that each variable has. A p-value is nan where fewer than 6 rows are common. Of a
    variable with itself it is 1.

    Parameters
    ----------
    ladders : Ladders
        The variables.
    rare : RarePairs, optional
        Raises p-values to what variables of few different values allow.
    memory : str or number, optional
        What may be allocated, in bytes or such as "2GB"; default: half of the machine.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data import read
    >>> x = np.random.default_rng(0).normal(size=(50, 4))
    >>> x[:, 3] = x[:, 0] ** 2
    >>> found = PairTests.of(read(x)).pvalues(slice(0, 2), slice(2, 4))
    >>> bool(found[0, 1] < 1e-6 < found[1, 0])
    True
    """

    def __init__(self, ladders: Ladders, rare: RarePairs | None = None, memory: str | float | None = None) -> None:
        if ladders.rows < limits.FEWEST_ROWS:
            hint = 'independence_test(method="permutation") enumerates few rows.'
            raise value_error("data", f"at least {limits.FEWEST_ROWS} rows", f"{ladders.rows}", hint)
        self.count = ladders.count
        self._ladders = ladders
        self._rare = rare
        self._budget = parse_memory(memory)
        if ladders.presence.complete:
            self._tile = WIDE_TILE if ladders.rows <= limits.MOST_MATRIX_ROWS else limits.TILE
        else:
            self._tile = max(1, min(GAP_TILE, math.isqrt(_GAP_VECTORS // ladders.rows)))

    @classmethod
    def of(
        cls,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        *,
        single: bool = False,
        memory: str | float | None = None,
        exact: bool = False,
    ) -> "PairTests":
        """The tests of a table.

        Parameters
        ----------
        table : Table
            The variables.
        kernel : Kernel or mapping of name -> Kernel, optional
            One width in place of the ladder.
        single : bool
            At the one width of the default kernel only.
        memory : str or number, optional
            What may be allocated.
        exact : bool
            Features that leave out nothing but round-off, where there is such a low rank.
        """
        return cls(Ladders.of(table, kernel, single=single, exact=exact), RarePairs(table), memory)

    def pvalues(
        self, rows: slice, columns: slice, *, progress: bool | None = None, label: str = "tests of pairs"
    ) -> Floats:
        """The p-values of all pairs of two runs of variables, shape (rows, columns); options as in `judged`."""
        return self.judged(rows, columns, progress=progress, label=label).pvalue

    def judged(
        self, rows: slice, columns: slice, *, progress: bool | None = None, label: str = "tests of pairs"
    ) -> Judged:
        """p-values and squared strengths of all pairs of two runs of variables, from one pass.

        Parameters
        ----------
        rows, columns : slice
            Which variables.
        progress : bool, optional
            A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.
        label : str
            What the bar says.
        """
        rows, columns = self._check("rows", rows), self._check("columns", columns)
        result = np.empty((len(Judged._fields), rows.stop - rows.start, columns.stop - columns.start))
        cells = self._cells(rows, columns)
        with single_threaded_blas(), Meter(len(cells), label, progress) as meter:
            for cell, left, right in self._sides(cells):
                for whole, part in zip(result, self._judged(cell, left, right), strict=True):
                    self._place(whole, rows, columns, cell, part)
                meter.step()
        if self._rare is not None:
            self._rare.raise_pvalues(result[0], rows, columns)
        rungs = result[2].astype(np.intp)
        later = np.greater.outer(*(np.arange(run.start, run.stop) for run in (rows, columns)))
        return Judged(result[0], result[1], np.where(later, turned(rungs), rungs))

    def _judged(self, cell: Cell, left: list[Side], right: list[Side]) -> tuple[Floats, Floats, Floats]:
        """What `judged` gives, of the pairs of two tiles, without the bound for rare values.

        The rungs are that of the variable that stands first in the table, and that of the other.
        """
        common, ladders = self._common(*cell), [self._rungs(tile) for tile in cell]
        every = rungs_of_pairs(len(left))
        tails: list[Floats] = []
        strongest = Strongest(common, *ladders)
        for place, (heights, sample) in enumerate(zip(every, samples_of(left, right, every), strict=True)):
            strongest.add(sample.alignment, sample.attainable, place)
            found = compared(sample, heights)
            found.z[:, ~counts_at(heights, *ladders)] = np.nan
            tails += found.tails()
        block = joined(tails, weights_of(every))
        block[common < limits.FEWEST_ROWS] = np.nan
        if cell[0] == cell[1]:
            np.fill_diagonal(block, 1.0)
        return block, strongest.squared, strongest.rungs.astype(np.float64)

    def intervals(
        self, pairs: NDArray[np.intp], squared: Floats, rungs: NDArray[np.intp], pvalue: Floats, rows: Any = None
    ) -> Interval:
        """95 % confidence intervals of the strengths of some pairs, as `judged` found them.

        Parameters
        ----------
        pairs : array (m, 2)
            Positions of the variables, those of a row and a column of what was judged.
        squared, rungs, pvalue : array (m,)
            As judged. Where p is above 5 % the interval reaches down to 0: the upper end is then a bound.
        rows : int, optional
            How many rows those of the table stand for, where they are a sample.
        """
        with single_threaded_blas():
            return intervals_of(self._ladders, pairs, squared, rungs, pvalue, rows)

    def chances(self, rows: slice, columns: slice) -> Chances:
        """What chance gives to the mutual information of order 2 of all pairs of two runs, at the first width."""
        rows, columns = self._check("rows", rows), self._check("columns", columns)
        result = np.empty((len(Chances._fields), rows.stop - rows.start, columns.stop - columns.start))
        cells = self._cells(rows, columns)
        with single_threaded_blas():
            for cell, left, right in self._sides(cells, heights=1, third=False):
                for found, part in zip(result, chances_of(margins_of(left[0], right[0])), strict=True):
                    self._place(found, rows, columns, cell, np.broadcast_to(part, self._common(*cell).shape))
        return Chances(*result)

    def components(self, first: int, second: int) -> Iterator[tuple[str, float, float, float, float]]:
        """Each statistic of one pair: what it looks at, deviations from its mean, tail, skewness and weight."""
        ladders = [self._ladders.heights(k) for k in (first, second)]
        own = [[rungs] for rungs in ladders]
        every = [one for one in rungs_of_pairs(max(ladders)) if weights_of([one]) and counts_at(one, *own).all()]
        left, right = (
            [Side(self._ladders, np.array([k]), height, self._budget // _SIDES) for height in range(max(ladders))]
            for k in (first, second)
        )
        with single_threaded_blas():
            for heights, sample in zip(every, samples_of(left, right, every), strict=True):
                yield from compared(sample, heights).components(max(ladders), (0, 0))

    def _cells(self, rows: slice, columns: slice) -> list[Cell]:
        """The pairs of tiles (i <= j) that a rectangle touches."""
        if rows.start == rows.stop or columns.start == columns.stop:
            return []
        tiles = [range(run.start // self._tile, -(-run.stop // self._tile)) for run in (rows, columns)]
        return sorted({(min(i, j), max(i, j)) for i in tiles[0] for j in tiles[1]})

    def _sides(
        self, cells: list[Cell], heights: int | None = None, third: bool = True
    ) -> Iterator[tuple[Cell, list[Side], list[Side]]]:
        """Both sides of each pair of tiles at every height; tiles that the following cells share are kept.

        What pairs need of single variables is kept of all tiles where there is room, so that it is found once.
        """
        presence, room = self._ladders.presence, self._budget // _SIDES
        vectors = self.count * len(presence.masks) * (heights or len(limits.RUNG_BITS))
        remember = len(presence.masks) <= limits.FEW_PATTERNS and 16 * self._ladders.rows * vectors <= room
        known: dict[tuple[int, int], Prepared] = {}
        kept: dict[int, list[Side]] = {}
        for i, j in sorted(cells, key=lambda cell: (cell[0] // _ROWS_OF_TILES, cell[1], cell[0])):
            band = i // _ROWS_OF_TILES
            kept = {tile: sides for tile, sides in kept.items() if tile // _ROWS_OF_TILES == band or tile == j}
            highest = heights or int(max(self._rungs(i).max(), self._rungs(j).max()))
            for tile in {i, j}:
                sides = kept.setdefault(tile, [])
                for height in range(len(sides), highest):
                    found = known.get((tile, height), Prepared())
                    sides.append(Side(self._ladders, self._variables(tile), height, room, third, found))
            left = kept[i][:highest]
            yield (i, j), left, left if i == j else kept[j][:highest]
            if remember:
                for tile in {i, j}:
                    known |= {(tile, side.height): side.prepared for side in kept[tile]}

    def _rungs(self, tile: int) -> NDArray[np.intp]:
        return np.array([self._ladders.heights(int(k)) for k in self._variables(tile)], dtype=np.intp)

    def _variables(self, tile: int) -> NDArray[np.intp]:
        return np.arange(self.count)[tile * self._tile : (tile + 1) * self._tile]

    def _common(self, i: int, j: int) -> NDArray[np.intp]:
        pattern = self._ladders.presence.pattern
        return self._ladders.presence.common[np.ix_(pattern[self._variables(i)], pattern[self._variables(j)])]

    def _check(self, name: str, run: Any) -> slice:
        expected = f"a slice of {self.count} variables"
        if not isinstance(run, slice) or run.step not in (None, 1):
            raise type_error(name, expected, describe(run))
        try:
            start = 0 if run.start is None else operator.index(run.start)
            stop = self.count if run.stop is None else operator.index(run.stop)
        except TypeError as error:
            raise type_error(name, expected, describe(run)) from error
        if not 0 <= start <= stop <= self.count:
            raise value_error(name, expected, describe(run))
        return slice(start, stop)

    def _place(self, result: Floats, rows: slice, columns: slice, cell: Cell, block: Floats) -> None:
        """Write what the rectangle has in common with the pairs of two tiles, on either side of the diagonal."""
        if cell[0] == cell[1]:
            upper = np.triu(block)
            block = np.where(np.tri(len(block), k=-1, dtype=bool), upper.T, block)
        for (first, second), part in ((cell, block), (cell[::-1], block.T)):
            here, there = [], []
            for run, tile in ((rows, first), (columns, second)):
                span = slice(tile * self._tile, min((tile + 1) * self._tile, self.count))
                start, stop = max(run.start, span.start), max(run.start, span.start, min(run.stop, span.stop))
                here.append(slice(start - span.start, stop - span.start))
                there.append(slice(start - run.start, stop - run.start))
            result[tuple(there)] = part[tuple(here)]
