"""Which orders of the rows a null hypothesis allows: how many there are, all of them, and random ones."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import describe, type_error, value_error
from shearer.data.arrays import to_numpy
from shearer.data.variables import Variable

Order = NDArray[np.intp]


class Scheme(ABC):
    """The orders of n rows that leave the null law unchanged."""

    #: How `TestResult.method` words it.
    words: str

    @abstractmethod
    def count(self) -> int:
        """How many orders there are, the given one included."""

    @abstractmethod
    def log_count(self) -> float:
        """Natural logarithm of that number, which may have a million digits."""

    @abstractmethod
    def every(self) -> Iterator[Order]:
        """All of them, the given one first."""

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Order:
        """One of them at random, all equally likely."""


@dataclass(frozen=True)
class Within(Scheme):
    """Rows change places only with rows of the same block.

    Examples
    --------
    >>> scheme = Within((np.array([0, 1]), np.array([2, 3])))
    >>> scheme.count(), [order.tolist() for order in scheme.every()]
    (4, [[0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 2, 3], [1, 0, 3, 2]])
    """

    blocks: tuple[Order, ...]

    @property
    def words(self) -> str:  # type: ignore[override]
        """Nothing where all rows are one block."""
        return "" if len(self.blocks) == 1 else f" within {len(self.blocks)} blocks"

    def count(self) -> int:
        """Product of the factorials of the sizes."""
        return math.prod(math.factorial(len(block)) for block in self.blocks)

    def log_count(self) -> float:
        """Logarithm of `count`."""
        return math.fsum(math.lgamma(len(block) + 1) for block in self.blocks)

    def every(self) -> Iterator[Order]:
        """All orders of each block with all orders of the others."""
        rows = np.concatenate(self.blocks)
        for chosen in product(*(permutations(block.tolist()) for block in self.blocks)):
            order = np.empty(len(rows), dtype=np.intp)
            order[rows] = list(chain.from_iterable(chosen))
            yield order

    def draw(self, rng: np.random.Generator) -> Order:
        """Each block shuffled."""
        order = np.empty(sum(map(len, self.blocks)), dtype=np.intp)
        for block in self.blocks:
            order[block] = rng.permutation(block)
        return order


@dataclass(frozen=True)
class Contiguous(Scheme):
    """Stretches of rows that follow each other change places as wholes; within one the order stays.

    Examples
    --------
    >>> [order.tolist() for order in Contiguous(rows=5, length=2).every()][-1]
    [4, 2, 3, 0, 1]
    """

    rows: int
    length: int

    @property
    def words(self) -> str:  # type: ignore[override]
        """The length of a stretch."""
        return f" of blocks of {self.length} rows"

    @property
    def _stretches(self) -> int:
        """How many there are; the last may be shorter."""
        return -(-self.rows // self.length)

    def _order(self, stretches: Sequence[int] | Order) -> Order:
        """The rows of stretches, one after the other."""
        rows = (np.asarray(stretches)[:, None] * self.length + np.arange(self.length)).reshape(-1)
        return rows[rows < self.rows]

    def count(self) -> int:
        """Factorial of the number of stretches."""
        return math.factorial(self._stretches)

    def log_count(self) -> float:
        """Logarithm of `count`."""
        return math.lgamma(self._stretches + 1)

    def every(self) -> Iterator[Order]:
        """All orders of the stretches."""
        yield from map(self._order, permutations(range(self._stretches)))

    def draw(self, rng: np.random.Generator) -> Order:
        """The stretches shuffled."""
        return self._order(rng.permutation(self._stretches))


@dataclass(frozen=True)
class Clusters(Scheme):
    """Clusters of rows change places as wholes with clusters of the same size; within one the order stays.

    Examples
    --------
    >>> scheme = Clusters((np.array([0, 1]), np.array([2, 3]), np.array([4])))
    >>> scheme.count(), [order.tolist() for order in scheme.every()]
    (2, [[0, 1, 2, 3, 4], [2, 3, 0, 1, 4]])
    """

    clusters: tuple[Order, ...]

    @property
    def words(self) -> str:  # type: ignore[override]
        """How many there are."""
        return f" of {len(self.clusters)} clusters"

    def _by_size(self) -> list[list[int]]:
        sizes = np.array([len(rows) for rows in self.clusters])
        return [np.flatnonzero(sizes == size).tolist() for size in np.unique(sizes)]

    def count(self) -> int:
        """Product of the factorials of how many clusters have each size."""
        return math.prod(math.factorial(len(alike)) for alike in self._by_size())

    def log_count(self) -> float:
        """Logarithm of `count`."""
        return math.fsum(math.lgamma(len(alike) + 1) for alike in self._by_size())

    def every(self) -> Iterator[Order]:
        """All orders of the clusters of each size with all orders of the others."""
        alike = self._by_size()
        for chosen in product(*(permutations(some) for some in alike)):
            yield self._placed(chain.from_iterable(alike), chain.from_iterable(chosen))

    def draw(self, rng: np.random.Generator) -> Order:
        """The clusters of each size shuffled."""
        alike = self._by_size()
        return self._placed(chain.from_iterable(alike), chain.from_iterable(rng.permutation(some) for some in alike))

    def _placed(self, places: Iterable[int], taken: Iterable[int]) -> Order:
        order = np.empty(sum(map(len, self.clusters)), dtype=np.intp)
        for place, cluster in zip(places, taken, strict=True):
            order[self.clusters[place]] = self.clusters[cluster]
        return order


def scheme_of_clusters(codes: Order) -> Scheme:
    """Whole clusters change places, of which enough must have the same size."""
    scheme = Clusters(tuple(rows_of_each(codes)))
    if scheme.count() < 20:
        hint = 'independence_test(..., cluster=...) with method="aggregated" takes clusters of any sizes.'
        raise value_error("cluster", "enough clusters of the same size to change places", scheme.words.strip(), hint)
    return scheme


def is_length(blocks: Any) -> bool:
    """True if `blocks` is the length of stretches, False if it is one label a row."""
    return isinstance(blocks, int | np.integer) and not isinstance(blocks, bool | np.bool_)


def scheme_of(rows: int, blocks: Any, labels: Variable | None) -> Scheme:
    """The orders that `blocks` allows; `labels` is the variable read from it, where it is one label a row."""
    if labels is not None:
        groups = tuple(rows_of_each(codes_of(labels)))
        if len(groups) == rows:
            hint = "A row alone in its block has nothing to change places with."
            raise value_error("blocks", "labels that repeat", "a block of its own for every row", hint)
        return Within(groups)
    if blocks is None:
        return Within((np.arange(rows),))
    if not is_length(blocks):
        raise type_error("blocks", "one label a row, or the length of a stretch of rows", describe(blocks))
    if not 1 <= blocks <= rows // 2:
        hint = "At least two stretches are needed to change places."
        raise value_error("blocks", f"a length from 1 to {rows // 2} for {rows} rows", f"{blocks}", hint)
    return Contiguous(rows, int(blocks))


def codes_of(variable: Variable) -> Order:
    """One code a row: equal where all values of the variable are."""
    columns = [to_numpy(block.values).reshape(len(block.values), -1) for block in variable.blocks]
    return np.unique(np.hstack(columns), axis=0, return_inverse=True)[1].reshape(-1)


def rows_of_each(codes: Order) -> list[Order]:
    """The rows of each code."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
