"""What the contents of a file take in memory, and the refusal of what would not fit before it is read."""

import copy
import functools
import io
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from shearer._files.contents import is_compressed, opened, said_of
from shearer._memory import MemoryBudgetError, format_bytes
from shearer._validate import describe, message

if TYPE_CHECKING:
    import polars as pl

# Bytes at the peak of reading: for each byte of text (as it is, decoded, cut), and for each cell (as text, then typed).
_TEXT_BYTE, _CELL, _TYPED_CELL = 5, 30, 24
# A cell that is read row by row is an object of Python; so are those of tables aligned by blanks.
_CELL_BY_ROW = 160
# A column, whatever it holds, and the fewest bytes of text that name one.
_COLUMN, _SHORTEST_NAME = 3000, 2
_MARKS = (b"\t", b";", b"|", b",")
# A workbook is unpacked and parsed; other bytes are copied.
_TIMES_UNPACKED = 4
_SHEET_CELL = 32
# Where a cell is that holds something (one that is only formatted takes no memory), cells that do not say where they
# are, and rows, by which these are placed. No sheet has more letters or digits.
_CELL_PLACE = re.compile(rb"<(?:\w+:)?c\s[^<>]*?\br\s*=\s*[\"']([A-Za-z]{1,3})([0-9]{1,7})[\"'][^<>]*(?<!/)>")
_NO_PLACE = re.compile(rb"<(?:\w+:)?c(?:\s+(?!r\s*=)[\w:]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*\s*>")
_ROW = re.compile(rb"<(?:\w+:)?row\s[^<>]*?\br\s*=\s*[\"']([0-9]{1,7})[\"']")
_BLOCK = 2**22
_HEAD = 8


class Room:
    """Memory that files may take, all together.

    Parameters
    ----------
    budget : int
        Bytes.

    Examples
    --------
    >>> room = Room(10**6)
    >>> room.take("a.csv", 600_000)
    >>> room.take("b.csv", 600_000)
    Traceback (most recent call last):
    ...
    shearer._memory.MemoryBudgetError: memory: expected at most 1 MB, got b.csv, which needs 1.2 MB to be read with what
    was read before. Options: a larger memory (--memory); fewer files; text, Parquet and Arrow are also read in chunks
    (scan --stream).
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.taken = 0

    @property
    def most(self) -> int:
        """Bytes of contents beyond which they cannot fit, whatever they are."""
        return max(self.budget - self.taken, 0)

    def take(self, name: str, needed: int, *, at_least: bool = False) -> None:
        """Refuse a file that needs more than is left."""
        before, self.taken = self.taken, self.taken + needed
        if self.taken <= self.budget:
            return
        got = f"{name}, which needs {'more than ' * at_least}{format_bytes(self.taken)} to be read"
        got += " with what was read before" if before else ""
        options = "Options: a larger memory (--memory); fewer files; text, Parquet and Arrow are also read in chunks"
        raise MemoryBudgetError(
            message("memory", f"at most {format_bytes(self.budget)}", got, f"{options} (scan --stream).")
        )


def text_needs(raw: bytes) -> int:
    r"""Bytes that reading a text takes.

    Examples
    --------
    >>> text_needs(b"a,b\n1,2\n"), text_needs(b'a b\n1 2\n')
    (6160, 9680)
    """
    lines = raw.count(b"\n")
    mark = max(_MARKS, key=raw.count)
    marks = raw.count(mark)
    aligned = marks < lines
    by_row = aligned or mark + b' "' in raw
    cells = lines + (raw.count(b" ") + raw.count(b"\t") if aligned else marks)
    first = raw[: raw.find(b"\n") + 1 or len(raw)]
    columns = 1 + (len(first.split()) if aligned else first.count(mark))
    return _TEXT_BYTE * len(raw) + (_CELL_BY_ROW if by_row else _CELL) * cells + _COLUMN * columns


def typed_needs(scan: "Callable[[io.BytesIO | Path], pl.LazyFrame]") -> Callable[[bytes], int]:
    """Of a format that declares its columns and rows: what they take, by what it declares."""

    def needs(raw: bytes) -> int:
        return len(raw) + declared_needs(scan(io.BytesIO(raw)))

    return needs


def declared_needs(lazy: "pl.LazyFrame") -> int:
    """Bytes of a table by its rows and columns; 0 for a file that is damaged, of which its reader tells."""
    import polars as pl

    try:
        return (int(lazy.select(pl.len()).collect().item()) * _TYPED_CELL + _COLUMN) * len(lazy.collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return 0


def copied_needs(raw: bytes) -> int:
    """Of bytes that are copied as they are."""
    return _TIMES_UNPACKED * len(raw)


def workbook_needs(raw: bytes) -> int:
    """Of a workbook: what its members hold, and all cells from the first to the last of its widest sheet.

    A few bytes can declare a cell at the far end of a sheet, and every cell before it takes memory once it is read.
    """
    unpacked, cells = 0, 0
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
            for member in archive.infolist():
                cells = max(cells, _cells_of(archive, member))
    except MemoryBudgetError:
        raise
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error):
        pass  # of an older kind, or damaged or encrypted: for its reader to tell
    return _TIMES_UNPACKED * max(unpacked, len(raw)) + _SHEET_CELL * cells


def _cells_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """The cells of a sheet, 0 for other members, one of which may be as long as it says and no longer."""
    # As long as it is: who reads on to the end would not stop at what it says.
    whole = copy.copy(member)
    whole.file_size = 2**62
    columns, rows, below, size, rest = {b""}, {b"0"}, {b"0"}, 0, b""
    unplaced = False
    with archive.open(whole) as file:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > member.file_size:
                got = f"{describe(member.filename)}, which is larger"
                raise MemoryBudgetError(message("workbook", "members that are as large as they say", got))
            text = rest + block
            found = _CELL_PLACE.findall(text)
            columns.update(column for column, _ in found)
            rows.update(row for _, row in found)
            below.update(_ROW.findall(text))
            unplaced = unplaced or _NO_PLACE.search(text) is not None
            rest = text[max(text.rfind(b"<"), 0) :] if len(text) <= 2 * _BLOCK else b""
    return max(map(_column_number, columns)) * max(map(int, rows | below if unplaced else rows))


def _column_number(letters: bytes) -> int:
    """The place of a column by its letters.

    Examples
    --------
    >>> [_column_number(letters) for letters in (b"", b"A", b"z", b"AA", b"XFD")]
    [0, 1, 26, 27, 16384]
    """
    return functools.reduce(lambda number, letter: 26 * number + letter - 64, letters.upper(), 0)


def text_file_needs(path: Path, most: int) -> int:
    """Bytes that reading a file of text takes, compressed or not; no more is looked at than exceeds `most`."""
    with said_of(path), path.open("rb") as file:
        head, size = file.read(_HEAD), path.stat().st_size
    if not is_compressed(head) and size * (_TEXT_BYTE + _CELL_BY_ROW + _COLUMN // _SHORTEST_NAME) <= most:
        return size * _TEXT_BYTE
    needed = 0
    with opened(path) as read:
        while needed <= most and (block := read(_BLOCK)):
            needed += text_needs(block)
    return needed
