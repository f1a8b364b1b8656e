"""The one writer: files that are there whole or not at all."""

import os
import secrets
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import BinaryIO, TypeAlias

from shearer._validate import describe, value_error

#: What to write, or a function that writes it.
Contents: TypeAlias = bytes | Iterable[bytes] | Callable[[BinaryIO], None]

# How files end that are not complete yet, and stay behind only if the machine goes down.
_UNFINISHED = ".part"


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


def write_file(option: str, path: str | PathLike[str], contents: Contents) -> None:
    """Write a file beside its place and move it there when it is complete, or leave nothing.

    Parameters
    ----------
    option : str
        What messages call it.
    path : path
        Where to. A link is followed; a device or a pipe is written directly.
    contents : bytes, iterable of bytes, or callable
        What to write, or a function that writes it to an open file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file("path", Path(folder) / "a.txt", b"text")
    ...     (Path(folder) / "a.txt").read_bytes()
    b'text'
    """
    target = _target(option, path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                _fill(file, contents)
        else:
            replace_file(target, contents)
    except OSError as error:
        got = f"the error {error.strerror or error!s}"
        raise value_error(option, f"{describe(str(path))} to be written", got) from error


def _target(option: str, path: str | PathLike[str]) -> Path:
    try:
        target = Path(path).resolve()
        circle = target.is_symlink()  # from Python 3.13 on a circle of links stays as it is, earlier it is an error
    except (OSError, ValueError, RuntimeError) as error:  # a circle of links, a NUL
        raise value_error(option, "the name of a file", describe(str(path))) from error
    if circle:
        raise value_error(option, "the name of a file", f"{describe(str(path))}, a link that leads to itself")
    return target


def replace_file(target: Path, contents: Contents) -> None:
    """Put a file in its place in one step, on the disk before it is there; an OSError leaves what was there.

    Names of unfinished files are drawn at random: any number of processes may write to one folder, and to one file.
    """
    temporary = target.with_name(f".{secrets.token_hex(8)}{_UNFINISHED}")
    try:
        with temporary.open("xb") as file:
            _fill(file, contents)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def claim_file(target: Path, contents: bytes) -> bool:
    """Write a small file unless it is there; of several processes that try at once one succeeds.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [claim_file(Path(folder) / "mine", b"1") for _ in range(2)]
    [True, False]
    """
    temporary = target.with_name(f".{secrets.token_hex(8)}{_UNFINISHED}")
    try:
        replace_file(temporary, contents)
        try:
            os.link(temporary, target)  # whole at once, and never over another
        except FileExistsError:
            return False
        except OSError:  # no links in this file system
            with target.open("xb") as file:
                file.write(contents)
        return True
    except FileExistsError:
        return False
    finally:
        temporary.unlink(missing_ok=True)


def _fill(file: BinaryIO, contents: Contents) -> None:
    if callable(contents):
        contents(file)
    else:
        file.writelines([contents] if isinstance(contents, bytes) else contents)


def open_folder(option: str, folder: str | PathLike[str]) -> tuple[Path, bool]:
    """A folder to write to, made if it is not there; and whether there are files in it."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        return path, any(entry.suffix != _UNFINISHED for entry in path.iterdir())
    except (OSError, ValueError) as error:
        raise value_error(option, "a folder that can be made", describe(str(folder)), str(error)) from error
