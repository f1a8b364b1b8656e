"""Arrays and manifests in files: written with their hash, and read if not a byte of them has changed.

Nothing is pickled, nothing in a file is run. Whatever is wrong with a file, reading it raises a `DamagedFileError`, a
ValueError in the words of all others; for a file that is not there it is one that is a FileNotFoundError as well.
"""

import hashlib
import json
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from shearer._validate import describe, message

Arrays = dict[str, NDArray[Any]]

# The member of an archive that holds the hash of the others.
_HASH = "sha256"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class DamagedFileError(ValueError):
    """A file that is not as it was written, or none of the kind that was expected."""


class MissingFileError(FileNotFoundError, ValueError):
    """A file that is not there."""


@contextmanager
def undamaged(option: str, expected: str, got: str) -> Iterator[None]:
    """Say of whatever goes wrong inside that the file is the reason.

    Examples
    --------
    >>> with undamaged("path", "a file written by save", "one that is damaged"):
    ...     {}["rows"]
    Traceback (most recent call last):
    ...
    shearer._files.archive.DamagedFileError: path: expected a file written by save, got one that is damaged ('rows').
    """
    try:
        yield
    except (DamagedFileError, MissingFileError):
        raise
    except FileNotFoundError as error:
        raise MissingFileError(
            message(option, expected, f"{describe(str(error.filename))}, which is not there")
        ) from error
    except MemoryError:  # sizes are compared before memory is asked for: it is the machine that is too small
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0][:120] or type(error).__name__
        raise DamagedFileError(message(option, expected, f"{got} ({reason})")) from error


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> Callable[[BinaryIO], None]:
    """Contents for the writer: arrays by name and their hash, as an archive of numpy."""
    hashed = {**arrays, _HASH: np.frombuffer(digest_of(arrays), dtype=np.uint8)}
    return lambda file: _write_npz(file, hashed)


def _write_npz(file: BinaryIO, arrays: Mapping[str, NDArray[Any]]) -> None:
    """As numpy's savez, which takes `allow_pickle` for the name of an array in some of its versions."""
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.asanyarray(array), allow_pickle=False)


def read_arrays(option: str, path: Path, expected: str, *, hashed: bool = True) -> Arrays:
    """The arrays of an archive, if not a byte of them has changed.

    Parameters
    ----------
    option : str
        What messages call it.
    path : Path
        The file.
    expected : str
        What it should be.
    hashed : bool
        Whether an archive without a hash is refused; if there is one, it must be right.
    """
    with undamaged(option, expected, f"{path.name}, which is none, or cut short"):
        # Opened here: numpy leaves a file that is no archive open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            for member in archive.zip.infolist():
                _check_size(archive.zip, member, path.stat().st_size)
            arrays = {name: archive[name] for name in archive.files}
        known = arrays.pop(_HASH).tobytes() if hashed or _HASH in arrays else None
    if known is not None and known != digest_of(arrays):
        raise DamagedFileError(message(option, "contents as they were written", "other ones", "Its hash has changed."))
    return arrays


def _check_size(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> None:
    """An array is as large as it says, and no larger than the file: nothing is unpacked that could grow."""
    if member.compress_type != zipfile.ZIP_STORED or member.file_size > most:
        raise ValueError(f"{member.filename} is larger than the file")
    with archive.open(member) as file:
        shape, _, dtype = _HEADERS[npy.read_magic(file)](file)
        if math.prod(shape) * dtype.itemsize != member.file_size - file.tell():
            raise ValueError(f"{member.filename} is not of the size that it says")


def read_array(option: str, path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """The array of a file of numpy; mapped: only the parts that are looked at are read."""
    with undamaged(option, f"{path.name} as it was written", "other contents"):
        if mapped:
            found: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
            return found
        with path.open("rb") as file:
            shape, _, dtype = _HEADERS[npy.read_magic(file)](file)
            if math.prod(shape) * dtype.itemsize != path.stat().st_size - file.tell():
                raise ValueError("not of the size that it says")
            file.seek(0)
            return np.asarray(npy.read_array(file, allow_pickle=False))


def read_manifest(option: str, path: Path, expected: str) -> dict[str, Any]:
    """An object of JSON."""
    with undamaged(option, expected, "something else"):
        found = json.loads(path.read_bytes())
        if not isinstance(found, dict):
            raise TypeError("not an object")
    return found


def sha256_of(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A hash of arrays and their names."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.digest()
