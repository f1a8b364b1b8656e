"""Results in a folder: the same numbers, and every damage noticed."""

import json

import numpy as np
import pytest

from screening.tables import mixed
from shearer._memory import MemoryBudgetError
from shearer.screening import Shards, all_pairs, open_shards, pairwise, shards
from shearer.screening.entropies import low_rank


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Nine variables in blocks of four rows."""
    monkeypatch.setattr(shards, "_MOST_ROWS", 4)
    path = tmp_path / "pairs"
    pairwise(mixed(), shards=path)
    return path


def assembled(opened, array="value"):
    return np.concatenate([block for _, block in opened.blocks(array)])


@pytest.mark.parametrize("options", [{}, {"alpha": 1}, {"dtype": "float32", "normalize": "joint"}])
def test_round_trip(tmp_path, monkeypatch, options):
    monkeypatch.setattr(shards, "_MOST_ROWS", 4)
    m = pairwise(mixed(), **options)
    written = pairwise(mixed(), shards=tmp_path / "pairs", **options)
    opened = open_shards(tmp_path / "pairs")
    for result in (written, opened):
        assert isinstance(result, Shards)
        assert result.names == m.names
        assert (result.alpha, result.normalize, result.rows, result.route) == (m.alpha, m.normalize, m.rows, m.route)
        for array in ("value", "joint"):
            whole = assembled(result, array)
            assert whole.dtype == getattr(m, array).dtype
            assert np.allclose(whole, getattr(m, array), atol=1e-5 if "dtype" in options else 1e-12)
            assert np.array_equal(whole, whole.T)
        assert np.allclose(result.entropy, m.entropy)
    assert [(rows.start, rows.stop) for rows, _ in opened.blocks()] == [(0, 4), (4, 8), (8, 9)]
    for position, name in enumerate(m.names):
        assert np.array_equal(opened.row(name), assembled(opened)[position])
    assert repr(opened).startswith("Shards(9 variables, ")


@pytest.mark.parametrize("alpha", [1, 2])
def test_round_trip_with_gaps(tmp_path, monkeypatch, rng, alpha):
    monkeypatch.setattr(shards, "_MOST_ROWS", 3)
    x = rng.normal(size=(20, 7))
    x[rng.random(x.shape) < 0.1] = np.nan
    m = pairwise(x, missing="pairwise", alpha=alpha)
    opened = pairwise(x, missing="pairwise", alpha=alpha, shards=tmp_path / "pairs")
    assert opened.rows is None
    assert opened.arrays == ("joint", "value", "rows")
    assert np.allclose(assembled(opened), m.value, atol=1e-12)
    assert np.array_equal(assembled(opened, "rows"), m.rows)


def test_round_trip_of_factors(tmp_path, monkeypatch):
    monkeypatch.setattr(all_pairs, "_TALL", 100)
    monkeypatch.setattr(low_rank, "_ENTRY", 10**6)
    monkeypatch.setattr(low_rank.LowRank, "_most_rank", 200)
    monkeypatch.setattr(shards, "_MOST_ROWS", 2)
    table = {name: column for name, column in mixed(300).items() if name not in ("offset", "many")}
    opened = pairwise(table, shards=tmp_path / "pairs")
    m = pairwise(table)
    assert opened.route == m.route == "low rank"
    assert opened.error == pytest.approx(m.error)
    assert np.allclose(assembled(opened), m.value, atol=1e-12)


def test_infinite_alpha(tmp_path):
    pairwise([1.0, 2.0, 4.0], [1.0, 3.0, 3.0], alpha=np.inf, shards=tmp_path / "pairs")
    json.loads((tmp_path / "pairs" / "manifest.json").read_text(), parse_constant=pytest.fail)
    assert open_shards(tmp_path / "pairs").alpha == np.inf


def test_one_block_of_many_columns(tmp_path, rng):
    x = rng.normal(size=(20, 150))
    assert np.allclose(assembled(pairwise(x, shards=tmp_path)), pairwise(x).value, atol=1e-12)


def test_nothing_temporary_is_left(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*(entry["file"] for entry in manifest["files"]), "manifest.json"]
    )
    assert manifest["version"] == 1
    assert manifest["shape"] == [9, 9]


def test_removed_file(folder):
    (folder / "value-00001.npy").unlink()
    for check in (True, False):
        with pytest.raises(ValueError, match=r"expected value-00001\.npy of \d+ bytes, got no such file"):
            open_shards(folder, check=check)


def test_truncated_file(folder):
    path = folder / "joint-00002.npy"
    path.write_bytes(path.read_bytes()[:-8])
    for check in (True, False):
        with pytest.raises(ValueError, match=r"expected joint-00002\.npy of \d+ bytes, got \d+ bytes"):
            open_shards(folder, check=check)


@pytest.mark.parametrize("name", ["value-00000.npy", "entropy.npy"])
def test_altered_file(folder, name):
    contents = bytearray((folder / name).read_bytes())
    contents[-1] ^= 1
    (folder / name).write_bytes(contents)
    with pytest.raises(ValueError, match="as it was written, got other contents"):
        open_shards(folder)
    assert open_shards(folder, check=False).names


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 99}', "not json", "null"])
def test_broken_manifest(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match="shards: expected a manifest"):
        open_shards(folder)


def test_missing_manifest(folder, tmp_path):
    (folder / "manifest.json").unlink()
    with pytest.raises(ValueError, match="a run was interrupted"):
        open_shards(folder)
    with pytest.raises(ValueError, match=r"a folder with manifest\.json"):
        open_shards(tmp_path / "nowhere")


def test_occupied_folder(folder, tmp_path):
    with pytest.raises(ValueError, match="a new or empty folder"):
        pairwise(mixed(), shards=folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="a folder that can be made"):
        pairwise(mixed(), shards=tmp_path / "file")


def test_interrupted_run_leaves_no_manifest(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "_MOST_ROWS", 4)
    write = shards._write_block

    def stop_at_second(path, array, number, rows, block):
        if number == 1:
            raise KeyboardInterrupt
        return write(path, array, number, rows, block)

    monkeypatch.setattr(shards, "_write_block", stop_at_second)
    with pytest.raises(KeyboardInterrupt):
        pairwise(mixed(), shards=tmp_path)
    assert (tmp_path / "value-00000.npy").exists()
    with pytest.raises(ValueError, match="a run was interrupted"):
        open_shards(tmp_path)


def test_unknown_names(folder):
    opened = open_shards(folder)
    with pytest.raises(ValueError, match="name: expected names among"):
        opened.row("z")
    with pytest.raises(ValueError, match="array: expected one of"):
        opened.row("x", array="rows")


def test_fits_where_the_matrix_does_not(tmp_path, rng):
    x = rng.normal(size=(20, 1500))
    with pytest.raises(MemoryBudgetError, match="shards=folder"):
        pairwise(x, memory="25MB")
    opened = pairwise(x, memory="25MB", shards=tmp_path / "pairs")
    assert len(list(opened.blocks())) > 1
    assert np.allclose(assembled(opened), pairwise(x).value, atol=1e-12)
