"""What width rules look at: a sample of the rows, ranked differences, neighbors that differ."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shearer.kernels.distances import DIRECT_DIMENSIONS, product

Values = NDArray[np.float64]

# Beyond this many rows a rule sees a fixed sample of that many: pairwise distances grow with the square of the rows.
MOST_ROWS = 5000
_SAMPLE_SEED = 0
# Differences are written out once no more than this many a row are left.
_FEW_PAIRS = 4
# Distances formed at most where a tree is of no use; 5000 rows among themselves are half of it.
_MOST_PAIRS = 5 * 10**7
# A shorter distance, about 1e-140 of the largest value, counts as this one: its square and inverse square are floats.
SHORTEST = 2.0**-465


def sample(values: Values) -> Values:
    """All rows, or a fixed sample of them that is constant only if the variable is."""
    if len(values) <= MOST_ROWS:
        return values
    rng = np.random.default_rng(_SAMPLE_SEED)
    chosen = values[np.sort(rng.choice(len(values), MOST_ROWS, replace=False))]
    if np.any(chosen != chosen[0]):
        return chosen
    # A width taken from equal rows would not scale with the variable: bring in the rare rows that differ.
    others = np.flatnonzero(np.any(values != chosen[0], axis=1))
    if len(others) > MOST_ROWS // 2:
        others = rng.choice(others, MOST_ROWS // 2, replace=False)
    chosen[: len(others)] = values[others]
    return chosen


def distinct(values: Values) -> Values:
    """The rows without repetitions, in no particular order.

    Rows are compared by a 64-bit hash, as sorting whole rows is slow. Of a million rows two that differ share a hash
    with a probability of 3e-8; one of them is then left out.
    """
    bits = (values + 0.0).view(np.uint64)  # -0.0 + 0.0 is the 0.0 that it equals
    key = np.zeros(len(values), dtype=np.uint64)
    for column in bits.T:
        # the finalizer of splitmix64 (Steele, Lea and Flood 2014): every bit of a column reaches every bit of the key
        key += column
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            key ^= key >> np.uint64(shift)
            key *= np.uint64(factor)
        key ^= key >> np.uint64(31)
    return values[np.unique(key, return_index=True)[1]]


def neighbor_distances(values: Values, ranks: Iterable[int]) -> Values:
    """Distances of the sampled rows to their nearest other values among all rows, shape (rows, ranks).

    Rank 1 is the nearest value that differs from the row's own; repeated values count once, and a rank beyond the
    last value stands for the last. Empty for a constant variable.
    """
    points = distinct(values)
    others = len(points) - 1
    wanted = sorted({min(rank, others) for rank in ranks})
    if others == 0:
        return np.empty((0, len(wanted)))
    queries = sample(values)
    if values.shape[1] > DIRECT_DIMENSIONS:
        return np.maximum(_by_product(queries, points, wanted), SHORTEST)
    from scipy.spatial import cKDTree  # loaded only where it is used

    # Neither balanced nor compact: built twice as fast, and there are few queries. The row itself comes first.
    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    found: Values = tree.query(queries, k=[rank + 1 for rank in wanted])[0]
    return np.maximum(found, SHORTEST)


def ranked_difference(x: Values, low_rank: int, high_rank: int) -> float:
    """Mean of the differences of two 0-based ranks, equal or adjacent, among all pairs of a sorted sample.

    Bisection on the counting function of the differences, each count being one search of the sorted values in
    themselves, until so few pairs are left that their differences can be written out.

    Examples
    --------
    >>> import numpy as np
    >>> ranked_difference(np.array([0.0, 1.0, 5.0]), 1, 2)  # differences 1, 4, 5
    4.5
    """
    n = len(x)
    ranks = np.arange(1, n + 1)
    low, high = 0.0, float(x[-1] - x[0])
    below, above = ranks, np.full(n, n)
    middle = 0.0
    while int(np.sum(above - below)) > _FEW_PAIRS * n:
        bound = _reach(x, middle)
        count = int(np.sum(bound - ranks))
        if count == low_rank + 1 == high_rank:
            inner = bound < n
            return float(np.max(x[bound - 1] - x) + np.min(x[bound[inner]] - x[inner])) / 2
        if count > high_rank:
            high, above = middle, bound
        else:
            low, below = middle, bound
        middle = low + (high - low) / 2
        if middle in (low, high):  # neighboring floats: every difference above the lower is the upper
            return high
    left = np.repeat(np.arange(n), above - below)
    right = np.arange(len(left)) - np.repeat(np.cumsum(above - below) - above, above - below)
    known = int(np.sum(below - ranks))
    differences = x[right] - x[left]
    differences.partition((low_rank - known, high_rank - known))
    return float(differences[low_rank - known] + differences[high_rank - known]) / 2


def equal_pairs(x: Values) -> int:
    """How many pairs of a sorted sample are equal."""
    return int(np.sum(np.searchsorted(x, x, side="right") - np.arange(len(x)) - 1))


def _reach(x: Values, limit: float) -> NDArray[np.intp]:
    """For each value of a sorted sample, the index behind the last one whose difference to it is at most `limit`.

    The difference is the rounded one, as everywhere else: what is counted here is what is written out later. The sum
    x + limit, rounded too, is a first guess that a search of x[j] - x[i] itself puts right where it is off.
    """
    n = len(x)
    found = np.searchsorted(x, x + limit, side="right")
    found = np.maximum(found, np.arange(1, n + 1))
    padded = np.append(x, np.inf)
    off = np.flatnonzero((x[found - 1] - x > limit) | (padded[found] - x <= limit))
    if off.size == 0:
        return found
    values, low, high = x[off], off + 1, np.full(off.size, n)  # the value itself is within; rounding keeps the order
    while np.any(low < high):
        middle = (low + high) // 2
        within = (padded[middle] - values <= limit) & (low < high)
        low, high = np.where(within, middle + 1, low), np.where(within, high, middle)
    found[off] = low
    return found


def _by_product(queries: Values, points: Values, ranks: list[int]) -> Values:
    """The same by matrix products, for many coordinates; of fewer rows where all would be too many pairs."""
    queries = queries[:: -(-len(queries) * len(points) // _MOST_PAIRS)]
    center = points.mean(axis=0)
    queries, points = queries - center, points - center
    found = np.empty((len(queries), len(ranks)))
    block = max(1, 2**22 // len(points))
    for start in range(0, len(queries), block):
        rows = queries[start : start + block]
        order = np.argpartition(product(rows, points), [0, *ranks], axis=1)
        # The product only finds the neighbor; near ones are below its round-off, and differences measure them.
        first = _distance(rows, points[order[:, 0]])
        for column, rank in enumerate(ranks):
            distance = _distance(rows, points[order[:, rank]])
            # The row itself, if a near neighbor took its place at the front: that neighbor stands in.
            found[start : start + block, column] = np.where(distance == 0, first, distance)
    return found


def _distance(x: Values, y: Values) -> Values:
    squares: Values = np.sum((x - y) ** 2, axis=1)
    return np.sqrt(squares)
