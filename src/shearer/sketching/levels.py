"""Sums over rows of the features of all variables side by side, at one width of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.pairs.patterns import Rows
from shearer.pairs.statistics import Known
from shearer.pairs.sums import NUMBERS, RowSums, Totals
from shearer.sketching.landmarks import Features

Floats = NDArray[np.float64]

_NO_ROWS = np.empty(0)


@dataclass
class Level:
    """Sums over rows at one width: of the features of all variables beside each other.

    Attributes
    ----------
    members : list of int
        Which of its own widths each variable takes here.
    starts : array
        Where the features of each variable begin.
    products, sums, residuals : arrays
        F'F, F'1, and the sum of 1 - |f|^2 for each variable.
    with_diagonal, numbers, diagonals, slopes : arrays
        The sums of the second pass: `RowSums` of each variable, and products of the row vectors of each two.
    """

    members: list[int]
    starts: NDArray[np.intp]
    products: Floats
    sums: Floats
    residuals: Floats
    with_diagonal: Floats
    numbers: Floats
    diagonals: Floats
    slopes: Floats

    FIRST = ("products", "sums", "residuals")
    SECOND = ("with_diagonal", "numbers", "diagonals", "slopes")

    @classmethod
    def of(cls, members: list[int], ranks: list[int]) -> Level:
        """No row yet."""
        starts = np.concatenate([[0], np.cumsum(ranks)]).astype(np.intp)
        width, count = int(starts[-1]), len(ranks)
        first = (width, width), width, count
        return cls(members, starts, *(np.zeros(shape) for shape in first), *_nothing(width, count))

    def own(self, variable: int) -> slice:
        """The features of a variable."""
        return slice(int(self.starts[variable]), int(self.starts[variable + 1]))

    def add(self, stack: Floats) -> None:
        """Add rows in the first pass, given by their features side by side."""
        self.products += stack.T @ stack
        self.sums += stack.sum(axis=0)

    def begin_again(self) -> None:
        """No row of a second pass yet."""
        found = _nothing(int(self.starts[-1]), len(self.members))
        for name, zeros in zip(self.SECOND, found, strict=True):
            setattr(self, name, zeros)

    def add_again(self, stack: Floats, rows: int) -> None:
        """Add rows in the second pass, given by their features side by side; `rows` are those of the first pass."""
        diagonals, slopes = (np.empty((len(self.members), len(stack))) for _ in range(2))
        for variable in range(len(self.members)):
            sums = self._row_sums(variable, rows)
            terms = sums.totals.terms(stack[:, self.own(variable)])
            sums.add(terms)
            self.with_diagonal[self.own(variable)] = sums.with_diagonal
            self.numbers[variable] = sums.numbers
            diagonals[variable], slopes[variable] = terms.diagonal, terms.slope
        self.diagonals += diagonals @ diagonals.T
        self.slopes += slopes @ slopes.T

    def known(self, features: list[Features], rows: int) -> Known:
        """What pairs need of every variable, whose features have rows that stand for all."""
        known: Known = []
        for variable, own in enumerate(features):
            sums = self._row_sums(variable, rows)
            marginal = sums.marginal(own.probes - sums.totals.center, own.shares * rows)
            known.append([Rows(sums.totals.center, marginal, _NO_ROWS, _NO_ROWS)])
        return known

    def norms(self, rows: int) -> Floats:
        """Squared norms of the cross products of centered features, of all pairs."""
        centered = self.products - np.multiply.outer(self.sums, self.sums) / rows
        centered *= centered
        return np.add.reduceat(np.add.reduceat(centered, self.starts[:-1], axis=0), self.starts[:-1], axis=1)

    def _row_sums(self, variable: int, rows: int) -> RowSums:
        own = self.own(variable)
        totals = Totals.of(rows, self.sums[own], self.products[own, own], np.zeros(own.stop - own.start))
        found = RowSums(totals)
        found.with_diagonal = self.with_diagonal[own].copy()
        found.numbers = self.numbers[variable].copy()
        return found


def _nothing(width: int, count: int) -> list[Floats]:
    return [np.zeros(shape) for shape in (width, (count, NUMBERS), (count, count), (count, count))]
