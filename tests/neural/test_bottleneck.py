"""The information bottleneck: its two terms, where it looks, and what it leaves behind."""

import copy
import math

import pytest
import torch
from torch import nn

import shearer as sh
from shearer.kernels import Gaussian
from shearer.neural import InformationBottleneck


class Branches(nn.Module):
    """A network with names, a layer that is passed twice and one that is never passed."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.Flatten())
        self.twice = nn.Linear(144, 144)
        self.fc2 = nn.Linear(144, 3)
        self.unused = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc2(self.twice(self.twice(self.features(x))))


@pytest.fixture
def batch():
    torch.manual_seed(0)
    return torch.randn(32, 1, 8, 8), torch.randint(3, (32,))


@pytest.mark.parametrize("layer", ["features.0", "features", "twice", "fc2"])
def test_the_two_terms(batch, layer):
    x, y = batch
    torch.manual_seed(1)
    model = Branches()
    ib = InformationBottleneck(model, layer, beta=0.5)
    loss = ib(x, y)
    seen = []
    handle = model.get_submodule(layer).register_forward_hook(lambda _m, _i, out: seen.append(out.detach().clone()))
    output = model(x)
    handle.remove()
    information = sh.mutual_information(
        x.flatten(1), seen[-1].flatten(1), alpha=1.01, kernel=Gaussian("authors-dib"), normalize=False
    )
    assert ib.prediction_loss == pytest.approx(nn.functional.cross_entropy(output, y).item(), rel=1e-5)
    assert ib.information == pytest.approx(information.item(), abs=1e-4)
    assert loss.item() == pytest.approx(ib.prediction_loss + 0.5 * ib.information, rel=1e-6)


def test_gradients_reach_what_lies_before_the_layer(batch):
    x, y = batch
    model = Branches()
    free = InformationBottleneck(model, "twice", beta=0)
    priced = InformationBottleneck(model, "twice", beta=1.0)
    slopes = {}
    for name, ib in (("free", free), ("priced", priced)):
        model.zero_grad()
        ib(x, y).backward()
        slopes[name] = [p.grad.clone() for p in (model.features[0].weight, model.fc2.weight)]
    assert not torch.allclose(slopes["free"][0], slopes["priced"][0])
    assert torch.allclose(slopes["free"][1], slopes["priced"][1])


def test_training_gives_up_information():
    """With a price, the layer keeps less of the input and the classes are still told apart."""
    generator = torch.Generator().manual_seed(2)
    y = torch.arange(90) % 3
    x = torch.randn(90, 6, generator=generator)
    x[:, 0] += 4.0 * y
    kept = {}
    for beta in (0.0, 0.5):
        torch.manual_seed(3)
        model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
        ib = InformationBottleneck(model, "0", beta, kernel={"x": Gaussian(), "z": Gaussian(3.0)})
        optimizer = torch.optim.Adam(ib.parameters(), lr=0.02)
        for _ in range(60):
            optimizer.zero_grad()
            ib(x, y).backward()
            optimizer.step()
        kept[beta] = ib.information
        assert (model(x).argmax(dim=1) == y).float().mean() > 0.9
    assert kept[0.5] < kept[0.0] / 2


def test_the_model_stays_as_it_is(batch):
    x, y = batch
    model = Branches()
    ib = InformationBottleneck(model, "twice", beta=0.1)
    ib(x, y).backward()
    assert not any(module._forward_hooks for module in model.modules())
    with pytest.raises(RuntimeError):
        ib(x[:, :, :2], y)
    assert not any(module._forward_hooks for module in model.modules())
    assert {*ib.state_dict()} >= {f"model.{name}" for name in model.state_dict()}
    other = copy.deepcopy(ib)
    other(x, y)
    assert math.isfinite(other.information)


def test_another_criterion_and_order(batch):
    x, _ = batch
    model = Branches()
    ib = InformationBottleneck(model, "fc2", 0.1, alpha=2, normalize=True, criterion=nn.functional.mse_loss)
    target = torch.zeros(32, 3)
    ib(x, target)
    assert ib.prediction_loss == pytest.approx(model(x).square().mean().item(), rel=1e-5)
    assert ib.information <= 1


def test_bad_input(batch):
    x, y = batch
    model = Branches()
    with pytest.raises(ValueError, match=r"layer: expected names among 'features', .* Did you mean 'fc2'"):
        InformationBottleneck(model, "fc3", beta=0.1)
    with pytest.raises(TypeError, match="layer: expected names among"):
        InformationBottleneck(model, 2, beta=0.1)
    with pytest.raises(TypeError, match="model: expected a torch module"):
        InformationBottleneck(lambda x: x, "fc2", beta=0.1)
    with pytest.raises(TypeError, match="Make an instance"):
        InformationBottleneck(Branches, "fc2", beta=0.1)
    with pytest.raises(ValueError, match="beta: expected"):
        InformationBottleneck(model, "fc2", beta=-1)
    with pytest.raises(TypeError, match="criterion: expected"):
        InformationBottleneck(model, "fc2", beta=1, criterion="mse")
    with pytest.raises(ValueError, match="kernel: expected names among 'x', 'z'"):
        InformationBottleneck(model, "fc2", beta=1, kernel={"e": Gaussian()})
    with pytest.raises(ValueError, match="layer: expected one that the model passes, got 'unused'"):
        InformationBottleneck(model, "unused", beta=0.1)(x, y)
    with pytest.raises(ValueError, match="x: expected at least 2 rows"):
        InformationBottleneck(model, "fc2", beta=0.1)(x[:1], y[:1])
    nothing = nn.Sequential(nn.Identity())
    nothing[0].forward = lambda _x: "text"
    with pytest.raises(TypeError, match="layer: expected one that puts out a tensor"):
        InformationBottleneck(nothing, "0", beta=0.1)(x, y)
    assert repr(InformationBottleneck(model, "fc2", beta=0.1)).startswith(
        "InformationBottleneck(\n  layer='fc2', beta=0.1"
    )
