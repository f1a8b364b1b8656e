"""Sets of columns as a user passes them."""

from collections.abc import Iterable
from typing import Any

from shearer._validate import check_names, describe, listing, type_error, value_error
from shearer.tools.subspaces.lattice import Columns

SEARCHES = "a SubspaceSearch, or a list of sets of columns"


def checked_subspaces(subspaces: Iterable[Any], names: tuple[str, ...]) -> list[Columns]:
    """Sets of columns by position, from names or positions."""
    chosen = []
    for subspace in subspaces:
        if isinstance(subspace, str) or not isinstance(subspace, Iterable):
            raise type_error("search", SEARCHES, describe(subspace), 'Write [("a", "b")] for one set of two columns.')
        columns = {_position(column, names) for column in subspace}
        if not columns:
            raise value_error("search", "at least one column in every set", "an empty set")
        chosen.append(tuple(sorted(columns)))
    if not chosen:
        raise value_error("search", "at least one set of columns", "none")
    return chosen


def _position(column: Any, names: tuple[str, ...]) -> int:
    if isinstance(column, str):
        check_names("search", [column], names)
        return names.index(column)
    try:
        return range(len(names)).index(column)
    except ValueError as error:
        expected = f"names among {listing(names)}, or positions from 0 to {len(names) - 1}"
        raise value_error("search", expected, describe(column)) from error
