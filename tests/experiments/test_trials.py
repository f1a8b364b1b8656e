"""Studies whose trials are added to those that are there."""

import json
import sys

import pytest

from experiments import conditional, records


@pytest.fixture
def grow(tmp_path, monkeypatch):
    """Run the study of two cases up to a number of trials -> what the file holds."""
    cases = ("a label | shearer | 100", "two labels, x a label | shearer | 100")
    seen = []

    def study(case, trials):
        seen.extend((case, trial) for trial in trials)
        return conditional.study(case, trials)

    def run(trials, *options):
        monkeypatch.setattr(sys, "argv", ["study", "--step", "4", *options])
        wanted = dict.fromkeys(cases, trials)
        assert records.run_trials("known", "", wanted, study, conditional.joined) == 0
        path = tmp_path / "known.json"
        return json.loads(path.read_text()) if path.exists() else None

    monkeypatch.setattr(records, "FOLDER", tmp_path)
    return run, seen, cases


def without_time(entry):
    return {name: value for name, value in entry.items() if name != "seconds"}


def test_trials_follow_on(grow):
    run, seen, cases = grow
    run(3)
    found = run(10)
    assert sorted(seen) == sorted((case, trial) for case in cases for trial in range(10))
    for case in cases:
        assert without_time(found[case]) == pytest.approx(without_time(conditional.study(case, range(10))))
    assert [entry["trials"] for entry in found.values()] == [10, 10]
    before = len(seen)
    assert run(10) == found  # nothing is missing
    assert run(5) == found
    assert len(seen) == before


def test_cases_grow_together(grow):
    run, seen, cases = grow
    run(8)
    assert [case for case, _ in seen] == [case for case in cases * 2 for _ in range(4)]


def test_quick_writes_nothing(grow):
    run, seen, _ = grow
    assert run(8, "--quick") is None
    assert len(seen) == 10


def test_what_is_committed_has_the_counts_of_whole_trials():
    known = json.loads((records.FOLDER / "conditional.json").read_text())
    for entry in known.values():
        for field in ("rejected", "warned", "refused"):
            count = entry[field] * entry["trials"]
            assert count == pytest.approx(round(count), abs=1e-6)
