"""Tables as text: csv and its relatives, with the separator found from the first lines."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from shearer._files.encoding import decode
from shearer._files.raw import Dialect, Raw, empty_file, numbered, positional
from shearer._files.titles import LOOKED_AT, count_titles, titles_note
from shearer._validate import describe, type_error, value_error

if TYPE_CHECKING:
    import polars as pl

# Files called so have a separator; blanks are part of their labels.
_SEPARATED = (".csv", ".tsv")
SUFFIXES = (*_SEPARATED, ".txt")
# Runs of blanks and tabs, as in columns aligned by eye.
BLANKS = " "
# In this order if several fit: a comma can be part of a number, and blanks of a label.
_SEPARATORS = ("\t", ";", "|", ",")
_SAMPLE_CHARACTERS = 100_000
_SAMPLE_RECORDS = 200
# What zlib data begin with, and text can (no other beginning of theirs is text): polars would unpack it.
_LIKE_COMPRESSED = "x^"
# A separator must give most records the same number of cells.
_LEAST_AGREEMENT = 0.5
_NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")


def read_text(raw: bytes, name: str, dialect: Dialect) -> Raw:
    r"""Read a table of text as texts.

    Examples
    --------
    >>> raw = read_text(b"a;b\n1,5;x\n", "f.csv", Dialect())
    >>> raw.header, raw.frame.rows(), raw.decimal_comma
    (['a', 'b'], [('1,5', 'x')], True)
    """
    separator, header = dialect.separator, dialect.header
    if separator is not None:
        check_separator(separator)
    text, notes = decode(raw, name, dialect.encoding)
    text, separator, above, titles = lay_out(text, name, separator, dialect.skip if header else dialect.skip or 0)
    names, frame, more = first_rows(text, name, separator, header=header, above=above)
    more += titles
    names, frame = _without_empty(names, frame)
    more += header_notes(names, name) if header else []
    if frame.height == 0:
        raise empty_file(name, "a header only" if header else "nothing")
    return Raw(name, names, frame, True, separator != ",", (*notes, *more))


class Layout(NamedTuple):
    """A table without what stands above it, its separator, how many lines do stand above it, and notes on them."""

    text: str
    separator: str
    above: int
    notes: list[str]


def lay_out(text: str, name: str, separator: str | None, skip: int | None) -> Layout:
    """The table without what stands above it; lines to skip and separator are found if none are given."""
    if not text.strip():
        raise empty_file(name, "nothing but blank lines")
    declared = re.match(r"\n*sep=(.)\n", text)  # a line by which spreadsheets are told
    above = 0 if skip is None else skip
    if declared:
        separator = separator or declared[1]
        above = max(above, text[: declared.end()].count("\n"))
    rest = _without_lines(text, above)
    notes = []
    if skip is None and (titles := _count_title_lines(rest, separator)):
        notes = [titles_note(name, titles)]
        above += titles
        rest = _without_lines(rest, titles)
    if not rest.strip():
        raise empty_file(name, f"nothing below the first {above} lines")
    blank = len(rest) - len(rest.lstrip("\n"))
    rest = rest[blank:]
    return Layout(
        rest, separator or detect(rest, aligned=PurePath(name).suffix.lower() not in _SEPARATED), above + blank, notes
    )


def _without_lines(text: str, lines: int) -> str:
    for _ in range(min(lines, text.count("\n") + 1)):
        text = text.partition("\n")[2]
    return text


def _count_title_lines(text: str, separator: str | None) -> int:
    """Lines above the column names; 0 unless the lines below form a table by one separator, and the first do not."""
    sample = text[:_SAMPLE_CHARACTERS]
    for mark in (separator,) if separator else _SEPARATORS:
        found = []
        try:
            found = [record for record, _ in zip(records(sample, mark), range(LOOKED_AT), strict=False)]
        except csv.Error:  # a cell beyond the limit of the module
            continue
        if titles := count_titles([cells for _, cells in found]):
            return found[titles - 1][0]
        if found and len(found[0][1]) > 1:
            return 0
    return 0


def detect(text: str, *, aligned: bool) -> str:
    r"""The separator of a table: the one that gives most records the same number of cells, two or more.

    Parameters
    ----------
    text : str
        The table.
    aligned : bool
        Whether runs of blanks can be the separator, where nothing else fits.

    Examples
    --------
    >>> [detect(text, aligned=True) for text in ("a;b\n1,5;2,5\n", "a  b\n1 20\n", "a\n1\n")]
    [';', ' ', ',']
    """
    sample = text[:_SAMPLE_CHARACTERS]
    scores = {mark: _agreement(sample, mark, cut=len(sample) < len(text)) for mark in _SEPARATORS}
    best = max(scores, key=lambda mark: scores[mark])
    if scores[best] >= _LEAST_AGREEMENT:
        return best
    fits = aligned and _agreement(sample, BLANKS, cut=len(sample) < len(text)) == 1
    return BLANKS if fits else ","


def _agreement(sample: str, separator: str, *, cut: bool) -> float:
    """Share of records with the most common number of cells; 0 if the first record has only one."""
    widths = []
    try:
        for _, record in zip(range(_SAMPLE_RECORDS), records(sample, separator), strict=False):
            widths.append(len(record[1]))
    except csv.Error:  # a cell beyond the limit of the module
        pass
    if cut and 2 < len(widths) < _SAMPLE_RECORDS:
        widths.pop()
    if not widths or widths[0] < 2:
        return 0.0
    below = widths[1:] or widths
    typical, times = Counter(below).most_common(1)[0]
    # A header may lack the name of the first column (R) or an end (a separator after the last cell).
    return times / len(below) if typical - 1 <= widths[0] <= typical else 0.5 * times / len(below)


def records(text: str, separator: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every record that is not blank."""
    # StringIO without translation keeps line breaks within quotes as they are.
    lines: Iterator[str] = iter(io.StringIO(text, newline="\n"))
    if separator == BLANKS:
        lines = (f"{line.strip()}\n".replace("\t", " ") for line in lines)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=strict)
    for cells in reader:
        if cells and not (len(cells) == 1 and not cells[0].strip()):
            yield reader.line_num, cells


def first_rows(
    text: str, name: str, separator: str, *, header: bool, above: int = 0
) -> tuple[list[str], "pl.DataFrame", list[str]]:
    """Column names, rows without blank ones, and notes; `above` lines were left out before."""
    frame = None if separator == BLANKS else _by_polars(text, separator)
    if frame is None:
        names, frame, notes = _by_records(text, name, separator, header=header, above=above)
    else:
        if header and frame.width > 2 and _has_end_in_header_only(text, separator):
            frame = frame[:, :-1]
        _check_short(frame, text, name, separator, above)
        names, frame = _split_header(frame, header=header)
        notes = []
    return names, _without_blanks(frame), notes


def header_notes(names: Iterable[str], name: str) -> list[str]:
    """A note on a first line that looks like values."""
    if not all(_NUMBER.fullmatch(cell.strip()) for cell in names):
        return []
    return [f"the first line of {name} holds numbers only and was read as column names, not as data"]


def further_rows(text: str, name: str, separator: str, *, width: int, above: int) -> "pl.DataFrame":
    """Rows of so many cells each, without blank ones, of a table that began `above` lines before."""
    frame = None if separator == BLANKS else _by_polars(text, separator)
    if frame is None or frame.width != width:
        found = ((above + line, cells) for line, cells in _all_records(text, name, separator))
        return _without_blanks(_as_frame(_check_lengths(found, name, separator, width), width))
    _check_short(frame, text, name, separator, above)
    return _without_blanks(frame)


def _by_polars(text: str, separator: str) -> "pl.DataFrame | None":
    """All cells as texts, or None where rows differ in length or quotes are out of place."""
    import polars as pl

    # To polars a quote after a blank is a part of the text, and what follows one that is not closed is lost.
    if f'{separator} "' in text or text.count('"') % 2 or text.startswith(_LIKE_COMPRESSED):
        return None
    try:
        frame = pl.read_csv(text.encode(), separator=separator, has_header=False, infer_schema=False)
    except pl.exceptions.PolarsError:
        return None
    return positional(frame)


def _has_end_in_header_only(text: str, separator: str) -> bool:
    """True if a separator stands at the end of the line of names, and of no other."""
    lines = [cells for (_, cells), _ in zip(records(text[:_SAMPLE_CHARACTERS], separator), range(2), strict=False)]
    return len(lines) == 2 and not lines[0][-1].strip() and len(lines[1]) == len(lines[0]) - 1


def _split_header(frame: "pl.DataFrame", *, header: bool) -> tuple[list[str], "pl.DataFrame"]:
    if not header:
        return numbered(frame.width), frame
    return [cell or "" for cell in frame.row(0)], frame[1:]


def _check_short(frame: "pl.DataFrame", text: str, name: str, separator: str, above: int = 0) -> None:
    """Polars fills rows that are too short with missing values: a file cut off would go unnoticed."""
    suspects = frame.filter(frame[:, -1].is_null())
    if frame.width > 1 and suspects.height and not _is_blank(suspects).all():
        found = ((above + line, cells) for line, cells in records(text, separator))
        _check_lengths(found, name, separator, frame.width)


def _check_lengths(found: Iterable[tuple[int, list[str]]], name: str, separator: str, width: int) -> list[list[str]]:
    rows = []
    for line, cells in found:
        if len(cells) != width:
            got = f"{len(cells)} in line {line}"
            hint = f"Cells are separated by {describe(separator)} unless another separator is chosen."
            hint = "If lines stand above the column names, skip them (skip_rows, --skip-rows)." if width == 1 else hint
            raise value_error(name, f"as many cells in every line as in the first ({width})", got, hint)
        rows.append(cells)
    return rows


def _by_records(
    text: str, name: str, separator: str, *, header: bool, above: int
) -> tuple[list[str], "pl.DataFrame", list[str]]:
    """Row by row: for blanks as separators, quotes within cells, rows longer than the header; finds what is wrong."""
    found = ((above + line, cells) for line, cells in _all_records(text, name, separator))
    first = next(found)
    second = next(found, None)
    names = first[1] if header else numbered(len(first[1]))
    # One name alone above two cells is more likely a title.
    extra = second is not None and len(second[1]) == len(names) + 1 > 2
    rows = ([first] if not header else []) + ([second] if second else [])
    cells = _check_lengths([*rows, *found], name, separator, len(names) + extra)
    notes = []
    if extra and not any(row[-1].strip() for row in cells):
        names = [*names, ""]  # a separator at the end of each row
    elif extra:
        names = ["row", *names]
        notes.append(f"the rows of {name} have one cell more than its header: the first is read as the name of the row")
    return names, _as_frame(cells, len(names)), notes


def _as_frame(cells: list[list[str]], width: int) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(cells, schema={str(position): pl.String for position in range(width)}, orient="row")


def _all_records(text: str, name: str, separator: str) -> list[tuple[int, list[str]]]:
    try:
        return list(records(text, separator, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            hint = "Was the file cut off?"
            raise value_error(name, "every quoted text to be closed", "one that is not", hint) from error
    try:
        return list(records(text, separator))
    except csv.Error as error:
        raise value_error(name, "a table of text", f"a line that cannot be read ({error})") from error


def _without_blanks(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Leave out blank lines."""
    # Few lines begin with nothing: only these are looked at as a whole.
    starts = _is_blank(frame[:, :1])
    if not starts.any():
        return frame
    blank = starts.clone()
    blank[starts.arg_true()] = _is_blank(frame.filter(starts))
    return frame.filter(~blank)


def _without_empty(names: list[str], frame: "pl.DataFrame") -> tuple[list[str], "pl.DataFrame"]:
    """Leave out columns that have neither a name nor a value."""
    empty = [at for at, name in enumerate(names) if not name.strip() and _is_blank(frame[:, [at]]).all()]
    kept = [at for at in range(frame.width) if at not in empty]
    return [names[at] for at in kept], positional(frame[:, kept]) if empty else frame


def _is_blank(frame: "pl.DataFrame") -> "pl.Series":
    """Which rows hold nothing."""
    import polars as pl

    return frame.select(pl.all_horizontal(pl.all().fill_null("").str.strip_chars() == "")).to_series()


def check_separator(separator: object) -> None:
    """Raise unless it is one character that can separate cells."""
    if not isinstance(separator, str):
        raise type_error("separator", "a character", describe(separator))
    if len(separator) != 1 or not separator.isascii() or separator in '"\n\r\0':
        hint = '"\\t" is a tab, " " any run of blanks.'
        raise value_error("separator", "one character, no quote or line break", describe(separator), hint)
