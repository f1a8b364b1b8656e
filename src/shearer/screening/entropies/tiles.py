"""The pairs of rows i < j, cut into tiles: rectangles of the matrix above its diagonal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property

# A row and the columns to compare it with.
Strip: TypeAlias = tuple[int, slice]

# Strips of a tile: a longer one saves nothing, a shorter one costs calls.
_SHORTEST_STRIP, _LONGEST_STRIP = 64, 512


@dataclass(frozen=True)
class Tile:
    """The pairs i < j with i in `rows` and j in `columns`, in row-major order.

    Examples
    --------
    >>> tile = Tile(slice(0, 2), slice(1, 4))
    >>> tile.size, list(tile.strips())
    (5, [(0, slice(1, 4, None)), (1, slice(2, 4, None))])
    """

    rows: slice
    columns: slice

    @cached_property
    def size(self) -> int:
        """How many pairs it has."""
        return sum(columns.stop - columns.start for _, columns in self.strips())

    def strips(self) -> Iterator[Strip]:
        """Its pairs, row by row."""
        for row in range(self.rows.start, self.rows.stop):
            first = max(row + 1, self.columns.start)
            if first < self.columns.stop:
                yield row, slice(first, self.columns.stop)

    def pieces(self, most: int) -> Iterator[tuple[int, list[Strip]]]:
        """Its pairs in pieces of at most `most`: where each starts in the tile, and the strips of it."""
        piece: list[Strip] = []
        start = filled = 0
        for row, columns in self.strips():
            first = columns.start
            while first < columns.stop:
                stop = min(columns.stop, first + most - filled)
                piece.append((row, slice(first, stop)))
                filled += stop - first
                first = stop
                if filled == most:
                    yield start, piece
                    piece, start, filled = [], start + filled, 0
        if piece:
            yield start, piece

    def pick(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its pairs out of the whole rectangle, as one flat array."""
        if self.columns.start >= self.rows.stop:
            return block.reshape(-1)
        above = np.arange(self.columns.start, self.columns.stop) > np.arange(self.rows.start, self.rows.stop)[:, None]
        return block[above]


def cut(rows: int, size: int) -> Iterator[Tile]:
    """All pairs of that many rows, in tiles of at most `size` pairs.

    Examples
    --------
    >>> [tile.size for tile in cut(rows=5, size=6)]
    [4, 5, 1]
    """
    for start, height, width in _bands(rows, size):
        band = slice(start, start + height)
        for first in range(start + 1, rows, width):
            yield Tile(band, slice(first, min(first + width, rows)))


def count(rows: int, size: int) -> int:
    """How many tiles `cut` makes."""
    return sum(-(-(rows - 1 - start) // width) for start, _, width in _bands(rows, size))


def _bands(rows: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Bands of rows from top to bottom: first row, rows, and columns of a tile."""
    longest = min(size, _LONGEST_STRIP, max(_SHORTEST_STRIP, size // 8))
    start = 0
    while start < rows - 1:
        left = rows - 1 - start  # the longest strip of the band
        parts = -(-left // longest)
        width = -(-left // parts)  # equal parts, so that none is nearly empty
        height = min(left, size // width)
        yield start, height, width
        start += height
