"""Columns of numbers that are products or ratios of two others, up to a factor and to the digits that were written."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from shearer.scanning.columns.coded import Coded, Floats
from shearer.scanning.columns.computed import FEWEST_COUNTED, nearly_complete, resolution, some_rows

# Columns beyond which products are not looked for; different values that each of the three has at least; share of rows
# above 0, of whose logarithms products are sums.
_MOST_COLUMNS, _FEWEST_VALUES, _ABOVE_ZERO = 60, 8, 0.9
# Variance of logarithms that rounding may leave, of the smallest of the three; what numbers of seven digits leave; rows
# in which the formula need not hold, of all; what rounding may leave, of the spread of the result.
_LEFT, _SINGLE, _EXCEPTIONS, _VAGUE = 0.01, 5e-7, 0.01, 0.1
# Words for the powers of two columns.
_FORMS = {(1, 1): ("times", "times"), (1, -1): ("times", "over"), (1, -2): ("times", "over the square of")}


class Product(NamedTuple):
    """A column, the two it is computed from, how, by what factor, and in how many rows it is not."""

    names: list[str]
    how: list[str]
    factor: float
    exceptions: int


def products_of(columns: Sequence[Coded]) -> Iterable[Product]:
    """Columns of numbers that are products or ratios of two others before them.

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.scanning.columns.coded import coded_columns
    >>> rng = np.random.default_rng(0)
    >>> people, ill = rng.integers(1000, 9000, 50), rng.integers(10, 90, 50)
    >>> table = {"people": people, "ill": ill, "percent": np.round(100 * ill / people, 3)}
    >>> next(iter(products_of(list(coded_columns(read(table, missing="pairwise", pairwise=True).columns).values()))))
    Product(names=['percent', 'ill', 'people'], how=['times', 'over'], factor=100.0, exceptions=0)
    """
    usable, rows = nearly_complete([column for column in columns if _usable(column)])
    if not 3 <= len(usable) <= _MOST_COLUMNS:
        return
    values = np.stack([column.values[rows] for column in usable], axis=1)
    above = values[some_rows(np.flatnonzero((values > 0).all(axis=1)))]
    if len(above) < FEWEST_COUNTED:
        return
    spread = np.cov(np.log(above), rowvar=False)
    for place in range(2, len(usable)):
        for first, second, powers in _candidates(spread, place):
            found = _checked(values[:, [place, first, second]], powers)
            if found is not None:
                names = [usable[k].name for k in (place, first, second)]
                yield Product(names, list(_FORMS[powers]), *found)
                break


def _usable(column: Coded) -> bool:
    if column.dated or column.labels or column.distinct < _FEWEST_VALUES:
        return False
    with np.errstate(over="ignore"):
        return bool(column.levels[0] >= 0 and np.mean(column.values[~column.missing] > 0) >= _ABOVE_ZERO)


def _candidates(spread: Floats, place: int) -> Iterable[tuple[int, int, tuple[int, int]]]:
    """Columns before one whose logarithms, added or taken off, leave next to nothing of its own."""
    own = np.diagonal(spread)[:place]
    inner, cross = spread[:place, :place], spread[:place, place]
    for a, b in _FORMS:
        left = spread[place, place] + a * a * own[:, None] + b * b * own - 2 * (a * cross[:, None] + b * cross)
        left = left + 2 * a * b * inner
        least = np.minimum(np.minimum(own[:, None], own), spread[place, place])
        for first, second in np.argwhere(left < _LEFT * least).tolist():
            if first < second or (first > second and a != b):
                yield first, second, (a, b)


def _checked(values: Floats, powers: tuple[int, int]) -> tuple[float, int] | None:
    """The factor, and rows in which the formula does not give the column; None if it does not hold."""
    result, first, second = values.T
    some = (values > 0).all(axis=1)
    with np.errstate(all="ignore"):
        terms = first ** powers[0] * second ** powers[1]
        factor = _plain(float(np.median(result[some] / terms[some])), values[some], terms[some])
        expected = factor * terms
        # What rounding each of the two can change, and that of the result.
        digits = [resolution(column) for column in (result, first, second)]
        rounding = np.abs(expected) * (digits[1] / np.abs(first) + abs(powers[1]) * digits[2] / np.abs(second))
        room = 0.55 * (digits[0] + rounding) + _SINGLE * np.abs(expected)
        off = ~(np.abs(result - expected) <= room) & ~((result == 0) & (first == 0))
    exceptions = int(off.sum())
    vague = float(np.median(room[some])) > _VAGUE * float(result.std())
    return None if vague or exceptions > _EXCEPTIONS * len(result) else (factor, exceptions)


def _plain(factor: float, values: Floats, terms: Floats) -> float:
    """A number of few digits, where the column is as near to it; powers of ten have one."""
    error = float(np.median(np.abs(values[:, 0] - factor * terms)))
    most = 1.5 * error + _SINGLE * float(np.median(values[:, 0]))
    for digits in (1, 2, 3, 4):
        plain = float(f"{factor:.{digits}g}")
        if float(np.median(np.abs(values[:, 0] - plain * terms))) <= most:
            return plain
    return factor
