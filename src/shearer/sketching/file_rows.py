"""Rows of files that do not fit in memory, read chunk by chunk."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from shearer._files.chunks import TextTable, join, look_through
from shearer._files.contents import COMPRESSED_SUFFIXES
from shearer._files.notes import texts
from shearer._jobs import spread
from shearer._progress import track
from shearer._validate import check_names, describe, value_error
from shearer.sketching.row_source import RowSource

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R")

# Rows read at a time: a few megabytes of some columns, a few hundred of a thousand.
CHUNK_ROWS = 2**16
_READERS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".ipc": "ipc", ".feather": "ipc"}
_BINARY = tuple(_READERS.values())
_READERS |= {".csv": "text", ".tsv": "text", ".txt": "text"}


@dataclass(frozen=True)
class FileRows(RowSource):
    """Files of rows, one part each, read chunk by chunk.

    Attributes
    ----------
    paths : tuple of Path
        Parquet, Arrow (not the stream form), or text.
    columns : tuple of str or None
        Which columns; None: all.
    texts : TextTable or None
        The files of text among them, and how their columns are read.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None
    texts: TextTable | None = None

    @classmethod
    def open(
        cls,
        paths: tuple[Path, ...],
        columns: tuple[str, ...] | None = None,
        separator: str | None = None,
        *,
        encoding: str | None = None,
        header: bool = True,
        progress: bool | None = None,
    ) -> Self:
        """Look through all text once: every column is read by one rule, found from all of its values."""
        wanted = [path for path in paths if _reader(path) not in _BINARY]
        look = partial(look_through, separator=separator, encoding=encoding, header=header)
        found = list(track(spread(look, wanted, None), len(wanted), "files looked through", progress))
        return cls(paths, columns, join(found) if found else None)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The file, or the first and how many more."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return self.paths[0].name + more

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found while text was looked through that a reader of these columns should know."""
        return () if self.texts is None else texts(self.texts.remarks, self.columns)

    def names(self) -> list[str]:
        """The columns of the first file."""
        if self.texts is not None and _reader(self.paths[0]) not in _BINARY:
            return list(self.texts.names)
        return list(_lazy(self.paths[0]).collect_schema().names())

    def fold(
        self,
        function: Callable[[Iterator[Any], int], R],
        merge: Callable[[list[R]], R],
        n_jobs: int | None,
        progress: bool | None,
    ) -> R:
        """File by file, several at a time if joblib is told so."""
        on_file = partial(_on_file, function, self.columns, self.texts)
        found = spread(on_file, list(enumerate(self.paths)), n_jobs)
        total: list[R] = []
        for part in track(found, len(self.paths), "files", progress):
            total = [merge([*total, part])]  # as they come, so that no more than two are held
        return total[0]


def _on_file(
    function: Callable[[Iterator[Any], int], R],
    columns: tuple[str, ...] | None,
    texts: TextTable | None,
    job: tuple[int, Path],
) -> R:
    number, path = job
    return function(_batches(path, columns, texts), number)


def _batches(path: Path, columns: tuple[str, ...] | None, texts: TextTable | None) -> Iterator[pl.DataFrame]:
    """The rows of a file; dates and times as numbers counted from one moment."""
    import polars as pl
    import polars.selectors as cs

    try:
        for batch in _frames(path, columns, texts):
            rows = batch.with_columns(cs.temporal().to_physical())
            for start in range(0, len(rows), CHUNK_ROWS):
                yield rows[start : start + CHUNK_ROWS]
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, error) from error


def _frames(path: Path, columns: tuple[str, ...] | None, texts: TextTable | None) -> Iterator[pl.DataFrame]:
    if texts is not None and _reader(path) not in _BINARY:
        check_names("columns", columns or (), texts.names)
        wanted = list(texts.names if columns is None else columns)
        return (frame[wanted] for frame in texts.frames(path))
    lazy = _lazy(path)
    if columns is not None:
        check_names("columns", columns, lazy.collect_schema().names())
        lazy = lazy.select(columns)
    return lazy.collect_batches(chunk_size=CHUNK_ROWS, maintain_order=True)


def _reader(path: Path) -> str | None:
    """What reads a file of that name; None if nothing does in chunks."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return _READERS.get(suffixes[-1] if suffixes else "")


def _unreadable(path: Path, error: Exception) -> ValueError:
    return value_error(str(path), "a file that can be read", f"the error {str(error).splitlines()[0]!r}")


def _lazy(path: Path) -> pl.LazyFrame:
    import polars as pl

    try:
        return pl.scan_parquet(path) if _reader(path) == "parquet" else pl.scan_ipc(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, error) from error


def expand_files(patterns: list[Any], separator: str | None = None) -> tuple[Path, ...]:
    """The files that names and patterns stand for, of kinds that can be read in chunks."""
    paths = []
    for pattern in patterns:
        text = str(pattern)
        found = sorted(glob.glob(text, recursive=True)) if glob.has_magic(text) and not Path(text).exists() else [text]
        if not found:
            raise value_error(text, "a pattern that matches some file", "none")
        paths += [Path(path) for path in found]
    for path in paths:
        if not path.is_file():
            raise value_error(str(path), "a file that exists", "no such file")
        if separator is None and _reader(path) is None:
            expected = f"a file called {', '.join('*' + suffix for suffix in _READERS)}"
            raise value_error(str(path), expected, describe(path.name), "Other formats are read into memory.")
    return tuple(paths)
