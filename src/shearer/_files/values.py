"""Texts as what they stand for: missing values, numbers, dates, truth values, labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shearer._files.notes import Note
from shearer._files.raw import positional
from shearer._files.readings import (
    DATES,
    DECIDED,
    DECIMAL,
    DECIMAL_COMMA,
    DOUBTFUL,
    INTEGER,
    LARGE,
    MISSING,
    NUMBER,
    OTHER_SIGN,
    PLUS,
    THOUSANDS,
    TIMES,
    TRUTHS,
    WITH_UNIT,
    Observed,
    looks_grouped,
    observe,
)
from shearer._validate import listing

if TYPE_CHECKING:
    import polars as pl

_SIGN_NAMES = {".": "points", ",": "commas"}
# Of a column that is numbers but for a few texts, a note says that it is read as labels.
_NEARLY_ALL, _ENOUGH = 0.9, 10


@dataclass(frozen=True)
class Rule:
    """How a column of texts is read.

    Attributes
    ----------
    reading : str or None
        None: as labels.
    doubtful : bool
        Whether `DOUBTFUL` texts are missing values.
    unit : str
        Of every number, to be left out.
    """

    reading: str | None = None
    doubtful: bool = False
    unit: str = ""

    def expression(self, column: str) -> "pl.Expr":
        """The values of a column of texts."""
        import polars as pl

        stripped = pl.col(column).str.strip_chars()
        missing = [*MISSING, *(DOUBTFUL if self.doubtful else ())]
        text = pl.when(~stripped.is_in(missing)).then(stripped).alias(column)
        if self.reading is None:
            return text
        if self.reading in (*DATES, *TIMES):
            times = text.str.to_datetime(self.reading, exact=True, time_unit="us")
            return times.cast(pl.Date) if self.reading in DATES else times
        if self.reading in TRUTHS:
            return text.str.to_lowercase() == self.reading
        if self.unit:
            text = text.str.replace(self.unit, "", literal=True).str.strip_chars()
        if self.reading == INTEGER:
            return text.cast(pl.Int64)
        for mark, reading in THOUSANDS.items():
            if reading == self.reading:
                text = text.str.replace_all(mark, "", literal=True)
        return text.str.replace(",", ".", literal=True).cast(pl.Float64).fill_nan(None)


def convert(frame: "pl.DataFrame", *, decimal_comma: bool) -> tuple["pl.DataFrame", list[Note]]:
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
    >>> typed["c"].to_list(), [note.text() for note in notes]
    (['x', 'y'], ["decimal commas read in 'b'"])
    """
    import polars as pl

    # To polars a name such as "*" or "^x$" stands for several columns: a position does not.
    columns = positional(frame).get_columns()
    texts = {at: column for at, column in enumerate(columns) if column.dtype == pl.String}
    plain = {at: typed for at, column in texts.items() if (typed := _plain_numbers(column)) is not None}
    observed = {at: observe(column) for at, column in texts.items() if at not in plain}
    if any(found.grouped for found in observed.values()):
        # Other columns may tell which sign is the decimal one.
        observed = {at: observe(column) for at, column in texts.items()}
    rules, notes = settle(list(observed.values()), [frame.columns[at] for at in observed], decimal_comma=decimal_comma)
    for at, rule in zip(observed, rules, strict=True):
        columns[at] = texts[at].to_frame().select(rule.expression(str(at))).to_series()
    for at in plain.keys() - observed.keys():
        columns[at] = plain[at]
    return pl.DataFrame([column.alias(name) for column, name in zip(columns, frame.columns, strict=True)]), notes


def _plain_numbers(column: "pl.Series") -> "pl.Series | None":
    """A column of texts as numbers if all are, without markers or blanks; tables can have very many such columns."""
    import polars as pl

    if column.null_count() == len(column):
        return column
    integers = column.cast(pl.Int64, strict=False)
    if integers.null_count() == column.null_count():
        return integers
    floats = column.cast(pl.Float64, strict=False)
    if floats.null_count() != column.null_count() or looks_grouped(column):
        return None
    return floats.fill_nan(None) if math.isnan(floats.sum()) else floats


def settle(observed: Sequence[Observed], names: Sequence[str], *, decimal_comma: bool) -> tuple[list[Rule], list[Note]]:
    """How every column of a table is read, by what was seen of all of them, and notes on what a reader should know."""
    signs = _decimal_signs(observed, decimal_comma=decimal_comma)
    rules, missing, labels = [], [], []
    remarks: dict[tuple[str, str], list[str]] = {}
    for found, name in zip(observed, names, strict=True):
        # Beside a plus the minus is a sign, as of the strands of DNA.
        doubtful = bool(found.doubtful) and PLUS not in found.seen
        plain = found.without_unit()
        reading = _reading(plain, signs, decimal_comma=decimal_comma)
        unit = found.units[0] if reading is not None and plain is not found else ""
        rules.append(Rule(reading, doubtful, unit))
        if doubtful:
            share = f"{found.doubtful} of {found.rows} values"
            missing.append(Note("", (name,), f": {share} are one of {listing(DOUBTFUL)}, read as missing"))
        if reading is None:
            labels += [Note("", (name,), f": {remark}") for remark in _label_remarks(plain)]
            continue
        for remark in _remarks(plain, reading, signs, unit):
            remarks.setdefault(remark, []).append(name)
    changed = [Note(before, tuple(columns), after) for (before, after), columns in remarks.items()]
    return rules, [*missing, *labels, *changed]


def _decimal_signs(observed: Sequence[Observed], *, decimal_comma: bool) -> set[str]:
    """The signs that are certainly decimal ones in some column."""
    signs = set()
    for found in observed:
        if NUMBER in found.readings and f"{DECIMAL}." in found.seen:
            signs.add(".")
        if decimal_comma and DECIMAL_COMMA in found.readings and f"{DECIMAL}," in found.seen:
            signs.add(",")
        signs |= {OTHER_SIGN[mark] for mark in _certain_thousands(found)}
    return signs


def _certain_thousands(found: Observed) -> list[str]:
    """The sign that stands between thousands by the values of the column alone."""
    marks = found.grouped
    # 1.234 beside 1,234 is neither.
    return [
        mark for mark in marks if len(marks) == 1 and {f"{DECIDED}{mark}", f"{DECIMAL}{OTHER_SIGN[mark]}"} & found.seen
    ]


def _reading(found: Observed, signs: set[str], *, decimal_comma: bool) -> str | None:
    if not found.present:
        return None
    if INTEGER in found.readings:
        return INTEGER
    for mark in found.grouped:
        alone = mark in _certain_thousands(found)
        if alone or (len(found.grouped) == 1 and signs == {OTHER_SIGN[mark]} and f"{LARGE}{mark}" not in found.seen):
            return THOUSANDS[mark]
    if NUMBER in found.readings:
        return NUMBER
    if decimal_comma and DECIMAL_COMMA in found.readings:
        return DECIMAL_COMMA
    if found.truth is not None:
        return found.truth
    if found.either_order:
        return None
    return next((form for form in (*DATES, *TIMES) if form in found.readings), None)


def _remarks(found: Observed, reading: str, signs: set[str], unit: str) -> list[tuple[str, str]]:
    """What is said before and after the name of a column that is read so."""
    found_signs = _sign_remark(found, reading, signs)
    of_unit = [(f"the unit {unit} left out in ", "")] if unit else []
    if reading in TRUTHS and reading != "true":
        return [(f"{reading} and {TRUTHS[reading]} read as true and false in ", "")]
    return [*of_unit, *([found_signs] if found_signs else [])]


def _sign_remark(found: Observed, reading: str, signs: set[str]) -> tuple[str, str] | None:
    """What is said of decimal signs and those between thousands."""
    for mark, name in _SIGN_NAMES.items():
        if reading == THOUSANDS[mark]:
            return f"{name} between thousands left out in ", ""
        if mark in found.grouped and mark not in signs:
            doubt = "though three digits follow each of them: if they stand between thousands, remove them"
            return f"decimal {name} read in ", f", {doubt}"
    return ("decimal commas read in ", "") if reading == DECIMAL_COMMA else None


def _label_remarks(found: Observed) -> list[str]:
    """What is said of a column of labels that are nearly something else."""
    if not found.present:
        return []
    if found.grouped:
        signs = " and ".join(_SIGN_NAMES[mark] for mark in found.grouped)
        doubt = f"it cannot be told whether {signs} stand between thousands or are decimal signs"
        return [f"{doubt}, so the column is read as labels"]
    if found.either_order:
        doubt = "it cannot be told whether days or months come first"
        return [f"{doubt}, so the dates are read as labels; write them as 2024-01-31"]
    if WITH_UNIT in found.readings:
        return [f"numbers with different units ({listing(found.units)}) are read as labels; bring them to one"]
    if found.present < _ENOUGH or found.numbers < _NEARLY_ALL * found.present:
        return []
    share = f"{found.present - found.numbers} of {found.present} values are no numbers"
    return [f"{share} ({listing(found.odd)}), so the column is read as labels"]
