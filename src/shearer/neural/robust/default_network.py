"""The network of an estimator: the user's own, or a small one sized from the data."""

import copy
from typing import Any

from torch import Tensor, nn

from shearer._validate import describe, type_error, value_error

_NARROWEST, _WIDEST = 16, 128


def make_network(module: Any, rows: int, inputs: int, outputs: int) -> nn.Module:
    """A copy of the user's module, what the user's function makes, or the default."""
    if module is None:
        return perceptron(inputs, hidden_width(rows, inputs), outputs)
    if isinstance(module, nn.Module):
        return copy.deepcopy(module)
    expected = "a torch module, a function (inputs, outputs) -> module, or None"
    if not callable(module):
        raise type_error("module", expected, describe(module))
    made = module(inputs, outputs)
    if not isinstance(made, nn.Module):
        raise type_error("module", expected, f"a function that returns {describe(made)}")
    return made


def hidden_width(rows: int, inputs: int) -> int:
    """Four units an input, within bounds, and not more than a quarter of the rows unless those are few.

    Examples
    --------
    >>> hidden_width(1000, 1), hidden_width(1000, 10), hidden_width(1000, 784), hidden_width(100, 784)
    (16, 40, 128, 25)
    """
    return max(_NARROWEST, min(4 * inputs, _WIDEST, rows // 4))


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Module:
    """Two hidden layers of one width."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, outputs)
    )


def check_output(output: Any, rows: int, outputs: int) -> Tensor:
    """What a network returns, as (n, q)."""
    if not isinstance(output, Tensor):
        raise type_error("module", "a module that returns a tensor", describe(output))
    if output.shape == (rows,) and outputs == 1:
        return output[:, None]
    if output.shape != (rows, outputs):
        expected = f"a module that returns shape ({rows}, {outputs}) for {rows} rows"
        raise value_error("module", expected, f"{tuple(output.shape)}")
    return output
