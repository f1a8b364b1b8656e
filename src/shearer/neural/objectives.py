"""What a network is trained on: a loss by name, one of this package, or one of torch's, seen through one call."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from shearer._validate import check_option, describe, type_error, value_error
from shearer.kernels import Kernel
from shearer.neural.losses import DependenceLoss, ErrorEntropyLoss, HSICLoss, KernelLoss

REGRESSION = ("dependence", "error_entropy", "hsic", "mse", "mae")
CLASSIFICATION = (*REGRESSION, "cross_entropy")


class Objective(nn.Module):  # type: ignore[misc]
    """Inputs, what the network makes of them, and targets -> a number to make small.

    Targets are numbers (n, q), or for classification the positions (n,) of the classes, whose errors are indicators
    less probabilities.
    """

    #: Whether a constant added to all errors changes nothing.
    blind_to_shifts = False

    def __init__(self, classes: bool) -> None:
        super().__init__()
        self.classes = classes

    def errors(self, output: Tensor, target: Tensor) -> Tensor:
        """y - f(x)."""
        if not self.classes:
            return target - output
        return functional.one_hot(target, output.shape[1]).to(output.dtype) - torch.softmax(output, dim=1)


class ErrorsObjective(Objective):
    """A function of the errors, as mean squared error."""

    def __init__(self, size: Callable[[Tensor], Tensor], classes: bool) -> None:
        super().__init__(classes)
        self.size = size

    def forward(self, _x: Tensor, output: Tensor, target: Tensor) -> Tensor:
        """The mean size of the errors."""
        return self.size(self.errors(output, target)).mean()


class KernelObjective(Objective):
    """One of this package's losses, of the errors alone or of inputs and errors."""

    blind_to_shifts = True

    def __init__(self, loss: KernelLoss, classes: bool) -> None:
        super().__init__(classes)
        self.loss = loss

    def forward(self, x: Tensor, output: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        e = self.errors(output, target)
        return self.loss(e) if isinstance(self.loss, ErrorEntropyLoss) else self.loss(x, e)


class OutputObjective(Objective):
    """Any loss of outputs and targets, as torch has them."""

    def __init__(self, loss: Callable[[Tensor, Tensor], Tensor], classes: bool) -> None:
        super().__init__(classes)
        self.loss = loss

    def forward(self, _x: Tensor, output: Tensor, target: Tensor) -> Tensor:
        """The loss, which must be a single number."""
        value = self.loss(output, target)
        if not isinstance(value, Tensor) or value.ndim:
            got = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else describe(value)
            raise value_error("loss", "a function that returns a single number as a tensor", got)
        return value


def make_objective(
    loss: Any, classes: bool, alpha: float, kernel: Kernel | Mapping[str, Kernel] | None
) -> Objective:
    """The objective of that name, or around that loss."""
    if isinstance(loss, KernelLoss):
        return KernelObjective(loss, classes)
    if callable(loss) and not isinstance(loss, type):
        return OutputObjective(loss, classes)
    if not isinstance(loss, str):
        hint = "Make an instance of a class." if isinstance(loss, type) else ""
        raise type_error("loss", "a name or a function of outputs and targets", describe(loss), hint)
    check_option("loss", loss, CLASSIFICATION if classes else REGRESSION)
    if loss == "cross_entropy":
        return OutputObjective(functional.cross_entropy, classes)
    if loss in ("mse", "mae"):
        return ErrorsObjective(torch.square if loss == "mse" else torch.abs, classes)
    if loss == "hsic":
        return KernelObjective(HSICLoss(kernel=kernel), classes)
    return KernelObjective(
        (ErrorEntropyLoss if loss == "error_entropy" else DependenceLoss)(alpha=alpha, kernel=kernel), classes
    )
