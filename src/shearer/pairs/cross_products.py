"""Products of the features of all pairs of two sets of variables, which statistics need beside single variables."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.pairs import limits
from shearer.pairs.sides import Side
from shearer.pairs.statistics import Heights, Known, Margins, Sample

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
# Features of all variables side by side, by rung.
Stacks: TypeAlias = dict[int, Floats]

# Variables of a tile whose products are one piece of work.
_PIECE = 8
# Entries of the matrices of a tile that are formed at a time, and of products of features that are kept as a whole.
_BAND = _WHOLE = 2**19


def samples_of(left: Sequence[Side], right: Sequence[Side], rungs: Sequence[Heights]) -> Iterator[Sample]:
    """All that statistics need of all pairs of two sets of variables, at some rungs of both.

    Parameters
    ----------
    left, right : sequences of Side
        The variables at every rung.
    rungs : sequence of pairs of int
        Those of the first set and of the second.
    """
    n, complete = left[0].ladders.rows, left[0].ladders.presence.complete
    by_matrices = [
        (a, b)
        for a, b in rungs
        if complete and n <= min(limits.MOST_MATRIX_ROWS, left[a].typical_rank * right[b].typical_rank)
    ]
    # Of few rows whatever is large is formed by pieces, with any memory: which way is taken decides the last bits.
    few = complete and n <= left[0].ladders.chunk_rows
    by_pieces = [(a, b) for a, b in rungs if few and left[a].width * right[b].width > _WHOLE]
    products = _cross_products(left, right, [one for one in rungs if one not in by_matrices and one not in by_pieces])
    for a, b in rungs:
        margins = margins_of(left[a], right[b])
        if (a, b) in by_matrices:
            norms = _matrix_products(left[a], right[b])
        elif (a, b) in by_pieces:
            norms = _norms_by_pieces(left[a], right[b], margins)
        else:
            norms = _norms(left[a], right[b], margins, products.pop((a, b)))
        first, second = margins.first, margins.second
        diagonals, slopes = (_vector_products(first, second, name) for name in ("diagonal", "slope"))
        yield Sample(first, second, margins.n, norms, diagonals, slopes)


def margins_of(left: Side, right: Side) -> Margins:
    """What is known of both variables of every pair on the rows that both have, and how many rows these are.

    One entry for each variable and each pattern of missing values of the other side; a single one without any.
    """
    presence = left.ladders.presence
    for side, other in ((left, right), (right, left)):
        side.prepare(np.unique(other.patterns))
    if presence.complete:
        first, second = ([[side.rows(place, 0)] for place in range(len(side.variables))] for side in (left, right))
        return Margins(first, second, presence.masks.shape[1])
    first, second = (
        [[side.rows(place, int(pattern)) for pattern in other.patterns] for place in range(len(side.variables))]
        for side, other in ((left, right), (right, left))
    )
    return Margins(first, second, presence.common[np.ix_(left.patterns, right.patterns)])


def _cross_products(left: Sequence[Side], right: Sequence[Side], rungs: Sequence[Heights]) -> dict[Heights, Floats]:
    """Sums over rows of the products of all features of two sides; of all variables the first pass as well."""
    totals = {(a, b): np.zeros((left[a].width, right[b].width)) for a, b in rungs}
    sums = {a: np.zeros(left[a].width) for a, _ in rungs}
    # Cut at fixed variables, whatever the number of threads: the last bits of a product depend on its shape.
    cuts = [(pair, slice(*ends)) for pair in rungs for ends in pairwise(left[pair[0]].edges(_PIECE))]
    for chunk in left[0].chunks():
        mine = {a: left[a].stack(chunk) for a, _ in rungs}
        others = mine if left is right else {b: right[b].stack(chunk) for _, b in rungs}

        def add(work: tuple[Heights, slice], mine: Stacks = mine, others: Stacks = others) -> None:
            (a, b), cut = work
            totals[a, b][cut] += mine[a][:, cut].T @ others[b]

        map_threads(add, cuts)
        for height, stack in mine.items():
            sums[height] += stack.sum(axis=0)
    for (a, b), total in totals.items():
        # Of one tile only: with more it would depend on the order of tiles where the last bits come from.
        if left is right and a == b and left[a].is_everything:
            left[a].settle(sums[a], total)
    return totals


def _norms(left: Side, right: Side, margins: Margins, total: Floats) -> Floats:
    """Squared norms of the cross products of centered features."""
    first, second, n = margins.first, margins.second, margins.n
    if left.ladders.presence.complete:
        total -= n * np.multiply.outer(*_centers(margins))
        return _sums_of_squares(total, left.starts, right.starts)
    found = np.empty((len(first), len(second)))
    for i, some in enumerate(first):
        rows = total[left.starts[i] : left.starts[i + 1]]
        for j, one in enumerate(some):
            block = rows[:, right.starts[j] : right.starts[j + 1]]
            block = block - n[i, j] * np.multiply.outer(one.center, second[j][i].center)
            found[i, j] = np.vdot(block, block)
    return found


def _norms_by_pieces(left: Side, right: Side, margins: Margins) -> Floats:
    """As `_norms`, of a table of few rows without missing values: products of some variables at a time, not kept."""
    (chunk,) = left.chunks()
    mine = left.stack(chunk)
    others = mine if left is right else right.stack(chunk)
    centers = _centers(margins)

    def of_piece(first: int) -> Floats:
        starts = left.starts[first : first + _PIECE + 1]
        cut = slice(int(starts[0]), int(starts[-1]))
        piece = mine[:, cut].T @ others
        piece -= margins.n * np.multiply.outer(centers[0][cut], centers[1])
        return _sums_of_squares(piece, starts - starts[0], right.starts)

    return np.concatenate(map_threads(of_piece, range(0, len(left.variables), _PIECE)))


def _centers(margins: Margins) -> list[Floats]:
    """Means of all features of both sides, without missing values."""
    return [np.concatenate([some[0].center for some in rows]) for rows in (margins.first, margins.second)]


def _sums_of_squares(products: Floats, left: Indices, right: Indices) -> Floats:
    """Of the block of every pair of variables, whose features begin at some places; the products are overwritten."""
    np.multiply(products, products, out=products)
    found: Floats = np.add.reduceat(np.add.reduceat(products, left[:-1], axis=0), right[:-1], axis=1)
    return found


def _matrix_products(left: Side, right: Side) -> Floats:
    """Compute those norms by products of the matrices N, where rows are fewer than features."""
    n, widest = left.ladders.rows, max(len(left.variables), len(right.variables))
    size = max(1, _BAND // (n * widest))
    found = np.zeros((len(left.variables), len(right.variables)))
    for start in range(0, n, size):
        band = slice(start, min(start + size, n))
        mine = left.matrices(band)
        found += mine @ (mine if left is right else right.matrices(band)).T
    return found


def _vector_products(first: Known, second: Known, name: str) -> Floats:
    """Sums over rows of the products of a vector of both variables of every pair."""
    left, right = ([[getattr(one, name) for one in some] for some in rows] for rows in (first, second))
    if len(left[0]) == 1 == len(right[0]):
        product: Floats = np.array([some[0] for some in left]) @ np.array([some[0] for some in right]).T
        return product
    return np.array([[one @ right[j][i] for j, one in enumerate(some)] for i, some in enumerate(left)])
