"""The strength of a pair: how alike the similarities of two variables are, on the scale of a correlation.

With u the U-centered similarities of a rung (`shearer.pairs.sums`), the alignment
<u_x, u_y> / sqrt(<u_x, u_x> <u_y, u_y>) has mean 0 for independent variables, at any number of rows, and is 1 for
copies; for a bivariate normal law it is close to the squared correlation at the widest rung. Under independence the
alignments of all rungs vary alike, by nearly sqrt(2) / n, so that the rung furthest from chance is that of the largest
alignment. What the choice of the largest of several gains by chance is taken off.

The interval needs no resampling. The influence of a row on an inner product of similarities is twice its row sum, and
row sums are sums over features. At independence these vanish and what is left is the variance over permutations.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from shearer.pairs import limits
from shearer.pairs.sides import Ladders

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Halvings that find the ends of an interval to some 1e-9.
_HALVINGS = 30
# Bytes of features that are kept, and variables of a tile, whose pairs are looked at one after the other.
_KEPT, _TILE = 2**28, 24


class Interval(NamedTuple):
    """Ends of the confidence intervals of strengths, one for each pair; nan where there is none."""

    low: Floats
    high: Floats


def chance_deviation(n: Any) -> Any:
    """Standard deviation of an alignment over all permutations of one variable's rows: of n alone.

    The row sums of u are 0, so that sums over two edges that meet, and over two that do not, follow from the sum of
    squares: the variance is exactly 2 / (n (n - 3)).

    Examples
    --------
    >>> round(float(chance_deviation(100)), 4)
    0.0144
    """
    rows = np.maximum(np.asarray(n, dtype=np.float64), limits.FEWEST_ROWS)
    return np.sqrt(2.0 / (rows * (rows - 3.0)))


def gain_of_choice(n: Any, first: Any, second: Any) -> Any:
    """Mean of the largest alignment of several rungs under independence.

    Parameters
    ----------
    n : int or array
        Rows.
    first, second : int or array
        How many rungs the two variables have.

    Examples
    --------
    >>> [round(float(gain_of_choice(100, *rungs)), 4) for rungs in ((1, 1), (4, 1), (4, 4))]
    [0.0, 0.0086, 0.0115]
    """
    more, fewer = np.maximum(first, second) - 1, np.minimum(first, second) - 1
    return (limits.GAIN_OF_RUNGS[0] * more + limits.GAIN_OF_RUNGS[1] * fewer) * chance_deviation(n)


class Strongest:
    """The largest alignment of every pair so far, and its height.

    Parameters
    ----------
    shape : tuple of int
        Of the pairs.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._alignment = np.full(shape, -np.inf)
        self.height: Indices = np.zeros(shape, dtype=np.intp)

    def add(self, alignment: Floats, height: int) -> None:
        """Add the alignments at one more width; nan where one of a pair does not vary."""
        better = alignment > self._alignment
        self._alignment[better] = alignment[better]
        self.height[better] = height

    def debiased(self, n: Any, first: Indices, second: Indices) -> Floats:
        """Less what the choice of a rung gains by chance: 0 in mean for independent variables, 1 for copies.

        0 where one of a pair does not vary, nan where it has fewer than 6 rows.

        Parameters
        ----------
        n : int or array
            Rows of each pair.
        first, second : array (p,), (q,)
            How many rungs the variables have.
        """
        rows = np.asarray(n, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = gain_of_choice(rows, first[:, None], second)
            found = np.where(np.isfinite(self._alignment), (self._alignment - gain) / (1.0 - gain), 0.0)
        return np.where(rows < limits.FEWEST_ROWS, np.nan, found)


def signed_root(squared: Floats) -> Floats:
    """On the scale of a correlation, with the sign that chance can give to a square.

    Examples
    --------
    >>> signed_root(np.array([0.49, -0.01])).round(6).tolist()
    [0.7, -0.1]
    """
    root: Floats = np.sign(squared) * np.sqrt(np.abs(squared))
    return root


def squared_interval(
    squared: Floats, variance: Floats, freedom: Floats, n: Any, coarse: Any = False, confidence: float = 0.95
) -> Interval:
    """All rho^2 from which the one found is no further than chance allows.

    The variance of an alignment at rho^2 = v is taken as k 4 v (1 - v)^2 / n, that of a squared correlation, or for two
    labels k 4 v (1 - v) / n, that of a squared phi coefficient; the factor k makes it agree with the influences where
    the estimate is. What permutations give at v = 0 is added.

    Parameters
    ----------
    squared : array
        Alignments, debiased.
    variance, freedom : array
        Variances of these by the influences of rows, and the rows that these rest on: fewer where some outweigh others.
    n : int or array
        Rows.
    coarse : bool or array
        Whether both variables have few values, so that a strength near 1 rests on the few rows that differ.
    confidence : float
        Share of intervals that shall hold the true value.

    Examples
    --------
    >>> low, high = squared_interval(np.array([0.25, 0.0, 1.0]), np.array([0.0014, 0.0, 0.0]), np.full(3, 400.0), 400)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.18, 0.0, 1.0], [0.33, 0.04, 1.0])
    """
    here = np.clip(squared, 0.0, 1.0)
    chance = chance_deviation(n) ** 2
    shape = 4.0 / np.asarray(n, dtype=np.float64)
    power = np.where(coarse, 1.0, 1.75)
    quantile = stdtrit(freedom, 0.5 + confidence / 2)
    # Of independent variables too the influences vary, by 4 / n^2.
    least = chance * (1.0 - here) ** 2 + np.finfo(np.float64).tiny
    factor = (np.maximum(variance - 2.0 * least, 0.0) + least) / (shape * here * (1.0 - here) ** power + least)

    def reach(v: Floats) -> Floats:
        found: Floats = quantile * np.sqrt(factor * shape * v * (1.0 - v) ** power + chance * (1.0 - v) ** 2)
        return found

    ends = []
    for sign, end in ((-1.0, 0.0), (1.0, 1.0)):
        inside, outside = here, np.full_like(here, end)
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            near = sign * (middle - squared) <= reach(middle)
            inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
        ends.append(np.where(outside == end, end, inside))
    unknown = ~np.isfinite(squared)
    return Interval(*(np.where(unknown, np.nan, end) for end in ends))


def intervals_of(
    ladders: Ladders, pairs: Indices, squared: Floats, height: Indices, pvalue: Floats, rows: int | None = None
) -> Interval:
    """Intervals of strengths, on the scale of a correlation; parameters as in `PairTests.intervals`."""
    presence = ladders.presence
    n = presence.common[presence.pattern[pairs[:, 0]], presence.pattern[pairs[:, 1]]] if rows is None else rows
    influences = Influences(ladders)
    variance, share = np.full((2, len(pairs)), np.nan)
    for place in np.lexsort((pairs[:, 1] // _TILE, pairs[:, 0] // _TILE)):
        first, second = pairs[place]
        variance[place], share[place] = influences.variance(int(first), int(second), int(height[place]))
    rungs = np.array([ladders.heights(k) for k in range(ladders.count)], dtype=np.intp)
    coarse = (rungs[pairs] < len(limits.RUNG_BITS)).all(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = squared_interval(squared, variance / n, np.maximum(share * n, 2.0), n, coarse)
        unclear = ~(pvalue <= limits.UNCLEAR)
        return Interval(np.where(unclear, np.where(np.isnan(low), np.nan, 0.0), np.sqrt(low)), np.sqrt(high))


class Influences:
    """What single rows do to alignments.

    Parameters
    ----------
    ladders : Ladders
        The variables; of many rows a sample stands for all.
    """

    def __init__(self, ladders: Ladders) -> None:
        self._ladders = ladders
        typical = 8 * max(limits.TYPICAL_RANKS) * min(ladders.rows, limits.INFLUENCE_ROWS)
        self._centered = lru_cache(maxsize=max(_KEPT // typical, 2 * _TILE))(self._found)

    def variance(self, first: int, second: int, height: int) -> tuple[float, float]:
        """Variance of one row's influence on the alignment of two variables at a height, and its effective rows.

        The latter as a share of all rows: less than 1 where some rows outweigh others. nan below 6 common rows, and
        where a variable does not vary.
        """
        presence = self._ladders.presence
        patterns = int(presence.pattern[first]), int(presence.pattern[second])
        if presence.common[patterns] < limits.FEWEST_ROWS:
            return np.nan, np.nan
        (f, own), (g, others) = self._centered(first, height, patterns[1]), self._centered(second, height, patterns[0])
        n, squares = len(f), (float(own.sum()), float(others.sum()))
        if min(squares) <= (n * limits.SMALLEST_SPREAD) ** 2:
            return np.nan, np.nan
        both = _row_sums(f, g)
        norm = math.sqrt(squares[0] * squares[1])
        influence = 2 * both - float(both.sum()) * (own / squares[0] + others / squares[1])
        deviations = (influence - influence.mean()) ** 2 * (n / norm) ** 2
        variance, fourth = float(deviations.mean()), float(np.mean(deviations**2))
        share = variance**2 / fourth if fourth > 0 else 1.0
        return variance * (1 + 1 / (n * share)), share

    def _found(self, variable: int, height: int, other: int) -> tuple[Floats, Floats]:
        """Centered features on the rows that are common with a pattern, and the row sums of the squares of u."""
        presence = self._ladders.presence
        own = presence.masks[presence.pattern[variable]]
        rows = np.flatnonzero(own & presence.masks[other])
        if len(rows) > limits.INFLUENCE_ROWS:
            rows = rows[np.linspace(0, len(rows) - 1, limits.INFLUENCE_ROWS).round().astype(np.intp)]
        f = self._ladders.features(variable, height).of((np.cumsum(own) - 1)[rows])
        f = f - f.mean(axis=0)
        return f, _row_sums(f, f)


def _row_sums(f: Floats, g: Floats) -> Floats:
    """Row sums of the products of two U-centered similarities, up to terms that are 1 / n of them."""
    n = len(f)
    found: Floats = np.vecdot(f @ (f.T @ g), g) - n / (n - 2) * np.vecdot(f, f) * np.vecdot(g, g)
    return found
