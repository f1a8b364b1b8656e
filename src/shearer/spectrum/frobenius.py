"""alpha = 2 without a matrix: tr A^2 is the sum of squared entries, taken tile by tile on all cores."""

import math
from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from shearer._threads import map_threads, thread_count
from shearer.data.arrays import Array, epsilon, is_numpy, item_size, to_float, tracks_gradient
from shearer.kernels.gram import TILE, Gram
from shearer.spectrum import renyi
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request
from shearer.spectrum.solver import Solver


class Frobenius(Solver):
    """alpha = 2: the sum of squared entries, in the memory of a few tiles."""

    name = "frobenius"
    reason = "at alpha=2 the sum of squared entries is enough; no matrix is formed, no eigenvalue computed"

    def supports(self, gram: Gram, request: Request) -> bool:
        """At alpha = 2 only."""
        return request.alpha == 2

    def memory(self, gram: Gram, request: Request) -> int:
        """A few tiles, of one thread at least; the whole matrix and its tangents where derivatives are kept."""
        return item_size(gram.like) * 6 * gram.n**2 if tracks_gradient(gram.like) else _room(gram)

    def seconds(self, gram: Gram, request: Request) -> float:
        """About two nanoseconds a pair and core; less for a scalar, whose sum needs no pairs."""
        pairs = 2e-9 * gram.n**2 / 2 / thread_count()
        return min(pairs, 2e-7 * gram.n + 3e-4) if gram.dimensions == 1 else pairs

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """S_2 = -log2 sum_ij (K_ij / n)^2."""
        squares = gram.squared()
        at_once = squares.mean_entry() if is_numpy(gram.like) else None
        if at_once is not None:
            mean, error = at_once
            return self._within(np.float64(mean), float(error) + 4 * squares.entry_error * epsilon(gram.like), gram.n)
        pairs = list(_tiles(gram.n))
        if is_numpy(gram.like):
            # One tile a task while there are few, so that no core waits for the other.
            share = max(1, len(pairs) // (64 * thread_count()))
            shares = [pairs[start : start + share] for start in range(0, len(pairs), share)]

            def summed(own: list[tuple[slice, slice]]) -> list[float]:
                return [_weight(*pair) * float(squares.total(*pair)) for pair in own]

            # Whether there is an answer must not depend on how many cores there are: all of them, or one.
            has_room = _room(gram) * thread_count() <= request.memory
            parts = map_threads(summed, shares) if has_room else [summed(own) for own in shares]
            total = np.float64(math.fsum(value for part in parts for value in part))
        else:
            total = sum(_weight(*pair) * squares.total(*pair) for pair in pairs)
        return self._from_power_sum(total / gram.n**2, squares)

    def _from_power_sum(self, power_sum: Array, squares: Gram) -> Estimate:
        """Squared entries err by `total_error` each, and sums over a tile add their own."""
        eps, number = epsilon(squares.like), to_float(power_sum)
        return self._within(power_sum, eps * (squares.total_error + TILE * number), squares.n)

    def _within(self, power_sum: Array, error: float, n: int) -> Estimate:
        """The entropy of a power sum that may be off by `error`."""
        number = to_float(power_sum)
        ends = [np.float64(min(1.0, number + error)), np.float64(max(1.0 / n, number - error))]
        lower, upper = (float(renyi.bits_of_power_sum(end, 2.0)) for end in ends)
        return self._estimate(renyi.bits_of_power_sum(power_sum, 2.0), lower, upper)


def _room(gram: Gram) -> int:
    """Bytes of the tiles of one thread."""
    return item_size(gram.like) * 4 * min(TILE, gram.n) ** 2


def _tiles(n: int) -> Iterator[tuple[slice, slice]]:
    """The upper triangle; tiles on the diagonal are cut in four, since half of such a tile is its mirror image."""
    cuts = [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]
    for i, rows in enumerate(cuts):
        middle = (rows.start + rows.stop) // 2
        halves = [slice(rows.start, middle), slice(middle, rows.stop)] if middle > rows.start else [rows]
        yield from combinations_with_replacement(halves, 2)
        for columns in cuts[i + 1 :]:
            yield rows, columns


def _weight(rows: slice, columns: slice) -> float:
    """Off the diagonal each tile stands for its mirror image too."""
    return 1.0 if rows == columns else 2.0
