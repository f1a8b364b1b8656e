"""The test of three columns, of whatever kinds, in all groups: does what they have beyond their pairs differ?"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.comparing.compared_groups import CLASSES
from shearer.comparing.group_tests import independent_groups, joined_pvalue
from shearer.comparing.label_pairs import kept_levels, odds_pvalue
from shearer.comparing.pairwise_excess import (
    ClassAxis,
    Excess,
    label_axis,
    number_axis,
    pairwise_excess,
    tested_degrees,
)
from shearer.comparing.read_groups import ReadGroups

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows that a triple must have in every group.
FEWEST_TRIPLE_ROWS = 200
#: Labels of a column that are told apart in a triple.
MOST_TRIPLE_LEVELS = 4
# Rows of the smallest group from which pairs are modelled by polynomials of so high a degree.
_DEGREES = ((5000, 5), (1000, 3), (0, 2))
_WEIGHTS = (0.5, 0.5)
_FEW_ROWS = f"fewer than {FEWEST_TRIPLE_ROWS} common rows in a group, or no variation: not tested"
_LEFT_OUT = "rows of labels that are rare in a group are left out"


class TestedTriple(NamedTuple):
    """The test of a triple: p-value, size of the excess and rows in each group, what is to be said."""

    pvalue: float
    excess: list[float]
    rows: list[int]
    notes: list[str]


def triple_test(read: ReadGroups, names: tuple[str, str, str], seed: int) -> TestedTriple:
    """Test whether the excess over a model of pairs is the same in all groups; of three labels, the odds ratios."""
    tables = [group.triple_counts(names) for group in read.groups]
    ordered = [read.kinds[name] == "number" for name in names]
    kept: list[Indices] = []
    for axis in range(3):
        margins = [_margin(table, axis) for table in tables]
        kept.append(np.arange(CLASSES) if ordered[axis] else kept_levels(margins, MOST_TRIPLE_LEVELS))
    chosen = [table[np.ix_(*kept)] for table in tables]
    rows = [int(table.sum()) for table in chosen]
    notes = [_LEFT_OUT] if any(own.sum() < table.sum() for own, table in zip(chosen, tables, strict=True)) else []
    used = [[np.flatnonzero(_margin(table, axis)) for axis in range(3)] for table in chosen]
    few = any(len(own) < (3 if number else 2) for each in used for own, number in zip(each, ordered, strict=True))
    if min(rows) < FEWEST_TRIPLE_ROWS or few:
        return TestedTriple(math.nan, [math.nan] * len(rows), rows, [*notes, _FEW_ROWS])
    filled = [table[np.ix_(*each)] for table, each in zip(chosen, used, strict=True)]
    shares = [
        np.mean([_margin(table, axis) / table.sum() for table in chosen], axis=0) if not number else None
        for axis, number in enumerate(ordered)
    ]
    degree = next(degree for least, degree in _DEGREES if min(rows) >= least)
    axes = [_axes(table, shares) for table in filled]
    found = [pairwise_excess(table, own, degree) for table, own in zip(filled, axes, strict=True)]
    sizes = [_size(own) for own in found]
    if not any(ordered):
        return TestedTriple(odds_pvalue(np.stack(chosen), seed), sizes, rows, notes)
    together = independent_groups([own.means for own in found], [own.covariance for own in found], rows)
    degrees = tested_degrees(axes[0])
    pvalue = joined_pvalue(together, (np.flatnonzero(degrees == 1).tolist(), range(len(degrees))), _WEIGHTS)
    return TestedTriple(pvalue, sizes, rows, notes)


def _axes(table: Floats, shares: Sequence[Floats | None]) -> list[ClassAxis]:
    """Classes of numbers by their shares in the group, labels by shares that are common to all groups."""
    return [
        number_axis(_margin(table, axis) / table.sum()) if own is None else label_axis(own)
        for axis, own in enumerate(shares)
    ]


def _margin(table: Floats, axis: int) -> Floats:
    found: Floats = table.sum(axis=tuple({0, 1, 2} - {axis}))
    return found


def _size(excess: Excess) -> float:
    """Root of the sum of squares of the excess, less what it is by chance."""
    return math.sqrt(max(float(excess.means @ excess.means - np.trace(excess.covariance)), 0.0))
