"""Losses for a training loop: dependence of input and error, entropy of the error, HSIC, total correlation.

Kernel matrices are formed in single precision at least, also under autocast. For finite tensors of two or more rows the
value and its gradient are finite: equal rows, a constant error and rows far apart included.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from shearer._validate import check_option, check_positive, describe, value_error
from shearer.kernels import Kernel
from shearer.kernels.radial import Radial
from shearer.measures.registry import ENTROPY, MUTUAL_INFORMATION, TOTAL_CORRELATION
from shearer.neural.batch_kernels import DEFAULT, check_kernels, flatten_batch, is_traced, kernel_matrix
from shearer.neural.gathering import gathered
from shearer.neural.matrix_information import centered_information, chance_hsic, excess, hsic, measure
from shearer.neural.residuals import refuse_differences_of_all, residuals
from shearer.neural.robust.estimator_options import check_order, check_switch

FORMS = ("centered", "raw")
# What independent batches do not reach: this far below the chance level, and so many of its standard deviations.
_EXPLOITED, _DEVIATIONS = 0.05, 4.0
# Batches between two looks at the chance level, which cost a little.
_BETWEEN = 16


class KernelLoss(nn.Module):
    """What the losses have in common: kernels of named tensors, and widths that may be averaged over batches."""

    #: Names of the tensors, where their number is fixed.
    names: tuple[str, ...] | None = None

    running_widths: Tensor

    def __init__(
        self,
        kernel: Kernel | Mapping[str, Kernel] | None,
        momentum: float | None,
        width_gradient: bool,
        gather: bool,
    ) -> None:
        super().__init__()
        self.kernel = check_kernels(kernel, self.names)
        self.momentum = None if momentum is None else check_positive("momentum", momentum)
        if self.momentum is not None and self.momentum > 1:
            raise value_error("momentum", "a number above 0, at most 1, or None", describe(momentum))
        self.width_gradient = check_switch("width_gradient", width_gradient)
        if self.width_gradient and self.momentum is not None:
            hint = "An average over batches is a constant in the gradient."
            raise value_error("width_gradient", "False where widths are averaged (momentum)", "True", hint)
        self.gather = check_switch("gather", gather)
        self.register_buffer("running_widths", torch.zeros(0))

    def matrices(self, **tensors: Any) -> list[Tensor]:
        """The kernel matrices of the named tensors."""
        for name, tensor in tensors.items():
            self._refuse_ids(name, tensor)
        rows = flatten_batch(tensors)
        if self.gather:
            rows = {name: gathered(name, values) for name, values in rows.items()}
        device = next(iter(rows.values())).device
        if self.momentum is not None:
            self._make_room(len(rows))
        mixed = torch.is_autocast_enabled(device.type)
        with torch.autocast(device.type, enabled=False) if mixed else nullcontext():
            return [
                kernel_matrix(name, values, self._kernel_of(name), partial(self._settle, position), self.width_gradient)
                for position, (name, values) in enumerate(rows.items())
            ]

    def _refuse_ids(self, name: str, tensor: Any) -> None:
        """Distances between ids of tokens or of classes mean nothing."""
        integer = isinstance(tensor, Tensor) and tensor.dtype in (torch.int32, torch.int64)
        if integer and isinstance(self._kernel_of(name), Radial):
            hint = f'Of ids of tokens, pass embeddings; of classes, kernel={{"{name}": Delta()}}; of counts, .float().'
            raise value_error(name, "numbers, as floats", f"integers ({tensor.dtype}), as ids have", hint)

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

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Make the buffer as long as the one that comes."""
        saved = state.get(f"{prefix}running_widths")
        if saved is not None:
            self.running_widths = self.running_widths.new_zeros(saved.shape)
        super()._load_from_state_dict(state, prefix, *rest)

    def extra_repr(self) -> str:
        """The options."""
        options = {
            name: getattr(self, name)
            for name in ("alpha", "form", "normalize", "unbiased", "kernel", "width_gradient", "momentum", "gather")
            if name in vars(self)
        }
        return ", ".join(f"{name}={value!r}" for name, value in options.items())


class ChanceLoss(KernelLoss, ABC):
    """A loss of several tensors, which by chance has a level of its own."""

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self._last: list[Tensor] = []
        self._calls = 0
        self._has_warned = False

    @property
    def excess(self) -> float:
        """The value of the last batch less its chance level: what it is, on average, with the rows permuted."""
        if not self._last:
            raise value_error("excess", "a batch before", "none", "Call the loss first; compiled calls leave no trace.")
        return self._excess(self._last)[0]

    @abstractmethod
    def _excess(self, matrices: list[Tensor]) -> tuple[float, float]:
        """The value less its chance level, and how much that varies where a model could push below it."""

    def _noted(self, value: Tensor, matrices: list[Tensor]) -> Tensor:
        """The value; the batch is kept for `excess`, and now and then compared with chance."""
        if is_traced(*matrices):
            return value
        self._last = [matrix.detach() for matrix in matrices]
        if not self._has_warned and self._can_be_exploited and self._calls % _BETWEEN == 0:
            self._warn_below_chance()
        self._calls += 1
        return value

    #: Whether a model can learn to push the loss below what independence gives.
    _can_be_exploited = False

    def _warn_below_chance(self) -> None:
        found, spread = self._excess(self._last)
        if found < -_EXPLOITED - _DEVIATIONS * spread:
            self._has_warned = True
            warnings.warn(
                f"the loss is {-found:.2f} bits below its chance level: the model is learning to push it there, which "
                "is not independence. Raw information of order 2 rewards errors that are alike where inputs are not; "
                'form="centered" and alpha=1.01 do not.',
                stacklevel=5,
            )

    def __getstate__(self) -> dict[str, Any]:
        """Without the last batch."""
        return {**self.__dict__, "_last": []}


class DependenceLoss(ChanceLoss):
    """I(x; e): how much the errors of a model tell about its inputs (paper, Algorithm 1).

    Parameters
    ----------
    alpha : float, default 2
        Order of the entropy, above 0. 2 needs no eigenvalues and is several times faster than any other.
    form : {"centered", "raw"}, optional
        "centered" (the default at alpha=2): log2(1 + HSIC_u / (mean similarities)), 0 by chance at any batch size.
        "raw" (the default, and the only one, elsewhere): the paper's I = H(x) + H(e) - H(x, e). Raw at alpha=2 it can
        be negative, and a flexible model can learn to make it so instead of learning the data; a warning says when it
        does (docs: neural, "Which order").
    kernel : Kernel or mapping, optional
        For both tensors, or ``{"x": ..., "e": ...}``. Default: Gaussian, its width the median distance in the batch.
        ``Gaussian(0.5)`` has a fixed width, ``Gaussian("silverman")`` one by a rule, ``Gaussian("median",
        scale=0.25)`` a quarter of the median.
    normalize : bool or str, default False
        False: bits. True or "max": over the larger of the two entropies (the paper's I*); "min", "joint", "mean",
        "sqrt": as in `shearer.mutual_information`; raw only. A quotient also falls where its denominator grows:
        normalised, the loss can reward larger errors (docs: neural, "Bits or I*").
    momentum : float, optional
        Above 0, at most 1: widths by a rule are averaged over batches, the newest with this weight, in training mode
        only; in evaluation mode the average stays. Saved in the ``state_dict``. Default: each batch has its own.
    width_gradient : bool, default False
        Whether the gradient knows that a width by a rule moves with the values. Without, the gradient also shrinks
        errors, which the value does not reward.
    gather : bool, default False
        In a distributed training, take the rows of all processes together; every process has the same value.

    Attributes
    ----------
    excess : float
        The value of the last batch less its chance level. Of the centered form, the value itself, on average the same
        at every batch size; of the raw form 0 by chance, but smaller in small batches where there is dependence.

    Notes
    -----
    The loss does not see a constant that is added to all errors: after training, add the mean error to the model's
    output, as `RobustRegressor` does. Gradients exist once; second derivatives are refused. At alpha=2 in bits
    the loss can be compiled (``torch.compile(fullgraph=True)``), and `torch.func` can transform it.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import DependenceLoss
    >>> x = torch.linspace(-1, 1, 50)[:, None]
    >>> slope = torch.tensor(0.0, requires_grad=True)
    >>> loss = DependenceLoss()
    >>> value = loss(x, slope * x, 2 * x)  # inputs, outputs, targets; or loss(x, errors)
    >>> value.backward()
    >>> bool(value > 0.3), bool(slope.grad < 0)
    (True, True)
    """

    names: tuple[str, ...] | None = ("x", "e")

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        form: str | None = None,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool | str = False,
        momentum: float | None = None,
        width_gradient: bool = False,
        gather: bool = False,
    ) -> None:
        super().__init__(kernel, momentum, width_gradient, gather)
        self.alpha = check_order(alpha)
        self.normalize = MUTUAL_INFORMATION.check_form(normalize)
        self.form = _checked_form(form, self.alpha, self.normalize)

    def forward(self, x: Tensor, e: Tensor, target: Tensor | None = None) -> Tensor:
        """The loss of a batch.

        Parameters
        ----------
        x : Tensor
            Inputs (n, ...).
        e : Tensor
            Errors (n,) or (n, ...); outputs, where there is a target.
        target : Tensor, optional
            Targets of the outputs' shape, or positions (n,) of classes, whose errors are indicators less probabilities.
        """
        return self.information(x=x, e=_errors(e, target))

    def information(self, **tensors: Tensor) -> Tensor:
        """I of two named tensors."""
        matrices = self.matrices(**tensors)
        if self.form == "centered":
            return self._noted(centered_information(*matrices), matrices)
        return self._noted(measure(MUTUAL_INFORMATION, self.normalize, matrices, self.alpha), matrices)

    @property
    def _can_be_exploited(self) -> bool:  # type: ignore[override]
        return self.form == "raw" and self.alpha == 2

    def _excess(self, matrices: list[Tensor]) -> tuple[float, float]:
        if self.form == "centered":
            return float(centered_information(*matrices)), 0.0
        return excess(MUTUAL_INFORMATION, self.normalize, matrices, self.alpha)


def _checked_form(form: str | None, alpha: float, normalize: bool | str) -> str:
    """The form asked for, or the one that there is."""
    exists = alpha == 2 and normalize is False
    if form is None:
        return "centered" if exists else "raw"
    check_option("form", form, FORMS)
    if form == "centered" and not exists:
        got = f"alpha={alpha:g}, normalize={normalize!r}"
        raise value_error("form", '"raw", unless alpha=2 and normalize=False', f'"centered" with {got}')
    return form


def _errors(e: Tensor, target: Tensor | None) -> Tensor:
    """Errors as they are, or of outputs against targets."""
    if target is not None:
        return residuals(e, target)
    if not (isinstance(e, Tensor) and is_traced(e)):
        refuse_differences_of_all(e)
    return e


class ErrorEntropyLoss(KernelLoss):
    """H(e): the entropy of the errors of a model, in bits (minimum error entropy).

    Parameters
    ----------
    alpha, momentum, width_gradient, gather
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
        width_gradient: bool = False,
        gather: bool = False,
    ) -> None:
        super().__init__(kernel, momentum, width_gradient, gather)
        self.alpha = check_order(alpha)

    def forward(self, e: Tensor, target: Tensor | None = None) -> Tensor:
        """The loss of a batch of errors (n,) or (n, ...), or of outputs and targets."""
        return measure(ENTROPY, False, self.matrices(e=_errors(e, target)), self.alpha)


class HSICLoss(ChanceLoss):
    """HSIC of inputs and errors, tr(K H L H) / (n - 1)^2 (the biased estimate; Greenfeld and Shalit 2020).

    Parameters
    ----------
    unbiased : bool, default False
        The unbiased estimate (Song et al. 2012), 0 by chance at any batch size; needs four rows.
    kernel, momentum, width_gradient, gather
        As in `DependenceLoss`.

    Attributes
    ----------
    excess : float
        The value of the last batch less its chance level.

    Examples
    --------
    >>> import torch
    >>> from shearer.neural import HSICLoss
    >>> x = torch.linspace(-1, 1, 50)[:, None]
    >>> bool(HSICLoss()(x, x**2) > HSICLoss()(x, torch.cos(37 * x)))
    True
    """

    names = ("x", "e")

    def __init__(
        self,
        *,
        unbiased: bool = False,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        momentum: float | None = None,
        width_gradient: bool = False,
        gather: bool = False,
    ) -> None:
        super().__init__(kernel, momentum, width_gradient, gather)
        self.unbiased = check_switch("unbiased", unbiased)

    def forward(self, x: Tensor, e: Tensor, target: Tensor | None = None) -> Tensor:
        """The loss of a batch: inputs (n, ...) and errors (n,) or (n, ...), or inputs, outputs and targets."""
        matrices = self.matrices(x=x, e=_errors(e, target))
        return self._noted(self._estimate(matrices), matrices)

    def _estimate(self, matrices: list[Tensor]) -> Tensor:
        first, second = matrices
        return hsic(first, second, self.unbiased)

    def _excess(self, matrices: list[Tensor]) -> tuple[float, float]:
        chance = 0.0 if self.unbiased else chance_hsic(*matrices)
        return float(self._estimate(matrices)) - chance, 0.0


class TotalCorrelationLoss(ChanceLoss):
    """T of any number of tensors: what they share, for codes that should share nothing.

    Parameters
    ----------
    alpha, momentum, width_gradient, gather
        As in `DependenceLoss`; there is the raw form alone.
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
        width_gradient: bool = False,
        gather: bool = False,
    ) -> None:
        super().__init__(kernel, momentum, width_gradient, gather)
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
        matrices = self.matrices(**named)
        return self._noted(measure(TOTAL_CORRELATION, self.normalize, matrices, self.alpha), matrices)

    @property
    def _can_be_exploited(self) -> bool:  # type: ignore[override]
        return self.alpha == 2

    def _excess(self, matrices: list[Tensor]) -> tuple[float, float]:
        return excess(TOTAL_CORRELATION, self.normalize, matrices, self.alpha)
