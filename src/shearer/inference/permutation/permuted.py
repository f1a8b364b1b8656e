"""Permutation tests: any statistic of the variables against the same statistic of rearranged rows."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from shearer._threads import single_threaded_blas
from shearer._validate import check_option, describe, value_error
from shearer.data import Table, read
from shearer.inference.answers import TestResult
from shearer.inference.permutation.rearranged import MeasureStatistic, Statistic, is_constant, statistic_of
from shearer.inference.permutation.rearrangements import is_length, scheme_of, scheme_of_clusters
from shearer.inference.permutation.resampling import Resampler, check_count
from shearer.kernels import Kernel, grams
from shearer.measures.entropies import SubsetEntropies
from shearer.measures.registry import MEASURES, dependence_measures
from shearer.pairs.clusters import cluster_codes
from shearer.spectrum import Request

# The name under which labels of blocks are read with the data; no column is called so.
_BLOCKS = "blocks="


@single_threaded_blas()
def permutation_test(
    *data: Any,
    statistic: str | Callable[..., Any] = "total_correlation",
    n_resamples: int = 999,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    blocks: Any = None,
    cluster: Any = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
    exceedances: int | None = None,
    progress: bool | None = None,
) -> TestResult:
    """Test of joint independence: how often do rearranged rows give a statistic as large as the observed one?

    The rows of every variable but the first are permuted, each variable by itself and all its columns together.
    Kernels and widths stay those of the data, so entropies of single variables are computed once.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables; see `Dependence`.
    statistic : str or callable, default "total_correlation"
        Name of a measure of as many variables, such as "dual_total_correlation", with the value that the function of
        that name returns. Or ``f(*variables) -> float``, which gets each variable as a numpy array (n,) or (n, d),
        labels as integer codes; those of `shearer.comparators` that are formulas of kernels or distances have these
        formed once. Larger must mean more dependent: only the upper tail counts. O- and co-information have both
        signs, and synergy is not what an upper tail finds.
    n_resamples : int, default 999
        Random rearrangements. Where there are no more than n_resamples + 1 in all, each is taken once: an exact test.
    alpha : float, default 1
        Order of the entropy, for a named measure. 2 is the fastest but misses some dependence.
    kernel : Kernel or mapping of name -> Kernel, optional
        For a named measure, as in `Dependence`.
    groups, missing, memory
        As in `Dependence`.
    blocks : array-like or int, optional
        One label a row: rows change places only within their block (subjects, sites, strata). An int: stretches of
        that many rows change places as wholes (rows in the order of time; the last stretch may be shorter).
    cluster : array-like, optional
        One label a row: rows of one cluster stay together, and clusters of the same size change places as wholes.
    rng : int, Generator or None
        Source of the rearrangements: the same seed gives the same answer, for any `n_jobs`.
    n_jobs : int, optional
        Threads (by joblib); -1 for all cores. Default 1.
    exceedances : int, optional
        Stop once that many rearrangements are as large as the data (Besag and Clifford 1991): large p-values then cost
        few of them, small ones stay as exact.
    progress : bool, optional
        A bar on stderr; default: if that is a terminal and the work takes seconds.

    Returns
    -------
    TestResult
        With the values of the rearrangements in `null_distribution`. The p-value is valid at every level and never 0.
        Where fewer than two variables vary there is nothing to test: it is 1, and `method` says so.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.inference.permutation.permuted import permutation_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=40)
    >>> found = permutation_test(x, x**2 + 0.1 * rng.normal(size=40), n_resamples=99)
    >>> found.pvalue, found.method
    (0.01, 'total_correlation at alpha=1, 99 random permutations')
    >>> permutation_test([1, 2, 3, 4], [1, 2, 3, 4], statistic=lambda x, y: x @ y).pvalue == 1 / 24
    True
    """
    if cluster is not None and (blocks is not None or missing == "drop"):
        got = "blocks" if blocks is not None else 'missing="drop"'
        raise value_error("cluster", "neither blocks nor rows to drop beside it", got)
    labels = None if blocks is None or is_length(blocks) else {_BLOCKS: blocks}
    table = read(*data, given=labels, groups=groups, missing=missing)
    return permute_table(
        table, statistic, n_resamples, alpha, kernel, memory, blocks, cluster, rng, n_jobs, exceedances, progress
    )


def permute_table(
    table: Table,
    statistic: str | Callable[..., Any],
    n_resamples: int,
    alpha: float,
    kernel: Kernel | Mapping[str, Kernel] | None,
    memory: str | float | None = None,
    blocks: Any = None,
    cluster: Any = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
    exceedances: int | None = None,
    progress: bool | None = None,
) -> TestResult:
    """Test a table that was read already; options as in `permutation_test`, labels of blocks as its last variable."""
    check_count("n_resamples", n_resamples, 1)
    if exceedances is not None:
        check_count("exceedances", exceedances, 1)
    request = Request.checked(alpha, memory, None, rng)
    tested = table.choose(range(table.free))
    variables, names, rows = tested.variables, tested.names, table.rows
    if len(variables) < 2:
        raise value_error("data", "at least 2 variables", f"{len(variables)}", "A single one has nothing to depend on.")
    if cluster is None:
        scheme = scheme_of(rows, blocks, table.variables[-1] if table.given else None)
    else:
        scheme = scheme_of_clusters(cluster_codes(cluster, rows))
    if callable(statistic):
        if kernel is not None:
            raise value_error("kernel", "none with a function as statistic", describe(kernel), "It gets the data.")
        measure: Statistic = statistic_of(statistic, tested)
        title = getattr(statistic, "__name__", type(statistic).__name__)
    else:
        chosen = MEASURES[check_option("statistic", statistic, dependence_measures())]
        measure = MeasureStatistic.of(chosen, SubsetEntropies(grams(tested, kernel), request), len(variables))
        title = f"{statistic} at alpha={request.alpha:g}"
    observed = measure([np.arange(rows)] * len(variables))
    constant = [variable.name for variable in variables if is_constant(variable)]
    if len(constant) > len(variables) - 2:
        reason = f"nothing to test: {', '.join(map(repr, constant))} constant"
        return TestResult(observed, 1.0, f"{title}, {reason}", (), np.empty(0), rows, names)
    resampler = Resampler(measure, scheme, rows, len(variables), request.seed)
    pvalue, null, how = resampler.test(observed, n_resamples, exceedances, n_jobs, progress)
    return TestResult(observed, pvalue, f"{title}, {how}", (), null, rows, names)
