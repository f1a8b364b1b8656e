"""Variables at the door: whatever the user passes becomes named variables of equal length, once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._arrays import Array, Namespace, device, is_array, is_numpy, namespace, to_numpy
from shearer._columns import Column, Kind, is_frame, read_frame, read_matrix_columns, read_source, series_name
from shearer._validate import check_names, check_option, describe, type_error, value_error

MISSING = ("error", "drop")


@dataclass(frozen=True, eq=False)
class Block:
    """Coordinates that share one kernel.

    Attributes
    ----------
    kind : {"continuous", "categorical", "object"}
        What the values are.
    values : Array
        Continuous: floats of shape (n, d). Otherwise: integer codes of shape (n,), numpy.
    levels : sequence
        What the codes stand for.
    """

    kind: Kind
    values: Array
    levels: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class Variable:
    """A named variable: one block, or a continuous and a categorical one when columns of both kinds are grouped."""

    name: str
    blocks: tuple[Block, ...]

    @property
    def kind(self) -> str:
        """The kind of its blocks, or "mixed"."""
        kinds = {block.kind for block in self.blocks}
        return kinds.pop() if len(kinds) == 1 else "mixed"


@dataclass(frozen=True, eq=False)
class Variables:
    """The variables of one call, of one array library, without missing rows.

    Attributes
    ----------
    items : tuple of Variable
        The variables, the conditioning ones last.
    given : tuple of str
        Names of the conditioning variables.
    rows : int
        Rows left after missing ones were dropped.
    dropped : int
        Rows dropped.
    xp : namespace
        The array library of the continuous values.
    like : Array or None
        An array of that library, for device and floating type.
    """

    items: tuple[Variable, ...]
    given: tuple[str, ...]
    rows: int
    dropped: int
    xp: Namespace
    like: Array

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the conditioning ones last."""
        return tuple(item.name for item in self.items)


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
        Conditioning variables: names (when the data carry names), an array-like, a tuple of them, a mapping or a frame.
    groups : mapping, optional
        New name -> column names that form one vector variable.
    missing : {"error", "drop"}
        What to do with rows that lack a value.
    vector : bool
        Read a single 2-D array or frame as one vector variable instead of one variable for each column.
    """
    check_option("missing", missing, MISSING)
    sources = _read_data(data, vector=vector and not groups)
    if groups:
        sources = _group(sources, groups)
    conditions, given_names = _read_given(given, sources, named=_carries_names(data))
    sources = {name: parts for name, parts in sources.items() if name not in given_names} | conditions
    columns = [part for parts in sources.values() for part in parts]
    _check_lengths(columns)
    keep, dropped = _present_rows(columns, missing)
    if dropped:
        sources = {name: [part.take(keep) for part in parts] for name, parts in sources.items()}
    xp, like = _common_library([part for parts in sources.values() for part in parts])
    items = tuple(Variable(name, _blocks(parts, xp, like)) for name, parts in sources.items())
    return Variables(items, tuple(given_names), len(keep), dropped, xp, like)


def _carries_names(data: tuple[Any, ...]) -> bool:
    return len(data) == 1 and (isinstance(data[0], Mapping) or is_frame(data[0]))


def _read_data(data: tuple[Any, ...], *, vector: bool) -> dict[str, list[Column]]:
    """Name -> columns of each variable, by the rule of one or several arguments."""
    if not data:
        raise type_error("data", "at least one variable", "none", "Pass arrays, or one table.")
    if len(data) > 1:
        return _read_several(data)
    only = data[0]
    if isinstance(only, Mapping):
        return {str(name): read_source(source, str(name)) for name, source in only.items()}
    if is_frame(only):
        columns = read_frame(only)
        return {"x1": columns} if vector else {column.name: [column] for column in columns}
    if isinstance(only, list | tuple) and only and all(is_array(item) and item.ndim for item in only):
        raise type_error("data", "variables one by one", f"a {type(only).__name__} of arrays", "Unpack it: f(*arrays).")
    matrix = only if is_array(only) else None
    if matrix is None and isinstance(only, list | tuple):
        matrix = _rectangular(only)
    if matrix is not None and matrix.ndim == 2 and matrix.shape[1] > 0 and not vector:
        return {column.name: [column] for column in read_matrix_columns(matrix, "x")}
    return _read_several(data)


def _rectangular(rows: Sequence[Any]) -> NDArray[Any] | None:
    """Nested lists as a matrix, if they are one."""
    try:
        return np.asarray(rows)
    except ValueError:
        return None


def _read_several(data: Sequence[Any], prefix: str = "x", taken: Iterable[str] = ()) -> dict[str, list[Column]]:
    """One variable for each argument; a Series brings its name."""
    sources: dict[str, list[Column]] = {}
    used = set(taken)
    for position, source in enumerate(data, start=1):
        if isinstance(source, Mapping):
            raise type_error("data", "one mapping alone, or several arrays", "a mapping among several arguments")
        plain = series_name(source) or f"{prefix}{position}"
        name, copy = plain, 2
        while name in used:
            name, copy = f"{plain} ({copy})", copy + 1
        used.add(name)
        sources[name] = read_source(source, name)
    return sources


def _read_given(given: Any, sources: dict[str, list[Column]], *, named: bool) -> tuple[dict[str, list[Column]], list[str]]:
    """The conditioning variables that come with the call, and the names of all of them."""
    if given is None:
        return {}, []
    names = [given] if isinstance(given, str) else given
    if named and isinstance(names, list | tuple) and names and all(isinstance(name, str) for name in names):
        check_names("given", names, sources)
        return {name: sources[name] for name in names}, list(names)
    if isinstance(given, str):
        hint = "Names work when the data are one table or mapping."
        raise type_error("given", "an array of shape (n,) or (n, d)", describe(given), hint)
    if isinstance(given, Mapping) or is_frame(given):
        conditions = _read_data((given,), vector=False)
        clash = sorted(set(conditions) & set(sources))
        if clash:
            raise value_error("given", "names that the data do not use", describe(clash[0]))
    else:
        several = given if isinstance(given, tuple) else (given,)
        conditions = _read_several(several, prefix="given", taken=sources)
    return conditions, list(conditions)


def _group(sources: dict[str, list[Column]], groups: Mapping[str, Iterable[str]]) -> dict[str, list[Column]]:
    """Join the named columns into vector variables; the others stay, in place."""
    if not isinstance(groups, Mapping):
        raise type_error("groups", "a mapping of new name -> column names", describe(groups))
    owner: dict[str, str] = {}
    for group, given_members in groups.items():
        members = [given_members] if isinstance(given_members, str) else list(given_members)
        if not members:
            raise value_error("groups", "at least one column for each group", f"none for {group!r}")
        check_names("groups", members, sources)
        for member in members:
            if member in owner:
                raise value_error("groups", "each column in one group", f"{member!r} in {owner[member]!r} and {group!r}")
            owner[member] = group
    clash = [group for group in groups if group in sources and group not in owner]
    if clash:
        raise value_error("groups", "names that no other column has", describe(clash[0]))
    grouped: dict[str, list[Column]] = {}
    for name, parts in sources.items():
        grouped.setdefault(owner.get(name, name), []).extend(parts)
    return grouped


def _check_lengths(columns: list[Column]) -> None:
    lengths = {column.name: column.rows for column in columns}
    if not columns:
        raise value_error("data", "at least one column", "an empty table")
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r}: {rows}" for name, rows in list(lengths.items())[:6])
        raise value_error("data", "variables with the same number of rows", listed, "Row i must be one observation.")
    rows = columns[0].rows
    if rows < 2:
        raise value_error("data", "at least 2 rows", f"{rows}", "Dependence is a matter of several observations.")


def _present_rows(columns: list[Column], missing: str) -> tuple[NDArray[np.intp], int]:
    """Rows where every column has a value, and how many rows that leaves out."""
    absent = np.logical_or.reduce([column.missing for column in columns])
    dropped = int(absent.sum())
    rows = len(absent)
    if dropped and missing == "error":
        counts = {column.name: int(column.missing.sum()) for column in columns if column.missing.any()}
        listed = ", ".join(f"{name!r}: {count}" for name, count in list(counts.items())[:8])
        more = f" and {len(counts) - 8} more columns" if len(counts) > 8 else ""
        got = f"missing values in {dropped} of {rows} rows ({listed}{more})"
        raise value_error("data", "no missing values", got, 'Pass missing="drop" to leave those rows out.')
    if rows - dropped < 2:
        got = f"{rows - dropped} ({dropped} of {rows} lack a value)"
        raise value_error("data", "at least 2 complete rows", got)
    return np.flatnonzero(~absent), dropped


def _common_library(columns: list[Column]) -> tuple[Namespace, Array]:
    """The one array library of the call: numpy, unless some column is a tensor of another one."""
    arrays = [column.values for column in columns if column.kind == "continuous"]
    foreign = [array for array in arrays if not is_numpy(array)]
    if not foreign:
        return namespace(np.empty(0)), np.empty(0)
    kinds = {namespace(array).__name__ for array in foreign}
    if len(kinds) > 1:
        raise type_error("data", "arrays of one library", " and ".join(sorted(kinds)), "Convert them to one of the two.")
    return namespace(foreign[0]), foreign[0]


def _blocks(parts: list[Column], xp: Namespace, like: Array) -> tuple[Block, ...]:
    """Join the columns of a variable by kind: numbers side by side, labels into one label, objects apart."""
    blocks = []
    numbers = [part.values for part in parts if part.kind == "continuous"]
    if numbers:
        if not is_numpy(like):
            numbers = [xp.asarray(v, dtype=like.dtype, device=device(like)) if is_numpy(v) else v for v in numbers]
        blocks.append(Block("continuous", numbers[0] if len(numbers) == 1 else xp.concat(numbers, axis=1)))
    labels = [part for part in parts if part.kind == "categorical"]
    if labels:
        blocks.append(_join_labels(labels))
    blocks.extend(Block("object", part.values, part.levels) for part in parts if part.kind == "object")
    return tuple(blocks)


def _join_labels(labels: list[Column]) -> Block:
    """Several label columns as one whose levels are the combinations that occur."""
    if len(labels) == 1:
        return Block("categorical", to_numpy(labels[0].values), labels[0].levels)
    codes = np.stack([to_numpy(label.values) for label in labels], axis=1)
    seen, joined = np.unique(codes, axis=0, return_inverse=True)
    levels = [tuple(label.levels[code] for label, code in zip(labels, row, strict=True)) for row in seen]
    return Block("categorical", joined.reshape(-1), levels)
