"""Files of real data: known by their hash, found in a folder or fetched from an address that the user names."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from shearer._files.archive import sha256_of
from shearer._optional import load
from shearer._validate import check_names, describe, message, type_error, value_error

Where: TypeAlias = str | os.PathLike[str] | None

FOLDER, ADDRESS, CACHE = "SHEARER_DATA", "SHEARER_DATA_URL", "SHEARER_CACHE"
_HOW = (
    f"Set {FOLDER} to a folder that has the files, or {ADDRESS} to the address of one,"
    " or pass either as where=. shearer.datasets.registry() lists them."
)


@dataclass(frozen=True)
class Entry:
    """A file of the registry.

    Attributes
    ----------
    path : str
        Its place in the folder or below the address, with forward slashes.
    sha256 : str
        SHA-256 of its content, as hexadecimal digits.
    size : int
        Its size in bytes.

    Examples
    --------
    >>> Entry("tables/a.csv", "0" * 64, 12).size
    12
    """

    path: str
    sha256: str
    size: int


@cache
def registry() -> Mapping[str, Entry]:
    """List every known file, by path.

    Returns
    -------
    mapping of str -> Entry
        Read-only.

    Examples
    --------
    >>> registry()["tables/penguins.csv"].size
    15241
    """
    text = resources.files("shearer.datasets").joinpath("registry.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return MappingProxyType({path: Entry(path, sha256, int(size)) for sha256, size, path in lines})


def fetch(path: str, *, where: Where = None) -> Path:
    """Find a known file on this machine, or download it, and check its hash.

    Parameters
    ----------
    path : str
        One of the paths in `registry`.
    where : path or str, optional
        A folder that has the files, or an address such as ``"https://example.org/data"`` below which they lie.
        Default: the environment variable SHEARER_DATA (a folder), else SHEARER_DATA_URL (an address). Downloads are
        kept in the cache folder of the user, or in the one that SHEARER_CACHE names, and not repeated; they need
        pooch (``pip install ".[data]"``).

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    FileNotFoundError
        If nothing says where the files are, or the file is not there.
    ValueError
        If the path is not in `registry`, or the file there has another size or hash.

    Examples
    --------
    >>> fetch("tables/penguins.csv", where="/no/such/folder")
    Traceback (most recent call last):
        ...
    FileNotFoundError: tables/penguins.csv: expected a file in '/no/such/folder', got no such folder. ...
    """
    check_names("path", [path], registry())
    entry = registry()[path]
    folder, address = _sources(where)
    return _download(entry, address) if folder is None else _local(entry, folder)


def find(paths: Iterable[str], where: Where) -> Path | None:
    """The first of some files, in no registry, that the folder has; None if none is there, or no folder is named."""
    folder, _ = _sources(where)
    return next((folder / path for path in paths if folder is not None and (folder / path).is_file()), None)


def _sources(where: Any) -> tuple[Path | None, str | None]:
    """A folder, or an address, or neither."""
    if where is None:
        named = os.environ.get(FOLDER)
        return (Path(named).expanduser(), None) if named else (None, os.environ.get(ADDRESS))
    if not isinstance(where, str | os.PathLike):
        raise type_error("where", "a folder or an address", describe(where))
    if isinstance(where, str) and "://" in where:
        return None, where
    return Path(where).expanduser(), None


def _local(entry: Entry, folder: Path) -> Path:
    path = folder / entry.path
    if not path.is_file():
        got = "no such file in it" if folder.is_dir() else "no such folder"
        raise FileNotFoundError(message(entry.path, f"a file in {describe(str(folder))}", got, _HOW))
    if not _matches(path, entry):
        raise value_error(entry.path, _described(entry), f"another file in {describe(str(folder))}", "Get it again.")
    return path


def _download(entry: Entry, address: str | None) -> Path:
    """From the cache, or from the address into it."""
    if not address:
        raise FileNotFoundError(message(entry.path, "a file on this machine", "none", _HOW))
    pooch = load("pooch", "Fetching data sets from an address")
    known = {entry.path: f"sha256:{entry.sha256}"}
    store = pooch.create(pooch.os_cache("shearer"), base_url=address.rstrip("/") + "/", registry=known, env=CACHE)
    try:
        return Path(store.fetch(entry.path))
    except ValueError as error:
        hint = "The file there is not the known one, or the address is none that files can be fetched from."
        raise value_error(entry.path, _described(entry), f"something else from {describe(address)}", hint) from error
    except OSError as error:  # of the network too: requests derives its errors from it
        got = f"{type(error).__name__} from {describe(address)}"
        raise FileNotFoundError(message(entry.path, "a file that can be fetched", got, _HOW)) from error


def _matches(path: Path, entry: Entry) -> bool:
    if path.stat().st_size != entry.size:
        return False
    return sha256_of(path) == entry.sha256


def _described(entry: Entry) -> str:
    return f"{entry.size} bytes with SHA-256 {entry.sha256[:12]}..."
