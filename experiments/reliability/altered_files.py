"""Files that were altered, cut, padded or made up, through every reader and loader.

usage: python -m experiments.reliability.altered_files [--cases 100000] [--minutes 15] [--seed 1]

A file of each kind is written once; each case alters the bytes of one of them, or, where it holds JSON, its structure,
and reads it. It ends in the answer of the file that was written, in a table (formats without a hash may hold anything),
or in an error of the documented form; an answer that differs where a hash protects it is a finding, as is a file that
is left open, or the end of the process. Adds to experiments/results/reliability_files.json, and goes on after the cases
that it holds.
"""

import argparse
import collections
import io
import json
import multiprocessing
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shearer as sh
from experiments.records import FOLDER
from experiments.reliability import gone_on
from shearer import comparing
from shearer._files import read_files
from shearer.scanning.store import FolderStore
from shearer.screening import open_shards
from shearer.sketching.file_rows import FileRows

Rng = np.random.Generator
#: Errors of the documented form are ValueErrors in words; MemoryBudgetError and missing files are of that kind.
DOCUMENTED = "expected "
#: Cases after which results are written; seconds after which one hangs.
BATCH, SECONDS = 10_000, 300


def table() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    return pl.DataFrame({"x": x, "y": np.round(x + rng.normal(size=30), 3), "kind": rng.choice(["a", "b"], size=30)})


def _read(path: Path) -> Any:
    return read_files(path, memory="200MB").frame.shape


def _stream(path: Path) -> Any:
    rows = FileRows.open((path,))
    return rows.fold(lambda chunks, _: sum(len(chunk) for chunk in chunks), sum, None, False)


def _sketch(path: Path) -> Any:
    return sh.Sketch.load(path).mutual_information().value


def _profile(path: Path) -> Any:
    return repr(comparing.Profile.load(path))


def _shards(path: Path) -> Any:
    opened = open_shards(path.parent)
    return [block.tolist() for _, block in opened.blocks()], opened.row("x").tolist()


def _part(path: Path) -> Any:
    """A part that is not as it was written is made again: the answer is the same."""
    return FolderStore(path.parent, "0a", resume=True).get("part", lambda: {"x": np.arange(5)})["x"].tolist()


def _estimator(path: Path) -> Any:
    from shearer.neural import RobustRegressor

    return RobustRegressor.load(path).predict(np.ones((2, 2))).tolist()


def write_all(folder: Path) -> "dict[str, tuple[Path, Callable[[Path], Any], bool]]":
    """Kind -> the file that is altered, what reads it, and whether a hash protects what it holds."""
    frame = table()
    frame.write_csv(folder / "t.csv")
    frame.write_csv(folder / "t.tsv", separator="\t")
    frame.write_parquet(folder / "t.parquet")
    frame.write_ipc(folder / "t.arrow")
    frame.write_ipc_stream(folder / "s.arrow")
    frame.write_excel(folder / "t.xlsx")
    import bz2
    import gzip
    import lzma

    for suffix, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        (folder / f"t.csv.{suffix}").write_bytes(pack((folder / "t.csv").read_bytes()))
    sketch = sh.Sketch.like(frame["x"].to_numpy(), frame["y"].to_numpy(), measures=("mutual_information",))
    sketch.update(frame["x"].to_numpy(), frame["y"].to_numpy())
    sketch.save(folder / "kept.sketch")
    comparing.profile_of(frame).save(folder / "kept.profile")
    sh.pairwise(frame, shards=folder / "shards")
    sh.pairwise(frame, shards=folder / "blocks")
    FolderStore(folder / "scan", "0a", resume=False).get("part", lambda: {"x": np.arange(5)})
    FolderStore(folder / "scan2", "0a", resume=False).get("part", lambda: {"x": np.arange(5)})
    readers: dict[str, tuple[Path, Callable[[Path], Any], bool]] = {
        **{name: (folder / name, _read, False) for name in ("t.csv", "t.tsv", "t.parquet", "t.arrow", "s.arrow")},
        **{name: (folder / name, _read, False) for name in ("t.xlsx", "t.csv.gz", "t.csv.bz2", "t.csv.xz")},
        **{f"{name} in chunks": (folder / name, _stream, False) for name in ("t.csv", "t.parquet", "t.arrow")},
        "sketch": (folder / "kept.sketch", _sketch, True),
        "profile": (folder / "kept.profile", _profile, True),
        "shards, manifest": (folder / "shards" / "manifest.json", _shards, False),
        "shards, block": (folder / "blocks" / "value-00000.npy", _shards, True),
        "scan, part": (folder / "scan" / "part.npz", _part, True),
        "scan, manifest": (folder / "scan2" / "scan.json", _part, False),
    }
    try:
        from shearer.neural import RobustRegressor
    except ImportError:
        return readers
    rows = np.random.default_rng(0).normal(size=(20, 2))
    RobustRegressor(max_epochs=1).fit(rows, rows[:, 0]).save(folder / "kept.estimator")
    readers["estimator"] = (folder / "kept.estimator", _estimator, True)
    return readers


def altered(raw: bytes, rng: Rng) -> bytes:
    """The bytes with some changed, left out, doubled, or of another structure."""
    way = int(rng.integers(8))
    if way == 0 or not raw:
        return raw[: int(rng.integers(len(raw) + 1))]
    if way == 1:
        at = int(rng.integers(len(raw)))
        return raw[:at] + raw[at + int(rng.integers(1, 40)) :]
    if way == 2:
        at, size = int(rng.integers(len(raw))), int(rng.integers(1, 60))
        return raw[:at] + raw[at : at + size] * 2 + raw[at + size :]
    if way == 3:
        at = int(rng.integers(len(raw)))
        return raw[:at] + rng.bytes(int(rng.integers(1, 20))) + raw[at:]
    if way == 4 and raw.lstrip()[:1] == b"{":
        return json.dumps(_restructured(json.loads(raw), rng)).encode()
    if way == 5 and raw.startswith(b"PK"):
        return _rezipped(raw, rng)
    some = bytearray(raw)
    for _ in range(int(rng.integers(1, 9))):
        at = int(rng.integers(len(some)))
        some[at] = int(rng.choice([0, 255, some[at] ^ (1 << int(rng.integers(8))), int(rng.integers(256)), 34, 44, 10]))
    return bytes(some)


ODD_VALUES = (None, -1, 0, 1, 2**70, 1e308, "", "../../etc/passwd", "/etc/passwd", [], {}, [[]], True, "\ud800", "nan")


def _restructured(value: Any, rng: Rng) -> Any:
    """One thing somewhere in JSON replaced, left out or put in."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = str(rng.choice(list(value)))
        if rng.random() < 0.15:
            return {name: own for name, own in value.items() if name != key}
        return {**value, key: _restructured(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = int(rng.integers(len(value)))
        if rng.random() < 0.15:
            return value[:at] + value[at + 1 :]
        return [*value[:at], _restructured(value[at], rng), *value[at + 1 :]]
    return ODD_VALUES[int(rng.integers(len(ODD_VALUES)))]


def _rezipped(raw: bytes, rng: Rng) -> bytes:
    """An archive with a member renamed, compressed, emptied, doubled or added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        chosen, way = str(rng.choice(names)), int(rng.integers(5))
        for name in names:
            contents = old.read(name)
            if name != chosen:
                new.writestr(name, contents)
            elif way == 0:
                new.writestr(str(rng.choice(["../../escaped.npy", "/escaped.npy", "a\\b.npy", "x\x00"])), contents)
            elif way == 1:
                new.writestr(name, contents, compress_type=zipfile.ZIP_DEFLATED)
            elif way == 2:
                new.writestr(name, contents[: int(rng.integers(len(contents) + 1))])
            elif way == 3:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    new.writestr(name, contents)
                    new.writestr(name, bytes(len(contents)))
    return out.getvalue()


def work(cases: range, seed: int, minutes: float, pipe: Connection) -> None:
    """Take cases one after the other in a process of its own: the code of a library may end it."""
    with tempfile.TemporaryDirectory() as place:
        readers = write_all(Path(place))
        whole = {kind: (path.read_bytes(), reader(path)) for kind, (path, reader, _) in readers.items()}
        started = time.monotonic()
        for number in cases:
            if time.monotonic() - started > 60 * minutes:
                break
            rng = np.random.default_rng([seed, number])
            kind = str(rng.choice(list(readers)))
            path, reader, hashed = readers[kind]
            raw, expected = whole[kind]
            path.write_bytes(altered(raw, rng))
            pipe.send((number, kind, None, ""))
            pipe.send((number, kind, *_end(reader, path, expected if hashed else None)))
            path.write_bytes(raw)
    pipe.send(None)


def run(cases: range, minutes: float, seed: int) -> dict[str, Any]:
    counted: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    findings: list[dict[str, Any]] = []
    tried, context = 0, multiprocessing.get_context("spawn")
    outside, started = _escaped(), time.monotonic()
    todo: range | None = cases
    while todo:
        here, there = context.Pipe(duplex=False)
        left = minutes - (time.monotonic() - started) / 60
        process = context.Process(target=work, args=(todo, seed, left, there))
        process.start()
        there.close()
        number, kind, ended = todo.start, "before the first", ""
        todo = None
        while True:
            if not here.poll(SECONDS):
                ended = "hangs"
                break
            try:
                told = here.recv()
            except EOFError:
                process.join()
                ended = f"ends the process ({process.exitcode})"
                break
            if told is None:
                break
            number, kind, end, said = told
            if end is not None:
                tried += 1
                counted[kind][end] += 1
            if end == "finding":
                findings.append({"case": number, "kind": kind, "said": said})
                print(number, kind, said, flush=True)
        process.kill()
        process.join()
        if ended:
            tried += 1
            counted[kind]["finding"] += 1
            findings.append({"case": number, "kind": kind, "said": ended})
            print(number, kind, ended, flush=True)
            todo = range(number + 1, cases.stop)
    ends: collections.Counter[str] = sum(counted.values(), collections.Counter())
    return {
        "seed": seed,
        "cases": tried,
        "ends": dict(ends),
        "kinds": {kind: dict(found) for kind, found in sorted(counted.items())},
        "escaped": _escaped() != outside,
        "findings": findings,
    }


def _escaped() -> list[str]:
    """Files beside the folders of cases that a name within an archive could have meant."""
    return sorted(str(path) for path in Path(tempfile.gettempdir()).iterdir() if "escaped" in path.name)


def _end(reader: Callable[[Path], Any], path: Path, expected: Any) -> tuple[str, str]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = reader(path)
            end, said = "answer", ""
            if expected is not None and found != expected:
                end, said = "finding", f"another answer: {found!r}"[:300]
        except ValueError as error:
            end, said = ("refused", "") if DOCUMENTED in str(error) else ("finding", _told(error))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            end, said = "finding", _told(error)
    odd = [str(one.message) for one in heard if issubclass(one.category, ResourceWarning | RuntimeWarning)]
    return ("finding", odd[0][:300]) if odd and end != "finding" else (end, said)


def _told(error: BaseException) -> str:
    where = [f"{Path(at.filename).name}:{at.lineno}" for at in traceback.extract_tb(error.__traceback__)][-3:]
    return f"{type(error).__name__}: {error} at {' > '.join(where)}"[:400]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    path = FOLDER / "reliability_files.json"
    settings = {"cases": options.cases, "minutes": options.minutes, "seed": options.seed}
    found = gone_on.run_batches(path, run, batch=BATCH, **settings)
    print({key: found[key] for key in ("cases", "ends", "escaped")})
    return 1 if found["findings"] or found["escaped"] else 0


if __name__ == "__main__":
    sys.exit(main())
