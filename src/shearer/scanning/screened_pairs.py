"""The pairs of a scan: p-values and strengths, part by part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import on_cluster, spread
from shearer._memory import require
from shearer._progress import track
from shearer._validate import value_error
from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.pairs.clusters import ClusterTests
from shearer.pairs.engine import Judged, PairTests
from shearer.pairs.sides import Ladders
from shearer.pairs.strength import signed_root
from shearer.scanning.lagged import REASONS, check_rows, test_lags
from shearer.scanning.series import whitened
from shearer.scanning.store import Part, Store
from shearer.sketching.pair_sketch import PairSketch
from shearer.sketching.row_source import RowSource

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Variables whose pairs with all later ones are one part of the work: all that the tests take in one pass over the rows,
# or fewer, so that a part is a minute or so of additions and multiplications at the most.
_NARROWEST, _WIDEST, _WORK = 128, 1024, 4e12
_OPTIONS = "Options: a larger memory=; fewer rows, by max_rows=; fewer columns."
#: How series are tested over lags.
LAG_TESTS = ("whitened", "stretches")


@dataclass(frozen=True, eq=False)
class PairFindings:
    """What is known of every pair; one entry each.

    Attributes
    ----------
    members : array (m, 2)
        Positions of the two variables; with lags the second follows the first.
    squared, rungs : array (m,)
        Squared strength, and the rungs at which it was found (`shearer.pairs.engine.Judged`).
    pvalue : array (m,)
        Of independence.
    rows : array (m,)
        Rows that both have.
    lag : array (m,) or None
        Rows by which the second follows.
    dropped : int
        Rows of a stream that were left out because a value was missing.
    untested : tuple of int
        How many pairs of series could not be tested, for each of the reasons; their p-value is 1.
    variables : int
        How many variables there are.
    """

    members: Indices
    squared: Floats
    rungs: Indices
    pvalue: Floats
    rows: Indices
    variables: int
    lag: Indices | None = None
    dropped: int = 0
    untested: tuple[int, ...] = ()

    @property
    def strength(self) -> Floats:
        """On the scale of a correlation; nan where too few rows are common."""
        return signed_root(self.squared)

    def square(self) -> Floats:
        """p-values as a symmetric matrix, 1 where there is none."""
        matrix = np.ones((self.variables, self.variables))
        matrix[self.members[:, 0], self.members[:, 1]] = self.pvalue
        matrix[self.members[:, 1], self.members[:, 0]] = self.pvalue
        return matrix


def wanted_pairs(table: Table) -> Indices:
    """All pairs, or those of the other variables with the targets, which stand last."""
    count, free = len(table.variables), table.free
    if table.targets:
        return np.array([(k, target) for k in range(free) for target in range(free, count)], dtype=np.intp)
    return np.stack(np.triu_indices(count, 1), axis=1)


def screened_pairs(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    clusters: Indices | None,
    memory: int,
    store: Store,
    progress: bool | None,
) -> PairFindings:
    """Every pair by the aggregated test, without permutations; on clusters of rows where these are given."""
    members = wanted_pairs(table)
    count, free = len(table.variables), table.free
    tests: list[PairTests] = []

    def band(start: int) -> Part:
        if not tests:  # only where some band is still missing
            tests.append(PairTests.of(table, kernel, memory=memory))
        label = "pairs" if len(starts) == 1 else f"pairs, part {start // width + 1} of {len(starts)}"
        found = tests[0].judged(*rectangle(start), progress=progress, label=label)
        if clusters is not None:
            clustered = ClusterTests(Ladders.of(table, kernel), clusters)
            pvalue = clustered.pvalues(*rectangle(start), progress=progress, label="clusters")
            found = found._replace(pvalue=np.asarray(pvalue))
        return found._asdict()

    def first_column(start: int) -> int:
        return free if table.targets else start

    def rectangle(start: int) -> tuple[slice, slice]:
        return slice(start, min(start + width, free)), slice(first_column(start), count)

    require(len(Judged._fields) * 8 * count**2, memory, f"{count} variables", _OPTIONS)
    pvalue, squared = np.ones((count, count)), np.full((count, count), np.nan)
    rungs = np.zeros((count, count), dtype=np.intp)
    width = _band_width(count, table.rows)
    starts = range(0, free, width)
    if on_cluster() and clusters is None:
        missing = [start for start in starts if not store.has(_part(start))]
        runs = [rectangle(start) for start in missing]
        for start, judged in zip(missing, bands_on_cluster(table, kernel, memory, runs, progress), strict=True):
            store.get(_part(start), judged._asdict)
    for start in starts:
        found = Judged(**store.get(_part(start), partial(band, start)))
        for whole, part in zip((pvalue, squared, rungs), found, strict=True):
            whole[start : start + len(part), first_column(start) :] = part
    left, right = members.T
    counts = table.presence.common[table.presence.pattern[left], table.presence.pattern[right]]
    return PairFindings(
        members=members,
        squared=squared[left, right],
        rungs=rungs[left, right],
        pvalue=np.nan_to_num(pvalue[left, right], nan=1.0),  # too few rows in common
        rows=counts,
        variables=count,
    )


def _part(start: int) -> str:
    """What the band of pairs from a variable on is stored as."""
    return f"pairs-{start:06d}"


def _band_width(variables: int, rows: int) -> int:
    """How many variables one part of the work has.

    Examples
    --------
    >>> _band_width(1000, 136), _band_width(1000, 1000), _band_width(1000, 10_000)
    (1024, 512, 128)
    """
    width = _WIDEST
    while width > _NARROWEST and 6.0 * width * variables * rows**2 > _WORK:
        width //= 2
    return width


def bands_on_cluster(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    memory: int,
    runs: list[tuple[slice, slice]],
    progress: bool | None,
) -> Iterator[Judged]:
    """p-values and strengths of rectangles of pairs, cut where tests are cut anyway, one task for each piece.

    A p-value is the same to the last bit in whatever rectangle it is asked for, so that a cluster changes nothing.
    """
    pieces = [
        (rows, slice(start, min(start + _NARROWEST, columns.stop)))
        for rows, columns in runs
        for start in range(columns.start, columns.stop, _NARROWEST)
    ]
    found = track(spread(partial(_piece, table, kernel, memory), pieces, None), len(pieces), "pairs", progress)
    for _, columns in runs:
        parts = [next(found) for _ in range(columns.start, columns.stop, _NARROWEST)]
        yield Judged(*(np.concatenate(part, axis=1) for part in zip(*parts, strict=True)))


def _piece(
    table: Table, kernel: Kernel | Mapping[str, Kernel] | None, memory: int, piece: tuple[slice, slice]
) -> Judged:
    return PairTests.of(table, kernel, memory=memory).judged(*piece, progress=False)


def streamed_pairs(
    table: Table,
    rows: RowSource,
    sketch: PairSketch,
    n_jobs: int | None,
    store: Store,
    progress: bool | None,
) -> PairFindings:
    """Every pair by all rows of a source, in two passes over them."""

    def make() -> Part:
        second = rows.add_to(rows.add_to(sketch, n_jobs, progress).second_pass(), n_jobs, progress)
        return second.judged()._asdict() | {"rows": np.array(second.rows), "dropped": np.array(second.dropped)}

    found = store.get("streamed", make)
    members = wanted_pairs(table)
    place = np.array([sketch.names.index(name) for name in table.names], dtype=np.intp)
    left, right = place[members].T
    return PairFindings(
        members=members,
        squared=found["squared"][left, right],
        rungs=found["rungs"][left, right],
        pvalue=np.nan_to_num(found["pvalue"][left, right], nan=1.0),  # no low rank
        rows=np.full(len(members), int(found["rows"])),
        variables=len(table.variables),
        dropped=int(found["dropped"]),
    )


def _lagged_square(table: Table, kernel: Kernel | None, first: int, second: int, lag: int) -> float:
    """Squared strength of two series, the second so many rows later."""
    rows = table.rows - abs(lag)
    pair = table.common((first, second)).variables
    starts = (0, lag) if lag >= 0 else (-lag, 0)
    both = Table.of([own.take(slice(start, start + rows)) for own, start in zip(pair, starts, strict=True)])
    return float(PairTests.of(both, kernel).judged(slice(0, 1), slice(1, 2)).squared[0, 0])


def lagged_pairs(
    table: Table,
    kernel: Kernel | Mapping[str, Kernel] | None,
    lags: list[int],
    lag_test: str,
    fdr: float,
    seed: int,
    store: Store,
    progress: bool | None,
) -> PairFindings:
    """Every pair at its strongest lag: of what the series' own past leaves of them, or of the series as they are."""
    if not table.presence.complete:
        raise value_error("data", "no missing values with lags", "some", "Fill the gaps: a lag needs every row.")
    if isinstance(kernel, Mapping):
        raise value_error("kernel", "one kernel for all with lags", "one for each name")
    check_rows(table.rows, max(lags))
    if lag_test == "whitened":
        table, _ = whitened(table)
    wanted = wanted_pairs(table)
    members, squared, pvalue, lag = wanted.copy(), [], [], []
    untested = [0] * len(REASONS)
    for place, pair in enumerate(track(wanted, len(wanted), "pairs over lags", progress)):
        first, second = int(pair[0]), int(pair[1])

        def make(first: int = first, second: int = second) -> Part:
            rng = np.random.default_rng([seed, first, second])
            found = test_lags(table.choose((first, second)), kernel, lags, fdr / len(wanted), rng)
            square = _lagged_square(table, kernel, first, second, found.lag)
            return {"found": np.array([found.lag, square, found.pvalue, -1 if found.reason is None else found.reason])}

        best, strongest, p, reason = store.get(f"lagged-{first:05d}-{second:05d}", make)["found"]
        if reason >= 0:
            untested[int(reason)] += 1
        if best < 0:
            members[place] = (second, first)
        lag.append(abs(int(best)))
        squared.append(strongest)
        pvalue.append(p)
    rows = np.full(len(wanted), table.rows - 2 * max(lags))
    return PairFindings(
        members,
        np.array(squared, dtype=np.float64),
        np.zeros(len(wanted), dtype=np.intp),
        np.nan_to_num(pvalue, nan=1.0),
        rows,
        len(table.variables),
        np.array(lag),
        untested=tuple(untested),
    )
