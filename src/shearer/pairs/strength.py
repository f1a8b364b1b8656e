"""The strength of a pair: how alike the similarities of two variables are, on the scale of a correlation.

With u the U-centered similarities of a rung of each (`shearer.pairs.sums`), the alignment
<u_x, u_y> / sqrt(<u_x, u_x> <u_y, u_y>) has mean 0 for independent variables, at any number of rows, and is 1 for
copies. Of similarities that differ in their eigenvalues, as a narrow one and a wide one do, it cannot reach 1: what it
can reach is the cosine of the sorted eigenvalues (von Neumann's trace inequality), estimated as those of the law that
the rows are a sample of (`shearer.pairs.sums.drawn_together`). The squared strength is the share of that.

A wide similarity of a number has one large eigenvalue, that of k labels of equal frequency k - 1 equal ones. So the
share is the squared correlation of two numbers at their widest rungs, the correlation ratio eta^2 of such a number and
such labels, the square of Cramér's V of two such labels. A narrow rung of x and the widest of y give at most the share
of the variance of y that the best prediction from x explains: the strength is no more than its correlation with y.

Under independence the alignments at all rungs vary alike, by nearly sqrt(2) / n. The largest share of several counts,
each less what the choice gains by chance.

The interval needs no resampling. The influence of a row on an inner product of similarities is twice its row sum, and
row sums are sums over features. At independence these vanish and what is left is the variance over permutations.
"""

import math
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from shearer.pairs import limits
from shearer.pairs.sides import Ladders
from shearer.pairs.statistics import Heights, attainable_alignment, rungs_of_pairs
from shearer.pairs.sums import drawn_together

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]

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


def gain_of_choice(n: Any, first: Any, second: Any, *, shares: bool = True) -> Any:
    """What to take off the alignments at several rungs, so that the largest has mean 0 under independence.

    Parameters
    ----------
    n : int or array
        Rows.
    first, second : int or array
        How many rungs the two variables have.
    shares : bool
        Whether shares of the attainable alignment are chosen from, at unequal rungs too; else alignments at equal ones.

    Examples
    --------
    >>> [round(float(gain_of_choice(100, *rungs)), 4) for rungs in ((1, 1), (4, 1), (4, 4))]
    [0.0, 0.0095, 0.0177]
    """
    more, fewer = np.maximum(first, second) - 1, np.minimum(first, second) - 1
    of_more, of_fewer = limits.GAIN_OF_SHARES if shares else limits.GAIN_OF_RUNGS
    return (of_more * more + of_fewer * fewer) * chance_deviation(n)


class Strongest:
    """The largest share of the attainable alignment of every pair so far, less chance, and the rungs of it.

    Parameters
    ----------
    n : array (p, q)
        Rows of each pair.
    first, second : array (p,), (q,)
        How many rungs the variables have.
    """

    def __init__(self, n: Indices, first: Indices, second: Indices) -> None:
        self._rows = n
        self._gain = gain_of_choice(n, first[:, None], second)
        self._share = np.full(n.shape, -np.inf)
        #: Places among `rungs_of_pairs`.
        self.rungs: Indices = np.zeros(n.shape, dtype=np.intp)

    def add(self, alignment: Floats, attainable: Floats, place: int) -> None:
        """Add what there is at further rungs: the alignment, nan where one of a pair does not vary, and its largest.

        Of few rows chance can be as large as what is attainable at unequal rungs: no share is more than doubled by it.
        """
        share = np.minimum((alignment - self._gain) / np.maximum(attainable - self._gain, attainable / 2), 1.0)
        better = share > self._share
        self._share[better] = share[better]
        self.rungs[better] = place

    @property
    def varies(self) -> Masks:
        """Where both variables of a pair vary."""
        found: Masks = np.isfinite(self._share)
        return found

    @property
    def squared(self) -> Floats:
        """The squared strength: 0 in mean for independent variables, 1 for copies.

        0 where one of a pair does not vary, nan where it has fewer than 6 rows.
        """
        return np.where(self._rows < limits.FEWEST_ROWS, np.nan, np.where(self.varies, self._share, 0.0))


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
    squared: Floats,
    variance: Floats,
    freedom: Floats,
    n: Any,
    attainable: Any = 1.0,
    unsettled: Any = 0.0,
    coarse: Any = False,
    confidence: float = 0.95,
) -> Interval:
    """All rho^2 from which the one found is no further than chance allows.

    The variance of a share at rho^2 = v is taken as k 4 v (1 - v)^p / n. With p near 2 it is that of a squared
    correlation, where all rows add to what 1 lacks; with p = 1 that of a squared phi coefficient, and of any share
    where what 1 lacks goes with the number of a few rows: those that differ in two labels, or far ones. The factor k
    makes it agree with the influences where the estimate is. What permutations give at v = 0 is added, and the
    variance that the attainable alignment has.

    Parameters
    ----------
    squared : array
        Shares of the attainable alignment, debiased.
    variance, freedom : array
        Variances of these by the influences of rows, and the rows that these rest on: fewer where some outweigh others.
    n : int or array
        Rows.
    attainable : float or array
        The largest alignment that there can be, by which what permutations give is divided.
    unsettled : float or array
        Variance of its logarithm, 0 where both similarities have the same eigenvalues.
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
    chance = (chance_deviation(n) / attainable) ** 2
    shape = 4.0 / np.asarray(n, dtype=np.float64)
    power = np.where(coarse, 1.0, 1.0 + 0.75 * freedom / (freedom + limits.FEW_ROWS))
    quantile = stdtrit(np.maximum(freedom, limits.FEWEST_FREEDOM), 0.5 + confidence / 2)
    # Of independent variables too the influences vary, by 4 / n^2.
    least = chance * (1.0 - here) ** 2 + limits.ROUND_OFF**2
    rest = np.maximum(variance - 2.0 * least - here**2 * unsettled, 0.0)
    # In the model a share of 1 does not vary. An estimate nearer to 1 than its own error stands for one error less, and
    # varies no less than the model says.
    known = np.minimum(here, 1.0 - np.sqrt(np.minimum(rest, 1.0)))
    factor = (rest + least) / (shape * known * (1.0 - known) ** power + least)
    factor = np.where(known < here, np.maximum(factor, 1.0), factor)

    def reach(v: Floats) -> Floats:
        spread = factor * shape * v * (1.0 - v) ** power + chance * (1.0 - v) ** 2 + unsettled * v**2
        found: Floats = quantile * np.sqrt(spread)
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
    ladders: Ladders, pairs: Indices, squared: Floats, rungs: Indices, pvalue: Floats, rows: int | None = None
) -> Interval:
    """Intervals of strengths, on the scale of a correlation; parameters as in `PairTests.intervals`."""
    presence = ladders.presence
    n = presence.common[presence.pattern[pairs[:, 0]], presence.pattern[pairs[:, 1]]] if rows is None else rows
    influences, unclear = Influences(ladders), ~(pvalue <= limits.UNCLEAR)
    every = rungs_of_pairs(len(limits.RUNG_BITS))
    chosen, widest = np.full((2, len(pairs), len(Influence._fields)), np.nan)
    for place in np.lexsort((pairs[:, 1] // _TILE, pairs[:, 0] // _TILE)):
        first, second = (int(k) for k in pairs[place])
        chosen[place] = influences.of(first, second, every[rungs[place]])
        if rungs[place] and not unclear[place] and ladders.rows <= limits.INFLUENCE_ROWS:
            widest[place] = influences.of(first, second, every[0])
    ladder = np.array([ladders.heights(k) for k in range(ladders.count)], dtype=np.intp)[pairs]
    coarse = (ladder < len(limits.RUNG_BITS)).all(axis=1)

    def interval(around: Floats, found: Floats) -> Interval:
        _, variance, share, attainable, unsettled = found.T
        return squared_interval(around, variance / n, share * n, n, attainable, unsettled / n, coarse)

    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = interval(squared, chosen)
        # The largest share of the law is below the largest of upper ends. Of what is clear nothing is taken off for the
        # choice, and the widest rungs, whose share may be the larger one in the law, count too unless one row decides.
        gain = gain_of_choice(n, *ladder.T) / Influence(*chosen.T).attainable
        high = np.where(unclear, high, interval(np.minimum(squared + gain * (1.0 - squared), 1.0), chosen).high)
        widest[Influence(*widest.T).share * n < limits.SEVERAL_ROWS] = np.nan
        high = np.fmax(high, interval(widest[:, 0], widest).high)
        return Interval(np.where(unclear, np.where(np.isnan(low), np.nan, 0.0), np.sqrt(low)), np.sqrt(high))


class Influence(NamedTuple):
    """What single rows do to the share of the attainable alignment of a pair.

    Attributes
    ----------
    squared : float
        The share.
    variance : float
        Of one row's influence.
    share : float
        Effective rows of these as a share of all: less than 1 where some rows outweigh others.
    attainable : float
        The largest alignment that there can be.
    unsettled : float
        Variance of one row's influence on the logarithm of that.
    """

    squared: float
    variance: float
    share: float
    attainable: float
    unsettled: float


_UNKNOWN = Influence(math.nan, math.nan, math.nan, math.nan, math.nan)


class Influences:
    """What single rows do to the shares of attainable alignments.

    Parameters
    ----------
    ladders : Ladders
        The variables; of many rows a sample stands for all.
    """

    def __init__(self, ladders: Ladders) -> None:
        self._ladders = ladders
        typical = 16 * max(limits.TYPICAL_RANKS) * min(ladders.rows, limits.INFLUENCE_ROWS)
        # Of a method of its own it would be part of a circle, and what it keeps would stay until that is looked for.
        self._centered = lru_cache(maxsize=max(_KEPT // typical, 2 * _TILE))(partial(_turned, ladders))

    def of(self, first: int, second: int, heights: Heights) -> Influence:
        """Those of two variables at a height of each; nan below 6 common rows, and where a variable does not vary.

        The influence of a row on an eigenvalue is the square of its coordinate along the eigenvector.
        """
        presence = self._ladders.presence
        patterns = int(presence.pattern[first]), int(presence.pattern[second])
        if presence.common[patterns] < limits.FEWEST_ROWS:
            return _UNKNOWN
        one = self._centered(first, heights[0], patterns[1])
        other = self._centered(second, heights[1], patterns[0])
        n, squares = len(one.features), (one.square, other.square)
        if min(squares) <= (n * limits.SMALLEST_SPREAD) ** 2:
            return _UNKNOWN
        both = one.row_sums(other)
        total = float(both.sum())
        attainable, on_attainable = one.attainable_with(other)
        norm = math.sqrt(squares[0] * squares[1]) * attainable
        settled = 2 * both - total * (one.squares / squares[0] + other.squares / squares[1])
        # Which of nearly equal eigenvalues is the largest is a matter of chance: nothing is gained by knowing it.
        # Influences add up to 0, so that their squares are those of deviations from the mean.
        some = [np.square(influence) for influence in (settled, settled - total * on_attainable)]
        deviations = max(some, key=lambda own: float(own.sum())) * (n / norm) ** 2
        variance, fourth = float(deviations.sum()) / n, float(deviations @ deviations) / n
        share = variance**2 / fourth if fourth > 0 else 1.0
        unsettled = float(np.square(on_attainable).sum()) * n
        return Influence(total / norm, variance * (1 + 1 / (n * share)), share, attainable, unsettled)


def _turned(ladders: Ladders, variable: int, height: int, other: int) -> "Turned":
    """A variable on the rows that are common with a pattern."""
    presence = ladders.presence
    own = presence.masks[presence.pattern[variable]]
    rows = np.flatnonzero(own & presence.masks[other])
    if len(rows) > limits.INFLUENCE_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, limits.INFLUENCE_ROWS).round().astype(np.intp)]
    f = ladders.features(variable, height).of((np.cumsum(own) - 1)[rows])
    f = f - f.mean(axis=0)
    return Turned(f @ np.linalg.eigh(f.T @ f).eigenvectors[:, ::-1])


class Turned:
    """Centered features of a variable that are turned to their eigenvectors, and what its rows do to its eigenvalues.

    The eigenvectors of equal eigenvalues, such as those of labels of equal frequency, are any basis of what they span:
    what a row adds to each of them is the mean over these.

    Parameters
    ----------
    features : array (n, r)
        The largest eigenvalue first.

    Attributes
    ----------
    squares, square : array (n,), float
        Row sums of the squares of u, and their sum.
    eigenvalues : array (r,)
        Of the sample.
    added : array (n, r)
        What each row adds to them.
    """

    def __init__(self, features: Floats) -> None:
        self.features = features
        self._lengths = np.vecdot(features, features)
        self.squares = self.row_sums(self)
        self.square = float(self.squares.sum())
        parts = features * features
        self.eigenvalues: Floats = parts.sum(axis=0)
        first = np.flatnonzero(np.diff(self.eigenvalues, prepend=np.inf) < -limits.ROUND_OFF * self.eigenvalues[0])
        sizes = np.diff(first, append=len(self.eigenvalues))
        self.added: Floats = np.repeat(np.add.reduceat(parts, first, axis=1) / sizes, sizes, axis=1)
        self._drawn = drawn_together(self.eigenvalues, len(features))
        norm = float(self.eigenvalues @ self.eigenvalues)
        self._on_norm = self.added @ self.eigenvalues / (norm or 1.0)

    def row_sums(self, other: "Turned") -> Floats:
        """Row sums of the products of two U-centered similarities, up to terms that are 1 / n of them."""
        f, g, n = self.features, other.features, len(self.features)
        found: Floats = np.vecdot(f @ (f.T @ g), g) - n / (n - 2) * self._lengths * other._lengths
        return found

    def attainable_with(self, other: "Turned") -> tuple[float, Floats]:
        """The largest alignment of two variables, and the influence of rows on its logarithm.

        The influence is that on the eigenvalues of the sample.
        """
        shared = min(len(self.eigenvalues), len(other.eigenvalues))
        first, second = self.eigenvalues[:shared], other.eigenvalues[:shared]
        crossed = self.added[:, :shared] @ second + other.added[:, :shared] @ first
        influence: Floats = crossed / float(first @ second) - self._on_norm - other._on_norm
        return float(attainable_alignment(self._drawn, other._drawn)), influence
