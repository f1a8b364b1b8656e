"""What is compared: several tables, one table by a column or by windows of time, or profiles; columns side by side."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, check_option, describe, type_error, value_error
from shearer.comparing.compared_groups import FEWEST_PAIR_ROWS, Group, OwnColumn, TableGroup
from shearer.comparing.group_labels import WINDOWS, cluster_units, group_labels, window_labels
from shearer.comparing.profile import Profile
from shearer.comparing.side_by_side import Part, side_by_side
from shearer.data import read
from shearer.data.arrays import to_numpy
from shearer.data.columns import Columns
from shearer.data.named_columns import Kinds
from shearer.data.sources import library_of
from shearer.report.wording import count, plain_name
from shearer.sketching.opened_rows import comes_in_chunks

Indices = NDArray[np.intp]

#: Groups that can be compared at once.
MOST_GROUPS = 60


@dataclass(frozen=True, eq=False)
class ReadGroups:
    """Groups and the columns that they have in common.

    Attributes
    ----------
    groups : tuple of Group
        At least two.
    kinds : dict of str -> str
        Columns that are compared -> "number" or "label".
    remarks : dict of str -> list of str
        What is to be said of columns; those that are in `kinds` and others.
    levels : dict of str -> tuple of str
        Of labels.
    notes : list of str
        What a reader should know.
    library : str
        Whose tables the caller uses.
    """

    groups: tuple[Group, ...]
    kinds: dict[str, str]
    remarks: dict[str, list[str]]
    levels: dict[str, tuple[str, ...]]
    notes: list[str]
    library: str


def read_groups(
    data: tuple[Any, ...],
    *,
    by: str | None,
    every: str | None,
    names: Sequence[str] | None,
    kinds: Mapping[str, str] | None,
    keep: Collection[str],
    cluster: str | None,
    paired: bool,
    memory: str | float | None,
) -> ReadGroups:
    """Read what `compare` is given; parameters as there."""
    for item in data:
        if comes_in_chunks(item):
            hint = "Read a sample of it into a table, or one part at a time."
            raise type_error("data", "tables in memory", "rows that are read in chunks", hint)
    notes: list[str] = []
    parts = _by_column(data, by, every, kinds, cluster, notes) if by is not None else _several(data, names, kinds)
    if by is None and every is not None:
        raise value_error("every", "by=, a column of dates", "none")
    if cluster is not None or paired:
        _match(parts, cluster, paired)
    if len(parts) > MOST_GROUPS:
        hint = "Name a column of fewer values, or windows of time by every=." if by else ""
        raise value_error("by" if by else "data", f"at most {MOST_GROUPS} groups", f"{len(parts)}", hint)
    remarks = _missing_somewhere(parts)
    shared = [name for name in parts[0].names if all(name in part.names for part in parts)]
    columns, levels = side_by_side(parts, shared, keep, remarks)
    if not columns:
        hint = "Columns of one name are compared." if not shared else ""
        raise value_error("data", "columns that all groups have", "none that can be compared", hint)
    units: list[Indices] | None = None
    total = 0
    if parts[0].units is not None:
        units, total = cluster_units([part.units or [] for part in parts])
    groups: list[Group] = []
    for place, part in enumerate(parts):
        if part.profile is not None:
            groups.append(part.profile.among(part.name, levels))
        else:
            own = {name: columns[name][place] for name in columns}
            found = {name: column for name, column in own.items() if column is not None}
            clusters = None if units is None else units[place]
            groups.append(TableGroup(part.name, found, part.rows, clusters, total, memory))
    tables = tuple(item for item in data if not isinstance(item, Profile))
    known = {name: _kind(name, columns[name], groups) for name in columns}
    return ReadGroups(tuple(groups), known, remarks, levels, notes, library_of(tables))


def read_group(
    table: Any, name: str, kinds: Mapping[str, str] | None, memory: str | float | None
) -> tuple[TableGroup, dict[str, tuple[str, ...]]]:
    """One table by itself, for its profile; and the levels of its labels."""
    sources = _columns_of(table, kinds)
    part = Part(name, sources, next(iter(sources.values()))[0].rows)
    if part.rows < FEWEST_PAIR_ROWS:
        raise value_error("table", f"at least {FEWEST_PAIR_ROWS} rows", f"{part.rows}")
    columns, levels = side_by_side([part], list(sources), (), {})
    own = {column: made[0] for column, made in columns.items() if made[0] is not None}
    if not own:
        raise value_error("table", "columns that can be compared", "none")
    chosen = {column: texts for column, texts in levels.items() if own[column].kind == "label"}
    return TableGroup(name, own, part.rows, memory=memory), chosen


def _columns_of(table: Any, kinds: Kinds | None) -> Columns:
    """Read the columns of a table with all their rows, missing values included."""
    return read(table, kinds=kinds, missing="pairwise", pairwise=True, fewest_rows=0).columns


def _kind(name: str, columns: Sequence[OwnColumn | None], groups: Sequence[Group]) -> str:
    found = [column.kind for column in columns if column is not None]
    return found[0] if found else next(group.kinds[name] for group in groups if isinstance(group, Profile))


def _several(data: tuple[Any, ...], names: Sequence[str] | None, kinds: Mapping[str, str] | None) -> list[Part]:
    if len(data) < 2:
        hint = "For groups of one table name the column: by=."
        raise type_error("data", "at least two tables", f"{len(data)}", hint)
    called = list(names) if names is not None else [_default_name(item, place) for place, item in enumerate(data)]
    if len(called) != len(data) or len({*called}) < len(called) or not all(isinstance(name, str) for name in called):
        raise value_error("names", f"{len(data)} different names", describe(called))
    parts = []
    for name, item in zip(called, data, strict=True):
        if isinstance(item, Profile):
            parts.append(Part(name, {}, item.rows, profile=item))
            continue
        sources = _columns_of(item, lambda here: {name: kind for name, kind in (kinds or {}).items() if name in here})
        parts.append(Part(name, sources, next(iter(sources.values()))[0].rows))
    everywhere = {name for part in parts for name in part.names}
    check_names("kinds", kinds or (), everywhere)
    for part in parts:
        if part.rows < FEWEST_PAIR_ROWS:
            raise value_error(
                "data", f"at least {FEWEST_PAIR_ROWS} rows in each table", f"{part.rows} in {part.name!r}"
            )
    return parts


def _default_name(item: Any, place: int) -> str:
    if isinstance(item, Profile):
        return item.name
    return chr(ord("a") + place) if place < 26 else f"table {place + 1}"


def _by_column(
    data: tuple[Any, ...],
    by: str,
    every: str | None,
    kinds: Mapping[str, str] | None,
    cluster: str | None,
    notes: list[str],
) -> list[Part]:
    if len(data) != 1 or isinstance(data[0], Profile):
        raise type_error("data", "one table with by=", f"{len(data)}")
    if cluster == by:
        raise value_error("cluster", "another column than by", describe(cluster))
    sources = _columns_of(data[0], kinds)
    check_names("by", [by], sources)
    if every is not None:
        labels = window_labels(data[0], by, check_option("every", every, tuple(WINDOWS)))
    else:
        labels = group_labels(sources[by][0], MOST_GROUPS)
    without = sum(label is None for label in labels)
    if without:
        notes.append(f"{count(without, 'row')} without a value of {plain_name(by)} left out.")
    places: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if label is not None:
            places.setdefault(label, []).append(row)
    kept = {label: rows for label, rows in places.items() if len(rows) >= FEWEST_PAIR_ROWS}
    if len(kept) < len(places):
        small = sorted({*places} - {*kept})
        shown = ", ".join(plain_name(label) for label in small[:5]) + (", ..." if len(small) > 5 else "")
        notes.append(f"{count(len(small), 'group')} of fewer than {FEWEST_PAIR_ROWS} rows left out: {shown}.")
    if len(kept) < 2:
        got = f"{len(kept)} in {describe(by)}"
        raise value_error("by", f"at least two groups of {FEWEST_PAIR_ROWS} rows or more", got)
    others = {name: own for name, own in sources.items() if name != by}
    if not others:
        raise value_error("data", f"columns beside {describe(by)}", "none")
    parts = []
    for label in kept if every or all(_is_number(label) for label in kept) else sorted(kept):
        rows = np.array(kept[label], dtype=np.intp)
        parts.append(Part(label, {n: [p.take(rows) for p in own] for n, own in others.items()}, len(rows)))
    if every or all(_is_number(part.name) for part in parts):
        parts.sort(key=lambda part: (0.0, part.name) if every else (float(part.name), part.name))
    return parts


def _match(parts: list[Part], cluster: str | None, paired: bool) -> None:
    """Say of every row which cluster it belongs to."""
    if any(part.profile is not None for part in parts):
        name = "paired" if paired else "cluster"
        raise value_error(name, "tables", "a profile, which has no rows")
    if paired:
        if cluster is not None:
            raise value_error("paired", "no cluster", describe(cluster), "A cluster tells which rows belong together.")
        sizes = {part.rows for part in parts}
        if len(sizes) > 1:
            got = ", ".join(f"{part.rows}" for part in parts)
            hint = "Rows are matched by their order; name a column that matches them by cluster=."
            raise value_error("paired", "tables of the same number of rows", got, hint)
        for part in parts:
            part.units = [str(row) for row in range(part.rows)]
        return
    for part in parts:
        check_names("cluster", [cluster], part.sources)
        own = part.sources.pop(str(cluster))[0]
        if own.missing.any():
            hint = "Drop the rows without one."
            raise value_error("cluster", "a label for every row", f"{int(own.missing.sum())} missing", hint)
        part.units = (
            [str(own.levels[code]) for code in own.values]
            if own.kind != "continuous"
            else [repr(float(value)) for value in to_numpy(own.values)[:, 0]]
        )


def _missing_somewhere(parts: Sequence[Part]) -> dict[str, list[str]]:
    """Columns that only some groups have."""
    remarks: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for part in parts for name in part.names):
        having = [part.name for part in parts if name in part.names]
        if len(having) < len(parts):
            remarks[name] = [f"only in {', '.join(plain_name(own) for own in having)}: not compared"]
    return remarks


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
