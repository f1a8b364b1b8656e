"""The delta kernel: 1 for equal values, 0 for different ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.arrays import Array, device, namespace, to_numpy
from shearer.data.columns import Kind
from shearer.data.variables import Block
from shearer.kernels.base import Kernel
from shearer.kernels.gram import Gram, Index


@dataclass(frozen=True)
class Delta(Kernel):
    """Delta kernel: 1 if two values are equal, else 0.

    It is the default for labels. At order 1 entropies are then Shannon's entropies of the relative frequencies, and at
    any other order Rényi's. Numbers can have it too, such as classes that are written as integers.

    Examples
    --------
    >>> import shearer as sh
    >>> sh.entropy(["a", "b", "a", "b"])
    1.0
    >>> sh.entropy([3, 1, 3, 1], kernel=sh.kernels.Delta())
    1.0
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("continuous", "categorical")

    def gram(self, block: Block, like: Array) -> Gram:
        """The Gram operator of a block of labels, or of numbers that are either equal or not."""
        if block.kind == "categorical":
            codes = np.unique(block.values, return_inverse=True)[1]
        else:
            codes = np.unique(to_numpy(block.values), axis=0, return_inverse=True)[1]
        return DeltaGram(codes.reshape(-1), like)


@dataclass(frozen=True, eq=False)
class DeltaGram(Gram):
    """1 where two codes are equal, else 0."""

    codes: NDArray[np.intp]
    template: Array

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def like(self) -> Array:
        """An array of the library and floating type to compute in."""
        return self.template

    @property
    def entry_error(self) -> float:
        """None: entries are 0 and 1."""
        return 0.0

    @property
    def is_constant(self) -> bool:
        """True if all codes are equal."""
        return bool(np.all(self.codes == self.codes[0]))

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How often each code occurs."""
        return np.unique(self.codes, return_counts=True)[1]

    def components(self) -> list[NDArray[np.intp]]:
        """The rows of each code."""
        order = np.argsort(self.codes, kind="stable")
        return np.split(order, np.cumsum(self.counts)[:-1])

    def block(self, rows: Index, columns: Index) -> Array:
        """Zeros and ones."""
        equal = np.equal.outer(self.codes[rows], self.codes[columns])
        return namespace(self.template).asarray(equal, dtype=self.template.dtype, device=device(self.template))

    def squared(self) -> Gram:
        """Itself: 0 and 1 are their own squares."""
        return self

    def restrict(self, rows: NDArray[np.intp]) -> Gram:
        """The operator of these rows."""
        return DeltaGram(self.codes[rows], self.template)

    def merge(self, other: Gram) -> Gram | None:
        """A product of deltas is the delta of the joined labels."""
        if not isinstance(other, DeltaGram):
            return None
        pairs = self.codes * (int(other.codes.max()) + 1) + other.codes
        return DeltaGram(np.unique(pairs, return_inverse=True)[1], self.template)
