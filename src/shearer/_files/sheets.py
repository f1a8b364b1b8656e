"""Excel workbooks."""

from typing import TYPE_CHECKING, Any

from shearer._files.raw import Dialect, Raw, empty_file, numbered, positional
from shearer._files.titles import LOOKED_AT, count_titles, titles_note
from shearer._files.values import convert
from shearer._optional import load
from shearer._validate import check_option, listing, value_error

if TYPE_CHECKING:
    import polars as pl


def read_sheet(raw: bytes, name: str, dialect: Dialect) -> Raw:
    """Read one sheet of a workbook, the first unless another is named."""
    sheet, header = dialect.sheet, dialect.header
    fastexcel = load("fastexcel", "reading Excel files")
    try:
        book = fastexcel.read_excel(raw)
    except fastexcel.FastExcelError as error:
        got = "a workbook that is damaged or protected by a password"
        raise value_error(name, "an Excel workbook", got) from error
    sheets = list(book.sheet_names)
    if not sheets:
        raise empty_file(name, "a workbook without sheets")
    chosen = sheets[0] if sheet is None else check_option("sheet", sheet, sheets)
    try:
        titles = _titles(book, chosen, dialect)
        names, frame = _cells(book, chosen, header=header, above=titles)
    except fastexcel.FastExcelError as error:
        got = f"sheet {chosen!r} that cannot be read ({str(error).splitlines()[0]})"
        raise value_error(name, "an Excel workbook", got) from error
    if frame.height == 0 or frame.width == 0:
        raise empty_file(name, f"sheet {chosen!r} without any")
    others = [other for other in sheets if other != chosen]
    notes = (f"sheet {chosen!r} of {name} was read; there are also {listing(others)}",) if others and not sheet else ()
    if titles and dialect.skip is None:
        notes = (*notes, titles_note(name, titles))
    return Raw(name, names, frame, True, False, notes)


def _titles(book: Any, sheet: str, dialect: Dialect) -> int:
    """Rows above the table: as many as were said, or found where there is a header."""
    if dialect.skip is not None or not dialect.header:
        return dialect.skip or 0
    top = book.load_sheet(sheet, header_row=None, n_rows=LOOKED_AT, dtypes="string").to_polars()
    return count_titles(top.rows())


def _cells(book: Any, sheet: str, *, header: bool, above: int) -> tuple[list[str], "pl.DataFrame"]:
    """Column names as written, and typed columns."""
    import polars as pl

    # Of the rows that are not looked at for its type, a column would lose what does not fit it.
    options: dict[str, Any] = {"header_row": None, "skip_rows": above + header, "schema_sample_rows": None}
    frame = positional(book.load_sheet(sheet, **options).to_polars())
    # A column of numbers with a few "?" comes as texts of nine digits: it is read once more as numbers.
    typed = positional(convert(frame, decimal_comma=False)[0])
    numbers = [at for at in range(frame.width) if frame.dtypes[at] == pl.String and typed.dtypes[at].is_numeric()]
    if numbers:
        exact = positional(book.load_sheet(sheet, **options, dtypes=dict.fromkeys(numbers, "float")).to_polars())
        # Numbers that are texts, as "2,581.0", are lost so: they stay as they are.
        same = [str(at) for at in numbers if exact[str(at)].null_count() == typed[str(at)].null_count()]
        frame = frame.with_columns([exact[at] for at in same])
    if not header:
        return numbered(frame.width), frame
    first = book.load_sheet(sheet, header_row=None, skip_rows=above, n_rows=1, dtypes="string").to_polars()
    return [cell or "" for cell in first.row(0)] if first.height else [], frame
