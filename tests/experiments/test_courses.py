"""Trainings survive a kill, and records of several processes one another."""

import json
import multiprocessing

import pytest
import torch
from torch import nn

from experiments import courses, records

RATES = [0.1, 0.1, 0.05, 0.05, 0.025]


def make_course(path):
    """A network with dropout, so that global randomness matters, momentum, and a schedule."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    return courses.Course(model, optimizer, scheduler, path), model, optimizer


def train(path, epochs=5, killed_in=None):
    course, model, optimizer = make_course(path)
    x = torch.randn(40, 3, generator=courses.generator(9))

    def epoch(number):
        rate = optimizer.param_groups[0]["lr"]
        for rows in courses.batches(torch.arange(40), 16, 1, number):
            optimizer.zero_grad()
            loss = (model(x[rows])[:, 0] - x[rows].sum(dim=1)).square().mean()
            loss.backward()
            optimizer.step()
            if number == killed_in:
                raise KeyboardInterrupt
        return {"loss": loss.item(), "rate": rate}

    return course.go(epochs, epoch), course


@pytest.mark.parametrize("killed_in", [1, 2, 5])
def test_a_training_that_was_killed_ends_as_one_that_was_not(tmp_path, monkeypatch, killed_in):
    monkeypatch.setattr(courses, "BETWEEN", 0.0)
    expected, _ = train(None)
    assert [row["rate"] for row in expected] == pytest.approx(RATES)
    path = tmp_path / "deep" / "course.pt"
    with pytest.raises(KeyboardInterrupt):
        train(path, killed_in=killed_in)
    assert path.exists() == (killed_in > 1)
    found, course = train(path)
    assert found == expected
    assert course.seconds > 0
    assert not path.with_suffix(".tmp").exists()


def test_no_checkpoint_before_its_time(tmp_path):
    train(tmp_path / "course.pt")
    assert list(tmp_path.iterdir()) == []


def test_checkpoint_of_a_case_is_removed_when_it_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr(courses, "FOLDER", tmp_path)

    def case(path):
        path.parent.mkdir(parents=True)
        path.write_text("")
        return {"path": path.relative_to(tmp_path).as_posix()}

    found = courses.kept("study", "I*(x;e), 1.01, seed 3", True, case)
    assert found["path"] == "study_full/I__x_e___1.01__seed_3.pt"
    assert not (tmp_path / found["path"]).exists()


def test_batches_depend_on_the_seeds_alone():
    rows = torch.arange(100, 123)
    torch.manual_seed(1)
    first = list(courses.batches(rows, 5, 1, 2))
    torch.manual_seed(2)
    assert all(torch.equal(a, b) for a, b in zip(first, courses.batches(rows, 5, 1, 2), strict=True))
    assert [len(part) for part in first] == [5] * 4
    assert len(set(torch.cat(first).tolist())) == 20
    assert set(torch.cat(first).tolist()) <= set(rows.tolist())
    others = [torch.cat(list(courses.batches(rows, 5, *seed))).tolist() for seed in ((1, 3), (2, 2), (2, 1), (1,))]
    assert all(torch.cat(first).tolist() != other for other in others)


def test_best_is_the_first_of_equals():
    history = [{"epoch": k, "error": error} for k, error in enumerate([3.0, 1.0, 1.0, 2.0, 3.0])]
    assert courses.best(history, "error")["epoch"] == 1
    assert courses.best(history, "error", -1)["epoch"] == 0


def add_some(path, start):
    for k in range(start, start + 10):
        records.add(path, f"case {k}", {"value": k})


def test_two_processes_add_to_one_file(tmp_path):
    path = tmp_path / "results" / "study.json"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=records.add, args=(path, f"case {k}", {"value": k})) for k in (100, 101)]
    for process in processes:
        process.start()
    add_some(path, 0)
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    known = json.loads(path.read_text())
    assert {entry["value"] for entry in known.values()} == {*range(10), 100, 101}


def test_cases_that_are_known_are_not_studied_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    studied = []

    def study(case, full):
        studied.append((case, full))
        return {"case": case}

    for arguments in ([], ["--only", "a", "c"], ["--full"]):
        monkeypatch.setattr("sys.argv", ["study", *arguments])
        assert records.run_figure("study", "", lambda full: ["a", "b"], study) == 0
    assert studied == [("a", False), ("b", False), ("c", False), ("a", True), ("b", True)]
    assert list(json.loads((tmp_path / "study.json").read_text())) == ["a", "b", "c"]
    assert list(json.loads((tmp_path / "study_full.json").read_text())) == ["a", "b"]
    assert "a {'case': 'a'}" in capsys.readouterr().err
