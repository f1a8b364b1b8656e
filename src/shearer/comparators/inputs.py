"""Read what a comparator is given as the measures do, and turn variables into plain arrays of float64."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import type_error, value_error
from shearer.data import Table, read
from shearer.data.arrays import to_numpy
from shearer.data.variables import Variable

Floats = NDArray[np.float64]


def compared(
    data: tuple[Any, ...], groups: Mapping[str, Iterable[str]] | None, missing: str, exactly: int | None = None
) -> Table:
    """Read the variables of a call: two or more, or the number that the measure is made for."""
    table = read(*data, groups=groups, missing=missing)
    count = len(table.variables)
    if exactly is not None and count != exactly:
        raise value_error("data", f"exactly {exactly} variables", f"{count}", "This measure is one of pairs.")
    if count < 2:
        raise value_error("data", "at least 2 variables", f"{count}", "A single one has nothing to depend on.")
    return table


def scalars(data: tuple[Any, ...], missing: str, exactly: int | None = 2) -> list[Floats]:
    """One column of numbers for each variable."""
    return [scalar(own) for own in compared(data, None, missing, exactly).variables]


def scalar(variable: Variable) -> Floats:
    """A variable as one column of numbers, or an error that says what it is instead."""
    values = numbers(variable)
    if values.shape[1] != 1:
        hint = "This measure takes scalars; hsic, distance_correlation and shearer's own measures take vectors."
        raise value_error(variable.name, "one column", f"{values.shape[1]}", hint)
    column: Floats = values[:, 0]
    return column


def numbers(variable: Variable) -> Floats:
    """A variable as an array (n, d) of numbers, or an error that says what it is instead."""
    if variable.kind != "continuous":
        got = {"categorical": "labels"}.get(variable.kind, f"{variable.kind} values")
        raise type_error(variable.name, "numbers", got, "This measure needs an order: turn them into numbers.")
    values: Floats = to_numpy(variable.blocks[0].values).astype(np.float64, copy=False)
    return values


def points(variable: Variable) -> Floats:
    """A variable as points (n, d); a label as the corner of a simplex, so that any two labels are 1 apart."""
    columns = []
    for block in variable.blocks:
        values = to_numpy(block.values)
        if block.kind == "object":
            raise type_error(variable.name, "numbers or labels", "objects", "Only a kernel of your own compares them.")
        if block.kind == "categorical":
            values = np.equal.outer(values, np.unique(values)) / np.sqrt(2.0)
        columns.append(values.astype(np.float64, copy=False))
    return np.hstack(columns)


def varies(values: Floats) -> bool:
    """Whether rows differ; of numbers whose range is more than a float holds, too.

    Examples
    --------
    >>> varies(np.array([1.7e308, -1.7e308])), varies(np.array([0.1, 0.1]))
    (True, False)
    """
    return bool((values != values[:1]).any())


def near_one(values: Floats) -> tuple[Floats, int]:
    """Values over a power of 4 by which the largest is near 1, exactly, and the exponent of that power.

    Examples
    --------
    >>> near_one(np.array([-48.0, 0.0, 16.0]))
    (array([-0.75,  0.  ,  0.25]), 3)
    """
    exponent = -(-int(np.frexp(np.abs(values).max())[1]) // 2)
    scaled: Floats = np.ldexp(values, -2 * exponent)
    return scaled, exponent


def standardized(values: Floats) -> Floats:
    """Columns of mean 0 and standard deviation 1; constant ones 0."""
    values = np.ldexp(values, -np.frexp(np.abs(values).max(axis=0))[1])  # exact; squares neither overflow nor vanish
    centered = values - values.mean(axis=0)
    size = centered.std(axis=0)
    scaled: Floats = np.divide(centered, size, out=np.zeros_like(centered), where=np.ptp(values, axis=0) > 0)
    return scaled


def ranks(values: NDArray[Any]) -> Floats:
    """Ranks from 1 of each column, ties at their mean."""
    from scipy.stats import rankdata

    ranked: Floats = rankdata(values, axis=0)
    return ranked
