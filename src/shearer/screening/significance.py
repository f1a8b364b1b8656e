"""p-values and chance-adjusted values of the pairs that `pairwise` compares, at the one width of each variable."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._threads import map_threads
from shearer._validate import value_error
from shearer.inference.moments import PAIRS
from shearer.kernels import Kernel
from shearer.screening.gaps import Gaps
from shearer.screening.marginals import Marginals
from shearer.screening.pair_tests import FEWEST_ROWS, MOST_ROWS, TILE, PairTests, gap_tile
from shearer.screening.similarities import Similarities
from shearer.screening.sums import marginals_of
from shearer.screening.table import Table
from shearer.screening.tails import component_tails, joined, mirror_upper, weights

Floats = NDArray[Any]


class Significance:
    """What the pairs of a table deserve beyond their dependence.

    Parameters
    ----------
    table : Table
        All variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.
    left, right : slice
        The variables of the pairs.
    known : Similarities, optional
        The similarities of the variables, if they were formed before.
    memory, progress
        As in `shearer.pairwise`.
    """

    def __init__(
        self,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None,
        left: slice,
        right: slice,
        known: Similarities | None = None,
        *,
        memory: float | None = None,
        progress: bool | None = None,
    ) -> None:
        self._table, self._kernel = table, kernel
        self._left, self._right = left, right
        self._memory, self._progress = memory, progress
        self._whole = table.presence.complete and table.observations <= MOST_ROWS
        self._similarities = known or Similarities(table, kernel)
        if self._whole:
            found = marginals_of(self._similarities)
            self._sides = found[left], found[right]

    def pvalues(self, joint: Floats) -> Floats:
        """p-value of every pair from the joint entropies; where these are not needed, from the pairs themselves."""
        if not self._whole:
            tests = PairTests(self._table, self._kernel, single=True, memory=self._memory)
            return tests.pvalues(self._left, self._right, progress=self._progress)
        same = self._left == self._right
        pvalue = np.ones(joint.shape)

        def fill(cell: tuple[slice, slice]) -> None:
            left, right = (side[run] for side, run in zip(self._sides, cell, strict=True))
            pvalue[cell] = joined([component_tails(left, right, _centered_products(left, right, joint[cell]))])
            if same and cell[0] == cell[1]:
                mirror_upper(pvalue[cell])
            elif same:
                pvalue[cell[::-1]] = pvalue[cell].T

        map_threads(fill, [(i, j) for i, j in _cells(joint.shape) if not same or i.start <= j.start])
        return pvalue

    def adjusted(self, joint: Floats) -> Floats:
        """Chance-adjusted I: 0 in expectation under independence, 1 for copies up to scale and shift."""
        if self._table.observations > MOST_ROWS:
            raise value_error("adjusted", f"at most {MOST_ROWS} rows", f"{self._table.observations}")
        if self._whole:
            left, right = self._sides
            moments = (left.raw.second * weights(left.rows, PAIRS)) @ right.raw.second.T
            variance = moments * np.multiply.outer(left.scale, right.scale) ** 2
            means = left.mean[:, None], right.mean
            own = np.add.outer(left.own_information, right.own_information)
            return _adjusted(joint, left.rows, means, variance, own)
        found = np.empty(joint.shape)
        variables = [np.arange(len(self._table.variables))[side] for side in (self._left, self._right)]
        cells = _cells(joint.shape, gap_tile(self._table.observations))
        for cell in track(cells, len(cells), "chance", self._progress):
            pairs = Gaps(self._similarities, variables[0][cell[0]], variables[1][cell[1]], map_threads)
            found[cell] = _adjusted(joint[cell], pairs.rows(), pairs.means(), pairs.variance(), pairs.own_information())
        return found


def _cells(shape: tuple[int, ...], size: int = TILE) -> list[tuple[slice, slice]]:
    """Tiles of pairs."""
    cuts = [[slice(start, min(start + size, length)) for start in range(0, length, size)] for length in shape]
    return [(rows, columns) for rows in cuts[0] for columns in cuts[1]]


def _centered_products(left: Marginals, right: Marginals, joint: Floats) -> Floats:
    """Sums over row pairs i < j of the products of centred forms, from joint entropies."""
    n = left.rows
    products = np.exp2(-np.asarray(joint, dtype=np.float64))
    products *= n**2 / 2
    products += np.multiply.outer(left.mean, right.mean * (n**2 * (n - 1) / (2 * (n - 2)))) - n / 2
    products -= left.shift @ right.shift.T * (n - 2)
    return products


def _adjusted(joint: Floats, n: Any, means: tuple[Floats, Floats], variance: Floats, own: Floats) -> Floats:
    """(I - E0) / (self - E0), E0 being what chance gives (theory: chance adjustment).

    Parameters
    ----------
    joint : array
        Joint entropies in bits at alpha = 2.
    n : int or array
        Rows of each pair.
    means : pair of arrays
        Mean similarities of both variables.
    variance : array
        Of the sum of the products of similarities over pairs of rows.
    own : array
        I of the first with itself plus that of the second.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = n + means[0] * means[1] * n * (n - 1)
        entropies = sum(-np.log2((1 + (n - 1) * mean) / n) for mean in means)
        chance = entropies + np.log2(expected / n**2) - 2 * variance / (expected**2 * math.log(2))
        room = own / 2 - chance
        adjusted: Floats = np.where(room > 1e-12, (entropies - joint - chance) / room, 0.0)
    return np.where(np.asarray(n) >= FEWEST_ROWS, adjusted, np.nan)
