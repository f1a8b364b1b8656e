"""Read one thing that a user passes (array, list, Series, column of a frame) into columns with a kind."""

import datetime
import enum
import numbers
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._arrays import Array, is_array, is_numpy, is_torch, namespace, take_rows, to_numpy
from shearer._validate import describe, type_error, value_error

Kind: TypeAlias = Literal["continuous", "categorical", "object"]
# What `open_source` returns: an array of any library, or a table or column as narwhals wraps it.
Opened: TypeAlias = Any

_ARRAY_LIKE = "an array of shape (n,) or (n, d)"
_LABELS = (str, bytes, bool, np.bool_, enum.Enum)
_DATES = (datetime.date, np.datetime64)
_DURATIONS = (datetime.timedelta, np.timedelta64)
_NUMBERS = (numbers.Real, Decimal)
_DOUBLE_EPSILON = float(np.finfo(np.float64).eps)


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


def open_source(source: Any, name: str) -> Opened:
    """Recognise what the user passes: a table or column of any library, an array, or items to make one of."""
    if is_array(source):
        return source
    if isinstance(source, str | bytes | bytearray | dict | set | frozenset) or source is None:
        raise type_error(name, _ARRAY_LIKE, describe(source))
    if isinstance(source, list | tuple):
        return _read_items(source, name)
    import narwhals.stable.v2 as nw

    try:
        opened = nw.from_native(_familiar(source), allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        labels = list(source.column_names if hasattr(source, "column_names") else source.columns)
        twice = next(label for label in labels if labels.count(label) > 1)
        raise value_error(name, "a table with distinct column names", f"{describe(twice)} twice") from error
    if isinstance(opened, nw.LazyFrame):
        raise type_error(name, "a table in memory", "a lazy one", "Call .collect() on it first.")
    return opened if isinstance(opened, nw.DataFrame | nw.Series) else _read_items(source, name)


def is_frame(opened: Opened) -> bool:
    """True for a table."""
    return not is_array(opened) and hasattr(opened, "iter_columns")


def series_name(opened: Opened) -> str | None:
    """The name that a Series carries, if it is one and has one."""
    label = None if is_array(opened) or is_frame(opened) else opened.name
    return None if label is None or label == "" else str(label)


def holds_variables(items: Iterable[Any]) -> bool:
    """True for a list of arrays, columns or tables: variables, not the values of one."""
    samples = {type(item): item for item in items if type(item).__module__ != "builtins"}.values()
    if any(is_array(item) and item.ndim for item in samples):
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
    """Pieces of pandas and pyarrow that narwhals does not take, as ones that it does."""
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
    """A list or the like as an array of objects: numpy would turn [1, "a", nan] into three texts."""
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
    if dtype.is_integer() and column.count() and _is_coarse(int(column.min()), int(column.max()), _DOUBLE_EPSILON):
        return _read_objects(column.to_list(), name)
    if dtype.is_numeric():
        return _numbers(column.cast(nw.Float64).to_numpy(), name)
    if dtype.is_temporal() and dtype != nw.Time:
        return _read_array(column.to_numpy(), name)[0]
    values = column.to_list()
    if dtype in (nw.Categorical, nw.Enum):
        return _labels(values, _where_missing(values), name)
    return _read_objects(values, name)


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
    _reject_complex(xp.isdtype(array.dtype, "complex floating"), f"dtype {array.dtype}", name)
    return [_numbers(array, name)]


def _read_numpy(array: NDArray[Any], name: str) -> list[Column]:
    _reject_complex(array.dtype.kind == "c", f"dtype {array.dtype}", name)
    if array.dtype.kind == "V":
        raise type_error(name, "numbers or labels", f"dtype {array.dtype}", "Pass one field at a time.")
    if np.ma.isMaskedArray(array):
        array = _unmask(array)
    kind = array.dtype.kind
    if kind in "iuf":
        return [_numbers(np.asarray(array), name)]
    if array.ndim == 2:
        return [part for index in range(array.shape[1]) for part in _read_numpy(array[:, index], name)]
    if kind in "mM":
        return [_times(array, name)]
    if kind in "bUS":
        levels, codes = np.unique(np.asarray(array), return_inverse=True)
        return [Column(name, "categorical", codes, np.zeros(len(array), dtype=bool), levels.tolist())]
    return [_read_objects(array.tolist(), name)]


def _unmask(array: Any) -> NDArray[Any]:
    """Masked entries as the missing value of the type; other types than floats and times have None, as objects."""
    kind = array.dtype.kind
    filled = np.array(array.data, dtype=array.dtype if kind in "fmM" else object)
    filled[array.mask] = np.nan if kind == "f" else array.dtype.type("NaT") if kind in "mM" else None
    return filled


def _reject_complex(is_complex: bool, got: str, name: str) -> None:
    if is_complex:
        raise type_error(name, "real numbers", got, "Pass real and imaginary parts as two columns.")


def _numbers(array: Array, name: str) -> Column:
    """Continuous values: numpy in float64 always, other libraries in their own floating type."""
    xp = namespace(array)
    values = _to_floats(xp.reshape(array, (-1, 1)) if array.ndim == 1 else array)
    infinite = int(to_numpy(xp.sum(xp.astype(xp.any(xp.isinf(values), axis=1), xp.int64))))
    if infinite:
        hint = "Infinite values have no distance; remove or clip them."
        raise value_error(name, "finite numbers", f"infinity in {infinite} of {values.shape[0]} rows", hint)
    return Column(name, "continuous", values, to_numpy(xp.any(xp.isnan(values), axis=1)))


def _to_floats(array: Array) -> Array:
    """Floats of at least single precision; what double cannot hold of a longer float is infinite."""
    xp = namespace(array)
    if is_numpy(array):
        dtype = np.float64
    elif not xp.isdtype(array.dtype, "real floating"):
        dtype = xp.empty(0).dtype
    else:
        dtype = array.dtype if xp.finfo(array.dtype).bits >= 32 else xp.float32
    if xp.isdtype(array.dtype, "integral") and array.shape[0]:
        integers = array if is_numpy(array) else xp.astype(array, xp.int64)
        if _is_coarse(int(xp.min(integers)), int(xp.max(integers)), xp.finfo(dtype).eps):
            array = integers - xp.min(integers, axis=0, keepdims=True)
    with np.errstate(over="ignore"):
        return xp.astype(array, dtype, copy=False)


def _is_coarse(low: int, high: int, eps: float) -> bool:
    """True where integers should be counted from the smallest: floats of that size would merge neighbours.

    Kernels see differences only. A range that overflows an integer is as coarse either way.
    """
    return max(-low, high) > 1 / eps and high - low < 2**63


def _times(array: NDArray[Any], name: str) -> Column:
    """Dates and durations as numbers: the unit does not matter, since every width follows the scale."""
    missing = np.isnat(array)
    if missing.all():
        return Column(name, "continuous", np.full((len(array), 1), np.nan), missing)
    # Counted from the first, so that floats hold them; unsigned, so that no range is too long.
    ticks = array.astype(np.int64) - array[~missing].min().astype(np.int64)
    ticks = np.where(missing, np.nan, ticks.astype(np.uint64).astype(np.float64))
    return Column(name, "continuous", ticks[:, None], missing)


def _read_objects(values: list[Any], name: str) -> Column:
    """Python objects: labels, numbers, times, or things that only a user's kernel can compare."""
    missing = _where_missing(values)
    types = {type(value) for value, absent in zip(values, missing, strict=True) if not absent}

    def all_are(*classes: type) -> bool:
        return bool(types) and all(issubclass(item, classes) for item in types)

    if all_are(*_LABELS) or not types:
        return _labels(values, missing, name)
    for classes, dtype in ((_DATES, "datetime64[us]"), (_DURATIONS, "timedelta64[us]")):
        if all_are(*classes):
            times = [None if absent else _in_utc(value) for value, absent in zip(values, missing, strict=True)]
            return _times(np.array(times, dtype=dtype), name)
    if all_are(*_NUMBERS):
        return _numbers(_float_items(values, missing, name), name)
    _reject_complex(any(issubclass(item, complex | np.complexfloating) for item in types), "complex numbers", name)
    return Column(name, "object", np.arange(len(values)), missing, values)


def _labels(values: list[Any], missing: NDArray[np.bool_], name: str) -> Column:
    table: dict[Any, int] = {}
    pairs = zip(values, missing, strict=True)
    codes = [-1 if absent else table.setdefault(value, len(table)) for value, absent in pairs]
    return Column(name, "categorical", np.array(codes, dtype=np.int64), missing, list(table))


def _in_utc(time: Any) -> Any:
    """Times with a zone as UTC, which numpy takes; dates, and times without one, as they are."""
    if getattr(time, "tzinfo", None) is None:
        return time
    return time.astimezone(datetime.UTC).replace(tzinfo=None)


def _float_items(values: list[Any], missing: NDArray[np.bool_], name: str) -> NDArray[np.float64]:
    present = [value for value, absent in zip(values, missing, strict=True) if not absent]
    if all(isinstance(value, numbers.Integral) for value in present):
        present = [int(value) for value in present]
        low = min(present)
        present = [value - low for value in present] if _is_coarse(low, max(present), _DOUBLE_EPSILON) else present
    floats = np.full(len(values), np.nan)
    try:
        floats[~missing] = present
    except OverflowError as error:
        raise value_error(name, "finite numbers", "an integer beyond the range of floats") from error
    return floats


def _where_missing(values: list[Any]) -> NDArray[np.bool_]:
    return np.array([_is_missing(value) for value in values], dtype=bool)


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT, pandas.NA and numpy's masked: most are not equal to themselves."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except InvalidOperation:  # a signalling NaN of decimal
        return True
    except (TypeError, ValueError):  # pandas.NA refuses a truth value; arrays have many and are values
        return type(value).__name__ == "NAType"
