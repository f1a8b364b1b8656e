"""The width (bandwidth) of a kernel: a number, a rule by name, or any function of one variable's values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._threads import single_threaded_blas
from shearer._validate import check_positive, describe, suggest, type_error, value_error
from shearer.kernels.authors import authors_demo, authors_dib, authors_graph, authors_knn, authors_silverman
from shearer.kernels.samples import MOST_ROWS
from shearer.kernels.width_rules import EntropyFraction, Neighbors, median, scott, silverman

__all__ = [
    "MOST_ROWS",
    "RULES",
    "EntropyFraction",
    "Neighbors",
    "Rule",
    "Scaled",
    "authors_demo",
    "authors_dib",
    "authors_graph",
    "authors_knn",
    "authors_silverman",
    "median",
    "resolve",
    "scott",
    "silverman",
]

Rule: TypeAlias = Callable[[NDArray[np.float64]], float]

RULES: dict[str, Rule] = {
    "median": median,
    "silverman": silverman,
    "scott": scott,
    "knn": Neighbors(),
    "entropy": EntropyFraction(),
    "authors-silverman": authors_silverman,
    "authors-demo": authors_demo,
    "authors-graph": authors_graph,
    "authors-knn": authors_knn,
    "authors-dib": authors_dib,
}


@dataclass(frozen=True)
class Scaled:
    """A rule times a number: what ``Gaussian("median", scale=0.25)`` has.

    Parameters
    ----------
    rule : str or callable
        The rule, or its name.
    factor : float
        The number.

    Examples
    --------
    >>> import numpy as np
    >>> Scaled("median", 0.25)(np.array([[0.0], [1.0], [3.0]]))
    0.5
    """

    rule: str | Rule
    factor: float

    def __call__(self, values: NDArray[np.float64]) -> float:
        """The width for the values."""
        rule = check(self.rule)
        return self.factor * (rule if isinstance(rule, float) else rule(values))


def scaled(bandwidth: str | float | Rule, factor: float) -> str | float | Rule:
    """A number times the factor, or a rule that gives its widths times the factor."""
    rule = check(bandwidth)
    if factor == 1.0:
        return bandwidth
    return check(rule * factor) if isinstance(rule, float) else Scaled(bandwidth, factor)  # type: ignore[arg-type]


def parted(rule: Rule) -> tuple[Rule, float]:
    """The rule, and the number that its widths are multiplied by."""
    if not isinstance(rule, Scaled):
        return rule, 1.0
    inner, factor = parted(check(rule.rule))  # type: ignore[arg-type]
    return inner, factor * rule.factor


# Widths of normal floats whose double, and whose inverse, are floats too.
_SMALLEST, _LARGEST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max) / 2


@single_threaded_blas()
def resolve(bandwidth: str | float | Rule, values: NDArray[Any]) -> float:
    """Compute the kernel width of one variable.

    Parameters
    ----------
    bandwidth : str, float or callable
        A number, which is returned as it is; the name of a rule; or a function of an array (n, d) that returns a width.
        A function must return c times the width if all values are multiplied by c, and the same width if a constant is
        added: it is called with the values divided by a power of two, so that squares neither overflow nor vanish, and
        with constant coordinates set to 0.
    values : array
        The values, shape (n, d).

    Returns
    -------
    float
        The width, in the unit of the values.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [3.0]])
    >>> resolve("median", x)
    2.0
    >>> resolve(Neighbors(k=1), x)
    1.0
    >>> resolve(0.5, x)
    0.5
    """
    rule = check(bandwidth)
    if isinstance(rule, float):
        return rule
    scaled, shift = _scale(np.asarray(values, dtype=np.float64))
    width = check_positive("bandwidth", rule(scaled), " from its rule")
    with np.errstate(over="ignore", under="ignore"):
        return within_floats(float(np.ldexp(width, shift)))


def within_floats(width: float) -> float:
    """The nearest width that a kernel can have: next to it, values that are not normal floats are all alike.

    Examples
    --------
    >>> within_floats(5e-324), within_floats(1.0), within_floats(float("inf"))
    (2.2250738585072014e-308, 1.0, 8.988465674311579e+307)
    """
    return min(max(width, _SMALLEST), _LARGEST)


def check(bandwidth: Any) -> Rule | float:
    """The rule of that name, a rule as it is, or a width as a float."""
    if isinstance(bandwidth, str):
        if bandwidth not in RULES:
            expected = f"a positive number, a function or one of {', '.join(map(repr, RULES))}"
            raise value_error("bandwidth", expected, describe(bandwidth), suggest(bandwidth, RULES))
        return RULES[bandwidth]
    if isinstance(bandwidth, type):
        name = bandwidth.__name__
        raise type_error("bandwidth", "a rule", f"the class {name}", f"Make an instance: {name}().")
    if callable(bandwidth):
        rule: Rule = bandwidth
        return rule
    width = check_positive("bandwidth", bandwidth)
    if not _SMALLEST <= width <= _LARGEST:
        raise value_error("bandwidth", f"a number from {_SMALLEST:.3g} to {_LARGEST:.3g}", describe(bandwidth))
    return width


def _scale(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Values of size 1, and the power of two that they were divided by, which changes no digit.

    Constant coordinates, which no distance sees, become 0, or their size would hide that of the others.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    constant = low == high
    largest = float(np.max(np.where(constant, 0.0, np.maximum(np.abs(low), np.abs(high)))))
    shift = int(np.frexp(largest)[1])
    scaled = np.ldexp(values, -shift)
    scaled[:, constant] = 0.0
    return scaled, shift
