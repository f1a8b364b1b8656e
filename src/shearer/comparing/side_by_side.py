"""The columns of several tables side by side: which can be compared, as what, with the same codes for labels."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shearer._validate import check_names
from shearer.comparing.chunked_groups import Looked
from shearer.comparing.own_columns import FEW_VALUES, MOST_LEVELS, OwnColumn, own_column
from shearer.comparing.profile import Profile
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column, Columns
from shearer.report.wording import count, plain_name
from shearer.scanning.columns.coded import coded_columns
from shearer.scanning.columns.roles import identifies_rows


@dataclass(eq=False)
class Part:
    """A table or a part of one, before its columns are brought together with those of the others.

    Attributes
    ----------
    name : str
        What it is called.
    sources : Columns
        Its columns, those of a sample where rows are read in chunks.
    rows : int
        How many rows it has.
    units : list of str, optional
        The cluster of every row.
    profile : Profile, optional
        What stands for it.
    looked : Looked, optional
        The source whose chunks have its rows.
    table : table, optional
        What the caller passed, or the sample.
    """

    name: str
    sources: Columns
    rows: int
    units: list[str] | None = None
    profile: Profile | None = None
    looked: Looked | None = None
    table: Any = None

    @property
    def names(self) -> Collection[str]:
        """The columns that it has."""
        return self.profile.kinds if self.profile is not None else self.sources


def side_by_side(
    parts: Sequence[Part],
    shared: Sequence[str],
    keep: Collection[str],
    remarks: dict[str, list[str]],
) -> tuple[dict[str, list[OwnColumn | None]], dict[str, tuple[str, ...]]]:
    """Columns that can be compared, one for each group (none without rows in memory), with the same codes."""
    check_names("keep", keep, shared)
    chunked = [part.looked.seen for part in parts if part.looked is not None]
    found: dict[str, list[OwnColumn | None]] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for name in shared:
        profiles = [part.profile for part in parts if part.profile is not None]
        own = [part.sources[name] for part in parts if part.profile is None]
        reason = _left_out(name, own, parts, keep)
        if reason is not None:
            remarks.setdefault(name, []).append(reason)
            continue
        kind = {item[0].kind for item in own}
        numeric = kind == {"continuous"} if own else profiles[0].numeric[name]
        columns = [part.sources[name][0] for part in parts if part.profile is None and part.looked is None]
        texts: tuple[str, ...] = ()
        few, distinct = False, np.empty(0)
        if numeric:
            known = [to_numpy(column.values)[~column.missing, 0] for column in columns]
            distinct = np.unique(np.concatenate([distinct, *known, *(seen.numbers(name) for seen in chunked)]))
            few = profiles[0].kinds[name] == "label" if profiles else len(distinct) <= FEW_VALUES and name not in keep
        # Of chunks no more than a few different values are known.
        unknown = few and any(len(seen.numbers(name)) > FEW_VALUES for seen in chunked)
        if unknown or (profiles and not _fits(profiles, name, numeric, few)):
            remarks.setdefault(name, []).append("of another kind in the profile: not compared")
            continue
        if few:
            texts = tuple(f"{value:.12g}" for value in distinct)
            remarks.setdefault(name, []).append(f"a number of {count(len(texts), 'value')}: compared as labels")
        elif not numeric:
            used = [str(column.levels[k]) for column in columns for k in _used(column)]
            texts = tuple(dict.fromkeys([*used, *(label for seen in chunked for label in seen.labels(name))]))
        for profile in profiles:
            texts = (*texts, *(text for text in profile.levels.get(name, ()) if text not in {*texts}))
        if len(texts) > MOST_LEVELS:
            remarks.setdefault(name, []).append(f"more than {MOST_LEVELS:,} different labels: not compared")
            continue
        levels[name] = texts
        made = iter([own_column(column, texts, distinct, numeric=numeric, few=few) for column in columns])
        found[name] = [None if part.profile is not None or part.looked is not None else next(made) for part in parts]
    return found, levels


def _fits(profiles: Sequence[Profile], name: str, numeric: bool, few: bool) -> bool:
    wanted = "number" if numeric and not few else "label"
    return all(profile.kinds[name] == wanted and profile.numeric[name] == numeric for profile in profiles)


def _left_out(name: str, own: Sequence[list[Column]], parts: Sequence[Part], keep: Collection[str]) -> str | None:
    """Why a column cannot be compared, if it cannot."""
    columns = [part for item in own for part in item]
    kinds = {column.kind for column in columns if not column.missing.all()}
    if any(len(item) > 1 for item in own) or any(
        column.values.ndim == 2 and column.values.shape[1] > 1 for column in columns
    ):
        return "several numbers in one column: not compared"
    if "object" in kinds:
        return "neither numbers nor labels: not compared"
    if len(kinds) > 1:
        words = {"continuous": "numbers", "categorical": "labels"}
        tables = [part for part in parts if part.profile is None]
        said = [f"{words[item[0].kind]} in {plain_name(part.name)}" for item, part in zip(own, tables, strict=True)]
        return f"{', '.join(said)}: not compared"
    if any(column.missing.all() for column in columns):
        return "no value in a group: not compared"
    if name in keep:
        return None
    reasons = [identifies_rows(coded_columns({name: item})[name]) for item in own if item[0].rows]
    if reasons and all(reason is not None for reason in reasons):
        return f"{reasons[0]}: not compared"
    if len(columns) and columns[0].kind == "categorical":
        rows = sum(column.rows for column in columns)
        if len({str(column.levels[k]) for column in columns for k in _used(column)}) > max(20, 0.9 * rows):
            return "a label of its own in nearly every row: not compared"
    return None


def _used(column: Column) -> list[int]:
    codes = np.asarray(column.values)[~column.missing]
    return [int(code) for code in np.unique(codes)]
