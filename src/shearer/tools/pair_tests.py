"""Tests of pairs: of all of them at once, and of one given a third variable."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Table
from shearer.inference import conditional_test
from shearer.kernels import Gaussian, Kernel, kernels_among
from shearer.pairs.engine import PairTests
from shearer.pairs.limits import FEWEST_ROWS
from shearer.tools.reading import common_rows

Kernels = Kernel | Mapping[str, Kernel] | None

TESTS = ("moments", "aggregated")
# Variables between two steps of the bar: as many as are tested in one pass.
_BAND = 2048


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
        At the one width of the kernel, or over a ladder of widths where no kernel is stated.
    memory, progress
        As in `shearer.pairwise`.
    """
    count = len(table.names)
    free = count - table.targets
    first = free if table.targets else 0
    pvalues = np.ones((free, count - first))
    if table.observations < FEWEST_ROWS:
        return pvalues
    tests = PairTests.of(table, _one_width(table, kernel) if test == "moments" else kernel, memory=memory)
    starts = range(0, free, _BAND)
    for start in starts:
        band = slice(start, min(start + _BAND, free))
        left = max(first, start)  # what lies below the diagonal is known
        pvalues[band, left - first :] = tests.pvalues(band, slice(left, count), progress=progress)
    pvalues[np.isnan(pvalues)] = 1.0
    return pvalues if table.targets else np.minimum(pvalues, pvalues.T)


def pvalue_given(
    table: Table, kernel: Kernels, n_resamples: int, seed: int, n_jobs: int | None, i: int, j: int, k: int
) -> float:
    """p-value of independence of two variables given a third; 0, which explains nothing, where rows are too few."""
    names = tuple(table.names[position] for position in (i, j, k))
    columns: dict[str, Any] = dict(zip(names, common_rows(table, i, j, k), strict=True))
    if len(columns[names[0]]) < 2:
        return 0.0
    return conditional_test(
        columns, given=names[2], kernel=kernels_among(kernel, names), n_resamples=n_resamples, rng=seed, n_jobs=n_jobs,
        progress=False,
    ).pvalue  # fmt: skip


def _one_width(table: Table, kernel: Kernels) -> Kernels:
    """A kernel for every variable that is not of labels, which takes the place of the ladder."""
    if not isinstance(kernel, Mapping):
        return Gaussian() if kernel is None else kernel
    numbers = [variable.name for variable in table.variables if variable.kind == "continuous"]
    return dict.fromkeys(numbers, Gaussian()) | dict(kernel)
