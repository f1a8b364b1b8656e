"""Rows that a query or a stream gives in batches: lazy frames of polars, relations of DuckDB, readers of Arrow."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from shearer._optional import load
from shearer._validate import check_names, value_error
from shearer.sketching import file_rows

if TYPE_CHECKING:
    import polars as pl

#: From a source and the columns that are wanted of it to a function that begins its rows.
Begin: TypeAlias = Callable[[Any, list[str] | None], Callable[[], "Iterator[pl.DataFrame]"]]


def begin_batches(source: Any, columns: list[str] | None) -> tuple[str, Callable[[], Iterator[pl.DataFrame]]] | None:
    """What a query or stream is called, and a function that begins its rows anew; None for anything else.

    The rows of a reader, which can be gone over once, are put into a temporary file.
    """
    known = _known(source)
    return None if known is None else (known[0], known[1](source, columns))


def is_query(source: Any) -> bool:
    """True for a lazy frame of polars, a relation of DuckDB and a reader of Arrow record batches."""
    return _known(source) is not None


def _known(source: Any) -> tuple[str, Begin] | None:
    """The entry of what is passed, by library and class; nothing is imported to find out."""
    names = ((kind.__module__.partition(".")[0].lstrip("_"), kind.__name__) for kind in type(source).__mro__)
    return next((_KINDS[name] for name in names if name in _KINDS), None)


def _lazy(frame: pl.LazyFrame, columns: list[str] | None) -> Callable[[], Iterator[pl.DataFrame]]:
    if columns is not None:
        check_names("columns", columns, frame.collect_schema().names())
        frame = frame.select(columns)
    return partial(_collected, frame)


def _collected(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    return file_rows.plain_chunks(frame.collect_batches(chunk_size=file_rows.CHUNK_ROWS, maintain_order=True))


def _relation(relation: Any, columns: list[str] | None) -> Callable[[], Iterator[pl.DataFrame]]:
    load("pyarrow", "A relation of DuckDB, whose rows come as Arrow record batches,")
    if columns is not None:
        check_names("columns", columns, relation.columns)
        quoted = (name.replace('"', '""') for name in columns)
        relation = relation.project(", ".join(f'"{name}"' for name in quoted))
    return partial(_executed, relation)


def _executed(relation: Any) -> Iterator[pl.DataFrame]:
    anew = relation.project("*")  # before DuckDB 1.4 a relation has one result, which can be read once
    # Called so in newer versions, which warn of the older name.
    read = getattr(anew, "to_arrow_reader", None) or anew.fetch_arrow_reader
    return file_rows.plain_chunks(_frames(read(file_rows.CHUNK_ROWS)))


def _reader(reader: Any, columns: list[str] | None) -> Callable[[], Iterator[pl.DataFrame]]:
    if columns is not None:
        check_names("columns", columns, reader.schema.names)
    spool = Spool(reader)
    return partial(_spooled, spool, columns)


def _spooled(spool: Spool, columns: list[str] | None) -> Iterator[pl.DataFrame]:
    frames = spool.frames()
    return file_rows.plain_chunks(frames if columns is None else (frame.select(columns) for frame in frames))


def _frames(batches: Iterable[Any]) -> Iterator[pl.DataFrame]:
    import polars as pl

    for batch in batches:
        try:
            frame = pl.from_arrow(batch)
        except pl.exceptions.ComputeError as error:
            reason = str(error).split(". ")[0]
            hint = "Leave the column out of the query, or cast it."
            raise value_error("source", "columns of types that polars reads", reason, hint) from error
        assert isinstance(frame, pl.DataFrame)
        yield frame


class Spool:
    """The rows of a reader in a temporary file, which goes when nothing refers to it any more.

    Parameters
    ----------
    reader : pyarrow.RecordBatchReader
        It is read to its end.
    """

    def __init__(self, reader: Any) -> None:
        arrow = load("pyarrow", "A reader of Arrow record batches")
        handle, self._path = tempfile.mkstemp(prefix="shearer-", suffix=".arrows")
        os.close(handle)
        weakref.finalize(self, os.unlink, self._path)
        rows = 0
        with arrow.OSFile(self._path, "wb") as file, arrow.ipc.new_stream(file, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
                rows += batch.num_rows
        if not rows:
            hint = "A reader can be gone over once: one that was read before has none left."
            raise value_error("source", "record batches with rows", "none", hint)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Its batches, from the first."""
        arrow = load("pyarrow", "A reader of Arrow record batches")
        with arrow.OSFile(self._path, "rb") as file, arrow.ipc.open_stream(file) as batches:
            yield from _frames(batches)


# Library and class -> what it is called in reports, and how its rows are begun.
_KINDS: dict[tuple[str, str], tuple[str, Begin]] = {
    ("polars", "LazyFrame"): ("a lazy frame", _lazy),
    ("duckdb", "DuckDBPyRelation"): ("a DuckDB relation", _relation),
    ("pyarrow", "RecordBatchReader"): ("Arrow record batches", _reader),
}
