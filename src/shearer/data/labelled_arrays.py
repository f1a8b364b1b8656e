"""Arrays and datasets of xarray: rows by the name of their dimension, variables by their own names.

xarray is never imported here: whoever passes one of its arrays has done so.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from shearer._validate import describe, value_error
from shearer.data.named_columns import unused_name


def unlabel(data: tuple[Any, ...], given: Any, target: Any) -> tuple[tuple[Any, ...], Any, Any]:
    """Arguments with plain arrays, Series and frames in place of xarray's, the dimension of the rows first.

    That dimension is the first one that all of them have. A single array of two dimensions is a table, whose columns
    the other dimension names; a dataset is a table too, and an array of two dimensions in it a vector variable.
    """
    if "xarray" not in sys.modules:
        return data, given, target
    found = [item for part in (*data, given, target) for item in _labelled(part)]
    if not found:
        return data, given, target
    rows = _Rows(found)
    if len(data) == 1:
        data = (rows.table(data[0]),)
    else:
        named: dict[str, Any] = {}
        for position, item in enumerate(data, start=1):
            label = getattr(item, "name", None)
            name = str(label) if isinstance(label, str) and label else f"x{position}"
            named[unused_name(name, named)] = rows.plain(item)
        data = (named,)
    plain = rows.plain(given)
    if getattr(plain, "ndim", 0) == 2 and given.name is not None:
        plain = {str(given.name): plain}
    return data, plain, rows.plain(target)


def _labelled(part: Any) -> Iterator[Any]:
    """The arrays of xarray in what is passed for one argument."""
    library: Any = sys.modules["xarray"]
    if isinstance(part, library.DataArray):
        yield part
    elif isinstance(part, library.Dataset):
        if not part.data_vars:
            raise value_error("data", "at least one variable", "an empty dataset")
        yield from part.data_vars.values()
    elif isinstance(part, Mapping):
        yield from (item for inner in part.values() for item in _labelled(inner))
    elif isinstance(part, tuple):
        yield from (item for item in part if isinstance(item, library.DataArray))


class _Rows:
    """The dimension that all arrays share, and its labels, where one of them has some."""

    def __init__(self, arrays: list[Any]) -> None:
        shared = [name for name in arrays[0].dims if all(name in array.dims for array in arrays)]
        if not shared:
            listed = "; ".join(f"{_called(array)}: {_listed(array.dims)}" for array in arrays[:6])
            hint = "Rename one, or leave out variables that have no rows (drop_vars)."
            raise value_error("data", "a dimension that all variables have, the rows", listed, hint)
        self.name = shared[0]
        first = next((array for array in arrays if self.name in array.indexes), None)
        self._first = None if first is None else (_called(first), first.indexes[self.name])

    def plain(self, part: Any) -> Any:
        """The same without labels; what is not of xarray stays as it is."""
        if isinstance(part, tuple):
            return tuple(self.plain(item) for item in part)
        if not any(True for _ in _labelled(part)):
            return part
        if isinstance(part, Mapping):  # a dataset is one, too, which has more than its variables
            items: Iterable[tuple[Any, Any]] = getattr(part, "data_vars", part).items()
            return {str(name): self.plain(item) for name, item in items}
        array = self._turned(part)
        return array.to_series().reset_index(drop=True) if array.ndim == 1 else np.ascontiguousarray(array.to_numpy())

    def table(self, part: Any) -> Any:
        """The same where nothing else is passed: an array of two dimensions has a column for each label."""
        if isinstance(part, Mapping) or getattr(part, "ndim", 0) < 2:
            return self.plain(part)
        array = self._turned(part)
        frame = array.to_pandas().reset_index(drop=True)
        other = array.dims[1]
        if other not in array.indexes:
            frame.columns = [f"{other}{place}" for place in range(1, frame.shape[1] + 1)]
        return frame

    def _turned(self, array: Any) -> Any:
        """An array with the rows first, checked."""
        if array.ndim > 2:
            others = [str(name) for name in array.dims if name != self.name]
            hint = f"Stack the others into one: .stack(columns={others!r})."
            expected = f"the rows ({self.name!r}) and at most one more dimension"
            raise value_error(_called(array), expected, _listed(array.dims), hint)
        if self._first is not None and self.name in array.indexes:
            name, labels = self._first
            own = array.indexes[self.name]
            if not own.equals(labels):
                hint = "Row i must be one observation: xarray.align(...) keeps the rows that all have."
                expected = f"the labels of {name} along {self.name!r}"
                raise value_error(_called(array), expected, "other labels", hint)
        return array.transpose(self.name, ...)


def _called(array: Any) -> str:
    return "data" if array.name is None else describe(str(array.name))


def _listed(dims: Iterable[Any]) -> str:
    return f"dimensions {', '.join(repr(str(name)) for name in dims)}"
