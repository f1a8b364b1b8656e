"""Sketches in files: arrays and JSON in one archive, nothing pickled, nothing in a file is run, every byte hashed."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shearer._files import write_file
from shearer._files.archive import Arrays, digest_of, read_arrays, undamaged, write_arrays
from shearer._validate import describe, value_error
from shearer.data.variables import Block, Variable
from shearer.sketching.frame import Frame, describe_kernel, kernel_from
from shearer.sketching.rows import taken
from shearer.sketching.subset_sums import CountSums, LandmarkSums, SubsetSums
from shearer.spectrum.lowrank.accumulator import Accumulator, rows_at_once

if TYPE_CHECKING:
    from shearer.sketching.sketch import Sketch

FORMAT, VERSION = "shearer sketch", 1
_EXPECTED = "a file written by save()"
_SETTINGS = ("given", "groups", "missing", "measures", "alpha", "rank", "seed")
_NUMBERS = ("residual", "tau", "excess", "entry_error")


def write(sketch: Sketch, path: str | PathLike[str]) -> None:
    """Write all of a sketch."""
    write_archive(path, *_pack(sketch))


def read(path: str | PathLike[str]) -> Sketch:
    """The sketch that was written."""
    with read_archive(path, FORMAT) as (header, arrays):
        return _unpack(header, arrays)


def write_archive(path: str | PathLike[str], header: dict[str, Any], arrays: Arrays) -> None:
    """Write plain data and arrays with their hash; a file that is there is either the old one or whole."""
    encoded = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_file("path", path, write_arrays(arrays | {"header": encoded}))


@contextmanager
def read_archive(path: str | PathLike[str], kind: str) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """What was written, if not a byte of it has changed; what goes wrong with it is the fault of the file."""
    target = Path(path)
    arrays = read_arrays("path", target, _EXPECTED)
    with undamaged("path", _EXPECTED, f"{target.name}, which is none"):
        header = json.loads(arrays.pop("header").tobytes())
        found = header["format"], header["version"]
    if found != (kind, VERSION):
        raise value_error(
            "path", f"a {kind}, version {VERSION}", f"a {describe(found[0])}, version {describe(found[1])}"
        )
    with undamaged("path", _EXPECTED, f"{target.name}, which is damaged"):
        yield header, arrays


def fingerprint_of(sketch: Sketch) -> str:
    """A hash of what is frozen: settings, kernels, landmarks and their factors."""
    header, arrays = _pack(sketch.empty())
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    digest.update(digest_of(arrays))
    return digest.hexdigest()


def _pack(sketch: Sketch) -> tuple[dict[str, Any], Arrays]:
    """Everything as plain data and arrays."""
    arrays: Arrays = {}
    parts = [_pack_part(f"part{place}", part, arrays) for place, part in enumerate(sketch._entropies.parts.values())]
    header = {
        "format": FORMAT,
        "version": VERSION,
        "settings": sketch._settings,
        "names": list(sketch._names),
        "given": list(sketch._given),
        "rows": sketch.rows,
        "dropped": sketch.dropped,
        "kernels": [[describe_kernel(kernel) for kernel in own] for own in sketch._frame.kernels],
        "shapes": pack_rows("shape", sketch._shapes, arrays),
        "landmarks": pack_rows("landmark", sketch._frame.landmarks, arrays),
        "parts": parts,
    }
    return header, arrays


def _pack_part(name: str, part: SubsetSums, arrays: Arrays) -> dict[str, Any]:
    packed: dict[str, Any] = {"subset": sorted(part.subset)}
    if isinstance(part, CountSums):
        return packed | {"counts": [[list(label), count] for label, count in sorted(part.counts.items())]}
    assert isinstance(part, LandmarkSums)
    sums = part.sums
    arrays |= {f"{name}_places": part.places, f"{name}_whiten": part.whiten, f"{name}_keys": part.keys}
    arrays |= {f"{name}_products": sums.products, f"{name}_lost": sums.lost}
    packed |= {"rows": sums.rows, **{field: float(getattr(sums, field)).hex() for field in _NUMBERS}}
    return packed | {"candidates": pack_rows(f"{name}_candidate", part.candidates, arrays)}


def pack_rows(name: str, variables: Sequence[Variable], arrays: Arrays) -> list[Any]:
    """Rows as plain data, with arrays put where they belong."""
    packed = []
    for i, item in enumerate(variables):
        blocks = []
        for j, block in enumerate(item.blocks):
            arrays[f"{name}_{i}_{j}"] = np.asarray(block.values)
            used = sorted(set(block.values.tolist())) if block.kind == "categorical" else []
            levels = {code: str(block.levels[code]) for code in used}
            blocks.append([block.kind, [[code, level] for code, level in levels.items()]])
        packed.append([item.name, blocks])
    return packed


def _unpack(header: dict[str, Any], arrays: Arrays) -> Sketch:
    from shearer.sketching.declared import SketchedEntropies
    from shearer.sketching.sketch import Sketch

    sketch = Sketch.__new__(Sketch)
    sketch._settings = {name: header["settings"][name] for name in _SETTINGS}
    sketch._names, sketch._given = tuple(header["names"]), tuple(header["given"])
    sketch._shapes = unpack_rows("shape", header["shapes"], arrays)
    kernels = tuple(tuple(kernel_from(kernel) for kernel in own) for own in header["kernels"])
    sketch._frame = Frame(kernels, unpack_rows("landmark", header["landmarks"], arrays))
    found = [_unpack_part(f"part{place}", part, arrays, sketch) for place, part in enumerate(header["parts"])]
    sketch._entropies = SketchedEntropies(sketch._names, {part.subset: part for part in found})
    sketch._entropies.rows, sketch._dropped = (operator.index(header[name]) for name in ("rows", "dropped"))
    _check_fit(sketch)
    sketch._step = min((rows_at_once(part.rank) for part in found), default=2**18)
    return sketch


def _check_fit(sketch: Sketch) -> None:
    """Raise where names, kernels, landmarks and subsets are not of the same variables."""
    names, frame = sketch._names, sketch._frame
    everyone = set(range(len(names)))
    rows = (sketch._shapes, frame.landmarks)
    if any(tuple(item.name for item in variables) != names for variables in rows) or len(frame.kernels) != len(names):
        raise ValueError("variables that do not fit each other")
    if not set(sketch._given) <= set(names) or not all(subset <= everyone for subset in sketch._entropies.parts):
        raise ValueError("subsets of other variables")


def _unpack_part(name: str, packed: dict[str, Any], arrays: Arrays, sketch: Sketch) -> SubsetSums:
    subset = frozenset(packed["subset"])
    if "counts" in packed:
        return CountSums(subset, sketch.alpha, {tuple(label): count for label, count in packed["counts"]})
    places, whiten, keys, products, lost = (
        arrays[f"{name}_{field}"] for field in ("places", "whiten", "keys", "products", "lost")
    )
    numbers = {field: float.fromhex(packed[field]) for field in _NUMBERS}
    sums = Accumulator(len(places), sketch.alpha, packed["rows"], products=products, lost=lost, **numbers)
    rows = unpack_rows(f"{name}_candidate", packed["candidates"], arrays)
    return LandmarkSums(subset, places, whiten, sums, sketch._settings["seed"], rows, keys)


def unpack_rows(name: str, packed: list[Any], arrays: Arrays) -> tuple[Variable, ...]:
    """The rows that were packed."""
    variables = []
    for i, (variable, blocks) in enumerate(packed):
        own = []
        for j, (kind, levels) in enumerate(blocks):
            values = arrays[f"{name}_{i}_{j}"]
            if kind == "categorical":
                names = dict(levels)
                known = [names.get(code, "") for code in range(max(names, default=-1) + 1)]
                own.append(Block(kind, values, known))
            else:
                own.append(Block(kind, values))
        variables.append(Variable(variable, tuple(own)))
    return taken(variables, slice(None))
