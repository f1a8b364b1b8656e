"""Rows of all processes of a distributed training, with derivatives."""

from typing import Any

import torch
from torch import Tensor, distributed
from torch.autograd import Function

from shearer._validate import value_error


def gathered(name: str, rows: Tensor) -> Tensor:
    """The rows of all processes, in the order of their ranks; as they are where nothing is distributed.

    The derivative is that of the sum of the losses of all processes, so that the mean that DistributedDataParallel
    takes of gradients is the gradient of the loss of all rows.
    """
    if not (distributed.is_available() and distributed.is_initialized()) or distributed.get_world_size() == 1:
        return rows
    count = torch.tensor([len(rows)], device=rows.device)
    counts = [torch.empty_like(count) for _ in range(distributed.get_world_size())]
    distributed.all_gather(counts, count)
    sizes = [int(each) for each in counts]
    if len(set(sizes)) > 1:
        hint = "DistributedSampler(..., drop_last=True) and DataLoader(..., drop_last=True) make them equal."
        raise value_error(name, "as many rows in every process", ", ".join(map(str, sizes)), hint)
    together: Tensor = AllRows.apply(rows)
    return together


def counted_through(name: str, labels: Tensor, gather: bool) -> Tensor:
    """A small number for each row of labels, the same for equal ones, where rows are gathered in all processes.

    Examples
    --------
    >>> import torch
    >>> counted_through("x", torch.tensor([70_000_001, 5, 70_000_001]), gather=False)
    tensor([1, 0, 1])
    """
    known = gathered(name, labels) if gather else labels
    numbers: Tensor = torch.unique(known, dim=0, return_inverse=True)[1]
    return numbers if len(known) == len(labels) else numbers.split(len(labels))[distributed.get_rank()]


class AllRows(Function):
    """Rows of all processes, one below the other."""

    @staticmethod
    def forward(_ctx: Any, rows: Tensor) -> Tensor:
        """Gather."""
        parts = [torch.empty_like(rows) for _ in range(distributed.get_world_size())]
        distributed.all_gather(parts, rows.contiguous())
        return torch.cat(parts)

    @staticmethod
    def backward(_ctx: Any, slope: Tensor) -> Tensor:
        """Add up the gradients of all processes, and keep those of the own rows."""
        total = slope.contiguous().clone()
        distributed.all_reduce(total)
        return total.tensor_split(distributed.get_world_size())[distributed.get_rank()]
