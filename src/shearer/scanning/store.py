"""Finished parts of a scan: in memory, or in a folder from which a killed run goes on."""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._npz import write_npz
from shearer._validate import describe, value_error
from shearer.screening.table import Table

Part = dict[str, NDArray[Any]]

VERSION = 1
MANIFEST = "scan.json"


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
    ...     first = FolderStore(folder, "f00", resume=False).get("sum", lambda: {"value": np.array(3.0)})
    ...     again = FolderStore(folder, "f00", resume=True).get("sum", lambda: {"value": np.array(-1.0)})
    >>> float(again["value"])
    3.0
    """

    def __init__(self, folder: str | PathLike[str], fingerprint: str, resume: bool) -> None:
        super().__init__()
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            occupied = any(self._folder.iterdir())
        except OSError as error:
            raise value_error("shards", "a folder that can be made", describe(str(folder)), str(error)) from error
        manifest = self._folder / MANIFEST
        if occupied and not resume:
            hint = "resume=True (--resume) goes on with an interrupted scan." if manifest.exists() else ""
            raise value_error("shards", "a new or empty folder", f"{describe(str(folder))} with files in it", hint)
        if occupied:
            _check_manifest(manifest, fingerprint)
        else:
            _write(manifest, json.dumps({"version": VERSION, "fingerprint": fingerprint}).encode())

    def has(self, name: str) -> bool:
        """True if the part is there, in memory or in the folder."""
        return super().has(name) or self._path(name).exists()

    def get(self, name: str, make: Callable[[], Part]) -> Part:
        """The part, read or else made and written."""
        return super().get(name, lambda: self._read_or_make(name, make))

    def _read_or_make(self, name: str, make: Callable[[], Part]) -> Part:
        found = _read(self._path(name))
        if found is None:
            found = make()
            _write(self._path(name), found)
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
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        version, other = known["version"], known["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise value_error("shards", f"a folder with {MANIFEST} of a scan", describe(str(path.parent))) from error
    if version != VERSION or other != fingerprint:
        hint = "Take a new folder, or the data and settings it was begun with."
        raise value_error("shards", "a scan of the same data with the same settings", "parts of another one", hint)


def _read(path: Path) -> Part | None:
    """The part, or None if it is not there or damaged: then it is made again."""
    if not path.exists():
        return None
    try:
        # Opened here: numpy leaves a file that is no archive open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _write(path: Path, contents: bytes | Part) -> None:
    temporary = path.with_suffix(".tmp")
    try:
        with temporary.open("wb") as file:
            if isinstance(contents, bytes):
                file.write(contents)
            else:
                write_npz(file, contents)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise OSError(
            f"shards: cannot write {path.name}: {reason}. What was written before is whole; --resume goes on with it."
        ) from error
