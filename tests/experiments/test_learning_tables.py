"""Tables and verdicts of the trainings say what the records say, and say so where there are none."""

import json
import shutil
from pathlib import Path

import claims_learning
import pytest
import tables_first
import tables_learning

PUBLISHED = Path(__file__).parents[2] / "experiments" / "published_learning.csv"


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of results that is empty but for what a test writes."""
    shutil.copy(PUBLISHED, tmp_path)
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(tables_learning, "EXPERIMENTS", tmp_path)

    def write(name, records):
        named = {f"{k}": record for k, record in enumerate(records)} if isinstance(records, list) else records
        (tmp_path / "results" / f"{name}.json").write_text(json.dumps(named))

    return write


@pytest.mark.parametrize("name", [*tables_learning.TABLES, *tables_first.TABLES, *claims_learning.TABLES])
def test_what_was_not_run_is_called_so(results, name):
    make = (tables_learning.TABLES | tables_first.TABLES | claims_learning.TABLES)[name]
    _, header, rows = make()
    assert all(len(row) == len(header) for row in rows)
    assert any(cell.startswith(("not run", "not testable here", "open")) for row in rows for cell in row)


def mnist_record(method, seed, error):
    common = {"epochs": 40, "train": 50000, "best_on_test": error - 0.1, "information": 2.0}
    return {"method": method, "seed": seed, "test_error": error, "test_errors": [9.0, 9.0, error, error], **common}


def test_bottleneck_table_and_verdicts(results):
    errors = {"baseline": [2.0, 2.1, 2.2], "DIB": [1.5, 1.5, 1.6], "VIB": [1.5, 1.6, 1.4], "dropout": [1.8]}
    results("bottleneck_mnist", [mnist_record(m, s, e) for m, each in errors.items() for s, e in enumerate(each)])
    title, _, rows = tables_learning.mnist()
    cells = {row[0]: row[1:] for row in rows}
    assert "40 epochs" in title
    assert cells["baseline"] == ["1.38", "2.10 ± 0.10 (3)", "2.00 ± 0.10 (3)", "2.00 ± 0.00 (3)"]
    assert cells["dropout"][1] == "1.80 (1 seed)"
    assert cells["label smoothing"][1] == "not run"
    verdicts = {text: (seen, judged) for text, seen, judged in claims_learning.mnist(1)}
    seen, judged = verdicts["MNIST: error of DIB below baseline"]
    assert seen == "+0.57 points ± 0.06"
    assert judged.startswith("chance: I(x; z) is not lowered")  # the published weight is not felt
    assert verdicts["MNIST: error of DIB below VIB"][1] == "not confirmed: within the spread"
    assert verdicts["MNIST: error of DIB below dropout"] == ("+0.30 points", "open: 1 seed")


def test_the_first_epochs_stand_beside_those_of_the_whole_trainings(results):
    results("bottleneck_mnist", [mnist_record("baseline", seed, 2.0 + 0.1 * seed) for seed in range(3)])
    firsts = [
        {
            "method": "|z|^2, beta 0.01",
            "seed": seed,
            "epochs": 4,
            "of_epochs": 16,
            "train": 50,
            "late": late,
            "information": 1.5,
        }
        for seed, late in enumerate((1.5, 1.7, 1.6))
    ]
    results("bottleneck_first", [*firsts, {**firsts[0], "method": "baseline", "late": 7.0}])
    title, _, rows = tables_first.first()
    assert "mean of epochs 3 to 4 of 16" in title
    cells = {row[0]: row[2:] for row in rows}
    assert cells["baseline"] == ["2.10 ± 0.10 (3)", "–", "1.50 (1 seed)"]
    assert cells[r"\|z\|^2, beta 0.01"] == ["1.60 ± 0.10 (3)", "−0.50 ± 0.10", "1.50 ± 0.00 (3)"]
    assert cells["VIB"][0] == "not run"
    verdicts = {text: judged for text, _, judged in claims_learning.mended(1)}
    assert verdicts["MNIST, first epochs (not in the paper): error of |z|^2, beta 0.01 below baseline"] == "confirmed"


def test_trainings_that_were_run_again_are_the_same():
    """The committed records of the first epochs beside those of the whole trainings, seed by seed."""
    part, whole = (tables_learning.found(name) for name in ("map_similarity", "vgg_dynamics"))
    assert len(part) == 3
    for case, again in part.items():
        first = whole[case]
        assert again["losses"] == first["losses"][: again["epochs"]]
        assert again["test_errors"] == first["test_errors"][: len(again["watched"])]
        for look, before in zip(again["maps"], first["maps"], strict=False):
            assert look["T*(2)"] == pytest.approx(before["median"]["T*(2)"], abs=1e-4)
            assert max(map(abs, look["CKA, shuffled"])) < 0.01
    again, first = (
        tables_learning.found(name)["baseline, seed 1"] for name in ("bottleneck_first", "bottleneck_mnist")
    )
    for key in ("losses", "test_errors"):
        assert again[key] == first[key][: again["epochs"]]


def test_clothes_in_the_first_epochs(results):
    whole = [{"loss": "CE", "seed": seed, "targets": [9.0, 70.0 + seed, 1.0]} for seed in (1, 2, 3)]
    results("fashion_shift", whole)
    part = {"loss": "I(x;e), median, 1.01", "epochs": 2, "of_epochs": 3, "train": 50}
    results("fashion_first", [{**part, "seed": seed, "late": 72.0 + seed} for seed in (1, 2)])
    _, _, rows = tables_first.fashion_first()
    cells = {row[0]: row[2:] for row in rows}
    assert cells["CE"] == ["72.00 ± 1.00 (3)", "–"]
    assert cells["I(x;e), median, 1.01"] == ["73.50 ± 0.71 (2)", "+2.00 ± 0.00"]


def test_similarity_of_maps(results):
    look = dict.fromkeys(("CKA", "adjusted T", "T*(2)"), [0.1] * 13)
    later = {**look, "CKA": [0.5] * 13, "adjusted T": [0.2] * 12 + [0.05]}
    for each in (look, later):
        each.update({f"{name}, shuffled": [0.0] * 13 for name in ("CKA", "adjusted T", "T*(2)")})
    studies = [{"epochs": 20, "of_epochs": 60, "maps": [look, later]} for _ in range(3)]
    results("map_similarity", studies)
    title, header, rows = tables_first.similarity()
    assert title.endswith("after 20 of 60 epochs, mean over 3 seeds")
    assert rows[0][:4] == ["1", "0.10", "0.50", "0.00"]
    assert len(header) == len(rows[0]) == 10
    assert [judged for _, _, judged in claims_learning.similarity()] == ["confirmed", "not confirmed"]


def bike_record(mse, own):
    names = ["MSE", *tables_learning.BIKE_LOSSES]
    return {"losses": {name: dict.fromkeys(("noisy", "clean"), mse if name == "MSE" else own) for name in names}}


def test_gains_and_the_levels_they_are_of(results):
    results("bike_noise", {"Gaussian 1, 56 features": bike_record([1.0, 2.0, 4.0], [0.9, 1.8, 3.7])})
    _, _, rows = tables_learning.bike("noisy")()
    row = next(row for row in rows if row[:2] == ["Gaussian", "1"])
    assert row[2:4] == ["2.333", "+9.2 ± 0.8 [−0.5]"]
    claims = {text: (seen, judged) for text, seen, judged in claims_learning.bike(1)}
    seen, judged = claims["heavy Gaussian noise: I*(x;e) better than MSE, order 2"]
    assert seen.endswith("levels 1")
    assert judged == "confirmed"
    assert claims["HSIC worse than MSE under heavy Gaussian noise"][1] == "not confirmed: the reverse"
    assert claims["HSIC worse than MSE under heavy Laplace noise"][1] == "not run"
    _, _, rows = claims_learning.TABLES["claims_bike"]()
    judged = {text: judged for text, _, judged in rows}
    assert judged[r"heavy Gaussian noise: I\*(x;e) better than MSE, order 2"].endswith("not as one of 22 claims")
