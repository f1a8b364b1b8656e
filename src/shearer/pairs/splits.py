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
from shearer.pairs import limits
from shearer.pairs.leading import HEIGHTS, MOST_RANK, LeadingFeatures, products_of
from shearer.pairs.null_law.moments import Form
from shearer.pairs.null_law.tails import joined, standardized, upper_tails
from shearer.pairs.sides import Ladders
from shearer.pairs.sums import Marginal, RowSums, Totals, probes_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]

# Rows that stand for all in some sums of the third moment of a product, where every split has rows of its own.
_GAP_PROBES = 64


class Splits(NamedTuple):
    """Statistics of splits in deviations from their means and upper tails, at each height; nan where untested."""

    z: Floats
    tails: Floats


class Measured(NamedTuple):
    """What a split needs of features on some rows: how many these are, the mean, sums, and the diagonal of N."""

    rows: int
    center: Floats
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
    >>> from shearer.data import read
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 100))
    >>> table = read(a, b, np.sign(a * b) * abs(rng.normal(size=100)), noise)
    >>> tests = SplitTests(Ladders.of(table))
    >>> (tests.pvalues([(0, 1, 2), (0, 1, 3)]) < 0.01).tolist()
    [True, False]
    """

    def __init__(self, ladders: Ladders) -> None:
        self._ladders = ladders
        self._masks = ladders.presence.masks[ladders.presence.pattern]
        self._leading = LeadingFeatures(ladders)
        self._single: dict[tuple[int, int], Measured] = {}
        self._stacks: dict[int, tuple[Floats, Indices]] = {}

    @staticmethod
    def work(rows: int, pairs: int, splits: int, gaps: bool) -> float:
        """Multiplications and additions that so many pairs and splits take, at most."""
        product, alone = float(MOST_RANK**2), float(MOST_RANK)
        own = 2.0 * rows * product * product + 2.0 * limits.PROBES * product * (product + limits.PROBES)
        return HEIGHTS / 2 * (pairs * own + splits * (2.0 * rows * product * alone + (own / 2 if gaps else 0.0)))

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
        product = products_of(self._leading.of(first, height), self._leading.of(second, height))
        cross = product.T @ self._stack(height)[0]
        if self._masks.all():
            left = _measured(product)
            right = [self._measured(other, height) for other in others]
            return self._compare(cross, [left] * len(others), right, others, height)
        both = self._masks[first] & self._masks[second]
        lefts = _on_rows_of(product, both, self._masks[others])
        rights = [_measured(self._leading.of(k, height), np.flatnonzero(both & self._masks[k])) for k in others]
        return self._compare(cross, lefts, rights, others, height)

    def _compare(
        self, cross: Floats, lefts: list[Measured], rights: list[Measured], others: list[int], height: int
    ) -> tuple[Floats, Floats]:
        """A product against variables, each on the rows that all three have."""
        starts = self._stack(height)[1]
        statistics = np.full(len(others), np.nan)
        for place, (other, left, right) in enumerate(zip(others, lefts, rights, strict=True)):
            n = left.rows
            if n < limits.FEWEST_ROWS:
                continue
            block = cross[:, starts[other] : starts[other + 1]]
            block = block - n * np.multiply.outer(left.center, right.center)
            diagonals, traces = left.diagonal @ right.diagonal, left.marginal.trace * right.marginal.trace
            norm = float(np.vdot(block, block))
            statistics[place] = (norm - n / (n - 2) * diagonals + traces / ((n - 1) * (n - 2))) / 2
        rows = np.array([one.rows for one in lefts])
        return standardized(statistics, rows, _forms(lefts), _forms(rights), rows >= limits.FEWEST_ROWS)

    def _stack(self, height: int) -> tuple[Floats, Indices]:
        """Features of all variables side by side, and where those of each begin and the last end; found once."""
        if height not in self._stacks:
            every = [self._leading.of(k, height) for k in range(self._ladders.count)]
            starts = np.cumsum([0, *(own.shape[1] for own in every)])
            self._stacks[height] = np.concatenate(every, axis=1), starts
        return self._stacks[height]

    def _measured(self, variable: int, height: int) -> Measured:
        """Measure a single variable without missing values; found once."""
        place = variable, min(height, self._ladders.heights(variable) - 1)
        if place not in self._single:
            self._single[place] = _measured(self._leading.of(variable, height))
        return self._single[place]

    def prepare(self, height: int) -> None:
        """Find the features of all variables before threads ask for them."""
        for variable in range(self._ladders.count):
            self._leading.of(variable, height)
            if self._masks.all():
                self._measured(variable, height)
        self._stack(height)


def _forms(measured: list[Measured]) -> Form:
    """Stack the centered forms of several."""
    forms = [one.marginal.centered for one in measured]
    return Form(*(np.array([getattr(one, key) for one in forms]) for key in vars(forms[0])))


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


def _measured(features: Floats, rows: Indices | None = None) -> Measured:
    """Totals, marginal and diagonal of features, on all rows or on some."""
    some = features if rows is None else features[rows]
    return _settled(features, rows, (some.sum(axis=0), some.T @ some), np.vecdot(features, features), limits.PROBES)


def _on_rows_of(product: Floats, both: Masks, others: Masks) -> list[Measured]:
    """Of a product, 0 where it is missing, on the rows that it has in common with each of some variables.

    Where few rows are missing, sums over those that are there are the sums over all less those over the missing.
    """
    totals = product.sum(axis=0), product.T @ product
    squares = np.vecdot(product, product)
    found = []
    for other in others:
        rows, lost = np.flatnonzero(both & other), product[both & ~other]
        if len(lost) < len(rows) / 2:
            part = totals[0] - lost.sum(axis=0), totals[1] - lost.T @ lost
        else:
            kept = product[rows]
            part = kept.sum(axis=0), kept.T @ kept
        found.append(_settled(product, rows, part, squares, _GAP_PROBES))
    return found


def _settled(
    features: Floats, rows: Indices | None, first_pass: tuple[Floats, Floats], squares: Floats, probes: int
) -> Measured:
    """What follows from the sums of the first pass, and from those of a second.

    Parameters
    ----------
    features : array (n, r)
        Of all rows.
    rows : array or None
        Those that count; default: all.
    first_pass : pair of arrays
        Sums over these rows of the features, and of their products.
    squares : array (n,)
        Squared norms of the features.
    probes : int
        Rows that stand for all in some sums of the third moment.
    """
    n = len(features) if rows is None else len(rows)
    if n < limits.FEWEST_ROWS:
        return Measured(n, np.zeros(features.shape[1]), Marginal.unknown(n), np.zeros(len(features)))
    totals = Totals.of(n, *first_pass, np.zeros(features.shape[1]))
    c = totals.center
    every = squares - 2 * (features @ c) + float(c @ c)
    diagonal = np.zeros(len(features))
    diagonal[slice(None) if rows is None else rows] = every if rows is None else every[rows]
    own = diagonal if rows is None else diagonal[rows]
    sums = RowSums(totals)
    sums.add_up(diagonal @ features - own.sum() * c, own, np.zeros(0))
    chosen, stands_for = probes_of(own, limits.ALL_PROBES, probes)
    near = features[chosen if rows is None else rows[chosen]] - c
    return Measured(n, c, sums.marginal(near, stands_for), diagonal)
