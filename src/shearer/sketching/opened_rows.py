"""Rows that do not fit in memory: files, queries, Dask collections, or anything that yields chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from shearer._optional import load
from shearer._validate import describe, type_error
from shearer.sketching.file_rows import FileRows, expand_files
from shearer.sketching.query_rows import begin_batches, is_query
from shearer.sketching.row_source import RowSource

R = TypeVar("R")

# Parts merged by one task of a Dask graph.
_MERGED_AT_ONCE = 8


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
    r"""Open files, a query, a stream, a Dask collection, or a function that yields chunks, as a source of rows.

    Text is looked through once when it is opened. It is then read by the rules of the command line (separator,
    encoding, decimal commas, words for missing values, dates), in all files by the same; `notes` of the source says
    what was found.

    Parameters
    ----------
    source : str, path, list of them, LazyFrame, DuckDB relation, RecordBatchReader, Dask collection, or callable
        Files, by name or pattern: Parquet, Arrow, or text (csv, tsv, txt; also compressed by gzip, bzip2 or xz). A lazy
        frame of polars or a relation of DuckDB is executed anew for each pass. The record batches of an Arrow reader,
        which can be gone over once, are kept in a temporary file meanwhile. A callable is called anew for each pass and
        yields chunks.
    columns : list of str, optional
        Which columns of files, queries or dataframes; default: all.
    separator, encoding : str, optional
        Of text. Default: found.
    header : bool
        Whether the first row of text holds the column names.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
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
    query = begin_batches(source, None if columns is None else list(columns))
    if query is not None:
        name, begin = query
        return ChunkRows(begin, name)
    if callable(source):
        return ChunkRows(source)
    hint = "For rows in memory: shearer.Dependence."
    expected = "files, a query, a Dask collection or a function that yields chunks"
    raise type_error("source", expected, describe(source), hint)


def named_rows(rows: RowSource) -> RowSource:
    """The same, columns of a Dask array by name as those of a table, so that some can be left out."""
    if isinstance(rows, DaskRows) and hasattr(rows.collection, "chunks"):
        frames = load("dask.dataframe", "A Dask array")
        names = [f"x{place}" for place in range(1, rows.collection.shape[1] + 1)]
        return DaskRows(frames.from_dask_array(rows.collection.rechunk({1: -1}), columns=names))
    return rows


def comes_in_chunks(source: Any) -> bool:
    """True for what is read in chunks without being asked to; files have to be opened first."""
    return isinstance(source, RowSource) or is_dask(source) or is_query(source)


def is_dask(source: Any) -> bool:
    """True for arrays and dataframes of Dask; nothing is imported to find out."""
    return type(source).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(source, "to_delayed")


def _are_paths(source: Sequence[Any]) -> bool:
    return all(isinstance(path, str | PathLike) for path in source)
