"""Read whatever a caller passes into a table of named variables: the only function of the library that does."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, check_option, describe, value_error
from shearer.data.columns import Column, Columns
from shearer.data.labelled_arrays import unlabel
from shearer.data.named_columns import (
    Kinds,
    check_groups,
    convert_kinds,
    gather_data,
    gather_role,
    join_groups,
    name_target,
    unused_name,
)
from shearer.data.sources import library_of
from shearer.data.table import Table, table_from_columns
from shearer.data.variables import Block, Variable

# What can be done about missing values: by all functions; by those that compare variables pair by pair.
MISSING = ("error", "drop")
MISSING_IN_PAIRS = (*MISSING, "pairwise")
_PAIRWISE_HINT = 'Or missing="pairwise", for each pair the rows that both have.'
# Rows and columns of a matrix that is read at once; smaller ones are quick to read column by column.
_FEWEST_AT_ONCE = 10


def read(
    *data: Any,
    given: Any = None,
    target: Any = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    kinds: Kinds | None = None,
    missing: str = "error",
    pairwise: bool = False,
    vector: bool = False,
    only: Collection[str] | None = None,
    fewest: int = 1,
    fewest_rows: int = 2,
) -> Table:
    """Read data into a table of named variables.

    Parameters
    ----------
    *data : array-like, Series, frame, dataset of xarray or mapping
        Several arguments: one variable each. One frame, mapping or 2-D array: one variable for each column.
    given : optional
        Conditioning variables: names (of arrays: x1, x2, ...), an array-like, a tuple of them, a mapping or a frame.
    target : optional
        Variables with which the others are compared, in the same forms; arrays have the names target or target1, ...
    groups : mapping, optional
        New name -> column names that form one vector variable.
    kinds : mapping or function of the column names, optional
        Column -> "continuous" or "number", "categorical" or "label", where what it looks like is not what it is.
    missing : {"error", "drop", "pairwise"}
        What to do with rows that lack a value: refuse them, leave them out, or let every variable keep its own rows.
    pairwise : bool
        True where `missing` may be "pairwise".
    vector : bool
        Read a single 2-D array or frame as one vector variable instead of one variable for each column.
    only : collection of str, optional
        The variables to keep; the others are as if they were not there.
    fewest, fewest_rows : int
        How many variables, and how many rows with a value in each of them, there must be.

    Examples
    --------
    >>> table = read({"a": [1.0, None, 3.0], "b": ["u", "v", "u"]}, target="b", missing="drop")
    >>> table.names, table.targets, table.rows, table.dropped
    (('a', 'b'), ('b',), 2, 1)
    >>> table = read({"a": [1.0, None, 3.0], "b": [4.0, 5.0, 6.0]}, missing="pairwise", pairwise=True)
    >>> table.rows, table.presence.rows(0).tolist(), table.presence.rows(1).tolist()
    (3, [0, 2], [0, 1, 2])
    """
    check_option("missing", missing, MISSING_IN_PAIRS if pairwise else MISSING)
    library = library_of(data)
    data, given, target = unlabel(data, given, target)
    target, single = name_target(target)
    simple = not vector and missing != "pairwise" and all(part is None for part in (given, target, groups, kinds, only))
    if simple and len(data) == 1 and _is_plain(data[0]):
        return _check_count(_read_plain(data[0]), fewest)
    grouping = check_groups(groups)
    columns, named, is_table = gather_data(data, vector=vector and not grouping)
    columns = join_groups(convert_kinds(columns, kinds), grouping)
    conditions = gather_role("given", given, columns, named=named)
    targets = gather_role("target", target, columns | conditions, named=named)
    both = [name for name in targets if name in conditions]
    if both:
        raise value_error("target", "other variables than those given", describe(both[0]))
    own = _without(columns, conditions | targets)
    if not own:
        raise value_error("target" if targets else "given", "some variable to be left", "all of them")
    if vector and is_table and not grouping:
        own = {unused_name("x1", conditions): [part for parts in own.values() for part in parts]}
    everything = own | conditions | targets
    if only is not None:
        check_names("names", only, everything)
        everything = {name: everything[name] for name in only}
    _check_lengths([part for parts in everything.values() for part in parts], fewest_rows)
    dropped = 0
    if missing == "pairwise":
        _check_present(everything, fewest_rows)
    else:
        everything, dropped = _drop_missing(everything, missing, fewest_rows, _PAIRWISE_HINT * pairwise)
    roles = [tuple(name for name in role if name in everything) for role in (conditions, targets)]
    table = table_from_columns(
        everything, given=roles[0], targets=roles[1], single_target=single, dropped=dropped,
        pairwise=missing == "pairwise", library=library,
    )  # fmt: skip
    return _check_count(table, fewest)


def _without(columns: Columns, others: Collection[str]) -> Columns:
    return {name: parts for name, parts in columns.items() if name not in others}


def _check_count(table: Table, fewest: int) -> Table:
    count = len(table.variables)
    if count < fewest:
        hint = "entropy takes a single one." if count == 1 else "pairwise takes two."
        raise value_error("data", f"at least {fewest} variables", f"{count}", hint)
    return table


def _is_plain(source: Any) -> bool:
    """Tell a tall enough matrix of finite doubles, of which nothing has to be asked column by column."""
    plain = type(source) is np.ndarray and source.ndim == 2 and source.dtype == np.float64
    return plain and min(source.shape) >= _FEWEST_AT_ONCE and bool(np.isfinite(source).all())


def _read_plain(matrix: NDArray[np.float64]) -> Table:
    """Read a plain matrix at once: column by column it would take a third of the time of all pairs."""
    columns = np.ascontiguousarray(matrix.T)[:, :, None]
    variables = (Variable(f"x{k}", (Block("continuous", column),)) for k, column in enumerate(columns, start=1))
    return Table.of(tuple(variables))


def _check_lengths(columns: list[Column], fewest: int) -> None:
    lengths = dict.fromkeys((column.name, column.rows) for column in columns)
    if len({rows for _, rows in lengths}) > 1:
        listed = ", ".join(f"{describe(name)}: {rows}" for name, rows in list(lengths)[:6])
        raise value_error("data", "variables with the same number of rows", listed, "Row i must be one observation.")
    rows = columns[0].rows
    if rows < fewest:
        hint = "Dependence is a matter of several observations."
        raise value_error("data", f"at least {fewest} rows", f"{rows}", hint)


def _check_present(columns: Columns, fewest: int) -> None:
    """Raise where a variable has a value in too few rows."""
    for name, parts in columns.items():
        rows = parts[0].rows
        present = rows - int(np.logical_or.reduce([part.missing for part in parts]).sum())
        if present < fewest:
            got = f"{present} of {rows} in {describe(name)}"
            expected = f"at least {fewest} rows with a value in every variable"
            raise value_error("data", expected, got, "Leave that variable out.")


def _drop_missing(columns: Columns, missing: str, fewest: int, hint: str) -> tuple[Columns, int]:
    """Leave out rows where some column lacks a value, or refuse them; and count them."""
    parts = [part for own in columns.values() for part in own]
    absent = np.logical_or.reduce([part.missing for part in parts])
    dropped, rows = int(absent.sum()), len(absent)
    if dropped and missing == "error":
        raise _missing_error(parts, dropped, hint)
    if rows - dropped < fewest:
        got = f"{rows - dropped} ({dropped} of {rows} lack a value)"
        raise value_error("data", f"at least {fewest} complete rows", got)
    if not dropped:
        return columns, 0
    keep = np.flatnonzero(~absent)
    return {name: [part.take(keep) for part in own] for name, own in columns.items()}, dropped


def _missing_error(columns: list[Column], dropped: int, hint: str) -> ValueError:
    """Word the error of missing values: in which columns, and what can be done."""
    places: dict[str, NDArray[np.bool_]] = {}
    for column in columns:
        if column.missing.any():
            places[column.name] = places.get(column.name, False) | column.missing
    listed = ", ".join(f"{describe(name)}: {place.sum()}" for name, place in list(places.items())[:8])
    more = f" and {len(places) - 8} more columns" if len(places) > 8 else ""
    got = f"missing values in {dropped} of {columns[0].rows} rows ({listed}{more})"
    remedy = 'Pass missing="drop" to leave those rows out.'
    return value_error("data", "no missing values", got, f"{remedy} {hint}".rstrip())
