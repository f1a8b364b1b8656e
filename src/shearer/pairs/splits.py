"""Tests of the splits of triples: is the product of two variables independent of a third?

The features of a product of two centered kernels are the products of their features, so that the test of ab | c is the
test of a pair: features of ab against features of c, at the wide rungs of the ladders. The product of a pair is formed
once and set against every third variable by one matrix product.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._threads import single_threaded_blas, thread_count
from shearer.kernels.gram import Index
from shearer.pairs import limits
from shearer.pairs.moments import Form
from shearer.pairs.sides import Ladders
from shearer.pairs.sums import Marginal, RowSums, Totals, probes_of
from shearer.pairs.tails import joined, standardized, upper_tails

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]

#: Rungs that triples are tested at: products of features grow as the square of their number.
HEIGHTS = 3
#: Leading features of a variable that enter products.
MOST_RANK = 12


class Splits(NamedTuple):
    """Statistics of splits in deviations from their means and upper tails, at each height; nan where untested."""

    z: Floats
    tails: Floats


class Measured(NamedTuple):
    """What a split needs of features: their sums, and the diagonal of their products."""

    totals: Totals
    marginal: Marginal
    diagonal: Floats


class SplitTests:
    """Tests of the splits ab | c of many triples, each on the rows that its three variables have.

    Parameters
    ----------
    ladders : Ladders
        The variables, with at least 6 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data.table import read_table
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 100))
    >>> table = read_table(a, b, np.sign(a * b) * abs(rng.normal(size=100)), noise)
    >>> tests = SplitTests(Ladders.of(table))
    >>> (tests.pvalues([(0, 1, 2), (0, 1, 3)]) < 0.01).tolist()
    [True, False]
    """

    def __init__(self, ladders: Ladders) -> None:
        self._ladders = ladders
        self._masks = ladders.presence.masks[ladders.presence.pattern]
        self._features: dict[tuple[int, int], Floats] = {}
        self._single: dict[tuple[int, int], Measured] = {}
        self._stacks: dict[int, tuple[Floats, Indices, Floats]] = {}

    @staticmethod
    def work(rows: int, pairs: int, splits: int, gaps: bool) -> float:
        """Multiplications and additions that so many pairs and splits take, at most."""
        product, alone = float(MOST_RANK**2), float(MOST_RANK)
        own = 2.0 * rows * product * product + 4.0 * limits.PROBES * product * (product + limits.PROBES)
        return HEIGHTS / 2 * (pairs * own + splits * (2.0 * rows * product * alone + (own if gaps else 0.0)))

    @staticmethod
    def memory(variables: int, rows: int) -> int:
        """Bytes at the peak: features of all variables, and products of a pair on each core."""
        return 8 * rows * (HEIGHTS * variables * MOST_RANK + 4 * MOST_RANK**2 * thread_count())

    def pvalues(self, triples: Iterable[tuple[int, int, int]]) -> Floats:
        """The largest of the three splits' p-values of each triple."""
        wanted = np.array(list(triples), dtype=np.intp).reshape(-1, 3)
        pairs, place = pairs_of(wanted)
        heights = range(self.heights(np.unique(wanted)))
        found = [[self.of_pair(pair, height) for pair in pairs] for height in heights]
        tails = np.array([[one.tails for one in some] for some in found])
        return join_splits(np.moveaxis(tails, 0, -1), wanted, place)

    def heights(self, variables: Iterable[int]) -> int:
        """How many rungs some variables are tested at."""
        return min(HEIGHTS, max(self._ladders.heights(int(k)) for k in variables))

    def of_pair(self, pair: Indices, height: int) -> Splits:
        """The product of two variables against every variable, at one height."""
        first, second = (int(k) for k in pair)
        count = self._ladders.count
        z, tails = np.full(count, np.nan), np.full(count, np.nan)
        if height > 0 and max(self._ladders.heights(k) for k in (first, second)) <= height:
            others = [k for k in range(count) if self._ladders.heights(k) > height]
        else:
            others = list(range(count))
        others = [k for k in others if k not in (first, second)]
        if not others:
            return Splits(z, tails)
        with single_threaded_blas():
            z[others], skewness = self._statistics(first, second, others, height)
        tails[others] = upper_tails(z[others], skewness)
        return Splits(z, tails)

    def _statistics(self, first: int, second: int, others: list[int], height: int) -> tuple[Floats, Floats]:
        """Of the product of two variables with others: deviations from the mean, and skewness."""
        both = self._masks[first] & self._masks[second]
        product = _products(self.features(first, height), self.features(second, height))
        groups: dict[bytes, list[int]] = {}
        for place, other in enumerate(others):
            groups.setdefault((both & self._masks[other]).tobytes(), []).append(place)
        z, skewness = np.full(len(others), np.nan), np.full(len(others), np.nan)
        for key, places in groups.items():
            mask = np.frombuffer(key, dtype=bool)
            if int(mask.sum()) >= limits.FEWEST_ROWS:
                some = [others[place] for place in places]
                z[places], skewness[places] = self._compare(product, some, height, mask)
        return z, skewness

    def _compare(self, product: Floats, others: list[int], height: int, mask: Masks) -> tuple[Floats, Floats]:
        """A product against variables, on rows that all of them have."""
        every = bool(mask.all())
        rows: Index = slice(None) if every else np.flatnonzero(mask)
        left = _measured(product[rows])
        right = [self._measured(other, height, rows) for other in others]
        n = left.totals.n
        if every:  # against all variables at once: cheaper than to pick the features of some
            features, starts, sums = self._stack(height)
        else:
            features, starts, sums = _side_by_side([self.features(other, height)[rows] for other in others])
        cross = product[rows].T @ features
        cross -= np.multiply.outer(left.totals.center, sums)
        norms = np.add.reduceat(np.einsum("ij,ij->j", cross, cross), starts)
        norms = norms[others] if every else norms
        diagonals = np.array([one.diagonal for one in right]) @ left.diagonal
        traces = left.marginal.trace * np.array([one.marginal.trace for one in right])
        statistics = (norms - n / (n - 2) * diagonals + traces / ((n - 1) * (n - 2))) / 2
        forms = [one.marginal.centered for one in right]
        form = Form(*(np.array([getattr(one, name) for one in forms]) for name in vars(forms[0])))
        return standardized(statistics, n, left.marginal.centered, form, np.array(True))

    def _stack(self, height: int) -> tuple[Floats, Indices, Floats]:
        """Features of all variables side by side, where those of each begin, and their sums; found once."""
        if height not in self._stacks:
            every = [self.features(k, height) for k in range(self._ladders.count)]
            self._stacks[height] = _side_by_side(every)
        return self._stacks[height]

    def _measured(self, variable: int, height: int, rows: Index) -> "Measured":
        """Of a single variable; found once where all rows count."""
        if not isinstance(rows, slice):
            return _measured(self.features(variable, height)[rows])
        place = variable, min(height, self._ladders.heights(variable) - 1)
        if place not in self._single:
            self._single[place] = _measured(self.features(variable, height))
        return self._single[place]

    def prepare(self, height: int) -> None:
        """Find the features of all variables before threads ask for them."""
        for variable in range(self._ladders.count):
            self.features(variable, height)
            if self._masks.all():
                self._measured(variable, height, slice(None))
                self._stack(height)

    def features(self, variable: int, height: int) -> Floats:
        """Leading centered features of a variable at all rows of the table, 0 at missing values; found once."""
        place = variable, min(height, self._ladders.heights(variable) - 1)
        if place not in self._features:
            presence = self._ladders.presence
            mask = presence.masks[presence.pattern[variable]]
            own = self._ladders.features(*place)
            values = np.concatenate([own.of(rows) for rows in _runs(int(mask.sum()))])
            values -= values.mean(axis=0)
            directions = np.linalg.eigh(values.T @ values)[1][:, -MOST_RANK:]
            whole = np.zeros((len(mask), directions.shape[1]))
            whole[mask] = values @ directions
            self._features[place] = whole
        return self._features[place]


def pairs_of(triples: Indices) -> tuple[Indices, Indices]:
    """The pairs that the splits of triples need, and where those of ab | c, ac | b and bc | a stand among them."""
    stacked = np.concatenate([triples[:, [0, 1]], triples[:, [0, 2]], triples[:, [1, 2]]])
    pairs, place = np.unique(stacked, axis=0, return_inverse=True)
    return pairs.reshape(-1, 2), place.reshape(3, len(triples)).T


def join_splits(tails: Floats, triples: Indices, place: Indices) -> Floats:
    """Tails of pairs against variables, one for each height, to p-values of triples: joined over heights, the largest.

    Parameters
    ----------
    tails : array (pairs, variables, heights)
        From `SplitTests.of_pair`.
    triples, place : array (m, 3)
        Positions of the variables, and from `pairs_of`.
    """
    weights = limits.CENTERED_WEIGHTS[: tails.shape[-1]]
    splits = [joined(list(np.moveaxis(tails[place[:, k], triples[:, 2 - k]], -1, 0)), weights) for k in range(3)]
    largest: Floats = np.max(splits, axis=0)
    return largest


def _runs(rows: int) -> Iterable[slice]:
    return (slice(start, min(start + limits.CHUNK_ROWS, rows)) for start in range(0, rows, limits.CHUNK_ROWS))


def _products(first: Floats, second: Floats) -> Floats:
    """All products of a feature of one with a feature of the other, row by row."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def _side_by_side(features: list[Floats]) -> tuple[Floats, Indices, Floats]:
    """One array of several, where each begins, and its sums over rows."""
    joint = np.concatenate(features, axis=1)
    return joint, np.cumsum([0, *(own.shape[1] for own in features[:-1])]), joint.sum(axis=0)


def _measured(features: Floats) -> Measured:
    """Totals, marginal and diagonal of features."""
    n = len(features)
    totals = Totals.of(n, features.sum(axis=0), features.T @ features, np.zeros(features.shape[1]))
    terms, sums = totals.terms(features), RowSums(totals)
    sums.add(terms)
    rows, stands_for = probes_of(terms.diagonal, limits.ALL_PROBES)
    return Measured(totals, sums.marginal(terms.features[rows], stands_for), terms.diagonal)
