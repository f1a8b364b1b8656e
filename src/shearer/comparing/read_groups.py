"""What is compared: several tables, one table by a column or by windows of time, or profiles; columns side by side."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, check_option, describe, type_error, value_error
from shearer.comparing.chunked_groups import SAMPLE_ROWS, chunked_group, look_at, opened
from shearer.comparing.compared_groups import FEWEST_PAIR_ROWS, Group, TableGroup
from shearer.comparing.group_labels import WINDOWS, cluster_units, group_labels, window_labels
from shearer.comparing.own_columns import NUMBER_BINS, OwnColumn
from shearer.comparing.profile import Profile
from shearer.comparing.side_by_side import Part, side_by_side
from shearer.data import read
from shearer.data.arrays import to_numpy
from shearer.data.columns import Columns
from shearer.data.named_columns import Kinds
from shearer.data.sources import library_of
from shearer.report.wording import count, plain_name

Indices = NDArray[np.intp]

#: Groups that can be compared at once, and triples of columns that are tested.
MOST_GROUPS, MOST_TRIPLES = 60, 20_000


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
    triples: bool = False,
    progress: bool | None = None,
) -> ReadGroups:
    """Read what `compare` is given; parameters as there."""
    notes: list[str] = []
    if by is not None:
        parts = _by_column(data, by, every, kinds, cluster, notes)
    else:
        parts = _several(data, names, kinds, progress)
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
    if triples:
        _check_triples(parts, columns)
    units: list[Indices] | None = None
    total = 0
    if parts[0].units is not None:
        units, total = cluster_units([part.units or [] for part in parts])
    groups: list[Group] = []
    for place, part in enumerate(parts):
        if part.profile is not None:
            groups.append(part.profile.among(part.name, levels))
        elif part.looked is not None:
            known = {name: "label" if levels[name] else "number" for name in columns}
            groups.append(
                chunked_group(part.name, part.looked, known, levels, triples=triples, memory=memory, progress=progress)
            )
            notes += _chunk_notes(part)
        else:
            own = {name: columns[name][place] for name in columns}
            found = {name: column for name, column in own.items() if column is not None}
            clusters = None if units is None else units[place]
            groups.append(TableGroup(part.name, found, part.rows, clusters, total, memory))
    tables = tuple(part.table for part in parts if part.table is not None)
    chosen = {name: _kind(name, columns[name], groups) for name in columns}
    return ReadGroups(tuple(groups), chosen, remarks, levels, notes, library_of(tables))


def read_group(
    table: Any, name: str, kinds: Mapping[str, str] | None, memory: str | float | None, progress: bool | None = None
) -> tuple[TableGroup | Profile, dict[str, tuple[str, ...]]]:
    """One table by itself, for its profile, or what stands for rows that are read in chunks; and levels of labels."""
    part = _part(name, table, kinds, progress)
    if part.rows < FEWEST_PAIR_ROWS:
        raise value_error("table", f"at least {FEWEST_PAIR_ROWS} rows", f"{part.rows}")
    columns, levels = side_by_side([part], list(part.sources), (), {})
    if not columns:
        raise value_error("table", "columns that can be compared", "none")
    if part.looked is not None:
        known = {column: "label" if levels[column] else "number" for column in columns}
        found = chunked_group(name, part.looked, known, levels, memory=memory, progress=progress)
        return found, dict(found.levels)
    own = {column: made[0] for column, made in columns.items() if made[0] is not None}
    chosen = {column: texts for column, texts in levels.items() if own[column].kind == "label"}
    return TableGroup(name, own, part.rows, memory=memory), chosen


def _part(name: str, item: Any, kinds: Kinds | None, progress: bool | None) -> Part:
    """A table, a profile, or rows that are read in chunks: where they are few they are a table too."""
    if isinstance(item, Profile):
        return Part(name, {}, item.rows, profile=item)
    rows = opened(item)
    if rows is None:
        sources = _columns_of(item, kinds)
        return Part(name, sources, next(iter(sources.values()))[0].rows, table=item)
    looked = look_at(rows, kinds, progress)
    return Part(name, looked.sources, looked.count, looked=None if looked.whole else looked, table=looked.frame)


def _check_triples(parts: Sequence[Part], columns: Collection[str]) -> None:
    """Refuse what has no counts of triples, and more triples than are tested, before anything is computed."""
    for part in parts:
        if part.profile is not None:
            hint = "A profile keeps pairs only; compare the tables themselves."
            raise value_error("triples", "tables", f"a profile ({part.name})", hint)
    total = math.comb(len(columns), 3)
    if total > MOST_TRIPLES:
        hint = "Compare fewer columns at a time."
        raise value_error("triples", f"at most {MOST_TRIPLES:,} triples", f"{total:,}", hint)


def _chunk_notes(part: Part) -> list[str]:
    return [
        f"{plain_name(part.name)}: columns, pairs and triples are compared by all {part.rows:,} rows, read in chunks, "
        f"numbers in up to {NUMBER_BINS} bins; strengths, their intervals and which pairs depend within the group come "
        f"from a random sample of {SAMPLE_ROWS:,} rows, as do pictures."
    ]


def _columns_of(table: Any, kinds: Kinds | None) -> Columns:
    """Read the columns of a table with all their rows, missing values included."""
    return read(table, kinds=kinds, missing="pairwise", pairwise=True, fewest_rows=0).columns


def _kind(name: str, columns: Sequence[OwnColumn | None], groups: Sequence[Group]) -> str:
    found = [column.kind for column in columns if column is not None]
    return found[0] if found else next(group.kinds[name] for group in groups if isinstance(group, Profile))


def _several(
    data: tuple[Any, ...], names: Sequence[str] | None, kinds: Mapping[str, str] | None, progress: bool | None
) -> list[Part]:
    if len(data) < 2:
        hint = "For groups of one table name the column: by=."
        raise type_error("data", "at least two tables", f"{len(data)}", hint)
    called = list(names) if names is not None else [_default_name(item, place) for place, item in enumerate(data)]
    if len(called) != len(data) or len({*called}) < len(called) or not all(isinstance(name, str) for name in called):
        raise value_error("names", f"{len(data)} different names", describe(called))
    parts = [_part(name, item, partial(_among, kinds or {}), progress) for name, item in zip(called, data, strict=True)]
    everywhere = {name for part in parts for name in part.names}
    check_names("kinds", kinds or (), everywhere)
    for part in parts:
        if part.rows < FEWEST_PAIR_ROWS:
            raise value_error(
                "data", f"at least {FEWEST_PAIR_ROWS} rows in each table", f"{part.rows} in {part.name!r}"
            )
    return parts


def _among(kinds: Mapping[str, str], here: Collection[str]) -> dict[str, str]:
    return {name: kind for name, kind in kinds.items() if name in here}


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
    if opened(data[0]) is not None:
        hint = "Pass the groups one by one, such as two queries, or read the table."
        raise type_error("data", "a table in memory with by=", "rows that are read in chunks", hint)
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
        taken = {n: [p.take(rows) for p in own] for n, own in others.items()}
        parts.append(Part(label, taken, len(rows), table=data[0]))
    if every or all(_is_number(part.name) for part in parts):
        parts.sort(key=lambda part: (0.0, part.name) if every else (float(part.name), part.name))
    return parts


def _match(parts: list[Part], cluster: str | None, paired: bool) -> None:
    """Say of every row which cluster it belongs to."""
    if any(part.profile is not None for part in parts):
        name = "paired" if paired else "cluster"
        raise value_error(name, "tables", "a profile, which has no rows")
    if any(part.looked is not None for part in parts):
        name = "paired" if paired else "cluster"
        raise value_error(name, "tables in memory", "rows that are read in chunks")
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
