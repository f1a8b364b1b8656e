"""Kernel matrices of the tensors of a batch: where a loss meets the kernels.

The core forms a Gram operator that can work without a matrix; a batch is small, its matrix is wanted, and its distances
serve both the width and the kernel. What is not a Gaussian goes through the core as it is.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import Function

from shearer._arrays import to_numpy
from shearer._blocks import Block
from shearer._validate import check_names, describe, type_error, value_error
from shearer.kernels import Gaussian, Kernel, _check_kernel, bandwidth
from shearer.kernels.distances import DIRECT_DIMENSIONS, direct
from shearer.kernels.radial import LARGEST_EXPONENT, LARGEST_SINGLE_EXPONENT, Radial, decay

#: Turns the width that a batch suggests into the one to use.
Settle = Callable[[float], float]

# Squared distances below this part of the squared norms are taken by differences: the product form is then off by no
# more than 0.4 * 2000 epsilon in any entry of the kernel matrix.
_CLOSE = 1e-3
# Of the largest float: what a kernel in single precision leaves of far rows, exp(-80), times the rate is then nothing.
_LARGEST_RATE = 1e-8

DEFAULT = Gaussian()


def check_kernels(
    kernel: Kernel | Mapping[str, Kernel] | None, names: Sequence[str] | None
) -> Kernel | dict[str, Kernel]:
    """The kernel of all tensors, or those of the named ones; any name passes where `names` are not known yet."""
    if not isinstance(kernel, Mapping):
        return DEFAULT if kernel is None else _check_kernel(kernel)
    if names is not None:
        check_names("kernel", kernel, names)
    return {str(name): _check_kernel(own) for name, own in kernel.items()}


def read_batch(tensors: Mapping[str, Any]) -> dict[str, Tensor]:
    """Tensors of any shape (n, ...) as floats of shape (n, d), with the same rows, on one device, in one precision."""
    rows = {name: _read_rows(name, tensor) for name, tensor in tensors.items()}
    first, *others = rows
    for name in others:
        if len(rows[name]) != len(rows[first]):
            got = f"{len(rows[name])} against {len(rows[first])} of {first}"
            raise value_error(name, "as many rows in every tensor", got)
        if rows[name].device != rows[first].device:
            got = f"{rows[name].device} against {rows[first].device} of {first}"
            raise value_error(name, "tensors on one device", got, "Move them with .to(device).")
    if len({values.dtype for values in rows.values()}) == 1:
        return rows
    return {name: values.double() for name, values in rows.items()}


def _read_rows(name: str, tensor: Any) -> Tensor:
    expected = "a tensor of numbers of shape (n, ...)"
    if not isinstance(tensor, Tensor):
        raise type_error(name, expected, describe(tensor), "torch.as_tensor makes one of an array.")
    if tensor.is_complex() or tensor.is_quantized or tensor.layout != torch.strided:
        raise type_error(name, expected, f"{tensor.dtype}, {tensor.layout}")
    if tensor.ndim == 0 or tensor[:1].numel() == 0:
        raise value_error(name, expected, f"shape {tuple(tensor.shape)}")
    if len(tensor) < 2:
        hint = "The last batch of an epoch may be short: DataLoader(..., drop_last=True)."
        raise value_error(name, "at least 2 rows", f"{len(tensor)}", hint)
    # Half precision has too few digits for distances; integers have none for exponentials.
    wide = tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()
    return wide.reshape(len(tensor), -1)


def kernel_matrix(name: str, values: Tensor, kernel: Kernel, settle: Settle) -> Tensor:
    """The matrix K of a batch (n, d), with unit diagonal; widths are constants in its derivative."""
    if type(kernel) is Gaussian:
        return _gaussian_matrix(name, values, kernel, settle)
    _check_finite(name, values, values)
    if isinstance(kernel, Radial) and not isinstance(bandwidth.check(kernel.bandwidth), float):
        kernel = replace(kernel, bandwidth=settle(kernel.width(values)))
    return kernel.gram(Block("continuous", values), values).dense()


def _gaussian_matrix(name: str, values: Tensor, kernel: Gaussian, settle: Settle) -> Tensor:
    points, squared = values, None
    if values.shape[1] > DIRECT_DIMENSIONS:
        squared = _distances_by_product(values.detach())
        if squared is None:  # far from the origin, or really close to each other
            points = values - values.detach().mean(dim=0)
            squared = _distances_by_product(points.detach())
    by_product = squared is not None
    squared = direct(points, points) if squared is None else squared
    _check_finite(name, values, squared)
    width = bandwidth.check(kernel.bandwidth)
    if not isinstance(width, float):
        width = settle(_width(width, values, squared.detach()))
    rate = decay_rate(width, values.dtype)
    return GaussianMatrix.apply(points, squared, rate) if by_product else decay(squared * rate)


def decay_rate(width: float, dtype: torch.dtype) -> float:
    """1 / (2 width^2), below the range of floats: at infinity 0 times the rate would not be 0."""
    return min(0.5 / width / width, float(torch.finfo(dtype).max) * _LARGEST_RATE)


class GaussianMatrix(Function):
    """exp(-rate |x_i - x_j|^2) of rows whose squared distances are at hand."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, squared: Tensor, rate: float) -> Tensor:
        """The kernel matrix."""
        most = LARGEST_EXPONENT if squared.dtype == torch.float64 else LARGEST_SINGLE_EXPONENT
        matrix = (squared * -rate).clamp_(min=-most).exp_()
        ctx.save_for_backward(rows, matrix)
        ctx.rate = rate
        return matrix

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, None]:
        """Row i: sum_j (slope_ij + slope_ji) K_ij 2 rate (x_j - x_i)."""
        rows, matrix = ctx.saved_tensors
        weights = (slope + slope.T) * matrix
        return 2.0 * ctx.rate * (weights @ rows - weights.sum(dim=1, keepdim=True) * rows), None, None


def _distances_by_product(points: Tensor) -> Tensor | None:
    """Squared distances between rows by one matrix product, or None where that would lose digits."""
    products = points @ points.T
    norms = products.diagonal()
    sums = norms[:, None] + norms
    squared = sums - products.mul_(2.0)
    # The diagonal, exactly 0, is close by right.
    return None if int((squared <= sums.mul_(_CLOSE)).sum()) > len(points) else squared


def _check_finite(name: str, values: Tensor, derived: Tensor) -> None:
    """Sums carry what is not finite: looking at one number is enough."""
    if math.isfinite(derived.detach().sum()):
        return
    count = int((~torch.isfinite(values)).sum())
    if count:
        hint = "A diverging model makes them: a smaller learning rate may help."
        raise value_error(name, "finite numbers", f"{count} that are not", hint)
    raise value_error(name, f"numbers whose squares are within the range of {values.dtype}", "larger ones")


def _width(rule: bandwidth.Rule, values: Tensor, squared: Tensor) -> float:
    """The width by a rule; the two rules of distances alone need no second look at the values."""
    if rule is bandwidth.median:
        return middle_distance(squared.cpu().numpy().reshape(-1).take(upper_triangle(len(squared))))
    if rule is bandwidth.authors_dib:
        return float(squared.sqrt().mean(dtype=torch.float64)) / math.sqrt(2.0) or 1.0
    return bandwidth.resolve(rule, to_numpy(values))


def middle_distance(squared: NDArray[Any]) -> float:
    """`bandwidth.median` from squared distances: the middle, or the mean of the two middle ones, of the non-zero."""
    zeros = int(np.count_nonzero(squared < np.finfo(squared.dtype).tiny))
    if zeros == squared.size:
        return 1.0
    low, high = zeros + (squared.size - zeros - 1) // 2, zeros + (squared.size - zeros) // 2
    parted = np.partition(squared, high)
    below = parted[high] if low == high else parted[:high].max()
    return (math.sqrt(below) + math.sqrt(parted[high])) / 2.0


@lru_cache(maxsize=8)
def upper_triangle(n: int) -> NDArray[np.intp]:
    """Positions of the pairs i < j in a flat n x n matrix; batches come in few sizes."""
    rows, columns = np.triu_indices(n, 1)
    return rows * n + columns
