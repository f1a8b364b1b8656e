"""Gather the columns of named variables from arrays, lists, Series, mappings and tables."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

from shearer._user_warnings import warn_caller
from shearer._validate import check_names, check_option, describe, type_error, value_error
from shearer.data.arrays import is_array
from shearer.data.columns import Column, Columns, as_kind
from shearer.data.sources import (
    holds_variables,
    is_frame,
    open_source,
    read_frame,
    read_matrix_columns,
    read_opened,
    series_name,
)

# Column -> kind, or a function that finds this from the names of the columns.
Kinds: TypeAlias = Mapping[str, str] | Callable[[list[str]], Mapping[str, str]]
# What users call a kind -> what it is.
KINDS = {"continuous": "continuous", "categorical": "categorical", "number": "continuous", "label": "categorical"}
# Fewer rows than this with more columns than this look like a table lying on its side.
_FEW_ROWS = 10


def convert_kinds(columns: Columns, kinds: Kinds | None) -> Columns:
    """Turn columns into the kinds that the caller says they are."""
    if kinds is None:
        return columns
    if callable(kinds):
        kinds = kinds(list(columns))
    if not isinstance(kinds, Mapping):
        raise type_error("kinds", "a mapping of column -> kind", describe(kinds))
    check_names("kinds", kinds, columns)
    converted = dict(columns)
    for name, kind in kinds.items():
        wanted = KINDS[check_option("kinds", kind, KINDS)]
        converted[name] = [as_kind(part, wanted) for part in columns[name]]
    return converted


def gather_data(data: tuple[Any, ...], *, vector: bool) -> tuple[Columns, bool, bool]:
    """Gather the columns of all arguments: with their names, if the caller named them, and if they are one table."""
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
            rows, width = opened.shape
            warn_caller(f"data: {width} variables of {rows} rows each; is the array transposed?")
        return {column.name: [column] for column in read_matrix_columns(opened, "x")}, False, False
    return _read_several([opened]), False, False


def _read_mapping(parameter: str, mapping: Mapping[Any, Any]) -> Columns:
    opened = ((str(name), open_source(source, str(name))) for name, source in mapping.items())
    return _by_name(parameter, ((name, read_opened(source, name)) for name, source in opened))


def _by_name(parameter: str, pairs: Iterable[tuple[str, list[Column]]]) -> Columns:
    columns: Columns = {}
    for name, parts in pairs:
        if name in columns:
            raise value_error(parameter, "distinct names", f"{describe(name)} twice", "Names are compared as text.")
        columns[name] = parts
    return columns


def _reject_list_of_variables(parameter: str, candidate: Any, hint: str) -> None:
    if isinstance(candidate, list | tuple) and holds_variables(candidate):
        raise type_error(parameter, "variables one by one", f"a {type(candidate).__name__} of arrays", hint)


def _read_several(data: Sequence[Any], prefix: str = "x", taken: Iterable[str] = ()) -> Columns:
    """One variable for each argument; a Series brings its name."""
    columns: Columns = {}
    for position, source in enumerate(data, start=1):
        default = f"{prefix}{position}"
        if isinstance(source, Mapping):
            raise type_error(default, "an array or a table", "a mapping", "Pass one mapping alone, or its values.")
        opened = open_source(source, default)
        name = unused_name(series_name(opened) or default, {*taken, *columns})
        columns[name] = read_opened(opened, name)
    return columns


def unused_name(name: str, taken: Collection[str]) -> str:
    """Number a name that is taken."""
    candidates = (f"{name} ({copy})" for copy in count(2))
    return name if name not in taken else next(candidate for candidate in candidates if candidate not in taken)


def gather_role(role: str, chosen: Any, columns: Columns, *, named: bool) -> Columns:
    """Gather the variables of a role: some of those read already, or others that come with the call.

    Parameters
    ----------
    role : {"given", "target"}
        The parameter that the caller used, for messages and names.
    chosen : optional
        Names, an array-like, a tuple of them, a mapping or a table.
    columns : Columns
        What was read already.
    named : bool
        True if the caller named the columns: a list of texts is then one of names.
    """
    if chosen is None:
        return {}
    names = [chosen] if isinstance(chosen, str) else chosen
    texts = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    # Arrays have the names that results show: x1, x2, ... A list of labels repeats some.
    known = texts and len({*names}) == len(names) and all(name in columns for name in names)
    if known or (texts and (named or isinstance(chosen, str))):
        check_names(role, names, columns)
        return _by_name(role, ((name, columns[name]) for name in names))
    if isinstance(chosen, tuple):
        return _read_several(chosen, prefix=role, taken=columns)
    if isinstance(chosen, Mapping):
        found = _read_mapping(role, chosen)
    else:
        _reject_list_of_variables(role, chosen, "Pass them as a tuple.")
        opened = open_source(chosen, f"{role}1")
        if not is_frame(opened):
            return _read_several([opened], prefix=role, taken=columns)
        found = _by_name(role, ((column.name, [column]) for column in read_frame(opened, role)))
    clash = [name for name in found if name in columns]
    if clash:
        raise value_error(role, "names that the data do not use", describe(clash[0]))
    return found


def name_target(target: Any) -> tuple[Any, bool]:
    """Name the arrays of a target "target" or "target1", "target2", ...; and tell if there is a single one."""
    if target is None or isinstance(target, str):
        return target, True
    if isinstance(target, Mapping) or (isinstance(target, list | tuple) and all(isinstance(t, str) for t in target)):
        return target, False
    if isinstance(target, tuple):
        return {f"target{position}": item for position, item in enumerate(target, start=1)}, False
    opened = open_source(target, "target")
    if is_frame(opened):
        return target, False
    return (target if series_name(opened) else {"target": target}), True


def check_groups(groups: Any) -> dict[str, list[str]]:
    """Check groups of columns: group -> members, as text like all names."""
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


def join_groups(columns: Columns, groups: Mapping[str, list[str]]) -> Columns:
    """Join the named columns into vector variables; the others stay, in place."""
    owner: dict[str, str] = {}
    for group, members in groups.items():
        if not members:
            raise value_error("groups", "at least one column for each group", f"none for {describe(group)}")
        check_names("groups", members, columns)
        for member in members:
            if member in owner:
                got = f"{describe(member)} in {describe(owner[member])} and {describe(group)}"
                raise value_error("groups", "each column in one group", got)
            owner[member] = group
    clash = [group for group in groups if group in columns and group not in owner]
    if clash:
        raise value_error("groups", "names that no other column has", describe(clash[0]))
    grouped: Columns = {}
    for name, parts in columns.items():
        grouped.setdefault(owner.get(name, name), []).extend(parts)
    return grouped
