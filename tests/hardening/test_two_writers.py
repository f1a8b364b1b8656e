"""Several processes, or calls, that write to one folder at once: one goes on, or all end right; no parts are mixed."""

import subprocess
import sys

import numpy as np
import pytest

import shearer as sh
from shearer._files import writing
from shearer.scanning import store as scan_store
from shearer.scanning.store import FolderStore
from shearer.screening import shards

SCAN = """
import sys, time
import numpy as np, shearer as sh
print("ready", flush=True); sys.stdin.readline()
x = np.random.default_rng(int(sys.argv[2])).normal(size=(60, 5))
try:
    found = sh.scan(x, shards=sys.argv[1], top=2)
    print(repr(found.document["pairs"]))
except ValueError as error:
    print("refused:", error)
"""


def together(folder, seeds):
    """Processes that begin at the same moment; what each prints."""
    command = [sys.executable, "-c", SCAN, str(folder)]
    processes = [
        subprocess.Popen([*command, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for seed in seeds
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate(timeout=200)[0].strip() for process in processes]


def test_one_of_several_that_begin_at_once_goes_on(tmp_path):
    expected = [repr(sh.scan(scanned(seed), top=2).document["pairs"]) for seed in (0, 1)]
    found = together(tmp_path / "s", (0, 1))
    refused = [text for text in found if text.startswith("refused: shards: expected a")]
    answers = [text for text in found if text in expected]
    assert len(answers) + len(refused) == 2
    assert len(answers) >= 1


def scanned(seed):
    return np.random.default_rng(seed).normal(size=(60, 5))


def test_who_comes_second_is_told(tmp_path, monkeypatch):
    """The folder was empty when it was looked at, and is not when it is claimed."""
    looked = writing.open_folder

    def late(option, folder):
        found = looked(option, folder)
        (found[0] / scan_store.MANIFEST).write_text('{"version": 1, "fingerprint": "0a"}')
        return found

    monkeypatch.setattr(scan_store, "open_folder", late)
    with pytest.raises(ValueError, match=r"shards: expected a folder of its own, got .* another run has just begun"):
        FolderStore(tmp_path / "a", "0b", resume=False)
    with pytest.raises(ValueError, match="shards: expected a scan of the same data"):
        FolderStore(tmp_path / "b", "0b", resume=True)
    FolderStore(tmp_path / "c", "0a", resume=True)


def test_who_comes_second_is_told_by_pairwise(tmp_path, monkeypatch):
    looked = writing.open_folder

    def late(option, folder):
        found = looked(option, folder)
        (found[0] / "unfinished").write_text("")
        return found

    monkeypatch.setattr(shards, "open_folder", late)
    with pytest.raises(ValueError, match=r"shards: expected a folder of its own, got .* another run has just begun"):
        sh.pairwise(scanned(0), shards=tmp_path / "a")


def test_parts_of_another_scan_are_made_again(tmp_path):
    """Whatever is in a folder, a part that another scan wrote is never taken for one's own."""
    FolderStore(tmp_path, "0a", resume=False).get("part", lambda: {"x": np.array([1])})
    (tmp_path / scan_store.MANIFEST).write_text('{"version": 1, "fingerprint": "0b"}')
    mine = FolderStore(tmp_path, "0b", resume=True)
    assert mine.get("part", lambda: {"x": np.array([2])})["x"].tolist() == [2]
    assert FolderStore(tmp_path, "0b", resume=True).get("part", dict).keys() == {"x"}


def test_a_claim_where_there_are_no_links(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError("no links")

    monkeypatch.setattr(writing.os, "link", refuse)
    assert [writing.claim_file(tmp_path / "mine", b"1") for _ in range(2)] == [True, False]
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
