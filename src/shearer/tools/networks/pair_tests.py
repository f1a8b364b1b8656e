"""Tests of pairs: of all of them at once, and of one given other variables."""

import math
from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.conditioning.pair import PairsGiven
from shearer.data.table import Table
from shearer.inference import conditional_test
from shearer.kernels import Gaussian, Kernel, kernels_among
from shearer.pairs.engine import PairTests
from shearer.pairs.limits import FEWEST_ROWS

Kernels = Kernel | Mapping[str, Kernel] | None

TESTS = ("moments", "aggregated")
# Variables between two steps of the bar: as many as are tested in one pass.
_BAND = 2048
# Sets of conditions whose residuals are kept.
_MOST_KNOWN = 16


def pair_pvalues(
    table: Table, kernel: Kernels, test: str, memory: str | float | None, progress: bool | None
) -> NDArray[np.float64]:
    """p-values of all pairs of variables, or of all with the targets; 1 where rows are too few, and on the diagonal.

    Parameters
    ----------
    table : Table
        The variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.
    test : {"moments", "aggregated"}
        At the one width of the kernel, or over several widths where no kernel is stated.
    memory, progress
        As in `shearer.pairwise`.
    """
    count = len(table.names)
    free = table.free
    first = free if table.targets else 0
    pvalues = np.ones((free, count - first))
    if table.rows < FEWEST_ROWS:
        return pvalues
    tests = PairTests.of(table, _one_width(table, kernel) if test == "moments" else kernel, memory=memory)
    starts = range(0, free, _BAND)
    for start in starts:
        band = slice(start, min(start + _BAND, free))
        left = max(first, start)  # what lies below the diagonal is known
        pvalues[band, left - first :] = tests.pvalues(band, slice(left, count), progress=progress)
    pvalues[np.isnan(pvalues)] = 1.0
    return pvalues if table.targets else np.minimum(pvalues, pvalues.T)


class GivenOthers:
    """p-values of pairs of variables of a table given others; what the others leave of a variable is found once.

    Parameters
    ----------
    table : Table
        The variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures; where one is stated, rows are permuted among those alike in the others.
    n_resamples, seed, n_jobs
        Of these permutations.

    Attributes
    ----------
    asked : int
        How many p-values were asked for.
    refused : Counter
        Why there is none -> how often.
    """

    def __init__(self, table: Table, kernel: Kernels, n_resamples: int, seed: int, n_jobs: int | None) -> None:
        self._table, self._kernel = table, kernel
        self._options: dict[str, Any] = {"n_resamples": n_resamples, "rng": seed, "n_jobs": n_jobs, "progress": False}
        self._known: OrderedDict[tuple[int, ...], PairsGiven] = OrderedDict()
        self.asked = 0
        self.refused: Counter[str] = Counter()

    def __call__(self, i: int, j: int, *others: int) -> float:
        """p-value of independence of two variables given others; 0, which explains nothing, where none can be found."""
        self.asked += 1
        if self._kernel is not None:
            return self._permuted(i, j, *others)
        if self._table.presence.complete:
            answer = self._tests(tuple(sorted(others))).answer(i, j)
        else:
            items = self._table.common((i, j, *others)).variables
            if len(items[0].blocks[0].values) < FEWEST_ROWS:
                return self._nothing("too few rows have all values")
            answer = PairsGiven(items[:2], items[2:]).answer(0, 1)
        return self._nothing(answer.reason) if math.isnan(answer.pvalue) else answer.pvalue

    def _nothing(self, reason: str) -> float:
        """The p-value where nothing can be said."""
        self.refused[reason] += 1
        return 0.0

    def _tests(self, others: tuple[int, ...]) -> PairsGiven:
        """Those given some variables; the last ones are kept."""
        variables = self._table.variables
        if others not in self._known:
            self._known[others] = PairsGiven(variables, [variables[k] for k in others])
        self._known.move_to_end(others)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return self._known[others]

    def _permuted(self, *places: int) -> float:
        names = tuple(self._table.names[position] for position in places)
        columns: dict[str, Any] = dict(zip(names, self._table.common_columns(places), strict=True))
        if len(columns[names[0]]) < 2:
            return self._nothing("too few rows have all values")
        kernel = kernels_among(self._kernel, names)
        return conditional_test(columns, given=list(names[2:]), kernel=kernel, **self._options).pvalue


def _one_width(table: Table, kernel: Kernels) -> Kernels:
    """A kernel for every variable that is not of labels, which takes the place of the ladder."""
    if not isinstance(kernel, Mapping):
        return Gaussian() if kernel is None else kernel
    numbers = [variable.name for variable in table.variables if variable.kind == "continuous"]
    return dict.fromkeys(numbers, Gaussian()) | dict(kernel)
