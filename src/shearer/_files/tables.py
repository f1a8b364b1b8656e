"""Files as one table: the format is told by the contents, several files are stacked."""

import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from shearer._files.contents import ARROW_STREAM, decompress, kind_of
from shearer._files.names import check_same, distinct, is_unnamed
from shearer._files.notes import Note, texts
from shearer._files.raw import Raw, empty_file, positional
from shearer._files.sheets import read_sheet
from shearer._files.text import read_text
from shearer._files.values import convert
from shearer._validate import describe, listing, suggest, type_error, value_error

if TYPE_CHECKING:
    import polars as pl

STDIN = "-"
# What the name promises, the contents must be.
_PROMISES = {".parquet": "Parquet", ".pq": "Parquet", ".feather": "Arrow", ".arrow": "Arrow", ".ipc": "Arrow"}
_PROMISES |= {".xlsx": "Excel", ".xlsm": "Excel", ".xls": "Excel", ".xlsb": "Excel"}
_UNREAD = (
    ".json",
    ".jsonl",
    ".ndjson",
    ".npz",
    ".npy",
    ".h5",
    ".hdf5",
    ".sav",
    ".dta",
    ".rds",
    ".pkl",
    ".zip",
    ".ods",
    ".html",
)
# Fewer rows in a row, 1, 2, 3, can be anything.
_FEWEST_NUMBERED = 10


@dataclass(frozen=True, eq=False)
class Loaded:
    """A table read from files.

    Attributes
    ----------
    frame : polars.DataFrame
        The table.
    remarks : tuple of Note
        What a reader should know: how it was decoded, which names were changed, what was taken as missing.
    source : str
        Where it came from, in a few words.
    """

    frame: "pl.DataFrame"
    remarks: tuple[Note, ...]
    source: str

    @property
    def notes(self) -> tuple[str, ...]:
        """The remarks as sentences."""
        return texts(self.remarks)

    def notes_on(self, columns: Collection[str]) -> tuple[str, ...]:
        """The remarks that concern these columns, or the table as a whole."""
        return texts(self.remarks, columns)


def read_files(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    separator: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    sheet: str | None = None,
) -> Loaded:
    r"""Read one table from one or several files.

    Text (csv, tsv, txt; compressed by gzip, bzip2 or xz), Parquet, Arrow (feather) and Excel are told apart by their
    contents; "-" is the standard input.

    Parameters
    ----------
    paths : path or sequence of paths
        The files; several must have the same columns in the same order, and are stacked.
    separator : str, optional
        Of text: one character, " " for runs of blanks. Default: found from the first lines.
    encoding : str, optional
        Of text. Default: by the mark of byte order, else UTF-8, else Windows-1252.
    header : bool
        Whether the first row holds the column names.
    sheet : str, optional
        Of Excel workbooks. Default: the first.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("size;kind\n1,5;a\nNA;b\n")
    ...     loaded = read_files(path)
    >>> loaded.frame.rows(), loaded.notes, loaded.source
    ([(1.5, 'a'), (None, 'b')], ("decimal commas read in 'size'",), 'table.csv')
    """
    wanted = [paths] if isinstance(paths, str | PathLike) else list(paths)
    if not wanted:
        raise value_error("paths", "at least one file", "none")
    files = []
    for path in wanted:
        name, contents = _fetch(path)
        files.append(_read(contents, name, separator=separator, encoding=encoding, header=header, sheet=sheet))
    names, notes = distinct(files[0].header)
    check_same([(file.name, file.header) for file in files])
    frame, more = _stack(files, names)
    general = [Note(note) for note in (*(note for file in files for note in file.notes), *notes)]
    remarks = (*general, *more, *_row_numbers(frame, files[0].header))
    return Loaded(frame, remarks, _source([file.name for file in files]))


def _fetch(path: str | PathLike[str]) -> tuple[str, bytes]:
    """The name of a file for messages, and its bytes."""
    if not isinstance(path, str | PathLike):
        raise type_error("paths", "names of files", describe(path))
    if str(path) == STDIN:
        return "standard input", sys.stdin.buffer.read()
    file = Path(path)
    if file.is_dir():
        raise value_error(str(path), "a file", "a folder", "Name the files in it, or use a pattern such as *.csv.")
    try:
        return file.name, file.read_bytes()
    except FileNotFoundError as error:
        raise value_error(str(path), "a file that exists", "no such file", _similar(file)) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise value_error(str(path), "a file that can be read", f"the error {reason!r}") from error


def _similar(file: Path) -> str:
    try:
        return suggest(file.name, [other.name for other in file.parent.iterdir()])
    except OSError:
        return f"There is no folder {describe(str(file.parent))}."


def _read(
    raw: bytes, name: str, *, separator: str | None, encoding: str | None, header: bool, sheet: str | None
) -> Raw:
    if not raw:
        raise empty_file(name, "an empty file")
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    unread = next((suffix for suffix in suffixes if suffix in _UNREAD), None)
    if unread is not None:
        raise value_error(name, "text (csv, tsv, txt), Parquet, Arrow or Excel", f"a {unread} file")
    raw = decompress(raw, name)
    kind = kind_of(raw)
    promised = _PROMISES.get(suffixes[-1]) if suffixes else None
    if promised and promised != kind:
        raise value_error(name, f"a file in the format of {promised}", "other contents", "Is it complete?")
    if kind == "Excel":
        return read_sheet(raw, name, sheet=sheet, header=header)
    if kind == "text":
        return read_text(raw, name, separator=separator, encoding=encoding, header=header)
    return _read_binary(raw, name, kind)


def _read_binary(raw: bytes, name: str, kind: str) -> Raw:
    import polars as pl

    readers = {"Parquet": pl.read_parquet, "Arrow": pl.read_ipc}
    reader = pl.read_ipc_stream if raw.startswith(ARROW_STREAM) else readers[kind]
    try:
        frame = reader(raw)
    # A panic of polars is no Exception, and a damaged file can cause one.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [""])[0][:120]
        got = f"one that is damaged ({reason})"
        raise value_error(name, f"a complete file in the format of {kind}", got) from error
    nested = [label for label, dtype in frame.schema.items() if dtype.is_nested() or dtype == pl.Object]
    notes = (f"left out, since lists and records are no values to compare: {listing(nested)}",) if nested else ()
    frame = frame[[label for label in frame.columns if label not in nested]]
    if frame.height == 0 or frame.width == 0:
        raise empty_file(name, f"{frame.width} columns of values and {frame.height} rows")
    return Raw(name, frame.columns, positional(frame), False, notes=notes)


def _stack(files: Sequence[Raw], names: list[str]) -> tuple["pl.DataFrame", list[Note]]:
    """All rows under the names; texts of several files become numbers together, or not at all."""
    import polars as pl

    comma = any(file.decimal_comma for file in files)
    if all(file.loose for file in files) and len({tuple(file.frame.dtypes) for file in files}) == 1:
        frame = pl.concat([file.frame for file in files])
        frame.columns = names
        return convert(frame, decimal_comma=comma)
    frames = []
    notes: list[Note] = []
    for file in files:
        frame = file.frame.clone()
        frame.columns = names
        if file.loose:
            frame, more = convert(frame, decimal_comma=file.decimal_comma)
            notes += more
        frames.append(frame)
    return _concatenate(frames, files), notes


def _concatenate(frames: "Sequence[pl.DataFrame]", files: Sequence[Raw]) -> "pl.DataFrame":
    import polars as pl

    try:
        return pl.concat(frames, how="vertical_relaxed")
    except pl.exceptions.PolarsError as error:
        for file, frame in zip(files[1:], frames[1:], strict=True):
            for name, mine, other in zip(frame.columns, frame.dtypes, frames[0].dtypes, strict=True):
                if mine != other:
                    got = f"{mine} in {describe(name)}, where {files[0].name} has {other}"
                    raise value_error(file.name, f"the types of {files[0].name}", got) from error
        raise


def _row_numbers(frame: "pl.DataFrame", header: Sequence[str]) -> Iterable[Note]:
    """A note on a column that only counts the rows: if they are sorted, it depends on everything."""
    for name, written, dtype in zip(frame.columns, header, frame.dtypes, strict=True):
        if not dtype.is_integer() or frame.height < _FEWEST_NUMBERED:
            continue
        column = frame[name]
        if name != frame.columns[0] and not is_unnamed(written):
            continue
        start = column[0]
        if start in (0, 1) and (column.diff().drop_nulls() == 1).all() and column.null_count() == 0:
            advice = "leave it out unless their order matters"
            yield Note("", (name,), f" counts the rows, {start} to {column[-1]}: {advice}")


def _source(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} files ({listing(names)})"
