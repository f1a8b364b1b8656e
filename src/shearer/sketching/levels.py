"""Sums over rows of the features of all variables side by side, at one width of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.inference.totals import Totals

Floats = NDArray[np.float64]


@dataclass
class Level:
    """Sums over rows at one width: of the features of all variables beside each other.

    Attributes
    ----------
    members : list of int
        Which of its own widths each variable takes here.
    products, sums, cube_sums, residuals : arrays
        F'F, F'1, the same of the cubes, and the sum of 1 - |f|^2 for each variable.
    cubes_of_rows, products_of_rows : arrays
        The sums of the second pass, for each variable.
    """

    members: list[int]
    starts: NDArray[np.intp]
    products: Floats
    sums: Floats
    cube_sums: Floats
    residuals: Floats
    cubes_of_rows: Floats
    products_of_rows: Floats

    ARRAYS = ("products", "sums", "cube_sums", "residuals", "cubes_of_rows", "products_of_rows")

    @classmethod
    def of(cls, members: list[int], ranks: list[int]) -> Level:
        """No row yet."""
        starts = np.concatenate([[0], np.cumsum(ranks)]).astype(np.intp)
        width, count = int(starts[-1]), len(ranks)
        zeros = [np.zeros(shape) for shape in ((width, width), width, width, count, count, count)]
        return cls(members, starts, *zeros)

    def own(self, variable: int) -> slice:
        """The features of a variable."""
        return slice(int(self.starts[variable]), int(self.starts[variable + 1]))

    def add(self, stack: Floats) -> None:
        """Add rows in the first pass, given by their features side by side."""
        self.products += stack.T @ stack
        self.sums += stack.sum(axis=0)

    def add_again(self, stack: Floats) -> None:
        """Add rows in the second pass: what a row sum is, the totals of the first tell."""
        for variable in range(len(self.members)):
            own = self.own(variable)
            features, inner = stack[:, own], self.products[own, own]
            t = features @ self.sums[own]
            self.cubes_of_rows[variable] += float(np.sum(t**3))
            self.products_of_rows[variable] += float(np.einsum("ij,ij->i", features @ inner, features) @ t)

    def totals(self, variable: int, rows: int, labels: bool) -> Totals:
        """What is known of one variable; of labels without a second pass."""
        own = self.own(variable)
        sums, inner = self.sums[own], self.products[own, own]
        cubes, products = self.cubes_of_rows[variable], self.products_of_rows[variable]
        if labels:
            cubes, products = float(np.sum(sums**4)), float(np.sum(sums**3))  # t = p = the count of a row's label
        entry_cubes = float(self.cube_sums[own] @ self.cube_sums[own])
        return Totals(rows, sums, inner, entry_cubes, float(cubes), float(products))
