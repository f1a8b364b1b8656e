"""`pairwise`: the dependence of all pairs of variables in one call."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import check_jobs
from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._validate import check_alpha, check_option, describe, value_error
from shearer.data import Table, read
from shearer.kernels import Kernel
from shearer.measures.measure import Measure
from shearer.measures.registry import MEASURES, MUTUAL_INFORMATION, dependence_measures
from shearer.pairs.clusters import without_clusters
from shearer.screening.conditional_pairs import PairwiseGiven, pairs_given
from shearer.screening.entropies import pair_entropies as finish
from shearer.screening.entropies.low_rank import LowRank
from shearer.screening.entropies.pair_entropies import Route
from shearer.screening.entropies.similarities import Similarities, operators
from shearer.screening.entropies.spectra import Spectra
from shearer.screening.entropies.triangles import Triangles
from shearer.screening.pairwise_result import Pairwise
from shearer.screening.shards import Shards, write_shards
from shearer.screening.significance import Significance

DTYPES = ("float64", "float32")
# Below, a factor of a scalar column has about as many columns as its product with another saves.
_TALL = 2048
_OPTIONS = 'Options: shards=folder; target=; dtype="float32"; a larger memory=.'


@overload
def pairwise(
    *data: Any,
    target: Any = None,
    given: None = None,
    measure: str = "mutual_information",
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    normalize: bool | str = True,
    missing: str = "error",
    cluster: Any = None,
    memory: str | float | None = None,
    dtype: Any = "float64",
    n_jobs: int | None = None,
    shards: None = None,
    progress: bool | None = None,
) -> Pairwise: ...


@overload
def pairwise(
    *data: Any,
    target: None = None,
    given: None = None,
    measure: str = "mutual_information",
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    normalize: bool | str = True,
    missing: str = "error",
    cluster: Any = None,
    memory: str | float | None = None,
    dtype: Any = "float64",
    n_jobs: int | None = None,
    shards: str | PathLike[str],
    progress: bool | None = None,
) -> Shards: ...


@overload
def pairwise(
    *data: Any,
    given: object,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    progress: bool | None = None,
) -> PairwiseGiven: ...


@single_threaded_blas()
def pairwise(
    *data: Any,
    target: Any = None,
    given: Any = None,
    measure: str = "mutual_information",
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    normalize: bool | str = True,
    missing: str = "error",
    cluster: Any = None,
    memory: str | float | None = None,
    dtype: Any = "float64",
    n_jobs: int | None = None,
    shards: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Pairwise | Shards | PairwiseGiven:
    """Mutual information, strengths and p-values of all pairs of variables, or of all variables with targets.

    At ``alpha=2``, the default, all pairs are one matrix product. A pair has the value that the function of the
    measure, `shearer.mutual_information` unless another is asked for, gives it with the same options.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        One table, mapping or 2-D array: one variable for each column. Several arguments: one variable each. Tensors
        are taken as numbers, in double; there are no gradients.
    target : str, array-like, or a collection of them, optional
        Compare all other variables with it only, at a cost linear in their number: a name of the table, an array, a
        list of names, a tuple of arrays, a mapping or a frame.
    given : names of the table, array-like, tuple or mapping, optional
        Test all pairs for independence once these are known, as `shearer.independence_test` does. Only `groups`,
        `missing` ("error" or "drop") and `progress` go with it.
    measure : str, default "mutual_information"
        What `value` holds: any of the measures of two variables and more, by name, such as "s_information". p-values,
        adjusted values and strengths are the same whichever is asked for.
    alpha : float, default 2
        Order. Any other takes the eigenvalues of one matrix for each pair.
    kernel, groups
        As in `shearer.mutual_information`.
    normalize : bool or str, default True
        True or "max": over the larger entropy. False: bits. Also "min", "joint", "mean", "sqrt". Of another measure,
        what its function takes; True is bits where there are only bits.
    missing : {"error", "drop", "pairwise"}
        Rows that lack a value: an error, left out, or left out of the pairs that lack it. With "pairwise" widths come
        from all rows that a variable has, entropies from the rows that both have.
    cluster : str or array-like, optional
        Rows that come in clusters, such as several of one patient: the column that names them, which is then no
        variable, or one label a row. p-values are those of `independence_test` with `cluster`.
    memory : str or number, optional
        What may be allocated, such as "2GB"; default: half of the machine.
    dtype : {"float64", "float32"}
        Precision of the product and of the result. Single is twice as fast and good to about 1e-5 bits.
    n_jobs : int, optional
        Threads for alpha other than 2, as joblib counts them. The product at alpha=2 takes the threads of BLAS.
    shards : path, optional
        A new or empty folder to write the result to, in blocks of rows; for results that do not fit in memory.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Returns
    -------
    Pairwise or, with `shards`, Shards, or, with `given`, PairwiseGiven
        `value`, `joint`, `entropy`, `names`, `to_frame()`; or the folder and ways to read it; or `pvalue`, `qvalue`,
        `explained`, `warned`, `to_frame()`.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.screening import pairwise
    >>> x = np.linspace(-1, 1, 60)
    >>> table = {"x": x, "square": x**2, "sign": np.where(x > 0, "plus", "minus")}
    >>> m = pairwise(table)
    >>> m.names, m.value[0].round(2).tolist()
    (('x', 'square', 'sign'), [0.65, 0.36, 0.57])
    >>> pairwise(table, target="x").value.round(2)
    array([0.36, 0.57])
    """
    if given is not None:
        other = None if measure == MUTUAL_INFORMATION.name else measure
        stated = {"target": target, "kernel": kernel, "shards": shards, "measure": other}
        for name, value in stated.items():
            if value is not None:
                raise value_error(name, "none with given", describe(value), "Pairs given others are tested only.")
        return pairs_given(*data, given=given, groups=groups, missing=missing, progress=progress)
    order, budget, precision = check_alpha(alpha), parse_memory(memory), check_dtype(dtype)
    asked = MEASURES[check_option("measure", measure, dependence_measures())]
    form = asked.settled(normalize)
    jobs = check_jobs(n_jobs)
    if shards is not None and target is not None:
        raise value_error("shards", "all pairs", "a target", "The values of a target fit in memory.")
    if cluster is not None and (shards is not None or missing == "drop"):
        got = "shards" if shards is not None else 'missing="drop"'
        raise value_error("cluster", "neither shards nor rows to drop beside it", got)
    table = read(*data, target=target, groups=groups, missing=missing, pairwise=True, fewest=2).as_numpy()
    table, clusters = (table, None) if cluster is None else without_clusters(table, cluster)
    if shards is not None:
        sides = _sides(table)
        route = _choose_route(table, kernel, order, precision, budget, jobs, sides, progress)
        return write_shards(shards, table, route, asked, order, form, precision, budget, progress)
    return compare(
        table, kernel, budget, order, form, precision, jobs, progress, clusters=clusters, measure=asked
    )  # fmt: skip


def compare(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    budget: int,
    alpha: float = 2.0,
    normalize: bool | str = True,
    dtype: Any = np.float64,
    n_jobs: int | None = None,
    progress: bool | None = None,
    hint: str = _OPTIONS,
    clusters: NDArray[np.intp] | None = None,
    measure: Measure = MUTUAL_INFORMATION,
) -> Pairwise:
    """All pairs of a table that was read already; options as in `pairwise`, checked; `hint` if they need too much."""
    precision = np.dtype(dtype)
    left, right = _sides(table)
    cells = (left.stop - left.start) * (right.stop - right.start)
    result = cells * (2 * precision.itemsize + 8 * table.pairwise)
    require(result, budget, f"a result of {left.stop} x {right.stop - right.start} pairs", hint)
    route = _choose_route(table, kernel, alpha, precision, budget, n_jobs, (left, right), progress)
    # Where left and right are the same the joint entropies take the place of the sums.
    spared = cells * 8 if left == right and precision == np.float64 else 0
    require(result + route.memory(left, right) - spared, budget, f"{len(table.variables)} variables", hint)
    found = _finish(table, route, left, right, measure, alpha, normalize, precision, progress)

    def significance() -> Significance:
        return Significance(table, kernel, left, right, clusters=clusters, memory=budget, progress=progress)

    return replace(found, significance=significance)


def _sides(table: Table) -> tuple[slice, slice]:
    """Which variables are compared with which: all with all, or all others with the targets."""
    return slice(0, table.free), slice(table.free if table.targets else 0, len(table.variables))


def _choose_route(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    alpha: float,
    dtype: np.dtype[Any],
    budget: int,
    n_jobs: int | None,
    sides: tuple[slice, slice],
    progress: bool | None,
) -> Route:
    """The cheapest way: spectra where alpha needs them, factors of tall tables where they pay, else triangles."""
    if alpha != 2:
        return Spectra(operators(table, kernel), table.presence, alpha, budget, n_jobs)
    if table.rows >= _TALL:
        factored = LowRank([gram.squared() for gram in operators(table, kernel)], table.presence, dtype, budget)
        if factored.prepare(*sides, progress) and factored.memory(*sides) <= budget:
            return factored
    return Triangles(Similarities(table, kernel), dtype, budget)


def _finish(
    table: Table,
    route: Route,
    left: slice,
    right: slice,
    measure: Measure,
    alpha: float,
    normalize: bool | str,
    dtype: np.dtype[Any],
    progress: bool | None,
) -> Pairwise:
    found = route.pairs(left, right, progress)
    entropy, target_entropy = found.left_entropy, found.right_entropy
    joint, value = (finish.square if left == right else finish.rectangle)(found, measure, normalize, dtype)
    counts: Any = table.presence.counts(left, right) if table.pairwise else table.rows
    if table.targets and table.single_target:
        joint, value, target_entropy = joint[:, 0], value[:, 0], target_entropy[0]
        counts = counts[:, 0] if table.pairwise else counts
    return Pairwise(
        value=value,
        joint=joint,
        entropy=entropy,
        rows=counts,
        names=table.names[left],
        alpha=alpha,
        normalize=normalize,
        measure=measure.name,
        target=table.names[right] if table.targets else (),
        target_entropy=target_entropy if table.targets else None,
        error=found.error,
        route=route.name,
        library=table.library,
    )


def check_dtype(dtype: Any) -> np.dtype[Any]:
    """Single or double precision, by name, type or dtype."""
    name = getattr(dtype, "__name__", None) or getattr(dtype, "name", dtype)
    check_option("dtype", name, DTYPES)
    return np.dtype(np.float64 if name == "float64" else np.float32)
