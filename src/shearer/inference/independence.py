"""The test a user asks for first: are these independent, and how sure?"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shearer._jobs import check_jobs
from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._validate import check_option, describe, value_error
from shearer.data import Table, read
from shearer.inference.aggregated import (
    MOST_PRODUCT_ROWS,
    chain_components,
    combine,
    pair_components,
    product_components,
    sidak,
)
from shearer.inference.answers import UNTESTABLE, Component, TestResult
from shearer.inference.given import residual_test
from shearer.inference.permutation.local import conditional_test
from shearer.inference.permutation.permuted import permute_table
from shearer.kernels import Gaussian, Kernel, chosen_kernels
from shearer.pairs.clusters import BYTES_A_ROW, ClusterTests, cluster_codes
from shearer.pairs.limits import BYTES_A_COLUMN, BYTES_A_VECTOR_ROW, FEWEST_ROWS, SPACED_ROWS
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.rare import CERTAIN, least_pvalue_of
from shearer.pairs.rungs import Ladder
from shearer.pairs.sides import Ladders

METHODS = ("auto", "aggregated", "moments", "permutation", "thorough")
# Of "thorough": rows beyond which it takes minutes, what the member of order 1 counts for among the others, whose
# weights add up to 1, and permutations as large as the data after which no more are drawn.
MOST_THOROUGH_ROWS, THOROUGH_WEIGHT, THOROUGH_EXCEEDANCES = 1000, 0.2, 20


@single_threaded_blas()
def independence_test(
    *data: Any,
    given: Any = None,
    method: str = "auto",
    measure: str | None = None,
    alpha: float | None = None,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    cluster: Any = None,
    n_resamples: int = 999,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    memory: str | float | None = None,
) -> TestResult:
    """Test whether two or more variables of any dimension and kind are independent.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One table, mapping or 2-D array: one variable for each column.
    given : optional
        Conditioning variables, any number of numbers, labels and vectors: are two variables independent once these
        are known? The result is a `ConditionalResult`, which says how much the conditions explain and warns where the
        p-value is not to be trusted.
    method : {"auto", "aggregated", "moments", "permutation", "thorough"}
        "aggregated": no permutations; three permutation moments of statistics at several widths (exact up to 512 rows;
        beyond, small terms of the third come from a sample of rows), tails of a distribution with these moments,
        joined; for more than two variables, a statistic of all subsets at once (up to 20,000 rows) and a chain of
        pairs, each variable against all before it. "moments": the same at the one width of the kernel. "permutation":
        the measure itself, rows permuted; given conditions, among rows alike in these. "auto": given conditions, what
        regressions on these leave, if neither `alpha` nor `kernel` is stated; else aggregated if neither `measure` nor
        `alpha` is stated (and there are 6 rows or more), else permutation. Time grows in proportion to the rows.
        "thorough": of two variables and up to 1000 rows, the components of "aggregated" joined with one more, the
        mutual information of order 1 by up to `n_resamples` permutations, fewer where these soon show independence:
        seconds in place of milliseconds. How much power that gains was not measured.
    measure : str, optional
        Name of the measure for permutations; default "total_correlation".
    alpha : float, optional
        Order of the measure for permutations; default 1.
    kernel, groups, missing
        As in `entropy`. With a kernel stated, its one width takes the place of the several.
    cluster : array-like, optional
        One label a row, such as the patient: rows with the same one may depend on each other in any way. Two
        variables, without permutations, or by permutations that move whole clusters.
    n_resamples : int
        Number of permutations, where any are drawn.
    rng : int, Generator or None
        Source of permutations.
    n_jobs : int, optional
        Threads (by joblib) for permutations and, of more than two variables, for the statistic of all subsets; -1 for
        all cores. The result is the same for any number. What else is computed takes the cores that are free.
    progress : bool, optional
        A bar on stderr for the same; default: if that is a terminal and the work takes seconds.
    memory : str or number, optional
        What may be allocated, in bytes or such as "2GB"; default: half of the machine. Features of rows that do not fit
        are formed again for each pass; what cannot do with less is refused.

    Returns
    -------
    TestResult
        `.statistic`, `.pvalue`, `.method`, `.components`.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, 2 * np.pi, size=100)
    >>> sh.independence_test(np.cos(angle), np.sin(angle)).pvalue < 1e-6
    True
    >>> sh.independence_test(rng.normal(size=100), rng.normal(size=100)).pvalue > 0.05
    True
    """
    check_option("method", method, METHODS)
    jobs, budget = check_jobs(n_jobs), parse_memory(memory)
    if method == "thorough" and cluster is not None:
        raise value_error("method", '"auto" or "permutation" with cluster', '"thorough"')
    if given is not None:
        if cluster is not None:
            raise value_error("cluster", "none with given", "one", "Conditions and clusters together are not tested.")
        return _test_given(
            *data, given=given, method=method, measure=measure, alpha=alpha, kernel=kernel, groups=groups,
            missing=missing, n_resamples=n_resamples, rng=rng, n_jobs=jobs, progress=progress,
            memory=budget,
        )  # fmt: skip
    if cluster is not None and missing == "drop":
        raise value_error("missing", '"error" with cluster', '"drop"', "Drop the rows before, clusters with them.")
    table = read(*data, groups=groups, missing=missing)
    if len(table.variables) < 2:
        raise value_error("data", "at least 2 variables", f"{len(table.variables)}")
    stated = measure is not None or alpha is not None
    if method == "permutation" or (method == "auto" and (stated or table.rows < FEWEST_ROWS)):
        order = 1.0 if alpha is None else alpha
        return permute_table(
            table, measure or "total_correlation", n_resamples, order, kernel, budget, cluster=cluster, rng=rng,
            n_jobs=jobs, progress=progress,
        )  # fmt: skip
    if stated:
        raise value_error("measure, alpha", f'none with method="{method}"', "one", 'Use method="permutation".')
    if table.rows < FEWEST_ROWS:
        hint = 'method="permutation" enumerates few rows.'
        raise value_error("data", f"at least {FEWEST_ROWS} rows for method={method!r}", f"{table.rows}", hint)
    if method == "thorough" and (len(table.variables) > 2 or table.rows > MOST_THOROUGH_ROWS):
        got = f"{len(table.variables)} of {table.rows} rows"
        hint = 'method="auto" takes any number of both.'
        raise value_error("data", f'two variables of up to {MOST_THOROUGH_ROWS} rows for method="thorough"', got, hint)
    if method == "moments" and kernel is None:
        kernel = Gaussian()
    general, named = chosen_kernels(kernel, table.names)
    table = table.as_numpy()
    rungs = [Ladder.of(item, general, named.get(item.name)) for item in table.variables]
    ladders = Ladders(rungs, table.presence, exact=kernel is not None)
    if cluster is not None:
        columns = sum(item.columns for item in table.variables)
        needed = (BYTES_A_ROW + BYTES_A_COLUMN * columns) * table.rows
        require(needed, budget, f"a test of {table.rows} rows in clusters", "Options: a larger memory=; fewer rows.")
        return _clustered(ladders, cluster, table)
    if len(rungs) == 2:
        vectors = sum(item.columns > 1 for item in table.variables)
        needed = BYTES_A_VECTOR_ROW * vectors * min(table.rows, SPACED_ROWS)
        require(needed, budget, f"a test of vectors of {table.rows} rows", "Options: a larger memory=; fewer rows.")
        components = pair_components(ladders, budget)
        if method == "thorough" and components:
            permuted = permute_table(
                table, "mutual_information", n_resamples, 1.0, kernel, budget, exceedances=THOROUGH_EXCEEDANCES,
                rng=rng, n_jobs=jobs, progress=progress,
            )  # fmt: skip
            # Not in deviations from a mean, as the others are.
            components.append(Component(permuted.method, math.nan, permuted.pvalue, weight=THOROUGH_WEIGHT))
        pvalue = combine(components)
    else:
        joint = product_components(ladders, budget, jobs, progress) if table.rows <= MOST_PRODUCT_ROWS else []
        chain = chain_components(rungs, table.presence, budget)
        components = [*joint, *chain]
        parts = ([combine(joint)] if joint else []) + ([sidak(chain)] if chain else [])
        pvalue = float(half_cauchy(parts)) if parts else 1.0
    if pvalue < CERTAIN:
        pvalue = max(pvalue, least_pvalue_of(table.variables))
    if not components:
        components = [Component(UNTESTABLE, math.nan, 1.0)]
    statistic = max((c.statistic for c in components if math.isfinite(c.statistic)), default=math.nan)
    label = method if method in ("moments", "thorough") else "aggregated"
    return TestResult(statistic, pvalue, label, tuple(components), None, table.rows, table.names, ladders.residual)


def _clustered(ladders: Ladders, cluster: Any, table: Table) -> TestResult:
    if len(table.variables) > 2:
        hint = 'method="permutation" tests more than two.'
        raise value_error("cluster", "two variables without permutations", f"{len(table.variables)}", hint)
    codes = cluster_codes(cluster, table.rows)
    components = [Component(*found) for found in ClusterTests(ladders, codes).components(0, 1)]
    pvalue = combine(components)
    if not components:
        components = [Component(UNTESTABLE, math.nan, 1.0)]
    statistic = max(component.statistic for component in components)
    label = f"aggregated over {int(codes.max()) + 1} clusters"
    return TestResult(statistic, pvalue, label, tuple(components), None, table.rows, table.names, ladders.residual)


def _test_given(
    *data: Any, given: Any, method: str, measure: str | None, alpha: float | None,
    kernel: Kernel | Mapping[str, Kernel] | None, groups: Mapping[str, Iterable[str]] | None, missing: str,
    n_resamples: int, rng: np.random.Generator | int | None, n_jobs: int | None, progress: bool | None, memory: int,
) -> TestResult:  # fmt: skip
    """By residuals, or by local permutation where that or something of it is asked for."""
    if method in ("aggregated", "moments", "thorough"):
        hint = "What regressions on the conditions leave is compared, or rows are permuted among those alike."
        raise value_error("method", '"auto" or "permutation" with given', describe(method), hint)
    if measure is not None:
        hint = "The statistic of the permutations is the conditional mutual information."
        raise value_error("measure", "none with given", describe(measure), hint)
    if method == "permutation" or alpha is not None or kernel is not None:
        return conditional_test(
            *data, given=given, alpha=2.0 if alpha is None else alpha, kernel=kernel, groups=groups, missing=missing,
            n_resamples=n_resamples, rng=rng, n_jobs=n_jobs, progress=progress, memory=memory,
        )  # fmt: skip
    return residual_test(*data, given=given, groups=groups, missing=missing, memory=memory)
