"""Files that are there whole or not at all."""

import os
import secrets
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from shearer._validate import describe, value_error


def check_writable(option: str, path: str | PathLike[str]) -> None:
    """Refuse a file that could not be written, before anything is computed for it.

    Examples
    --------
    >>> check_writable("--json", "/no/such/folder/out.json")
    Traceback (most recent call last):
    ...
    ValueError: --json: expected a file in a folder that exists, got '/no/such/folder/out.json'.
    """
    target = _target(option, path)
    quoted = describe(str(path))
    if target.is_dir():
        raise value_error(option, "a file", f"{quoted}, which is a folder")
    if not target.parent.is_dir():
        raise value_error(option, "a file in a folder that exists", quoted)
    place = target if target.exists() and not target.is_file() else target.parent
    if not os.access(place, os.W_OK) or (target.is_file() and not os.access(target, os.W_OK)):
        raise value_error(option, "a file that may be written", quoted)


def write_file(option: str, path: str | PathLike[str], contents: bytes | Iterable[bytes]) -> None:
    """Write a file beside its place and move it there when it is complete, or leave nothing.

    Parameters
    ----------
    option : str
        What messages call it.
    path : path
        Where to. A link is followed; a device or a pipe is written directly.
    contents : bytes or iterable of bytes
        What to write.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file("path", Path(folder) / "a.txt", b"text")
    ...     (Path(folder) / "a.txt").read_bytes()
    b'text'
    """
    pieces = [contents] if isinstance(contents, bytes) else contents
    target = _target(option, path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.writelines(pieces)
        else:
            _replace(target, pieces)
    except OSError as error:
        got = f"the error {error.strerror or error!s}"
        raise value_error(option, f"{describe(str(path))} to be written", got) from error


def _target(option: str, path: str | PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a NUL
        raise value_error(option, "the name of a file", describe(str(path))) from error


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open("xb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
