"""Pairs of time series: the lag at which they depend most, tested by rearranging stretches of rows.

Rows of a series depend on each other, so rows cannot be exchanged singly: stretches longer than that dependence change
places as wholes. Those of one series are enough: of the one that remembers less. One test for each pair: the largest
dependence over all lags, in both directions. Two series that remember too much are not tested: they look dependent by
chance far too often.

Sums of products of two similarities are squared norms of the products of their features, so that time grows with rows.
Up to 5000 rows features leave out nothing but round-off, and whole matrices take their place where they have no low
rank; beyond, features leave out what those of pairs may.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._validate import value_error
from shearer.data.table import Table
from shearer.inference.permutation.rearrangements import Contiguous
from shearer.inference.pvalue import sequential_pvalue
from shearer.kernels import Gram, Kernel, grams
from shearer.pairs import features, limits
from shearer.pairs.rungs import sample_rows
from shearer.screening.entropies.pair_entropies import collision_bits

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
#: From an order of the rows of the first series to the sums at every lag.
SumsOf: TypeAlias = Callable[[Indices], Floats]

# Rearrangements as large as the data after which a pair is given up as independent.
_EXCEEDANCES = 20
# Fewer stretches have too few orders.
_FEWEST_STRETCHES = 8
# Edges of stretches break the dependence of rows that they part: few of them, for a level that holds.
_LENGTHS = 4
# Rows up to which features leave out nothing but round-off.
_EXACT_ROWS = 5000
# Features whose transforms are taken at a time.
_TRANSFORMS = 8
# Means of similarities that differ by less are the same.
_ROUND_OFF = 1e-12


@dataclass(frozen=True)
class Lagged:
    """The answer for one pair.

    Attributes
    ----------
    lag : int
        Rows by which the second variable follows the first where they depend most; negative: the first follows.
    pvalue : float
        Of the largest dependence over all lags; nan where the memory is too long for a test.
    profile : array (lags,)
        I* at alpha = 2 of every lag, in the order of `lags_both_ways`.
    block : int or None
        Rows of a stretch.
    """

    lag: int
    pvalue: float
    profile: Floats
    block: int | None


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
        Two variables, rows in the order of time.
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
    series = [gram.squared() for gram in grams(pair, kernel)]
    found = [features_of(gram) for gram in series]
    memories = [memory_length(own) for own in found]
    swapped = memories[1] < memories[0]
    if swapped:
        series, found = series[::-1], found[::-1]
    if rows < _FEWEST_STRETCHES * 2:
        got = f"{pair.rows} for lags up to {reach}"
        raise value_error("lags", f"at least {2 * reach + 2 * _FEWEST_STRETCHES} rows", got)
    length = block_length(min(memories), max(memories), rows // _FEWEST_STRETCHES)
    middle = slice(reach, reach + rows)
    # The variable that stays, seen from every lag, on the same number of rows.
    shifted = [slice(reach + lag, reach + lag + rows) for lag in both]
    if pair.rows <= _EXACT_ROWS and found[0].shape[1] * found[1].shape[1] > pair.rows:
        sums = _sums_of_matrices(series[0], series[1], middle, shifted)
    else:
        sums = _sums_of_features(found[0], found[1], middle, shifted)

    # Lags differ in the entropy of their stretch of that variable: compared as mutual information in bits.
    own = np.array([_bits(_total(found[1][run]), rows) for run in shifted])
    still = _bits(_total(found[0][middle]), rows)

    def largest(order: NDArray[np.intp]) -> float:
        return float(np.max(own - _bits(sums(order), rows)))

    observed = np.arange(rows)
    information = own - _bits(sums(observed), rows) + still
    profile = information / np.maximum(np.maximum(own, still), 1e-12)
    most = max(999, math.ceil(1 / smallest))

    pvalue = math.nan
    if length is not None:
        scheme = Contiguous(rows, length)

        def draw(count: int) -> Floats:
            return np.array([largest(scheme.draw(rng)) for _ in range(count)])

        pvalue, _ = sequential_pvalue(draw, largest(observed), most, _EXCEEDANCES)
    lag = both[int(np.argmax(information))]
    # Lags are the same in both directions: seen from the other variable the last is the first.
    return Lagged(-lag, pvalue, profile[::-1], length) if swapped else Lagged(lag, pvalue, profile, length)


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


def features_of(gram: Gram) -> Floats:
    """Features of the similarities of a series at all its rows, shape (n, r)."""
    exact = gram.n <= _EXACT_ROWS
    sample = np.arange(gram.n) if exact else sample_rows(np.empty((gram.n, 2)))
    own = features.fit(gram, sample, limits.EXACT_RESIDUAL if exact else limits.RESIDUAL)
    runs = (slice(start, min(start + limits.CHUNK_ROWS, gram.n)) for start in range(0, gram.n, limits.CHUNK_ROWS))
    return np.concatenate([own.of(run) for run in runs]) + own.offset


def _sums_of_features(
    first: Floats, second: Floats, middle: slice, shifted: list[slice]
) -> Callable[[Indices], Floats]:
    """The sums of products over all pairs of rows, 1 for a row with itself, at every lag, of an order of the first."""
    base, diagonal = first[middle], np.vecdot(first[middle], first[middle])
    others = [(second[run], np.vecdot(second[run], second[run])) for run in shifted]

    def sums(order: Indices) -> Floats:
        moved, own = base[order].T, diagonal[order]
        found = []
        for other, its_own in others:
            product = moved @ other
            found.append(float(np.vdot(product, product)) - float(own @ its_own) + len(order))
        return np.array(found)

    return sums


def _sums_of_matrices(first: Gram, second: Gram, middle: slice, shifted: list[slice]) -> SumsOf:
    """The same from whole matrices."""
    base = np.asarray(first.block(middle, middle), dtype=np.float64)
    others = np.stack([np.asarray(second.block(run, run), dtype=np.float64).reshape(-1) for run in shifted])

    def sums(order: Indices) -> Floats:
        found: Floats = others @ base[np.ix_(order, order)].ravel()
        return found

    return sums


def _total(own: Floats) -> float:
    """The sum of all similarities, 1 for a row with itself."""
    summed = own.sum(axis=0)
    return float(summed @ summed) - float(np.vdot(own, own)) + len(own)


def memory_length(series: Floats) -> int:
    """Rows after which the similarities of a series no longer show that rows are near in time.

    Parameters
    ----------
    series : array (n, r)
        Features, whose products are the similarities.

    Examples
    --------
    >>> memory_length(np.repeat(np.eye(4), 10, axis=0))
    10
    """
    n = len(series)
    gaps = np.arange(1, max(n // 2, 2))
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.zeros(size // 2 + 1)
    for start in range(0, series.shape[1], _TRANSFORMS):
        spectrum += np.sum(np.abs(np.fft.rfft(series[:, start : start + _TRANSFORMS], size, axis=0)) ** 2, axis=1)
    means = np.fft.irfft(spectrum, size)[gaps] / (n - gaps)  # of the similarities of rows so far apart
    # Row pairs far apart in time stand for independent ones.
    profile, far = means[: max(2, n // 4) - 1], means[n // 4 - 1 :]
    near = np.flatnonzero(profile <= far.mean() + 2 * far.std() + _ROUND_OFF)
    return int(near[0]) + 1 if len(near) else n // 4


def _bits(total: Floats | float, rows: int) -> Floats:
    """Entropy of order 2 from the sum of all entries, the diagonal included."""
    return collision_bits((np.asarray(total) - rows) / 2, rows)
