"""`compare`: which columns and which dependences differ between groups of rows."""

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from typing import Any

import numpy as np

from shearer._progress import track
from shearer._threads import single_threaded_blas
from shearer._validate import check_inside, describe, type_error
from shearer._version import __version__
from shearer.comparing.change_kinds import Side, difference, kind_of_change
from shearer.comparing.changed_columns import label_changes, missing_pvalue, number_changes
from shearer.comparing.compared_groups import Strengths
from shearer.comparing.comparison_result import Comparison
from shearer.comparing.read_groups import ReadGroups, read_groups
from shearer.comparing.tested_pairs import pair_test, units_of
from shearer.comparing.triple_records import check_triples, triple_records
from shearer.inference.pvalue import adjusted_pvalues
from shearer.scanning.document import number

VERSION = 1


@single_threaded_blas()
def compare(
    *data: Any,
    by: str | None = None,
    every: str | None = None,
    names: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    keep: str | Collection[str] = (),
    cluster: str | None = None,
    paired: bool = False,
    triples: bool = False,
    fdr: float = 0.05,
    memory: str | float | None = None,
    rng: int = 0,
    progress: bool | None = None,
    source: str | None = None,
) -> Comparison:
    """Compare tables or groups of rows: which columns, and which dependences of two columns, differ?

    A dependence is compared beyond what the single columns did. Numbers count by their ranks in the group, so that any
    increasing change of a column leaves it as it is; labels by their odds ratios, whatever their shares; a number and a
    label by the ranks of the number within levels, whatever the shares of these. Lists are held to a false discovery
    rate, each by itself: columns, pairs, and on request triples.

    Parameters
    ----------
    *data : frame, mapping, 2-D array, Profile, or rows in chunks
        Two or more tables with columns of the same names, or profiles of such; or one table with `by`. Rows in chunks
        are names of files, `shearer.sketching.open_rows` of several, a LazyFrame of polars, a relation of DuckDB, a
        reader of Arrow record batches, or a collection of Dask: they are gone over three times or more, and compared
        by all rows, numbers in bins; strengths come from a sample.
    by : str, optional
        The column of the one table whose values are the groups. Groups of fewer than 20 rows are left out.
    every : {"day", "week", "month", "quarter", "year"}, optional
        The groups are windows of time of the dates in `by`.
    names : sequence of str, optional
        What the tables are called. Default: a, b, ...
    kinds : mapping, optional
        Column -> "number" or "label", where what it looks like is not what it is.
    keep : str or collection of str, optional
        Columns to compare although they count the rows; numbers among them count as numbers, however few their values.
    cluster : str, optional
        The column that says which rows belong together, in all tables: rows of one cluster may depend on each other in
        any way, within a group and between groups.
    paired : bool, default False
        Row k of one table belongs to row k of the others, such as before and after.
    triples : bool, default False
        Also test every three columns: does what they have beyond their pairs differ? See the documentation for what
        that is. Needs 200 rows in each group, and rows that are independent of each other.
    fdr : float, default 0.05
        False discovery rate of what is reported: of columns, of pairs, and of triples (Benjamini and Hochberg).
    memory : str or number, optional
        What the engine of strengths may allocate; default: half of the machine.
    rng : int, default 0
        Seed of tables that are drawn for labels of few rows, and of the sample of rows in pictures.
    progress : bool, optional
        Bars on stderr. Default: if stderr is a terminal.
    source : str, optional
        What the data are called in reports.

    Returns
    -------
    Comparison
        `columns`, `pairs`, `triples` (tables), `document` (all of it as plain data), `to_html()`, `to_json()`,
        `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.normal(size=(2, 600))
    >>> before = {"price": x[:300], "mileage": 0.3 * noise[:300] - x[:300]}
    >>> after = {"price": 9 * x[300:], "mileage": noise[300:] - x[300:]}
    >>> found = sh.compare(before, after, names=["before", "after"])
    >>> found.pairs["change"].to_list()
    ['weakens']
    """
    started, date = time.monotonic(), datetime.now(UTC)
    rate = check_inside("fdr", fdr, "a number between 0 and 1", lambda value: 0 < value < 1)
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise type_error("rng", "a whole number of 0 or more", describe(rng))
    kept = [keep] if isinstance(keep, str) else list(keep)
    with_triples = check_triples(triples, cluster, paired)
    read = read_groups(
        data,
        by=by,
        every=every,
        names=names,
        kinds=kinds,
        keep=kept,
        cluster=cluster,
        paired=paired,
        memory=memory,
        triples=with_triples,
        progress=progress,
    )
    columns = _columns(read, rate)
    pairs = _pairs(read, rate, int(rng), progress)
    three = _adjusted(triple_records(read, int(rng), progress), rate) if with_triples else []
    settings = {
        "shearer": __version__,
        "source": source or "tables",
        "groups": [{"name": group.name, "rows": group.rows} for group in read.groups],
        "by": by,
        "every": every,
        "cluster": cluster,
        "paired": paired,
        "fdr": rate,
        "seed": int(rng),
        "columns_tested": sum(column["pvalue"] is not None for column in columns),
        "pairs_tested": sum(pair["pvalue"] is not None for pair in pairs),
        "triples_tested": sum(one["pvalue"] is not None for one in three) if with_triples else None,
        "date": date.isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - started, 2),
    }
    notes = [*read.notes, *_taken_for_granted(cluster, paired)]
    document = {
        "version": VERSION,
        "settings": settings,
        "columns": columns,
        "pairs": pairs,
        "triples": three,
        "notes": notes,
    }
    return Comparison(document, read.groups, read.library, int(rng))


def _taken_for_granted(cluster: str | None, paired: bool) -> list[str]:
    if cluster is None and not paired:
        return [
            "Rows are taken as independent of each other, within groups and between them. If they follow each other in "
            "time or come in clusters, p-values are too small: name the column that tells which belong together."
        ]
    which = "row by row" if paired else f"by {cluster}"
    return [
        f"Rows are matched {which}: those that belong together may depend on each other in any way. Only intervals of "
        "strengths, which dependences are found within a group, and shares of missing values take rows as independent; "
        "intervals of differences are left out."
    ]


def _columns(read: ReadGroups, fdr: float) -> list[dict[str, Any]]:
    """What happened to single columns, those that changed first."""
    units = units_of(read.groups)
    found = []
    for name, kind in read.kinds.items():
        groups = [group.distribution(name) for group in read.groups]
        record: dict[str, Any] = {
            "name": name,
            "kind": kind,
            "n": [int(own.weights.sum()) for own in groups],
            "missing": [int(own.missing) for own in groups],
            "missing_pvalue": missing_pvalue(groups),
        }
        if kind == "number":
            record |= number_changes(groups, units) | {"levels": [], "shares": None, "appeared": [], "vanished": []}
        else:
            empty = dict.fromkeys(("median", "range", "shift_pvalue", "spread_pvalue"))
            record |= empty | {"levels": list(read.levels[name])} | label_changes(groups, read.levels[name], units)
        for field in ("law_pvalue", "shift_pvalue", "spread_pvalue"):
            record[field] = None if record[field] is None else number(record[field])
        known = [p for p in (record["law_pvalue"], record["missing_pvalue"]) if p is not None]
        record["pvalue"] = min(1.0, len(known) * min(known)) if known else None
        found.append(record | {"notes": read.remarks.get(name, [])})
    others = [name for name in read.remarks if name not in read.kinds]
    return _adjusted(found, fdr) + [_not_compared(name, read.remarks[name]) for name in others]


def _not_compared(name: str, notes: list[str]) -> dict[str, Any]:
    fields = ("n", "missing", "missing_pvalue", "median", "range", "shift_pvalue", "spread_pvalue", "law_pvalue")
    empty: dict[str, Any] = dict.fromkeys((*fields, "shares", "pvalue", "qvalue"))
    lists: dict[str, Any] = {"levels": [], "appeared": [], "vanished": []}
    return {"name": name, "kind": None, **empty, **lists, "reported": False, "notes": notes}


def _adjust(records: list[dict[str, Any]], fdr: float) -> None:
    """One false discovery rate for all that were tested."""
    tested = [record for record in records if record["pvalue"] is not None]
    adjusted = adjusted_pvalues([record["pvalue"] for record in tested])
    for record in records:
        record["qvalue"] = None
        record["reported"] = False
    for record, q in zip(tested, adjusted, strict=True):
        record["qvalue"] = float(q)
        record["reported"] = bool(q <= fdr)


def _adjusted(records: list[dict[str, Any]], fdr: float) -> list[dict[str, Any]]:
    """The same at one false discovery rate, those that differ first."""
    _adjust(records, fdr)
    return sorted(records, key=lambda one: (not one["reported"], 2.0 if one["pvalue"] is None else one["pvalue"]))


def _pairs(read: ReadGroups, fdr: float, seed: int, progress: bool | None) -> list[dict[str, Any]]:
    """What happened to pairs, those that changed first."""
    names = list(read.kinds)
    if len(names) < 2:
        return []
    strengths = [group.strengths(names, progress) for group in read.groups]
    dependent = [_dependent(own, fdr) for own in strengths]
    found = []
    total = len(names) * (len(names) - 1) // 2
    for i, j in track(list(combinations(range(len(names)), 2)), total, "comparing pairs", progress):
        tested = pair_test(read, names[i], names[j], seed)
        sides = [
            Side(
                float(own.strength[i, j]),
                float(own.low[i, j]),
                float(own.high[i, j]),
                bool(reported[i, j]),
                *(tested.correlations[place] if tested.correlations else ()),
            )
            for place, (own, reported) in enumerate(zip(strengths, dependent, strict=True))
        ]
        gap = difference(*sides) if len(sides) == 2 else (np.nan,) * 3
        if units_of(read.groups):
            gap = gap[0], np.nan, np.nan
        found.append(
            {
                "variables": [names[i], names[j]],
                "change": kind_of_change(sides),
                "strength": [number(side.strength) for side in sides],
                "strength_low": [number(side.low) for side in sides],
                "strength_high": [number(side.high) for side in sides],
                "dependent": [side.dependent for side in sides],
                "correlation": [number(side.correlation) for side in sides] if tested.correlations else None,
                "difference": number(gap[0]),
                "difference_low": number(gap[1]),
                "difference_high": number(gap[2]),
                "pvalue": number(tested.pvalue),
                "n": tested.rows,
                "notes": tested.notes,
            }
        )
    _adjust(found, fdr)
    for record in found:
        if not record["reported"]:
            record["change"] = None
    found.sort(key=lambda pair: (not pair["reported"], 2.0 if pair["pvalue"] is None else pair["pvalue"], -_gap(pair)))
    return found


def _gap(pair: Mapping[str, Any]) -> float:
    known = [strength for strength in pair["strength"] if strength is not None]
    return max(known) - min(known) if known else 0.0


def _dependent(own: Strengths, fdr: float) -> Any:
    """Which pairs of a group depend, at the rate for all pairs of the group."""
    found = np.zeros(own.pvalue.shape, dtype=bool)
    upper = np.triu_indices(len(found), 1)
    pvalues = np.nan_to_num(own.pvalue[upper], nan=1.0)
    found[upper] = adjusted_pvalues(np.clip(pvalues, 0.0, 1.0)) <= fdr
    return found | found.T
