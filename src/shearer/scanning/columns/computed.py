"""Columns of numbers that are sums or differences of others, up to the digits that were written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shearer.scanning.columns.coded import Coded, Floats, Indices

# Fewer rows than these can be 1, 2, 3 or in the same order by chance.
FEWEST_COUNTED = 10
# What numbers of seven digits leave of a sum, of their range.
_SINGLE = 5e-7
# Columns beyond which sums of others are not looked for; terms that a sum may have; digits looked at; rows by which
# sums are guessed.
_MOST_SUMMED, _MOST_TERMS, _MOST_DIGITS, _GUESSED = 200, 4, 9, 1000
# Share of the rows that columns of a sum have in common, where some lack values.
_IN_COMMON = 0.9
# What may be left of a column whose sum is looked for, of its spread; the smallest term, of the largest, and the same
# where others depend on each other; rows in which the sum need not hold, of all; fits without the rows that fit worst.
_LEFT, _LEAST_SHARES, _EXCEPTIONS, _REFITS = 0.15, (1e-3, 0.03), 0.01, 4


@dataclass(frozen=True)
class Sum:
    """A column, the others it is a sum of, "plus" or "less" each, a constant, and in how many rows it is not.

    Rows that lack one of the columns do not count.
    """

    names: list[str]
    how: list[str]
    constant: float
    exceptions: int


def sums_of(columns: Sequence[Coded]) -> Iterable[Sum]:
    """Columns of numbers that are sums or differences of others before them, and of a constant."""
    usable, rows = nearly_complete([column for column in columns if not column.dated and column.distinct > 2])
    if not 3 <= len(usable) <= _MOST_SUMMED or len(rows) < FEWEST_COUNTED + len(usable):
        return
    some = some_rows(rows)
    values = np.stack([column.values[some] for column in usable], axis=1)
    spread = values.std(axis=0)
    usable = [column for column, varies in zip(usable, spread > 0, strict=True) if varies]
    values, spread = values[:, spread > 0], spread[spread > 0]
    every = [column.values[rows] for column in usable]
    scaled = (values - values.mean(axis=0)) / spread
    # A column of which nothing is left once those before it are taken off is a sum of some of them.
    diagonal = np.abs(np.diagonal(np.linalg.qr(scaled, mode="r"))) / np.sqrt(len(values))
    free: list[int] = []
    for place in range(len(usable)):
        # Rounding leaves something, and so do a few rows in which it was not done: a count of rows follows.
        for terms in _terms(values, free, place) if diagonal[place] < _LEFT else ():
            constant, exceptions = _left_of(every, place, terms)
            if exceptions <= _EXCEPTIONS * len(rows):
                names = [usable[k].name for k in (place, *terms)]
                how = ["plus" if sign > 0 else "less" for sign in terms.values()]
                yield Sum(names, how, constant, exceptions)
                break
        else:
            free.append(place)


def nearly_complete(columns: Sequence[Coded]) -> tuple[list[Coded], Indices]:
    """Columns that lack few values, and the rows that all of them have: nine in ten or more.

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.scanning.columns.coded import coded_columns
    >>> table = {"a": range(20), "b": [None, *range(19)], "c": [None] * 9 + list(range(11))}
    >>> columns = coded_columns(read(table, missing="pairwise", pairwise=True).columns)
    >>> [column.name for column in nearly_complete(list(columns.values()))[0]]
    ['a', 'b']
    """
    chosen: set[str] = set()
    present = np.ones(len(columns[0].values) if columns else 0, dtype=bool)
    for column in sorted(columns, key=lambda column: int(column.missing.sum())):
        both = present & ~column.missing
        if both.sum() < _IN_COMMON * len(both):
            break
        present = both
        chosen.add(column.name)
    return [column for column in columns if column.name in chosen], np.flatnonzero(present)


def _terms(values: Floats, free: Sequence[int], place: int) -> Iterable[dict[int, float]]:
    """Columns and weights (1 or -1) of sums that may give a column: those of all weights, and of the large ones."""
    if len(free) < 2:
        return
    scale = values[:, free].std(axis=0)
    terms = np.column_stack([values[:, free] / scale, np.ones(len(values))])
    own, used = values[:, place], np.ones(len(values), dtype=bool)
    for _ in range(_REFITS):  # without the rows that fit worst
        weights = np.linalg.lstsq(terms[used], own[used], rcond=None)[0]
        residual = np.abs(own - terms @ weights)
        used = residual <= np.quantile(residual, 1.0 - 2 * _EXCEPTIONS)
    weights = weights[:-1]
    share = np.abs(weights) / np.abs(weights).max()
    for least in _LEAST_SHARES:
        chosen = np.flatnonzero(share > least).tolist()
        signs = np.round(weights[chosen] / scale[chosen])
        if 2 <= len(chosen) <= _MOST_TERMS and (np.abs(signs) == 1).all():
            yield dict(zip([free[k] for k in chosen], signs.tolist(), strict=True))


def _left_of(columns: Sequence[Floats], place: int, terms: Mapping[int, float]) -> tuple[float, int]:
    """What is left of a column less a sum of others: a constant, and rows that have something else."""
    used = [columns[k] for k in (place, *terms)]
    residual = used[0] - sum(sign * column for sign, column in zip(terms.values(), used[1:], strict=True))
    # A sum of nothing but whole numbers is exact.
    rounded = used if any(resolution(column) < 1 for column in used) else []
    allowed = _rounding(rounded, [1.0] * len(rounded)) + _SINGLE
    middle = float(np.median(residual))
    # The constant of the fewest digits that will do.
    for constant in (0.0, *(round(middle, digits) for digits in range(_MOST_DIGITS)), middle):
        exceptions = int((np.abs(residual - constant) > allowed).sum())
        if exceptions <= _EXCEPTIONS * len(residual):
            break
    return constant, exceptions


def some_rows(rows: Indices) -> Indices:
    """Rows by which a sum is guessed, before it is checked in all."""
    return rows[:: max(1, len(rows) // _GUESSED)]


def resolution(values: Floats) -> float:
    """The last digit that numbers were written with, as 0.01; 0 for more digits than one writes.

    Examples
    --------
    >>> resolution(np.array([1.5, 2.0])), resolution(np.array([3.0, 400.0])), resolution(np.array([1 / 3]))
    (0.1, 1.0, 0.0)
    """
    for digits in range(_MOST_DIGITS):
        scaled = values * 10.0**digits
        if (np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)).all():
            return float(10.0**-digits)
    return 0.0


def within_digits(residual: Floats, values: Sequence[Floats], weights: Sequence[float]) -> bool:
    """True if nothing is left of a sum but what rounding its terms leaves."""
    return float(np.abs(residual).max()) <= _rounding(values, weights)


def _rounding(values: Sequence[Floats], weights: Sequence[float]) -> float:
    """What rounding the terms of a sum can leave of it."""
    written = sum(abs(weight) * resolution(column) for column, weight in zip(values, weights, strict=True))
    spread = sum(abs(weight) * float(np.ptp(column)) for column, weight in zip(values, weights, strict=True))
    return 0.55 * written + _SINGLE * spread
