"""What the losses have in common: kernels and widths of named tensors, and what chance gives to a batch."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from shearer._user_warnings import warn_caller
from shearer._validate import check_positive, describe, value_error
from shearer.kernels import Delta, Kernel
from shearer.kernels.radial import Radial
from shearer.neural.batch_kernels import (
    DEFAULT,
    check_kernels,
    flatten_batch,
    is_traced,
    is_transformed,
    kernel_matrix,
)
from shearer.neural.gathering import counted_through, gathered
from shearer.neural.robust.estimator_options import check_switch

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
        rows = flatten_batch({name: self._told_apart(name, tensor) for name, tensor in tensors.items()})
        if self.gather:
            rows = {name: gathered(name, values) for name, values in rows.items()}
        device = next(iter(rows.values())).device
        if self.momentum is not None:
            self._prepare_averages(len(rows))
        mixed = torch.is_autocast_enabled(device.type)
        with torch.autocast(device.type, enabled=False) if mixed else nullcontext():
            return [
                kernel_matrix(name, values, self._kernel_of(name), partial(self._settle, position), self.width_gradient)
                for position, (name, values) in enumerate(rows.items())
            ]

    def _told_apart(self, name: str, tensor: Any) -> Any:
        """The tensor; ids are refused where distances between them mean nothing, else counted through.

        As floats, ids of eight digits would no longer all differ.
        """
        if not isinstance(tensor, Tensor) or tensor.dtype not in (torch.int32, torch.int64):
            return tensor
        kernel = self._kernel_of(name)
        if isinstance(kernel, Radial):
            hint = f'Of ids of tokens, pass embeddings; of classes, kernel={{"{name}": Delta()}}; of counts, .float().'
            raise value_error(name, "numbers, as floats", f"integers ({tensor.dtype}), as ids have", hint)
        if type(kernel) is not Delta or is_traced() or not tensor.ndim or not tensor.numel():
            return tensor
        return counted_through(name, tensor, self.gather)

    def _kernel_of(self, name: str) -> Kernel:
        return self.kernel.get(name, DEFAULT) if isinstance(self.kernel, dict) else self.kernel

    def _settle(self, position: int, width: Any) -> Any:
        """The width of the batch or, with momentum, the running average, which training alone moves."""
        if self.momentum is None:
            return width
        if isinstance(width, Tensor):
            return self._settled(self.momentum, position, width)
        known = float(self.running_widths[position])
        if self.training:
            known = width if known == 0 else known + self.momentum * (width - known)
            self.running_widths[position] = known
        return known or width

    def _settled(self, momentum: float, position: int, width: Tensor) -> Tensor:
        """The same where the width is a number that cannot be looked at."""
        if len(self.running_widths) == 0:
            return width
        known = self.running_widths[position].to(width.dtype)
        if self.training:
            known = torch.where(known == 0, width, known + momentum * (width - known))
            self.running_widths[position] = known.detach()
        return torch.where(known == 0, width, known)

    def _prepare_averages(self, count: int) -> None:
        """Room for as many running widths as there are tensors."""
        if is_transformed():
            if self.training:
                hint = "loss.eval() keeps the averages as they are."
                expected = "None where torch transforms functions (vmap, func.grad) in training mode"
                raise value_error("momentum", expected, f"{self.momentum:g}", hint)
            if len(self.running_widths) == 0:
                return
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
        """What the last batch shows beyond chance, 0 without dependence and on average the same at every batch size.

        A ValueError where there is no such number: at orders other than 2, and before the first batch.
        """
        return self._excess(self._seen("excess"))

    @property
    def above_chance(self) -> float:
        """The value of the last batch less what it is, on average, with the rows permuted.

        0 without dependence, at any order; of the same dependence it can be less in a smaller batch.
        """
        return self._above_chance(self._seen("above_chance"))[0]

    def _seen(self, name: str) -> list[Tensor]:
        """The matrices of the last batch."""
        if not self._last:
            raise value_error(name, "a batch before", "none", "Call the loss first; compiled calls leave no trace.")
        return self._last

    @abstractmethod
    def _excess(self, matrices: list[Tensor]) -> float:
        """What is the same at every batch size."""

    @abstractmethod
    def _above_chance(self, matrices: list[Tensor]) -> tuple[float, float]:
        """The value less its chance level, and how much that varies where a model could push below it."""

    def _noted(self, value: Tensor, matrices: list[Tensor]) -> Tensor:
        """The value; the batch is kept for `excess`, and now and then compared with chance."""
        if is_traced():
            return value
        # In place: a module looks closely at every attribute that is set, and this is done in every step.
        self._last[:] = [matrix.detach() for matrix in matrices]
        if self._can_be_exploited and not self._has_warned:
            if self._calls % _BETWEEN == 0:
                self._warn_below_chance()
            self._calls += 1
        return value

    #: Whether a model can learn to push the loss below what independence gives.
    _can_be_exploited = False

    def _warn_below_chance(self) -> None:
        found, spread = self._above_chance(self._last)
        if found < -_EXPLOITED - _DEVIATIONS * spread:
            self._has_warned = True
            warn_caller(
                f"the loss is {-found:.2f} bits below its chance level: the model is learning to push it there, which "
                "is not independence. Raw information of order 2 rewards errors that are alike where inputs are not; "
                'form="centered" and alpha=1.01 do not.'
            )

    def __getstate__(self) -> dict[str, Any]:
        """Without the last batch."""
        return {**self.__dict__, "_last": []}
