"""Measures that are a formula of one matrix for each variable: kernels or distances, formed once for all permutations.

A permutation moves the rows and columns of a matrix, and nothing else: `Rearranged` is what a permutation test computes
instead of calling the measure on permuted data.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.spatial.distance import cdist

from shearer._memory import parse_memory, require
from shearer.comparators.inputs import Floats, near_one, points
from shearer.data.arrays import to_numpy
from shearer.data.table import Table
from shearer.inference.permutation.rearrangements import Order
from shearer.kernels import Kernel, grams

F = TypeVar("F", bound=Callable[..., float])

# Beyond, matrices kept for all variables would crowd out the data; a permutation test then calls the measure itself.
MOST_ROWS = 5000


@dataclass(frozen=True)
class Rearranged:
    """A formula of matrices whose rows, and columns if `square`, follow the order of each variable."""

    matrices: tuple[Floats, ...]
    formula: Callable[..., float]
    square: bool = True

    def __call__(self, orders: Sequence[Order]) -> float:
        """The formula of the rearranged matrices."""
        return self.formula(*(self._moved(item, order) for item, order in zip(self.matrices, orders, strict=True)))

    def _moved(self, matrix: Floats, order: Order) -> Floats:
        if np.array_equal(order, np.arange(len(order))):
            return matrix
        return matrix[np.ix_(order, order)] if self.square else matrix[order]


def rearranges(
    matrices: Callable[[Table], tuple[Floats, ...]], formula: Callable[..., float], square: bool = True
) -> Callable[[F], F]:
    """Tell permutation tests how to compute a comparator, at its default options, from matrices formed once."""

    def prepare(table: Table) -> Rearranged | None:
        return Rearranged(matrices(table), formula, square) if table.rows <= MOST_ROWS else None

    def attach(function: F) -> F:
        function.__dict__["rearranged"] = prepare
        return function

    return attach


def kernel_matrices(table: Table, kernel: Kernel | Mapping[str, Kernel] | None = None) -> tuple[Floats, ...]:
    """The kernel matrix of each variable: Gaussian of median width, delta for labels, unless stated."""
    require_matrices(table)
    return tuple(to_numpy(gram.dense()).astype(np.float64, copy=False) for gram in grams(table, kernel))


def distance_matrices(table: Table) -> tuple[Floats, ...]:
    """Euclidean distances of each variable; any two labels are 1 apart."""
    require_matrices(table)
    found = []
    for item in table.variables:
        x, exponent = near_one(points(item))  # whose squares neither overflow nor vanish
        found.append(np.ldexp(cdist(x, x), 2 * exponent))
    return tuple(found)


def centered(matrix: Floats) -> Floats:
    """H M H: rows and columns of mean 0."""
    rows = matrix.mean(axis=0)
    moved: Floats = matrix - rows[None, :] - rows[:, None] + rows.mean()
    return moved


def u_centered(matrix: Floats) -> Floats:
    """Zero diagonal and zero row sums, so that products of independent ones have mean 0 (Székely and Rizzo 2014)."""
    n = len(matrix)
    off = matrix - np.diag(np.diag(matrix))
    rows = off.sum(axis=0)
    moved: Floats = off - (rows[None, :] + rows[:, None]) / (n - 2) + rows.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(moved, 0.0)
    return moved


def require_matrices(table: Table) -> None:
    """Refuse, before anything is allocated, rows whose matrices do not fit the machine."""
    needed = 8 * table.rows**2 * (len(table.variables) + 3)
    purpose = f"{len(table.variables)} matrices of {table.rows} x {table.rows}"
    require(needed, parse_memory(None), purpose, "Options: fewer rows; shearer's own measures take tol=.")
