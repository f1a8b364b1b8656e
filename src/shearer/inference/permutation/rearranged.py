"""Statistics of rearranged variables: a measure by name, or a function of the caller's."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shearer._validate import describe, type_error, value_error
from shearer.data.arrays import to_numpy
from shearer.data.table import Table
from shearer.data.variables import Variable
from shearer.inference.permutation.rearrangements import Order
from shearer.measures.combination import no_entropy
from shearer.measures.entropies import Subset, SubsetEntropies
from shearer.measures.measure import Measure

# Decimals kept of a measure: entropies err by some 1e-14 bits, and rearrangements that tie must not differ by that.
DECIMALS = 12


class Statistic(Protocol):
    """A number for the variables, the rows of each in an order of its own."""

    def __call__(self, orders: Sequence[Order]) -> float:
        """The statistic for these orders."""


@dataclass(frozen=True)
class MeasureStatistic:
    """A measure of rearranged variables, from entropies of which those of single variables are known."""

    measure: Measure
    entropies: SubsetEntropies
    count: int

    @classmethod
    def of(cls, measure: Measure, entropies: SubsetEntropies, count: int) -> "MeasureStatistic":
        """With the entropies that no rearrangement changes."""
        measure.check_count(count)
        for index in range(count):
            entropies({index})
        return cls(measure, entropies, count)

    def __call__(self, orders: Sequence[Order]) -> float:
        """What is not known yet: of T* and I* one joint entropy."""
        shuffled = self.entropies.shuffled(orders)

        def bits(subset: Subset) -> float:
            return float(shuffled(subset))

        floor = no_entropy(shuffled.rows)
        return round(float(self.measure.values(self.count, bits, self.measure.is_normalized, floor)), DECIMALS)


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


def statistic_of(function: Callable[..., Any], table: Table) -> Statistic:
    """A function as a statistic of rearranged variables.

    One that has an attribute `rearranged` is asked first: from the table it may make the statistic itself, with
    kernels or distances formed once, or None where it cannot.
    """
    prepare = getattr(function, "rearranged", None)
    prepared: Statistic | None = None if prepare is None else prepare(table)
    return prepared or Function(function, tuple(array_of(own) for own in table.variables))


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
