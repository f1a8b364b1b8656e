"""Tables of three or more labels: the log-linear model without a term of all, and how far the counts are from it.

Of three labels that is the model of pairs, of k labels the one of all sets of k - 1.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_array

from shearer.pairs import limits

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

# Counts that every cell is expected to have for the chi-square law of the statistic.
_ENOUGH = 5.0
# Tables that are drawn from the model where it does not hold: first few, more where those leave it open.
_DRAWS = (99, 900)
_OPEN = 0.2
# Exceedances below which the tail of a fitted law is taken in place of their share.
_FEW = 10
# Sweeps that those get.
_FEW_SWEEPS = 40
# Sweeps of iterative proportional fitting, and the part of the rows that margins may then still be off.
_SWEEPS, _CLOSE = 400, 1e-4
# Sweeps of alternating projections, and the part of a function that the last one may still move.
_PROJECTIONS, _STILL = 60, 1e-8
_TINY = 1e-30
# Values of functions that are projected at a time.
_BAND = 2**20


class CountsTest(NamedTuple):
    """Statistic, p-value, degrees of freedom, bits added to what fewer explain beyond chance, and their error."""

    statistic: float
    pvalue: float
    degrees: int
    added: float
    error: float


def count_test(counts: Floats, seed: int = 0) -> CountsTest:
    """Test a table for a term of all its labels: exactly where each has two levels, else by Pearson's statistic.

    Where a cell is expected to have fewer than 5 rows, the law of the statistic comes from tables drawn from the model;
    with so few rows that the model is not known well that is not enough, and the larger of both p-values counts.

    Examples
    --------
    >>> xor = np.zeros((2, 2, 2))
    >>> xor[[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]] = 25
    >>> found = count_test(xor)
    >>> found.pvalue < 1e-9, round(found.added, 2)
    (True, 0.99)
    >>> round(count_test(np.full((2, 2, 2), 9.0)).pvalue, 6)
    1.0
    """
    rows = float(counts.sum())
    expected = fit_margins(counts[None])[0]
    statistic = float(_pearson(counts[None], expected[None])[0])
    seen_margins = [counts.sum(axis=axis, keepdims=True) > 0 for axis in range(counts.ndim)]
    possible = np.logical_and.reduce(np.broadcast_arrays(*seen_margins))
    degrees = _degrees(possible)
    if degrees < 1:
        return CountsTest(0.0, 1.0, 0, 0.0, 0.0)
    if set(counts.shape) == {2}:
        pvalue = _exact(counts)
    elif expected[possible].min() >= _ENOUGH:
        pvalue = float(special.chdtrc(degrees, statistic))
    else:
        pvalue = max(_drawn(statistic, expected, rows, seed), float(special.chdtrc(degrees, statistic)))
    seen = counts > 0
    ratios = np.log2(counts[seen] / np.maximum(expected[seen], 1e-12))
    shares = counts[seen] / rows
    mean = float(shares @ ratios)
    error = math.sqrt(max(float(shares @ ratios**2) - mean**2, 0.0) / rows)
    pvalue = max(pvalue, limits.SMALLEST_PVALUE)
    return CountsTest(statistic, pvalue, degrees, mean - degrees / (2 * rows * math.log(2.0)), error)


def fit_margins(tables: Floats, sweeps: int = _SWEEPS) -> Floats:
    """Tables without a term of all labels and with the margins of those given, by iterative proportional fitting."""
    fitted = np.ones_like(tables)
    axes, cells = range(tables.ndim - 1, 0, -1), tuple(range(1, tables.ndim))
    margins = [tables.sum(axis=axis, keepdims=True) for axis in axes]
    total = float(tables[0].sum())
    for _ in range(sweeps):
        worst = 0.0
        for axis, margin in zip(axes, margins, strict=True):
            own = fitted.sum(axis=axis, keepdims=True)
            worst = max(worst, float(np.abs(own - margin).sum(axis=cells).max()))
            fitted *= np.divide(margin, own, out=np.zeros_like(own), where=own > 0)
        if worst < _CLOSE * total:
            break
    return fitted


def unpaired(values: Floats, fitted: Floats) -> Floats:
    """Functions of the cells less their projections on all functions of all labels but one, in the fitted law.

    Parameters
    ----------
    values : array (k, *shape)
        The functions.
    fitted : array (*shape)
        The law.
    """
    # Cells without a share weigh nothing: of vectors, few have any.
    places = np.flatnonzero(fitted)
    law = fitted.ravel()[places]
    cells = np.unravel_index(places, fitted.shape)
    margins = []
    for axis in reversed(range(fitted.ndim)):
        codes = _cells_of_margin(cells, fitted.shape, axis)
        totals = np.bincount(codes, law)
        means = csr_array((law / totals[codes], (codes, np.arange(len(places)))), shape=(len(totals), len(places)))
        margins.append((means, codes))
    found = np.zeros((len(values), fitted.size))
    step = max(1, _BAND // len(places))
    for start in range(0, len(values), step):
        band = slice(start, start + step)
        found[band, places] = _projected(values[band].reshape(-1, fitted.size)[:, places].T, margins, law).T
    return found.reshape(values.shape)


def _cells_of_margin(cells: Sequence[Codes], shape: Sequence[int], axis: int) -> Codes:
    """The cell of the margin of all labels but one that each cell is of, numbered from 0."""
    others = [own for k, own in enumerate(cells) if k != axis]
    places = np.ravel_multi_index(others, [size for k, size in enumerate(shape) if k != axis])
    found: Codes = np.unique(places, return_inverse=True)[1]
    return found


def _projected(values: Floats, margins: Sequence[tuple[csr_array, Codes]], law: Floats) -> Floats:
    """Columns of values less, in turn until they are still, their means in each cell of a margin."""
    for _ in range(_PROJECTIONS):
        before = values
        for means, codes in margins:
            values = values - (means @ values)[codes]
        if float((law @ (values - before) ** 2).sum()) < _STILL * float((law @ values**2).sum()):
            break
    return values


def _pearson(tables: Floats, expected: Floats) -> Floats:
    squares = np.divide((tables - expected) ** 2, expected, out=np.zeros_like(tables), where=expected > 1e-9)
    found: Floats = squares.sum(axis=tuple(range(1, tables.ndim)))
    return found


def _degrees(possible: NDArray[np.bool_]) -> int:
    """Cells that may have rows, less the rank of what margins add up of them (Fienberg 1972)."""
    if possible.all():
        return math.prod(size - 1 for size in possible.shape)
    cells = np.nonzero(possible)
    margins = [_cells_of_margin(cells, possible.shape, axis) for axis in range(possible.ndim)]
    sums = [np.equal.outer(np.arange(codes.max() + 1), codes) for codes in margins]
    return len(cells[0]) - int(np.linalg.matrix_rank(np.concatenate(sums).astype(np.float64)))


def _exact(counts: Floats) -> float:
    """Given all margins of all labels but one a single count is free, and its law is known (Zelen 1971)."""
    sign = np.array([(-1.0) ** sum(cell) for cell in product((0, 1), repeat=counts.ndim)])
    plain = counts.ravel()
    down, up = int(plain[sign > 0].min()), int(plain[sign < 0].min())
    steps = np.arange(-down, up + 1.0)
    logs = -special.gammaln(plain + steps[:, None] * sign + 1.0).sum(axis=1)
    chances = np.exp(logs - special.logsumexp(logs))
    return min(1.0, float(chances[chances <= chances[down] * (1 + 1e-9)].sum()))


def _drawn(statistic: float, expected: Floats, rows: float, seed: int) -> float:
    """How often tables drawn from the model are as far from theirs; beyond what draws show, by a gamma law."""
    rng, found = np.random.default_rng(seed), np.empty(0)
    law = expected.ravel() / expected.sum()
    for size in _DRAWS:
        tables = rng.multinomial(int(rows), law, size=size).reshape(size, *expected.shape).astype(np.float64)
        found = np.concatenate([found, _pearson(tables, fit_margins(tables, _FEW_SWEEPS))])
        exceed = int((found >= statistic * (1 - 1e-9)).sum())
        if (1 + exceed) / (1 + len(found)) > _OPEN:
            break
    share = (1 + exceed) / (1 + len(found))
    mean, variance = float(found.mean()), float(found.var())
    if exceed >= _FEW or variance <= 0:
        return share
    return min(share, float(special.gammaincc(mean**2 / variance, statistic * mean / variance)))
