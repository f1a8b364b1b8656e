"""The columns of several tables side by side: which can be compared, as what, with the same codes for labels."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names
from shearer.comparing.compared_groups import OwnColumn
from shearer.comparing.profile import Profile
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column, Columns
from shearer.report.wording import count, plain_name
from shearer.scanning.columns.coded import coded_columns
from shearer.scanning.columns.roles import identifies_rows

Floats = NDArray[np.float64]

#: Numbers of at most so many different values are compared as labels.
FEW_VALUES = 10
# Labels of a column of which every row has its own are of no use; beyond so many none are kept apart.
_MOST_LEVELS = 1000


@dataclass(eq=False)
class Part:
    """A table or a part of one, before its columns are brought together with those of the others."""

    name: str
    sources: Columns
    rows: int
    units: list[str] | None = None
    profile: Profile | None = None

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
    """Columns that can be compared, one for each group (none for a profile), with the same codes."""
    check_names("keep", keep, shared)
    found: dict[str, list[OwnColumn | None]] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for name in shared:
        profiles = [part.profile for part in parts if part.profile is not None]
        own = [part.sources[name] for part in parts if part.profile is None]
        reason = _left_out(name, own, parts, keep)
        if reason is not None:
            remarks.setdefault(name, []).append(reason)
            continue
        columns = [item[0] for item in own]
        kind = {column.kind for column in columns}
        numeric = kind == {"continuous"} if columns else profiles[0].numeric[name]
        texts: tuple[str, ...] = ()
        if numeric and not profiles:
            values = [to_numpy(column.values)[:, 0] for column in columns]
            distinct = np.unique(np.concatenate([own_values[np.isfinite(own_values)] for own_values in values]))
            few = len(distinct) <= FEW_VALUES and name not in keep
        elif numeric:
            few = profiles[0].kinds[name] == "label"
            distinct = np.unique(
                np.concatenate([np.empty(0), *(to_numpy(column.values)[~column.missing, 0] for column in columns)])
            )
        else:
            few, distinct = False, np.empty(0)
        if profiles and not _fits(profiles, name, numeric, few):
            remarks.setdefault(name, []).append("of another kind in the profile: not compared")
            continue
        if few:
            texts = tuple(f"{value:.12g}" for value in distinct)
            remarks.setdefault(name, []).append(f"a number of {count(len(texts), 'value')}: compared as labels")
        elif not numeric:
            texts = tuple(dict.fromkeys(str(column.levels[k]) for column in columns for k in _used(column)))
        for profile in profiles:
            texts = (*texts, *(text for text in profile.levels.get(name, ()) if text not in {*texts}))
        if len(texts) > _MOST_LEVELS:
            remarks.setdefault(name, []).append(f"{len(texts):,} different labels: not compared")
            continue
        levels[name] = texts
        made = iter([_own(column, texts, distinct, numeric=numeric, few=few) for column in columns])
        found[name] = [None if part.profile is not None else next(made) for part in parts]
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


def _own(column: Column, texts: tuple[str, ...], distinct: Floats, *, numeric: bool, few: bool) -> OwnColumn:
    if numeric:
        values = np.where(column.missing, np.nan, to_numpy(column.values)[:, 0].astype(np.float64))
        codes = np.empty(0, dtype=np.intp)
        if few:
            place = {text: k for k, text in enumerate(texts)}
            own = np.array([place[f"{value:.12g}"] for value in distinct], dtype=np.intp)
            codes = np.full(len(values), -1, dtype=np.intp)
            codes[~column.missing] = own[np.searchsorted(distinct, values[~column.missing])]
        return OwnColumn("label" if few else "number", values, codes, texts, True, column.time)
    place = {text: k for k, text in enumerate(texts)}
    table = np.array([place.get(str(level), -1) for level in column.levels] + [-1], dtype=np.intp)
    codes = table[np.where(column.missing, len(column.levels), np.asarray(column.values))]
    return OwnColumn("label", np.empty(len(codes)), codes, texts, False)
