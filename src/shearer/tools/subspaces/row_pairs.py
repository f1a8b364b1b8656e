"""Similarities of many variables over all pairs of rows, weighed by products of some of them; order 2."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._memory import require
from shearer._progress import track
from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.screening.entropies import tiles
from shearer.screening.entropies.similarities import Similarities

Floats = NDArray[np.float64]

# Entries of a tile: two megabytes of doubles stay in the second-level cache.
_ENTRIES, _FEWEST = 2**18, 512
_OPTIONS = "Options: fewer rows, drawn at random; a larger memory=."


class RowPairs:
    """The squared similarities M_ij of every variable for rows i < j.

    They are kept where half of the memory holds them all, and made anew for every sum where it does not.

    Parameters
    ----------
    table : Table
        The variables, without gaps.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.
    budget : int
        Bytes.
    progress : bool, optional
        As in `track`.

    Examples
    --------
    >>> from shearer.data import read
    >>> pairs = RowPairs(read(["a", "a", "b"], ["u", "u", "u"]), None, 10**6)
    >>> pairs.column(0), pairs.sums(pairs.column(0))  # rows (0, 1), (0, 2), (1, 2)
    (array([1., 0., 0.]), array([1., 1.]))
    """

    def __init__(
        self, table: Table, kernel: Kernel | Mapping[str, Kernel] | None, budget: int, progress: bool | None = None
    ) -> None:
        self._source = Similarities(table, kernel)
        self._progress = progress
        self.rows, self.count = self._source.rows, self._source.count
        self.size = self.rows * (self.rows - 1) // 2
        cut = min(max(_FEWEST, _ENTRIES // self.count), self.size)
        # weights and their rearrangements, where the row pairs are, and tiles
        require(8 * (24 * self.size + 2 * cut * self.count), budget, f"pairs of {self.rows} rows", _OPTIONS)
        self._tiles = list(tiles.cut(self.rows, cut))
        fits = 8 * self.size * self.count <= budget // 2
        self._kept = [self._source.stack(tile) for tile in self._track("similarities")] if fits else None

    def column(self, variable: int) -> Floats:
        """Of one variable."""
        return np.concatenate([stack[:, variable] for _, stack in self._stacks("similarities")])

    def sums(self, weights: Floats) -> Floats:
        """Sum over row pairs of weight times similarity: shape (variables,) or, of k weights, (variables, k)."""
        return np.asarray(sum(stack.T @ weights[part] for part, stack in self._stacks("sums")))

    def products(self, weights: Floats) -> Floats:
        """Sum over row pairs of weight times the similarities of two variables, for all pairs of variables."""
        return np.asarray(sum((stack.T * weights[part]) @ stack for part, stack in self._stacks("pairs of features")))

    def rearranged(self, weights: Floats, order: NDArray[np.intp]) -> Floats:
        """Weights of shape (pairs, k) with the rows that they stand for in another order."""
        first, second = self._positions
        moved = np.empty_like(weights)
        square = np.zeros((self.rows, self.rows))
        for column in range(weights.shape[1]):
            square[first, second] = square[second, first] = weights[:, column]
            moved[:, column] = square[order[first], order[second]]
        return moved

    @cached_property
    def _positions(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The two rows of every pair."""
        strips = [strip for tile in self._tiles for strip in tile.strips()]
        first = np.repeat([row for row, _ in strips], [columns.stop - columns.start for _, columns in strips])
        return first, np.concatenate([np.arange(columns.start, columns.stop) for _, columns in strips])

    def bits_above_chance(self, sums: Floats, first: Floats, second: Floats) -> Floats:
        """log2 of a sum of M^a M^b over all rows i, j to what it is on average once the rows of b are permuted.

        It is I in bits less its expectation under independence, to first order (theory: chance adjustment).

        Parameters
        ----------
        sums : array
            Sums of M^a M^b over i < j.
        first, second : arrays
            Sums of M^a and of M^b over i < j.
        """
        n = self.rows
        bits: Floats = np.log2((n + 2 * sums) / (n + 2 * first * second / self.size))
        return bits

    def _stacks(self, label: str) -> Iterator[tuple[slice, Floats]]:
        """Entries of all variables, tile by tile, and where the tile lies among the row pairs."""
        start = 0
        stacks = self._kept or (self._source.stack(tile) for tile in self._track(label))
        for stack in stacks:
            yield slice(start, start + len(stack)), stack
            start += len(stack)

    def _track(self, label: str) -> Iterator[Any]:
        return track(self._tiles, len(self._tiles), label, self._progress)
