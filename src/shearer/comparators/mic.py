"""Maximal information coefficient: the best normalised mutual information over grids of two columns."""

from typing import Any

import numpy as np

from shearer._validate import check_option, check_positive, value_error
from shearer.comparators.grids import Floats, best_information, equal_rows, find_clumps
from shearer.comparators.inputs import scalars

ESTIMATORS = ("approx", "equicharacteristic")


def mic(
    *data: Any,
    exponent: float = 0.6,
    clumps: float = 15.0,
    estimator: str = "approx",
    missing: str = "error",
) -> float:
    """Maximal information coefficient of two columns, from 0 to 1; 0 where either is constant.

    The largest I(x, y) / ln min(x, y) over grids of x columns and y rows with x y <= n^exponent: one axis is cut into
    parts of equal size, the other where that tells most, and the other way round (Reshef et al. 2011, "Detecting novel
    associations in large data sets", algorithm ApproxMaxMI).

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two columns of numbers, or one table of two.
    exponent : float, default 0.6
        Of n in the largest number of cells, at most 1; at least 4 cells.
    clumps : float, default 15
        Runs between which cuts are sought, for each column of the grid. `math.inf`: all runs, the exact optimum.
    estimator : {"approx", "equicharacteristic"}
        "equicharacteristic": MIC_e, where the axis of equal parts has at least as many parts as the other; consistent
        for the population value (Reshef et al. 2016, "Measuring dependence powerfully and equitably").
    missing : {"error", "drop"}
        What to do with rows that lack a value.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.linspace(0, 1, 200)
    >>> [round(sh.comparators.mic(x, y), 4) for y in (x**3, (x - 0.5) ** 2, np.sin(6 * np.pi * x))]
    [1.0, 1.0, 1.0]
    """
    if check_positive("exponent", exponent) > 1:
        raise value_error("exponent", "a number from 0 to 1", f"{exponent}")
    if clumps != np.inf:
        check_positive("clumps", clumps)
    check_option("estimator", estimator, ESTIMATORS)
    x, y = scalars(data, missing)
    cells = max(len(x) ** exponent, 4.0)
    equal_is_finer = estimator == "equicharacteristic"
    return max(_best_score(x, y, cells, clumps, equal_is_finer), _best_score(y, x, cells, clumps, equal_is_finer))


def _best_score(x: Floats, y: Floats, cells: float, clumps_a_column: float, equal_is_finer: bool) -> float:
    """The largest score over grids whose rows, of y, are of equal size."""
    by_x, by_y = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
    ascending_x, ascending_y = x[by_x], y[by_y]
    best = 0.0
    for rows in range(2, int(cells // 2) + 1):
        columns = int(cells // rows)
        if equal_is_finer:
            columns = min(columns, rows)
        row = np.empty(len(y), dtype=np.intp)
        row[by_y] = equal_rows(ascending_y, rows)
        labels = row[by_x]
        most = len(x) if np.isinf(clumps_a_column) else max(1, int(clumps_a_column * columns))
        information = best_information(labels, rows, find_clumps(ascending_x, labels, most), columns)
        scores = information[1:] / np.log(np.minimum(np.arange(2, columns + 1), rows))
        best = max(best, float(scores.max()))
    return min(best, 1.0)
