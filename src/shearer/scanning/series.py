"""Numbers that follow each other in time: what their own past does not say, and their steps from row to row."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shearer.data.arrays import namespace, to_numpy
from shearer.data.columns import Column, Columns
from shearer.data.table import Table
from shearer.data.variables import Block, Variable

Floats = NDArray[np.float64]

# Rows for each coefficient of the longest model that is tried.
_ROWS_A_COEFFICIENT = 10
# A share of the variance below which what is left is round-off.
_ROUND_OFF = 1e-18


def whitened(table: Table) -> tuple[Table, int]:
    """A table without gaps in which every column of numbers is what its own past does not predict.

    The prediction is linear in the rows before (an autoregression); how many of them count is found for each column by
    Akaike's criterion. Labels and objects stay as they are. As many rows as the longest of these pasts are dropped at
    the beginning, and the second value is their number.

    Examples
    --------
    >>> from shearer.data import read
    >>> noise = np.random.default_rng(0).normal(size=300)
    >>> found, dropped = whitened(read({"walk": np.cumsum(noise), "label": ["a", "b"] * 150}))
    >>> left = found.variables[0].blocks[0].values[:, 0]
    >>> dropped, bool(np.corrcoef(left, noise[dropped:])[0, 1] > 0.98)
    (1, True)
    """
    found = [[_fitted(block) for block in variable.blocks] for variable in table.variables]
    dropped = max((order for blocks in found for _, orders in blocks for order in orders), default=0)
    variables = tuple(
        Variable(
            variable.name,
            tuple(
                Block(block.kind, left(dropped), block.levels)
                for block, (left, _) in zip(variable.blocks, fits, strict=True)
            ),
        )
        for variable, fits in zip(table.variables, found, strict=True)
    )
    kept = np.arange(table.rows) >= dropped
    return replace(table.take(kept), variables=variables), dropped


def _fitted(block: Block) -> tuple[Callable[[int], NDArray[np.generic]], list[int]]:
    """A function that gives what is left of a block from some row on, and the orders of its columns."""
    values = np.asarray(block.values)
    if block.kind != "continuous":
        return lambda start: values[start:], []
    fits = [autoregression(column) for column in values.T.astype(np.float64)]
    return lambda start: np.stack([left[start:] for left, _ in fits], axis=1), [order for _, order in fits]


def autoregression(series: Floats) -> tuple[Floats, int]:
    """What the rows before do not predict of a series, nan at the first rows; and how many rows before count.

    By least squares with a constant; the number of rows by Akaike's criterion, at most 10 log10(n) and n / 10, on the
    same rows for all. Where nothing but round-off is left it is 0.

    Examples
    --------
    >>> left, order = autoregression(np.arange(50.0))
    >>> order, left[order:].any().item()
    (1, False)
    """
    n = len(series)
    scale = float(np.max(np.abs(series - series[0])))
    if scale == 0 or not math.isfinite(scale):
        return np.zeros(n), 0
    unit = (series - series[0]) / scale
    unit -= unit.mean()
    most = max(0, min(int(10 * math.log10(n)), n // _ROWS_A_COEFFICIENT))
    total = float(unit[most:] @ unit[most:])
    best = (math.inf, 0)
    for order in range(most + 1):
        left = _residuals(unit[most - order :], order)
        squares = float(left @ left)
        if squares <= _ROUND_OFF * total:
            found = np.zeros(n)
            found[:order] = np.nan
            return found, order
        best = min(best, (len(left) * math.log(squares) + 2 * order, order))
    order = best[1]
    return np.concatenate([np.full(order, np.nan), _residuals(unit, order)]), order


def _residuals(series: Floats, order: int) -> Floats:
    """Of the regression on so many rows before, of which the first have too few."""
    rows = len(series) - order
    past = np.column_stack(
        [np.ones(rows), *(series[order - back : order - back + rows] for back in range(1, order + 1))]
    )
    now = series[order:]
    left: Floats = now - past @ np.linalg.lstsq(past, now, rcond=None)[0]
    return left


def differences(columns: Columns) -> Columns:
    """Every column of numbers as the step from the row before it; labels and objects stay, without their first row.

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read({"x": [1.0, 4.0, None, 9.0], "label": list("abca")}, missing="pairwise", pairwise=True)
    >>> found = differences(table.columns)
    >>> found["x"][0].values[:, 0].tolist(), found["label"][0].rows
    ([3.0, nan, nan], 3)
    """
    return {name: [_steps(part) for part in parts] for name, parts in columns.items()}


def _steps(column: Column) -> Column:
    if column.kind != "continuous":
        return column.take(np.arange(1, column.rows))
    steps = column.values[1:] - column.values[:-1]
    xp = namespace(steps)
    missing = to_numpy(xp.any(xp.isnan(steps), axis=1))
    return replace(column, values=steps, missing=missing, time=False)
