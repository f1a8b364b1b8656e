"""Each training experiment, tiny: its parts by definition, sound records, the same record after a kill."""

import json
import math

import numpy as np
import pytest
import torch
from torch import nn

from experiments import (
    bike_noise,
    bottleneck_first,
    bottleneck_mnist,
    bottleneck_models,
    cifar_errors,
    cifar_networks,
    courses,
    fashion_first,
    fashion_shift,
    map_similarity,
    vgg_dynamics,
)
from shearer.neural import FeatureMapMonitor


def images(rows, *shape):
    """Two halves that differ in brightness, in ten classes."""
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(rows) % 10
    return torch.rand(rows, *shape, generator=generator) + 0.1 * y.reshape(-1, *[1] * len(shape)), y


def mnist(case, path=None):
    (x, y), settings = images(80, 12), bottleneck_mnist.Settings(3, 20, 10, (12, 16, 16, 8))
    return bottleneck_mnist.train(case, courses.Labelled(x, y, x[:30], y[:30]), settings, path)


def bike(case, path=None):
    x = torch.randn(90, 4, generator=torch.Generator().manual_seed(0))
    data = bike_noise.Hires(x, x[:, 0] + x[:, 1].abs(), torch.arange(90) % 4 == 3)
    return bike_noise.train(case, data, bike_noise.Settings(3, 2, 8, (6, 5)), path)


def fashion(case, path=None):
    x, y = images(60, 1, 28, 28)
    data = courses.Labelled(x / 2, y, x[:20] / 2, y[:20])
    return fashion_shift.train(case, data, fashion_shift.Settings(2, 12, 12, 1e-3, 20), path)


# Leaves multiples of 8 as widths. With fewer maps the shortcuts of residual networks, convolutions of 1 x 1 in steps of
# 2, write beyond their weights in oneDNN on processors with AVX2.
CUT = 8


def cifar(case, path=None):
    x, y = images(40, 3, 32, 32)
    data = courses.Labelled(x, y, x[:20], y[:20])
    return cifar_errors.train(case, data, cifar_errors.Settings(2, CUT, 10, 10, 0.05), path)


def vgg(case, path=None):
    x, y = images(40, 3, 32, 32)
    settings = vgg_dynamics.Settings(2, 32, 20, 0.05, 12, (0, 2))
    return vgg_dynamics.train(case, courses.Labelled(x, y, x[:20], y[:20]), settings, path)


TRAINED = {
    "mnist": (mnist, "dropout, seed 2"),
    "bike": (bike, "Laplace 0.4, 56 features"),
    "fashion": (fashion, "I(x;e), seed 1"),
    "cifar": (cifar, "VGG16 + VIB, seed 1"),
    "vgg": (vgg, "seed 1"),
}


@pytest.mark.parametrize("name", TRAINED)
def test_a_case_that_was_killed_ends_with_the_same_record(name, tmp_path, monkeypatch):
    train, case = TRAINED[name]
    expected = train(case)
    monkeypatch.setattr(courses, "BETWEEN", 0.0)
    path, save = tmp_path / "case.pt", courses.Course._save

    def save_and_die(course):
        save(course)
        raise KeyboardInterrupt

    monkeypatch.setattr(courses.Course, "_save", save_and_die)
    with pytest.raises(KeyboardInterrupt):
        train(case, path)
    monkeypatch.setattr(courses.Course, "_save", save)
    torch.rand(7)  # what happens elsewhere does not matter
    found = train(case, path)
    assert found.pop("cpu_seconds") >= 0
    assert expected.pop("cpu_seconds") >= 0
    assert found == expected
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("name", bottleneck_mnist.METHODS)
def test_bottleneck_record(name):
    found = mnist(f"{name}, seed 1")
    assert (found["method"], found["train"], found["validation"]) == (name, 60, 20)
    assert found["test_error"] == found["test_errors"][found["chosen_epoch"] - 1] >= found["best_on_test"]
    assert found["best_on_test"] == min(found["test_errors"])
    assert len(found["losses"]) == 3
    assert 0 < found["information"] < math.log2(10)


def test_a_part_of_a_training_is_its_beginning(monkeypatch):
    x, y = images(80, 12)
    data, settings = courses.Labelled(x, y, x[:30], y[:30]), bottleneck_mnist.Settings(4, 20, 10, (12, 16, 16, 8))
    monkeypatch.setattr(bottleneck_first, "load", lambda: data)
    monkeypatch.setattr(bottleneck_first, "QUICK", settings)
    monkeypatch.setattr(bottleneck_first, "PART", 2)
    monkeypatch.setattr(courses, "kept", lambda *case: case[-1](None))
    for case in ("baseline, seed 1", "DIB known, beta 0.01, seed 2"):
        found, whole = bottleneck_first.study(case, False), bottleneck_mnist.train(case, data, settings)
        assert (found["epochs"], found["of_epochs"]) == (2, 4)
        assert found["test_errors"] == whole["test_errors"][:2]
        assert found["late"] == found["test_errors"][1]
    assert {case.rsplit(", seed", 1)[0] for case in bottleneck_first.cases(False)} == {
        "baseline", *bottleneck_mnist.MENDED
    }  # fmt: skip


def test_the_row_in_which_inputs_count(monkeypatch):
    x, y = images(60, 1, 28, 28)
    data = courses.Labelled(x / 2, y, x[:20] / 2, y[:20])
    settings = fashion_shift.Settings(3, 12, 12, 1e-3, 20)
    monkeypatch.setattr(fashion_first, "load", lambda: data)
    monkeypatch.setattr(fashion_first, "QUICK", settings)
    monkeypatch.setattr(courses, "kept", lambda *case: case[-1](None))
    case, *others = fashion_first.cases(False)
    found, whole = fashion_first.study(case, False), fashion_shift.train(case, data, settings)
    assert len(others) == 2
    assert (found["epochs"], found["of_epochs"]) == (1, 3)
    assert found["targets"] == whole["targets"][:1] == [found["late"]]
    assert found["similarity"] > 0.3


def test_penalties_without_a_published_weight_need_one():
    for name in ("DIB known", "|z|^2"):
        with pytest.raises(ValueError, match="beta: expected a weight of the penalty"):
            bottleneck_models.make(name, (4, 8, 2), 3)


def test_bottleneck_of_no_weight_is_the_baseline(monkeypatch):
    monkeypatch.setitem(bottleneck_mnist.METHODS, "DIB", ("DIB", 0.0))
    free, plain = mnist("DIB, seed 1"), mnist("baseline, seed 1")
    assert free["losses"] == plain["losses"]
    assert free["test_errors"] == plain["test_errors"]


def test_every_row_of_the_tables_has_its_case():
    assert len({*bottleneck_mnist.cases(False)}) == len(bottleneck_mnist.cases(False)) == 16
    assert {case.rsplit(", seed", 1)[0] for case in bottleneck_mnist.cases(True)} == set(bottleneck_mnist.METHODS)
    assert len(fashion_shift.cases(False)) == 15
    assert {case.rsplit(", seed", 1)[0] for case in cifar_errors.cases(False)} == set(cifar_networks.ROWS)
    levels = {(case.split(", ")[0]) for case in bike_noise.cases(False)}
    assert len(levels) == 1 + 3 * 5
    for module in (bottleneck_mnist, fashion_shift, cifar_errors, bike_noise, vgg_dynamics):
        for full in (False, True):
            assert len(set(module.cases(full))) == len(module.cases(full))


def test_paper_settings_are_the_full_ones():
    assert (bottleneck_mnist.FULL.epochs, bottleneck_mnist.FULL.batch) == (200, 100)
    assert (bike_noise.FULL.epochs, bike_noise.FULL.seeds, bike_noise.FULL.batch) == (100, 10, 32)
    assert (fashion_shift.FULL.epochs, fashion_shift.FULL.batch) == (100, 128)
    assert (cifar_errors.FULL.epochs, cifar_errors.FULL.cut, cifar_errors.FULL.rate) == (400, 1, 0.1)
    assert vgg_dynamics.FULL.cut == 1


def test_bike_record():
    found = bike("shifted exponential 1, 56 features, drawn once")
    assert (found["noise"], found["level"], found["drawn_once"]) == ("shifted exponential", 1.0, True)
    assert list(found["losses"]) == list(bike_noise.losses())
    for entry in found["losses"].values():
        assert all(1 <= epoch <= 3 for epoch in entry["epoch"])
        assert all(best <= chosen for best, chosen in zip(entry["best_on_test"], entry["noisy"], strict=True))
        assert all(0 < value < 20 for value in entry["clean"])
    quiet = bike("none 0, 56 features")
    assert all(entry["noisy"] == entry["clean"] for entry in quiet["losses"].values())


def test_members_learn_as_networks_of_their_own():
    """The mean squared error of one member, beside torch's own layers and optimizer."""
    members = bike_noise.Members((3, 7, 5, 1), 2, 2)
    assert torch.equal(members.weights[0][1], members.weights[0][3])
    assert not torch.equal(members.weights[0][0], members.weights[0][1])
    network = nn.Sequential(nn.Linear(3, 7), nn.ReLU(), nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 1))
    for layer, weight, bias in zip(network[::2], members.weights, members.biases, strict=True):
        layer.weight.data, layer.bias.data = weight.data[3].T.clone(), bias.data[3, 0].clone()
        assert weight.abs().max() <= 1 / math.sqrt(layer.in_features)
    x = torch.randn(4, 20, 3, generator=torch.Generator().manual_seed(1))
    y = x.sum(dim=2, keepdim=True)
    own, joint = (torch.optim.Adam(part.parameters(), lr=0.01) for part in (network, members))
    for _ in range(5):
        own.zero_grad(), joint.zero_grad()
        (y[3] - network(x[3])).square().mean().backward()
        sum(e.square().mean() for e in y - members(x)).backward()
        own.step(), joint.step()
    assert torch.allclose(network(x[3]), members(x)[3], atol=1e-6)


MOMENTS = [("Laplace", 2, 0), ("shifted exponential", 1, -2), ("Gaussian", 1, 0)]


@pytest.mark.parametrize(("noise", "variance", "third"), MOMENTS)
def test_noise(noise, variance, third):
    drawn = bike_noise.draw(noise, 0.5, 400_000, courses.generator(1)).double() / 0.5
    assert abs(drawn.mean()) < 0.01
    assert drawn.var().item() == pytest.approx(variance, rel=0.02)
    assert (drawn**3).mean().item() == pytest.approx(third, abs=0.15)
    assert not bike_noise.draw("none", 0.0, 5, courses.generator(1)).any()


@pytest.mark.needs("data")
def test_hires():
    authors, paper = bike_noise.load(56), bike_noise.load(8)
    assert authors.x.shape == (17379, 56)
    assert paper.x.shape == (17379, 8)
    assert int(authors.fourth.sum()) == 4232
    assert authors.y.var().item() == pytest.approx(1.0, rel=1e-4)
    # yr, holiday, three numbers, then one of each of season, weather, month, hour, weekday
    assert torch.equal(authors.x[:, 5:].sum(dim=1), torch.full((17379,), 5.0))
    assert torch.equal(authors.x[:, 1], paper.x[:, 0])
    # the fourth season, October and November are in no training row, and one of them in every test row
    unseen = (authors.x[~authors.fourth] == 0).all(dim=0)
    assert int(unseen.sum()) == 3
    assert bool((authors.x[authors.fourth][:, unseen] == 1).any(dim=1).all())


@pytest.mark.parametrize("name", fashion_shift.LOSSES)
def test_fashion_record(name):
    found = fashion(f"{name}, seed 1")
    assert found["target"] == found["targets"][found["chosen_epoch"] - 1] <= found["best_on_test"]["target"]
    assert 0 <= found["source_raw"] <= 100
    if name == "CE":
        assert found["source"] == found["source_raw"]
        assert found["target"] == found["target_raw"]
    narrow = name in ("HSIC", "I(x;e)")
    assert found["similarity"] is None if name in ("CE", "H(e)") else (found["similarity"] < 1e-3) == narrow


def test_turning():
    x = torch.rand(3, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    found = fashion_shift.turned(x, torch.tensor([0.0, 90.0, -90.0]))
    assert torch.allclose(found[0], x[0], atol=1e-5)
    assert torch.allclose(found[1], x[1].rot90(1, (1, 2)), atol=1e-4)
    assert torch.allclose(found[2], x[2].rot90(-1, (1, 2)), atol=1e-4)


def test_shifting_and_mirroring():
    x = torch.zeros(200, 3, 32, 32)
    x[:, :, 10, 12] = 1.0
    found = cifar_errors.varied(x, courses.generator(1))
    assert found.shape == x.shape
    assert torch.equal(found.sum(dim=(2, 3)), torch.ones(200, 3))
    rows, columns = (torch.nonzero(found[:, 0])[:, k] for k in (1, 2))
    assert set(rows.tolist()) == set(range(6, 15))
    assert set(columns.tolist()) == {*range(8, 17), *range(15, 24)}
    assert torch.equal(found, cifar_errors.varied(x, courses.generator(1)))


@pytest.mark.parametrize(
    ("row", "weights"), [("VGG16", 14_728_266), ("ResNet18", 11_173_962), ("ResNet50", 23_520_842)]
)
def test_whole_networks_have_the_known_number_of_weights(row, weights):
    with torch.device("meta"):
        method = cifar_networks.make(row, 10, 1)
    assert sum(weight.numel() for weight in method.parameters()) == weights


@pytest.mark.parametrize("row", cifar_networks.ROWS)
def test_cifar_record(row):
    found = cifar(f"{row}, seed 1")
    assert found["best_on_test"] <= found["test_error"] <= 100
    assert len(found["losses"]) == 2
    assert found["cut"] == CUT


def test_an_unknown_row_is_refused():
    with pytest.raises(ValueError, match="row: expected one of VGG16"):
        cifar_networks.make("VGG19", 10, 8)


def test_dynamics_record():
    found = vgg("seed 1")
    assert found["watched"] == [0, 2]
    assert len(found["maps"]) == len(found["test_errors"]) == 2
    for look in found["maps"]:
        assert len(look["scale"]) == 13
        for rule in ("median", "fixed"):
            assert all(len(look[rule][name]) == 13 for name in ("T*(1.01)", "T*(2)", "I*(2)", "HSIC"))
            assert all(0 <= value <= 1 for value in look[rule]["T*(1.01), shuffled"])
            for part in ("lower", "upper"):
                assert sum(look[rule][f"I* {part}"]) == pytest.approx(1.0, abs=1e-3)
                assert sum(look[rule][f"HSIC {part}"]) == pytest.approx(1.0, abs=1e-3)


def test_similarity_record(monkeypatch):
    x, y = images(40, 3, 32, 32)
    monkeypatch.setattr(map_similarity, "load", lambda: courses.Labelled(x, y, x[:20], y[:20]))
    monkeypatch.setattr(map_similarity, "QUICK", vgg_dynamics.Settings(3, 16, 20, 0.05, 20, (0, 1)))
    monkeypatch.setattr(courses, "kept", lambda *case: case[-1](None))
    found = map_similarity.study("seed 1", False)
    assert (found["epochs"], found["of_epochs"], found["watched"]) == (1, 3, [0, 1])
    for look in found["maps"]:
        for name in map_similarity.VALUES:
            assert len(look[name]) == len(look[f"{name}, shuffled"]) == 13
        assert np.mean(look["CKA, shuffled"]) == pytest.approx(0, abs=0.05)
        assert np.mean(look["adjusted T, shuffled"]) == pytest.approx(0, abs=0.05)
        assert min(look["CKA"]) > 0.1  # all pictures differ in brightness alone
    assert json.loads(json.dumps(found)) == found


def test_hsic_of_pairs_is_the_monitor_s():
    torch.manual_seed(0)
    model = cifar_networks.vgg16(10, 16)
    x, _ = images(16, 3, 32, 32)
    maps = vgg_dynamics.outputs(model, x)
    rows = FeatureMapMonitor(model, pairs=False).observe(x, step=0)
    assert [row["layer"] for row in rows] == list(maps)
    for row, values in zip(rows, maps.values(), strict=True):
        found = vgg_dynamics.pair_hsic(values, vgg_dynamics.scales(values))
        assert np.mean(found) == pytest.approx(row["mean_hsic"], rel=1e-4)
