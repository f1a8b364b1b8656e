"""`scan`: test every pair and triple of a table, control the false discovery rate, measure what was found."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import check_jobs
from shearer._memory import parse_memory
from shearer._threads import single_threaded_blas
from shearer._validate import check_alpha, check_option, describe, type_error, value_error
from shearer._version import __version__
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Kernel
from shearer.pairs.limits import FEWEST_ROWS
from shearer.report.wording import count
from shearer.scanning.columns.chosen import choose_columns
from shearer.scanning.direct_links import describe_direct
from shearer.scanning.document import Findings, describe_findings
from shearer.scanning.given_pairs import check_alone, check_given, check_places, pairs_given, sources_left
from shearer.scanning.lagged import REASONS
from shearer.scanning.measuring import Measuring
from shearer.scanning.scan_result import Scan
from shearer.scanning.screened_pairs import LAG_TESTS, lagged_pairs, screened_pairs, streamed_pairs
from shearer.scanning.screened_quadruples import search_quadruples
from shearer.scanning.screened_triples import choose_triples, test_triples, three_way_note
from shearer.scanning.store import FolderStore, Store, fingerprint_of
from shearer.scanning.streamed import STREAM_SAMPLE_ROWS, rows_of, stream_notes
from shearer.scanning.top import TOLERANCE
from shearer.sketching.pair_sketch import PairSketch
from shearer.spectrum import Request

ORDERS = (2, 3, 4)
MISSING = ("pairwise",)
INDEPENDENT_ROWS = (
    "Rows are taken as independent of each other. If they follow each other in time or come in groups, p-values are "
    "too small; for time series ask for lags."
)
ROWS_IN_TIME = {
    "whitened": "Rows are taken in the order of time. Of every column of numbers the part is tested, and its strength "
    "given, that its own past does not predict (linearly); for the p-values stretches of rows are rearranged. "
    'lag_test="stretches" tests the columns as they are.',
    "stretches": "Rows are taken in the order of time; for the p-values stretches of one series, at most an eighth of "
    "the rows, are rearranged.",
}


@single_threaded_blas()
def scan(
    *data: Any,
    order: int = 3,
    target: str | list[str] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    keep: str | Iterable[str] = (),
    lags: Iterable[int] | None = None,
    lag_test: str = "whitened",
    difference: bool = False,
    cluster: Any = None,
    given: str | list[str] | None = None,
    direct: bool = False,
    fdr: float = 0.05,
    top: int = 50,
    alpha: float = 1.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    max_rows: int | str | None = "auto",
    missing: str = "pairwise",
    memory: str | float | None = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
    shards: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | None = None,
    source: str | None = None,
    on_pairs: Callable[[dict[str, Any]], object] | None = None,
) -> Scan:
    """Find what depends on what in a table: pairs, triples and sets of four columns, with strengths and p-values.

    Every pair is tested without permutations (`independence_test`). Every triple is screened for three columns of
    which none is independent of the other two, and those that pass are tested for what no model of pairs explains
    (`interaction_test`). What is reported is held to a false discovery rate, and of triples what adds more to its
    pairs than a floor. Every pair has a strength on the scale of a correlation (`Pairwise.strength`), with an interval;
    the strongest are also measured at `alpha`.

    Parameters
    ----------
    *data : frame, mapping or 2-D array
        The table: one variable for each column. Several arguments: one variable each. Rows that do not fit in memory:
        a LazyFrame of polars, a relation of DuckDB, a reader of Arrow record batches, a Dask array or dataframe, or
        `shearer.sketching.open_rows` of files; pairs are then tested and valued by all rows, in four passes over them,
        and all else comes from a sample of `max_rows`.
    order : {3, 2, 4}
        3: pairs and triples. 2: pairs only. 4: also quadruples, tested for what no model of three of them explains: all
        are screened of up to 60 columns, of more those of the columns with the strongest pairs and those that grow from
        the clearest triples.
    target : str or list of str, optional
        Only pairs and triples of the other columns with this one, or one of these.
    groups : mapping, optional
        New name -> columns that form one vector variable.
    kinds : mapping, optional
        Column -> "number" (or "continuous") or "label" ("categorical"), where what it looks like is not what it is.
    keep : str or iterable of str, optional
        Columns to test although they are trivial: they count the rows, name them, or repeat another column. Those of
        `target` and `kinds` are kept anyway.
    lags : iterable of int, optional
        For rows in the order of time: test every pair at these lags, in both directions, by rearranging stretches of
        rows. Pairs only.
    lag_test : {"whitened", "stretches"}
        What is tested over lags. "whitened": of columns of numbers what an autoregression on their own past leaves, so
        that series that drift or change slowly can be tested; strengths are of that part. "stretches": the columns as
        they are; a column whose serial dependence reaches further than an eighth of the rows is tested only with one
        that has hardly any. `document["untested"]` counts the pairs that could not be tested (p = 1) and says why.
    difference : bool, default False
        For rows in the order of time: scan the steps of numbers from row to row in place of the numbers; labels stay
        as they are. With or without lags.
    cluster : str or array-like, optional
        Rows that come in clusters, such as several of one patient or country: the column that names them, which is
        then no variable, or one label a row. Rows of one cluster may depend on each other in any way. Pairs only.
    given : str or list of str, optional
        Columns that are known: all pairs of the others are tested given these (`independence_test` with given), and
        strengths, intervals, signs and pictures are of what they leave. Pairs only.
    direct : bool
        Which of the reported pairs still show given the columns that either of the two is linked with (the adjacency
        search of the PC algorithm)? Of the strongest links, in a limited number of tests; a note says which.
    fdr : float, default 0.05
        False discovery rate of all that is reported (Benjamini and Hochberg): of pairs and triples together, half of
        it for each of the two lists, or a third with quadruples. A triple counts with the p-value of its three-way
        term, and with 1 where it did not pass the screen, so that the screen makes no false finding of its own; a
        quadruple likewise. Of those within the rate the ones are reported that add at least 0.1 bits to what their
        pairs, or triples, explain, beyond the error.
    top : int, default 50
        How many pairs, and how many triples, are measured at `alpha`.
    alpha : float, default 1
        Order of the entropy for what is measured.
    kernel : Kernel or mapping of name -> Kernel, optional
        One width in place of the several widths of the tests.
    max_rows : int, "auto" or None
        Of a longer table a random sample of so many rows is scanned, which the notes say. "auto": all rows while the
        tests of all pairs take no more than a fixed number of operations, some minutes on two cores (30 columns: over
        a million rows; 1000 columns: 6000), counted so that the result does not depend on the machine. None: all rows.
        Time grows in proportion to rows.
    missing : {"pairwise"}
        Each pair and triple uses the rows that its variables have.
    memory : str or number, optional
        What may be allocated, such as "2GB"; default: half of the machine.
    rng : int, Generator or None
        Seed of samples and rearrangements.
    n_jobs : int, optional
        Threads for what is measured, or workers, as joblib counts them; within ``joblib.parallel_config`` pairs are
        tested there too.
    shards : path, optional
        A new or empty folder to which finished parts are written.
    resume : bool
        Go on with what an interrupted scan of the same data and settings left in `shards`; the result is the same.
    progress : bool, optional
        Bars on stderr with the time left; False: none. Default: bars if stderr is a terminal, else, as in files and
        notebooks, a line every few seconds once something takes long.
    on_pairs : callable, optional
        Called with a document of the pairs alone, before intervals, triples and closer looks are computed: for what
        shows results as they come. What it returns is not used.
    source : str, optional
        What the table is called in reports.

    Returns
    -------
    Scan
        `pairs`, `triples` (tables), `document` (all of it as plain data), `to_html()`, `to_json()`, `plot()`.

    Examples
    --------
    >>> import shearer as sh
    >>> found = sh.scan(sh.datasets.planted_table(200).columns, top=5)
    >>> sorted(pair["variables"] for pair in found.document["pairs"] if pair["reported"])
    [['dose', 'response'], ['ring_x', 'ring_y'], ['species', 'weight']]
    >>> [(triple["variables"], triple["kind"]) for triple in found.document["triples"] if triple["reported"]]
    [(['switch_a', 'switch_b', 'lamp'], 'synergistic')]
    >>> rng = np.random.default_rng(0)
    >>> table = {name: rng.integers(0, 2, 200) for name in "abcefg"}
    >>> table["d"] = table["a"] ^ table["b"] ^ table["c"]  # the parity of three: no three of the four show anything
    >>> sets = sh.scan(table, order=4).document["quadruples"]
    >>> [sorted(found["variables"]) for found in sets if found["reported"]]
    [['a', 'b', 'c', 'd']]
    """
    started, date = time.monotonic(), datetime.now(UTC)
    check_option("order", order, ORDERS)
    check_option("missing", missing, MISSING)
    check_option("lag_test", lag_test, LAG_TESTS)
    check_option("difference", difference, (False, True))
    check_count("top", top, 0)
    if isinstance(max_rows, str):
        check_option("max_rows", max_rows, ("auto",))
    elif max_rows is not None:
        check_count("max_rows", max_rows, FEWEST_ROWS)
    rate, wanted_lags, jobs, conditions = _check_rate(fdr), _check_lags(lags), check_jobs(n_jobs), check_given(given)
    request = Request.checked(check_alpha(alpha), memory, TOLERANCE, rng)
    if target is not None and not (isinstance(target, str) or _are_names(target)):
        raise type_error("target", "the name of a column, or a list of names", describe(target))
    rows = rows_of(data)
    if rows is not None:
        refused = {"lags": wanted_lags, "cluster": cluster, "given": conditions, "difference": difference or None}
        for name, asked in refused.items():
            if asked is not None:
                hint = "Read the rows into a table first."
                raise value_error(name, "rows in memory", "a source that is read in chunks", hint)
        sampled = max_rows if isinstance(max_rows, int) else STREAM_SAMPLE_ROWS
        sample, counts = rows.counted(sampled, request.seed, jobs, progress)
        data = (sample,)
    # A lag needs rows that follow each other.
    most = max_rows if wanted_lags is None else None
    if wanted_lags is not None and cluster is not None:
        raise value_error("cluster", "none with lags", "one", "Series are tested by rearranging stretches of rows.")
    check_alone("given", conditions, {"lags": wanted_lags, "cluster": cluster, "kernel": kernel})
    options = {"lags": wanted_lags, "cluster": cluster, "given": conditions, "target": target, "kernel": kernel}
    check_alone("direct", direct or None, options | {"rows in chunks": rows})
    if difference and cluster is not None and not isinstance(cluster, str):
        hint = "Pass the name of a column: the first row is dropped from it too."
        raise value_error("cluster", "the name of a column with difference", describe(cluster), hint)
    kept = [keep] if isinstance(keep, str) else list(keep)
    ordered = rows is None
    reading = choose_columns(
        data, target, groups, kinds, kept, most, request.seed, cluster=cluster, given=conditions or (),
        ordered=ordered, difference=difference,
    )  # fmt: skip
    dependent = _not_allowed_for(reading.dependent_rows, wanted_lags, clustered=cluster is not None)
    notes, table = [*(rows.notes if rows is not None else ()), *reading.notes], reading.table
    if isinstance(kernel, Mapping):
        left_out = {column["name"] for column in reading.columns if column["notes"]}
        kernel = {name: own for name, own in kernel.items() if name not in left_out} or None
    highest = 2 if wanted_lags or conditions or cluster is not None else order
    settings = {
        "shearer": __version__,
        "source": source or (rows.name if rows is not None else "table"),
        "rows": reading.rows,
        "order": highest,
        "fdr": rate,
        "top": top,
        "alpha": request.alpha,
        "max_rows": table.rows if table.rows < reading.rows else None,
        "kernel": None if kernel is None else str(kernel),
        "seed": request.seed,
        "target": target,
        "groups": {name: list(members) for name, members in (groups or {}).items()},
        "lags": wanted_lags,
        "lag_test": None if wanted_lags is None else lag_test,
        "difference": bool(difference),
        "cluster": cluster if isinstance(cluster, str) else None if cluster is None else "labels of rows",
        "missing": missing,
    } | ({"given": conditions} if conditions else {})
    known = None
    if conditions:
        check_places(conditions, table.names, table.targets, reading.columns)
    if shards is None:
        if resume:
            raise value_error("resume", "shards, a folder to go on with", "none")
        store = Store()
    else:
        store = FolderStore(shards, fingerprint_of(table, settings), resume)
    if wanted_lags:
        notes.append(ROWS_IN_TIME[lag_test])
        pairs = lagged_pairs(table, kernel, wanted_lags, lag_test, rate, request.seed, store, progress)
    elif rows is not None:
        sketch = PairSketch.like(
            rows.spaced(counts, n_jobs=jobs, progress=progress), kernel=kernel, groups=groups, kinds=kinds,
            missing="drop", names=list(table.names), rows=sum(counts.values()),
        )  # fmt: skip
        pairs = streamed_pairs(table, rows, sketch, jobs, store, progress)
        settings |= {"rows": int(pairs.rows[0]) + pairs.dropped, "missing": "drop"}
        notes += stream_notes(pairs, table.rows)
    elif conditions:
        notes += [] if dependent else [INDEPENDENT_ROWS]
        known = pairs_given(table, conditions, parse_memory(memory), store, progress)
        table, pairs, notes = known.table, known.pairs, [*notes, *known.notes]
    else:
        if reading.clusters is not None:
            notes.append(clusters_note(reading.clusters, settings))
        elif not dependent:
            notes.append(INDEPENDENT_ROWS)
        pairs = screened_pairs(table, kernel, reading.clusters, parse_memory(memory), store, progress)
        if few := int((pairs.rows < FEWEST_ROWS).sum()):
            notes.append(
                f"{few:,} of {count(len(pairs.rows), 'pair')} {'was' if few == 1 else 'were'} not tested (p = 1): "
                f"fewer than {FEWEST_ROWS} rows have both values."
            )
    findings = Findings(pairs=pairs, fdr=rate)
    untested = [
        {"pairs": number, "reason": reason} for number, reason in zip(pairs.untested, REASONS, strict=False) if number
    ]
    about = {"columns": reading.columns, "known": reading.known, "dependent_rows": dependent, "untested": untested}
    if on_pairs is not None:
        on_pairs(describe_findings(table.names, findings, {}, {}, {}, settings) | about | {"notes": list(notes)})
    if highest >= 3 and len(table.variables) >= 3:
        choice = choose_triples(table, pairs.square(), request.memory)
        tests = test_triples(table, choice, kernel, rate, request.seed, store, progress)
        findings = findings.with_triples(table, choice, tests)
        notes += [note for note in (choice.note, three_way_note(tests, rate, table.rows)) if note]
    if highest == 4:
        fours = search_quadruples(table, pairs.square(), rate, request.seed, store, progress)
        findings = replace(findings, quadruples=fours)
        notes += [fours.note] if fours.note else []
    measuring = Measuring(table, findings, request, kernel, store)
    excess = measuring.excess(progress)
    measured = {} if wanted_lags else measuring.top(top, jobs, progress)
    if known is not None:
        measured = {item: known.without_signs(values, item[1]) for item, values in measured.items()}
    unknown = sum(np.isnan(values[0]) for values in measured.values())
    if unknown:
        notes.append(
            f"{unknown} of the {len(measured)} found could not be measured at alpha = {request.alpha:g}: at an order "
            "so small round-off counts as much as the data."
        )
    # Rows that follow each other in time vary together: what influences say of rows taken singly is too narrow.
    intervals = {} if wanted_lags else measuring.intervals(None if rows is None else int(pairs.rows[0]), request.memory)
    document = describe_findings(table.names, findings, measured, excess, intervals, settings)
    document |= about | {"notes": notes}
    if known is not None:
        known.describe(document)
    if direct:
        describe_direct(document, table, request.seed, store, progress)
    # What differs from run to run stands apart from what was asked for, which decides if a scan can be gone on with.
    seconds = round(time.monotonic() - started, 2)
    document["settings"] |= {"date": date.isoformat(timespec="seconds"), "seconds": seconds}
    sources = reading.sources if known is None else sources_left(table)
    return Scan(document, sources, table.library, request.seed)


def clusters_note(clusters: NDArray[np.intp], settings: Mapping[str, Any]) -> str:
    """What the p-values of a scan by clusters take for granted."""
    name = settings["cluster"]
    clustered, rows = int(clusters.max()) + 1, len(clusters)
    few = " So few clusters make p-values a rough guide." if clustered < 20 else ""
    return (
        f"The {rows:,} rows are {clustered:,} clusters ({name}): rows of one cluster may depend on each other in any "
        f"way, clusters are taken as independent. Triples are not tested, and intervals take rows as independent.{few}"
    )


def _not_allowed_for(
    dependent: list[dict[str, Any]], lags: list[int] | None, *, clustered: bool
) -> list[dict[str, Any]]:
    """How rows depend on each other, but for what a test allows for: rows in the order of time, or of clusters."""
    if clustered:
        dependent = [found for found in dependent if found["kind"] not in ("panel", "units")]
    if lags is None:
        return dependent
    return [found for found in dependent if not (found["kind"] in ("time", "order") and found["sorted"])]


def _are_names(target: Any) -> bool:
    return isinstance(target, list) and bool(target) and all(isinstance(name, str) for name in target)


def _check_rate(fdr: Any) -> float:
    if isinstance(fdr, bool) or not isinstance(fdr, int | float | np.floating) or not 0 < fdr < 1:
        raise value_error("fdr", "a number between 0 and 1", describe(fdr))
    return float(fdr)


def _check_lags(lags: Any) -> list[int] | None:
    if lags is None:
        return None
    if isinstance(lags, str) or not isinstance(lags, Iterable):
        raise type_error("lags", "whole numbers of 0 or more, such as range(6)", describe(lags))
    found = list(lags)
    for lag in found:
        check_count("lags", lag, 0)
    if not found:
        raise value_error("lags", "at least one lag", "none")
    return sorted({int(lag) for lag in found})
