"""How figures of benchmarks went from commit to commit."""

import json
import shutil
import subprocess

import pytest

from scripts import speeds
from scripts.speeds import Figure, changes


def figure(ours, reference=1.0):
    return Figure("abc", "2024-01-01", ours, reference, reference / ours if ours else 0.0, "s")


def test_changes_are_told_by_the_ratio_to_the_reference():
    assert changes([figure(1.0), figure(1.4), figure(3.0)], 1.5) == ["abc -> abc: 2.1 times slower"]
    assert changes([figure(1.0), figure(2.0, 2.0)], 1.5) == []  # a slower machine
    assert changes([figure(4.0), figure(1.0)], 1.5) == ["abc -> abc: 4.0 times faster"]
    assert changes([figure(0.0), figure(1.0)], 1.5) == []


@pytest.fixture
def repository(tmp_path, monkeypatch):
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    monkeypatch.setattr(speeds, "ROOT", tmp_path)
    results = tmp_path / speeds.RESULTS
    results.mkdir(parents=True)

    def commit(**cases):
        listed = [{"name": name, "ours": ours, "reference": 2.0, "ratio": 2 / ours} for name, ours in cases.items()]
        (results / "pairs.json").write_text(json.dumps({"cases": listed}))
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
        subprocess.run(["git", *who, "commit", "-qm", "figures", "--allow-empty"], cwd=tmp_path, check=True)

    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    return commit


def test_figures_of_all_commits(repository, capsys):
    repository(test=1.0)
    repository(test=1.0, other=5.0)
    repository(test=0.25, other=5.0)
    found = speeds.history("pairs", None)
    assert [own.ours for own in found["test"]] == [1.0, 0.25]
    assert [own.ours for own in found["other"]] == [5.0]
    assert speeds.main(["pairs"]) == 0
    assert "4.0 times faster" in capsys.readouterr().out
    assert speeds.main(["--json", "--since", "HEAD~1"]) == 0
    assert [own["ours"] for own in json.loads(capsys.readouterr().out)["pairs"]["test"]] == [0.25]


@pytest.mark.parametrize("arguments", [["nothing"], ["--changed", "1"]])
def test_what_cannot_be_asked(arguments, repository, capsys):
    repository(test=1.0)
    with pytest.raises(SystemExit):
        speeds.main(arguments)
    assert "expected" in capsys.readouterr().err
