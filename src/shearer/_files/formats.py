"""The formats of tables, each once: how files are called, how they begin, and what reads them, whole or in chunks.

A new format is an entry of `FORMATS` and the function that reads it.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from shearer._files import text
from shearer._files.contents import COMPRESSED_SUFFIXES, is_compressed, said_of
from shearer._files.in_memory import copied_needs, text_needs, typed_needs, workbook_needs
from shearer._files.raw import Dialect, Raw, empty_file, positional
from shearer._files.sheets import read_sheet
from shearer._validate import listing, value_error

if TYPE_CHECKING:
    import polars as pl


# What to do with a file that is to be read in chunks and cannot be.
OTHERWISE = "Other formats are read into memory."


@dataclass(frozen=True)
class Format:
    """A format of tables.

    Attributes
    ----------
    name : str
        As messages call it.
    suffixes : tuple of str
        How names of such files end.
    marks : tuple of bytes
        How such files begin; none: like anything else, as text does.
    whole : callable
        From the bytes of a file, its name and how it is written to what it holds.
    needs : callable
        From the bytes of a file to those that reading it takes.
    lazy : callable or None
        From a path to a lazy frame, for formats that declare their columns and are read in chunks by polars.
    advice : str
        What to do with a file that is to be read in chunks and cannot be.
    """

    name: str
    suffixes: tuple[str, ...]
    marks: tuple[bytes, ...]
    whole: Callable[[bytes, str, Dialect], Raw]
    needs: Callable[[bytes], int]
    lazy: "Callable[[Path], pl.LazyFrame] | None" = None
    advice: str = OTHERWISE

    @property
    def is_text(self) -> bool:
        """Whether columns are found by looking through the file, at once or in chunks."""
        return not self.marks

    @property
    def in_chunks(self) -> bool:
        """Whether it can be read in chunks."""
        return self.is_text or self.lazy is not None


def _scan_parquet(path: Path | io.BytesIO) -> "pl.LazyFrame":
    import polars as pl

    return pl.scan_parquet(path, glob=False)


def _scan_ipc(path: Path | io.BytesIO) -> "pl.LazyFrame":
    import polars as pl

    return pl.scan_ipc(path, glob=False)


def _read_parquet(raw: bytes, name: str, _dialect: Dialect) -> Raw:
    import polars as pl

    return _typed("Parquet", pl.read_parquet, raw, name)


def _read_ipc(raw: bytes, name: str, _dialect: Dialect) -> Raw:
    import polars as pl

    return _typed("Arrow", pl.read_ipc, raw, name)


def _read_ipc_stream(raw: bytes, name: str, _dialect: Dialect) -> Raw:
    import polars as pl

    return _typed("Arrow", pl.read_ipc_stream, raw, name)


def _typed(kind: str, reader: "Callable[[bytes], pl.DataFrame]", raw: bytes, name: str) -> Raw:
    """A table of a format that declares its types."""
    import polars as pl

    with complete(name, kind):
        frame = reader(raw)
    nested = [label for label, dtype in frame.schema.items() if dtype.is_nested() or dtype == pl.Object]
    notes = (f"left out, since lists and records are no values to compare: {listing(nested)}",) if nested else ()
    frame = frame[[label for label in frame.columns if label not in nested]]
    if frame.height == 0 or frame.width == 0:
        raise empty_file(name, f"{frame.width} columns of values and {frame.height} rows")
    return Raw(name, frame.columns, positional(frame), False, notes=notes)


@contextmanager
def complete(name: str, kind: str) -> Iterator[None]:
    """Say of what a library raises on a damaged file that it is one."""
    import polars as pl

    # A panic of polars is no Exception, and a damaged file can cause one.
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [""])[0][:120]
        got = f"one that is damaged ({reason})"
        raise value_error(name, f"a complete file in the format of {kind}", got) from error


_STREAM = "Write it as an Arrow file or as Parquet, or read it at once: an Arrow stream has no index to find rows by."

PARQUET = Format("Parquet", (".parquet", ".pq"), (b"PAR1",), _read_parquet, typed_needs(_scan_parquet), _scan_parquet)
ARROW = Format("Arrow", (".arrow", ".ipc", ".feather"), (b"ARROW1",), _read_ipc, typed_needs(_scan_ipc), _scan_ipc)
# Of the same name: files of either kind are called *.arrow.
ARROW_STREAM = Format("Arrow", (".arrows",), (b"\xff\xff\xff\xff",), _read_ipc_stream, copied_needs, advice=_STREAM)
EXCEL = Format(
    "Excel", (".xlsx", ".xlsm", ".xls", ".xlsb"), (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"), read_sheet, workbook_needs
)
TEXT = Format("text", text.SUFFIXES, (), text.read_text, text_needs)

# Bytes that tell formats apart.
_HEAD = 8
FORMATS = (PARQUET, ARROW, ARROW_STREAM, EXCEL, TEXT)
# Formats that are known and not read; as text they would give nonsense.
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


def described(texts: str = "text (csv, tsv, txt)") -> str:
    """All formats in words.

    Examples
    --------
    >>> described()
    'text (csv, tsv, txt), Parquet, Arrow or Excel'
    """
    *most, last = dict.fromkeys(known.name for known in FORMATS if not known.is_text)
    return f"{', '.join([texts, *most])} or {last}"


def by_contents(head: bytes) -> Format:
    """The format of a file that begins so."""
    return next((known for known in FORMATS if known.marks and head.startswith(known.marks)), TEXT)


def by_name(name: str) -> Format | None:
    """The format that a name promises, that of a compressed file included; None if it says nothing.

    Examples
    --------
    >>> [found and found.name for found in map(by_name, ("a.csv.gz", "b.PQ", "c.dat"))]
    ['text', 'Parquet', None]
    """
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return next((known for known in FORMATS if suffixes and suffixes[-1] in known.suffixes), None)


def check_readable(name: str) -> None:
    """Raise if the name is that of a format that is not read."""
    unread = next((suffix for suffix in map(str.lower, PurePath(name).suffixes) if suffix in _UNREAD), None)
    if unread is not None:
        raise value_error(name, described(), f"a {unread} file")


def check_promise(name: str, found: Format) -> Format:
    """What the name promises, the contents must be; text may be called anything."""
    promised = by_name(name)
    if promised is not None and not promised.is_text and promised.name != found.name:
        raise value_error(name, f"a file in the format of {promised.name}", "other contents", "Is it complete?")
    return found


def check_chunks(path: Path) -> Format:
    """The format of a file by its name, if its contents are of that format and can be read in chunks."""
    named = by_name(path.name) or TEXT
    if named.is_text:
        return named  # looked through before it is read
    with said_of(path), path.open("rb") as file:
        head = file.read(_HEAD)
    expected = "a file that can be read in chunks"
    if is_compressed(head):
        raise value_error(path.name, expected, "a compressed one", "Only text is read in chunks from compressed files.")
    found = check_promise(path.name, by_contents(head))
    if not found.in_chunks:
        raise value_error(path.name, expected, f"an {found.name} stream", found.advice)
    return found


def chunk_suffixes() -> tuple[str, ...]:
    """How files are called that can be read in chunks."""
    return tuple(suffix for known in FORMATS if known.in_chunks for suffix in known.suffixes)
