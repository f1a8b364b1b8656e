"""Alpha = 2 by tiles: all pairs of variables are one symmetric matrix product of stacked triangles."""

from typing import Any

import numpy as np

from shearer._progress import track
from shearer._threads import map_threads
from shearer.screening.entropies import tiles
from shearer.screening.entropies.pair_entropies import PairSums
from shearer.screening.entropies.products import CrossSum, SymmetricSum
from shearer.screening.entropies.similarities import Similarities

# Row pairs of a tile: enough for BLAS to run at full speed, and many where variables are few.
_FEWEST, _ENTRIES = 1024, 2**20
# Bytes beside the stack itself: the pieces it is filled from.
_PIECES = 4 * 2**20


class Triangles:
    """S_2 of all pairs from sum_ij M^a_ij M^b_ij = n + 2 <triangle_a, triangle_b>; exact.

    Parameters
    ----------
    similarities : Similarities
        The entries.
    dtype : dtype
        Single or double precision of the product.
    budget : int
        Bytes that a stack of entries may take a part of.
    """

    name = "triangles"

    def __init__(self, similarities: Similarities, dtype: np.dtype[Any], budget: int) -> None:
        self.similarities = similarities
        self._dtype = dtype
        fitting = budget // (8 * dtype.itemsize * similarities.count)
        self.tile = max(1, min(max(_FEWEST, _ENTRIES // similarities.count), fitting))

    def memory(self, left: slice, right: slice) -> int:
        """The sums, a stack of entries, and the pieces that it is filled from."""
        item = self._dtype.itemsize
        width: int = max(left.stop, right.stop) - min(left.start, right.start)
        patterns = len(self.similarities.presence.masks)
        if left == right:
            sums = SymmetricSum.memory(width, tiles.count(self.similarities.rows, self.tile), item)
        else:
            sums = CrossSum.memory(left.stop - left.start, right.stop - right.start, item)
        pairs = min(self.tile, self.similarities.rows * (self.similarities.rows - 1) // 2)
        return sums + (8 + item) * width * patterns + item * pairs * (2 * width + patterns) + _PIECES

    def pairs(self, left: slice, right: slice, progress: bool | None) -> PairSums:
        """One pass over the tiles."""
        span = slice(min(left.start, right.start), max(left.stop, right.stop))
        own = [slice(side.start - span.start, side.stop - span.start) for side in (left, right)]
        heights = [side.stop - side.start for side in (left, right)]
        total = SymmetricSum(heights[0], self._dtype) if left == right else CrossSum(*heights)
        source = self.similarities
        marginals = CrossSum(span.stop - span.start, len(source.presence.masks))
        for tile in track(tiles.cut(source.rows, self.tile), tiles.count(source.rows, self.tile), "pairs", progress):
            stack = source.stack(tile, span, self._dtype, map_threads)
            total.add(*(stack[:, side] for side in own))
            marginals.add(stack, source.present_pairs(tile, self._dtype))
        first, second = (marginals.result()[side] for side in own)
        return PairSums(total.result(), first, second, source.presence, left, right)
