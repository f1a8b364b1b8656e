"""The entropies of pairs of variables: what every route hands over, and the matrices made of it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Presence
from shearer.measures.combination import no_entropy
from shearer.measures.entropies import Subset
from shearer.measures.measure import Measure
from shearer.screening.entropies.products import mirror

Floats = NDArray[Any]

# Rows and columns of the result finished at a time: a quarter of a megabyte of doubles stays in cache throughout.
_BAND, _STRETCH = 128, 256


class Entropies(NamedTuple):
    """Entropies in bits of pairs, each on the rows that the pair has in common; all broadcast to one shape."""

    joint: Floats
    first: Floats
    second: Floats
    rows: NDArray[np.intp]


class Pairs(ABC):
    """The entropies of all pairs of some variables (left) with others (right).

    Where left and right are the same variables only pairs on and below the diagonal need to be known, and are asked
    for in rectangles below the diagonal and squares on it.
    """

    #: Shape (left, right); `square` overwrites it with the joint entropies where that saves memory.
    array: Floats
    #: Bound in bits on the error of any mutual information, round-off aside.
    error: float

    @property
    @abstractmethod
    def left_entropy(self) -> Floats:
        """Entropies of the left variables, each on all rows that it has."""

    @property
    @abstractmethod
    def right_entropy(self) -> Floats:
        """Entropies of the right variables, each on all rows that it has."""

    @abstractmethod
    def entropies(self, rows: slice, columns: slice) -> Entropies:
        """The entropies of a rectangle of pairs, in double."""


class Route(Protocol):
    """A way to the entropies of pairs."""

    #: What the result says about it.
    name: str

    def memory(self, left: slice, right: slice) -> int:
        """Bytes allocated at the peak, the array of pairs included."""

    def pairs(self, left: slice, right: slice, progress: bool | None) -> Pairs:
        """Entropies of the pairs of two runs of variables."""


@dataclass(frozen=True, eq=False)
class PairSums(Pairs):
    """Pairs at alpha = 2, known by the sums of their similarities over row pairs i < j.

    Attributes
    ----------
    array : Floats
        sum M^a_ij M^b_ij over i < j.
    left_sums, right_sums : Floats
        sum M^a_ij over i < j among the rows of each pattern of gaps.
    presence : Presence
        Gaps of all variables.
    left, right : slice
        Which variables they are.
    error : float
        Bound in bits on the error of any mutual information, round-off aside.
    """

    array: Floats
    left_sums: Floats
    right_sums: Floats
    presence: Presence
    left: slice
    right: slice
    error: float = 0.0

    def entropies(self, rows: slice, columns: slice) -> Entropies:
        """S_2 = log2(n^2 / sum_ij M_ij), with n ones on the diagonal and every other entry twice."""
        block = self.array[rows, columns].astype(np.float64)
        if self.left == self.right and rows == columns:
            mirror(block)
        patterns = self.presence.pattern[self.left][rows], self.presence.pattern[self.right][columns]
        if self.presence.complete:
            n = np.array(self.presence.masks.shape[1])
            first, second = self.left_sums[rows], self.right_sums[columns].T
        else:
            n = self.presence.common[np.ix_(*patterns)]
            first, second = self.left_sums[rows][:, patterns[1]], self.right_sums[columns][:, patterns[0]].T
        return Entropies(collision_bits(block, n), collision_bits(first, n), collision_bits(second, n), n)

    @property
    def left_entropy(self) -> Floats:
        """S_2 of the left variables on their own rows."""
        return self._own(self.left_sums, self.left)

    @property
    def right_entropy(self) -> Floats:
        """S_2 of the right variables on their own rows."""
        return self._own(self.right_sums, self.right)

    def _own(self, sums: Floats, which: slice) -> Floats:
        pattern = self.presence.pattern[which]
        return collision_bits(sums[np.arange(len(sums)), pattern], self.presence.masks.sum(axis=1)[pattern])


def collision_bits(halves: Floats, rows: Any) -> Floats:
    """Entropy of order 2 from the sum of similarities over pairs i < j; nan where there are no rows.

    Examples
    --------
    >>> import numpy as np
    >>> collision_bits(np.array([0.0, 6.0]), 4)  # all different, all alike
    array([2., 0.])
    """
    n = np.asarray(rows, dtype=np.float64)
    total = np.asarray(n + 2.0 * halves)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(n**2, total, out=total)
        return np.log2(total, out=total)


def square(pairs: Pairs, measure: Measure, normalize: bool | str, dtype: np.dtype[Any]) -> tuple[Floats, Floats]:
    """Joint entropies and a measure of all variables with each other, as symmetric matrices."""
    size = len(pairs.array)
    joint = pairs.array if pairs.array.dtype == dtype else np.empty((size, size), dtype)
    value = np.empty((size, size), dtype)
    for rows in _cut(size, _BAND):
        for columns in (*_cut(rows.start, _STRETCH), rows):
            found = pairs.entropies(rows, columns)
            for matrix, block in ((joint, found.joint), (value, measured(found, measure, normalize, dtype))):
                matrix[rows, columns] = block
                if columns == rows:
                    mirror(matrix[rows, rows])
                else:
                    matrix[columns, rows] = block.T
    return joint, value


def rectangle(pairs: Pairs, measure: Measure, normalize: bool | str, dtype: np.dtype[Any]) -> tuple[Floats, Floats]:
    """Joint entropies and a measure of the left variables with the right ones."""
    joint, value = np.empty(pairs.array.shape, dtype), np.empty(pairs.array.shape, dtype)
    for rows in _cut(joint.shape[0], _BAND):
        for columns in _cut(joint.shape[1], _STRETCH):
            found = pairs.entropies(rows, columns)
            joint[rows, columns], value[rows, columns] = found.joint, measured(found, measure, normalize, dtype)
    return joint, value


def _cut(length: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def measured(found: Entropies, measure: Measure, normalize: bool | str, dtype: np.dtype[Any]) -> Floats:
    """A measure of pairs, in bits or normalised; nan where two variables have fewer than two rows in common."""
    bits: dict[Subset, Floats] = {frozenset([0]): found.first, frozenset([1]): found.second}
    bits[frozenset([0, 1])] = found.joint
    value: Floats = measure.values(2, bits.__getitem__, normalize, no_entropy(found.rows, dtype))
    if found.rows.ndim:
        value[found.rows < 2] = np.nan
    return value
