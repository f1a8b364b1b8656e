"""What stands behind the functions and methods of measures: variables that can be asked for a measure by its name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shearer.data import read
from shearer.kernels import Kernel
from shearer.spectrum import Estimate, Request

if TYPE_CHECKING:
    from shearer.measures.dependence import Dependence


class Asked(ABC):
    """Variables that are asked for a measure: rows in memory, groups of them, or sums of rows gone by."""

    @abstractmethod
    def measure(self, measure: str, *names: str, normalize: bool | str = True) -> Estimate:
        """A measure by its name, of the named variables or of all."""


def noun_of(
    *data: Any,
    given: Any,
    alpha: float,
    kernel: Kernel | Mapping[str, Kernel] | None,
    groups: Mapping[str, Iterable[str]] | None,
    missing: str,
    tol: float | None,
    memory: str | float | None,
    rng: np.random.Generator | int | None,
    vector: bool = False,
) -> Dependence:
    """The variables of a call, to be asked for one measure; options as in `Dependence`; `vector` as in `read`."""
    from shearer.measures.dependence import Dependence  # it inherits the methods that stand beside the functions

    request = Request.checked(alpha, memory, tol, rng)
    table = read(*data, given=given, groups=groups, missing=missing, vector=vector)
    return Dependence.of_table(table, request, kernel)
