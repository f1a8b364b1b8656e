"""The ladder of widths that a variable is tested at, and the rows that stand for all in finding it.

A rung is the squared kernel M = K o K at the width at which its entropy of order 2 is a stated number of bits. Bits do
not depend on the number of rows: the same rungs are taken of 50 rows and of a million.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.variables import Block, Variable
from shearer.kernels import Gaussian, Gram, Kernel, distances, hadamard
from shearer.kernels import gram as gram_of
from shearer.kernels.samples import SHORTEST
from shearer.pairs import limits

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LIKE = np.empty(0)
#: Bits of the width in whose units coordinates of different variables may be added up.
UNIT_BITS = 2.0
# Parts of an octave of the squared distances that are told apart in finding widths.
_STEPS = 128
_SHIFT = 52 - (_STEPS.bit_length() - 1)
# Newton steps for the logarithm of a width, and when to stop.
_MOST_STEPS, _CLOSE = 60, 1e-10


@dataclass(frozen=True, eq=False)
class Ladder:
    """A variable, or several joined, as similarities at a ladder of widths.

    Attributes
    ----------
    numbers : array (n, d) or None
        Coordinates whose width makes the ladder, of which the largest range is below 1.
    fixed : Gram or None
        A similarity that is the same at every width: of labels, or under a kernel of the user's.
    """

    numbers: Floats | None
    fixed: Gram | None

    @classmethod
    def of(cls, variable: Variable, general: Kernel | None = None, own: Kernel | None = None) -> "Ladder":
        """From a variable in numpy: a ladder for numbers under the default kernel, one rung else.

        Parameters
        ----------
        variable : Variable
            Without missing rows.
        general, own : Kernel, optional
            The kernel that the user stated for all variables, and for this one.
        """
        block = variable.blocks[0]
        values = np.asarray(block.values, dtype=np.float64) if block.kind == "continuous" else None
        # Two values have one distance: every width gives the same test.
        if (own or general) is not None or values is None or _at_most_two(values):
            return cls(None, gram_of(variable, _LIKE, general or Gaussian(), own).squared())
        labels = Variable(variable.name, variable.blocks[1:])
        fixed = gram_of(labels, _LIKE, Gaussian()).squared() if labels.blocks else None
        return cls(values * unit_scale(values), fixed)

    def joined(self, other: "Ladder") -> "Ladder":
        """The joint variable: coordinates side by side, each in units of its own width, and a product of the rest."""
        both = [item for item in (self.numbers, other.numbers) if item is not None]
        same = [item for item in (self.fixed, other.fixed) if item is not None]
        scaled = [item / rung_widths(item, (UNIT_BITS,))[0] for item in both]
        return Ladder(np.column_stack(scaled) if both else None, hadamard(same) if same else None)

    @cached_property
    def rungs(self) -> list[Gram]:
        """The squared kernel M at every rung."""
        if self.numbers is None:
            assert self.fixed is not None
            return [self.fixed]
        block = Block("continuous", self.numbers)
        operators = [Gaussian(width).gram(block, _LIKE).squared() for width in rung_widths(self.numbers)]
        return operators if self.fixed is None else [hadamard([one, self.fixed]) for one in operators]

    def sample(self, most: int) -> Indices:
        """Rows among which landmarks are chosen."""
        if self.numbers is not None:
            return sample_rows(self.numbers, most)
        assert self.fixed is not None
        return sample_rows(np.empty((self.fixed.n, 2)), most)


def _at_most_two(values: Floats) -> bool:
    """Whether no more than two different rows occur."""
    other = np.flatnonzero((values != values[0]).any(axis=1))
    return len(other) == 0 or bool((values[other] == values[other[0]]).all())


def unit_scale(values: Floats) -> float:
    """The power of two that brings the widest coordinate to a range below 1: squares are then ordinary numbers."""
    widest = float(np.max(np.max(values, axis=0) / 2 - np.min(values, axis=0) / 2))
    return math.ldexp(0.5, min(1000, -math.frexp(widest)[1]))


def rung_widths(values: Floats, bits: Sequence[float] = limits.RUNG_BITS, rows: int | None = None) -> list[float]:
    """Find the widths of exp(-|x - y|^2 / (2 width^2)) at which the entropy of order 2 is so many bits.

    Where the largest entropy that values can have (log2 of the number of rows, less with ties) is too small for the
    last of them, the last is a share of that entropy.

    Parameters
    ----------
    values : array (n, d)
        The values.
    bits : sequence of float
        The entropies.
    rows : int, optional
        How many rows these stand for, where they are the `spaced_rows` of a longer table; default: their number.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(400, 1))
    >>> width = rung_widths(x)[2]
    >>> kernel = np.exp(-((x - x.T) ** 2) / (2 * width**2))
    >>> round(float(-np.log2(np.mean(kernel**2))), 2)
    1.5
    >>> len(rung_widths(x)), len(rung_widths(x[:4])), len(rung_widths(np.round(x)))
    (4, 3, 3)
    """
    squared = distances.triangle(values[sample_rows(values)])
    n, unequal = rows or len(values), squared[squared > SHORTEST**2]
    if unequal.size == 0:
        return [1.0]
    # With p the sum of squared frequencies of different values, the mean of M over all n^2 pairs is p + (1 - p) m,
    # where m is its mean over unequal pairs. It shall be 2^-bits.
    differing = (1 - 1 / n) * unequal.size / squared.size  # 1 - p
    largest = -math.log1p(-differing) / math.log(2)
    wanted = [goal for goal in bits if goal <= limits.LAST_SHARE * largest]
    last = limits.LAST_SHARE * largest
    if len(wanted) < len(bits) and (not wanted or last > limits.LEAST_STEP * wanted[-1]):
        wanted.append(last)
    places, counts = _binned(unequal)
    widths = []
    for goal in wanted:
        mean = 1 - (-math.expm1(-goal * math.log(2))) / differing
        widths.append(_width_of_mean(places, counts, mean))
    return widths


def sample_rows(values: Floats, most: int = limits.SAMPLE_ROWS) -> Indices:
    """Choose rows that stand for all: evenly in the order of a scalar, with its ends; of vectors a fixed draw.

    They are taken from `spaced_rows`.
    """
    spaced = spaced_rows(len(values))
    n = len(spaced)
    if n <= most:
        return spaced
    if values.shape[1] > 1:
        return spaced[np.sort(np.random.default_rng(0).choice(n, most, replace=False))]
    order = np.argsort(values[spaced, 0], kind="stable")
    return spaced[np.sort(order[np.linspace(0, n - 1, most).round().astype(np.intp)])]


def spaced_rows(n: int, most: int = limits.SPACED_ROWS) -> Indices:
    """All rows of so many, or one of each of equal runs of rows: a fixed draw, out of step with whatever repeats.

    Examples
    --------
    >>> spaced_rows(3).tolist(), (spaced_rows(1000, most=10) // 100).tolist()
    ([0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    if n <= most:
        return np.arange(n)
    edges = np.arange(most + 1) * n // most
    return (edges[:-1] + np.random.default_rng(0).random(most) * np.diff(edges)).astype(np.intp)


def _binned(squared: Floats) -> tuple[Floats, Floats]:
    """Bin squared distances by equal ratios: the mean of each bin, and its share of the distances."""
    bins = squared.view(np.int64) >> _SHIFT  # exponent and leading bits of the fraction
    bins -= bins.min()
    counts = np.bincount(bins).astype(np.float64)
    sums = np.bincount(bins, weights=squared)
    kept = counts > 0
    return sums[kept] / counts[kept], counts[kept] / squared.size


def _width_of_mean(squared: Floats, shares: Floats, goal: float) -> float:
    """Solve for the width at which the mean of exp(-squared / width^2) is `goal`, by Newton steps in a bracket."""
    unit = -0.5 * math.log(-math.log(goal))
    low, high = 0.5 * math.log(squared[0]) + unit - 1e-6, 0.5 * math.log(squared[-1]) + unit + 1e-6
    place = (low + high) / 2
    for _ in range(_MOST_STEPS):
        rate = math.exp(-2 * place)
        terms = shares * np.exp(np.maximum(-rate * squared, -700.0))
        mean = float(terms.sum())
        excess = math.log(mean / goal)
        low, high = (place, high) if excess < 0 else (low, place)
        slope = 2 * rate * float(terms @ squared) / mean
        step = place - excess / slope if slope > 0 else math.inf
        following = step if low < step < high else (low + high) / 2
        if abs(following - place) < _CLOSE:
            return math.exp(following)
        place = following
    return math.exp(place)
