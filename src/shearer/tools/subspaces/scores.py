"""How much the columns of a set depend on each other: T*, D*, and T on a scale on which sizes compare."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from shearer._jobs import spread
from shearer._memory import require
from shearer._progress import track
from shearer._validate import describe, type_error, value_error
from shearer.data.arrays import to_numpy
from shearer.inference.adjusted_scale import centered_sums
from shearer.measures.combination import no_entropy
from shearer.measures.entropies import Subset
from shearer.measures.measure import Measure
from shearer.measures.registry import MEASURES, normalized_measures
from shearer.pairs.null_law.moments import PAIRS, falling, two_or_more
from shearer.tools.subspaces.joint_entropies import Floats, Index, JointEntropies
from shearer.tools.subspaces.lattice import Columns

# From sets of one size, shape (m, size), and their joint entropies to their scores; nan where there is none.
Formula: TypeAlias = Callable[[Index, Floats], Floats]

ADJUSTED = "adjusted"
# As in `shearer.inference`: the moments divide by n (n - 1) ... (n - 5).
_FEWEST_ROWS = 6
# Bits of round-off: less than this is nothing to share.
_NOTHING = 1e-12


def measures() -> tuple[str, ...]:
    """What sets of columns can be scored by: measures on a scale of any number of variables, and T adjusted."""
    return (*normalized_measures(any_number=True), ADJUSTED)


class Scores(ABC):
    """Scores of sets of columns; higher for more dependent ones, nan where there is none."""

    @abstractmethod
    def pairs(self, index: Index) -> Floats:
        """Of pairs, shape (m, 2)."""

    @abstractmethod
    def triples(self) -> tuple[Index, Floats]:
        """All triples, shape (m, 3), and their scores."""

    @abstractmethod
    def larger(self, sets: Sequence[Columns]) -> Floats:
        """Of sets of one size, three columns or more."""


class EntropyScores(Scores):
    """By a measure that is made of joint entropies.

    Parameters
    ----------
    bits : JointEntropies
        Of the table.
    measure : str
        One of `measures`.
    alpha : float
        Order of the entropies.
    memory : int
        Bytes.
    """

    def __init__(self, bits: JointEntropies, measure: str, alpha: float, memory: int) -> None:
        self._bits = bits
        self._formula = _formula(measure, bits, alpha, memory)

    def pairs(self, index: Index) -> Floats:
        """From the matrix of joint entropies."""
        return self._formula(index, self._bits.pair[tuple(index.T)])

    def triples(self) -> tuple[Index, Floats]:
        """From those of all triples."""
        index, joint = self._bits.triples()
        return index, self._formula(index, joint)

    def larger(self, sets: Sequence[Columns]) -> Floats:
        """From those of these sets."""
        return self._formula(np.array(sets, dtype=np.intp), self._bits(sets))


class FunctionScores(Scores):
    """By a function of the columns of a set, called once for each set.

    Examples
    --------
    >>> import numpy as np
    >>> def negative_spread(*columns):
    ...     return -np.std(np.sum(columns, axis=0))
    >>> columns = [np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    >>> FunctionScores(negative_spread, columns, None, False).pairs(np.array([[0, 1], [0, 2]]))
    array([-0., -1.])
    """

    def __init__(
        self, function: Callable[..., Any], columns: Sequence[Floats], n_jobs: int | None, progress: bool | None
    ) -> None:
        self._function, self._columns = function, columns
        self._n_jobs, self._progress = n_jobs, progress

    def pairs(self, index: Index) -> Floats:
        """One call each."""
        return self.larger(list(map(tuple, index.tolist())))

    def triples(self) -> tuple[Index, Floats]:
        """One call each."""
        sets = list(combinations(range(len(self._columns)), 3))
        return np.array(sets, dtype=np.intp), self.larger(sets)

    def larger(self, sets: Sequence[Columns]) -> Floats:
        """One call each."""
        label = f"sets of {len(sets[0])} columns"
        found = track(spread(self._score, sets, self._n_jobs), len(sets), label, self._progress)
        return np.fromiter(found, dtype=np.float64, count=len(sets))

    def _score(self, columns: Columns) -> float:
        value = self._function(*(self._columns[column] for column in columns))
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise type_error("measure", "a function of columns that returns a number", describe(value)) from error


def _formula(measure: str, bits: JointEntropies, alpha: float, memory: int) -> Formula:
    """The measure as a function of entropies."""
    if measure != ADJUSTED:
        return partial(_values, MEASURES[measure], bits)
    if alpha != 2:
        hint = 'Other orders have no formula for chance: measure="total_correlation" takes any.'
        raise value_error("alpha", '2 with measure="adjusted"', f"{alpha:g}", hint)
    if bits.rows < _FEWEST_ROWS:
        hint = 'measure="total_correlation" takes fewer.'
        raise value_error("X", f'at least {_FEWEST_ROWS} rows with measure="adjusted"', f"{bits.rows}", hint)
    require(4 * 8 * bits.rows**2, memory, f"chance of {bits.rows} rows", "Options: a smaller max_rows=.")
    return Adjusted(bits)


def _values(measure: Measure, bits: JointEntropies, index: Index, joint: Floats) -> Floats:
    """The measure of sets of one size, shape (m, size), from their joint entropies and those of their parts."""
    size = index.shape[1]
    parts = [sorted(subset) for subset in set(measure.needs(range(size), frozenset())) if 2 < len(subset) < size]
    bits([tuple(columns) for part in parts for columns in index[:, part].tolist()])  # all in one pass over the rows

    def known(subset: Subset) -> Floats:
        return joint if len(subset) == size else bits.of(index[:, sorted(subset)])

    found: Floats = measure.values(size, known, True, no_entropy(bits.rows))
    return found


class Adjusted:
    """Chance-adjusted total correlation of sets of columns at alpha = 2 (theory: chance adjustment).

    With E the joint entropy that the columns have on average once their rows are permuted, and C the mean over the
    columns of the joint entropy of as many copies of that column, (T - E0 T) / (copies - E0 T) = (E - S) / (E - C):
    where the joint entropy S lies between that of independent columns, 0, and that of copies, 1. Both ends are those
    of the set's own size, so sets of two and of five columns compare.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.random.default_rng(0).normal(size=(2, 60))
    >>> from shearer.data import read
    >>> bits = JointEntropies(read({"x": x, "y": y, "copy": 3 - x}), None, 2.0, 10**8, None, False)
    >>> Adjusted(bits)(np.array([[0, 2], [0, 1]]), bits([(0, 2), (0, 1)])).round(2)
    array([1.  , 0.07])
    """

    def __init__(self, bits: JointEntropies) -> None:
        self._operators, self._n = bits.operators, bits.rows
        means, sums = zip(*map(centered_sums, self._operators), strict=True)
        meetings = [item.means() for item in sums]
        self._mean = np.array(means)
        self._meetings = {name: np.array([own[name] for own in meetings]) for name in PAIRS}
        self._copies: dict[int, Floats] = {}

    def __call__(self, index: Index, joint: Floats) -> Floats:
        """(E - S) / (E - C); 0 where there is nothing to share."""
        expected = self.expected(index)
        room = expected - self.copies(index).mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            adjusted: Floats = np.where(room > _NOTHING, (expected - joint) / room, 0.0)
        return adjusted

    def expected(self, index: Index) -> Floats:
        """E[-log2(s / n^2)] with s = n + 2 Z over all permutations, to second order in Z - E Z."""
        n, scale = self._n, np.prod(self._mean[index], axis=1)
        total = n + n * (n - 1) * scale
        variance = scale**2 * sum(
            falling(n, vertices) * share * two_or_more(self._meetings[name][index].T)
            for name, (vertices, share) in PAIRS.items()
        )
        bits: Floats = -np.log2(total / n**2) + 2 * variance / (total**2 * math.log(2))
        return bits

    def copies(self, index: Index) -> Floats:
        """Joint entropy of as many copies of each column as the set has columns, in the shape of `index`."""
        size = index.shape[1]
        known = self._copies.setdefault(size, np.full(len(self._operators), np.nan))
        for column in np.unique(index):
            if np.isnan(known[column]):
                matrix = np.asarray(to_numpy(self._operators[column].squared().dense()))
                known[column] = -math.log2(float(np.mean(matrix**size)))
        return known[index]
