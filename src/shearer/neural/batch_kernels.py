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

from shearer._validate import check_names, describe, type_error, value_error
from shearer.data.arrays import to_numpy
from shearer.data.variables import Block
from shearer.kernels import Delta, Gaussian, Kernel, _check_kernel, bandwidth
from shearer.kernels.distances import DIRECT_DIMENSIONS, direct
from shearer.kernels.radial import LARGEST_EXPONENT, LARGEST_SINGLE_EXPONENT, Radial, decay

#: Turns the width that a batch suggests, a number or where no number can be looked at a tensor, into the one to use.
Settle = Callable[[Any], Any]

# Squared distances below this part of the squared norms are taken by differences: the product form is then off by no
# more than 0.4 * 2000 epsilon in any entry of the kernel matrix.
_CLOSE = 1e-3
# Of the largest float: what a kernel in single precision leaves of far rows, exp(-80), times the rate is then finite.
_LARGEST_RATE = 1e-8
# Above this rate what is left of far rows, where the exponent ends, would show in the derivative: it is taken off.
_STEEP = 1e20

# Multiplications from which a product with itself is formed by halves, and in how many strips.
_WORTH_STRIPS, _STRIPS = 10_000_000, 4

DEFAULT = Gaussian()
_IN_TRACES = "where torch compiles or transforms functions, and where the gradient knows the width"
_KERNELS_IN_TRACES = "a Gaussian, or Delta, where torch compiles or transforms functions"


def check_kernels(
    kernel: Kernel | Mapping[str, Kernel] | None, names: Sequence[str] | None
) -> Kernel | dict[str, Kernel]:
    """The kernel of all tensors, or those of the named ones; any name passes where `names` are not known yet."""
    if not isinstance(kernel, Mapping):
        return DEFAULT if kernel is None else _check_kernel(kernel)
    if names is not None:
        check_names("kernel", kernel, names)
    return {str(name): _check_kernel(own) for name, own in kernel.items()}


def flatten_batch(tensors: Mapping[str, Any]) -> dict[str, Tensor]:
    """Flatten tensors of any shape (n, ...) to floats (n, d), with the same rows, on one device, in one precision.

    Not a second `shearer.data.read`: a loss takes tensors of numbers only, in every step of a training and inside
    `torch.compile` and `torch.func`, where no value may be looked at. Here only shapes, types and devices are.
    """
    rows = {name: _flatten(name, tensor) for name, tensor in tensors.items()}
    (first, known), *others = rows.items()
    for name, values in others:
        if values.shape[0] != known.shape[0]:
            got = f"{values.shape[0]} against {known.shape[0]} of {first}"
            raise value_error(name, "as many rows in every tensor", got)
        if values.device != known.device:
            got = f"{values.device} against {known.device} of {first}"
            raise value_error(name, "tensors on one device", got, "Move them with .to(device).")
    if len({values.dtype for values in rows.values()}) == 1:
        return rows
    return {name: values.double() for name, values in rows.items()}


def _flatten(name: str, tensor: Any) -> Tensor:
    expected = "a tensor of numbers of shape (n, ...)"
    if not isinstance(tensor, Tensor):
        raise type_error(name, expected, describe(tensor), "torch.as_tensor makes one of an array.")
    if tensor.is_complex() or tensor.is_quantized or tensor.layout != torch.strided:
        raise type_error(name, expected, f"{tensor.dtype}, {tensor.layout}")
    if tensor.ndim == 0 or tensor.numel() == 0:
        raise value_error(name, expected, f"shape {tuple(tensor.shape)}")
    rows = tensor.shape[0]
    if rows < 2:
        hint = "The last batch of an epoch may be short: DataLoader(..., drop_last=True)."
        raise value_error(name, "at least 2 rows", f"{rows}", hint)
    # Half precision has too few digits for distances; integers have none for exponentials.
    wide = tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()
    return wide if wide.ndim == 2 else wide.reshape(rows, -1)


def kernel_matrix(name: str, values: Tensor, kernel: Kernel, settle: Settle, width_gradient: bool = False) -> Tensor:
    """The matrix K of a batch (n, d), with unit diagonal; a width by a rule is a constant in its derivative, or not."""
    traced = is_traced()
    if type(kernel) is Gaussian:
        if traced:
            return _traced_matrix(values, kernel, settle, width_gradient)
        return _gaussian_matrix(name, values, kernel, settle, width_gradient)
    if traced:
        if type(kernel) is Delta:
            return (values[:, None, :] == values[None, :, :]).all(dim=2).to(values.dtype)
        raise value_error("kernel", _KERNELS_IN_TRACES, type(kernel).__name__)
    _check_finite(name, values, values)
    if isinstance(kernel, Radial) and not isinstance(bandwidth.check(kernel.bandwidth), float):
        if width_gradient:
            hint = "width_gradient=False holds the width."
            raise value_error("kernel", "a Gaussian where the gradient knows the width", describe(kernel), hint)
        kernel = replace(kernel, bandwidth=settle(kernel.width(values)))
    return kernel.gram(Block("continuous", values), values).dense()


def is_traced() -> bool:
    """Whether torch compiles, or transforms a function (vmap, func.grad): no number can then be looked at."""
    return torch.compiler.is_compiling() or is_transformed()


def is_transformed() -> bool:
    """Whether torch transforms a function (vmap, func.grad) that it does not compile.

    Inside it, also of a tensor that the function does not get but knows: what is made of it has no storage either.
    """
    return not torch.compiler.is_compiling() and torch._C._functorch.peek_interpreter_stack() is not None


def _traced_matrix(values: Tensor, kernel: Gaussian, settle: Settle, width_gradient: bool) -> Tensor:
    """The matrix by steps that depend on no number: it is not checked, and close rows far from 0 lose digits."""
    n, d = values.shape
    if d > DIRECT_DIMENSIONS:
        points = values - values.detach().mean(dim=0)
        products = points @ points.T
        norms = products.diagonal()
        squared = (norms[:, None] + norms - 2.0 * products).clamp(min=0.0)
        squared = squared * (1.0 - torch.eye(n, dtype=values.dtype, device=values.device))
    else:
        squared = (values[:, None, :] - values[None, :, :]).square().sum(dim=2)
    rule = bandwidth.check(kernel.bandwidth)
    if isinstance(rule, float):
        exponent = squared * decay_rate(rule, values.dtype)
    else:
        width = settle(tensor_width(rule, squared if width_gradient else squared.detach(), d))
        exponent = squared * (0.5 / width / width).clamp(max=float(torch.finfo(values.dtype).max) * _LARGEST_RATE)
    most = LARGEST_EXPONENT if values.dtype == torch.float64 else LARGEST_SINGLE_EXPONENT
    return torch.exp(-exponent.clamp(max=most))


def tensor_width(rule: bandwidth.Rule, squared: Tensor, d: int) -> Tensor:
    """The width by a rule from squared distances (n, n) between rows of d coordinates, as a tensor with a derivative.

    Examples
    --------
    >>> import torch
    >>> squared = torch.tensor([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]])
    >>> tensor_width(bandwidth.median, squared, 1)
    tensor(2.)
    """
    rule, factor = bandwidth.parted(rule)
    n = squared.shape[-1]
    apart = squared > torch.finfo(squared.dtype).tiny
    if rule is bandwidth.median:
        rows, columns = torch.triu_indices(n, n, 1, device=squared.device)
        ordered = squared[rows, columns].sort().values
        zeros = (ordered <= torch.finfo(squared.dtype).tiny).sum()
        last = len(ordered) - 1
        ranks = torch.stack([zeros + (last - zeros) // 2, zeros + (last + 1 - zeros) // 2]).clamp(max=last)
        width = _root(ordered.gather(0, ranks)).mean()
    elif rule is bandwidth.authors_dib:
        width = _root(squared).mean() / math.sqrt(2.0)
    elif rule in (bandwidth.silverman, bandwidth.scott):
        share = 4.0 / ((d + 2) * n) if rule is bandwidth.silverman else 1.0 / n
        width = _root(squared.sum() / (2.0 * n * (n - 1) * d)) * math.pow(share, 1.0 / (d + 4))
    else:
        expected = f'one of "median", "authors-dib", "silverman", "scott" or a number {_IN_TRACES}'
        raise value_error("bandwidth", expected, describe(rule))
    return factor * torch.where(apart.any(), width, torch.ones_like(width))


def _root(squared: Tensor) -> Tensor:
    """Square roots whose derivative at 0 is 0."""
    positive = squared > 0
    return torch.where(positive, squared, torch.ones_like(squared)).sqrt() * positive


def _gaussian_matrix(name: str, values: Tensor, kernel: Gaussian, settle: Settle, width_gradient: bool) -> Tensor:
    points, squared = values, None
    if values.shape[1] > DIRECT_DIMENSIONS:
        squared = _distances_by_product(values.detach())
        if squared is None:  # far from the origin, or really close to each other
            points = values - values.detach().mean(dim=0)
            squared = _distances_by_product(points.detach())
    by_product = squared is not None
    squared = direct(points, points) if squared is None else squared
    _check_finite(name, values, squared)
    width, pull = bandwidth.check(kernel.bandwidth), None
    if not isinstance(width, float):
        if width_gradient and values.requires_grad:
            pull = _pull(width, squared.detach(), values.shape[1])
        width = settle(_width(width, values, squared.detach()))
    rate = decay_rate(width, values.dtype)
    if pull is not None:
        return GaussianMatrix.apply(points, squared.detach(), rate, pull * (2.0 * rate / width))
    if not values.requires_grad:
        return _decayed(squared, rate)
    return GaussianMatrix.apply(points, squared, rate, None) if by_product else decay(squared * rate)


def _decayed(squared: Tensor, rate: float) -> Tensor:
    """The kernel matrix from squared distances, without derivative."""
    most = LARGEST_EXPONENT if squared.dtype == torch.float64 else LARGEST_SINGLE_EXPONENT
    return (squared * -rate).clamp_(min=-most).exp_()


def _pull(rule: bandwidth.Rule, squared: Tensor, d: int) -> Tensor:
    """The derivative of the width by a rule in every squared distance."""
    with torch.enable_grad():
        leaf = squared.clone().requires_grad_()
        width = tensor_width(rule, leaf, d)
        return torch.autograd.grad(width, leaf)[0] if width.requires_grad else torch.zeros_like(squared)


def decay_rate(width: float, dtype: torch.dtype) -> float:
    """1 / (2 width^2), below the range of floats: at infinity 0 times the rate would not be 0."""
    return min(0.5 / width / width, float(torch.finfo(dtype).max) * _LARGEST_RATE)


class GaussianMatrix(Function):
    """exp(-rate |x_i - x_j|^2) of rows whose squared distances are at hand."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, squared: Tensor, rate: float, pull: Tensor | None) -> Tensor:
        """The kernel matrix; `pull`: how the logarithm of the rate falls with every squared distance, over the rate."""
        matrix = _decayed(squared, rate)
        ctx.save_for_backward(rows, matrix, *(() if pull is None else (squared, pull)))
        ctx.rate = rate
        return matrix

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Row i: sum_j (slope_ij + slope_ji) K_ij 2 rate (x_j - x_i), and what the width adds."""
        rows, matrix, *more = ctx.saved_tensors
        if ctx.rate > _STEEP:
            most = LARGEST_EXPONENT if matrix.dtype == torch.float64 else LARGEST_SINGLE_EXPONENT
            matrix = matrix * (matrix > math.exp(1.0 - most))
        weights = (slope + slope.T) * (matrix * (2.0 * ctx.rate))
        if more:
            refuse_second_derivatives()
            squared, pull = more
            weights = weights - (pull + pull.T) * (2.0 * (slope * matrix * squared).sum())
        # A row gives itself nothing: of a steep kernel that would be a difference of infinities.
        weights.fill_diagonal_(0.0)
        return weights @ rows - weights.sum(dim=1, keepdim=True) * rows, None, None, None


def refuse_second_derivatives() -> None:
    """Where some parts are plain numbers, a derivative of the derivative would miss them."""
    if torch.is_grad_enabled():
        hint = "shearer.mutual_information, total_correlation and entropy take tensors and can be differentiated again."
        raise value_error("create_graph", "False: losses have first derivatives", "True", hint)


def _distances_by_product(points: Tensor) -> Tensor | None:
    """Squared distances between rows by one matrix product, or None where that would lose digits."""
    products = own_products(points)
    norms = products.diagonal()
    sums = norms[:, None] + norms
    squared = torch.sub(sums, products, alpha=2.0)
    # The diagonal, exactly 0, is close by right.
    return None if int(torch.count_nonzero(squared <= sums.mul_(_CLOSE))) > len(points) else squared


def own_products(points: Tensor) -> Tensor:
    """``points @ points.T``, without derivative; where that is long work, most above the diagonal is a copy of below.

    Examples
    --------
    >>> import torch
    >>> own_products(torch.tensor([[1.0, 2.0], [3.0, 0.0]]))
    tensor([[5., 3.],
            [3., 9.]])
    """
    n, d = points.shape
    if n * n * d < _WORTH_STRIPS or points.device.type != "cpu":
        return points @ points.T
    found = points.new_empty(n, n)
    step = -(-n // _STRIPS)
    for start in range(0, n, step):
        strip = found[start : start + step]
        torch.mm(points[start : start + step], points[: start + step].T, out=strip[:, : start + step])
        found[:start, start : start + step] = strip[:, :start].T
    return found


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
    inner, factor = bandwidth.parted(rule)
    if inner is bandwidth.median:
        middle = middle_distance(squared.cpu().numpy().reshape(-1).take(upper_triangle(len(squared))))
        return bandwidth.within_floats(factor * middle)
    if inner is bandwidth.authors_dib:
        mean = float(squared.sqrt().mean(dtype=torch.float64)) / math.sqrt(2.0) or 1.0
        return bandwidth.within_floats(factor * mean)
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
