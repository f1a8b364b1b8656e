"""What a compressed file holds."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from shearer._validate import describe, suggest, value_error

# Mark -> the module that knows the format.
_COMPRESSED: dict[bytes, Any] = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ": lzma}
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz")
_BLOCK = 2**22
_DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


@contextmanager
def said_of(path: Path) -> Iterator[None]:
    """Say in words why a file cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise value_error(str(path), "a file that exists", "no such file", _similar(path)) from error
    except OSError as error:
        raise value_error(str(path), "a file that can be read", f"the error {error.strerror!r}") from error


def check_file(path: Path) -> None:
    """Refuse what is no name of a file, and folders."""
    if "\0" in str(path):
        raise value_error(describe(str(path)), "the name of a file", "a NUL in it")
    with said_of(path):  # a name may be too long to be asked about
        is_folder = path.is_dir()
    if is_folder:
        raise value_error(str(path), "a file", "a folder", "Name the files in it, or use a pattern such as *.csv.")


def _similar(file: Path) -> str:
    try:
        return suggest(file.name, [other.name for other in file.parent.iterdir()])
    except OSError:
        return f"There is no folder {describe(str(file.parent))}."


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins so is compressed."""
    return _module(head) is not None


def decompress(raw: bytes, name: str, most: int) -> bytes:
    """The contents of a compressed file, or the beginning of those longer than `most`; other bytes as they are."""
    module = _module(raw)
    if module is None:
        return raw
    try:
        with module.open(io.BytesIO(raw)) as unpacked:
            return read_up_to(unpacked, most + 1)
    except _DAMAGED as error:
        raise _damaged(name, error) from error


def read_up_to(file: IO[bytes], most: int) -> bytes:
    """The next bytes of a file, so many at most; its own `read` would ask for memory for all of them at once.

    Examples
    --------
    >>> read_up_to(io.BytesIO(b"abc"), 2), read_up_to(io.BytesIO(b"abc"), 10**15)
    (b'ab', b'abc')
    """
    found = io.BytesIO()
    while block := file.read(min(_BLOCK, most - found.tell())):
        found.write(block)
    return found.getvalue()


@contextmanager
def opened(path: Path) -> Iterator[Callable[[int], bytes]]:
    """A function that reads the next bytes of a file, decompressed if it is compressed."""
    with said_of(path):
        file = path.open("rb")
    with file:
        start = file.read(max(map(len, _COMPRESSED)))
        file.seek(0)
        module = _module(start)
        if module is None:
            yield file.read
            return
        unpacked: IO[bytes] = module.open(file)

        def read(size: int) -> bytes:
            try:
                return unpacked.read(size)
            except _DAMAGED as error:
                raise _damaged(path.name, error) from error

        yield read


def _module(raw: bytes) -> Any:
    return next((module for mark, module in _COMPRESSED.items() if raw.startswith(mark)), None)


def _damaged(name: str, error: BaseException) -> ValueError:
    return value_error(name, "a complete compressed file", f"one that is damaged ({error})")
