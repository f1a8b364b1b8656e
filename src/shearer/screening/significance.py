"""p-values, strengths and chance-adjusted values of the pairs that `pairwise` compares."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.pairs.clusters import ClusterTests
from shearer.pairs.engine import Judged, PairTests
from shearer.pairs.sides import Ladders
from shearer.pairs.strength import Interval, signed_root
from shearer.screening.entropies.products import mirror

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
    clusters : array, optional
        Which cluster each row belongs to, where rows come in clusters.
    memory, progress
        As in `shearer.pairwise`.
    """

    def __init__(
        self,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None,
        left: slice,
        right: slice,
        *,
        clusters: NDArray[np.intp] | None = None,
        memory: float | None = None,
        progress: bool | None = None,
    ) -> None:
        self._table, self._kernel = table, kernel
        self._left, self._right = left, right
        self._clusters, self._memory, self._progress = clusters, memory, progress

    def pvalues(self) -> Floats:
        """p-value of every pair, by the test of `shearer.independence_test`."""
        if self._clusters is not None:
            clustered = ClusterTests(Ladders.of(self._table, self._kernel), self._clusters)
            return clustered.pvalues(self._left, self._right, progress=self._progress)
        return self._judged.pvalue

    def adjusted(self, joint: Floats) -> Floats:
        """Chance-adjusted I from joint entropies: 0 in expectation under independence, 1 for scaled copies.

        At the one width of each variable.
        """
        tests = PairTests.of(self._table, self._kernel, single=True, exact=True, memory=self._memory)
        found = tests.chances(self._left, self._right).adjusted(joint)
        if self._left == self._right:
            mirror(found)
        return found

    @cached_property
    def _tests(self) -> PairTests:
        return PairTests.of(self._table, self._kernel, memory=self._memory, exact=self._kernel is not None)

    @cached_property
    def _judged(self) -> Judged:
        return self._tests.judged(self._left, self._right, progress=self._progress)

    def strengths(self) -> Floats:
        """Strength of every pair, over several widths where no kernel is stated."""
        return signed_root(self._judged.squared)

    def strength_intervals(self) -> Interval:
        """95 % confidence intervals of the strengths."""
        shape = self._judged.squared.shape
        pairs = np.indices(shape).reshape(2, -1).T
        if self._left == self._right:
            pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
        pvalue, squared, rungs = self._judged
        place = pairs[:, 0], pairs[:, 1]
        starts = np.array([self._left.start, self._right.start])
        found = self._tests.intervals(pairs + starts, squared[place], rungs[place], pvalue[place])
        ends = np.full((2, *shape), np.nan)
        for end, values in zip(ends, found, strict=True):
            end[pairs[:, 0], pairs[:, 1]] = values
            if self._left == self._right:
                end[pairs[:, 1], pairs[:, 0]] = values
        return Interval(*ends)
