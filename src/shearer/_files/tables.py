"""Files as one table: the format is told by the contents, several files are stacked."""

import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from shearer._files.contents import check_file, decompress, read_up_to, said_of
from shearer._files.formats import by_contents, check_promise, check_readable
from shearer._files.in_memory import Room
from shearer._files.names import check_same, distinct, is_unnamed
from shearer._files.notes import Note, texts
from shearer._files.raw import Dialect, Raw, empty_file
from shearer._files.values import convert
from shearer._memory import parse_memory
from shearer._validate import describe, listing, type_error, value_error

if TYPE_CHECKING:
    import polars as pl

STDIN = "-"
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
    skip_rows: int | None = None,
    memory: str | float | None = None,
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
        Of text. Default: by the mark of byte order, else UTF-8, else what the script of the text suggests, else
        Windows-1252.
    header : bool
        Whether the first row holds the column names.
    sheet : str, optional
        Of Excel workbooks. Default: the first.
    skip_rows : int, optional
        Lines of text, or rows of a sheet, that stand above the table. Default: found, where there is a header.
    memory : str or float, optional
        Most memory that reading may take, as "2GB"; what would need more is refused. Default: half of the machine.

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
    room = Room(parse_memory(memory))
    for path in wanted:
        name, contents = _fetch(path, room)
        files.append(_read(contents, name, Dialect(separator, encoding, header, sheet, skip_rows), room))
    names, notes = distinct(files[0].header)
    check_same([(file.name, file.header) for file in files])
    frame, more = _stack(files, names)
    general = [Note(note) for note in (*(note for file in files for note in file.notes), *notes)]
    remarks = (*general, *more, *_row_numbers(frame, files[0].header))
    return Loaded(frame, remarks, _source([file.name for file in files]))


def _fetch(path: str | PathLike[str], room: Room) -> tuple[str, bytes]:
    """The name of a file for messages, and its bytes."""
    if not isinstance(path, str | PathLike):
        raise type_error("paths", "names of files", describe(path))
    if str(path) == STDIN:
        if sys.stdin is None:  # as after <&- in a shell
            raise value_error("standard input", "a table", "one that is closed")
        return "standard input", _no_more("standard input", read_up_to(sys.stdin.buffer, room.most + 1), room)
    file = Path(path)
    check_file(file)
    with said_of(file), file.open("rb") as opened:
        return file.name, _no_more(file.name, read_up_to(opened, room.most + 1), room)


def _no_more(name: str, contents: bytes, room: Room) -> bytes:
    """Refuse contents of which only the beginning was read."""
    if len(contents) > room.most:
        room.take(name, len(contents), at_least=True)
    return contents


def _read(raw: bytes, name: str, dialect: Dialect, room: Room) -> Raw:
    if not raw:
        raise empty_file(name, "an empty file")
    check_readable(name)
    raw = _no_more(name, decompress(raw, name, room.most), room)
    found = check_promise(name, by_contents(raw))
    room.take(name, found.needs(raw))
    return found.whole(raw, name, dialect)


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
