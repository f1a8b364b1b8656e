"""p-values and chance-adjusted values of the pairs that `pairwise` compares, at the one width of each variable."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.pairs.engine import PairTests
from shearer.screening.products import mirror

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
        memory: float | None = None,
        progress: bool | None = None,
    ) -> None:
        self._left, self._right = left, right
        self._progress = progress
        self._tests = PairTests.of(table, kernel, single=True, exact=True, memory=memory)

    def pvalues(self) -> Floats:
        """p-value of every pair."""
        return self._tests.pvalues(self._left, self._right, progress=self._progress)

    def adjusted(self, joint: Floats) -> Floats:
        """Chance-adjusted I from joint entropies: 0 in expectation under independence, 1 for scaled copies."""
        found = self._tests.chances(self._left, self._right).adjusted(joint)
        if self._left == self._right:
            mirror(found)
        return found
