"""p-values and chance-adjusted values of the pairs that `pairwise` compares, at the one width of each variable."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.inference.moments import PAIRS
from shearer.kernels import Kernel
from shearer.screening.adjustment import Chances, collision, own_bits
from shearer.screening.coarse import CoarsePairs
from shearer.screening.marginals import Marginals
from shearer.screening.pair_tests import MOST_ROWS, PairTests
from shearer.screening.products import mirror
from shearer.screening.similarities import Similarities
from shearer.screening.sums import marginals_of
from shearer.screening.table import Table
from shearer.screening.tails import component_tails, joined, mirror_upper, weights

Floats = NDArray[Any]

# Variables on each side of the pairs that a thread takes at a time.
_TILE = 256


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
        self._left, self._right = left, right
        self._progress = progress
        self._tests = PairTests(table, kernel, single=True, memory=memory)
        self._coarse = CoarsePairs(table)
        self._sides: tuple[Marginals, Marginals] | None = None
        if table.presence.complete and table.observations <= MOST_ROWS:
            found = marginals_of(known or Similarities(table, kernel))
            self._sides = found[left], found[right]

    def pvalues(self, joint: Floats) -> Floats:
        """p-value of every pair: from the joint entropies where these tell it."""
        if self._sides is None or any(side.flat.any() for side in self._sides):
            return self._tests.pvalues(self._left, self._right, progress=self._progress)
        sides, same = self._sides, self._left == self._right
        pvalue = np.ones(joint.shape)

        def fill(cell: tuple[slice, slice]) -> None:
            left, right = sides[0][cell[0]], sides[1][cell[1]]
            pvalue[cell] = joined([component_tails(left, right, _centered_products(left, right, joint[cell]))])
            if same and cell[0] == cell[1]:
                mirror_upper(pvalue[cell])
            elif same:
                pvalue[cell[::-1]] = pvalue[cell].T

        map_threads(fill, [(i, j) for i, j in _cells(joint.shape) if not same or i.start <= j.start])
        self._coarse.raise_pvalues(pvalue, self._left, self._right)
        return pvalue

    def adjusted(self, joint: Floats) -> Floats:
        """Chance-adjusted I: 0 in expectation under independence, 1 for copies up to scale and shift."""
        if self._sides is not None:
            found = _chances(*self._sides).adjusted(joint)
        else:
            found = np.empty(joint.shape)
            for cell, chances in self._tests.chances(self._left, self._right, progress=self._progress):
                found[cell] = chances.adjusted(joint[cell])
        if self._left == self._right:
            mirror(found)
        return found


def _chances(left: Marginals, right: Marginals) -> Chances:
    """What chance gives to all pairs of some variables with others."""
    n = left.rows
    moments = (left.raw.second * weights(n, PAIRS)) @ right.raw.second.T
    variance = moments * np.multiply.outer(left.scale, right.scale) ** 2
    entropies = np.add.outer(collision(n, left.mean), collision(n, right.mean))
    own = np.add.outer(own_bits(n, left.mean, left.squares), own_bits(n, right.mean, right.squares))
    return Chances(n, entropies, np.multiply.outer(left.mean, right.mean), variance, own)


def _cells(shape: tuple[int, ...]) -> list[tuple[slice, slice]]:
    """Tiles of pairs."""
    cuts = [[slice(start, min(start + _TILE, length)) for start in range(0, length, _TILE)] for length in shape]
    return [(rows, columns) for rows in cuts[0] for columns in cuts[1]]


def _centered_products(left: Marginals, right: Marginals, joint: Floats) -> Floats:
    """Sums over row pairs i < j of the products of centred forms, from joint entropies."""
    n = left.rows
    products = np.exp2(-np.asarray(joint, dtype=np.float64))
    products *= n**2 / 2
    products += np.multiply.outer(left.mean, right.mean * (n**2 * (n - 1) / (2 * (n - 2)))) - n / 2
    products -= left.shift @ right.shift.T * (n - 2)
    return products
