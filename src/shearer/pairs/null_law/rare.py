"""The least p-value that variables of few different values allow.

The tests without permutations take tails of continuous laws. Where all but few rows have the same value, as in columns
of rare labels, a statistic has few values with much chance each, and such a tail can be far smaller than the chance of
what was observed. No valid p-value is: it is raised to that chance, and for labels and two values, of which all tables
can be gone through, to the exact one. Of labels that occur a few times each the statistic counts pairs of rows that
have both labels in common, and where few of these are expected its tail is that of a count.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln, pdtrc

from shearer._cached import cached_property
from shearer.data.arrays import to_numpy
from shearer.data.table import Table
from shearer.data.variables import Variable
from shearer.pairs.limits import LARGEST_SATURATION

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

# p-values above are left alone: nobody takes them for evidence.
CERTAIN = 0.25
# Rows off the most frequent value of both variables that are expected to meet; beyond, laws are smooth.
_SMOOTH = 20.0
_MOST_TABLES = 20_000
# Cells of a table beyond which there are more such tables than that.
_MOST_CELLS = 10**6
# Pairs of rows alike in both labels that are expected; beyond, their number is smooth.
_SMOOTH_PAIRS = 10.0


def hardly_shared(times: Codes) -> bool:
    """True if too few rows have a label in common to say anything: its entropy of order 2 is close to its largest.

    Parameters
    ----------
    times : array of int
        How often each label occurs.

    Examples
    --------
    >>> hardly_shared(np.array([2, 1, 1, 1, 1, 1])), hardly_shared(np.array([3, 2, 2]))
    (True, False)
    """
    present = int(times.sum())
    return bool(-np.log2(np.sum((times / present) ** 2)) > LARGEST_SATURATION * np.log2(present))


def level_codes(variable: Variable) -> Codes:
    """Number the different values of a variable, row by row.

    Examples
    --------
    >>> from shearer.data import read
    >>> level_codes(read([2.5, 0.0, 2.5]).variables[0]).tolist()
    [1, 0, 1]
    """
    codes = []
    for block in variable.blocks:
        values = to_numpy(block.values)
        # Single numbers by themselves: rows of several are compared far more slowly.
        values, axis = (values.reshape(-1), None) if values.size == len(values) else (values, 0)
        codes.append(np.unique(values, axis=axis, return_inverse=True)[1].reshape(-1))
    return joint_codes(*codes)


def joint_codes(*codes: Codes) -> Codes:
    """Number the combinations of values of several variables."""
    joint = codes[0]
    for other in codes[1:]:
        joint = np.unique(joint * (int(other.max()) + 1) + other, return_inverse=True)[1]
    return joint


def _is_label(variable: Variable) -> bool:
    return variable.kind == "categorical"


def equally_unlike(variable: Variable, codes: Codes) -> bool:
    """Whether every two different values are equally unlike: labels, or two values."""
    return _is_label(variable) or int(codes.max()) < 2


def off_mode(codes: Codes) -> int:
    """Count the rows without the most frequent value."""
    return len(codes) - int(np.bincount(codes).max())


def off_mode_of(variable: Variable) -> int:
    """Count the rows of a variable without its most frequent value; quick where no value occurs twice."""
    values = to_numpy(variable.blocks[0].values)
    if values.size == len(values):
        ordered = np.sort(values.reshape(-1))
        if (ordered[1:] != ordered[:-1]).all():
            return len(values) - 1
    return off_mode(level_codes(variable))


def coarse(first: Any, second: Any, rows: Any) -> Any:
    """Whether so few rows off the most frequent values meet that laws are not smooth; numbers or arrays."""
    return np.asarray(first) * np.asarray(second) < _SMOOTH * np.asarray(rows)


def table_of(first: Codes, second: Codes) -> Codes:
    """Tabulate how often each two values occur together."""
    shape = int(first.max()) + 1, int(second.max()) + 1
    return np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape)


def least_pvalue(table: NDArray[Any], *, exact: bool) -> float:
    """What a p-value of independence of two variables cannot be below; 0 where laws are smooth.

    Parameters
    ----------
    table : array
        How often each two values meet.
    exact : bool
        True where every two different values are equally unlike: labels, or two values.

    Examples
    --------
    >>> round(least_pvalue(np.array([[9, 0], [0, 3]]), exact=True) * 220, 6)  # 3 of 12 places in 220 ways
    1.0
    """
    return _least_pvalue((table.sum(axis=1), table.sum(axis=0)), lambda: table[table > 0], lambda: table, exact)


def least_pvalue_of_codes(first: Codes, second: Codes, *, exact: bool) -> float:
    """The same from the codes of both values of every row: of many different values no table is made.

    Examples
    --------
    >>> rows = np.arange(10**6)
    >>> least_pvalue_of_codes(rows, rows[::-1], exact=False)
    0.0
    """
    margins = np.bincount(first), np.bincount(second)
    small = len(margins[0]) * len(margins[1]) <= _MOST_CELLS
    make = (lambda: table_of(first, second)) if small else None
    return _least_pvalue(margins, lambda: np.bincount(joint_codes(first, second)), make, exact)


def _least_pvalue(
    margins: tuple[Any, Any], meetings: Callable[[], Any], table: Callable[[], Any] | None, exact: bool
) -> float:
    """From how often each value occurs; how often those meet that do, and the table, are made where they are needed."""
    first, second = (np.asarray(margin, dtype=np.float64) for margin in margins)
    rows = first.sum()
    few_pairs = exact and bool(sparse(alike_pairs(first), alike_pairs(second), rows))
    few_rows = bool(coarse(rows - first.max(), rows - second.max(), rows))
    if not few_pairs and not few_rows:
        return 0.0
    found = table_pvalue(table()) if exact and table is not None else None
    if found is not None:
        return found
    if few_pairs:
        return coincidence_pvalue(first, second, meetings())
    logs = sum(gammaln(margin + 1.0).sum() for margin in (first, second)) - gammaln(meetings() + 1.0).sum()
    return float(np.exp(logs - gammaln(rows + 1.0)))


def alike_pairs(counts: Any) -> float:
    """Pairs of rows that have the same value, from how often each occurs."""
    counts = np.asarray(counts, dtype=np.float64)
    return float(np.sum(counts * (counts - 1))) / 2


def sparse(first: Any, second: Any, rows: Any) -> Any:
    """Whether so few pairs of rows are alike in two labels that their number is no smooth variable; arrays too."""
    rows = np.asarray(rows, dtype=np.float64)
    return np.asarray(first) * np.asarray(second) < _SMOOTH_PAIRS * rows * (rows - 1) / 2


def coincidence_pvalue(first: Any, second: Any, meetings: Any) -> float:
    """The chance of at least as many pairs of rows alike in both of two labels.

    By the negative binomial law of the exact mean and variance over all permutations, the Poisson law where the
    variance is no larger than the mean.

    Parameters
    ----------
    first, second : array
        How often each label occurs.
    meetings : array
        How often those meet that do.

    Examples
    --------
    >>> first = np.repeat(np.arange(30), 2)  # 30 labels, twice each; three of them always meet
    >>> second = np.concatenate([first[:6], np.tile(np.arange(3, 30), 2)])
    >>> round(coincidence_pvalue(np.bincount(first), np.bincount(second), table_of(first, second)), 3)
    0.015
    """
    margins = [np.asarray(margin, dtype=np.float64) for margin in (first, second)]
    n = margins[0].sum()
    observed = alike_pairs(meetings)
    if observed == 0:
        return 1.0
    # Ordered pairs of edges of a graph: the same, with a vertex in common, with none.
    whole = _meetings(np.array([n]))
    edges = [_meetings(margin) for margin in margins]
    terms = np.divide(edges[0] * edges[1], whole, out=np.zeros(3), where=whole > 0)
    mean = terms[0]
    variance = float(terms.sum()) - mean**2
    if variance <= mean * (1 + 1e-9):
        return float(pdtrc(observed - 1, mean))
    return float(betainc(observed, mean**2 / (variance - mean), 1 - mean / variance))


def _meetings(counts: Floats) -> Floats:
    edges = alike_pairs(counts)
    meeting = float(np.sum(counts * (counts - 1) * (counts - 2)))
    return np.array([edges, meeting, edges**2 - edges - meeting])


def least_pvalue_of(variables: Sequence[Variable]) -> float:
    """Find what a p-value of independence of two or more variables cannot be below."""
    codes = [level_codes(variable) for variable in variables]
    if len(codes) > 2:
        return chance_of_arrangement(codes)
    exact = all(equally_unlike(*pair) for pair in zip(variables, codes, strict=True))
    return least_pvalue_of_codes(*codes, exact=exact)


def chance_of_arrangement(codes: Sequence[Codes]) -> float:
    """How likely values are to meet as they do, if the rows of each variable come in any order.

    Examples
    --------
    >>> halves = np.array([0, 0, 1, 1])
    >>> round(chance_of_arrangement([halves, halves]), 6)
    0.166667
    """
    margins = sum(float(gammaln(np.bincount(own) + 1.0).sum()) for own in codes)
    cells = float(gammaln(np.bincount(joint_codes(*codes)) + 1.0).sum())
    return float(np.exp(margins - cells - (len(codes) - 1) * gammaln(len(codes[0]) + 1.0)))


def table_pvalue(table: NDArray[Any]) -> float | None:
    """The chance of a table at least as far from independence, by the sum of squares; None if there are too many.

    Examples
    --------
    >>> round(table_pvalue(np.array([[3, 0], [0, 3]])), 6)
    0.1
    """
    sides = [table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]]
    sides.append(sides[0].T)
    chosen = min(sides, key=_count)
    if _count(chosen) * chosen.shape[1] > _MOST_TABLES:
        return None
    rows, columns = (np.asarray(chosen.sum(axis=axis), dtype=np.float64) for axis in (1, 0))
    expected = np.multiply.outer(rows, columns) / rows.sum()
    observed = float(np.square(chosen - expected).sum())
    left, logs, squares = columns[None, :], np.zeros(1), np.zeros(1)
    order = np.argsort(rows, kind="stable")
    for row in order[:-1]:
        cells = _compositions(int(rows[row]), len(columns))
        after = left[:, None, :] - cells[None, :, :]
        state, cell = np.nonzero((after >= 0).all(axis=2))
        left = after[state, cell]
        logs = logs[state] - gammaln(cells + 1.0).sum(axis=1)[cell]
        squares = squares[state] + np.square(cells - expected[row]).sum(axis=1)[cell]
    logs -= gammaln(left + 1.0).sum(axis=1)
    squares += np.square(left - expected[order[-1]]).sum(axis=1)
    total = gammaln(rows + 1.0).sum() + gammaln(columns + 1.0).sum() - gammaln(rows.sum() + 1.0)
    far = squares >= observed * (1.0 - 1e-9) - 1e-9
    return min(1.0, float(np.exp(logs[far] + total).sum()))


def _count(table: NDArray[Any]) -> int:
    """No fewer than there are tables with these sums: the rows but the largest, each in any way over the columns."""
    rows, width = sorted(table.sum(axis=1).tolist())[:-1], table.shape[1]
    return prod(comb(int(row) + width - 1, width - 1) for row in rows)


@cache
def _compositions(total: int, parts: int) -> Floats:
    """All ways to write a number as a sum of so many from 0 on, one a row."""
    if parts == 2:
        first = np.arange(total + 1.0)
        return np.stack([first, total - first], axis=1)
    bars = np.array(list(combinations(range(total + parts - 1), parts - 1)), dtype=np.float64).reshape(-1, parts - 1)
    ends = np.full((len(bars), 1), total + parts - 1.0)
    return np.diff(np.concatenate([np.full((len(bars), 1), -1.0), bars, ends], axis=1), axis=1) - 1.0


class RarePairs:
    """Raises p-values of all pairs as `independence_test` raises that of one.

    Parameters
    ----------
    table : Table
        The variables.
    """

    def __init__(self, table: Table) -> None:
        self._variables = table.variables
        self._presence = table.presence
        self._codes: dict[int, tuple[Codes, bool]] = {}

    @cached_property
    def _off_mode(self) -> NDArray[np.intp]:
        return np.array([off_mode_of(variable) for variable in self._variables], dtype=np.intp)

    @cached_property
    def _alike_pairs(self) -> Floats:
        """Of labels; of numbers, which are more or less alike, more than there can be."""
        counts = (np.bincount(level_codes(item)) if _is_label(item) else [1e30] for item in self._variables)
        return np.array([alike_pairs(count) for count in counts])

    def _of(self, place: int) -> tuple[Codes, bool]:
        """The codes of a variable at all rows of the table, and whether all its values are equally unlike."""
        if place not in self._codes:
            variable = self._variables[place]
            codes = level_codes(variable)
            whole = np.zeros(self._presence.masks.shape[1], dtype=np.intp)
            whole[self._presence.rows(place)] = codes
            self._codes[place] = whole, equally_unlike(variable, codes)
        return self._codes[place]

    def raise_pvalues(self, pvalues: Floats, rows: slice, columns: slice) -> None:
        """In place; of shape (rows, columns)."""
        first, second = self._off_mode[rows], self._off_mode[columns]
        pairs, others = self._alike_pairs[rows], self._alike_pairs[columns]
        n = self._presence.masks.shape[1]
        if not pvalues.size or not (coarse(first.min(), second.min(), n) or sparse(pairs.min(), others.min(), n)):
            return  # as of most tables
        common = self._presence.counts(rows, columns)
        found = coarse(first[:, None], second[None, :], common) | sparse(pairs[:, None], others[None, :], common)
        found &= pvalues < CERTAIN
        places = [np.arange(len(self._variables))[run] for run in (rows, columns)]
        for i, j in zip(*np.nonzero(found), strict=True):
            pair = sorted((int(places[0][i]), int(places[1][j])))
            if pair[0] != pair[1]:
                pvalues[i, j] = max(pvalues[i, j], self._least(*pair))

    def _least(self, first: int, second: int) -> float:
        (a, alike), (b, likewise) = self._of(first), self._of(second)
        masks, pattern = self._presence.masks, self._presence.pattern
        both = masks[pattern[first]] & masks[pattern[second]]
        return least_pvalue_of_codes(a[both], b[both], exact=alike and likewise)
