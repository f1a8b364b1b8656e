"""Pairs of time series: the lag at which they depend most, tested by rearranging stretches of rows.

Rows of a series depend on each other, so rows cannot be exchanged singly: stretches longer than that dependence change
places as wholes. Those of one series are enough: of the one that remembers less. One test for each pair: the largest
dependence over all lags, in both directions. Two series that remember too much are not tested: they look dependent by
chance far too often.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._validate import value_error
from shearer.data.table import Table
from shearer.inference.permutation.rearrangements import Contiguous
from shearer.inference.pvalue import sequential_pvalue
from shearer.kernels import Kernel, grams
from shearer.screening.entropies.pair_entropies import collision_bits

Floats = NDArray[np.float64]

# Rearrangements as large as the data after which a pair is given up as independent.
_EXCEEDANCES = 20
# Fewer stretches have too few orders.
_FEWEST_STRETCHES = 8
# Edges of stretches break the dependence of rows that they part: few of them, for a level that holds.
_LENGTHS = 4


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
    first, second = (np.asarray(gram.squared().dense(), dtype=np.float64) for gram in grams(pair, kernel))
    memories = [memory_length(matrix) for matrix in (first, second)]
    swapped = memories[1] < memories[0]
    if swapped:
        first, second = second, first
    if rows < _FEWEST_STRETCHES * 2:
        got = f"{pair.rows} for lags up to {reach}"
        raise value_error("lags", f"at least {2 * reach + 2 * _FEWEST_STRETCHES} rows", got)
    length = block_length(min(memories), max(memories), rows // _FEWEST_STRETCHES)
    middle = np.arange(reach, reach + rows)
    base = first[np.ix_(middle, middle)]
    # The variable that stays, seen from every lag, on the same number of rows.
    shifted = np.stack([second[np.ix_(middle + lag, middle + lag)] for lag in both]).reshape(len(both), -1)

    def sums(order: NDArray[np.intp]) -> Floats:
        found: Floats = shifted @ base[np.ix_(order, order)].ravel()
        return found

    # Lags differ in the entropy of their stretch of that variable: compared as mutual information in bits.
    own = _bits(shifted.sum(axis=1), rows)

    def largest(order: NDArray[np.intp]) -> float:
        return float(np.max(own - _bits(sums(order), rows)))

    observed = np.arange(rows)
    information = own - _bits(sums(observed), rows) + _bits(base.sum(), rows)
    profile = information / np.maximum(np.maximum(own, _bits(base.sum(), rows)), 1e-12)
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


def memory_length(similarity: Floats) -> int:
    """Rows after which the similarities of a series no longer show that rows are near in time.

    Examples
    --------
    >>> alternate = np.equal.outer(np.arange(40) // 10, np.arange(40) // 10).astype(float)
    >>> memory_length(alternate)
    10
    """
    n = len(similarity)
    profile = np.array([np.diagonal(similarity, gap).mean() for gap in range(1, max(2, n // 4))])
    # Row pairs far apart in time stand for independent ones.
    far = np.array([np.diagonal(similarity, gap).mean() for gap in range(n // 4, n // 2)])
    near = np.flatnonzero(profile <= far.mean() + 2 * far.std())
    return int(near[0]) + 1 if len(near) else n // 4


def _bits(total: Floats | float, rows: int) -> Floats:
    """Entropy of order 2 from the sum of all entries, the diagonal included."""
    return collision_bits((np.asarray(total) - rows) / 2, rows)
