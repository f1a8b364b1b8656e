"""Dependence among any number of variables of any dimension, by matrix-based Rényi entropy."""

from typing import Any

from shearer import kernels
from shearer.measures import (
    Dependence,
    Subsampling,
    co_information,
    dual_total_correlation,
    entropy,
    mutual_information,
    o_information,
    s_information,
    shearer_gap,
    total_correlation,
)
from shearer.spectrum import Estimate, ToleranceError

__version__ = "0.1.0"

__all__ = [
    "Dependence",
    "Estimate",
    "Subsampling",
    "ToleranceError",
    "co_information",
    "datasets",
    "dual_total_correlation",
    "entropy",
    "kernels",
    "mutual_information",
    "o_information",
    "s_information",
    "shearer_gap",
    "testing",
    "total_correlation",
]

# Loaded on first use: `import shearer` costs numpy and scipy.linalg only.
_LAZY = ("datasets", "testing")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return importlib.import_module(f"shearer.{name}")
    raise AttributeError(f"module 'shearer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
