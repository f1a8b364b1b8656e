"""Statistics of rearranged variables: a measure by name, or a function of the caller's."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shearer._arrays import to_numpy
from shearer._blocks import Variable, Variables
from shearer._validate import describe, type_error, value_error
from shearer.entropy import SubsetEntropies
from shearer.inference.rearrangements import Order
from shearer.measures import formulas, normalize

MEASURES = (
    "total_correlation",
    "mutual_information",
    "dual_total_correlation",
    "o_information",
    "s_information",
    "co_information",
)
# Decimals kept of a measure: entropies err by some 1e-14 bits, and rearrangements that tie must not differ by that.
DECIMALS = 12


class Statistic(Protocol):
    """A number for the variables, the rows of each in an order of its own."""

    def __call__(self, orders: Sequence[Order]) -> float:
        """The statistic for these orders."""


@dataclass(frozen=True)
class Measure:
    """A measure of rearranged variables, from entropies of which those of single variables are known."""

    name: str
    entropies: SubsetEntropies
    count: int
    total: float
    ceiling: float

    @classmethod
    def of(cls, name: str, entropies: SubsetEntropies, count: int) -> "Measure":
        """With the entropies that no rearrangement changes."""
        if name == "mutual_information" and count != 2:
            hint = "total_correlation and dual_total_correlation take any number."
            raise value_error("data", "exactly 2 variables", f"{count}", hint)
        single = [float(entropies({i})) for i in range(count)]
        total = math.fsum(single)
        return cls(name, entropies, count, total, max(single) if name == "mutual_information" else total - max(single))

    def __call__(self, orders: Sequence[Order]) -> float:
        """T* and I* take one joint entropy, the others those of their subsets."""
        shuffled, everyone = self.entropies.shuffled(orders), range(self.count)
        if self.name in ("total_correlation", "mutual_information"):
            # No entropy to share is no dependence, as everywhere (0/0 = 0).
            raw = self.total - float(shuffled(set(everyone)))
            value = raw / self.ceiling if self.ceiling > 1e-12 else 0.0
        elif self.name == "dual_total_correlation":
            value = float(normalize.dual_total_correlation(everyone, frozenset(), True, shuffled))
        else:
            value = float(getattr(formulas, self.name)(everyone).evaluate(shuffled))
        return round(value, DECIMALS)


@dataclass(frozen=True)
class Function:
    """A function of the caller's, on arrays."""

    function: Callable[..., Any]
    arrays: tuple[NDArray[Any], ...]

    def __call__(self, orders: Sequence[Order]) -> float:
        """The function of the rearranged arrays, which must be a number."""
        answer = self.function(*(array[order] for array, order in zip(self.arrays, orders, strict=True)))
        try:
            value = float(answer)
        except (TypeError, ValueError) as error:
            raise type_error("statistic", "a function that returns one number", describe(answer)) from error
        if math.isnan(value):
            raise value_error("statistic", "a function that returns a number", "nan")
        return value


def statistic_of(function: Callable[..., Any], variables: Variables) -> Statistic:
    """A function as a statistic of rearranged variables.

    One that has an attribute `rearranged` is asked first: from the variables it may make the statistic itself, with
    kernels or distances formed once, or None where it cannot.
    """
    prepare = getattr(function, "rearranged", None)
    prepared: Statistic | None = None if prepare is None else prepare(variables)
    return prepared or Function(function, tuple(array_of(item) for item in variables.items))


def array_of(variable: Variable) -> NDArray[Any]:
    """A variable as a function gets it: numbers (n,) or (n, d); labels as codes, behind the numbers of a mixed one."""
    if any(block.kind == "object" for block in variable.blocks):
        raise type_error(variable.name, "numbers or labels", "objects", "A function as statistic gets arrays.")
    columns = [to_numpy(block.values) for block in variable.blocks]
    joined = columns[0] if len(columns) == 1 else np.column_stack(columns)
    return joined[:, 0] if joined.ndim == 2 and joined.shape[1] == 1 else joined


def is_constant(variable: Variable) -> bool:
    """True if all rows are equal."""
    return all(bool(np.all(to_numpy(b.values) == to_numpy(b.values)[:1])) for b in variable.blocks)
