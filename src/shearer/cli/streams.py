"""Files that are read in chunks, and clusters that read them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager

import typer

from shearer._memory import parse_memory
from shearer._optional import load
from shearer._validate import check_names
from shearer.cli.options import Reading, split_names
from shearer.sketching.sources import FileRows, expand_files

# A table in memory takes about so many times the bytes of its files, and work on it as much again.
_TIMES_IN_MEMORY = 4
# How long a cluster may take to answer.
PATIENCE = "10s"


def streamed(
    reading: Reading,
    files: Sequence[str],
    columns: str | None,
    drop: str | None,
    memory: str | None,
    *,
    wanted: bool,
) -> FileRows | None:
    """The files as a source of chunks, if that is wanted or they are too large to be read at once; else None."""
    plain = reading.encoding is None and not reading.no_header and reading.sheet is None
    separator = None if reading.separator is None else reading.separator.replace("\\t", "\t")
    if not plain:
        if wanted:
            hint = "--stream, --scheduler"
            raise typer.BadParameter("files read in chunks are UTF-8 with names in the first line", param_hint=hint)
        return None
    if not wanted and not _too_large(files, separator, memory):
        return None
    rows = FileRows(expand_files(list(files), separator), None, separator)
    known = rows.names()
    for option, text in (("--columns", columns), ("--drop", drop)):
        check_names(option, split_names(text or ""), known)
    dropped = set(split_names(drop or ""))
    kept = [name for name in dict.fromkeys(split_names(columns) if columns else known) if name not in dropped]
    return FileRows(rows.paths, tuple(kept), separator)


def _too_large(files: Sequence[str], separator: str | None, memory: str | None) -> bool:
    """True for files of a kind that can be read in chunks whose table would not fit."""
    try:
        rows = FileRows(expand_files(list(files), separator), None, separator)
    except ValueError:  # other kinds, the standard input, no such file: for the reader to tell
        return False
    return _TIMES_IN_MEMORY * rows.size > parse_memory(memory)


@contextmanager
def connected(scheduler: str | None) -> Iterator[None]:
    """Loops on the cluster of that address, where there is one."""
    if scheduler is None:
        yield
        return
    distributed = load("distributed", "--scheduler")
    import joblib

    try:
        client = distributed.Client(scheduler, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise typer.BadParameter(f"no cluster answers at {scheduler!r}: {error}", param_hint="--scheduler") from error
    with client, joblib.parallel_config(backend="dask"):
        try:
            yield
        except CancelledError as error:  # what is left of tasks whose scheduler is gone
            hint = "Start one and run again; with --shards, --resume goes on with what was finished."
            raise ConnectionError(f"the cluster at {scheduler} was lost. {hint}") from error
