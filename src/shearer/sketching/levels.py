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

    def add_again(self, stack: Floats, rows: int) -> tuple[Floats, Floats]:
        """Add rows in the second pass, given by their features side by side, and give their row vectors.

        Parameters
        ----------
        stack : array (m, r)
            The features.
        rows : int
            Rows of the first pass.
        """
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
        return diagonals, slopes

    def known(self, features: list[Features], rows: int) -> Known:
        """What pairs need of every variable, whose features have rows that stand for all."""
        known: Known = []
        for variable, own in enumerate(features):
            sums = self._row_sums(variable, rows)
            marginal = sums.marginal(own.probes - sums.totals.center, own.shares * rows)
            known.append([Rows(sums.totals.center, marginal, _NO_ROWS, _NO_ROWS)])
        return known

    def _row_sums(self, variable: int, rows: int) -> RowSums:
        own = self.own(variable)
        totals = Totals.of(rows, self.sums[own], self.products[own, own], np.zeros(own.stop - own.start))
        found = RowSums(totals)
        found.with_diagonal = self.with_diagonal[own].copy()
        found.numbers = self.numbers[variable].copy()
        return found


@dataclass
class Crossing:
    """Sums over rows at two different widths: products of the features, and of row vectors, of all variables.

    Attributes
    ----------
    levels : pair of int
        The two widths, places among the levels of a sketch.
    products, diagonals, slopes : arrays
        As those of a `Level`: the first width along the first axis, the second along the second.
    """

    levels: tuple[int, int]
    products: Floats
    diagonals: Floats
    slopes: Floats

    FIRST = ("products",)
    SECOND = ("diagonals", "slopes")

    @classmethod
    def of(cls, levels: tuple[int, int], first: Level, second: Level) -> Crossing:
        """No row yet."""
        shapes = (int(first.starts[-1]), int(second.starts[-1])), *[(len(first.members),) * 2] * 2
        return cls(levels, *(np.zeros(shape) for shape in shapes))

    def add(self, first: Floats, second: Floats) -> None:
        """Add rows in the first pass, given by their features side by side at both widths."""
        self.products += first.T @ second

    def begin_again(self) -> None:
        """No row of a second pass yet."""
        self.diagonals, self.slopes = np.zeros_like(self.diagonals), np.zeros_like(self.slopes)

    def add_again(self, first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> None:
        """Add rows in the second pass, given by the row vectors that the levels have found."""
        self.diagonals += first[0] @ second[0].T
        self.slopes += first[1] @ second[1].T

    def turned(self) -> Crossing:
        """The same, the second width first."""
        return Crossing(self.levels[::-1], self.products.T, self.diagonals.T, self.slopes.T)


def squared_norms(products: Floats, first: Level, second: Level, rows: int) -> Floats:
    """Squared norms of the cross products of centered features, of all pairs of variables at two widths.

    Parameters
    ----------
    products : array
        Sums over rows of the products of the features.
    first, second : Level
        The widths.
    rows : int
        How many rows.
    """
    centered = products - np.multiply.outer(first.sums, second.sums) / rows
    centered *= centered
    return np.add.reduceat(np.add.reduceat(centered, first.starts[:-1], axis=0), second.starts[:-1], axis=1)


def _nothing(width: int, count: int) -> list[Floats]:
    return [np.zeros(shape) for shape in (width, (count, NUMBERS), (count, count), (count, count))]
