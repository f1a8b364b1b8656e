"""Texts as what they stand for: missing values, numbers, dates, truth values, labels."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shearer._validate import describe, listing

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None")
# These are also labels and signs elsewhere: where they count as missing, a note says so.
DOUBTFUL = ("?", "-", ".")
_DECIMAL_COMMA = r"^[+-]?[0-9]+(,[0-9]+)?([eE][+-]?[0-9]+)?$"
_DATE_LIKE = r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
_DATES = ("%Y-%m-%d", "%Y/%m/%d")
_TIMES = (
    *(f"%Y-%m-%d{gap}%H:%M:%S%.f" for gap in " T"),
    *(f"%Y-%m-%d{gap}%H:%M:%S%.f%#z" for gap in " T"),
)
# Of a column that is numbers but for a few texts, a note says that it is read as labels.
_NEARLY_ALL, _ENOUGH = 0.9, 10


def convert(frame: "pl.DataFrame", *, decimal_comma: bool) -> tuple["pl.DataFrame", list[str]]:
    """Columns of text as numbers, dates or truth values wherever all their values are; other columns stay.

    Parameters
    ----------
    frame : polars.DataFrame
        What was read.
    decimal_comma : bool
        Whether "1,5" can be a number.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"a": ["1", "NA"], "b": ["1,5", "2"], "c": [" x", "y"], "d": ["2020-01-01", "2020-02-01"]})
    >>> typed, notes = convert(frame, decimal_comma=True)
    >>> typed.dtypes
    [Int64, Float64, String, Date]
    >>> typed["c"].to_list(), notes
    (['x', 'y'], ["decimal commas read in 'b'"])
    """
    import polars as pl

    columns = [_plain_numbers(column) for column in frame.get_columns()]
    # To polars a name such as "*" or "^x$" stands for several columns: positions do not.
    texts = {str(at): column for at, column in enumerate(columns) if column.dtype == pl.String}
    if not texts:
        return pl.DataFrame(columns), []
    typed, notes = _convert(
        pl.DataFrame([column.alias(at) for at, column in texts.items()]), frame.columns, decimal_comma=decimal_comma
    )
    for at in texts:
        columns[int(at)] = typed[at].alias(frame.columns[int(at)])
    return pl.DataFrame(columns), notes


def _plain_numbers(column: "pl.Series") -> "pl.Series":
    """A column of texts as numbers if all are, without markers or blanks; tables can have very many such columns."""
    import polars as pl

    if column.dtype != pl.String or column.null_count() == len(column):
        return column
    integers = column.cast(pl.Int64, strict=False)
    if integers.null_count() == column.null_count():
        return integers
    floats = column.cast(pl.Float64, strict=False)
    if floats.null_count() != column.null_count():
        return column
    return floats.fill_nan(None) if math.isnan(floats.sum()) else floats


def _convert(frame: "pl.DataFrame", names: list[str], *, decimal_comma: bool) -> tuple["pl.DataFrame", list[str]]:
    import polars as pl

    texts = frame.columns
    frame, notes = _without_markers(frame, names)
    present = _count(frame, [pl.col(at).is_not_null() for at in texts])
    integers = _count(frame, [pl.col(at).cast(pl.Int64, strict=False).is_not_null() for at in texts])
    floats = _count(frame, [pl.col(at).cast(pl.Float64, strict=False).is_not_null() for at in texts])
    commas = _count(frame, [pl.col(at).str.contains(_DECIMAL_COMMA) for at in texts]) if decimal_comma else {}
    changes: list[pl.Expr | pl.Series] = []
    with_commas = []
    for at in texts:
        total = present[at]
        if total == 0:
            continue
        if integers[at] == total:
            changes.append(pl.col(at).cast(pl.Int64))
        elif floats[at] == total:
            changes.append(pl.col(at).cast(pl.Float64))
        elif commas.get(at) == total:
            changes.append(pl.col(at).str.replace(",", ".", literal=True).cast(pl.Float64))
            with_commas.append(names[int(at)])
        else:
            changes += [change for change in [_truth_or_time(frame[at])] if change is not None]
            notes += _odd_ones_out(frame[at], names[int(at)], total, floats[at])
    if with_commas:
        notes.append(f"decimal commas read in {listing(with_commas)}")
    return frame.with_columns(changes), notes


def _without_markers(frame: "pl.DataFrame", names: list[str]) -> tuple["pl.DataFrame", list[str]]:
    """Texts without blanks at their ends, and without those that stand for a missing value."""
    import polars as pl

    texts = frame.columns
    frame = frame.with_columns(pl.all().str.strip_chars())
    frame = frame.with_columns([pl.when(~pl.col(at).is_in(list(MISSING))).then(pl.col(at)).alias(at) for at in texts])
    doubtful = _count(frame, [pl.col(at).is_in(list(DOUBTFUL)) for at in texts])
    signs = _count(frame, [pl.col(at) == "+" for at in texts if doubtful[at]])
    # Beside a plus the minus is a sign, as of the strands of DNA.
    found = {at: times for at, times in doubtful.items() if times and not signs[at]}
    notes = [
        f"{describe(names[int(at)])}: {times} of {len(frame)} values are one of {listing(DOUBTFUL)}, read as missing"
        for at, times in found.items()
    ]
    return frame.with_columns(
        [pl.when(~pl.col(at).is_in(list(DOUBTFUL))).then(pl.col(at)).alias(at) for at in found]
    ), notes


def _count(frame: "pl.DataFrame", conditions: "Iterable[pl.Expr]") -> dict[str, int]:
    """How many rows meet each condition, by the column it is on."""
    sums = frame.select([condition.sum() for condition in conditions])
    return dict(zip(sums.columns, sums.row(0), strict=True)) if sums.width else {}


def _truth_or_time(column: "pl.Series") -> "pl.Series | None":
    """A column of truth values, dates or times, or None if it is none of them."""
    import polars as pl

    known = column.drop_nulls()
    if known.str.to_lowercase().is_in(["true", "false"]).all():
        return column.str.to_lowercase() == "true"
    if not known.str.contains(_DATE_LIKE).all():
        return None
    for form in (*_DATES, *_TIMES):
        times = column.str.to_datetime(form, strict=False, exact=True, time_unit="us")
        if times.null_count() == column.null_count():
            return times.cast(pl.Date) if form in _DATES else times
    return None


def _odd_ones_out(column: "pl.Series", name: str, total: int, numbers: int) -> list[str]:
    """A note on a column that is numbers but for a few texts."""
    import polars as pl

    if total < _ENOUGH or numbers < _NEARLY_ALL * total:
        return []
    odd = column.filter(column.cast(pl.Float64, strict=False).is_null() & column.is_not_null())
    return [
        f"{describe(name)}: {total - numbers} of {total} values are no numbers "
        f"({listing(odd.unique(maintain_order=True).to_list())}), so the column is read as labels"
    ]
