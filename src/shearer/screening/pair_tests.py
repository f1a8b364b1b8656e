"""p-values of all pairs of variables: the aggregated test of `independence_test`, many pairs at a time.

A p-value is a function of the two tiles of variables that the pair lies in, and these are cut at fixed indices: it is
the same to the last bit in whatever rectangle it is asked for, with any memory and any number of threads.
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._memory import parse_memory, require
from shearer._progress import Meter, track
from shearer._threads import map_threads, single_threaded_blas, thread_count
from shearer._validate import describe, type_error, value_error
from shearer.kernels import Kernel
from shearer.screening import gaps, tiles
from shearer.screening.adjustment import Chances
from shearer.screening.coarse import CoarsePairs
from shearer.screening.ladder import Ladder
from shearer.screening.restricted import restricted_memory
from shearer.screening.sides import Cell, Side, pvalues, row_pairs
from shearer.screening.sums import BATCH
from shearer.screening.table import Table
from shearer.screening.tails import mirror_upper
from shearer.screening.tall_tests import TallTests

Floats = NDArray[np.float64]

# Variables of a tile; decides the last bits of a p-value.
TILE = 128
# The same of factored variables, of which each pair takes long enough.
_TALL_TILE = 16
# Tiles of variables on each side of what is computed in one pass over the row pairs.
_MOST_TILES = 8
FEWEST_ROWS, MOST_ROWS = 6, 5000
# Entries of the sums of two tiles of variables with gaps: tiles squared times rows.
_GAP_SUMS = 2**22
_OPTIONS = "Options: fewer rows; a larger memory=."


class PairTests:
    """p-values of pairs of variables of a table, equal to those of ``independence_test(method="aggregated")``.

    With missing values (``missing="pairwise"``) each pair is tested on the rows that both have, at widths found from
    the rows that each variable has. Beyond 5000 rows it is the test by low-rank factors. A p-value is nan where there
    is no test: fewer than 6 rows in common, or more than 5000 and no low rank. Of a variable with itself it is 1.

    Parameters
    ----------
    table : Table
        The variables, as `shearer.screening.table.read_table` reads them.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.independence_test`: with a kernel stated, its one width takes the place of the ladder.
    single : bool
        At the one width of the kernel only, as in ``independence_test(method="moments")``.
    memory : str or number, optional
        What may be allocated, in bytes or such as "2GB"; default: half of the machine.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> from shearer.screening.table import read_table
    >>> x = np.random.default_rng(0).normal(size=(50, 4))
    >>> x[:, 3] = x[:, 0] ** 2
    >>> tests = PairTests(read_table(x))
    >>> found = tests.pvalues(slice(0, 2), slice(2, 4))
    >>> bool(abs(found[0, 1] / sh.independence_test(x[:, 0], x[:, 3]).pvalue - 1) < 1e-8)
    True
    """

    def __init__(
        self,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        *,
        single: bool = False,
        memory: str | float | None = None,
    ) -> None:
        self.count = len(table.variables)
        self._budget = parse_memory(memory)
        self._presence = table.presence
        self._rows = table.observations
        if self._rows < FEWEST_ROWS:
            hint = 'independence_test(method="permutation") enumerates few rows.'
            raise value_error("data", f"at least {FEWEST_ROWS} rows", f"{self._rows}", hint)
        self._tile = _TALL_TILE if self._rows > MOST_ROWS else TILE
        if not table.presence.complete:
            self._tile = min(self._tile, gap_tile(self._rows))
        self._ladder = Ladder(table, kernel, single)
        self._coarse = CoarsePairs(table)
        self._sides: dict[int, Side] = {}
        self._tall = TallTests(self._ladder, self._budget)

    def pvalues(
        self, rows: slice, columns: slice, *, progress: bool | None = None, label: str = "tests of pairs"
    ) -> Floats:
        """The p-values of all pairs of two runs of variables, shape (rows, columns).

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
        result = np.empty((rows.stop - rows.start, columns.stop - columns.start))
        with single_threaded_blas():
            passes = self._passes(rows, columns)
            with Meter(len(passes) * self._steps, label, progress) as meter:
                for cells in passes:
                    for (i, j), block in zip(cells, self._blocks(cells, meter.step), strict=True):
                        self._place(result, rows, columns, (i, j), block)
                        self._place(result, rows, columns, (j, i), block.T)
        self._coarse.raise_pvalues(result, rows, columns)
        return result

    def chances(self, rows: slice, columns: slice, *, progress: bool | None = None) -> Iterator[tuple[Any, Chances]]:
        """What chance gives to pairs with gaps or many rows, at the first width: places in the rectangle, and that."""
        variables = [np.arange(self.count)[run] for run in (rows, columns)]
        cuts = [[slice(k, k + self._tile) for k in range(0, len(side), self._tile)] for side in variables]
        cells = [(i, j) for i in cuts[0] for j in cuts[1]]
        for i, j in track(cells, len(cells), "chance", progress):
            pair = variables[0][i], variables[1][j]
            if self._rows > MOST_ROWS:
                yield (i, j), self._tall.chances(*pair)
            else:
                yield (i, j), gaps.Gaps(self._ladder.rung(0), *pair, map_threads).chances()

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

    def _span(self, tile: int) -> slice:
        return slice(tile * self._tile, min((tile + 1) * self._tile, self.count))

    def _variables(self, tile: int) -> NDArray[np.intp]:
        return np.arange(self.count)[self._span(tile)]

    def _place(self, result: Floats, rows: slice, columns: slice, cell: Cell, block: Floats) -> None:
        """Write what the rectangle has in common with the pairs of two tiles."""
        here, there = [], []
        for run, tile in ((rows, cell[0]), (columns, cell[1])):
            span = self._span(tile)
            first, last = max(run.start, span.start), max(run.start, span.start, min(run.stop, span.stop))
            here.append(slice(first - span.start, last - span.start))
            there.append(slice(first - run.start, last - run.start))
        result[tuple(there)] = block[tuple(here)]

    def _passes(self, rows: slice, columns: slice) -> list[list[Cell]]:
        """The pairs of tiles (i <= j) that a rectangle touches, in groups that fit the memory."""
        if rows.start == rows.stop or columns.start == columns.stop:
            return []
        sides = [range(run.start // self._tile, -(-run.stop // self._tile)) for run in (rows, columns)]
        cells = sorted({(min(i, j), max(i, j)) for i in sides[0] for j in sides[1]})
        if self._factored:
            return [[cell] for cell in cells]
        size = _MOST_TILES if self._presence.complete else 1
        while size > 1 and self._needed(size) > self._budget:
            size //= 2
        require(self._needed(size), self._budget, f"pairs of {self._rows} rows", _OPTIONS)
        groups: dict[Cell, list[Cell]] = {}
        for i, j in cells:
            groups.setdefault((i // size, j // size), []).append((i, j))
        return list(groups.values())

    @property
    def _factored(self) -> bool:
        """Whether all pairs have so many rows that their similarities are factored."""
        return self._presence.complete and self._rows > MOST_ROWS

    def _needed(self, size: int) -> int:
        """Bytes of a pass over the pairs of `size` tiles with as many others."""
        n, width = min(self._rows, MOST_ROWS), min(self._tile, self.count)
        heights = self._ladder.heights
        known = 40 * n * self.count * heights  # the values themselves, and what is known of each variable
        batch = 24 * max(BATCH, n * n) * thread_count()
        stacks = 16 * size * width * min(row_pairs(width), n * (n - 1) // 2)
        cells = 8 * heights * (size**2 + 12 * thread_count()) * width**2  # sums, and what is made of them
        if not self._presence.complete:  # what is known of a tile on the rows that the variables of another leave it
            known += 16 * n * width**2 + thread_count() * restricted_memory(n, width)
        return known + max(batch, stacks + cells)

    @property
    def _steps(self) -> int:
        """Into how many steps a pass is counted: pieces of the row pairs at each height, or none."""
        if not self._presence.complete or self._factored:
            return 1
        return self._ladder.heights * tiles.count(self._rows, row_pairs(min(self._tile, self.count)))

    def _blocks(self, cells: list[Cell], step: Callable[[], None]) -> list[Floats]:
        """The p-values of all pairs of the tiles of each cell."""
        if not self._presence.complete or self._factored:
            by_pair = self._by_factors if self._factored else self._with_gaps
            found = [by_pair(*cell) for cell in cells]
            step()
            return found
        for tile in {tile for cell in cells for tile in cell} - set(self._sides):
            self._sides[tile] = Side(self._ladder, self._variables(tile))
        sides = {tile: self._sides[tile] for cell in cells for tile in cell}
        return pvalues(sides, cells, row_pairs(min(self._tile, self.count)), map_threads, step)

    def _by_factors(self, i: int, j: int) -> Floats:
        """p-values of the pairs of two tiles of many rows."""
        return self._tall.pvalues(self._variables(i), self._variables(j))

    def _with_gaps(self, i: int, j: int) -> Floats:
        """p-values of the pairs of two tiles, each on the rows that both variables have."""
        rows, columns = self._variables(i), self._variables(j)
        if self._rows > MOST_ROWS:
            block, rest = np.full((len(rows), len(columns)), np.nan), np.ones((len(rows), len(columns)), dtype=bool)
        else:
            block, rest = gaps.pvalues(self._ladder, rows, columns, map_threads)
        if i == j:
            rest = np.triu(rest, 1)
        self._fill_by_patterns(block, rest, rows, columns)
        if i == j:
            mirror_upper(block)
        return block

    def _fill_by_patterns(
        self, block: Floats, wanted: NDArray[np.bool_], rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> None:
        """Some of the p-values from matrices or factors of their own: those of variables with the same gaps at once."""
        patterns = [self._presence.pattern[side] for side in (rows, columns)]
        first, second = np.nonzero(wanted)
        groups = np.unique(np.stack([patterns[0][first], patterns[1][second]], axis=1), axis=0)
        for p, q in groups:
            common = np.flatnonzero(self._presence.masks[p] & self._presence.masks[q])
            if len(common) < FEWEST_ROWS:
                continue
            group = np.logical_and.outer(patterns[0] == p, patterns[1] == q) & wanted
            here, there = np.flatnonzero(group.any(axis=1)), np.flatnonzero(group.any(axis=0))
            if len(common) > MOST_ROWS:
                found = self._tall.pvalues(rows[here], columns[there])
            else:
                left, right = (Side(self._ladder, side, common) for side in (rows[here], columns[there]))
                pairs = row_pairs(max(left.count, right.count))
                found = pvalues({0: left, 1: right}, [(0, 1)], pairs, map_threads)[0]
            block[np.ix_(here, there)] = np.where(group[np.ix_(here, there)], found, block[np.ix_(here, there)])


def gap_tile(rows: int) -> int:
    """Variables of a tile where values are missing: what is known of a tile grows with its square times the rows."""
    return min(TILE, max(1, math.isqrt(_GAP_SUMS // rows)))
