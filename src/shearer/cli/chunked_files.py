"""Files that are read in chunks, and clusters that read them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace

import typer

from shearer._files import STDIN
from shearer._files.formats import check_chunks
from shearer._files.in_memory import declared_needs, text_file_needs
from shearer._memory import parse_memory
from shearer._optional import load
from shearer._validate import value_error
from shearer.cli.options import Reading, chosen_names
from shearer.sketching.file_rows import FileRows, expand_files

# How long a cluster may take to answer.
PATIENCE = "10s"


def streamed(
    reading: Reading,
    files: Sequence[str],
    columns: str | None,
    drop: str | None,
    *,
    wanted: bool,
    progress: bool | None = None,
) -> FileRows | None:
    """The files as a source of chunks, if that is wanted or they are too large to be read at once; else None."""
    if wanted:
        _check_chunks(reading, files)
    elif reading.sheet is not None or not _too_large(files, reading):
        return None
    paths = expand_files(list(files), reading.mark)
    rows = FileRows.open(
        paths,
        None,
        reading.mark,
        encoding=reading.encoding,
        header=not reading.no_header,
        skip_rows=reading.skip_rows,
        progress=progress,
    )
    return replace(rows, columns=tuple(chosen_names(rows.names(), columns, drop)))


def _check_chunks(reading: Reading, files: Sequence[str]) -> None:
    if reading.sheet is not None:
        said = "workbooks are not read in chunks: leave out --sheet"
        raise typer.BadParameter(said, param_hint="--stream, --scheduler")
    if STDIN in files:
        hint = "Name a file, or leave out --stream and --scheduler."
        raise value_error("standard input", "files, which chunks are read from again and again", "a pipe", hint)


def _too_large(files: Sequence[str], reading: Reading) -> bool:
    """True for files of a kind that can be read in chunks whose table would not fit."""
    try:
        paths = expand_files(list(files), reading.mark)
        left = parse_memory(reading.memory)
        for path in paths:
            found = check_chunks(path)
            left -= text_file_needs(path, left) if found.lazy is None else declared_needs(found.lazy(path))
            if left < 0:
                return True
    except ValueError:  # other kinds, the standard input, no such file, damaged: for the reader to tell
        return False
    return False


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
        except (CancelledError, OSError, RuntimeError) as error:
            # What is left of tasks whose scheduler is gone: cancelled, or a connection that closes under a question.
            if not isinstance(error, CancelledError) and client.status == "running":
                raise
            hint = "Start one and run again; with --shards, --resume goes on with what was finished."
            raise ConnectionError(f"the cluster at {scheduler} was lost. {hint}") from error
