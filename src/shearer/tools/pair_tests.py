"""Tests of single pairs, where all pairs cannot be tested at once."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from shearer._progress import track
from shearer.inference import conditional_test, independence_test
from shearer.kernels import Kernel
from shearer.screening.matrix import FEWEST_ROWS_TESTED
from shearer.screening.table import Table
from shearer.tools.reading import common_rows, kernel_of

Kernels = Kernel | Mapping[str, Kernel] | None


def pair_pvalues(
    table: Table, pairs: Collection[tuple[int, int]], kernel: Kernels, progress: bool | None
) -> Iterator[float]:
    """p-value of independence of some pairs, each on the rows that it has; 1 where they are too few."""
    for pair in track(pairs, len(pairs), "tests of pairs", progress):
        columns = _named_columns(table, *pair)
        rows = len(next(iter(columns.values())))
        if rows < 2:
            yield 1.0
            continue
        method = "moments" if rows >= FEWEST_ROWS_TESTED else "permutation"
        yield independence_test(columns, method=method, kernel=kernel_of(kernel, tuple(columns))).pvalue


def pvalue_given(
    table: Table, kernel: Kernels, n_resamples: int, seed: int, n_jobs: int | None, i: int, j: int, k: int
) -> float:
    """p-value of independence of two variables given a third; 0, which explains nothing, where rows are too few."""
    columns = _named_columns(table, i, j, k)
    names = tuple(columns)
    if len(columns[names[0]]) < 2:
        return 0.0
    return conditional_test(
        columns, given=names[2], kernel=kernel_of(kernel, names), n_resamples=n_resamples, rng=seed, n_jobs=n_jobs,
        progress=False,
    ).pvalue  # fmt: skip


def _named_columns(table: Table, *positions: int) -> dict[str, Any]:
    return dict(zip([table.names[k] for k in positions], common_rows(table, *positions), strict=True))
