"""Dependence among any number of variables of any dimension, by matrix-based Rényi entropy.

Measure: `mutual_information`, `total_correlation`, `dual_total_correlation`, `entropy`, and the rest of the family,
`shearer_gap`, `o_information`, `s_information`, `co_information`; `Dependence` for several of them with bounds.
Test: `independence_test`, `interaction_test`, `permutation_test`, `confidence_interval`.
Screen a table: `scan`, `pairwise`, `triples`. Compare tables, or groups of rows: `compare`.
Rows that do not fit: `Sketch`. Widths and kernels: `shearer.kernels`.
Methods of the tables of pandas and polars, `df.shearer.scan()`: ``import shearer.accessors``.
"""

from typing import TYPE_CHECKING

from shearer import kernels, measures
from shearer._lazy import load_on_first_use
from shearer._memory import MemoryBudgetError
from shearer._version import __version__ as __version__
from shearer.measures import *  # noqa: F403
from shearer.spectrum import Estimate, ToleranceError

if TYPE_CHECKING:
    from shearer import (
        comparators,
        comparing,
        datasets,
        inference,
        neural,
        report,
        screening,
        sketching,
        testing,
        tools,
        yardstick,
    )
    from shearer.comparing import Comparison, compare
    from shearer.inference import TestResult, confidence_interval, independence_test, interaction_test, permutation_test
    from shearer.scanning import Scan, scan
    from shearer.screening import Pairwise, Triples, pairwise, triples
    from shearer.sketching import Sketch

__all__ = [
    "Comparison",
    "Estimate",
    "MemoryBudgetError",
    "Pairwise",
    "Scan",
    "Sketch",
    "TestResult",
    "ToleranceError",
    "Triples",
    "comparators",
    "compare",
    "comparing",
    "confidence_interval",
    "datasets",
    "independence_test",
    "inference",
    "interaction_test",
    "kernels",
    "neural",
    "pairwise",
    "permutation_test",
    "report",
    "scan",
    "screening",
    "sketching",
    "testing",
    "tools",
    "triples",
    "yardstick",
]
__all__ += measures.__all__

# Loaded on first use, so that `import shearer` costs numpy and scipy.linalg only: name -> module that has it.
_PARTS = ("comparators", "comparing", "datasets", "inference", "neural", "report", "screening", "sketching", "testing")
_LAZY = {name: f"shearer.{name}" for name in (*_PARTS, "tools", "yardstick")}
_LAZY |= dict.fromkeys(
    ("TestResult", "confidence_interval", "independence_test", "interaction_test", "permutation_test"),
    "shearer.inference",
)
_LAZY |= dict.fromkeys(("Pairwise", "Triples", "pairwise", "triples"), "shearer.screening")
_LAZY |= dict.fromkeys(("Scan", "scan"), "shearer.scanning")
_LAZY |= dict.fromkeys(("Comparison", "compare"), "shearer.comparing")
_LAZY["Sketch"] = "shearer.sketching"

__getattr__, __dir__ = load_on_first_use(globals(), _LAZY)
