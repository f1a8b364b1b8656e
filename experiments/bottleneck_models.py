"""The paper's bottleneck beside its rivals, each as a network with a loss: plain, dropout, label smoothing, confidence
penalty, variational and deterministic information bottleneck, a penalty on |z|^2.

``make("VIB", sizes=(784, 1024, 1024, 256), classes=10)`` gives a `Method`: ``method.loss(x, y)`` to train on,
``method.model(x)`` for scores of the classes, ``method.parameters()`` for an optimizer. Settings are those of the
paper's supplement and of the works it cites: label smoothing 0.1 and confidence penalty 0.1 (Pereyra et al. 2017), VIB
with beta 1e-3 in bits, a standard normal prior and softplus(rho - 5) as standard deviation (Alemi et al. 2016), DIB
with beta 1e-6 at alpha 1.01. "DIB" has the authors' gradient, which takes the width of z for a constant, "DIB known"
one that knows how the width moves with z. "DIB known" and "|z|^2" have no published weight: theirs must be given.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from shearer.kernels import Gaussian
from shearer.neural import InformationBottleneck, NormPenalty

Loss = Callable[[Tensor, Tensor], Tensor]


class Method(nn.Module):
    """A network and the loss it is trained on."""

    def __init__(self, model: nn.Module, loss: Loss) -> None:
        super().__init__()
        self.model = model
        self._loss = loss

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        return self._loss(x, y)


def perceptron(sizes: Sequence[int], classes: int, dropout: float = 0.0) -> nn.Sequential:
    """ReLU layers of these sizes, the first being the inputs; the last one is called "bottleneck"."""
    model = nn.Sequential()
    for k, (inputs, outputs) in enumerate(pairwise(sizes), start=1):
        last = k == len(sizes) - 1
        model.add_module("bottleneck" if last else f"fc{k}", nn.Linear(inputs, outputs))
        model.add_module(f"relu{k}", nn.ReLU())
        if dropout:
            model.add_module(f"dropout{k}", nn.Dropout(dropout))
    model.add_module("scores", nn.Linear(sizes[-1], classes))
    return model


class Variational(nn.Module):
    """A stochastic layer z ~ N(mean(x), deviation(x)^2) before the scores; its mean where nothing is trained.

    The encoder puts out 2 `width` numbers: the mean and what softplus makes a deviation of.
    """

    def __init__(self, encoder: nn.Module, width: int, classes: int) -> None:
        super().__init__()
        self.width = width
        self.encoder = encoder
        self.scores = nn.Linear(width, classes)

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean, rho = self.encoder(x).split(self.width, dim=1)
        return mean, functional.softplus(rho - 5.0)

    def forward(self, x: Tensor) -> Tensor:
        mean, deviation = self.encode(x)
        return self.scores(mean + deviation * torch.randn_like(mean) if self.training else mean)


def variational_loss(model: Variational, beta: float) -> Loss:
    """Cross entropy + beta KL(z | x || N(0, 1)), both in bits."""

    def loss(x: Tensor, y: Tensor) -> Tensor:
        mean, deviation = model.encode(x)
        z = mean + deviation * torch.randn_like(mean) if model.training else mean
        divergence = normal_divergence(mean, deviation).mean()
        return (functional.cross_entropy(model.scores(z), y) + beta * divergence) / math.log(2.0)

    return loss


def normal_divergence(mean: Tensor, deviation: Tensor) -> Tensor:
    """KL of N(mean, deviation^2) from the standard normal law, in nats, for each row."""
    return (0.5 * (mean.square() + deviation.square() - 1.0) - deviation.log()).sum(dim=1)


def confident_loss(model: nn.Module, beta: float) -> Loss:
    """Cross entropy - beta H(p(y | x)): a price for scores that leave no doubt."""

    def loss(x: Tensor, y: Tensor) -> Tensor:
        logs = torch.log_softmax(model(x), dim=1)
        return functional.nll_loss(logs, y) + beta * (logs.exp() * logs).sum(dim=1).mean()

    return loss


def deterministic(model: nn.Module, layer: str, beta: float, width_gradient: bool = False) -> InformationBottleneck:
    """The paper's bottleneck with the authors' order and widths, which their gradient takes for constants."""
    return InformationBottleneck(
        model,
        layer,
        beta=beta,
        alpha=1.01,
        form="raw",
        kernel=Gaussian("authors-dib"),
        normalize=False,
        width_gradient=width_gradient,
    )


def plain_loss(model: nn.Module, smoothing: float = 0.0) -> Loss:
    return lambda x, y: functional.cross_entropy(model(x), y, label_smoothing=smoothing)


METHODS = ("plain", "dropout", "label smoothing", "confidence penalty", "VIB", "DIB", "DIB known", "|z|^2")


def make(name: str, sizes: Sequence[int], classes: int, beta: float | None = None) -> Method:
    """The method of that name; `beta` in place of the published weight of its penalty, if there is one."""
    if name == "VIB":
        *before, width = sizes
        encoder = perceptron(before, 2 * width) if len(before) > 1 else nn.Linear(before[0], 2 * width)
        model = Variational(encoder, width, classes)
        return Method(model, variational_loss(model, 1e-3 if beta is None else beta))
    network = perceptron(sizes, classes, 0.5 if name == "dropout" else 0.0)
    if name == "DIB":
        return Method(network, deterministic(network, "bottleneck", 1e-6 if beta is None else beta))
    if name in ("DIB known", "|z|^2"):
        if beta is None:
            raise ValueError(f"beta: expected a weight of the penalty {name}, got none.")
        if name == "|z|^2":
            return Method(network, NormPenalty(network, "bottleneck", beta=beta))
        return Method(network, deterministic(network, "bottleneck", beta, width_gradient=True))
    if name == "confidence penalty":
        return Method(network, confident_loss(network, 0.1 if beta is None else beta))
    if name not in METHODS:
        raise ValueError(f"name: expected one of {', '.join(METHODS)}, got {name!r}.")
    return Method(network, plain_loss(network, (0.1 if beta is None else beta) if name == "label smoothing" else 0.0))
