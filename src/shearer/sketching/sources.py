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

from shearer._files.values import MISSING
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
_READERS |= {".csv": ",", ".tsv": "\t", ".txt": "\t"}


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
        Parquet, Arrow (not the stream form), or text with names in the first line.
    columns : tuple of str or None
        Which columns; None: all.
    separator : str or None
        Of text files; None: by their name, "," for csv and tab for tsv and txt.
    """

    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None
    separator: str | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """The file, or the first and how many more."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return self.paths[0].name + more

    @property
    def size(self) -> int:
        """Bytes of the files, as they lie there."""
        return sum(path.stat().st_size for path in self.paths)

    def names(self) -> list[str]:
        """The columns of the first file."""
        return list(_lazy(self.paths[0], self.separator).collect_schema().names())

    def fold(
        self,
        function: Callable[[Iterator[Any], int], R],
        merge: Callable[[list[R]], R],
        n_jobs: int | None,
        progress: bool | None,
    ) -> R:
        """File by file, several at a time if joblib is told so."""
        on_file = partial(_on_file, function, self.columns, self.separator)
        found = spread(on_file, list(enumerate(self.paths)), n_jobs)
        total: list[R] = []
        for part in track(found, len(self.paths), "files", progress):
            total = [merge([*total, part])]  # as they come, so that no more than two are held
        return total[0]


def _on_file(
    function: Callable[[Iterator[Any], int], R],
    columns: tuple[str, ...] | None,
    separator: str | None,
    job: tuple[int, Path],
) -> R:
    number, path = job
    return function(_batches(path, columns, separator), number)


def _batches(path: Path, columns: tuple[str, ...] | None, separator: str | None) -> Iterator[pl.DataFrame]:
    """The rows of a file; dates and times as numbers counted from one moment."""
    import polars as pl
    import polars.selectors as cs

    lazy = _lazy(path, separator)
    if columns is not None:
        check_names("columns", columns, lazy.collect_schema().names())
        lazy = lazy.select(columns)
    lazy = lazy.with_columns(cs.temporal().to_physical())
    try:
        for batch in lazy.collect_batches(chunk_size=CHUNK_ROWS, maintain_order=True):
            for start in range(0, len(batch), CHUNK_ROWS):
                yield batch[start : start + CHUNK_ROWS]
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> ValueError:
    return value_error(str(path), "a file that can be read", f"the error {str(error).splitlines()[0]!r}")


def _lazy(path: Path, separator: str | None) -> pl.LazyFrame:
    import polars as pl

    kind = _READERS[path.suffix.lower()] if separator is None else separator
    try:
        if kind == "parquet":
            return pl.scan_parquet(path)
        if kind == "ipc":
            return pl.scan_ipc(path)
        # A column may be whole for long and then broken: all texts are looked at before a type is settled.
        return pl.scan_csv(path, separator=kind, null_values=list(MISSING), infer_schema_length=None)
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


def open_rows(source: Any, columns: Sequence[str] | None = None, separator: str | None = None) -> RowSource:
    """Files by name or pattern, a Dask collection, or a function that yields chunks, as a source of rows."""
    if isinstance(source, RowSource):
        return source
    if isinstance(source, str | PathLike) or (isinstance(source, list | tuple) and source and _are_paths(source)):
        paths = expand_files([source] if isinstance(source, str | PathLike) else list(source), separator)
        return FileRows(paths, None if columns is None else tuple(columns), separator)
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
        if separator is None and path.suffix.lower() not in _READERS:
            expected = f"a file called {', '.join('*' + suffix for suffix in _READERS)}"
            raise value_error(str(path), expected, describe(path.name), "Other formats are read into memory.")
    return tuple(paths)
