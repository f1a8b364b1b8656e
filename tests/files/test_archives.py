"""Files of arrays and manifests: whole or not at all, and whatever is wrong with one is told by one error."""

import json
import multiprocessing
import warnings
import zipfile

import numpy as np
import pytest

import shearer as sh
from shearer._files import write_file
from shearer._files.archive import (
    DamagedFileError,
    MissingFileError,
    digest_of,
    read_array,
    read_arrays,
    read_manifest,
    undamaged,
    write_arrays,
)
from shearer._files.writing import open_folder, replace_file
from shearer.scanning.store import FolderStore
from shearer.screening import open_shards, pairwise
from shearer.sketching import PairSketch


@pytest.fixture(autouse=True)
def no_file_stays_open():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        yield


def refused(option, read, *arguments, **options):
    """True if reading is refused by the documented error, in one line; any other error passes through."""
    try:
        read(*arguments, **options)
    except ValueError as error:
        return str(error).startswith(f"{option}: expected ") and "\n" not in str(error)
    return False


@pytest.fixture
def arrays():
    return {"x": np.arange(6.0).reshape(2, 3), "labels": np.array(["a", "bc"]), "none": np.empty((0, 4))}


def test_arrays_come_back(arrays, tmp_path):
    write_file("path", tmp_path / "a.npz", write_arrays(arrays))
    found = read_arrays("path", tmp_path / "a.npz", "an archive")
    assert found.keys() == arrays.keys()
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize("seed", range(5))
def test_no_altered_byte_comes_back(arrays, tmp_path, seed):
    """Cut anywhere, or with bytes changed anywhere: the same arrays or the one error."""
    path = tmp_path / "a.npz"
    replace_file(path, write_arrays(arrays))
    raw, rng = path.read_bytes(), np.random.default_rng(seed)
    for _ in range(60):
        broken = bytearray(raw)
        for place in rng.integers(0, len(raw), size=rng.integers(1, 5)):
            broken[place] ^= int(rng.integers(1, 256))
        if rng.random() < 0.3:
            broken = broken[: rng.integers(0, len(raw))]
        path.write_bytes(broken)
        if not refused("path", read_arrays, "path", path, "an archive"):
            assert digest_of(read_arrays("path", path, "an archive")) == digest_of(arrays)


def test_sizes_that_are_not_there_take_no_memory(tmp_path):
    """A header that says 8 petabytes, a member that would unpack to more than the file, an encrypted one."""
    path = tmp_path / "a.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00v\x00" + header + b"\0" * 16)
    with pytest.raises(DamagedFileError, match="not of the size that it says"):
        read_arrays("path", path, "an archive", hashed=False)
    with path.open("wb") as file:
        np.savez_compressed(file, x=np.zeros(10**6))
    with pytest.raises(DamagedFileError, match="larger than the file"):
        read_arrays("path", path, "an archive", hashed=False)
    with path.open("wb") as file:
        np.savez(file, x=np.zeros(3))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1  # says that it is encrypted
    path.write_bytes(raw)
    with pytest.raises(DamagedFileError, match="path: expected an archive"):
        read_arrays("path", path, "an archive", hashed=False)


def test_hashes_are_asked_for(arrays, tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, **arrays)
    with pytest.raises(DamagedFileError, match="path: expected an archive"):
        read_arrays("path", path, "an archive")
    assert read_arrays("path", path, "an archive", hashed=False).keys() == arrays.keys()
    np.savez(path, **arrays, sha256=np.zeros(32, dtype=np.uint8))
    with pytest.raises(DamagedFileError, match="Its hash has changed"):
        read_arrays("path", path, "an archive", hashed=False)


def test_what_is_no_file(tmp_path):
    for read in (lambda path: read_arrays("path", path, "x"), lambda path: read_manifest("path", path, "x")):
        with pytest.raises(MissingFileError, match="which is not there") as caught:
            read(tmp_path / "none")
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, FileNotFoundError)
        with pytest.raises(DamagedFileError, match="path: expected x"):
            read(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "1", "nul", '{"a"', "[" * 100_000, "\xff", '{"a": 1}x'])
def test_manifests_that_are_none(tmp_path, text):
    (tmp_path / "m.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(DamagedFileError, match="path: expected a manifest, got something else"):
        read_manifest("path", tmp_path / "m.json", "a manifest")


def test_single_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(5))
    for mapped in (False, True):
        assert read_array("path", tmp_path / "a.npy", mapped=mapped).tolist() == [0, 1, 2, 3, 4]
    raw = (tmp_path / "a.npy").read_bytes()
    for other in (b"", raw[:50], raw[:-1], raw + b"\0", b"text", raw.replace(b"(5,)", b"(9,)")):
        (tmp_path / "a.npy").write_bytes(other)
        with pytest.raises(DamagedFileError, match=r"path: expected a\.npy as it was written"):
            read_array("path", tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    for mapped in (False, True):
        with pytest.raises(DamagedFileError, match=r"path: expected a\.npy as it was written"):
            read_array("path", tmp_path / "a.npy", mapped=mapped)


def test_what_a_file_is_not_to_blame_for_passes():
    with pytest.raises(KeyboardInterrupt), undamaged("path", "x", "y"):
        raise KeyboardInterrupt
    with pytest.raises(MemoryError), undamaged("path", "x", "y"):
        raise MemoryError
    with pytest.raises(DamagedFileError, match=r"path: expected x, got y \(KeyError\)"), undamaged("path", "x", "y"):
        raise KeyError


def wait_for_the_others(barrier):
    barrier.wait(timeout=120)


def write_many(arguments):
    """In pieces, each larger than what a file keeps back: others write between any two of them."""
    path, mark = arguments
    for _ in range(30):
        replace_file(path, lambda file: [file.write(mark * 10_000) for _ in range(5)])


def test_writers_of_one_file_do_not_collide(tmp_path):
    """Four processes, one name: what is there is always all of one of them, and nothing is left beside it."""
    path = tmp_path / "out"
    marks = [b"a", b"b", b"c", b"d"]
    context = multiprocessing.get_context("spawn")
    with context.Pool(4, wait_for_the_others, [context.Barrier(4)]) as pool:
        done = pool.map_async(write_many, [(path, mark) for mark in marks], chunksize=1)
        while not done.ready():
            done.wait(0.001)
            if path.exists():
                found = path.read_bytes()
                assert found == found[:1] * 50_000
        done.get()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_function_that_fails_leaves_the_old_file(tmp_path):
    def stop(file):
        file.write(b"begun")
        raise KeyboardInterrupt

    (tmp_path / "out").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "out", stop)
    assert (tmp_path / "out").read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_folders(tmp_path):
    path, occupied = open_folder("shards", tmp_path / "a" / "b")
    assert (path.is_dir(), occupied) == (True, False)
    (path / ".0123456789abcdef.part").write_bytes(b"of a run that was killed")
    assert not open_folder("shards", path)[1]
    (path / "notes.txt").write_bytes(b"")
    assert open_folder("shards", path)[1]
    for name in (path / "notes.txt", path / "a\0b"):
        with pytest.raises(ValueError, match="shards: expected a folder that can be made"):
            open_folder("shards", name)


# what a scan keeps


def test_parts_of_a_scan_without_a_hash_are_made_again(tmp_path):
    store = FolderStore(tmp_path / "s", "f0", resume=False)
    np.savez(tmp_path / "s" / "old.npz", x=np.arange(3))
    assert store.get("old", lambda: {"x": np.arange(9)})["x"].size == 9
    assert store.get("new", lambda: {"x": np.arange(2)}).keys() == {"x"}
    assert FolderStore(tmp_path / "s", "f0", resume=True).get("new", dict).keys() == {"x"}


def test_altered_parts_of_a_scan_are_made_again(tmp_path):
    FolderStore(tmp_path / "s", "f0", resume=False).get("part", lambda: {"x": np.arange(3)})
    path = tmp_path / "s" / "part.npz"
    whole = dict(np.load(path))
    others = [b"", b"text", path.read_bytes()[:-30]]
    for raw in others:
        path.write_bytes(raw)
        assert FolderStore(tmp_path / "s", "f0", resume=True).get("part", lambda: {"x": np.arange(9)})["x"].size == 9
    np.savez(path, x=np.arange(4), sha256=whole["sha256"])
    assert FolderStore(tmp_path / "s", "f0", resume=True).get("part", lambda: {"x": np.arange(9)})["x"].size == 9


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1}', "[" * 100_000, "null"])
def test_altered_manifests_of_a_scan(tmp_path, text):
    FolderStore(tmp_path, "f0", resume=False)
    (tmp_path / "scan.json").write_text(text)
    with pytest.raises(DamagedFileError, match=r"shards: expected a folder with scan\.json of a scan"):
        FolderStore(tmp_path, "f0", resume=True)


# shards


@pytest.fixture
def shards(tmp_path, rng):
    pairwise(rng.normal(size=(20, 4)), shards=tmp_path / "pairs")
    return tmp_path / "pairs"


def altered(manifest):
    """Manifests with one thing wrong, and what is wrong."""
    first, *rest = manifest["files"]
    for part in ("version", "names", "settings", "files"):
        yield f"no {part}", {key: value for key, value in manifest.items() if key != part}
        for wrong in (None, 7, "text", [None]):
            yield f"{part} {wrong}", manifest | {part: wrong}
    for field in first:
        yield f"no {field}", manifest | {"files": [{k: v for k, v in first.items() if k != field}, *rest]}
        for wrong in (None, -1, "text", [], {"a": 1}):
            yield f"{field} {wrong}", manifest | {"files": [first | {field: wrong}, *rest]}
    for name in ("../pairs/joint-00000.npy", "/etc/passwd", "a/../joint-00000.npy", ""):
        yield name, manifest | {"files": [first | {"file": name}, *rest]}
    for rows in ([0, 3], [1, 4], [0, 99], [4, 0], [0], [0, 1, 2]):
        yield f"rows {rows}", manifest | {"files": [first | {"rows": rows}, *rest]}
    yield "no entropy", manifest | {"files": [entry for entry in manifest["files"] if entry["array"] != "entropy"]}
    yield "no files", manifest | {"files": []}
    for name in manifest["settings"]:
        if name != "dtype":
            left = {key: value for key, value in manifest["settings"].items() if key != name}
            yield f"no {name}", manifest | {"settings": left}
    yield "alpha", manifest | {"settings": manifest["settings"] | {"alpha": "two"}}


def test_altered_manifests_of_shards(shards):
    manifest = json.loads((shards / "manifest.json").read_text())
    assert open_shards(shards).names
    for what, other in altered(manifest):
        (shards / "manifest.json").write_text(json.dumps(other))
        for check in (True, False)[: 1 if "sha256" in what else 2]:  # hashes are not looked at without check
            assert refused("shards", open_shards, shards, check=check), what


def test_shards_that_change_after_they_were_opened(shards):
    opened = open_shards(shards)
    path = shards / "value-00000.npy"
    for other in (b"", path.read_bytes()[:-8]):
        path.write_bytes(other)
        with pytest.raises(DamagedFileError, match=r"shards: expected value-00000\.npy as it was written"):
            list(opened.blocks())
        with pytest.raises(DamagedFileError, match=r"shards: expected value-00000\.npy as it was written"):
            opened.row(opened.names[-1])
    np.save(path, np.zeros((1, 1)))
    with pytest.raises(DamagedFileError, match=r"shards: expected value-00000\.npy as it was written"):
        opened.row(opened.names[-1])
    path.unlink()
    with pytest.raises(MissingFileError, match="which is not there"):
        opened.row(opened.names[-1])


# sketches


def rewritten(path, header, arrays):
    """A file with a right hash and contents that no sketch wrote."""
    encoded = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    replace_file(path, write_arrays(arrays | {"header": encoded}))


@pytest.mark.parametrize("kind", [sh.Sketch, PairSketch])
def test_altered_headers_of_sketches(kind, rng, tmp_path):
    data = {"x": rng.normal(size=60), "y": rng.choice(["a", "b"], size=60)}
    kind.like(data).save(tmp_path / "a.npz")
    arrays = read_arrays("path", tmp_path / "a.npz", "x")
    header = json.loads(arrays.pop("header").tobytes())
    rewritten(tmp_path / "b.npz", header, arrays)
    assert kind.load(tmp_path / "b.npz").rows == 0
    for part in header:
        for other in ({k: v for k, v in header.items() if k != part}, header | {part: 3}, header | {part: ["nobody"]}):
            if other.get(part) == 3 and part in ("rows", "dropped", "second_rows"):
                continue
            rewritten(tmp_path / "b.npz", other, arrays)
            assert refused("path", kind.load, tmp_path / "b.npz"), (part, other.get(part))
    for name in arrays:
        rewritten(tmp_path / "b.npz", header, {key: array for key, array in arrays.items() if key != name})
        assert refused("path", kind.load, tmp_path / "b.npz"), name


def test_sketches_are_saved_like_other_files(rng, tmp_path):
    sketch = sh.Sketch.like(rng.normal(size=40), rng.normal(size=40))
    with pytest.raises(ValueError, match=r"path: expected .* to be written, got the error No such file"):
        sketch.save(tmp_path / "no" / "a.npz")
    assert not list(tmp_path.iterdir())


# models


@pytest.mark.needs("torch")
def test_altered_models(rng, tmp_path):
    from shearer.neural import RobustRegressor

    x = rng.normal(size=(40, 1))
    model = RobustRegressor(max_epochs=2).fit(x, x[:, 0])
    path = tmp_path / "model"
    model.save(path)
    arrays = read_arrays("path", path, "x")
    settings = json.loads(str(arrays.pop("settings")))

    def rewrite(settings, arrays):
        np.savez(file := path.open("wb"), settings=np.array(json.dumps(settings)), **arrays)
        file.close()

    rewrite(settings, arrays)  # as before there was a hash
    assert np.array_equal(RobustRegressor.load(path).predict(x), model.predict(x))
    others = [({k: v for k, v in settings.items() if k != name}, arrays) for name in settings]
    wrong = {"hidden": (-1, "x", 10**12, 3, [1]), "inputs": (-1, "x", 10**12), "outputs": ("x", 9), "params": (3, [])}
    wrong |= {"kernel": (3, {"kernel": "os"}, {"each": 3}), "history": (3,), "format": (3,), "version": ("1",)}
    wrong |= {"params": ({"dtype": "nn"}, {"dtype": "load"}, {"nothing": 1}, {}), "estimator": (3, None, "os")}
    others += [(settings | {name: value}, arrays) for name, values in wrong.items() for value in values]
    others += [(settings, {key: array for key, array in arrays.items() if key != name}) for name in arrays]
    for other, own in others:
        rewrite(other, own)
        option = "module" if other.get("hidden", 0) is None else "path"
        assert refused(option, RobustRegressor.load, path), (other, list(own))
    with pytest.raises(FileNotFoundError):
        RobustRegressor.load(tmp_path / "none")
