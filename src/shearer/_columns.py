"""Read one thing that a user passes (array, list, Series, column of a frame) into columns with a kind."""

import datetime
import numbers
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._arrays import Array, is_array, is_numpy, namespace, take_rows, to_numpy
from shearer._validate import describe, type_error, value_error

Kind: TypeAlias = Literal["continuous", "categorical", "object"]

_ARRAY_LIKE = "an array of shape (n,) or (n, d)"


@dataclass(frozen=True, eq=False)
class Column:
    """What was read from one source, before missing rows are dealt with.

    Attributes
    ----------
    name : str
        What the user calls it.
    kind : {"continuous", "categorical", "object"}
        Numbers; labels that are equal or not; anything else (needs a kernel of the user's).
    values : Array
        Continuous: floats of shape (n, d). Otherwise: integer codes of shape (n,), numpy.
    missing : NDArray[bool]
        Rows without a value.
    levels : sequence
        What the codes stand for.
    """

    name: str
    kind: Kind
    values: Array
    missing: NDArray[np.bool_]
    levels: Sequence[Any] = ()

    @property
    def rows(self) -> int:
        """Number of rows, missing ones included."""
        return int(self.values.shape[0])

    def take(self, keep: NDArray[np.intp]) -> "Column":
        """The given rows only."""
        return replace(self, values=take_rows(self.values, keep), missing=self.missing[keep])


def read_source(source: Any, name: str) -> list[Column]:
    """Read one variable: one column of floats, or one column for each of its parts (labels, mixed frames)."""
    if is_frame(source):
        return read_frame(source)
    if is_series(source):
        return [_read_series(source, name)]
    if is_array(source):
        return _read_array(source, name)
    return _read_array(_as_numpy(source, name), name)


def read_matrix_columns(matrix: Array, name: str) -> Iterator[Column]:
    """Read a two-dimensional array as one column for each of its columns."""
    for index in range(matrix.shape[1]):
        yield from _read_array(matrix[:, index], f"{name}{index + 1}")


def read_frame(frame: Any) -> list[Column]:
    """Read every column of a pandas, polars or pyarrow table."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(frame, eager_only=True)
    return [_read_series(table.get_column(label), str(label)) for label in table.columns]


def is_frame(candidate: object) -> bool:
    """True for an eager table of a library that narwhals knows; a lazy one is an error."""
    if isinstance(candidate, np.ndarray | list | tuple | dict | str) or is_array(candidate):
        return False
    import narwhals.stable.v2 as nw

    if nw.dependencies.is_polars_lazyframe(candidate):
        raise type_error("data", "a table in memory", "a polars LazyFrame", "Call .collect() on it first.")
    return isinstance(candidate, nw.DataFrame) or nw.dependencies.is_into_dataframe(candidate)


def is_series(candidate: object) -> bool:
    """True for a column of a library that narwhals knows."""
    if isinstance(candidate, np.ndarray | list | tuple | dict | str) or is_array(candidate):
        return False
    import narwhals.stable.v2 as nw

    return isinstance(candidate, nw.Series) or nw.dependencies.is_into_series(candidate)


def series_name(series: Any) -> str | None:
    """The name a Series carries, if it is one and has one."""
    label = getattr(series, "name", None) if is_series(series) else None
    return None if label is None or label == "" else str(label)


def _read_series(series: Any, name: str) -> Column:
    import narwhals.stable.v2 as nw

    column = nw.from_native(series, series_only=True)
    dtype = column.dtype
    if dtype.is_numeric():
        return _numbers(column.cast(nw.Float64).to_numpy(), name)
    if dtype.is_temporal() and dtype != nw.Time:
        return _read_array(column.to_numpy(), name)[0]
    return _read_objects(column.to_list(), column.is_null().to_numpy(), name)


def _as_numpy(source: Any, name: str) -> NDArray[Any]:
    """A list or scalar-like thing as a numpy array; rows of unequal length become objects."""
    if isinstance(source, str | bytes | dict | set | frozenset) or source is None:
        raise type_error(name, _ARRAY_LIKE, describe(source))
    if hasattr(source, "toarray"):
        raise type_error(name, _ARRAY_LIKE, f"a sparse matrix of shape {source.shape}", "Call .toarray() on it.")
    try:
        return np.asarray(source)
    except ValueError:
        objects = np.empty(len(source), dtype=object)
        for row, item in enumerate(source):
            objects[row] = item
        return objects


def _read_array(array: Array, name: str) -> list[Column]:
    if array.ndim not in (1, 2):
        got = f"{array.ndim} dimensions (shape {tuple(array.shape)})"
        hint = "Flatten all but the first axis: x.reshape(len(x), -1)." if array.ndim > 2 else "One value is no sample."
        raise value_error(name, _ARRAY_LIKE, got, hint)
    if array.ndim == 2 and array.shape[1] == 0:
        raise value_error(name, "at least one column", f"shape {tuple(array.shape)}")
    if is_numpy(array):
        return _read_numpy(array, name)
    xp = namespace(array)
    if xp.isdtype(array.dtype, "bool"):
        return _read_numpy(to_numpy(array), name)
    _reject_complex(xp.isdtype(array.dtype, "complex floating"), array, name)
    return [_numbers(array, name)]


def _read_numpy(array: NDArray[Any], name: str) -> list[Column]:
    kind = array.dtype.kind
    _reject_complex(kind == "c", array, name)
    if kind in "iuf":
        if np.ma.isMaskedArray(array):
            array = np.ma.filled(array.astype(np.float64), np.nan)  # type: ignore[no-untyped-call]
        return [_numbers(array, name)]
    if kind == "V":
        raise type_error(name, "numbers or labels", f"dtype {array.dtype}", "Pass one field at a time.")
    if array.ndim == 2:
        return [part for index in range(array.shape[1]) for part in _read_numpy(array[:, index], name)]
    if kind in "mM":
        return [_times(array, name)]
    if kind in "bUS":
        levels, codes = np.unique(np.asarray(array), return_inverse=True)
        missing = np.ma.getmaskarray(array) if np.ma.isMaskedArray(array) else np.zeros(len(array), dtype=bool)  # type: ignore[no-untyped-call]
        return [Column(name, "categorical", codes, missing, levels.tolist())]
    values = array.tolist()
    return [_read_objects(values, np.array([_is_missing(value) for value in values], dtype=bool), name)]


def _reject_complex(is_complex: bool, array: Array, name: str) -> None:
    if is_complex:
        raise type_error(name, "real numbers", f"dtype {array.dtype}", "Pass real and imaginary parts as two columns.")


def _numbers(array: Array, name: str) -> Column:
    """Continuous values: numpy in float64 always, other libraries in their own floating type."""
    xp = namespace(array)
    if is_numpy(array):
        values = np.asarray(array, dtype=np.float64)
    elif not xp.isdtype(array.dtype, "real floating"):
        values = xp.astype(array, xp.empty(0).dtype)
    elif xp.finfo(array.dtype).bits < 32:
        values = xp.astype(array, xp.float32)
    else:
        values = array
    if values.ndim == 1:
        values = xp.reshape(values, (-1, 1))
    infinite = int(to_numpy(xp.sum(xp.astype(xp.any(xp.isinf(values), axis=1), xp.int64))))
    if infinite:
        hint = "Infinite values have no distance; remove or clip them."
        raise value_error(name, "finite numbers", f"infinity in {infinite} of {values.shape[0]} rows", hint)
    return Column(name, "continuous", values, to_numpy(xp.any(xp.isnan(values), axis=1)))


def _times(array: NDArray[Any], name: str) -> Column:
    """Dates and durations as numbers: the unit does not matter, since every width follows the scale."""
    missing = np.isnat(array)
    if missing.all():
        return Column(name, "continuous", np.full((len(array), 1), np.nan), missing)
    start = array[~missing].min()
    ticks = np.where(missing, np.nan, (array - start).astype(np.int64).astype(np.float64))
    return Column(name, "continuous", ticks[:, None], missing)


def _read_objects(values: list[Any], missing: NDArray[np.bool_], name: str) -> Column:
    """Python objects: labels, numbers, times, or things that only a user's kernel can compare."""
    present = [value for value, absent in zip(values, missing, strict=True) if not absent]
    if all(isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) for value in present) and present:
        numeric = [np.nan if absent else float(value) for value, absent in zip(values, missing, strict=True)]
        return _numbers(np.array(numeric, dtype=np.float64), name)
    if all(isinstance(value, datetime.date | np.datetime64) for value in present) and present:
        times = [np.datetime64("NaT") if absent else value for value, absent in zip(values, missing, strict=True)]
        return _times(np.array(times, dtype="datetime64[us]"), name)
    if any(isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real) for value in present):
        raise type_error(name, "real numbers", "complex numbers", "Pass real and imaginary parts as two columns.")
    if all(isinstance(value, str | bytes | bool | np.bool_) for value in present):
        table: dict[Any, int] = {}
        codes = [-1 if absent else table.setdefault(value, len(table)) for value, absent in zip(values, missing, strict=True)]
        return Column(name, "categorical", np.array(codes, dtype=np.int64), missing, list(table))
    return Column(name, "object", np.arange(len(values)), missing, values)


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA: the things that are not equal to themselves."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA refuses a truth value; arrays have many and are values
        return not isinstance(value, Sequence | np.ndarray) and "NA" in type(value).__name__
