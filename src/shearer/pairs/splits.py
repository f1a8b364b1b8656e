"""Tests of the splits of triples: is the product of two variables independent of a third?

The features of a product of two centered kernels are the products of their features, so that the test of ab | c is the
test of a pair: features of ab against features of c, at the wide rungs of the ladders. The product of a pair is formed
once and set against every third variable by one matrix product. With missing values both sides of a split are seen on
the rows that all three variables have: a product on those of every third variable at once, and a variable on those of
many pairs at once.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads, single_threaded_blas, thread_count
from shearer.pairs import limits
from shearer.pairs.leading import HEIGHTS, MOST_RANK, LeadingFeatures, products_of
from shearer.pairs.null_law.moments import Form
from shearer.pairs.null_law.tails import joined, standardized, upper_tails
from shearer.pairs.patterns import FeatureRows, Rows, on_patterns
from shearer.pairs.sides import Ladders
from shearer.pairs.statistics import unbiased

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]

# Rows that stand for all in some sums of the third moment of a product, where every split has rows of its own.
_GAP_PROBES = 64
# Up to so many rows all of them do.
_GAP_MOST = 128
# Pairs whose splits are found together, and numbers in the row vectors that these need of all variables.
_PAIRS, _VECTORS = 32, 2**23


class Splits(NamedTuple):
    """Statistics of splits in deviations from their means and upper tails, at each height; nan where untested."""

    z: Floats
    tails: Floats


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
        self._complete = ladders.presence.complete
        self._single: dict[tuple[int, int], Rows] = {}
        self._stacks: dict[int, tuple[Floats, Indices]] = {}

    @staticmethod
    def work(rows: int, pairs: int, splits: int, missing: float = 0.0) -> float:
        """Multiplications and additions that so many pairs and splits take, at most.

        With missing values every split has rows of its own: from the products of all rows of the pair those of the rows
        that the third variable lacks are taken away, or those that it has are added up where these are fewer.

        Parameters
        ----------
        rows, pairs, splits : int
            How many.
        missing : float
            Largest share of rows that a variable lacks.
        """
        product, alone = float(MOST_RANK**2), float(MOST_RANK)
        own = 2.0 * rows * product * product + 2.0 * limits.PROBES * product * (product + limits.PROBES)
        split = 2.0 * rows * product * alone
        if missing > 0:
            again = 2.0 * min(missing, 0.5) * rows * product * product + 8.0 * rows * product
            split += again + 2.0 * _GAP_PROBES * product * (product + _GAP_PROBES) + 2.0 * product**3
        return HEIGHTS / 2 * (pairs * own + splits * split)

    @staticmethod
    def memory(variables: int, rows: int) -> int:
        """Bytes at the peak: features of all variables, and products of a pair on each core."""
        return 8 * rows * (HEIGHTS * variables * MOST_RANK + 4 * MOST_RANK**2 * thread_count())

    def pvalues(self, triples: Iterable[tuple[int, int, int]]) -> Floats:
        """The largest of the three splits' p-values of each triple."""
        wanted = np.array(list(triples), dtype=np.intp).reshape(-1, 3)
        pairs, place = pairs_of(wanted)
        heights = range(self.heights(np.unique(wanted)))
        tails = np.array([[one.tails for one in self.of_pairs(pairs, height)] for height in heights])
        return join_splits(np.moveaxis(tails, 0, -1), wanted, place)

    def heights(self, variables: Iterable[int]) -> int:
        """How many rungs some variables are tested at."""
        return min(HEIGHTS, max(self._ladders.heights(int(k)) for k in variables))

    def of_pairs(self, pairs: Indices, height: int) -> list[Splits]:
        """The products of pairs of variables, each against every variable, at one height."""
        self._prepare(height)
        size = max(1, min(_PAIRS, _VECTORS // (self._ladders.rows * self._ladders.count)))
        found = []
        for start in range(0, len(pairs), size):
            some = [(int(first), int(second)) for first, second in pairs[start : start + size]]
            rows = self._rows_of(some, height)
            found += map_threads(lambda one: self._of_pair(*one), [(pair, height, rows[pair]) for pair in some])
        return found

    def _of_pair(self, pair: tuple[int, int], height: int, alone: list[Rows | None]) -> Splits:
        """The product of two variables against every variable, of which is known what is needed of it."""
        count = self._ladders.count
        z, tails = np.full(count, np.nan), np.full(count, np.nan)
        others = [k for k, rows in enumerate(alone) if rows is not None]
        if not others:
            return Splits(z, tails)
        with single_threaded_blas():
            rights = [rows for rows in alone if rows is not None]
            z[others], skewness = self._statistics(pair, others, rights, height)
        tails[others] = upper_tails(z[others], skewness)
        return Splits(z, tails)

    def _others(self, pair: tuple[int, int], height: int) -> list[int]:
        """The variables that a product is set against: at a height that none of the pair has, those that have it."""
        every = list(range(self._ladders.count))
        if height > 0 and max(self._ladders.heights(k) for k in pair) <= height:
            every = [k for k in every if self._ladders.heights(k) > height]
        return [k for k in every if k not in pair]

    def _rows_of(self, pairs: list[tuple[int, int]], height: int) -> dict[tuple[int, int], list[Rows | None]]:
        """What the splits of some pairs need of every variable, on the rows that the pair has; None where none is."""
        wanted = {pair: set(self._others(pair, height)) for pair in pairs}

        def of(variable: int) -> list[Rows | None]:
            asking = [pair for pair in pairs if variable in wanted[pair]]
            if self._complete:
                return [self._measured(variable, height) if variable in wanted[pair] else None for pair in pairs]
            own = self._masks[variable]
            masks = np.array([own & self._masks[pair[0]] & self._masks[pair[1]] for pair in asking])
            features = FeatureRows.of(self._leading.of(variable, height), own)
            known = on_patterns(features, masks, most=_GAP_MOST, probes=_GAP_PROBES, slopes=False) if asking else []
            found = dict(zip(asking, known, strict=True))
            return [found.get(pair) for pair in pairs]

        every = map_threads(of, range(self._ladders.count))
        return {pair: [rows[place] for rows in every] for place, pair in enumerate(pairs)}

    def _statistics(
        self, pair: tuple[int, int], others: list[int], rights: list[Rows], height: int
    ) -> tuple[Floats, Floats]:
        """Of the product of two variables with others: deviations from the mean, and skewness."""
        stack, starts = self._stack(height)
        product = products_of(*(self._leading.of(k, height) for k in pair))
        both = self._masks[pair[0]] & self._masks[pair[1]]
        masks, most, probes = both[None], limits.ALL_PROBES, limits.PROBES
        if not self._complete:
            masks, most, probes = both & self._masks[others], _GAP_MOST, _GAP_PROBES
        lefts = on_patterns(FeatureRows.of(product, both), masks, most=most, probes=probes, slopes=False)
        lefts = lefts * len(others) if self._complete else lefts
        cross = product.T @ stack
        statistics = np.full(len(others), np.nan)
        for place, (other, left, right) in enumerate(zip(others, lefts, rights, strict=True)):
            n = left.marginal.n
            if n < limits.FEWEST_ROWS:
                continue
            block = cross[:, starts[other] : starts[other + 1]]
            block = block - n * np.multiply.outer(left.center, right.center)
            diagonals, traces = left.diagonal @ right.diagonal, left.marginal.trace * right.marginal.trace
            norm = float(np.vdot(block, block))
            statistics[place] = unbiased(norm, diagonals, traces, n)
        rows = np.array([one.marginal.n for one in lefts])
        return standardized(statistics, rows, _forms(lefts), _forms(rights), rows >= limits.FEWEST_ROWS)

    def _stack(self, height: int) -> tuple[Floats, Indices]:
        """Features of all variables side by side, and where those of each begin and the last end; found once."""
        if height not in self._stacks:
            every = [self._leading.of(k, height) for k in range(self._ladders.count)]
            starts = np.cumsum([0, *(own.shape[1] for own in every)])
            self._stacks[height] = np.concatenate(every, axis=1), starts
        return self._stacks[height]

    def _measured(self, variable: int, height: int) -> Rows:
        """Measure a single variable without missing values; found once."""
        place = variable, min(height, self._ladders.heights(variable) - 1)
        if place not in self._single:
            own = self._masks[variable]
            features = FeatureRows.of(self._leading.of(variable, height), own)
            self._single[place] = on_patterns(features, own[None], most=limits.ALL_PROBES, slopes=False)[0]
        return self._single[place]

    def _prepare(self, height: int) -> None:
        """Find the features of all variables before threads ask for them."""
        for variable in range(self._ladders.count):
            self._leading.of(variable, height)
            if self._complete:
                self._measured(variable, height)
        self._stack(height)


def _forms(measured: list[Rows]) -> Form:
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
        From `SplitTests.of_pairs`.
    triples, place : array (m, 3)
        Positions of the variables, and from `pairs_of`.
    """
    weights = limits.RUNG_WEIGHTS[: tails.shape[-1]]
    splits = [joined(list(np.moveaxis(tails[place[:, k], triples[:, 2 - k]], -1, 0)), weights) for k in range(3)]
    largest: Floats = np.max(splits, axis=0)
    return largest
