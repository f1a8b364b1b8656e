"""Long runs go on after what earlier ones have written."""

import json

import numpy as np

from experiments.reliability import altered_files, fuzz, gone_on, soak


def test_counts_add_up_and_the_worst_stays():
    one = {"seed": 1, "cases": 2, "ends": {"answer": 2}, "slowest": 0.5, "escaped": False, "findings": [1]}
    other = {
        "seed": 1,
        "cases": 3,
        "ends": {"answer": 1, "refused": 2},
        "slowest": 0.1,
        "escaped": True,
        "findings": [],
    }
    assert gone_on.joined(one, other, ("slowest",)) == {
        "seed": 1,
        "cases": 5,
        "ends": {"answer": 3, "refused": 2},
        "slowest": 0.5,
        "escaped": True,
        "findings": [1],
    }
    assert gone_on.joined({}, other) == other


def test_other_seeds_begin_anew(tmp_path):
    path = tmp_path / "found.json"
    assert gone_on.known_of(path, 1) == {}
    gone_on.write(path, {"seed": 1, "cases": 7})
    assert gone_on.known_of(path, 1)["cases"] == 7
    assert gone_on.known_of(path, 2) == {}
    assert json.loads(path.read_text())["seed"] == 1


def test_a_run_goes_on_after_the_cases_that_are_known(tmp_path, monkeypatch):
    """The cases of two runs are those of one."""
    for module, name in ((fuzz, "reliability_fuzz.json"), (altered_files, "reliability_files.json")):
        asked = []

        def run(cases, minutes, seed, asked=asked):
            asked.extend(cases)
            return {"seed": seed, "cases": len(cases), "ends": {}, "findings": [], "escaped": False}

        monkeypatch.setattr(module, "run", run)
        monkeypatch.setattr(module, "FOLDER", tmp_path)
        monkeypatch.setattr(module, "BATCH", 4)
        for cases in ("6", "9"):
            monkeypatch.setattr("sys.argv", ["run", "--cases", cases])
            assert module.main() == 0
        assert asked == list(range(9))
        assert json.loads((tmp_path / name).read_text())["cases"] == 9


def test_minutes_of_several_processes_add_up():
    sizes = np.full(5, 10**8).tolist()
    first = soak._with({}, 120.0, sizes, [], [])
    both = soak._with(first, 60.0, [*sizes, 10**8 + 5], ["scan"], [])
    assert (both["minutes"], both["processes"], both["rounds"], both["wrong"]) == (3.0, 2, 11, ["scan"])
    assert both["grown"] == 5
    assert both["resident"][-1] == 10**8 + 5
