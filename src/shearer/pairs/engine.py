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
from shearer._threads import map_threads, single_threaded_blas
from shearer._validate import describe, type_error, value_error
from shearer.kernels import Gaussian, Kernel
from shearer.pairs import limits
from shearer.pairs.moments import Form
from shearer.pairs.sides import Ladders, Rows, Side, gathered
from shearer.pairs.tails import joined, standardized, upper_tails
from shearer.screening.similarities import chosen_kernels
from shearer.screening.table import Table

Floats = NDArray[np.float64]
Cell = tuple[int, int]

# Variables of a tile; decides the last bits of a p-value.
TILE = 32
# Row vectors of two tiles with missing values: tiles squared times rows.
_GAP_VECTORS = 2**23
FORMS = ("centered", "raw")


class Statistics(NamedTuple):
    """The two statistics of all pairs of two sides at one height, in deviations from their means, and their skewness.

    Of shape (2, p, q) in the order of `FORMS`; nan where a tail is not to be trusted.
    """

    z: Floats
    skewness: Floats


class PairTests:
    """Independence tests of pairs of variables of a table.

    At each rung of the ladders two statistics are compared with their exact permutation moments (the unbiased HSIC,
    and the order-2 information), and their upper tails are joined to one p-value. With missing values each pair is
    tested on the rows that both variables have, at widths found from the rows that each variable has. A p-value is nan
    where fewer than 6 rows are common. Of a variable with itself it is 1.

    Parameters
    ----------
    table : Table
        The variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        One width in place of the ladder.
    single : bool
        At the one width of the default kernel only.
    memory : str or number, optional
        What may be allocated, in bytes or such as "2GB"; default: half of the machine.
    residual : float
        Share of the mass of a similarity that its features may leave out.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.screening.table import read_table
    >>> x = np.random.default_rng(0).normal(size=(50, 4))
    >>> x[:, 3] = x[:, 0] ** 2
    >>> found = PairTests(read_table(x)).pvalues(slice(0, 2), slice(2, 4))
    >>> bool(found[0, 1] < 1e-6 < found[1, 0])
    True
    """

    def __init__(
        self,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        *,
        single: bool = False,
        memory: str | float | None = None,
        residual: float = limits.RESIDUAL,
    ) -> None:
        self.count = len(table.variables)
        self._table = table
        self._budget = parse_memory(memory)
        if table.observations < limits.FEWEST_ROWS:
            hint = 'independence_test(method="permutation") enumerates few rows.'
            raise value_error("data", f"at least {limits.FEWEST_ROWS} rows", f"{table.observations}", hint)
        general, named = chosen_kernels(kernel, table.names)
        if single and general is None:
            general = Gaussian()
        self._ladders = Ladders(table, general, named, residual)
        self._tile = TILE
        if not table.presence.complete:
            self._tile = max(1, min(TILE, math.isqrt(_GAP_VECTORS // table.observations)))

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
        if not result.size:
            return result
        tiles = [range(run.start // self._tile, -(-run.stop // self._tile)) for run in (rows, columns)]
        cells = sorted({(min(i, j), max(i, j)) for i in tiles[0] for j in tiles[1]})
        heights = self._heights({tile for cell in cells for tile in cell})
        tails: dict[Cell, list[Floats]] = {cell: [] for cell in cells}
        with single_threaded_blas(), Meter(len(cells) * heights, label, progress) as meter:
            for height in range(heights):
                for cell, found in self._at_height(cells, height):
                    tails[cell] += list(upper_tails(*found))
                    meter.step()
        for i, j in cells:
            block = joined(tails[i, j])
            block[self._common(i, j) < limits.FEWEST_ROWS] = np.nan
            if i == j:
                block = np.triu(block, 1)
                block += block.T
                np.fill_diagonal(block, 1.0)
            self._place(result, rows, columns, (i, j), block)
            self._place(result, rows, columns, (j, i), block.T)
        return result

    def components(self, first: int, second: int) -> Iterator[tuple[str, float, float, float]]:
        """Each statistic of one pair: what it looks at, deviations from its mean, upper tail and skewness."""
        pair = np.array([first, second])
        heights = max(len(self._ladders.grams(int(k))) for k in pair)
        for height in range(heights):
            sides = [Side(self._ladders, pair[[place]], height, self._budget // 4) for place in (0, 1)]
            with single_threaded_blas():
                found = _statistics(*sides, self._norms(*sides))
            tails = upper_tails(*found)
            label = f"at {limits.RUNG_BITS[height]:g} bits" if heights > 1 else "at its one width"
            for form, z, p, skewness in zip(FORMS, found.z, tails, found.skewness, strict=True):
                if np.isfinite(p[0, 0]):
                    yield f"{form} {label}", float(z[0, 0]), float(p[0, 0]), float(skewness[0, 0])

    def _heights(self, tiles: set[int]) -> int:
        return max(len(self._ladders.grams(int(k))) for tile in tiles for k in self._variables(tile))

    def _at_height(self, cells: list[Cell], height: int) -> Iterator[tuple[Cell, Statistics]]:
        """Statistics of all pairs of tiles at one height; tiles of a row of cells are kept."""
        sides: dict[int, Side] = {}
        for i, j in cells:
            sides = {tile: side for tile, side in sides.items() if tile == i or tile > i}
            for tile in {i, j} - set(sides):
                sides[tile] = Side(self._ladders, self._variables(tile), height, self._budget // 8)
            found = _statistics(sides[i], sides[j], self._norms(sides[i], sides[j]))
            if height > 0:
                alone = ~np.logical_or.outer(sides[i].several, sides[j].several)
                found.z[:, alone] = np.nan
            yield (i, j), found

    def _norms(self, left: Side, right: Side) -> Floats:
        """Squared norms of the cross products of centered features, for all pairs."""
        total = np.zeros((int(left.starts[-1]), int(right.starts[-1])))
        for chunk in left.chunks():
            total += left.stack(chunk).T @ right.stack(chunk)
        found = np.empty((len(left.variables), len(right.variables)))
        counts = self._table.presence.common
        for i, own in enumerate(left.patterns):
            for j, other in enumerate(right.patterns):
                n = int(counts[own, other])
                if n < limits.FEWEST_ROWS:
                    found[i, j] = np.nan
                    continue
                first, second = left.rows(i, int(other)).center, right.rows(j, int(own)).center
                block = total[left.starts[i] : left.starts[i + 1], right.starts[j] : right.starts[j + 1]]
                block = block - n * np.multiply.outer(first, second)
                found[i, j] = np.vdot(block, block)
        return found

    def _variables(self, tile: int) -> NDArray[np.intp]:
        return np.arange(self.count)[tile * self._tile : (tile + 1) * self._tile]

    def _common(self, i: int, j: int) -> NDArray[np.intp]:
        pattern = self._table.presence.pattern
        return self._table.presence.common[np.ix_(pattern[self._variables(i)], pattern[self._variables(j)])]

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
        """Write what the rectangle has in common with the pairs of two tiles."""
        here, there = [], []
        for run, tile in ((rows, cell[0]), (columns, cell[1])):
            span = slice(tile * self._tile, min((tile + 1) * self._tile, self.count))
            first, last = max(run.start, span.start), max(run.start, span.start, min(run.stop, span.stop))
            here.append(slice(first - span.start, last - span.start))
            there.append(slice(first - run.start, last - run.start))
        result[tuple(there)] = block[tuple(here)]


def _statistics(left: Side, right: Side, norms: Floats) -> Statistics:
    """Both statistics of all pairs, with their moments."""
    presence = left.table.presence
    if presence.complete:
        first, second = ([[side.rows(place, 0)] for place in range(len(side.variables))] for side in (left, right))
        n: Any = presence.masks.shape[1]
        diagonals, slopes = (
            np.array([some[0].diagonal for some in first]) @ np.array([some[0].diagonal for some in second]).T,
            np.array([some[0].slope for some in first]) @ np.array([some[0].slope for some in second]).T,
        )
        columns = second
    else:
        n = presence.common[np.ix_(left.patterns, right.patterns)]
        first = [[left.rows(i, int(q)) for q in right.patterns] for i in range(len(left.variables))]
        columns = [[right.rows(j, int(q)) for q in left.patterns] for j in range(len(right.variables))]
        diagonals, slopes = (_vector_products(first, columns, name) for name in ("diagonal", "slope"))
    with np.errstate(divide="ignore", invalid="ignore"):
        traces, scales = _outer(first, columns, "trace"), _outer(first, columns, "scale")
        centered = (norms - n / (n - 2) * diagonals + traces / ((n - 1) * (n - 2))) / 2
        raw = centered / scales + (n - 2) * slopes
        usable = _outer(first, columns, "usable").astype(bool) & (np.asarray(n) >= limits.FEWEST_ROWS)
        found = []
        for name, statistic in zip(FORMS, (centered, raw), strict=True):
            mine, others = gathered(first, name), gathered(columns, name)
            turned = Form(*(np.swapaxes(getattr(others, key), 0, 1) for key in vars(others)))
            found.append(standardized(statistic, n, mine, turned, usable))
    return Statistics(*(np.stack(part) for part in zip(*found, strict=True)))


def _outer(first: list[list[Rows]], second: list[list[Rows]], name: str) -> Floats:
    """Product of a number of both variables of every pair."""
    left, right = (np.array([[getattr(one.marginal, name) for one in some] for some in side]) for side in (first, second))
    product: Floats = left * np.swapaxes(right, 0, 1)
    return product


def _vector_products(first: list[list[Rows]], second: list[list[Rows]], name: str) -> Floats:
    """Sums over rows of the products of a vector of both variables of every pair."""
    return np.array(
        [[getattr(one, name) @ getattr(second[j][i], name) for j, one in enumerate(some)] for i, some in enumerate(first)]
    )
