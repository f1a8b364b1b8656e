"""Rows that do not fit in memory: files, Dask collections, or anything that yields chunks, folded part by part."""

from __future__ import annotations

import glob
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from shearer._files.chunks import TextTable, join, look_through
from shearer._files.contents import COMPRESSED_SUFFIXES
from shearer._files.notes import texts
from shearer._jobs import spread
from shearer._optional import load
from shearer._progress import track
from shearer._validate import check_names, describe, type_error, value_error

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R")
Part: TypeAlias = Any

# Rows read at a time: a few megabytes of some columns, a few hundred of a thousand.
CHUNK_ROWS = 2**16
# Parts merged by one task of a Dask graph.
_MERGED_AT_ONCE = 8
_READERS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".ipc": "ipc", ".feather": "ipc"}
_BINARY = tuple(_READERS.values())
_READERS |= {".csv": "text", ".tsv": "text", ".txt": "text"}


class Sums(Protocol):
    """What rows are added to: a `Sketch`, or any other sums that merge."""

    def update(self, *chunk: Any) -> None:
        """Add rows."""

    def merge(self, other: Self) -> None:
        """Add the rows of another."""

    def empty(self) -> Self:
        """The same without rows."""


S = TypeVar("S", bound=Sums)


class RowSource(ABC):
    """Rows in parts that can be gone over again and again, each part on its own."""

    #: What it is called in reports.
    name: str

    @abstractmethod
    def fold(
        self,
        function: Callable[[Iterator[Any], int], R],
        merge: Callable[[list[R]], R],
        n_jobs: int | None,
        progress: bool | None,
    ) -> R:
        """function(chunks of a part, its number) of every part, merged."""

    def add_to(self, sums: S, n_jobs: int | None = None, progress: bool | None = None) -> S:
        """Sums like these with all rows in them."""
        return self.fold(partial(_added, sums), _merged, n_jobs, progress)

    def sample(self, rows: int, seed: int, n_jobs: int | None = None, progress: bool | None = None) -> Any:
        """So many rows drawn at random without replacement, or all if there are fewer; takes a pass over all."""
        found = self.fold(partial(_drawn, rows, seed), partial(_fewest, rows), n_jobs, progress)
        return found.chunk


def _added(sums: S, chunks: Iterator[Any], number: int) -> S:  # noqa: ARG001 - every part is treated alike
    own = sums.empty()
    for chunk in chunks:
        own.update(chunk)
    return own


def _merged(parts: list[S]) -> S:
    total = parts[0].empty()
    for part in parts:
        total.merge(part)
    return total


@dataclass(frozen=True)
class _Drawn:
    """Rows with the smallest of random keys."""

    keys: Any
    chunk: Any


def _drawn(rows: int, seed: int, chunks: Iterator[Any], number: int) -> _Drawn:
    rng = np.random.default_rng([seed, number])
    found: list[_Drawn] = []
    for chunk in chunks:
        keys = rng.uniform(size=len(chunk))
        best = np.sort(np.argsort(keys)[:rows])
        found = [_fewest(rows, [*found, _Drawn(keys[best], _take(chunk, best))])]
    if not found:
        raise value_error("data", "at least one chunk of rows in every part", "none")
    return found[0]


def _fewest(rows: int, parts: list[_Drawn]) -> _Drawn:
    keys = np.concatenate([part.keys for part in parts])
    chunk = _stack([part.chunk for part in parts])
    best = np.sort(np.argsort(keys, kind="stable")[:rows])
    return _Drawn(keys[best], _take(chunk, best))


def _take(chunk: Any, rows: Any) -> Any:
    return chunk.iloc[rows] if hasattr(chunk, "iloc") else chunk[rows]


def _stack(chunks: list[Any]) -> Any:
    if isinstance(chunks[0], np.ndarray):
        return np.concatenate(chunks)
    import narwhals.stable.v2 as nw

    return nw.concat([nw.from_native(chunk) for chunk in chunks]).to_native()


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


@dataclass(frozen=True)
class DaskRows(RowSource):
    """A Dask array of shape (n,) or (n, d), or a Dask dataframe, partition by partition on its own scheduler.

    The sums travel in the graph, not scattered: every task can run again after the workers that ran it are gone.
    """

    collection: Any
    name: str = "a Dask collection"

    def fold(
        self,
        function: Callable[[Iterator[Any], int], R],
        merge: Callable[[list[R]], R],
        n_jobs: int | None,
        progress: bool | None,
    ) -> R:
        """One task for each partition and a tree that merges them."""
        delayed = load("dask", "A Dask collection").delayed
        collection = self.collection
        if hasattr(collection, "chunks") and collection.ndim == 2 and len(collection.chunks[1]) > 1:
            collection = collection.rechunk({1: -1})
        parts = np.ravel(collection.to_delayed()).tolist()
        shared = delayed(function, pure=True, traverse=False)
        layer = [delayed(_on_partition)(shared, part, number) for number, part in enumerate(parts)]
        while len(layer) > 1:
            groups = [layer[start : start + _MERGED_AT_ONCE] for start in range(0, len(layer), _MERGED_AT_ONCE)]
            layer = [delayed(merge)(group) for group in groups]
        found: R = layer[0].compute()
        return found


def _on_partition(function: Callable[[Iterator[Any], int], R], part: Any, number: int) -> R:
    from shearer._threads import single_threaded_blas

    with single_threaded_blas():
        return function(iter([part]), number)


@dataclass(frozen=True)
class ChunkRows(RowSource):
    """A function that begins the chunks anew each time it is called."""

    begin: Callable[[], Iterable[Any]]
    name: str = "chunks"

    def fold(
        self,
        function: Callable[[Iterator[Any], int], R],
        merge: Callable[[list[R]], R],
        n_jobs: int | None,
        progress: bool | None,
    ) -> R:
        """All chunks in order, as one part."""
        return function(iter(self.begin()), 0)


def open_rows(
    source: Any,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    *,
    encoding: str | None = None,
    header: bool = True,
) -> RowSource:
    r"""Open files by name or pattern, a Dask collection, or a function that yields chunks, as a source of rows.

    Text is looked through once when it is opened. It is then read by the rules of the command line (separator,
    encoding, decimal commas, words for missing values, dates), in all files by the same; `notes` of the source says
    what was found.

    Parameters
    ----------
    source : str, path, list of them, Dask array or dataframe, or callable
        Files: Parquet, Arrow, or text (csv, tsv, txt; also compressed by gzip, bzip2 or xz). A callable is called anew
        for each pass and yields chunks.
    columns : list of str, optional
        Which columns of files or dataframes; default: all.
    separator, encoding : str, optional
        Of text. Default: found.
    header : bool
        Whether the first row of text holds the column names.

    Examples
    --------
    >>> import tempfile
    >>> from shearer.sketching import open_rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("size;kind\n1,5;a\n?;b\n2;a\n")
    ...     rows = open_rows(path)
    ...     rows.names(), rows.sample(3, seed=0)["size"].to_list()
    (['size', 'kind'], [1.5, None, 2.0])
    >>> rows.notes
    ("'size': 1 of 3 values are one of '?', '-', '.', read as missing", "decimal commas read in 'size'")
    """
    if isinstance(source, RowSource):
        return source
    if isinstance(source, str | PathLike) or (isinstance(source, list | tuple) and source and _are_paths(source)):
        paths = expand_files([source] if isinstance(source, str | PathLike) else list(source), separator)
        chosen = None if columns is None else tuple(columns)
        return FileRows.open(paths, chosen, separator, encoding=encoding, header=header)
    if is_dask(source):
        return DaskRows(source if columns is None else source[list(columns)])
    if callable(source):
        return ChunkRows(source)
    hint = "For rows in memory: shearer.Dependence."
    raise type_error("source", "files, a Dask collection or a function that yields chunks", describe(source), hint)


def is_dask(source: Any) -> bool:
    """True for arrays and dataframes of Dask; nothing is imported to find out."""
    return type(source).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(source, "to_delayed")


def _are_paths(source: Sequence[Any]) -> bool:
    return all(isinstance(path, str | PathLike) for path in source)


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
