"""The information bottleneck: its two terms, where it looks, and what it leaves behind."""

import copy
import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import shearer as sh
from shearer.kernels import Gaussian
from shearer.neural import GaussianCode, InformationBottleneck, NormPenalty, VariationalBottleneck


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
    with pytest.raises(ValueError, match=r"layer: expected names among 'features', .* Did you mean 'features'"):
        InformationBottleneck(model, "feature", beta=0.1)
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


def test_several_layers_and_the_logits(batch):
    x, y = batch
    model = Branches()
    ib = InformationBottleneck(model, ["features", "twice"], beta=0.5)
    loss = ib(x, y)
    each = {name: InformationBottleneck(model, name, beta=0.5) for name in ("features", "twice")}
    for single in each.values():
        single(x, y)
    assert ib.informations == pytest.approx({name: single.information for name, single in each.items()}, abs=1e-5)
    assert ib.information == pytest.approx(sum(ib.informations.values()), abs=1e-5)
    assert loss.item() == pytest.approx(ib.prediction_loss + 0.5 * ib.information, abs=1e-5)
    assert torch.equal(ib.output, model(x).detach())
    assert not ib.output.requires_grad
    assert repr(ib).startswith("InformationBottleneck(\n  layer=['features', 'twice'], beta=0.5")
    with pytest.raises(ValueError, match="layer: expected the name of a layer, or several, got none"):
        InformationBottleneck(model, [], beta=0.1)


class Returning(nn.Module):
    """A recurrent layer, which puts out a tuple, and a network that returns what it is told to."""

    def __init__(self, kind):
        super().__init__()
        self.recurrent, self.scores, self.kind = nn.LSTM(8, 4, batch_first=True), nn.Linear(4, 3), kind

    def forward(self, x):
        scores = self.scores(self.recurrent(x[:, 0])[0][:, -1])
        kinds = {
            "mapping": {"hidden": x, "logits": scores},
            "tuple": (scores, x),
            "object": SimpleNamespace(logits=scores),
        }
        return kinds[self.kind]


@pytest.mark.parametrize("kind", ["mapping", "tuple", "object"])
def test_outputs_that_are_no_tensors(batch, kind):
    x, y = batch
    ib = InformationBottleneck(Returning(kind), "recurrent", beta=0.1)
    ib(x, y).backward()
    assert ib.output.shape == (32, 3)
    assert ib.information > 0
    with pytest.raises(TypeError, match="model: expected one that returns a tensor"):
        InformationBottleneck(nn.Sequential(nn.Identity(), Wordy()), "0", beta=0.1)(x, y)


class Wordy(nn.Module):
    def forward(self, _x):
        return "text"


def test_a_compiled_model(batch):
    x, y = batch
    model = Branches()
    expected = InformationBottleneck(model, "fc2", beta=0.1)(x, y).item()
    compiled = torch.compile(model, backend="eager")
    compiled(x)
    assert InformationBottleneck(compiled, "fc2", beta=0.1)(x, y).item() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("alpha", "form"), [(1.01, "raw"), (2, "raw"), (2, "centered")])
def test_gradcheck(alpha, form):
    """By finite differences in the inputs, of which z and both widths are functions."""
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)).double()
    x, y = torch.randn(6, 4, dtype=torch.float64, requires_grad=True), torch.arange(6) % 2
    rule = Gaussian("authors-dib")
    options = {"beta": 0.5, "alpha": alpha, "form": form}
    known = InformationBottleneck(model, "0", kernel=rule, width_gradient=True, **options)
    assert torch.autograd.gradcheck(lambda x: known(x, y), (x,), atol=1e-6)
    held = InformationBottleneck(model, "0", kernel=rule, width_gradient=False, **options)
    widths = {"x": Gaussian(rule.width(x.detach())), "z": Gaussian(rule.width(model[0](x).detach()))}
    fixed = InformationBottleneck(model, "0", kernel=widths, **options)
    assert torch.autograd.gradcheck(lambda x: fixed(x, y), (x,), atol=1e-6)
    slopes = [torch.autograd.grad(loss(x, y), x)[0] for loss in (held, fixed, known)]
    assert torch.allclose(slopes[0], slopes[1], rtol=1e-9, atol=1e-12)
    assert not torch.allclose(slopes[0], slopes[2], rtol=1e-2)
    norm = NormPenalty(model, "0", beta=0.5)
    assert torch.autograd.gradcheck(lambda x: norm(x, y), (x,), atol=1e-6)


def collapse(width_gradient):
    """A few steps in which the penalty is all that counts."""
    torch.manual_seed(0)
    x, y = torch.randn(64, 6), torch.arange(64) % 2
    model = nn.Sequential(nn.Linear(6, 8, bias=False), nn.Linear(8, 2))
    ib = InformationBottleneck(model, "0", beta=1.0, width_gradient=width_gradient)
    before = model[0](x).std().item()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(150):
        optimizer.zero_grad()
        ib(x, y).backward()
        optimizer.step()
    return model[0](x).std().item() / before


def test_z_shrinks_where_the_gradient_does_not_know_the_width():
    with pytest.warns(UserWarning, match="what the layer puts out has shrunk to .* width_gradient=True would help"):
        assert collapse(width_gradient=False) < 0.15
    assert collapse(width_gradient=True) > 0.8


def test_rivals(batch):
    x, y = batch
    model = Branches()
    norm = NormPenalty(model, ["features", "fc2"], beta=0.25)
    loss = norm(x, y)
    expected = sum(z.flatten(1).square().sum(dim=1).mean().item() for z in (model.features(x), model(x)))
    assert norm.penalty == pytest.approx(expected, rel=1e-5)
    assert loss.item() == pytest.approx(norm.prediction_loss + 0.25 * expected, rel=1e-5)
    torch.manual_seed(0)
    variational = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), GaussianCode(), nn.Linear(4, 3))
    vib = VariationalBottleneck(variational, "2", beta=0.1)
    first, second = vib(x, y).item(), vib(x, y).item()
    assert first != second  # z is drawn
    mean, rho = variational[1](variational[0](x)).chunk(2, dim=1)
    laws = torch.distributions.Normal(mean, nn.functional.softplus(rho - 5.0))
    divergence = torch.distributions.kl_divergence(laws, torch.distributions.Normal(0.0, 1.0)).sum(dim=1).mean()
    assert vib.penalty == pytest.approx(divergence.item(), rel=1e-4)
    vib.eval()
    assert vib(x, y).item() == vib(x, y).item()
    assert torch.equal(vib.output, variational[3](mean))
    with pytest.raises(ValueError, match="layer: expected names of layers that are a GaussianCode, got '1', a Linear"):
        VariationalBottleneck(variational, ["1", "2"], beta=0.1)
    with pytest.raises(ValueError, match=r"numbers: expected shape \(n, 2 k\), got \(3, 5\)"):
        GaussianCode()(torch.zeros(3, 5))
