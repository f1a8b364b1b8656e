"""Variables at the door: whatever the user passes becomes named variables of equal length, once."""

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, check_option, describe, type_error, value_error
from shearer.data.arrays import is_array
from shearer.data.columns import Column, as_kind
from shearer.data.sources import (
    holds_variables,
    is_frame,
    open_source,
    read_frame,
    read_matrix_columns,
    read_opened,
    series_name,
)
from shearer.data.variables import Variable, Variables, common_library, join_blocks

# Name -> columns of each variable.
Sources: TypeAlias = dict[str, list[Column]]

MISSING = ("error", "drop")
# What users call a kind -> what it is.
KINDS = {"continuous": "continuous", "categorical": "categorical", "number": "continuous", "label": "categorical"}
# Fewer rows than this with more columns than this look like a table lying on its side.
_FEW_ROWS = 10


def read_variables(
    *data: Any,
    given: Any = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    vector: bool = False,
) -> Variables:
    """Read data and conditioning data into variables.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Several arguments: one variable each. One frame, mapping or 2-D array: one variable for each column.
    given : optional
        Conditioning variables: names (of arrays: x1, x2, ...), an array-like, a tuple of them, a mapping or a frame.
    groups : mapping, optional
        New name -> column names that form one vector variable.
    missing : {"error", "drop"}
        What to do with rows that lack a value.
    vector : bool
        Read a single 2-D array or frame as one vector variable instead of one variable for each column.
    """
    check_option("missing", missing, MISSING)
    grouping = _check_groups(groups)
    sources, named, is_table = _read_data(data, vector=vector and not grouping)
    sources = _group(sources, grouping)
    conditions = _read_given(given, sources, named=named)
    sources = {name: parts for name, parts in sources.items() if name not in conditions}
    if not sources:
        raise value_error("given", "some variable to be left", "all of them")
    if vector and is_table and not grouping:
        sources = {_unused("x1", conditions): [part for parts in sources.values() for part in parts]}
    sources |= conditions
    columns = [part for parts in sources.values() for part in parts]
    _check_lengths(columns)
    keep, dropped = _present_rows(columns, missing)
    if dropped:
        sources = {name: [part.take(keep) for part in parts] for name, parts in sources.items()}
    xp, like = common_library([part for parts in sources.values() for part in parts])
    items = tuple(Variable(name, join_blocks(parts, xp, like)) for name, parts in sources.items())
    return Variables(items, tuple(conditions), len(keep), dropped, like)


def read_sources(
    data: tuple[Any, ...],
    given: Any = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    fewest: int = 2,
) -> tuple[Sources, Sources]:
    """The columns of every variable with all their rows, missing ones too; and of those conditioned on.

    Parameters
    ----------
    data, given, groups
        As in `read_variables`.
    kinds : mapping, optional
        Column -> "continuous" or "number", "categorical" or "label", where what it looks like is not what it is.
    fewest : int
        Rows that there must be.
    """
    sources, named, _ = _read_data(data, vector=False)
    for name, kind in _check_kinds(kinds, sources).items():
        sources[name] = [as_kind(part, kind) for part in sources[name]]
    sources = _group(sources, _check_groups(groups))
    conditions = _read_given(given, sources, named=named)
    sources = {name: parts for name, parts in sources.items() if name not in conditions}
    _check_lengths([part for parts in (*sources.values(), *conditions.values()) for part in parts], fewest)
    return sources, conditions


def _check_kinds(kinds: Any, sources: Sources) -> dict[str, str]:
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise type_error("kinds", "a mapping of column -> kind", describe(kinds))
    check_names("kinds", kinds, sources)
    return {name: KINDS[check_option("kinds", kind, KINDS)] for name, kind in kinds.items()}


def _read_data(data: tuple[Any, ...], *, vector: bool) -> tuple[Sources, bool, bool]:
    """The variables by the rule of one or several arguments, if the user named them, and if they are one table."""
    if not data:
        raise type_error("data", "at least one variable", "none", "Pass arrays, or one table.")
    if len(data) > 1:
        return _read_several(data), False, False
    only = data[0]
    if isinstance(only, Mapping):
        if not only:
            raise value_error("data", "at least one variable", "an empty mapping")
        return _read_mapping("data", only), True, False
    _reject_list_of_variables("data", only, "Unpack it: f(*variables).")
    opened = open_source(only, "data")
    if is_frame(opened):
        return _by_name("data", ((column.name, [column]) for column in read_frame(opened, "data"))), True, True
    if is_array(opened) and opened.ndim == 2 and opened.shape[1] > 0 and not vector:
        if 2 <= opened.shape[0] < _FEW_ROWS and opened.shape[1] > _FEW_ROWS:
            rows, columns = opened.shape
            warnings.warn(f"data: {columns} variables of {rows} rows each; is the array transposed?", stacklevel=2)
        return {column.name: [column] for column in read_matrix_columns(opened, "x")}, False, False
    return _read_several([opened]), False, False


def _read_mapping(parameter: str, mapping: Mapping[Any, Any]) -> Sources:
    opened = ((str(name), open_source(source, str(name))) for name, source in mapping.items())
    return _by_name(parameter, ((name, read_opened(source, name)) for name, source in opened))


def _by_name(parameter: str, pairs: Iterable[tuple[str, list[Column]]]) -> Sources:
    sources: Sources = {}
    for name, parts in pairs:
        if name in sources:
            raise value_error(parameter, "distinct names", f"{describe(name)} twice", "Names are compared as text.")
        sources[name] = parts
    return sources


def _reject_list_of_variables(parameter: str, candidate: Any, hint: str) -> None:
    if isinstance(candidate, list | tuple) and holds_variables(candidate):
        raise type_error(parameter, "variables one by one", f"a {type(candidate).__name__} of arrays", hint)


def _read_several(data: Sequence[Any], prefix: str = "x", taken: Iterable[str] = ()) -> Sources:
    """One variable for each argument; a Series brings its name."""
    sources: Sources = {}
    for position, source in enumerate(data, start=1):
        default = f"{prefix}{position}"
        if isinstance(source, Mapping):
            raise type_error(default, "an array or a table", "a mapping", "Pass one mapping alone, or its values.")
        opened = open_source(source, default)
        name = _unused(series_name(opened) or default, {*taken, *sources})
        sources[name] = read_opened(opened, name)
    return sources


def _unused(name: str, taken: Collection[str]) -> str:
    """The name, numbered if it is taken."""
    candidates = (f"{name} ({copy})" for copy in count(2))
    return name if name not in taken else next(candidate for candidate in candidates if candidate not in taken)


def _read_given(given: Any, sources: Sources, *, named: bool) -> Sources:
    """The conditioning variables: some of those read already, or others that come with the call."""
    if given is None:
        return {}
    names = [given] if isinstance(given, str) else given
    texts = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    # Arrays have the names that results show: x1, x2, ... A list of labels repeats some.
    known = texts and len({*names}) == len(names) and all(name in sources for name in names)
    if known or (texts and (named or isinstance(given, str))):
        check_names("given", names, sources)
        return _by_name("given", ((name, sources[name]) for name in names))
    if isinstance(given, tuple):
        return _read_several(given, prefix="given", taken=sources)
    if isinstance(given, Mapping):
        conditions = _read_mapping("given", given)
    else:
        _reject_list_of_variables("given", given, "Pass them as a tuple.")
        opened = open_source(given, "given1")
        if not is_frame(opened):
            return _read_several([opened], prefix="given", taken=sources)
        conditions = _by_name("given", ((column.name, [column]) for column in read_frame(opened, "given")))
    clash = [name for name in conditions if name in sources]
    if clash:
        raise value_error("given", "names that the data do not use", describe(clash[0]))
    return conditions


def _check_groups(groups: Any) -> dict[str, list[str]]:
    """Group -> members, as text like all names."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise type_error("groups", "a mapping of new name -> column names", describe(groups))
    named: dict[str, list[str]] = {}
    for group, members in groups.items():
        if isinstance(members, Mapping) or not isinstance(members, Iterable):
            raise type_error("groups", "column names for each group", f"{describe(members)} for {describe(group)}")
        if str(group) in named:
            raise value_error("groups", "distinct names", f"{describe(str(group))} twice")
        named[str(group)] = [members] if isinstance(members, str) else [str(member) for member in members]
    return named


def _group(sources: Sources, groups: Mapping[str, list[str]]) -> Sources:
    """Join the named columns into vector variables; the others stay, in place."""
    owner: dict[str, str] = {}
    for group, members in groups.items():
        if not members:
            raise value_error("groups", "at least one column for each group", f"none for {describe(group)}")
        check_names("groups", members, sources)
        for member in members:
            if member in owner:
                got = f"{describe(member)} in {describe(owner[member])} and {describe(group)}"
                raise value_error("groups", "each column in one group", got)
            owner[member] = group
    clash = [group for group in groups if group in sources and group not in owner]
    if clash:
        raise value_error("groups", "names that no other column has", describe(clash[0]))
    grouped: Sources = {}
    for name, parts in sources.items():
        grouped.setdefault(owner.get(name, name), []).extend(parts)
    return grouped


def _check_lengths(columns: list[Column], fewest: int = 2) -> None:
    lengths = dict.fromkeys((column.name, column.rows) for column in columns)
    if len({rows for _, rows in lengths}) > 1:
        listed = ", ".join(f"{describe(name)}: {rows}" for name, rows in list(lengths)[:6])
        raise value_error("data", "variables with the same number of rows", listed, "Row i must be one observation.")
    rows = columns[0].rows
    if rows < fewest:
        raise value_error(
            "data", f"at least {fewest} rows", f"{rows}", "Dependence is a matter of several observations."
        )


def _present_rows(columns: list[Column], missing: str) -> tuple[NDArray[np.intp], int]:
    """Rows where every column has a value, and how many rows that leaves out."""
    absent = np.logical_or.reduce([column.missing for column in columns])
    dropped = int(absent.sum())
    rows = len(absent)
    if dropped and missing == "error":
        places: dict[str, NDArray[np.bool_]] = {}
        for column in columns:
            if column.missing.any():
                places[column.name] = places.get(column.name, False) | column.missing
        listed = ", ".join(f"{describe(name)}: {place.sum()}" for name, place in list(places.items())[:8])
        more = f" and {len(places) - 8} more columns" if len(places) > 8 else ""
        got = f"missing values in {dropped} of {rows} rows ({listed}{more})"
        raise value_error("data", "no missing values", got, 'Pass missing="drop" to leave those rows out.')
    if rows - dropped < 2:
        got = f"{rows - dropped} ({dropped} of {rows} lack a value)"
        raise value_error("data", "at least 2 complete rows", got)
    return np.flatnonzero(~absent), dropped
