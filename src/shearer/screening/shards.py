"""Results that do not fit in memory: blocks of rows in a folder, with a manifest that tells if all is there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._files.archive import DamagedFileError, read_array, read_manifest, sha256_of, undamaged
from shearer._files.writing import claim_file, open_folder, replace_file
from shearer._memory import require
from shearer._progress import track
from shearer._validate import check_names, check_option, describe, message, value_error
from shearer.data.table import Table
from shearer.measures.measure import Measure
from shearer.screening.entropies import pair_entropies as finish
from shearer.screening.entropies.pair_entropies import Route
from shearer.screening.entropies.products import mirror

Floats = NDArray[Any]

MANIFEST = "manifest.json"
VERSION = 1
_EXPECTED = f"a manifest of shearer in {MANIFEST}"
_ENTROPY = "entropy.npy"
# There while a folder is being written to: of two runs that begin at once in an empty one, one goes on.
_BEGUN = "unfinished"
# What is always there.
_ARRAYS = {"joint", "value", "entropy"}
# Rows of a block at most: a file of a few hundred megabytes for the largest results.
_MOST_ROWS = 4096
# Bytes held for each pair of a block while it is computed: sums, joint, value, and their temporaries.
_BYTES_A_PAIR = 64


@dataclass(frozen=True, eq=False, repr=False)
class Shards:
    """All pairs of variables, in a folder.

    Attributes
    ----------
    folder : Path
        Where the blocks are.
    names : tuple of str
        The variables.
    entropy : NDArray
        Their entropies in bits.
    rows : int or None
        Rows used; None where pairs differ, and the array "rows" has the numbers.
    measure, alpha, normalize, error, route
        As in `Pairwise`.
    arrays : tuple of str
        What was written: "value", "joint", and "rows" where pairs differ.
    files : tuple
        The entries of the manifest.

    Examples
    --------
    >>> import tempfile
    >>> from shearer.screening import open_shards, pairwise
    >>> table = {"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", "v"], "c": ["s", "t", "s", "t"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pairwise(table, shards=folder)
    ...     opened = open_shards(folder)
    ...     opened.row("a"), [(rows.start, rows.stop, block.shape) for rows, block in opened.blocks()]
    (array([1., 1., 0.]), [(0, 3, (3, 3))])
    """

    folder: Path
    names: tuple[str, ...]
    entropy: Floats
    rows: int | None
    measure: str
    alpha: float
    normalize: bool | str
    error: float
    route: str
    arrays: tuple[str, ...]
    files: tuple[dict[str, Any], ...]

    def __repr__(self) -> str:
        """What is there, and where."""
        return f"Shards({len(self.names)} variables, alpha={self.alpha:g}, {self.route}, {str(self.folder)!r})"

    def blocks(self, array: str = "value") -> Iterator[tuple[slice, Floats]]:
        """The rows of a matrix block by block, in order: which rows, and their values."""
        for entry in self._entries(array):
            yield slice(*entry["rows"]), read_array("shards", self.folder / entry["file"])

    def row(self, name: str, array: str = "value") -> Floats:
        """One variable with all others; only that row is read."""
        check_names("name", [name], self.names)
        index = self.names.index(name)
        entry = next(entry for entry in self._entries(array) if index < entry["rows"][1])
        block = read_array("shards", self.folder / entry["file"], mapped=True)
        with undamaged("shards", f"{entry['file']} as it was written", "other contents"):
            return np.array(block[index - entry["rows"][0]])

    def _entries(self, array: str) -> list[dict[str, Any]]:
        check_option("array", array, self.arrays)
        return [entry for entry in self.files if entry["array"] == array]


def open_shards(folder: str | PathLike[str], *, check: bool = True) -> Shards:
    """Open what `pairwise` wrote, after checking that all of it is there.

    Parameters
    ----------
    folder : path
        The folder.
    check : bool
        Compare the contents with their hashes, which reads everything once. False: sizes only.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import shearer as sh
    >>> with TemporaryDirectory() as folder:
    ...     _ = sh.pairwise(np.random.default_rng(0).normal(size=(20, 3)), shards=folder)
    ...     len(open_shards(folder).names)
    3
    """
    path = Path(folder)
    if not (path / MANIFEST).is_file():
        hint = "It is written last: without it a run was interrupted." if path.is_dir() else ""
        raise value_error("shards", f"a folder with {MANIFEST}", describe(str(path)), hint)
    manifest = read_manifest("shards", path / MANIFEST, _EXPECTED)
    if "version" in manifest and manifest["version"] != VERSION:
        raise value_error("shards", f"a manifest of version {VERSION}", f"version {describe(manifest['version'])}")
    with undamaged("shards", _EXPECTED, "one that was altered"):
        names, settings, files = _checked(manifest)
        for entry in files:
            _check_file(path, entry, contents=check)
        return Shards(
            folder=path,
            names=names,
            entropy=read_array("shards", path / _ENTROPY),
            rows=settings["rows"],
            measure=settings["measure"],
            alpha=float(settings["alpha"]),
            normalize=settings["normalize"],
            error=settings["error"],
            route=settings["route"],
            arrays=tuple(dict.fromkeys(entry["array"] for entry in files if entry["array"] != "entropy")),
            files=files,
        )


def _checked(manifest: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any], tuple[dict[str, Any], ...]]:
    """Names, settings and files of a manifest that has all of them; files lie in the folder and cover all rows."""
    names, settings, files = (manifest[part] for part in ("names", "settings", "files"))
    ends: dict[str, int] = {}
    for entry in files:
        start, stop = entry["rows"]
        if Path(entry["file"]).name != entry["file"] or start != ends.get(entry["array"], 0) or stop < start:
            raise ValueError(f"{describe(entry['file'])} out of place")
        ends[entry["array"]] = stop
    if manifest["version"] != VERSION or ends.keys() - {"rows"} != _ARRAYS or set(ends.values()) != {len(names)}:
        raise ValueError("arrays that no file has")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError("names that are none")
    return tuple(names), settings, tuple(files)


def _check_file(folder: Path, entry: dict[str, Any], *, contents: bool) -> None:
    path = folder / entry["file"]
    expected = f"{entry['file']} of {entry['bytes']} bytes"
    if not path.is_file():
        raise _damaged(expected, "no such file", "It was removed after it was written.")
    if path.stat().st_size != entry["bytes"]:
        raise _damaged(expected, f"{path.stat().st_size} bytes", "It was cut short or overwritten.")
    if contents and sha256_of(path) != entry["sha256"]:
        raise _damaged(f"{entry['file']} as it was written", "other contents", "Its hash has changed.")


def _damaged(expected: str, got: str, hint: str) -> DamagedFileError:
    return DamagedFileError(message("shards", expected, got, hint))


def write_shards(
    folder: str | PathLike[str],
    table: Table,
    route: Route,
    measure: Measure,
    alpha: float,
    normalize: bool | str,
    dtype: np.dtype[Any],
    budget: int,
    progress: bool | None,
) -> Shards:
    """Compute all pairs in blocks of rows and write each as soon as it is there."""
    path, occupied = open_folder("shards", folder)
    if occupied:
        raise value_error("shards", "a new or empty folder", f"{describe(str(path))} with files in it")
    size = len(table.variables)
    height = max(1, min(size, _MOST_ROWS, budget // (4 * _BYTES_A_PAIR * size)))
    blocks = [slice(start, min(start + height, size)) for start in range(0, size, height)]
    needed = route.memory(blocks[0], slice(0, size)) + _BYTES_A_PAIR * height * size
    require(needed, budget, f"blocks of {height} rows of {size} variables", "Options: a larger memory=.")
    if not claim_file(path / _BEGUN, b""):
        got = f"{describe(str(path))}, which another run has just begun to write to"
        raise value_error("shards", "a folder of its own", got, "Wait for it, or take another folder.")
    files: list[dict[str, Any]] = []
    entropy = np.empty(size)
    error = 0.0
    for number, rows in enumerate(track(blocks, len(blocks), "blocks", progress)):
        # From the block itself on; what is left of it was computed with earlier blocks.
        rest = slice(rows.start, size)
        found = route.pairs(rows, rest, progress=False)
        entropy[rows] = found.left_entropy
        error = max(error, found.error)
        finished = (finish.square if rows == rest else finish.rectangle)(found, measure, normalize, dtype)
        for array, right in zip(("joint", "value"), finished, strict=True):
            mirror(right[:, : rows.stop - rows.start])
            left = [np.load(path / f["file"], mmap_mode="r")[:, rows].T for f in files if f["array"] == array]
            files.append(_write_block(path, array, number, rows, np.concatenate([*left, right], axis=1)))
        if table.pairwise:
            counts = table.presence.counts(rows, slice(0, size))
            files.append(_write_block(path, "rows", number, rows, counts))
    files.append(_written(path, _ENTROPY, "entropy", slice(0, size), entropy))
    settings = {
        "measure": measure.name,
        "alpha": str(alpha),
        "normalize": normalize,
        "rows": None if table.pairwise else table.rows,
        "dtype": dtype.name,
        "error": error,
        "route": route.name,
    }
    manifest = {"version": VERSION, "settings": settings, "names": table.names, "shape": [size, size], "files": files}
    replace_file(path / MANIFEST, json.dumps(manifest, indent=1).encode())
    (path / _BEGUN).unlink()
    return open_shards(path, check=False)


def _write_block(folder: Path, array: str, number: int, rows: slice, block: Floats) -> dict[str, Any]:
    return _written(folder, f"{array}-{number:05d}.npy", array, rows, block)


def _written(folder: Path, name: str, array: str, rows: slice, values: Floats) -> dict[str, Any]:
    """Write an array; its entry in the manifest."""
    path = folder / name
    replace_file(path, lambda file: np.save(file, values, allow_pickle=False))
    size, digest = path.stat().st_size, sha256_of(path)
    return {"file": name, "array": array, "rows": [rows.start, rows.stop], "bytes": size, "sha256": digest}
