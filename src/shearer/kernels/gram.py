"""The Gram operator: a kernel matrix known by its parts, formed whole only when asked."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer.data.arrays import Array, Namespace, device, namespace

Index: TypeAlias = slice | NDArray[np.intp]

# 512 x 512 doubles are 2 MB: a tile and its product stay in the second-level cache.
TILE = 512
ALL = slice(None)


class Gram(ABC):
    """Kernel matrix of n rows: positive semidefinite, with unit diagonal, computed in parts as they are needed.

    Subclasses define the abstract members `n`, `like`, `entry_error`, `block`, `restrict`, `merge` and `squared`; the
    rest follows from `block`. The whole matrix is formed by `dense` only. An index is a slice or an array of positions.

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.kernels import Gaussian, grams
    >>> own = grams(read([0.0, 1.0, 3.0]), Gaussian(1.0))[0]
    >>> own.n, own.dense().round(2).tolist()[0]
    (3, [1.0, 0.61, 0.01])
    """

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def like(self) -> Array:
        """An array of the library, device and floating type that blocks come in."""

    @property
    @abstractmethod
    def entry_error(self) -> float:
        """Bound on the round-off error of an entry, in units of the machine epsilon."""

    @abstractmethod
    def block(self, rows: Index, columns: Index) -> Array:
        """Compute the entries at the given rows and columns."""

    @abstractmethod
    def restrict(self, rows: NDArray[np.intp]) -> "Gram":
        """Return the Gram operator of these rows only."""

    @abstractmethod
    def merge(self, other: "Gram") -> "Gram | None":
        """Return the product of the two as one operator of the same kind, or None if there is none."""

    @property
    def xp(self) -> Namespace:
        """The array namespace of the blocks."""
        return namespace(self.like)

    @property
    def dimensions(self) -> int:
        """Number of coordinates that the entries depend on, as far as that is known."""
        return 1

    @property
    def nonnegative(self) -> bool:
        """True if no entry is negative."""
        return True

    @property
    def is_constant(self) -> bool:
        """True if every entry is 1, as for a constant variable."""
        return False

    @property
    def is_neutral(self) -> bool:
        """True if it can be left out of products."""
        return self.is_constant

    @abstractmethod
    def squared(self) -> "Gram":
        """Return the operator of the squared entries."""

    @property
    def total_error(self) -> float:
        """Bound on the round-off error of an entry within `total`, in units of the machine epsilon."""
        return self.entry_error

    def total(self, rows: Index, columns: Index) -> Array:
        """Sum the entries of a block."""
        return self.xp.sum(self.block(rows, columns))

    def mean_entry(self) -> tuple[float, float] | None:
        """Compute the mean of all entries and a bound on its error, or None if all entries would be needed."""
        return None

    def components(self) -> list[NDArray[np.intp]]:
        """List sets of rows between which every entry is 0, so that the matrix is block diagonal."""
        return [np.arange(self.n)]

    def hadamard(self, *others: "Gram") -> "Gram":
        """Multiply entry by entry: the kernel matrix of the joint variable."""
        return hadamard([self, *others])

    def diagonal(self) -> Array:
        """Return n ones, as kernels are normalized to unit diagonal."""
        return self.xp.ones(self.n, dtype=self.like.dtype, device=device(self.like))

    def columns(self, index: Sequence[int] | NDArray[np.intp]) -> Array:
        """Compute whole columns, shape (n, len(index))."""
        return self.block(ALL, np.asarray(index, dtype=np.intp))

    def dense(self) -> Array:
        """Compute the whole matrix, shape (n, n)."""
        return self.block(ALL, ALL)

    def tiles(self, size: int = TILE) -> Iterator[tuple[slice, slice, Array]]:
        """Iterate over square tiles on and above the diagonal, as (rows, columns, entries)."""
        cuts = [slice(start, min(start + size, self.n)) for start in range(0, self.n, size)]
        for i, rows in enumerate(cuts):
            for columns in cuts[i:]:
                yield rows, columns, self.block(rows, columns)

    def matmul(self, vectors: Array, size: int = TILE) -> Array:
        """Multiply the matrix with vectors of shape (n,) or (n, m), one band of rows at a time."""
        cuts = (slice(start, min(start + size, self.n)) for start in range(0, self.n, size))
        return self.xp.concat([self.block(rows, ALL) @ vectors for rows in cuts], axis=0)


@dataclass(frozen=True, eq=False)
class Product(Gram):
    """Hadamard product of operators of different kinds; make it with `hadamard`, which merges those of one kind."""

    factors: tuple[Gram, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.factors[0].n

    @property
    def like(self) -> Array:
        """An array like the blocks."""
        return self.factors[0].like

    @property
    def entry_error(self) -> float:
        """Entries are at most 1, so their errors add up; each product rounds once more."""
        return sum(factor.entry_error for factor in self.factors) + len(self.factors)

    @property
    def dimensions(self) -> int:
        """Those of all factors."""
        return sum(factor.dimensions for factor in self.factors)

    @property
    def nonnegative(self) -> bool:
        """True if no factor has a negative entry."""
        return all(factor.nonnegative for factor in self.factors)

    def block(self, rows: Index, columns: Index) -> Array:
        """The product of the factors' blocks."""
        return reduce(mul, (factor.block(rows, columns) for factor in self.factors))

    def restrict(self, rows: NDArray[np.intp]) -> Gram:
        """The product of the factors on these rows."""
        return hadamard([factor.restrict(rows) for factor in self.factors])

    def merge(self, other: Gram) -> Gram | None:
        """Never: `hadamard` works factor by factor."""
        return None

    def squared(self) -> Gram:
        """The product of the factors' squares."""
        return hadamard([factor.squared() for factor in self.factors])

    def components(self) -> list[NDArray[np.intp]]:
        """Those of the finest factor; the factors of other kinds rarely have any."""
        return max((factor.components() for factor in self.factors), key=len)


def hadamard(grams: Sequence[Gram]) -> Gram:
    """Multiply any number of Gram operators entry by entry.

    Constant operators are left out, and operators of one kind are merged: a product of Gaussian kernels is a Gaussian
    kernel of the joined coordinates, a product of delta kernels the delta kernel of the joined labels. So an entry of a
    joint kernel matrix costs one exponential, however many variables there are.

    Parameters
    ----------
    grams : sequence of Gram
        One or more, of the same rows.

    Returns
    -------
    Gram

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.kernels import grams
    >>> both = hadamard(grams(read({"x": [0.0, 1.0, 3.0], "label": ["a", "a", "b"]})))
    >>> both.dense()[0, 2].item()  # other labels
    0.0
    """
    factors: list[Gram] = []
    for gram in grams:
        for part in gram.factors if isinstance(gram, Product) else (gram,):
            if not part.is_neutral:
                _add_factor(factors, part)
    if not factors:
        return grams[0]
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def _add_factor(factors: list[Gram], part: Gram) -> None:
    for position, known in enumerate(factors):
        joint = known.merge(part)
        if joint is not None:
            factors[position] = joint
            return
    factors.append(part)
