"""The statistics of pairs: value, tail and weight of each, from what is known of the two variables.

`STATISTICS` lists them. Whatever goes through it, tests of tables, of many pairs, of lags and of streams, takes all of
them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.chance import Chances, collision, own_bits
from shearer.pairs.null_law.moments import PAIRS, Form
from shearer.pairs.null_law.tails import (
    chance_of_meeting,
    correlated,
    moment,
    standardized,
    two_sided,
    upper_tails,
)
from shearer.pairs.patterns import Rows

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Indices = NDArray[np.intp]
#: What pairs need of variables: one entry for each variable and each pattern of missing values of the others.
Known: TypeAlias = list[list[Rows]]
#: The rungs of both variables.
Heights: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Margins:
    """What is known of both variables of all pairs of two sets of variables.

    Attributes
    ----------
    first, second : lists of lists of Rows
        What is known of the variables.
    n : int or array (p, q)
        Rows of each pair.
    """

    first: Known
    second: Known
    n: Any

    def both(self, name: str) -> tuple[Floats, Floats]:
        """A number of both variables of every pair, an attribute of `Marginal`."""
        sides = (self.first, self.second)
        left, right = (np.array([[getattr(one.marginal, name) for one in some] for some in side]) for side in sides)
        return left, np.swapaxes(right, 0, 1)

    def products(self, name: str) -> Floats:
        """The product of such a number of both."""
        left, right = self.both(name)
        product: Floats = left * right
        return product

    @cached_property
    def attainable(self) -> Floats:
        """The largest alignment that the similarities of each two can have (`attainable_alignment`)."""
        sides = (self.first, self.second)
        left, right = (_padded([[one.marginal.spectrum for one in some] for some in side]) for side in sides)
        return attainable_alignment(left, np.swapaxes(right, 0, 1))


@dataclass(frozen=True, eq=False)
class Sample(Margins):
    """All that statistics of pairs are made of, at one width of each variable.

    Attributes
    ----------
    norms : array (p, q)
        Squared norms of the cross products of centered features.
    diagonals, slopes : array (p, q)
        Sums over rows of the products of the variables' diagonals, and of their slopes.
    """

    norms: Floats
    diagonals: Floats
    slopes: Floats

    @cached_property
    def usable(self) -> Masks:
        """Where a tail is wanted at all."""
        return self.products("usable").astype(bool) & (np.asarray(self.n) >= limits.FEWEST_ROWS)

    @cached_property
    def centered(self) -> Floats:
        """The sum over pairs of rows i < j of the products of the U-centered similarities."""
        found: Floats = unbiased(self.norms, self.diagonals, self.products("trace"), self.n)
        return found

    @cached_property
    def forms(self) -> tuple[Form, Form]:
        """Moments of the U-centered similarities of both variables of every pair."""
        left, right = ([[one.marginal.centered for one in some] for some in side] for side in (self.first, self.second))
        found = [[_stacked(forms, key) for key in ("second", "third", "spread")] for forms in (left, right)]
        return Form(*found[0]), Form(*(np.swapaxes(part, 0, 1) for part in found[1]))

    @cached_property
    def alignment(self) -> Floats:
        """Inner products of the U-centered similarities over their norms; nan where one does not vary."""
        n = np.asarray(self.n)
        left, right = (form.spread for form in self.forms)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 2 * self.centered / (n * (n - 1.0) * left * right)
        varies = np.minimum(left, right) > limits.SMALLEST_SPREAD
        return np.where(varies & (n >= limits.FEWEST_ROWS), found, np.nan)


def attainable_alignment(first: Floats, second: Floats) -> Floats:
    """The cosine of the eigenvalues of two similarities, sorted: no rotation of one aligns it more with the other.

    That the sum of products of sorted eigenvalues is the largest inner product is von Neumann's trace inequality.

    Parameters
    ----------
    first, second : array (..., r), (..., s)
        Eigenvalues, the largest first; those that one lacks are 0. Where one has none the answer is nan.

    Examples
    --------
    >>> float(attainable_alignment(np.array([2.0]), np.array([4.0, 3.0])))
    0.8
    """
    shared = min(first.shape[-1], second.shape[-1])
    inner = np.vecdot(first[..., :shared], second[..., :shared])
    norms = np.sqrt(np.vecdot(first, first) * np.vecdot(second, second))
    found: Floats = np.divide(inner, norms, out=np.full(inner.shape, np.nan), where=(inner > 0) & (norms > 0))
    return found


def _padded(spectra: list[list[Floats]]) -> Floats:
    """As one array, with zeros where some are shorter."""
    longest = max(len(one) for some in spectra for one in some)
    return np.array([[np.concatenate([one, np.zeros(longest - len(one))]) for one in some] for some in spectra])


def _stacked(forms: list[list[Form]], key: str) -> Floats:
    return np.array([[getattr(one, key) for one in some] for some in forms])


class Statistic(NamedTuple):
    """A statistic of pairs.

    Attributes
    ----------
    name : str
        What users read.
    weights : mapping of pair of int -> float
        What it counts for, by the rungs of the two variables; it is not taken where it has no weight.
    value : function
        Of a sample: deviations from the mean under all permutations, and skewness, each (p, q); nan where a tail is not
        to be trusted.
    tail : function
        Of these two, and of what a tail that rests on few rows cannot be below: the p-value.
    """

    name: str
    weights: Mapping[Heights, float]
    value: Callable[[Sample], tuple[Floats, Floats]]
    tail: Callable[[Floats, Floats, Floats], Floats]


def unbiased(norms: Any, diagonals: Any, traces: Any, n: Any) -> Any:
    """The sum over rows i < j of products of two U-centered similarities, from those of centered features.

    Parameters
    ----------
    norms : float or array
        Squared norms of the cross products of the features.
    diagonals : float or array
        Sums over rows of the products of the diagonals of N.
    traces : float or array
        Products of their traces.
    n : int or array
        Rows.
    """
    return (norms - n / (n - 2) * diagonals + traces / ((n - 1) * (n - 2))) / 2


def _centered(sample: Sample) -> tuple[Floats, Floats]:
    """The unbiased HSIC."""
    return standardized(sample.centered, sample.n, *sample.forms, sample.usable)


def _centered_tail(z: Floats, skewness: Floats, least: Floats) -> Floats:
    return np.maximum(upper_tails(z, skewness), least)


def _additive(sample: Sample) -> tuple[Floats, Floats]:
    """The covariance of the row means of the similarities: of local densities."""
    z, skewness = correlated(sample.slopes, sample.n, sample.both("two"), sample.both("three"), sample.usable)
    return z, skewness


def _additive_tail(z: Floats, skewness: Floats, _least: Floats) -> Floats:
    """Densities can go together or against each other."""
    return two_sided(z, skewness)


#: Every statistic of pairs, in the order of its components in a result.
STATISTICS: list[Statistic] = [
    Statistic("centered", limits.CENTERED_WEIGHTS, _centered, _centered_tail),
    Statistic("additive", limits.ADDITIVE_WEIGHTS, _additive, _additive_tail),
]


def rungs_of_pairs(count: int) -> list[Heights]:
    """List the rungs of both variables at which pairs are looked at, where the longer ladder has so many.

    All equal ones, and those at which a statistic has a weight; strengths are found at all of them. A longer ladder
    only adds to the end of the list.

    Examples
    --------
    >>> rungs_of_pairs(2)
    [(0, 0), (1, 1), (1, 0), (0, 1)]
    """
    equal = [(height, height) for height in range(count)]
    every = dict.fromkeys([*equal, *(heights for one in STATISTICS for heights in one.weights)])
    return sorted((one for one in every if max(one) < count), key=lambda one: (max(one), one[0] != one[1]))


def turned(places: Indices) -> Indices:
    """Of places among `rungs_of_pairs`, those where the second variable has the rung of the first.

    Examples
    --------
    >>> turned(np.array([0, 1, 2, 3])).tolist()
    [0, 1, 3, 2]
    """
    every = rungs_of_pairs(len(limits.RUNG_BITS))
    other: Indices = np.array([every.index(heights[::-1]) for heights in every])[places]
    return other


def counts_at(heights: Heights, first: Any, second: Any) -> Masks:
    """Tell which pairs are tested at some rungs, of variables with so many: none twice at the same widths.

    A variable of fewer rungs has its last at every further height.

    Parameters
    ----------
    heights : pair of int
        The rungs.
    first, second : array (p,), (q,)
        How many rungs the variables have.

    Examples
    --------
    >>> rungs = [4, 1]  # those of numbers, and of labels
    >>> [counts_at(heights, [4], rungs).tolist() for heights in ((3, 3), (3, 0), (0, 3))]
    [[[True, True]], [[True, False]], [[True, False]]]
    """
    last = [np.asarray(rungs, dtype=np.intp) - 1 for rungs in (first, second)]
    here = [np.minimum(height, end) for height, end in zip(heights, last, strict=True)]
    found: Masks = np.maximum.outer(*last) >= max(heights)
    for before in takewhile(lambda other: other != heights, rungs_of_pairs(1 + max(heights))):
        if any(before in one.weights for one in STATISTICS):
            same = [np.minimum(height, end) == own for height, end, own in zip(before, last, here, strict=True)]
            found &= ~np.logical_and.outer(*same)
    return found


def width_label(ladder: int, *heights: int) -> str:
    """Name the widths of a statistic, rungs of ladders of which the longest has so many.

    Examples
    --------
    >>> width_label(4, 3, 0), width_label(4, 1), width_label(1, 0)
    ('at 3.3 and 0.06 bits', 'at 0.5 bits', 'at its one width')
    """
    bits = [f"{limits.RUNG_BITS[height]:g}" for height in dict.fromkeys(heights)]
    return f"at {' and '.join(bits)} bits" if ladder > 1 else "at its one width"


class Compared(NamedTuple):
    """The statistics of all pairs of two sets of variables at one width each.

    Attributes
    ----------
    heights : pair of int
        The rungs of these widths.
    statistics : tuple of Statistic
        Those that have a weight there.
    z, skewness : array (statistics, p, q)
        In deviations from their means; nan where a tail is not to be trusted.
    least : array (p, q)
        What a tail that rests on few rows cannot be below.
    """

    heights: Heights
    statistics: tuple[Statistic, ...]
    z: Floats
    skewness: Floats
    least: Floats

    def tails(self) -> list[Floats]:
        """The p-value of each statistic."""
        every = zip(self.statistics, self.z, self.skewness, strict=True)
        return [one.tail(z, skewness, self.least) for one, z, skewness in every]

    def components(self, ladder: int, place: tuple[int, int]) -> Iterator[tuple[str, float, float, float, float]]:
        """Each statistic of one pair: what it looks at, deviations from its mean, tail, skewness and weight.

        Parameters
        ----------
        ladder : int
            How many widths there are.
        place : pair of int
            Which pair.
        """
        label = width_label(ladder, *self.heights)
        for one, z, skewness, p in zip(self.statistics, self.z, self.skewness, self.tails(), strict=True):
            if np.isfinite(p[place]):
                figures = float(z[place]), float(p[place]), float(skewness[place])
                yield f"{one.name} {label}", *figures, one.weights[self.heights]


def compared(sample: Sample, heights: Heights) -> Compared:
    """Compute the statistics of all pairs that have a weight at some rungs, standardised by their permutation moments.

    Parameters
    ----------
    sample : Sample
        What they are made of.
    heights : pair of int
        The rungs of the two variables.
    """
    n = np.asarray(sample.n)
    statistics = tuple(one for one in STATISTICS if one.weights.get(heights, 0.0) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = [one.value(sample) for one in statistics]
        nothing = np.empty((0, *sample.norms.shape))
        z, skewness = (np.stack([one[part] for one in values]) if values else nothing for part in (0, 1))
    least = chance_of_meeting(n, *sample.both("bearing"))
    return Compared(heights, statistics, z, skewness, least)


def weights_of(pairs: Sequence[Heights]) -> list[float]:
    """List the weights of the statistics at some rungs, in the order of their tails."""
    every = [one.weights.get(heights, 0.0) for heights in pairs for one in STATISTICS]
    return [weight for weight in every if weight > 0]


def chances_of(margins: Margins) -> Chances:
    """Compute what the mutual information of all pairs is under independence."""
    n = margins.n
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = moment(*margins.both("raw"), n, PAIRS) * margins.products("scale") ** 2
        means, squares = margins.both("mean"), margins.both("squares")
        entropies = sum(collision(n, mean) for mean in means)
        own = sum(own_bits(n, mean, square) for mean, square in zip(means, squares, strict=True))
        return Chances(n, entropies, means[0] * means[1], variance, own)
