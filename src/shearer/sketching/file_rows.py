"""Rows of files that do not fit in memory, read chunk by chunk."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from shearer._files.chunks import TextTable, join, look_through
from shearer._files.contents import check_file, said_of
from shearer._files.formats import OTHERWISE, TEXT, by_name, check_chunks, chunk_suffixes, complete
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


@dataclass(frozen=True)
class FileRows(RowSource):
    """Files of rows, one part each, read chunk by chunk.

    Attributes
    ----------
    paths : tuple of Path
        Of formats that can be read in chunks; see `shearer._files.formats`.
    columns : tuple of str or None
        Which columns; None: all.
    texts : TextTable or None
        The files of text among them, and how their columns are read.
    states : tuple of tuple
        Size and time of every file as it was opened: passes over files that change would be over different rows.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None
    texts: TextTable | None = None
    states: tuple[tuple[int, int], ...] = ()

    @classmethod
    def open(
        cls,
        paths: tuple[Path, ...],
        columns: tuple[str, ...] | None = None,
        separator: str | None = None,
        *,
        encoding: str | None = None,
        header: bool = True,
        skip_rows: int | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Look through all text once: every column is read by one rule, found from all of its values."""
        states = tuple(map(_state, paths))
        wanted = [path for path in paths if check_chunks(path).is_text]
        look = partial(look_through, separator=separator, encoding=encoding, header=header, skip_rows=skip_rows)
        found = list(track(spread(look, wanted, None), len(wanted), "files looked through", progress))
        return cls(paths, columns, join(found) if found else None, states)

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
        if self.texts is not None and _is_text(self.paths[0]):
            return list(self.texts.names)
        return _lazy(self.paths[0])[1]

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
        for path, state in zip(self.paths, self.states, strict=True):
            if _state(path) != state:
                hint = "Copy it, and read the copy."
                raise value_error(str(path), "a file that stays as it is while it is read", "one that changed", hint)
        return total[0]


def _state(path: Path) -> tuple[int, int]:
    with said_of(path):
        found = path.stat()
    return found.st_size, found.st_mtime_ns


def _on_file(
    function: Callable[[Iterator[Any], int], R],
    columns: tuple[str, ...] | None,
    texts: TextTable | None,
    job: tuple[int, Path],
) -> R:
    number, path = job
    return function(_batches(path, columns, texts), number)


def _batches(path: Path, columns: tuple[str, ...] | None, texts: TextTable | None) -> Iterator[pl.DataFrame]:
    """The rows of a file."""
    frames = _text_frames if texts is not None and _is_text(path) else _typed_frames
    return plain_chunks(frames(path, columns, texts))


def plain_chunks(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in chunks of limited size; dates and times as numbers counted from one moment."""
    import polars.selectors as cs

    # Billionths of a second since 1970 are more than a float can tell apart.
    fine = cs.datetime("ns") | cs.duration("ns")
    for frame in frames:
        rows = frame.with_columns(fine.dt.cast_time_unit("us")).with_columns(cs.temporal().to_physical())
        for start in range(0, len(rows), CHUNK_ROWS):
            yield rows[start : start + CHUNK_ROWS]


def _text_frames(path: Path, columns: tuple[str, ...] | None, texts: TextTable | None) -> Iterator[pl.DataFrame]:
    import polars as pl

    assert texts is not None
    check_names("columns", columns or (), texts.names)
    wanted = list(texts.names if columns is None else columns)
    try:
        for frame in texts.frames(path):
            yield frame[wanted]
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise value_error(str(path), "a file that can be read", f"the error {reason!r}") from error


def _typed_frames(path: Path, columns: tuple[str, ...] | None, _texts: TextTable | None) -> Iterator[pl.DataFrame]:
    lazy, names = _lazy(path)
    if columns is not None:
        check_names("columns", columns, names)
        lazy = lazy.select(columns)
    with complete(path.name, check_chunks(path).name):
        yield from lazy.collect_batches(chunk_size=CHUNK_ROWS, maintain_order=True)


def _is_text(path: Path) -> bool:
    return (by_name(path.name) or TEXT).is_text


def _lazy(path: Path) -> tuple[pl.LazyFrame, list[str]]:
    """A file of a format that declares its columns, and these."""
    found = check_chunks(path)
    assert found.lazy is not None
    with complete(path.name, found.name):
        lazy = found.lazy(path)
        return lazy, list(lazy.collect_schema().names())


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
        check_file(path)
        if not path.is_file():
            if not path.exists():
                raise value_error(str(path), "a file that exists", "no such file")
            raise value_error(str(path), "a file, which chunks are read from again and again", "a pipe or a device")
        named = by_name(path.name)
        if named is None and separator is not None:
            continue  # text, whatever it is called
        if named is None or not named.in_chunks:
            expected = f"a file called {', '.join('*' + suffix for suffix in chunk_suffixes())}"
            advice = OTHERWISE if named is None else named.advice
            raise value_error(str(path), expected, describe(path.name), advice)
    return tuple(paths)
