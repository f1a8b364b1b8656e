"""Finished parts of a scan: in memory, or in a folder from which a killed run goes on."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._files.archive import (
    DamagedFileError,
    MissingFileError,
    read_arrays,
    read_manifest,
    undamaged,
    write_arrays,
)
from shearer._files.writing import Contents, claim_file, open_folder, replace_file
from shearer._validate import describe, value_error
from shearer.data.table import Table

Part = dict[str, NDArray[Any]]

VERSION = 1
MANIFEST = "scan.json"
# The member of a part that holds the fingerprint of its scan; parts that were written before there was one, or a hash,
# are made again.
_MARK = "fingerprint"


class Store:
    """Parts by name; each is made once."""

    def __init__(self) -> None:
        self._parts: dict[str, Part] = {}

    def has(self, name: str) -> bool:
        """True if the part is there."""
        return name in self._parts

    def get(self, name: str, make: Callable[[], Part]) -> Part:
        """The part, made if it is not there."""
        if name not in self._parts:
            self._parts[name] = make()
        return self._parts[name]


class FolderStore(Store):
    """Parts as files of a folder, each there whole or not at all.

    Parameters
    ----------
    folder : path
        New or empty; or, to resume, one that a scan of the same data with the same settings began.
    fingerprint : str
        Of data and settings: parts of another scan must not be mixed in.
    resume : bool
        Go on with what is there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = FolderStore(folder, "f00d", resume=False).get("sum", lambda: {"value": np.array(3.0)})
    ...     again = FolderStore(folder, "f00d", resume=True).get("sum", lambda: {"value": np.array(-1.0)})
    >>> float(again["value"])
    3.0
    """

    def __init__(self, folder: str | PathLike[str], fingerprint: str, resume: bool) -> None:
        super().__init__()
        self._folder, occupied = open_folder("shards", folder)
        manifest = self._folder / MANIFEST
        if occupied and not resume:
            hint = "resume=True (--resume) goes on with an interrupted scan." if manifest.exists() else ""
            raise value_error("shards", "a new or empty folder", f"{describe(str(folder))} with files in it", hint)
        self._mark = np.frombuffer(bytes.fromhex(fingerprint), dtype=np.uint8)
        if not occupied and not _claim(manifest, fingerprint):
            occupied = True
            if not resume:
                got = f"{describe(str(folder))}, which another run has just begun to write to"
                raise value_error("shards", "a folder of its own", got, "Wait for it, or take another folder.")
        if occupied:
            _check_manifest(manifest, fingerprint)

    def has(self, name: str) -> bool:
        """True if the part is there, in memory or in the folder."""
        return super().has(name) or self._path(name).exists()

    def get(self, name: str, make: Callable[[], Part]) -> Part:
        """The part, read or else made and written."""
        return super().get(name, lambda: self._read_or_make(name, make))

    def _read_or_make(self, name: str, make: Callable[[], Part]) -> Part:
        found = _read(self._path(name))
        # A part with the mark of another scan, which was begun in this folder at the same moment, is none of ours.
        if found is not None and np.array_equal(found.pop(_MARK, ()), self._mark):
            return found
        found = make()
        _write(self._path(name), write_arrays({**found, _MARK: self._mark}))
        return found

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.npz"


def fingerprint_of(table: Table, settings: Mapping[str, Any]) -> str:
    """A hash of everything that the result depends on."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    for variable in table.variables:
        digest.update(repr(variable.name).encode())
        for block in variable.blocks:
            digest.update(f"{block.kind} {block.values.shape}".encode())
            digest.update(np.ascontiguousarray(block.values).tobytes())
    digest.update(np.packbits(table.presence.masks).tobytes())
    digest.update(table.presence.pattern.tobytes())
    return digest.hexdigest()


def _check_manifest(path: Path, fingerprint: str) -> None:
    expected = f"a folder with {MANIFEST} of a scan"
    with undamaged("shards", expected, describe(str(path.parent))):
        known = read_manifest("shards", path, expected)
        version, other = known["version"], known["fingerprint"]
    if version != VERSION or other != fingerprint:
        hint = "Take a new folder, or the data and settings it was begun with."
        raise value_error("shards", "a scan of the same data with the same settings", "parts of another one", hint)


def _read(path: Path) -> Part | None:
    """The part, or None if it is not there or damaged: then it is made again."""
    try:
        return read_arrays("shards", path, "a part of a scan")
    except (DamagedFileError, MissingFileError):
        return None


def _claim(path: Path, fingerprint: str) -> bool:
    with _told(path):
        return claim_file(path, json.dumps({"version": VERSION, "fingerprint": fingerprint}).encode())


def _write(path: Path, contents: Contents) -> None:
    with _told(path):
        replace_file(path, contents)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(
            f"shards: cannot write {path.name}: {reason}. What was written before is whole; --resume goes on with it."
        ) from error
