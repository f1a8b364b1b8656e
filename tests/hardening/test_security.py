"""Files and names that want to be more than data."""

import io
import json
import zipfile

import numpy as np
import pytest

import shearer as sh
from shearer._files.archive import DamagedFileError, read_arrays, write_arrays
from shearer.report.exports import csv_text
from shearer.screening import open_shards

TROJAN = ["a\u202eb", "a\u2066b\u2069", "a\x1b[2Jb", "a\x9bb", "a\x00b", "a\x7fb", "a\rb"]
RAW = [name[1] for name in TROJAN]


@pytest.mark.parametrize("member", ["../../escaped.npy", "/escaped.npy", "a/../../escaped.npy"])
def test_members_of_archives_lead_nowhere(tmp_path, member):
    """They are read into memory under their names, and refused: they are not those that were hashed."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    out = io.BytesIO()
    write_arrays({"x": np.arange(3)})(out)
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(inner / "t.npz", "w") as new:
        for name in old.namelist():
            new.writestr(member if name == "x.npy" else name, old.read(name))
    with pytest.raises(DamagedFileError, match="expected"):
        read_arrays("path", inner / "t.npz", "an archive")
    assert [path.name for path in tmp_path.rglob("*escaped*")] == []


@pytest.mark.parametrize("file", ["../outside.npy", "/etc/hostname", "a/b.npy", "..", ""])
def test_a_manifest_leads_nowhere(tmp_path, rng, file):
    np.save(tmp_path / "outside.npy", np.zeros((3, 3)))
    sh.pairwise(rng.normal(size=(20, 3)), shards=tmp_path / "s")
    path = tmp_path / "s" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"][0]["file"] = file
    path.write_text(json.dumps(manifest))
    for check in (True, False):
        with pytest.raises(ValueError, match="shards: expected"):
            open_shards(tmp_path / "s", check=check)


@pytest.mark.parametrize("name", [TROJAN[0], "".join(TROJAN)])
def test_names_are_shown_and_not_obeyed(tmp_path, rng, name):
    """Terminal, page, csv and GraphML hold no character that turns the order of letters, or that a terminal obeys."""
    x = rng.normal(size=60)
    found = sh.scan({name: x, "y": x + 0.1 * rng.normal(size=60), "label": [name if v > 0 else "b" for v in x]})
    found.to_graphml(tmp_path / "a.graphml")
    found.to_csv(tmp_path / "a.csv")
    written = [(tmp_path / file).read_bytes().decode() for file in ("a.graphml", "a.csv")]
    for text in (str(found), found.to_html(), *written):
        assert not any(mark in text for mark in RAW)


def test_cells_keep_letters_of_every_script():
    names = ["体重", "é", "שלום", "tab\there", "zero\u200dwidth"]
    assert csv_text(["name"], [[name] for name in names]).splitlines()[1:] == names


@pytest.mark.parametrize("mark", RAW)
def test_cells_hold_codes_of_what_is_obeyed(mark):
    assert mark not in csv_text(["name"], [[f"a{mark}b"]])
