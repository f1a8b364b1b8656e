"""Checks of the estimators' options."""

from typing import Any

import torch

from shearer._validate import check_alpha, check_option, check_positive, describe, type_error, value_error
from shearer.inference.permutation.resampling import check_count as _check_count

DTYPES = {"float64": torch.float64, "float32": torch.float32}


def check_count(parameter: str, value: Any, least: int) -> int:
    """A whole number of at least that size."""
    _check_count(parameter, value, least)
    return int(value)


def check_switch(parameter: str, value: Any, more: str = "") -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise type_error(parameter, f"True or False{more}", describe(value))
    return value


def check_fraction(parameter: str, value: Any) -> float:
    """Above 0, below 1."""
    number = check_positive(parameter, value)
    if number >= 1:
        raise value_error(parameter, "a number above 0 and below 1", describe(value))
    return number


def check_not_negative(parameter: str, value: Any) -> float:
    """0, or a positive finite number."""
    zero = isinstance(value, int | float) and not isinstance(value, bool) and value == 0
    return 0.0 if zero else check_positive(parameter, value)


def check_dtype(dtype: Any) -> torch.dtype:
    """The floating type of that name."""
    return DTYPES[check_option("dtype", dtype, tuple(DTYPES))]


def check_device(device: Any) -> torch.device:
    """The device of that name, if this machine has it."""
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, TypeError, AssertionError, NotImplementedError) as error:
        expected = 'a device of this machine, such as "cpu" or "cuda"'
        raise value_error("device", expected, describe(device), str(error).split("\n")[0]) from error
    return found


def check_order(alpha: Any) -> float:
    """An order of the entropy that has a derivative."""
    order = check_alpha(alpha)
    if order == 0:
        raise value_error("alpha", "a number above 0", "0", "A rank has no derivative.")
    return order
