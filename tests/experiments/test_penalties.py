"""The studies of bottlenecks and of robust defaults, tiny: sound records, the same in every run; and what was found."""

import tables_neural
import torch

from experiments import bike_inputs, collapse, courses, robust_defaults
from shearer.neural.robust.objectives import DEFAULTS


def images(rows):
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(rows) % 10
    return torch.rand(rows, 12, generator=generator) + 0.1 * y[:, None], y


def test_every_penalty_is_trained(monkeypatch):
    monkeypatch.setattr(collapse, "TRAIN", 60)
    monkeypatch.setattr(collapse, "VALIDATION", 20)
    monkeypatch.setattr(collapse, "BATCH", 20)
    x, y = images(80)
    data = courses.Labelled(x, y, x[:30], y[:30])
    for method in collapse.METHODS:
        found = collapse.train(f"{method}, seed 1", data, (12, 16, 8), 2)
        assert found["method"] == method
        assert found["train"] == 60
        assert 0 <= found["test_error"] <= 100
        assert (found["size"] is None) == (method == "VIB")
    again = collapse.train(f"{method}, seed 1", data, (12, 16, 8), 2)
    assert {**again, "cpu_seconds": 0} == {**found, "cpu_seconds": 0}


def test_every_loss_is_judged():
    found = robust_defaults.regression("shifted inputs", "judging", 0, 1)
    assert list(found) == list(robust_defaults.REGRESSION)
    assert found == robust_defaults.regression("shifted inputs", "judging", 0, 1)
    assert found != robust_defaults.regression("shifted inputs", "development", 0, 1)
    for kind in robust_defaults.DIGITS:
        found = robust_defaults.labels(kind, "judging", 0, 1)
        assert list(found) == list(robust_defaults.LABELS)
        assert all(0 < error < 1 for error in found.values())
    assert len(robust_defaults.NOISES) == 8


def test_the_default_losses_are_the_nearest_to_the_best():
    names = {"error_entropy": "H(e), 1.01", "mae": "MAE"}
    of_labels = tables_neural.above_the_best(tables_neural.cases_of("", "labels, "))
    for classes, found in ((False, tables_neural.on_every_function()), (True, of_labels)):
        means = {loss: tables_neural.mean_part(parts.values()) for loss, parts in found.items()}
        assert min(means, key=means.__getitem__) == names[DEFAULTS[classes]]


def test_the_study_of_default_losses_has_its_seeds():
    committed = tables_neural.seeds_together(tables_neural.results("robust_defaults"))
    assert set(committed) == set(robust_defaults.FIRST_CASES)
    for losses in committed.values():
        assert {len(errors) for errors in losses.values()} == {robust_defaults.ALL_SEEDS}


def test_the_two_functions_that_were_to_decide():
    """On average over both the entropy of the errors is closer to the best, by the seeds that decided and by all."""
    every = tables_neural.results("robust_defaults")
    decided = {name: one for name, one in every.items() if not name.endswith(robust_defaults.MORE)}
    for found in map(tables_neural.seeds_together, (decided, every)):
        parts = tables_neural.above_the_best(
            {name: each for name, each in found.items() if name.endswith(("Ishigami", "Friedman 2"))}
        )
        means = {loss: tables_neural.mean_part(parts[loss].values()) for loss in ("H(e), 1.01", "I(x;e), raw, 1.01")}
        assert min(means, key=means.__getitem__) == "H(e), 1.01"


def test_what_the_page_says_of_losses():
    """docs/neural.rst, "Robust learning"."""
    parts = {name: tables_neural.above_the_best(tables_neural.cases_of(name)) for name in tables_neural.FUNCTIONS}
    means = {
        name: {loss: tables_neural.mean_part(of.values()) for loss, of in each.items()} for name, each in parts.items()
    }
    nearest = {name: min(each, key=each.__getitem__) for name, each in means.items()}
    entropy, information = "H(e), 1.01", "I(x;e), raw, 1.01"
    assert nearest == {
        "development": entropy, "judging": information, "Ishigami": entropy, "Friedman 2": "HSIC",
    }  # fmt: skip
    best = {
        case: {loss for loss, of in each.items() if of[case] == 0} for each in parts.values() for case in each["MSE"]
    }
    assert len(best) == 32
    assert sum(any(loss.startswith("Huber") for loss in losses) for losses in best.values()) == 2
    assert all(best[f"shifted inputs, {name}"] == {information} for name in parts)
    for name, each in parts.items():
        assert sorted(means[name], key=means[name].__getitem__).index("I(x;e), centered") >= 7 or name == "Friedman 2"
        for noise in ("shifted exponential", "log-normal"):
            case = f"{noise}, {name}"
            ahead = {loss for loss, of in each.items() if of[case] < each[entropy][case]}
            assert ahead <= {information, "H(e), 2"}


def test_gradients_of_strangers_are_those_of_the_entropy(monkeypatch):
    x = torch.randn(200, 56, generator=torch.Generator().manual_seed(0))
    monkeypatch.setattr(bike_inputs, "load", lambda _: bike_inputs_data(x))
    narrow = bike_inputs.study("the authors' widths", quick=True)
    wide = bike_inputs.study("median width of inputs", quick=True)
    assert narrow["similarity"] < 1e-6
    assert narrow["cosine, raw"] > 0.999 > wide["cosine, raw"]


def bike_inputs_data(x):
    from experiments.bike_noise import Hires

    return Hires(x, x[:, 0], torch.arange(len(x)) % 4 == 3)
