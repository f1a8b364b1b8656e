"""Errors of outputs against targets, with the shapes that torch would silently broadcast refused."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from shearer._validate import describe, type_error, value_error
from shearer.neural.batch_kernels import is_traced


def residuals(output: Any, target: Any) -> Tensor:
    """Targets less outputs; for positions (n,) of classes, their indicators less probabilities (n, classes).

    Examples
    --------
    >>> import torch
    >>> residuals(torch.tensor([[1.0], [2.0]]), torch.tensor([1.5, 2.5]))
    tensor([[0.5000],
            [0.5000]])
    >>> residuals(torch.zeros(2, 4), torch.tensor([0, 3]))
    tensor([[ 0.7500, -0.2500, -0.2500, -0.2500],
            [-0.2500, -0.2500, -0.2500,  0.7500]])
    """
    for name, tensor in (("output", output), ("target", target)):
        if not isinstance(tensor, Tensor):
            raise type_error(name, "a tensor", describe(tensor))
    if output.shape == target.shape:
        return target - output
    is_class = not target.dtype.is_floating_point and target.ndim == 1 and output.ndim == 2 and output.shape[1] > 1
    if is_class and len(target) == len(output):
        classes = output.shape[1]
        if len(target) and not is_traced() and not 0 <= int(target.min()) <= int(target.max()) < classes:
            got = f"{int(target.min())} to {int(target.max())}"
            raise value_error("target", f"positions of classes, 0 to {classes - 1}", got)
        return functional.one_hot(target.long(), output.shape[1]).to(output.dtype) - torch.softmax(output, dim=1)
    if output.squeeze(-1).shape == target.squeeze(-1).shape and len(output) == len(target):
        return target.reshape(output.shape) - output
    got = f"{tuple(target.shape)} against {tuple(output.shape)}"
    raise value_error("target", "the shape of the output, or positions (n,) of its classes", got)


def refuse_differences_of_all(e: Any) -> None:
    """Refuse errors (n, n) that are differences of all outputs with all targets: (n,) less (n, 1) broadcasts."""
    if not isinstance(e, Tensor) or e.ndim != 2 or e.shape[0] != e.shape[1] or len(e) < 3:
        return
    errors = e.detach().double()
    steps = errors - errors[:, :1]
    # Differences in half precision are rounded more than that.
    least = max(1e-5, 4.0 * torch.finfo(e.dtype).eps if e.dtype.is_floating_point else 0.0)
    if not torch.allclose(steps, steps[:1].expand_as(steps), rtol=1e-4, atol=least * float(errors.abs().max())):
        return
    hint = "A target (n,) less an output (n, 1) has shape (n, n): pass loss(x, output, target), which takes care."
    raise value_error("e", "errors (n,) or (n, q)", f"{tuple(e.shape)}, differences of all with all", hint)
