"""What one file holds, before names are made distinct and texts become numbers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shearer._validate import value_error

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Dialect:
    """How files are written, as far as the caller says; each format takes what concerns it.

    Attributes
    ----------
    separator, encoding : str or None
        Of text; None: found.
    header : bool
        Whether the first row holds the column names.
    sheet : str or None
        Of workbooks; None: the first.
    skip : int or None
        Lines or rows above the table; None: found.
    """

    separator: str | None = None
    encoding: str | None = None
    header: bool = True
    sheet: str | None = None
    skip: int | None = None


@dataclass(frozen=True, eq=False)
class Raw:
    """The contents of one file.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    header : list of str
        The column names as written, repetitions and gaps included.
    frame : polars.DataFrame
        The rows, under names that mean nothing.
    loose : bool
        True if texts may stand for numbers, as in csv; False if the file declares its types.
    decimal_comma : bool
        Whether "1,5" can be a number.
    notes : tuple of str
        What a reader should know.
    """

    name: str
    header: list[str]
    frame: "pl.DataFrame"
    loose: bool
    decimal_comma: bool = False
    notes: tuple[str, ...] = ()


def positional(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The same columns under their positions as names."""
    frame = frame.clone()
    frame.columns = [str(position) for position in range(frame.width)]
    return frame


def numbered(width: int) -> list[str]:
    """Names for the columns of a file without a header."""
    return [f"column {position}" for position in range(1, width + 1)]


def empty_file(name: str, got: str) -> ValueError:
    """The error for a file without data."""
    return value_error(name, "a table: a line of column names and at least one row", got)
