"""Losses for a training loop: dependence of input and error, entropy of the error, HSIC, total correlation.

Kernel matrices are formed in single precision at least, also under autocast. For finite tensors of two or more rows the
value and its gradient are finite: equal rows, a constant error and rows far apart included.
"""

import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from shearer._validate import check_positive, describe, value_error
from shearer.kernels import Kernel
from shearer.measures.registry import ENTROPY, MUTUAL_INFORMATION, TOTAL_CORRELATION
from shearer.neural.formulas import formula_of
from shearer.neural.information import hsic, measure
from shearer.neural.matrices import DEFAULT, check_kernels, kernel_matrix, read_batch
from shearer.neural.options import check_order
from shearer.spectrum.renyi import near_one

# Far below what independent batches score: two bits at alpha=2 reach -0.07 at the least.
_EXPLOITED = -0.1


class KernelLoss(nn.Module):
    """What the losses have in common: kernels of named tensors, and widths that may be averaged over batches."""

    #: Names of the tensors, where their number is fixed.
    names: tuple[str, ...] | None = None

    running_widths: Tensor

    def __init__(self, kernel: Kernel | Mapping[str, Kernel] | None, momentum: float | None) -> None:
        super().__init__()
        self.kernel = check_kernels(kernel, self.names)
        self.momentum = None if momentum is None else check_positive("momentum", momentum)
        if self.momentum is not None and self.momentum > 1:
            raise value_error("momentum", "a number above 0, at most 1, or None", describe(momentum))
        self._has_warned = False
        self.register_buffer("running_widths", torch.zeros(0))

    def matrices(self, **tensors: Any) -> list[Tensor]:
        """The kernel matrices of the named tensors."""
        rows = read_batch(tensors)
        device = next(iter(rows.values())).device
        if self.momentum is not None:
            self._make_room(len(rows))
        mixed = torch.is_autocast_enabled(device.type)
        with torch.autocast(device.type, enabled=False) if mixed else nullcontext():
            return [
                kernel_matrix(name, values, self._kernel_of(name), partial(self._settle, position))
                for position, (name, values) in enumerate(rows.items())
            ]

    def _kernel_of(self, name: str) -> Kernel:
        return self.kernel.get(name, DEFAULT) if isinstance(self.kernel, dict) else self.kernel

    def _settle(self, position: int, width: float) -> float:
        """The width of the batch or, with momentum, the running average, which training alone moves."""
        if self.momentum is None:
            return width
        known = float(self.running_widths[position])
        if self.training:
            known = width if known == 0 else known + self.momentum * (width - known)
            self.running_widths[position] = known
        return known or width

    def _make_room(self, count: int) -> None:
        if len(self.running_widths) == 0:
            self.running_widths = self.running_widths.new_zeros(count)
        elif len(self.running_widths) != count:
            hint = "Running widths belong to the tensors they were averaged over: one loss for each set of tensors."
            raise value_error("tensors", f"{len(self.running_widths)} of them, as before", f"{count}", hint)

    def _watched(self, value: Tensor, alpha: float) -> Tensor:
        """The value, with a warning, once, where a model has found a way below 0."""
        if not self._has_warned and not near_one(alpha) and float(value.detach()) < _EXPLOITED:
            self._has_warned = True
            warnings.warn(
                f"the loss is {float(value.detach()):.2f}: at alpha={alpha:g} it can fall below 0 though the variables "
                "are not independent, and the model is learning to make it fall. alpha=1.01 has no such way out.",
                stacklevel=4,
            )
        return value

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Make the buffer as long as the one that comes."""
        saved = state.get(f"{prefix}running_widths")
        if saved is not None:
            self.running_widths = self.running_widths.new_zeros(saved.shape)
        super()._load_from_state_dict(state, prefix, *rest)

    def extra_repr(self) -> str:
        """The options."""
        options = {
            name: getattr(self, name) for name in ("alpha", "normalize", "kernel", "momentum") if name in vars(self)
        }
        return ", ".join(f"{name}={value!r}" for name, value in options.items())


class DependenceLoss(KernelLoss):
    """I(x; e): how much the errors of a model tell about its inputs (paper, Algorithm 1).

    Parameters
    ----------
    alpha : float, default 2
        Order of the entropy, above 0. 2 needs no eigenvalues and is several times faster than any other, but there I
        can be negative, and a flexible model can learn to make it so instead of learning the data (docs: neural,
        "Which order"); a warning says when it does. 1.01, the authors' order, has no such way out.
    kernel : Kernel or mapping, optional
        For both tensors, or ``{"x": ..., "e": ...}``. Default: Gaussian, its width the median distance in the batch.
        ``Gaussian(0.5)`` has a fixed width, ``Gaussian("silverman")`` one by a rule. Widths by a rule are constants in
        gradients.
    normalize : bool or str, default False
        False: bits. True or "max": over the larger of the two entropies (the paper's I*); "min", "joint", "mean",
        "sqrt": as in `shearer.mutual_information`. A quotient also falls where its denominator grows: normalised, the
        loss can reward larger errors (docs: neural, "Bits or I*").
    momentum : float, optional
        Above 0, at most 1: widths by a rule are averaged over batches, the newest with this weight, in training mode
        only; in evaluation mode the average stays. Saved in the ``state_dict``. Default: each batch has its own.

    Notes
    -----
    The loss does not see a constant that is added to all errors: after training, add the mean error to the model's
    output, as `RobustRegressor` does. Gradients exist once; second derivatives are refused.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import DependenceLoss
    >>> x = torch.linspace(-1, 1, 50)[:, None]
    >>> slope = torch.tensor(0.0, requires_grad=True)
    >>> loss = DependenceLoss()(x, 2 * x - slope * x)  # y = 2 x; the model is slope * x
    >>> loss.backward()
    >>> bool(loss > 0.3), bool(slope.grad < 0)
    (True, True)
    """

    names = ("x", "e")

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool | str = False,
        momentum: float | None = None,
    ) -> None:
        super().__init__(kernel, momentum)
        self.alpha = check_order(alpha)
        self.normalize = MUTUAL_INFORMATION.check_form(normalize)

    def forward(self, x: Tensor, e: Tensor) -> Tensor:
        """The loss of a batch: inputs (n, ...) and errors (n,) or (n, ...)."""
        return self.information(x=x, e=e)

    def information(self, **tensors: Tensor) -> Tensor:
        """I of two named tensors."""
        value = measure(formula_of(MUTUAL_INFORMATION, self.normalize), self.matrices(**tensors), self.alpha)
        return self._watched(value, self.alpha)


class ErrorEntropyLoss(KernelLoss):
    """H(e): the entropy of the errors of a model, in bits (minimum error entropy).

    Parameters
    ----------
    alpha, momentum
        As in `DependenceLoss`.
    kernel : Kernel or mapping, optional
        For the errors, or ``{"e": ...}``. With the default, the median distance in the batch, the value is the same
        for errors of any scale and only its gradient makes them smaller; to compare values between batches, fix the
        width, or average it with `momentum`.

    Notes
    -----
    As for `DependenceLoss`, a constant added to all errors changes nothing.

    Examples
    --------
    >>> import torch
    >>> from shearer.kernels import Gaussian
    >>> from shearer.neural import ErrorEntropyLoss
    >>> e = torch.tensor([-1.0, 0.0, 1.0, 3.0])
    >>> loss = ErrorEntropyLoss(kernel=Gaussian(1.0))
    >>> bool(loss(e) > loss(e / 2)), bool(loss(e) == loss(e + 1))
    (True, True)
    """

    names = ("e",)

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        momentum: float | None = None,
    ) -> None:
        super().__init__(kernel, momentum)
        self.alpha = check_order(alpha)

    def forward(self, e: Tensor) -> Tensor:
        """The loss of a batch of errors (n,) or (n, ...)."""
        return measure(formula_of(ENTROPY, False), self.matrices(e=e), self.alpha)


class HSICLoss(KernelLoss):
    """HSIC of inputs and errors, tr(K H L H) / (n - 1)^2 (the biased estimate; Greenfeld and Shalit 2020).

    Parameters
    ----------
    kernel, momentum
        As in `DependenceLoss`.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import HSICLoss
    >>> x = torch.linspace(-1, 1, 50)[:, None]
    >>> bool(HSICLoss()(x, x**2) > HSICLoss()(x, torch.cos(37 * x)))
    True
    """

    names = ("x", "e")

    def __init__(self, *, kernel: Kernel | Mapping[str, Kernel] | None = None, momentum: float | None = None) -> None:
        super().__init__(kernel, momentum)

    def forward(self, x: Tensor, e: Tensor) -> Tensor:
        """The loss of a batch: inputs (n, ...) and errors (n,) or (n, ...)."""
        first, second = self.matrices(x=x, e=e)
        return hsic(first, second)


class TotalCorrelationLoss(KernelLoss):
    """T of any number of tensors: what they share, for codes that should share nothing.

    Parameters
    ----------
    alpha, momentum
        As in `DependenceLoss`.
    kernel : Kernel or mapping, optional
        For all tensors, or for those named x1, x2, ... by position. ``Delta()`` is the kernel of class labels.
    normalize : bool, default False
        T in bits, or T*, at most 1.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import TotalCorrelationLoss
    >>> _ = torch.manual_seed(0)
    >>> code = torch.randn(100, 3)
    >>> tangled = code + code.sum(dim=1, keepdim=True)
    >>> loss = TotalCorrelationLoss()
    >>> bool(loss(tangled) > loss(code)), bool(loss(code) == loss(code[:, 0], code[:, 1], code[:, 2]))
    (True, True)
    """

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool = False,
        momentum: float | None = None,
    ) -> None:
        super().__init__(kernel, momentum)
        self.alpha = check_order(alpha)
        self.normalize = TOTAL_CORRELATION.check_form(normalize)

    def forward(self, *tensors: Tensor) -> Tensor:
        """The loss of a batch: several tensors (n, ...), or one of shape (n, L) whose columns are the variables."""
        if len(tensors) == 1 and isinstance(tensors[0], Tensor) and tensors[0].ndim == 2:
            tensors = tensors[0].unbind(dim=1)
        if len(tensors) < 2:
            raise value_error("tensors", "at least 2, or one of shape (n, L)", f"{len(tensors)}")
        named = {f"x{position}": tensor for position, tensor in enumerate(tensors, start=1)}
        check_kernels(self.kernel, tuple(named))
        value = measure(formula_of(TOTAL_CORRELATION, self.normalize), self.matrices(**named), self.alpha)
        return self._watched(value, self.alpha)
