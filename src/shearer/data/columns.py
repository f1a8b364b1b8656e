"""Columns with a kind: numbers, times, labels, or objects that only a user's kernel can compare."""

import datetime
import enum
import numbers
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._user_warnings import warn_caller
from shearer._validate import type_error, value_error
from shearer.data.arrays import Array, is_numpy, namespace, take_rows, to_numpy

Kind: TypeAlias = Literal["continuous", "categorical", "object"]

_LABELS = (str, bytes, bool, np.bool_, enum.Enum)
_DATES = (datetime.date, np.datetime64)
_DURATIONS = (datetime.timedelta, np.timedelta64)
_NUMBERS = (numbers.Real, Decimal)
# Text with more different values than this, and than a twentieth of the rows, is looked at: are they numbers?
_MANY_LEVELS = 20
LABELS_ADVICE = "name a Delta() kernel for it if labels are meant"
DOUBLE_EPSILON = float(np.finfo(np.float64).eps)


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
    time : bool
        True for numbers that stand for dates or times.
    """

    name: str
    kind: Kind
    values: Array
    missing: NDArray[np.bool_]
    levels: Sequence[Any] = ()
    time: bool = False

    @property
    def rows(self) -> int:
        """Number of rows, missing ones included."""
        return int(self.values.shape[0])

    def take(self, keep: NDArray[np.intp]) -> "Column":
        """Take rows by their positions."""
        return replace(self, values=take_rows(self.values, keep), missing=self.missing[keep])


# Name of a variable -> the columns that it is made of, all rows.
Columns: TypeAlias = dict[str, list[Column]]


def as_kind(column: Column, kind: str) -> Column:
    """Turn a column into labels or numbers, whatever it looked like.

    Examples
    --------
    >>> as_kind(read_numbers(np.array([70.0, 71.0, 70.0]), "year"), "categorical").levels
    [70, 71]
    """
    if column.kind == kind:
        return column
    if kind == "categorical":
        values = to_numpy(column.values)
        if column.kind == "object" or values.shape[1] != 1:
            raise value_error("kinds", "labels in one column", f"{column.name!r}")
        plain = [int(value) if value == np.floor(value) else float(value) for value in np.nan_to_num(values[:, 0])]
        return read_labels(plain, column.missing, column.name)
    try:
        levels = np.array([float(level) for level in column.levels])
    except (TypeError, ValueError) as error:
        raise value_error("kinds", f"numbers in {column.name!r}", "text that is no number") from error
    numbers_of = np.append(levels, np.nan)[column.values]  # the code of a missing value is -1
    return read_numbers(numbers_of, column.name)


def reject_complex(is_complex: bool, got: str, name: str) -> None:
    """Raise for complex numbers."""
    if is_complex:
        raise type_error(name, "real numbers", got, "Pass real and imaginary parts as two columns.")


def read_numbers(array: Array, name: str) -> Column:
    """Read numbers: numpy in float64 always, other libraries in their own floating type."""
    xp = namespace(array)
    values = _to_floats(xp.reshape(array, (-1, 1)) if array.ndim == 1 else array)
    infinite = int(to_numpy(xp.sum(xp.astype(xp.any(xp.isinf(values), axis=1), xp.int64))))
    if infinite:
        hint = "Infinite values have no distance; remove or clip them."
        raise value_error(name, "finite numbers", f"infinity in {infinite} of {values.shape[0]} rows", hint)
    return Column(name, "continuous", values, to_numpy(xp.any(xp.isnan(values), axis=1)))


def _to_floats(array: Array) -> Array:
    """Convert to floats of at least single precision; what double cannot hold of a longer float is infinite."""
    xp = namespace(array)
    if is_numpy(array):
        dtype = np.float64
    elif not xp.isdtype(array.dtype, "real floating"):
        dtype = xp.empty(0).dtype
    else:
        dtype = array.dtype if xp.finfo(array.dtype).bits >= 32 else xp.float32
    if xp.isdtype(array.dtype, "integral") and array.shape[0]:
        integers = array if is_numpy(array) else xp.astype(array, xp.int64)
        if is_coarse(int(xp.min(integers)), int(xp.max(integers)), xp.finfo(dtype).eps):
            array = integers - xp.min(integers, axis=0, keepdims=True)
    with np.errstate(over="ignore"):
        return xp.astype(array, dtype, copy=False)


def is_coarse(low: int, high: int, eps: float) -> bool:
    """Tell integers that should be counted from the smallest: floats of that size would merge neighbours.

    Kernels see differences only. A range that overflows an integer is as coarse either way.
    """
    return max(-low, high) > 1 / eps and high - low < 2**63


def read_times(array: NDArray[Any], name: str) -> Column:
    """Read dates and durations as numbers: the unit does not matter, since every bandwidth follows the scale."""
    missing, dated = np.isnat(array), array.dtype.kind == "M"
    if missing.all():
        return Column(name, "continuous", np.full((len(array), 1), np.nan), missing, time=dated)
    # Counted from the first, so that floats hold them; unsigned, so that no range is too long.
    ticks = array.astype(np.int64) - array[~missing].min().astype(np.int64)
    ticks = np.where(missing, np.nan, ticks.astype(np.uint64).astype(np.float64))
    return Column(name, "continuous", ticks[:, None], missing, time=dated)


def read_objects(values: list[Any], name: str) -> Column:
    """Read Python objects: labels, numbers, times, or things that only a user's kernel can compare."""
    missing = where_missing(values)
    types = {type(value) for value, absent in zip(values, missing, strict=True) if not absent}

    def all_are(*classes: type) -> bool:
        return bool(types) and all(issubclass(item, classes) for item in types)

    if all_are(*_LABELS) or not types:
        return read_labels(values, missing, name)
    if all_are(datetime.time):
        values = [None if absent else _since_midnight(value) for value, absent in zip(values, missing, strict=True)]
        return read_times(np.array(values, dtype="timedelta64[us]"), name)
    for classes, dtype in ((_DATES, "datetime64[us]"), (_DURATIONS, "timedelta64[us]")):
        if all_are(*classes):
            times = [None if absent else _in_utc(value) for value, absent in zip(values, missing, strict=True)]
            return read_times(np.array(times, dtype=dtype), name)
    if all_are(*_NUMBERS):
        return read_numbers(_float_items(values, missing, name), name)
    reject_complex(any(issubclass(item, complex | np.complexfloating) for item in types), "complex numbers", name)
    return Column(name, "object", np.arange(len(values)), missing, values)


def read_labels(values: list[Any], missing: NDArray[np.bool_], name: str) -> Column:
    """Read labels, which are equal or not, as codes in the order of appearance."""
    table: dict[Any, int] = {}
    pairs = zip(values, missing, strict=True)
    codes = [-1 if absent else table.setdefault(value, len(table)) for value, absent in pairs]
    warn_of_numbers(table, len(values), name)
    return Column(name, "categorical", np.array(codes, dtype=np.int64), missing, list(table))


def _in_utc(time: Any) -> Any:
    """Convert times with a zone to UTC, which numpy takes; leave dates, and times without one, as they are."""
    if getattr(time, "tzinfo", None) is None:
        return time
    return time.astimezone(datetime.UTC).replace(tzinfo=None)


def _since_midnight(time: datetime.time) -> datetime.timedelta:
    return datetime.datetime.combine(datetime.date.min, time.replace(tzinfo=None)) - datetime.datetime.min


def _float_items(values: list[Any], missing: NDArray[np.bool_], name: str) -> NDArray[np.float64]:
    present = [value for value, absent in zip(values, missing, strict=True) if not absent]
    if all(isinstance(value, numbers.Integral) for value in present):
        present = [int(value) for value in present]
        low = min(present)
        present = [value - low for value in present] if is_coarse(low, max(present), DOUBLE_EPSILON) else present
    floats = np.full(len(values), np.nan)
    try:
        floats[~missing] = present
    except OverflowError as error:
        raise value_error(name, "finite numbers", "an integer beyond the range of floats") from error
    return floats


def warn_of_numbers(levels: Collection[Any], rows: int, name: str) -> None:
    """Warn of a column of text that holds numbers: as labels they are only equal or not."""
    if len(levels) <= max(_MANY_LEVELS, rows // 20):
        return
    numeric = sum(isinstance(level, str) and _is_number(level) for level in levels)
    if numeric >= 0.9 * len(levels):
        warn_caller(
            f"{name}: {numeric} of {len(levels)} different texts are numbers, taken as labels. "
            f"Convert them to numbers, or {LABELS_ADVICE}."
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def where_missing(values: list[Any]) -> NDArray[np.bool_]:
    """Mark the values that are missing."""
    return np.array([_is_missing(value) for value in values], dtype=bool)


def _is_missing(value: Any) -> bool:
    """Recognise None, NaN, NaT, pandas.NA and numpy's masked: most are not equal to themselves."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except InvalidOperation:  # a signalling NaN of decimal
        return True
    except (TypeError, ValueError):  # pandas.NA refuses a truth value; arrays have many and are values
        return type(value).__name__ == "NAType"
