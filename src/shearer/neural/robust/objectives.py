"""What a network is trained on: a loss by name, one of this package, or one of torch's, seen through one call."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from shearer._validate import check_option, describe, type_error, value_error
from shearer.kernels import Gaussian, Kernel
from shearer.neural.batch_kernels import check_kernels
from shearer.neural.loss_bases import KernelLoss
from shearer.neural.losses import DependenceLoss, ErrorEntropyLoss, HSICLoss
from shearer.neural.residuals import residuals

REGRESSION = ("dependence", "error_entropy", "hsic", "mse", "mae")
CLASSIFICATION = (*REGRESSION, "cross_entropy")
#: What loss="auto" is, of classes and of targets, by the study of `experiments.robust_defaults`.
DEFAULTS = {False: "error_entropy", True: "mae"}
# Widths for the errors of scaled targets, and for those of class indicators, two of which are up to 1.4 apart. A rule
# would follow the errors: their entropy would stay as it is while they shrink, and epochs could not be compared. For
# targets HSIC does need a rule: it also falls where errors grow until, at a fixed width, no two are alike.
TARGET_WIDTH, CLASS_WIDTH = 0.5, 1.0


class Objective(nn.Module):
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
        """Targets less outputs, or indicators less probabilities."""
        return residuals(output, target)


class ErrorsObjective(Objective):
    """The mean of a power of the errors' sizes."""

    def __init__(self, power: int, classes: bool) -> None:
        super().__init__(classes)
        self.power = power

    def forward(self, _x: Tensor, output: Tensor, target: Tensor) -> Tensor:
        """Mean absolute or mean squared error."""
        return (self.errors(output, target).abs() ** self.power).mean()


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


def make_objective(loss: Any, classes: bool, alpha: float, kernel: Kernel | Mapping[str, Kernel] | None) -> Objective:
    """The objective of that name, or around that loss."""
    if isinstance(loss, nn.Module):
        loss = copy.deepcopy(loss)  # training moves running widths and the like, and an option stays as it was given
    if isinstance(loss, KernelLoss):
        return KernelObjective(loss, classes)
    if callable(loss) and not isinstance(loss, type):
        return OutputObjective(loss, classes)
    if not isinstance(loss, str):
        hint = "Make an instance of a class." if isinstance(loss, type) else ""
        raise type_error("loss", "a name or a function of outputs and targets", describe(loss), hint)
    loss = DEFAULTS[classes] if loss == "auto" else loss
    check_option("loss", loss, ("auto", *(CLASSIFICATION if classes else REGRESSION)))
    if loss == "cross_entropy":
        return OutputObjective(functional.cross_entropy, classes)
    if loss in ("mse", "mae"):
        return ErrorsObjective(1 if loss == "mae" else 2, classes)
    if loss == "hsic":
        return KernelObjective(
            HSICLoss(kernel=_with_error_kernel(kernel, CLASS_WIDTH if classes else "median")), classes
        )
    kernels = _with_error_kernel(kernel, CLASS_WIDTH if classes else TARGET_WIDTH)
    if loss == "dependence":
        return KernelObjective(DependenceLoss(alpha=alpha, kernel=kernels), classes)
    check_kernels(kernels, DependenceLoss.names)  # a kernel of inputs is no mistake, though there is no use for it
    own = kernels["e"] if isinstance(kernels, Mapping) else kernels
    return KernelObjective(ErrorEntropyLoss(alpha=alpha, kernel=own), classes)


def _with_error_kernel(kernel: Any, width: float | str) -> Any:
    """The kernels asked for, and one of this width for errors without one."""
    return {"e": Gaussian(width), **(kernel or {})} if kernel is None or isinstance(kernel, Mapping) else kernel
