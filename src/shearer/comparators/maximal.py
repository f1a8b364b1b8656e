"""The best normalised information over grids: of two columns, or of any number."""

import math
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from shearer._validate import check_option, check_positive, value_error
from shearer.comparators.grids import Codes, Floats, best_cut, best_information, equal_rows, find_clumps
from shearer.comparators.inputs import scalars, varies

ESTIMATORS = ("approx", "equicharacteristic")


def mic(
    *data: Any,
    exponent: float = 0.6,
    clumps: float = 15.0,
    estimator: str = "approx",
    missing: str = "error",
) -> float:
    """Compute the maximal information coefficient (MIC) of two columns; 0 if either is constant.

    The largest I / ln min(c, r) over grids of c by r cells with c r <= n^exponent, where I is the mutual information of
    the grid in nats. One axis is cut into parts with equal numbers of rows, the other where the cuts give the largest
    information, and the other way round (Reshef et al. 2011, "Detecting novel associations in large data sets",
    algorithm ApproxMaxMI).

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two columns of numbers, or one table of two.
    exponent : float, default 0.6
        A grid has at most n^exponent cells (but 4 are always allowed); above 0, at most 1.
    clumps : float, default 15
        Cuts are placed between runs of rows; there are at most so many runs for each part of the axis that is cut, c in
        the paper and its programs. `math.inf`: no limit, the exact optimum.
    estimator : {"approx", "equicharacteristic"}, default "approx"
        "equicharacteristic": MIC_e, where the axis of equal parts has at least as many parts as the other; consistent
        for the population value (Reshef et al. 2016, "Measuring dependence powerfully and equitably").
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        From 0 to 1. Independent columns score above 0, and more so with few rows.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.linspace(0, 1, 200)
    >>> [round(sh.comparators.mic(x, y), 4) for y in (x**3, (x - 0.5) ** 2, np.sin(6 * np.pi * x))]
    [1.0, 1.0, 1.0]
    """
    check_option("estimator", estimator, ESTIMATORS)
    x, y = (_Column.of(values) for values in scalars(data, missing))
    cells = _cells(exponent, len(x.order))
    clumps = len(x.order) if clumps == math.inf else check_positive("clumps", clumps)
    equal_is_finer = estimator == "equicharacteristic"
    return max(_best_score(x, y, cells, clumps, equal_is_finer), _best_score(y, x, cells, clumps, equal_is_finer))


def _cells(exponent: float, rows: int) -> float:
    """The largest number of cells of a grid of two columns."""
    if check_positive("exponent", exponent) > 1:
        raise value_error("exponent", "a number from 0 to 1", f"{exponent}")
    return max(math.pow(rows, exponent), 4.0)


def _best_score(x: "_Column", y: "_Column", cells: float, clumps: float, equal_is_finer: bool) -> float:
    """The largest score over grids whose rows, of y, are of equal size."""
    best = 0.0
    for rows in range(2, int(cells // 2) + 1):
        columns = int(cells // rows)
        if equal_is_finer:
            columns = min(columns, rows)
        labels = y.equal_rows(rows)[x.order]
        ends = find_clumps(x.ascending, labels, max(1, int(clumps * columns)))
        information = best_information(labels, rows, ends, columns)[1:]
        best = max(best, float(np.max(information / np.log(np.minimum(np.arange(2, columns + 1), rows)))))
    return min(best, 1.0)


def mac(*data: Any, exponent: float = 0.5, clumps: float = 2.0, missing: str = "error") -> float:
    """Compute the multivariate maximal correlation (MAC) of two or more columns.

    The largest (sum_i H(X_i^g) - H(X_1^g ... X_d^g)) / (sum_i ln n_i - max_i ln n_i) over grids g of n_i parts
    of column i, with n_i n_j <= n^exponent for every two columns (Nguyen et al. 2014, "Multivariate maximal correlation
    analysis"). Implemented from that definition with another search than the paper's, which orders the columns by
    cumulative entropy: first the pair and its grid are chosen as in `mic`, then, one after the other, the column and
    its cuts that give the largest score together with those before.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more columns of numbers, or one table.
    exponent : float, default 0.5
        1 - epsilon in the paper, above 0, at most 1. Two columns may always have 4 cells.
    clumps : float, default 2
        Cuts are placed between runs of rows; there are at most so many runs for each part.
    missing : {"error", "drop"}, default "error"
        Refuse rows with missing values, or leave them out.

    Returns
    -------
    float
        From 0 to 1. Constant columns are left out; 0 if fewer than two are not constant.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.linspace(-1, 1, 400)
    >>> round(sh.comparators.mac(x, x**2, x**3), 3)
    1.0
    """
    check_positive("clumps", clumps)
    values = scalars(data, missing, exactly=None)
    cells = _cells(exponent, len(values[0]))
    columns = [_Column.of(x) for x in values if varies(x)]
    if len(columns) < 2:
        return 0.0
    first = {
        (i, j, rows): _Grid.of(columns[i], rows).extended(columns[j], cells, clumps)
        for i, j in permutations(range(len(columns)), 2)
        for rows in range(2, int(cells // 2) + 1)
    }
    i, j, rows = max(first, key=lambda key: first[key].score)
    grid = first[i, j, rows]
    rest = [k for k in range(len(columns)) if k not in (i, j)]
    while rest:
        grids = [grid.extended(columns[k], cells, clumps) for k in rest]
        best = int(np.argmax([candidate.score for candidate in grids]))
        grid = grids[best]
        del rest[best]
    return grid.score


@dataclass(frozen=True)
class _Column:
    """Values in ascending order, and the rows they come from."""

    ascending: Floats
    order: Codes

    @classmethod
    def of(cls, values: Floats) -> "_Column":
        order = np.argsort(values, kind="stable")
        return cls(values[order], order)

    def equal_rows(self, rows: int) -> Codes:
        """The part of each row of the data in a cut into parts of equal size."""
        labels = np.empty_like(self.order)
        labels[self.order] = equal_rows(self.ascending, rows)
        return labels


@dataclass(frozen=True)
class _Grid:
    """Columns that are cut: the cell of each row, the parts of each column, their total correlation in nats."""

    labels: Codes
    parts: tuple[int, ...]
    information: float

    @classmethod
    def of(cls, column: _Column, rows: int) -> "_Grid":
        return cls(column.equal_rows(rows), (rows,), 0.0)

    @property
    def score(self) -> float:
        """The total correlation over its largest value for these numbers of parts."""
        logs = [math.log(parts) for parts in self.parts]
        return min(1.0, self.information / (sum(logs) - max(logs)))

    def extended(self, column: _Column, cells: float, clumps: float) -> "_Grid":
        """With one more column, cut so that the score is largest."""
        most = int(cells // max(self.parts))
        labels, levels = self.labels[column.order], int(self.labels.max()) + 1
        ends = find_clumps(column.ascending, labels, max(1, int(clumps * most)))
        gains = best_information(labels, levels, ends, most)
        grids = [
            _Grid(self.labels, (*self.parts, n), self.information + float(gains[n - 1])) for n in range(2, most + 1)
        ]
        best = max(grids, key=lambda grid: grid.score)
        part = np.empty_like(labels)
        part[column.order] = best_cut(labels, levels, ends, best.parts[-1])
        joint = np.unique(self.labels * most + part, return_inverse=True)[1].reshape(-1)
        return replace(best, labels=joint)
