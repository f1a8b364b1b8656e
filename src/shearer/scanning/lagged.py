"""Pairs of time series: the lag at which they depend most, tested by rearranging stretches of rows.

Rows of a series depend on each other, so rows cannot be exchanged singly: stretches longer than that dependence change
places as wholes. Those of one series are enough: of the one whose serial dependence is shorter. One test for each pair:
the smallest p-value over all lags, in both directions, that the test of pairs would give to independent rows, against
those of rearranged stretches. Two series of long serial dependence are not tested: they look dependent by chance far
too often. The residuals of `shearer.scanning.series` have hardly any serial correlation.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._validate import value_error
from shearer.data.table import Table
from shearer.inference.permutation.rearrangements import Contiguous
from shearer.inference.pvalue import sequential_pvalue
from shearer.kernels import Kernel
from shearer.pairs.null_law.tails import joined
from shearer.pairs.patterns import Rows
from shearer.pairs.sides import Ladders
from shearer.pairs.statistics import Compared, Heights, Sample, compared, counts_at, rungs_of_pairs, weights_of
from shearer.pairs.strength import Strongest
from shearer.pairs.sums import RowSums, Totals, probes_of

Floats = NDArray[np.float64]

#: Why a pair is not tested.
REASONS = (
    "the serial dependence of both series reaches further than an eighth of the rows",
    "nothing is left of one of the series once its own past is known",
)
# Rearrangements as large as the data after which a pair is given up as independent.
_EXCEEDANCES = 20
# Fewer stretches have too few orders.
_FEWEST_STRETCHES = 8
# Edges of stretches break the dependence of rows that they part: few of them, for a level that holds.
_LENGTHS = 4
# The rung at which rows near in time are compared.
_RUNG_OF_MEMORY = 2
# Features whose Fourier transforms are held at a time.
_TRANSFORMS = 16
# Of means of similarities that are equal.
_ROUND_OFF = 1e-12


@dataclass(frozen=True)
class Lagged:
    """The answer for one pair.

    Attributes
    ----------
    lag : int
        Rows by which the second variable follows the first where they depend most; negative: the first follows.
    pvalue : float
        Of the dependence over all lags; nan where there is no test.
    profile : array (lags,)
        Squared strength (`shearer.pairs.strength`) at every lag, in the order of `lags_both_ways`.
    block : int or None
        Rows of a stretch.
    reason : int or None
        Why there is no test, a place in `REASONS`.
    """

    lag: int
    pvalue: float
    profile: Floats
    block: int | None
    reason: int | None = None


def lags_both_ways(lags: list[int]) -> list[int]:
    """Every lag in both directions, ascending.

    Examples
    --------
    >>> lags_both_ways([0, 2])
    [-2, 0, 2]
    """
    return sorted({sign * lag for lag in lags for sign in (1, -1)})


def test_lags(pair: Table, kernel: Kernel | None, lags: list[int], smallest: float, rng: np.random.Generator) -> Lagged:
    """Test a pair of series over lags.

    Parameters
    ----------
    pair : Table
        Two variables without gaps, rows in the order of time.
    kernel : Kernel, optional
        As in the measures.
    lags : list of int
        Lags of 0 or more.
    smallest : float
        The p-value that must be reachable: sets the largest number of rearrangements.
    rng : Generator
        Source of the rearrangements.
    """
    both, reach = lags_both_ways(lags), max(lags)
    rows = pair.rows - 2 * reach
    check_rows(pair.rows, reach)
    ladders = Ladders.of(pair, kernel)
    memories = [_memory_of(ladders, variable) for variable in (0, 1)]
    # The variable that remembers less is rearranged.
    places = (1, 0) if memories[1] < memories[0] else (0, 1)
    length = block_length(min(memories), max(memories), rows // _FEWEST_STRETCHES)
    counts = [ladders.heights(place) for place in places]
    bases = [_Series.of(ladders, places[0], height, [0], both, rows) for height in range(max(counts))]
    shifted = [_Series.of(ladders, places[1], height, both, both, rows) for height in range(max(counts))]
    pairs = rungs_of_pairs(max(counts))
    rungs = [
        _Rung(bases[a], shifted[b], (a, b), bool(counts_at((a, b), *([count] for count in counts)).all()))
        for a, b in pairs
    ]

    def largest(orders: list[NDArray[np.intp]]) -> Floats:
        tails = [tail for rung in rungs for tail in rung.statistics(orders).tails()]
        found: Floats = -np.log(joined(tails, weights_of(pairs)).min(axis=1))
        return found

    observed = [np.arange(rows)]
    strongest = Strongest(np.full((1, len(both)), rows), np.array(counts[:1]), np.full(len(both), counts[1]))
    for place, rung in enumerate(rungs):
        sample = rung.sample(observed)
        strongest.add(sample.alignment, sample.attainable, place)
    varies, profile = strongest.varies.any(), strongest.squared[0]
    lag = both[int(np.argmax(profile))]
    if places == (1, 0):  # lags are the same in both directions: seen from the other variable the last is the first
        lag, profile = -lag, profile[::-1]
    if length is None or not varies:
        return Lagged(lag, math.nan, profile, length, 1 if not varies else 0)
    scheme = Contiguous(rows, length)

    def draw(count: int) -> Floats:
        return largest([scheme.draw(rng) for _ in range(count)])

    most = max(999, math.ceil(1 / smallest))
    pvalue, _ = sequential_pvalue(draw, float(largest(observed)[0]), most, _EXCEEDANCES)
    return Lagged(lag, pvalue, profile, length)


def check_rows(rows: int, reach: int) -> None:
    """Raise if so few rows leave too few stretches for lags up to `reach`."""
    least = 2 * reach + 2 * _FEWEST_STRETCHES
    if rows < least:
        raise value_error("lags", f"at least {least} rows", f"{rows} for lags up to {reach}")


@dataclass(frozen=True, eq=False)
class _Series:
    """What pairs need of a variable at one rung, seen from some lags, and its centered features side by side."""

    known: list[Rows]
    features: Floats

    @classmethod
    def of(cls, ladders: Ladders, place: int, height: int, lags: list[int], both: list[int], rows: int) -> "_Series":
        own, middle = ladders.features(place, height), np.arange(rows) + max(both)
        seen = [_known(own.of(middle + lag), own.offset, ladders.probes) for lag in lags]
        return cls([known for known, _ in seen], np.concatenate([features for _, features in seen], axis=1))

    def vectors(self, name: str) -> Floats:
        """A vector of each lag, one column each."""
        return np.stack([getattr(known, name) for known in self.known], axis=1)


@dataclass(frozen=True, eq=False)
class _Rung:
    """Statistics of one variable, its rows in any order, and of another seen from every lag, at a rung of each."""

    base: _Series
    shifted: _Series
    heights: Heights
    counts: bool

    def sample(self, orders: list[NDArray[np.intp]]) -> Sample:
        """What statistics are made of: one row for each order, one column for each lag."""
        (base,), others = self.base.known, self.shifted
        squares = [np.square(self.base.features[order].T @ others.features).sum(axis=0) for order in orders]
        starts = np.arange(len(others.known)) * (others.features.shape[1] // len(others.known))
        norms = np.add.reduceat(np.stack(squares), starts, axis=1)
        every = np.stack(orders)
        diagonals, slopes = (getattr(base, name)[every] @ others.vectors(name) for name in ("diagonal", "slope"))
        return Sample([[base]], [[known] for known in others.known], len(base.diagonal), norms, diagonals, slopes)

    def statistics(self, orders: list[NDArray[np.intp]]) -> Compared:
        """The same, compared with all permutations."""
        found = compared(self.sample(orders), self.heights)
        z = found.z if self.counts else np.full_like(found.z, np.nan)
        return found._replace(z=z, skewness=np.broadcast_to(found.skewness, z.shape))


def _known(features: Floats, offset: Floats, most: int) -> tuple[Rows, Floats]:
    """What pairs need of a variable, and its features less their mean."""
    totals = Totals.of(len(features), features.sum(axis=0), features.T @ features, offset)
    terms, sums = totals.terms(features), RowSums(totals)
    sums.add(terms)
    chosen, stands_for = probes_of(terms.diagonal, most)
    marginal = sums.marginal(terms.features[chosen], stands_for)
    return Rows(totals.center, marginal, terms.diagonal, terms.slope), terms.features


def block_length(shorter: int, longer: int, longest: int) -> int | None:
    """Rows of a stretch for two memories, or None where there is no length that would do.

    A memory is found from few rows, and often too short. Hence stretches fit both series; only where the one that is
    rearranged remembers far less than a stretch may have is the other free to remember anything.

    Examples
    --------
    >>> [block_length(*memories, longest=24) for memories in ((2, 5), (3, 20), (1, 90), (20, 90))]
    [20, 24, 4, None]
    """
    if longer <= longest:
        return min(_LENGTHS * longer, longest)
    return _LENGTHS * shorter if _LENGTHS * shorter <= longest else None


def _memory_of(ladders: Ladders, variable: int) -> int:
    features = ladders.features(variable, min(_RUNG_OF_MEMORY, ladders.heights(variable) - 1))
    return memory_length(features.of(np.arange(ladders.rows)) + features.offset)


def memory_length(features: Floats) -> int:
    """Rows after which similarities of a series, products of features, no longer show that rows are near in time.

    Examples
    --------
    >>> alternate = np.eye(4)[np.arange(40) // 10]
    >>> memory_length(alternate)
    10
    """
    n = len(features)
    gaps = np.arange(1, max(n // 2, 2))
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.zeros(size // 2 + 1)
    for start in range(0, features.shape[1], _TRANSFORMS):
        spectrum += np.sum(np.abs(np.fft.rfft(features[:, start : start + _TRANSFORMS], size, axis=0)) ** 2, axis=1)
    means = np.fft.irfft(spectrum, size)[gaps] / (n - gaps)  # of the similarities of rows so far apart
    # Row pairs far apart in time stand for independent ones.
    profile, far = means[: max(2, n // 4) - 1], means[n // 4 - 1 :]
    near = np.flatnonzero(profile <= far.mean() + 2 * far.std() + _ROUND_OFF)
    return int(near[0]) + 1 if len(near) else n // 4
