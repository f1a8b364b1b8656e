"""The similarities of all variables of a table at the widths that the aggregated test takes."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.inference.similarity import FRACTIONS, ladder_rows, unit_scale, widened
from shearer.kernels import Gaussian, Kernel, distances
from shearer.kernels.bandwidth import within_floats
from shearer.screening.similarities import Similarities, chosen_kernels
from shearer.screening.table import Table
from shearer.screening.widths import ladder_widths

Floats = NDArray[np.float64]


class Ladder:
    """Six widths for numbers under the default kernel, one for all else; from the rows that a variable itself has.

    Parameters
    ----------
    table : Table
        The variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.independence_test`.
    single : bool
        Only one width for all, that of the kernel, as in `shearer.pairwise`.
    """

    def __init__(self, table: Table, kernel: Kernel | Mapping[str, Kernel] | None, single: bool = False) -> None:
        self.table = table
        self.general, self.named = chosen_kernels(kernel, table.names)
        if single and self.general is None:
            self.general = Gaussian()
        self._rungs: dict[int, Similarities] = {}

    @cached_property
    def widths(self) -> dict[str, list[float]]:
        """The widths of the variables that have several."""
        numbers = {
            variable.name: values
            for variable in self.table.variables
            if (values := widened(variable, self.named.get(variable.name, self.general))) is not None
        }
        return dict(zip(numbers, map_threads(_widths, numbers.values()), strict=True))

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """Which variables have several widths."""
        return np.array([name in self.widths for name in self.table.names])

    @property
    def heights(self) -> int:
        """How many rungs the longest ladder has."""
        return len(FRACTIONS) if self.widths else 1

    def rung(self, height: int) -> Similarities:
        """The similarities at one height; variables of a single width have it at every height."""
        if height not in self._rungs:
            wide: dict[str, Kernel] = {name: Gaussian(widths[height]) for name, widths in self.widths.items()}
            named = self.named | wide
            self._rungs[height] = Similarities(self.table, named or self.general)
        return self._rungs[height]


def _widths(values: Floats) -> list[float]:
    """Widths in units of the values, which are brought to a range in which squares are ordinary numbers."""
    scale = unit_scale(values)
    chosen = values[ladder_rows(len(values))] * scale
    widths = ladder_widths(distances.triangle(chosen), len(values), FRACTIONS)
    return [within_floats(width / scale) for width in widths]
