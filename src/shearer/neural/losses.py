"""Losses for a training loop: dependence of input and error, entropy of the error, HSIC, total correlation.

Kernel matrices are formed in single precision at least, also under autocast. For finite tensors of two or more rows the
value and its gradient are finite: equal rows, a constant error and rows far apart included.
"""

from collections.abc import Mapping

from torch import Tensor

from shearer._validate import check_option, value_error
from shearer.kernels import Kernel
from shearer.measures.registry import ENTROPY, MUTUAL_INFORMATION, TOTAL_CORRELATION
from shearer.neural.batch_kernels import check_kernels, is_traced
from shearer.neural.chance_levels import above_chance, chance_hsic, excess
from shearer.neural.loss_bases import ChanceLoss, KernelLoss
from shearer.neural.matrix_information import centered_information, hsic, measure
from shearer.neural.residuals import refuse_differences_of_all, residuals
from shearer.neural.robust.estimator_options import check_order, check_switch

FORMS = ("centered", "raw")


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
        What the last batch shows beyond chance: 0 without dependence, and on average the same at every batch size. Of
        the centered form, the value itself; of the raw form at alpha=2, the value of so many rows that their
        similarities with themselves do not count. Other orders have none, and asking for it is an error.
    above_chance : float
        The value of the last batch less its mean with the rows permuted, at any order. Compare it between batches of
        one size: in smaller ones the same dependence counts for less.

    Notes
    -----
    The loss does not see a constant that is added to all errors: after training, add the mean error to the model's
    output, as `RobustRegressor` does. Gradients exist once; second derivatives are refused. The loss can be
    compiled (``torch.compile(fullgraph=True)``), and at alpha=2 in bits `torch.func` can transform it.

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

    def _excess(self, matrices: list[Tensor]) -> float:
        if self.form == "centered":
            return float(centered_information(*matrices))
        _refuse_other_orders(self.alpha)
        return excess(MUTUAL_INFORMATION, self.normalize, matrices)

    def _above_chance(self, matrices: list[Tensor]) -> tuple[float, float]:
        if self.form == "centered":
            return float(centered_information(*matrices)), 0.0
        return above_chance(MUTUAL_INFORMATION, self.normalize, matrices, self.alpha)


def _refuse_other_orders(alpha: float) -> None:
    """How much of a spectrum few rows show depends on how many they are, and on nothing that is known of them."""
    if alpha != 2:
        hint = "above_chance is the value less that of permuted rows; compare it between batches of one size."
        raise value_error("excess", "alpha=2, where it is the same at every batch size", f"alpha={alpha:g}", hint)


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
    if not is_traced():
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
        The unbiased estimate of the last batch: 0 by chance, the same on average at every batch size; needs four rows.
    above_chance : float
        The value of the last batch less its mean with the rows permuted.

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

    def _excess(self, matrices: list[Tensor]) -> float:
        first, second = matrices
        return float(hsic(first, second, unbiased=True))

    def _above_chance(self, matrices: list[Tensor]) -> tuple[float, float]:
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

    Attributes
    ----------
    excess, above_chance : float
        As of the raw form of `DependenceLoss`.

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

    def _excess(self, matrices: list[Tensor]) -> float:
        _refuse_other_orders(self.alpha)
        return excess(TOTAL_CORRELATION, self.normalize, matrices)

    def _above_chance(self, matrices: list[Tensor]) -> tuple[float, float]:
        return above_chance(TOTAL_CORRELATION, self.normalize, matrices, self.alpha)
