"""A scan that was killed goes on, and ends with the same result."""

import json
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import shearer as sh
from shearer.scanning.store import FolderStore

SCRIPT = """
import sys, json
import shearer as sh
table = sh.datasets.planted_table(60, rng=3).columns
found = sh.scan(table, shards=sys.argv[1], resume=True, top=3)
del found.document["settings"]["date"], found.document["settings"]["seconds"]
print(json.dumps(found.document, sort_keys=True))
"""


def run(folder):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)], stdout=subprocess.PIPE, text=True)


def plain(document):
    settings = {key: value for key, value in document["settings"].items() if key not in ("date", "seconds")}
    return document | {"settings": settings}


def test_killed_while_parts_are_written(tmp_path):
    """kill -9 whenever a further part is there, each time gone on with; experiments/resume.py kills at any moment."""
    expected = run(tmp_path / "whole").communicate(timeout=250)[0]
    folder, kills = tmp_path / "parts", 0
    for _ in range(2):
        before = len(list(folder.glob("*")))
        with run(folder) as process:
            while process.poll() is None and len(list(folder.glob("*"))) <= before:
                time.sleep(0.005)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
    assert kills > 0
    assert run(folder).communicate(timeout=250)[0] == expected


def test_parts_are_not_computed_again(tmp_path, monkeypatch):
    table = sh.datasets.planted_table(60, rng=0).columns
    first = sh.scan(table, shards=tmp_path / "s", top=1).document

    def refuse(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr("shearer.scanning.screened_pairs.PairTests", refuse)
    monkeypatch.setattr("shearer.pairs.splits.SplitTests.of_pairs", refuse)
    again = sh.scan(table, shards=tmp_path / "s", resume=True, top=1).document
    assert plain(first) == plain(again)


def test_other_data_or_settings_are_refused(tmp_path, rng):
    x = rng.normal(size=(40, 3))
    sh.scan(x, shards=tmp_path / "s")
    for data, options in ((x + 1e-9, {}), (x, {"fdr": 0.1}), (x[:, ::-1], {}), (x, {"rng": 1})):
        with pytest.raises(ValueError, match="shards: expected a scan of the same data with the same settings"):
            sh.scan(data, shards=tmp_path / "s", resume=True, **options)


def test_folders_that_cannot_serve(tmp_path, rng):
    x = rng.normal(size=(40, 2))
    sh.scan(x, shards=tmp_path / "s")
    with pytest.raises(ValueError, match=r"shards: expected a new or empty folder, .* goes on with an interrupted"):
        sh.scan(x, shards=tmp_path / "s")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="shards: expected a folder that can be made"):
        sh.scan(x, shards=tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"shards: expected a folder with scan\.json"):
        sh.scan(x, shards=tmp_path / "other", resume=True)


def test_damaged_part_is_made_again(tmp_path, rng):
    x = rng.normal(size=(40, 3))
    first = sh.scan(x, shards=tmp_path / "s").document
    for part in (tmp_path / "s").glob("*.npz"):
        part.write_bytes(part.read_bytes()[:-40])
    assert plain(sh.scan(x, shards=tmp_path / "s", resume=True).document) == plain(first)


def test_full_disk_leaves_earlier_parts_whole(tmp_path):
    store = FolderStore(tmp_path / "s", "f0", resume=False)
    store.get("small", lambda: {"x": np.arange(3)})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        with pytest.raises(OSError, match=r"shards: cannot write large.npz: .*--resume goes on"):
            store.get("large", lambda: {"x": np.arange(10_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    again = FolderStore(tmp_path / "s", "f0", resume=True)
    assert again.get("small", dict)["x"].tolist() == [0, 1, 2]
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == ["scan.json", "small.npz"]
    assert json.loads((tmp_path / "s" / "scan.json").read_text())["version"] == 1
