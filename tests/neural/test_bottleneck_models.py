"""The rivals of the bottleneck: their penalties by definition, and that each of them learns."""

import math

import pytest
import torch
from torch import nn
from torch.distributions import Categorical, Normal, kl_divergence

from experiments.bottleneck_models import METHODS, confident_loss, make, normal_divergence, variational_loss


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(60) % 3
    x = torch.randn(60, 5, generator=generator)
    x[:, 0] += 3.0 * y
    return x, y


@pytest.mark.parametrize("name", METHODS)
def test_every_method_learns(batch, name):
    x, y = batch
    torch.manual_seed(0)
    method = make(name, (5, 16, 8), 3, 0.01 if name in ("DIB known", "|z|^2") else None)
    optimizer = torch.optim.Adam(method.parameters(), lr=0.02)
    for _ in range(80):
        optimizer.zero_grad()
        method.loss(x, y).backward()
        optimizer.step()
    method.eval()
    assert (method.model(x).argmax(dim=1) == y).float().mean() > 0.9
    assert torch.equal(method.model(x), method.model(x))


def test_divergence():
    mean, deviation = torch.randn(4, 3), torch.rand(4, 3) + 0.1
    expected = kl_divergence(Normal(mean, deviation), Normal(0.0, 1.0)).sum(dim=1)
    assert torch.allclose(normal_divergence(mean, deviation), expected)


def test_variational_bottleneck(batch):
    x, y = batch
    model = make("VIB", (5, 16, 8), 3).model
    model.eval()
    mean, deviation = model.encode(x)
    bits = nn.functional.cross_entropy(model(x), y) + 0.5 * normal_divergence(mean, deviation).mean()
    assert variational_loss(model, 0.5)(x, y).item() == pytest.approx(bits.item() / math.log(2), rel=1e-6)
    model.train()
    assert not torch.equal(model(x), model(x))


def test_confidence_penalty(batch):
    x, y = batch
    model = nn.Linear(5, 3)
    doubt = Categorical(logits=model(x)).entropy().mean()
    expected = nn.functional.cross_entropy(model(x), y) - 0.3 * doubt
    assert confident_loss(model, 0.3)(x, y).item() == pytest.approx(expected.item(), rel=1e-6)


def test_layers_and_names():
    paper = make("DIB", (784, 1024, 1024, 256), 10).model
    assert [name for name, module in paper.named_children() if isinstance(module, nn.Linear)] == [
        "fc1",
        "fc2",
        "bottleneck",
        "scores",
    ]
    assert paper.bottleneck.out_features == 256
    with pytest.raises(ValueError, match="name: expected one of"):
        make("magic", (5, 4), 3)
