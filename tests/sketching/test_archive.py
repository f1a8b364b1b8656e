"""Sketches in files: what comes back is what went in, and nothing that was cut or altered comes back."""

import json
import zipfile

import numpy as np
import pytest

import shearer as sh
from shearer._files.archive import digest_of
from shearer.sketching import PairSketch


@pytest.fixture
def data(rng):
    x = rng.normal(size=800)
    return {"x": x, "y": x + rng.normal(size=800), "label": rng.choice(["ä", "b"], size=800), "flag": x > 0.5}


@pytest.fixture(params=["sketch", "pairs"])
def make(request, data):
    """An empty sketch of either kind, with a way to compare two."""
    if request.param == "sketch":
        start = sh.Sketch.like(data, measures=("total_correlation", "dual_total_correlation"), kernel=None)
        return start, lambda s: [s.total_correlation().value, s.dual_total_correlation().value, s.widest]
    return PairSketch.like(data), lambda s: s.values()[np.triu_indices(4, 1)].tolist()


def part(data, rows):
    return {name: column[rows] for name, column in data.items()}


def test_saved_loaded_merged_equals_made_at_once(make, data, tmp_path):
    start, numbers = make
    whole = start.empty()
    whole.update(data)
    paths = [tmp_path / f"{place}.npz" for place in range(3)]
    for place, rows in enumerate(np.array_split(np.arange(800), 3)):
        own = start.empty()
        own.update(part(data, rows))
        own.save(paths[place])
    total = type(start).load(paths[2])
    for path in paths[:2]:
        total.merge(type(start).load(path))
    assert total.rows == 800
    assert numbers(total) == pytest.approx(numbers(whole), abs=1e-11)
    total.merge(start)  # of another life, still a twin
    assert total.fingerprint == start.fingerprint


def test_loading_gives_back_every_bit(make, data, tmp_path):
    start, numbers = make
    start.update(data)
    start.save(tmp_path / "a.npz")
    again = type(start).load(tmp_path / "a.npz")
    assert numbers(again) == numbers(start)
    again.save(tmp_path / "b.npz")
    assert digest_of(dict(np.load(tmp_path / "a.npz"))) == digest_of(dict(np.load(tmp_path / "b.npz")))
    start.update(part(data, slice(0, 50)))
    again.update(part(data, slice(0, 50)))
    assert numbers(again) == numbers(start)


def test_the_second_pass_can_be_saved(data, tmp_path):
    first = PairSketch.like(data)
    first.update(data)
    second = first.second_pass()
    second.update(part(data, slice(0, 300)))
    second.save(tmp_path / "second.npz")
    again = PairSketch.load(tmp_path / "second.npz")
    rest = again.empty()
    rest.update(part(data, slice(300, 800)))
    again.merge(rest)
    whole = first.second_pass()
    whole.update(data)
    assert np.allclose(again.pvalues(), whole.pvalues(), rtol=1e-9)
    with pytest.raises(ValueError, match="in the same pass"):
        again.merge(first)


def test_candidates_survive(data, tmp_path):
    sketch = sh.Sketch.like(part(data, slice(0, 60)), measures=("total_correlation",), tol=0.1)
    sketch.update(data)
    sketch.save(tmp_path / "a.npz")
    here, there = (s.second_pass(1e-4) for s in (sketch, sh.Sketch.load(tmp_path / "a.npz")))
    assert here.landmarks == there.landmarks > sketch.landmarks
    for one in (here, there):
        one.update(data)
    assert here.total_correlation().value == pytest.approx(there.total_correlation().value, abs=1e-12)


@pytest.mark.parametrize("keep", [0, 10, 0.3, 0.9, -1])
def test_a_truncated_file_is_refused(make, data, tmp_path, keep):
    start, _ = make
    start.update(data)
    start.save(tmp_path / "a.npz")
    raw = (tmp_path / "a.npz").read_bytes()
    size = int(keep * len(raw)) if isinstance(keep, float) else len(raw) + keep if keep < 0 else keep
    (tmp_path / "a.npz").write_bytes(raw[:size])
    with pytest.raises(ValueError, match="path: expected"):
        type(start).load(tmp_path / "a.npz")


def test_altered_contents_are_refused(make, data, tmp_path):
    start, _ = make
    start.update(data)
    start.save(tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    for name in arrays:
        if not arrays[name].size:
            continue
        other = {key: array.copy() for key, array in arrays.items()}
        flat = other[name].reshape(-1).view(np.uint8)
        flat[len(flat) // 2] ^= 1
        np.savez(tmp_path / "b.npz", **other)
        with pytest.raises(ValueError, match="path: expected"):
            type(start).load(tmp_path / "b.npz")


def test_every_flipped_byte_of_a_small_file_is_noticed_or_harmless(tmp_path, rng):
    """Bytes of the container itself (times of entries, padding) may change; the sketch never does."""
    sketch = sh.Sketch.like(rng.choice(["u", "v"], size=40), measures=("entropy",))
    sketch.update(rng.choice(["u", "v"], size=40))
    sketch.save(tmp_path / "a.npz")
    raw = (tmp_path / "a.npz").read_bytes()
    for place in range(0, len(raw), 37):
        broken = bytearray(raw)
        broken[place] ^= 0x10
        (tmp_path / "b.npz").write_bytes(broken)
        try:
            again = sh.Sketch.load(tmp_path / "b.npz")
        except ValueError as error:
            assert str(error).startswith("path: expected")  # noqa: PT017 - either outcome is right
        else:
            assert again.entropy().value == sketch.entropy().value


def test_other_files_are_refused(make, tmp_path):
    start, _ = make
    kind = type(start)
    with pytest.raises(ValueError, match="which is not there"):
        kind.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="path: expected a file written by save"):
        kind.load(tmp_path / "text.npz")
    np.savez(tmp_path / "plain.npz", a=np.arange(3))
    with pytest.raises(ValueError, match="path: expected a file written by save"):
        kind.load(tmp_path / "plain.npz")
    with zipfile.ZipFile(tmp_path / "pickle.npz", "w") as archive:
        archive.writestr("sha256.npy", b"\x80\x04cos\nsystem\n.")
    with pytest.raises(ValueError, match="path: expected a file written by save"):
        kind.load(tmp_path / "pickle.npz")
    arrays = {"header": np.frombuffer(json.dumps({"format": "x", "version": 9}).encode(), dtype=np.uint8)}
    arrays["sha256"] = np.frombuffer(digest_of(arrays), dtype=np.uint8)
    np.savez(tmp_path / "other.npz", **arrays)
    with pytest.raises(ValueError, match=r"path: expected a shearer .*sketch( 5)?, version 1"):
        kind.load(tmp_path / "other.npz")


def test_kinds_of_sketch_are_not_mixed_up(data, tmp_path):
    sh.Sketch.like(data, measures=("entropy",)).save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="expected a shearer pair sketch"):
        PairSketch.load(tmp_path / "a.npz")
