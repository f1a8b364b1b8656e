"""Options that several commands share, and the texts users type as the values they stand for."""

import csv
import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shearer._files import Loaded, read_files
from shearer._files.formats import described
from shearer._validate import check_names, describe, listing, value_error
from shearer.data.named_columns import KINDS

if TYPE_CHECKING:
    import polars as pl

# The formats of files, for the help of commands.
FORMATS = described("csv, tsv, txt")
# As many as the rows of the longest series.
_MOST_LAGS = 5000
DATA, OUTPUT, WORK = "Data", "Output", "Computation"

Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR", help='Of text files: "," ";" "\\t" or " " for blanks. Default: found.', rich_help_panel=DATA
    ),
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of text files. Default: found.", rich_help_panel=DATA)
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first row holds values, not column names.", rich_help_panel=DATA)
]
SkipRows = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Lines of text, or rows of a sheet, above the column names. Default: found.",
        show_default=False,
        rich_help_panel=DATA,
    ),
]
Sheet = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of Excel workbooks. Default: the first.", rich_help_panel=DATA)
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME=COL,COL,...",
        help="Columns that form one vector variable. Can be repeated.",
        rich_help_panel=DATA,
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COL=KIND",
        help="Read a column as number or label (also: continuous, categorical). Can be repeated.",
        rich_help_panel=DATA,
    ),
]
Columns = Annotated[
    str | None, typer.Option(metavar="COL,COL,...", help="Look at these columns only.", rich_help_panel=DATA)
]
Drop = Annotated[str | None, typer.Option(metavar="COL,COL,...", help="Leave these columns out.", rich_help_panel=DATA)]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Most memory, as 2GB. Default: half of what there is.", rich_help_panel=WORK),
]
Jobs = Annotated[int | None, typer.Option(metavar="N", help="Threads; -1: all cores.", rich_help_panel=WORK)]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, help="Of everything that is drawn at random.", rich_help_panel=WORK)
]
Json = Annotated[
    str | None,
    typer.Option(metavar="PATH", help='Write everything as JSON; "-": to the standard output.', rich_help_panel=OUTPUT),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print nothing but errors and what is written to -.", rich_help_panel=OUTPUT),
]


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    separator: str | None
    encoding: str | None
    no_header: bool
    sheet: str | None
    skip_rows: int | None = None
    memory: str | None = None

    @property
    def mark(self) -> str | None:
        """The separator, a tab where one is spelled out."""
        return None if self.separator is None else self.separator.replace("\\t", "\t")

    def read(self, files: Sequence[str]) -> Loaded:
        """The table; patterns that the shell left alone stand for the files that match."""
        return read_files(
            [path for pattern in files for path in _expand(pattern)],
            separator=self.mark,
            encoding=self.encoding,
            header=not self.no_header,
            sheet=self.sheet,
            skip_rows=self.skip_rows,
            memory=self.memory,
        )


def _expand(pattern: str) -> list[str]:
    if not glob.has_magic(pattern) or Path(pattern).exists():
        return [pattern]
    return sorted(glob.glob(pattern, recursive=True)) or [pattern]


def split_names(text: str) -> list[str]:
    """Names between commas; quotes hold those that contain one.

    Examples
    --------
    >>> split_names('a,"b, c",d')
    ['a', 'b, c', 'd']
    """
    return next(csv.reader([text], skipinitialspace=True), [])


def parse_groups(texts: Sequence[str] | None) -> dict[str, list[str]] | None:
    """``["pos=x,y"]`` as ``{"pos": ["x", "y"]}``."""
    groups = _assignments("--group", texts, "NAME=COL,COL")
    return {name: split_names(members) for name, members in groups.items()} or None


def parse_kinds(texts: Sequence[str] | None) -> dict[str, str] | None:
    """``["year=label"]`` as ``{"year": "categorical"}``."""
    kinds = _assignments("--kind", texts, "COL=KIND")
    for kind in kinds.values():
        if kind not in KINDS:
            raise typer.BadParameter(f"{kind!r} is neither number nor label", param_hint="--kind")
    return {name: KINDS[kind] for name, kind in kinds.items()} or None


def _assignments(option: str, texts: Sequence[str] | None, form: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for text in texts or ():
        # Names of columns come first in kinds and may hold "=": the last one counts there, the first in groups.
        name, sign, value = text.rpartition("=") if option == "--kind" else text.partition("=")
        if not sign or not name or not value:
            raise typer.BadParameter(f"{text!r} is not of the form {form}", param_hint=option)
        if name in parts:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        parts[name] = value
    return parts


def parse_lags(text: str | None) -> list[int] | None:
    """Whole numbers: ``0..5``, ``0,1,7`` or ``3``.

    Examples
    --------
    >>> parse_lags("0..3"), parse_lags("0,7"), parse_lags(None)
    ([0, 1, 2, 3], [0, 7], None)
    """
    if text is None:
        return None
    try:
        if ".." in text:
            first, last = (int(end) for end in text.split(".."))
            lags = list(range(first, min(last, first + _MOST_LAGS) + 1))
        else:
            lags = [int(part) for part in text.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not of the form 0..5 or 0,1,2", param_hint="--lags") from error
    if not lags or min(lags) < 0:
        raise typer.BadParameter(f"{text!r} holds no lag, or one below 0", param_hint="--lags")
    if len(lags) > _MOST_LAGS:
        raise typer.BadParameter(f"{text!r} holds more than {_MOST_LAGS:,} lags", param_hint="--lags")
    return lags


def chosen_names(known: Sequence[str], columns: str | None, drop: str | None) -> list[str]:
    """The columns that are named, or all, without those that are dropped."""
    for option, text in (("--columns", columns), ("--drop", drop)):
        check_names(option, split_names(text or ""), known)
    dropped = set(split_names(drop or ""))
    return [name for name in dict.fromkeys(split_names(columns) if columns else known) if name not in dropped]


def choose_columns(frame: "pl.DataFrame", columns: str | None, drop: str | None) -> "pl.DataFrame":
    """The table of the columns that are named, or all, without those that are dropped."""
    return frame[chosen_names(frame.columns, columns, drop)]


def without_row_numbers(
    frame: "pl.DataFrame", columns: str | None, *, wanted: Sequence[str] = (), least: int = 2
) -> tuple["pl.DataFrame", list[str]]:
    """The table without columns that only count or number the rows, and a note on them.

    Columns that are named, or `wanted`, stay; so do all where fewer than `least` others are left.
    """
    from shearer.data import read
    from shearer.scanning.columns.coded import coded_columns
    from shearer.scanning.columns.roles import identifies_rows

    named = {*split_names(columns or ""), *wanted}
    candidates = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_integer() and name not in named and frame[name].n_unique() == frame.height > 0
    ]
    if not candidates:
        return frame, []
    coded = coded_columns(read(frame.select(candidates), missing="pairwise", pairwise=True).columns)
    reasons = {name: reason for name, column in coded.items() if (reason := identifies_rows(column)) is not None}
    if not reasons or frame.width - len(reasons) < least:
        return frame, []
    left_out = ", ".join(f"{describe(name)} ({reason})" for name, reason in reasons.items())
    return frame.drop(list(reasons)), [f"Left out: {left_out}; --columns brings back what it names."]


def check_kinds(frame: "pl.DataFrame", kinds: Mapping[str, str] | None) -> None:
    """Refuse to read texts as numbers, and say which are none."""
    import polars as pl

    for name, kind in (kinds or {}).items():
        if kind == "continuous" and name in frame.columns and frame[name].dtype == pl.String:
            texts = frame[name].drop_nulls()
            odd = texts.filter(texts.cast(pl.Float64, strict=False).is_null())
            got = f"{len(odd)} of {len(texts)} values that are none ({listing(odd.unique(maintain_order=True))})"
            hint = "Mend them in the file, or write NA for a missing value."
            raise value_error("--kind", f"numbers in {describe(name)}", got, hint)


def with_kinds(frame: "pl.DataFrame", kinds: Mapping[str, str] | None) -> "pl.DataFrame":
    """The table with columns as labels or as numbers, where they are not what they look like."""
    import polars as pl

    check_names("--kind", kinds or {}, frame.columns)
    check_kinds(frame, kinds)
    for name, kind in (kinds or {}).items():
        column = frame[name]
        if kind == "categorical":
            # Not the numbers as texts, of which the library would warn.
            frame = frame.with_columns(("level " + column.rank("dense").cast(pl.String)).alias(name))
        elif not (column.dtype.is_numeric() or column.dtype.is_temporal()):
            raise value_error("--kind", f"numbers in {describe(name)}", f"a column of type {column.dtype}")
    return frame
