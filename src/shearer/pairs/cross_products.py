"""Products of the features of all pairs of two sets of variables, which statistics need beside single variables."""

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
# Entries of the matrices of a tile that are formed at a time.
_BAND = 2**21


def sample_of(left: Side, right: Side) -> Sample:
    """All that statistics need of all pairs of two sets of variables."""
    complete = left.ladders.presence.complete
    ranks = float(left.starts[-1]) / len(left.variables), float(right.starts[-1]) / len(right.variables)
    by_matrices = complete and left.ladders.rows <= min(limits.MOST_MATRIX_ROWS, ranks[0] * ranks[1])
    total = np.empty((0, 0)) if by_matrices else _cross_products(left, right)
    margins = margins_of(left, right)
    norms = _matrix_products(left, right) if by_matrices else _norms(left, right, margins, total)
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


def _cross_products(left: Side, right: Side) -> Floats:
    """Sums over rows of the products of all features of two sides; of all variables the first pass as well."""
    total = np.zeros((int(left.starts[-1]), int(right.starts[-1])))
    sums = np.zeros(int(left.starts[-1]))
    # Cut at fixed variables, whatever the number of threads: the last bits of a product depend on its shape.
    edges = [*left.starts[:-1:_PIECE].tolist(), int(left.starts[-1])]
    cuts = [slice(*pair) for pair in pairwise(edges)]
    for chunk in left.chunks():
        mine = left.stack(chunk)
        others = mine if left is right else right.stack(chunk)

        def add(cut: slice, mine: Floats = mine, others: Floats = others) -> None:
            total[cut] += mine[:, cut].T @ others

        map_threads(add, cuts)
        sums += mine.sum(axis=0)
    # Of one tile only: with more it would depend on the order of tiles where the last bits come from.
    if left is right and left.ladders.presence.complete and len(left.variables) == left.ladders.count:
        left.settle(sums, total)
    return total


def _norms(left: Side, right: Side, margins: Margins, total: Floats) -> Floats:
    """Squared norms of the cross products of centered features."""
    first, second, n = margins.first, margins.second, margins.n
    if left.ladders.presence.complete:
        centers = [np.concatenate([some[0].center for some in rows]) for rows in (first, second)]
        total -= n * np.multiply.outer(*centers)
        np.multiply(total, total, out=total)
        return np.add.reduceat(np.add.reduceat(total, left.starts[:-1], axis=0), right.starts[:-1], axis=1)
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
        stacks = [_matrices(side, band) for side in ((left,) if left is right else (left, right))]
        found += stacks[0] @ stacks[-1].T
    return found


def _matrices(side: Side, band: slice) -> Floats:
    """A band of N of every variable, one flat row each."""
    features = [side.centered(place) for place in range(len(side.variables))]
    return np.array([(own[band] @ own.T).reshape(-1) for own in features])


def _vector_products(first: Known, second: Known, name: str) -> Floats:
    """Sums over rows of the products of a vector of both variables of every pair."""
    left, right = ([[getattr(one, name) for one in some] for some in rows] for rows in (first, second))
    if len(left[0]) == 1 == len(right[0]):
        product: Floats = np.array([some[0] for some in left]) @ np.array([some[0] for some in right]).T
        return product
    return np.array([[one @ right[j][i] for j, one in enumerate(some)] for i, some in enumerate(left)])
