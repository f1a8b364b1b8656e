"""Bad input is refused with "parameter: expected ..., got ... . hint", and missing values are counted or dropped."""

import importlib
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest

import shearer as sh
from shearer._memory import MemoryBudgetError

X, Y, Z = np.random.default_rng(3).normal(size=(3, 8))
LABELS = list("abcabcab")
TABLE = {"length": X, "width": Y, "label": LABELS}
TOO_LONG = "n" * 10_000


def refused(error, parameter, *data, measure=sh.total_correlation, hint="", **options):
    """The message, after a check of its form."""
    with pytest.raises(error) as caught:
        measure(*data, **options)
    text = str(caught.value)
    assert text.startswith(f"{parameter}: expected ")
    assert ", got " in text
    assert hint in text
    assert len(text) < 400
    assert "\n" not in text
    return text


def library(name):
    return pytest.mark.needs(name)


def of(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


BAD_VALUES = {
    "infinity": (ValueError, np.where(X > 1, np.inf, X), "finite"),
    "infinite decimal": (ValueError, [Decimal("Infinity"), *range(7)], "finite"),
    "long double": (ValueError, np.array(["1e400", *range(7)], dtype=np.longdouble), "finite"),
    "huge integers": (ValueError, [10**400, *range(7)], "finite"),
    "complex array": (TypeError, X + 1j, "imaginary"),
    "complex list": (TypeError, [1j, *range(7)], "imaginary"),
    "complex objects": (TypeError, np.array([1j, *range(7)], dtype=object), "imaginary"),
    "0-D": (ValueError, np.array(1.0), "no sample"),
    "number": (TypeError, 1.0, "no sample"),
    "numpy number": (ValueError, np.float64(1), "no sample"),
    "3-D": (ValueError, X.reshape(2, 2, 2), "reshape"),
    "3-D list": (ValueError, X.reshape(2, 2, 2).tolist(), "reshape"),
    "no columns": (ValueError, np.empty((8, 0)), "at least one column"),
    "empty rows": (ValueError, [[]] * 8, "at least one column"),
    "text": (TypeError, "abcabcab", ""),
    "long text": (TypeError, TOO_LONG, "..."),
    "bytes": (TypeError, b"abcabcab", ""),
    "None": (TypeError, None, ""),
    "set": (TypeError, set(range(8)), ""),
    "mapping": (TypeError, {"a": X}, "alone"),
    "generator": (TypeError, (value for value in X), "list("),
    "iterator": (TypeError, map(float, X), "list("),
    "function": (TypeError, len, ""),
    "objects": (TypeError, [object()] * 8, "objects (object)"),
    "long objects": (TypeError, [[TOO_LONG], [1, 2], *[[i] for i in range(6)]], "objects (list)"),
    "text and numbers": (TypeError, ["a", 1, 2.5, *range(5)], "objects (float, int, str)"),
    "fields": (TypeError, np.zeros(8, dtype=[("a", float), ("b", int)]), "field"),
}


@pytest.mark.parametrize(("error", "value", "hint"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_values_that_are_no_variable(error, value, hint):
    refused(error, "x2", X, value, hint=hint)
    if not isinstance(value, dict) and not hasattr(value, "__next__"):
        refused(error, "bad", {"good": X, "bad": value})
        refused(error, "given1", X, Y, given=(value,))


@pytest.mark.parametrize(
    ("path", "arguments", "hint"),
    [
        pytest.param("torch.complex", 2, "imaginary", marks=library("torch")),
    ],
)
def test_placeholder(path, arguments, hint):
    pass
