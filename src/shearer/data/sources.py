"""Recognise what a user passes (array, list, Series, table) and read it into columns."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._validate import describe, type_error, value_error
from shearer.data.arrays import Array, is_array, is_numpy, is_torch, namespace, to_numpy
from shearer.data.columns import (
    DOUBLE_EPSILON,
    Column,
    is_coarse,
    read_labels,
    read_numbers,
    read_objects,
    read_times,
    reject_complex,
    warn_of_numbers,
    where_missing,
)

# What `open_source` returns: an array of any library, or a table or column as narwhals wraps it.
Opened: TypeAlias = Any

# Library of what the caller passes -> whose tables results are.
_FRAME_LIBRARIES = {"pandas": "pandas", "pyarrow": "pyarrow", "xarray": "pandas"}
_ARRAY_LIKE = "an array of shape (n,) or (n, d)"
# Library of a table that is not in memory -> what brings it there.
_COLLECTED = {"polars": ".collect()", "duckdb": ".pl()", "pyarrow": ".read_all()"}


def open_source(source: Any, name: str) -> Opened:
    """Recognise what the user passes: a table or column of any library, an array, or items to make one of."""
    if is_array(source):
        return source
    if isinstance(source, str | bytes | bytearray | dict | set | frozenset) or source is None:
        hint = "Read a file into a table first, or use the command line." if isinstance(source, str) else ""
        raise type_error(name, _ARRAY_LIKE, describe(source), hint)
    if isinstance(source, list | tuple):
        return _read_items(source, name)
    import narwhals.stable.v2 as nw

    try:
        opened = nw.from_native(_familiar(source), allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        labels = list(source.column_names if hasattr(source, "column_names") else source.columns)
        twice = next(label for label in labels if labels.count(label) > 1)
        raise value_error(name, "a table with distinct column names", f"{describe(twice)} twice") from error
    if isinstance(opened, nw.LazyFrame) or type(source).__name__ == "RecordBatchReader":
        collect = _COLLECTED.get(type(source).__module__.partition(".")[0].lstrip("_"), ".collect()")
        hint = f"Call {collect} on it first; scan takes it as it is, in chunks."
        raise type_error(name, "a table in memory", "a lazy one", hint)
    return opened if isinstance(opened, nw.DataFrame | nw.Series) else _read_items(source, name)


def is_frame(opened: Opened) -> bool:
    """True for a table."""
    return not is_array(opened) and hasattr(opened, "iter_columns")


def series_name(opened: Opened) -> str | None:
    """Get the name that a Series carries, if it is one and has one."""
    label = None if is_array(opened) or is_frame(opened) else opened.name
    return None if label is None or label == "" else str(label)


def holds_variables(items: Iterable[Any]) -> bool:
    """True for a list of arrays, columns or tables: variables, not the values of one."""
    samples = {type(item): item for item in items if type(item).__module__ != "builtins"}.values()
    if any((is_array(item) or type(item).__name__ == "DataArray") and item.ndim for item in samples):
        return True
    if not samples:
        return False
    from narwhals.stable.v2 import dependencies as known

    return any(known.is_into_series(item) or known.is_into_dataframe(item) for item in samples)


def read_opened(opened: Opened, name: str) -> list[Column]:
    """Read one variable: one column of floats, or one column for each of its parts (labels, mixed frames)."""
    if is_frame(opened):
        return read_frame(opened, name)
    return _read_array(opened, name) if is_array(opened) else [_read_series(opened, name)]


def read_matrix_columns(matrix: Array, name: str) -> Iterator[Column]:
    """Read a two-dimensional array as one column for each of its columns."""
    for index in range(matrix.shape[1]):
        yield from _read_array(matrix[:, index], f"{name}{index + 1}")


def read_frame(frame: Opened, name: str) -> list[Column]:
    """Read every column of a table."""
    if not frame.columns:
        raise value_error(name, "at least one column", "an empty table")
    # By position, not by label: a label of pandas can be anything, NaN included.
    return [_read_series(series, str(label)) for label, series in zip(frame.columns, frame.iter_columns(), strict=True)]


def _familiar(source: Any) -> Any:
    """Wrap pieces of pandas and pyarrow that narwhals does not take in ones that it does."""
    from narwhals.stable.v2 import dependencies

    pandas, arrow = dependencies.get_pandas(), dependencies.get_pyarrow()
    if pandas is not None and isinstance(source, pandas.Index | pandas.api.extensions.ExtensionArray):
        return pandas.Series(source)
    if arrow is not None and isinstance(source, arrow.Array):
        return arrow.chunked_array([source])
    if arrow is not None and isinstance(source, arrow.RecordBatch):
        return arrow.Table.from_batches([source])
    return source


def _read_items(source: Any, name: str) -> NDArray[Any]:
    """Turn a list or the like into an array of objects: numpy would turn [1, "a", nan] into three texts."""
    if hasattr(source, "toarray"):
        raise type_error(name, _ARRAY_LIKE, f"a sparse matrix of shape {source.shape}", "Call .toarray() on it.")
    if hasattr(source, "__array__"):
        return np.asarray(source)
    samples = {type(item): item for item in source}.values() if isinstance(source, Sequence) else ()
    if any(is_array(item) and not is_numpy(item) for item in samples):
        raise type_error(name, _ARRAY_LIKE, f"a {type(source).__name__} of arrays", "Stack them into one array.")
    try:
        array = np.asarray(source, dtype=object)
    except ValueError:  # rows of unlike shapes
        array = np.empty(len(source), dtype=object)
        for row, item in enumerate(source):
            array[row] = item
    if array.ndim == 0:
        hint = "Pass list(...) of it." if isinstance(source, Iterable) else "One value is no sample."
        raise type_error(name, _ARRAY_LIKE, describe(source), hint)
    return array


def _read_series(column: Opened, name: str) -> Column:
    import narwhals.stable.v2 as nw

    dtype = column.dtype
    if dtype.is_integer() and column.count() and is_coarse(int(column.min()), int(column.max()), DOUBLE_EPSILON):
        return read_objects(column.to_list(), name)
    if dtype.is_numeric():
        return read_numbers(column.cast(nw.Float64).to_numpy(), name)
    if dtype.is_temporal() and dtype != nw.Time:
        return _read_array(column.to_numpy(), name)[0]
    values = column.to_list()
    # Arrow encodes lists by a dictionary, too.
    if dtype in (nw.Categorical, nw.Enum) and all(issubclass(kind, Hashable) for kind in set(map(type, values))):
        return read_labels(values, where_missing(values), name)
    return read_objects(values, name)


def _read_array(array: Array, name: str) -> list[Column]:
    if array.ndim not in (1, 2):
        got = f"{array.ndim} dimensions (shape {tuple(array.shape)})"
        hint = "Flatten all but the first axis: x.reshape(len(x), -1)." if array.ndim > 2 else "One value is no sample."
        raise value_error(name, _ARRAY_LIKE, got, hint)
    if array.ndim == 2 and array.shape[1] == 0:
        raise value_error(name, "at least one column", f"shape {tuple(array.shape)}")
    if is_numpy(array):
        return _read_numpy(array, name)
    if is_torch(array) and str(array.layout) != "torch.strided":
        raise type_error(name, "a dense tensor", f"layout {array.layout}", "Call .to_dense() on it.")
    xp = namespace(array)
    if xp.isdtype(array.dtype, "bool"):
        return _read_numpy(to_numpy(array), name)
    reject_complex(xp.isdtype(array.dtype, "complex floating"), f"dtype {array.dtype}", name)
    return [read_numbers(array, name)]


def _read_numpy(array: NDArray[Any], name: str) -> list[Column]:
    reject_complex(array.dtype.kind == "c", f"dtype {array.dtype}", name)
    if array.dtype.kind == "V":
        raise type_error(name, "numbers or labels", f"dtype {array.dtype}", "Pass one field at a time.")
    if np.ma.isMaskedArray(array):
        array = _unmask(array)
    kind = array.dtype.kind
    if kind in "iuf":
        return [read_numbers(np.asarray(array), name)]
    if array.ndim == 2:
        return [part for index in range(array.shape[1]) for part in _read_numpy(array[:, index], name)]
    if kind in "mM":
        return [read_times(array, name)]
    if kind in "bUS":
        levels, codes = np.unique(np.asarray(array), return_inverse=True)
        if kind == "U":
            warn_of_numbers(levels.tolist(), len(array), name)
        return [Column(name, "categorical", codes, np.zeros(len(array), dtype=bool), levels.tolist())]
    return [read_objects(array.tolist(), name)]


def _unmask(array: Any) -> NDArray[Any]:
    """Fill masked entries with the missing value of the type; types other than floats and times become objects."""
    kind = array.dtype.kind
    filled = np.array(array.data, dtype=array.dtype if kind in "fmM" else object)
    filled[array.mask] = np.nan if kind == "f" else np.array("NaT", dtype=array.dtype) if kind in "mM" else None
    return filled


def library_of(data: tuple[Any, ...]) -> str:
    """Tell whose tables the caller passed, from their types' module: nothing is imported to find out."""
    for source in data:
        for item in source.values() if isinstance(source, Mapping) else (source,):
            root = type(item).__module__.partition(".")[0]
            if root in _FRAME_LIBRARIES and not is_array(item):
                return _FRAME_LIBRARIES[root]
    return "polars"
