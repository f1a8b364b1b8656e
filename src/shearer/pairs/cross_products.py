"""Products of the features of all pairs of two sets of variables, which statistics need beside single variables."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.pairs import limits
from shearer.pairs.sides import Side
from shearer.pairs.statistics import Known, Margins, Sample

Floats = NDArray[np.float64]

# Variables of a tile whose products are one piece of work.
_PIECE = 8
# Variables of the other tile whose matrices are formed at a time.
_SOME = 32
# Entries of the matrices of a tile that are formed at a time: 8 MB.
_BAND = 2**20


def sample_of(left: Side, right: Side) -> Sample:
    """All that statistics need of all pairs of two sets of variables."""
    complete = left.ladders.presence.complete
    ranks = float(left.starts[-1]) / len(left.variables), float(right.starts[-1]) / len(right.variables)
    by_matrices = complete and left.ladders.rows <= min(limits.MOST_MATRIX_ROWS, ranks[0] * ranks[1])
    total = np.empty((0, 0)) if by_matrices else _cross_products(left, right)
    margins = margins_of(left, right)
    if by_matrices:
        norms = _matrix_products(left, right)
    elif total is None:
        norms = _norms_by_pieces(left, right, margins)
    else:
        norms = _norms(left, right, margins, total)
    first, second = margins.first, margins.second
    diagonals, slopes = (_vector_products(first, second, name) for name in ("diagonal", "slope"))
    return Sample(first, second, margins.n, norms, diagonals, slopes)


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


def _cross_products(left: Side, right: Side) -> Floats | None:
    """Sums over rows of the products of all features of two sides; of all variables the first pass as well.

    None where they take more room than there is, and can be found by pieces when they are wanted.
    """
    if _by_pieces(left, right):
        if _is_all(left, right):
            mine = left.stack(_only_chunk(left))
            pieces = (mine[:, cut].T @ mine for cut in _cuts(left))
            left.settle(mine.sum(axis=0), _own_products(left, pieces))
        return None
    total = np.zeros((int(left.starts[-1]), int(right.starts[-1])))
    sums = np.zeros(int(left.starts[-1]))
    cuts = _cuts(left)
    for chunk in left.chunks():
        mine = left.stack(chunk)
        others = mine if left is right else right.stack(chunk)

        def add(cut: slice, mine: Floats = mine, others: Floats = others) -> None:
            total[cut] += mine[:, cut].T @ others

        map_threads(add, cuts)
        sums += mine.sum(axis=0)
    if _is_all(left, right):
        left.settle(sums, _own_products(left, (total[cut] for cut in cuts)))
    return total


def _is_all(left: Side, right: Side) -> bool:
    """One tile of all variables: with more it would depend on the order of tiles where the last bits come from."""
    return left is right and left.ladders.presence.complete and len(left.variables) == left.ladders.count


def _by_pieces(left: Side, right: Side) -> bool:
    """Whether products of all features of both sides are more than may be kept, and those of one chunk of rows."""
    one_chunk = left.ladders.rows <= limits.CHUNK_ROWS
    return left.ladders.presence.complete and one_chunk and 8 * int(left.starts[-1] * right.starts[-1]) > left.room


def _only_chunk(side: Side) -> slice:
    return next(side.chunks())


def _cuts(side: Side) -> list[slice]:
    """Features of some variables at a time.

    Cut at fixed variables, whatever the number of threads: the last bits of a product depend on its shape.
    """
    return [slice(*pair) for pair in pairwise([*side.starts[:-1:_PIECE].tolist(), int(side.starts[-1])])]


def _own_products(side: Side, pieces: Iterable[Floats]) -> list[Floats]:
    """The products of each variable's features with each other, among rows of those of all."""
    found = []
    for number, piece in enumerate(pieces):
        edges = side.starts[number * _PIECE : (number + 1) * _PIECE + 1].tolist()
        found += [piece[start - edges[0] : stop - edges[0], start:stop].copy() for start, stop in pairwise(edges)]
    return found


def _norms_by_pieces(left: Side, right: Side, margins: Margins) -> Floats:
    """As `_norms`, of a table without missing values, from products that are not kept."""
    chunk = _only_chunk(left)
    mine = left.stack(chunk)
    others = mine if left is right else right.stack(chunk)
    centers = _centers(margins)
    cuts = _cuts(left)

    def of_piece(number: int) -> Floats:
        cut = cuts[number]
        return _piece_norms(mine[:, cut].T @ others, number, left, right, centers, margins.n)

    return np.concatenate(map_threads(of_piece, range(len(cuts))))


def _centers(margins: Margins) -> list[Floats]:
    """Means of all features of both sides."""
    return [np.concatenate([some[0].center for some in rows]) for rows in (margins.first, margins.second)]


def _piece_norms(piece: Floats, number: int, left: Side, right: Side, centers: list[Floats], n: int) -> Floats:
    """Squared norms of the cross products of centered features, of some variables with all of the other side.

    Parameters
    ----------
    piece : array
        The products, which are overwritten.
    number : int
        Of the piece.
    left, right : Side
        Both sides.
    centers : list of array
        Means of all features of both.
    n : int
        Rows.
    """
    edges = left.starts[number * _PIECE : (number + 1) * _PIECE + 1]
    piece -= n * np.multiply.outer(centers[0][edges[0] : edges[-1]], centers[1])
    np.multiply(piece, piece, out=piece)
    sums = np.add.reduceat(piece, edges[:-1] - edges[0], axis=0)
    found: Floats = np.add.reduceat(sums, right.starts[:-1], axis=1)
    return found


def _norms(left: Side, right: Side, margins: Margins, total: Floats) -> Floats:
    """Squared norms of the cross products of centered features."""
    first, second, n = margins.first, margins.second, margins.n
    if left.ladders.presence.complete:
        centers, cuts = _centers(margins), _cuts(left)
        pieces = [_piece_norms(total[cut], number, left, right, centers, n) for number, cut in enumerate(cuts)]
        return np.concatenate(pieces)
    found = np.empty((len(first), len(second)))
    for i, some in enumerate(first):
        rows = total[left.starts[i] : left.starts[i + 1]]
        for j, one in enumerate(some):
            block = rows[:, right.starts[j] : right.starts[j + 1]]
            block = block - n[i, j] * np.multiply.outer(one.center, second[j][i].center)
            found[i, j] = np.vdot(block, block)
    return found


def _matrix_products(left: Side, right: Side) -> Floats:
    """Compute those norms by products of the matrices N, where rows are fewer than features."""
    n, widest = left.ladders.rows, max(len(left.variables), len(right.variables))
    size = max(1, _BAND // (n * widest))
    found = np.zeros((len(left.variables), len(right.variables)))
    for start in range(0, n, size):
        band = slice(start, min(start + size, n))
        mine = _matrices(left, band, range(len(left.variables)))
        for first in range(0, len(right.variables), _SOME):
            some = range(first, min(first + _SOME, len(right.variables)))
            others = mine[some.start : some.stop] if left is right else _matrices(right, band, some)
            found[:, some.start : some.stop] += mine @ others.T
        del mine, others  # before the next are made
    return found


def _matrices(side: Side, band: slice, places: range) -> Floats:
    """A band of N of the variables at some places, one flat row each."""
    found = np.empty((len(places), band.stop - band.start, side.ladders.rows))
    for place, matrix in zip(places, found, strict=True):
        own = side.centered(place)
        np.matmul(own[band], own.T, out=matrix)
    return found.reshape(len(found), -1)


def _vector_products(first: Known, second: Known, name: str) -> Floats:
    """Sums over rows of the products of a vector of both variables of every pair."""
    left, right = ([[getattr(one, name) for one in some] for some in rows] for rows in (first, second))
    if len(left[0]) == 1 == len(right[0]):
        product: Floats = np.array([some[0] for some in left]) @ np.array([some[0] for some in right]).T
        return product
    return np.array([[one @ right[j][i] for j, one in enumerate(some)] for i, some in enumerate(left)])
