"""The table of a scan: which columns can take part, what is to be said of each, and a sample of rows to look at."""

import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, describe, listing, value_error
from shearer.data import Table, read
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column, Columns
from shearer.data.table import table_from_columns
from shearer.pairs.clusters import cluster_codes
from shearer.pairs.limits import FEWEST_ROWS, work_of_pair
from shearer.pairs.null_law.rare import hardly_shared, level_codes
from shearer.report.wording import count
from shearer.scanning.columns.coded import Coded, coded_columns
from shearer.scanning.columns.roles import Roles, find_roles
from shearer.scanning.columns.row_order import rows_that_depend
from shearer.scanning.series import differences

# Multiplications and additions that the tests of all pairs may take: a few minutes on two cores.
PAIR_WORK = 1e13
# Rows that are scanned whatever it takes.
FEWEST_SCANNED_ROWS = 2000
# Rows that feed the pictures of a report.
SAMPLE_ROWS = 500
# Whole numbers of as many values can be labels; of two values it makes no difference.
_FEWEST_KINDS, _MOST_KINDS = 3, 10
LABEL_ADVICE = 'If they are labels, say so: kinds={{"{0}": "label"}}.'
DIFFERENCES = (
    "Columns of numbers are differences, the value of a row less that of the row before it; labels are as they were. "
    "The first row, which has none before it, is dropped."
)
# Columns that are left out for one reason and named in a note.
_MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class Reading:
    """What was read.

    Attributes
    ----------
    table : Table
        The variables that take part, targets last, on the rows that are scanned.
    rows : int
        Rows of the whole table.
    columns : list of dict
        All variables as the document describes them, those left out too.
    notes : list of str
        What a reader should know of the data.
    sources : dict
        The columns of the variables that take part, all rows.
    known : list of dict
        What is trivial, as the document has it.
    dependent_rows : list of dict
        How rows depend on each other, as the document has it.
    clusters : array or None
        Which cluster each of the rows that are scanned belongs to, where rows come in clusters.
    """

    table: Table
    rows: int
    columns: list[dict[str, Any]]
    notes: list[str]
    sources: Columns
    known: list[dict[str, Any]]
    dependent_rows: list[dict[str, Any]]
    clusters: NDArray[np.intp] | None = None


def choose_columns(
    data: tuple[Any, ...],
    target: str | list[str] | None,
    groups: Mapping[str, Iterable[str]] | None,
    kinds: Mapping[str, str] | None,
    keep: Collection[str],
    most: int | str | None,
    seed: int,
    *,
    cluster: Any = None,
    given: Collection[str] = (),
    ordered: bool = True,
    difference: bool = False,
) -> Reading:
    """Read a table, of a longer one `most` random rows, and leave out the columns that no test can say anything of.

    With most="auto" there are as many rows as `affordable_rows` says. Columns that are trivial are left out unless they
    are to be kept or are given. Rows that are not in the order of the table say nothing of how they depend on each
    other. With `difference` columns of numbers are their steps from row to row.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        whole = read(*data, target=target, groups=groups, kinds=kinds, missing="pairwise", pairwise=True, fewest_rows=0)
    notes = [str(warning.message) for warning in caught]
    everything, targets, rows = dict(whole.columns), whole.targets, whole.rows
    clusters = _clusters(cluster, whole)
    if isinstance(cluster, str):
        del everything[cluster]
    if difference:
        everything, rows = differences(everything), rows - 1
        clusters = None if clusters is None else clusters[1:]
        notes.append(DIFFERENCES)
    check_names("keep", keep, everything)
    check_names("given", given, everything)
    chosen = None
    limit = affordable_rows(len(everything) - len(targets), len(targets)) if isinstance(most, str) else most
    if limit is not None and rows > limit:
        chosen = np.sort(np.random.default_rng(seed).permutation(rows)[:limit])
        note = f"Tests and values come from a random sample of {limit:,} of {rows:,} rows."
        if isinstance(most, str):
            note += f" All rows (max_rows=None, --max-rows 0) would take about {rows / limit:.0f} times as long."
        notes.append(note)
    columns, usable = [], {}
    for name, parts in everything.items():
        entry = _describe(name, parts, chosen)
        columns.append(entry)
        if not entry["notes"]:
            usable[name] = parts
    for name in targets:
        if name not in usable:
            reason = next(entry["notes"][0] for entry in columns if entry["name"] == name)
            raise value_error("target", "a column that varies", f"{describe(name)}, {reason}")
    if len(usable) < 2:
        reasons = "; ".join(f"{entry['name']}: {entry['notes'][0]}" for entry in columns[:5] if entry["notes"])
        got = f"{len(usable)}" + f" ({reasons})" * bool(reasons)
        raise value_error("data", "at least 2 columns that vary", got)
    coded = coded_columns(usable)
    with np.errstate(all="ignore"):  # of numbers near the ends of the range of floats nothing is found
        roles = find_roles(coded, {*keep, *given, *(kinds or ())}, targets)
    if len(usable) - len(roles.left_out) < 2:  # two columns, one of which counts the rows, are what there is to compare
        roles = Roles()
    for entry in columns:
        if entry["name"] in roles.left_out:
            entry["notes"].append(roles.left_out[entry["name"]])
            del usable[entry["name"]]
    notes += _left_out(columns)
    if roles.left_out:
        notes.append(f"keep={next(iter(roles.left_out))!r} brings back a column that was left out as trivial.")
    notes += _maybe_labels([column for name, column in coded.items() if name in usable and name not in (kinds or ())])
    with np.errstate(all="ignore"):
        dependent = rows_that_depend(coded, roles) if ordered else []
    kept = {name: _on_rows(parts, chosen) for name, parts in usable.items()}
    wanted = {name: kept.pop(name) for name in targets}
    if not kept:
        raise value_error("target", "some column beside the targets that varies", "none")
    table = table_from_columns(kept | wanted, targets=targets, library=whole.library).as_numpy()
    table = replace(table, pairwise=not table.presence.complete, columns={})
    if clusters is not None:
        labels = clusters if len(clusters) != rows or chosen is None else np.asarray(clusters)[chosen]
        clusters = cluster_codes(labels, table.rows)
    return Reading(table, rows, columns, notes, usable, roles.known, dependent, clusters)


def _clusters(cluster: Any, table: Table) -> Any:
    """One label a row, or those of the column that names the clusters."""
    if not isinstance(cluster, str):
        return None if cluster is None else to_numpy(cluster)
    check_names("cluster", [cluster], table.names[: table.free])
    own = table.variables[table.names.index(cluster)]
    if own.rows < table.rows:
        raise value_error("cluster", "a label for every row", f"missing values in {describe(cluster)}")
    return level_codes(own)


def _left_out(columns: list[dict[str, Any]]) -> list[str]:
    """Name the columns that are not looked at, each with the reason."""
    reasons: dict[str, list[str]] = {}
    for entry in columns:
        if entry["notes"]:
            reasons.setdefault(entry["notes"][-1], []).append(describe(entry["name"]))
    said = []
    for reason, names in reasons.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        said.append(f"{', '.join(names[:_MOST_NAMED])}{more} ({reason})")
    return [f"Left out: {'; '.join(said)}."] if said else []


def _maybe_labels(columns: Iterable[Coded]) -> list[str]:
    """A question about whole numbers of few values, which may stand for kinds of things."""
    few = [
        column.name
        for column in columns
        if column.whole and column.unit is None and _FEWEST_KINDS <= column.distinct <= _MOST_KINDS
    ]
    if not few:
        return []
    return [f"Whole numbers of few values are read as numbers: {listing(few)}. {LABEL_ADVICE.format(few[0])}"]


def affordable_rows(variables: int, targets: int) -> int:
    """Rows of which all pairs can be tested by `PAIR_WORK` multiplications and additions.

    Counted, not timed: a scan looks at the same rows on every machine.

    Examples
    --------
    >>> affordable_rows(30, 0) > 1_000_000, affordable_rows(1000, 0)
    (True, 4962)
    """
    pairs = variables * targets if targets else variables * (variables - 1) // 2
    return max(FEWEST_SCANNED_ROWS, int(PAIR_WORK / (max(pairs, 1) * work_of_pair())))


def _on_rows(parts: list[Column], chosen: NDArray[np.intp] | None) -> list[Column]:
    return parts if chosen is None else [part.take(chosen) for part in parts]


def _describe(name: str, parts: list[Column], chosen: NDArray[np.intp] | None) -> dict[str, Any]:
    """A variable of all rows, and why it is left out of a scan of these rows if it is."""
    times = _times(parts)
    reasons = _reasons(parts, times)
    if chosen is not None and not reasons:
        sample = _on_rows(parts, chosen)
        reasons = [f"{reason}, in the sample of rows" for reason in _reasons(sample, _times(sample))]
    kinds = {part.kind for part in parts}
    present = int(times.sum())
    return {
        "name": name,
        "kind": kinds.pop() if len(kinds) == 1 else "mixed",
        "n": present,
        "missing": parts[0].rows - present,
        "distinct": len(times),
        "members": [part.name for part in parts] if len(parts) > 1 or parts[0].name != name else [],
        "notes": reasons,
    }


def _times(parts: list[Column]) -> NDArray[np.intp]:
    """How often each different value of a variable occurs; objects differ."""
    present = ~np.logical_or.reduce([part.missing for part in parts])
    if any(part.kind == "object" for part in parts):
        return np.ones(int(present.sum()), dtype=np.intp)
    values = np.column_stack([to_numpy(part.values).astype(np.float64) for part in parts])[present]
    return np.unique(values, axis=0 if values.shape[1] > 1 else None, return_counts=True)[1]


def _reasons(parts: list[Column], times: NDArray[np.intp]) -> list[str]:
    """Why a variable is left out; empty if it takes part."""
    present = int(times.sum())
    if any(part.kind == "object" for part in parts):
        return ["values that are neither numbers, times nor labels"]
    if present < FEWEST_ROWS:
        return [f"a value in {count(present, 'row')} only"]
    if len(times) < 2:
        return ["constant"]
    if all(part.kind == "categorical" for part in parts):
        if len(times) == present:
            return ["a label of its own in every row"]
        if hardly_shared(times):
            return ["too few rows with the same label"]
    return []


def sample_rows(sources: Columns, names: Iterable[str], rng: np.random.Generator | None) -> dict[str, Any]:
    """Some rows of some variables, as a report draws them: drawn at random, or without a generator the first ones.

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read({"a": [1.5, 2.0], "b": ["x", None]}, missing="pairwise", pairwise=True, fewest_rows=0)
    >>> sample_rows(table.columns, ["a", "b"], np.random.default_rng(0))["columns"]["b"]
    {'codes': [0, None], 'levels': ['x']}
    """
    rows = next(iter(sources.values()))[0].rows
    order = np.arange(rows) if rng is None else rng.permutation(rows)
    chosen = np.sort(order[:SAMPLE_ROWS])
    columns = {name: _sampled([part.take(chosen) for part in sources[name]]) for name in dict.fromkeys(names)}
    return {"rows": len(chosen), "total": rows, "columns": columns}


def _sampled(parts: list[Column]) -> dict[str, Any]:
    numbers = [part for part in parts if part.kind == "continuous"]
    if not numbers:
        return _sampled_labels(parts[0])
    missing = np.logical_or.reduce([part.missing for part in numbers])
    values = np.column_stack([to_numpy(part.values).astype(np.float64) for part in numbers])
    shown: dict[str, Any] = {"values": _with_gaps(_axis(values, missing), missing)}
    if values.shape[1] > 1:
        shown["label"] = "first principal axis of " + ", ".join(part.name for part in numbers)
    return shown


def _sampled_labels(part: Column) -> dict[str, Any]:
    """Codes and levels, the most frequent first; pictures join what they have no room for."""
    codes = to_numpy(part.values)
    counts = np.bincount(codes[~part.missing], minlength=len(part.levels))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    rank = np.zeros(len(counts), dtype=int)
    rank[order] = np.arange(len(order))
    levels = [str(part.levels[code]) for code in order]
    shown = [None if gap else int(rank[code]) for code, gap in zip(codes, part.missing, strict=True)]
    return {"codes": shown, "levels": levels}


def _axis(values: NDArray[np.float64], missing: NDArray[np.bool_]) -> NDArray[np.float64]:
    """A column itself; of several, standardised, the direction in which they vary most."""
    if values.shape[1] == 1:
        return values[:, 0]
    present = values[~missing]
    spread = present.std(axis=0)
    scaled = (values - present.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    axis = np.linalg.svd(scaled[~missing], full_matrices=False)[2][0]
    direction: NDArray[np.float64] = scaled @ (axis * np.sign(axis[np.argmax(np.abs(axis))]))
    return direction


def _with_gaps(values: NDArray[np.float64], missing: NDArray[np.bool_]) -> list[float | None]:
    return [None if gap else float(f"{value:.6g}") for value, gap in zip(values, missing, strict=True)]
