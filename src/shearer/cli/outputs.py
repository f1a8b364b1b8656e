"""What commands write: checked before anything is computed, whole or not at all, "-" for the standard output."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote as quoted

from shearer._display import printable
from shearer._files import check_writable, write_file
from shearer._memory import format_bytes
from shearer._validate import describe, value_error

STDOUT = "-"


def say(text: str) -> None:
    """One line on the standard error, whatever the text holds."""
    print(f"shearer: {printable(' '.join(text.split()))}", file=sys.stderr)


@contextmanager
def noted(notes: Iterable[str], *, quiet: bool) -> Iterator[None]:
    """Say the notes on what was read where an error ends the work on it: they often explain it."""
    try:
        yield
    except Exception:
        if not quiet:
            for note in notes:
                say(f"note: {note}")
        raise


def in_options(text: str) -> str:
    """Advice that the library gives to those who call it, for those who call the command.

    Examples
    --------
    >>> in_options("keep='id' brings it back"), in_options('say so: kinds={"wine": "label"}.')
    ('--keep id brings it back', 'say so: --kind wine=label.')
    """
    from shearer.data.columns import LABELS_ADVICE

    text = text.replace(LABELS_ADVICE, "say --kind COL=label if labels are meant")
    text = re.sub(r"\bkeep='([^']*)'", lambda found: f"--keep {quoted(found[1])}", text)
    return re.sub(r'\bkinds=\{"([^"]*)": "(\w+)"\}', lambda found: f"--kind {quoted(f'{found[1]}={found[2]}')}", text)


def check_outputs(outputs: Mapping[str, str | Path | None], inputs: Sequence[str] = ()) -> None:
    """Refuse files that could not be written, that are written twice, or that are being read.

    Parameters
    ----------
    outputs : mapping
        Option -> where it writes to, or None.
    inputs : sequence of str
        Files that are read.
    """
    taken: dict[Path | str, str] = {}
    # Names that are none, and links in a circle, are for the reader to tell.
    read = {Path(os.path.realpath(path)) for path in inputs if path != STDOUT and "\0" not in path}
    for option, path in outputs.items():
        if path is None:
            continue
        if str(path) != STDOUT:
            check_writable(option, path)
        elif sys.stdout is None:  # as after >&- in a shell
            raise value_error(option, "an open standard output", "one that is closed")
        place = STDOUT if str(path) == STDOUT else Path(path).resolve()
        if place in read:
            raise value_error(option, "a new file", f"{describe(str(path))}, which is being read")
        if place in taken and not _is_device(place):
            raise value_error(option, "a file of its own", f"{describe(str(path))}, as {taken[place]}")
        taken[place] = option


def deliver(option: str, path: str | Path, text: str, *, quiet: bool) -> None:
    """Write a text to its file and say so, or to the standard output."""
    contents = text.encode("utf-8", "backslashreplace")
    if str(path) == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(contents)
        sys.stdout.flush()
        return
    write_file(option, path, contents)
    if not quiet:
        say(f"wrote {path} ({format_bytes(len(contents))})")


def _is_device(place: Path | str) -> bool:
    return isinstance(place, Path) and place.exists() and not place.is_file()
