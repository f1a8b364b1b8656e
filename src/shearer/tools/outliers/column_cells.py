"""A column on a few cells, so that rows like a value, alone or together with one of another column, can be counted.

Numbers are placed by their normal scores, where a Gaussian weight says how alike two values are; labels are alike or
not. A weighted count of rows is a product of small matrices, whatever the number of rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.ndimage import gaussian_filter1d

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Cells of a column of numbers; one with fewer different values has a cell for each.
MOST_CELLS = 64
#: Levels of labels that are told apart; the rarer ones, those of a single row and those never seen count as one.
MOST_LEVELS = 32
#: Widths of the weights in normal scores, times rows^(-1/6), the rate for a density of two columns.
WIDTHS = (1.5, 0.75, 0.375)
# Weights below count nothing; products of numbers so small take a hundred times as long.
_NOTHING = 1e-9
# Cells of the density of a single column, and its reach to both sides in standard deviations of the middle 98 %.
_FINE_CELLS, _REACH = 1024, 10.0
#: Rows added to every count: nothing is impossible, and what few rows tell counts for little.
PRIOR = 0.5


@dataclass(frozen=True, eq=False)
class Cells:
    """A column of the training rows on cells.

    Attributes
    ----------
    knots : array
        The different values, rising.
    places : array
        Where they lie: normal scores of numbers, cells of labels.
    centers : array
        Of the cells.
    weights : array (widths, cells, cells)
        How alike two cells are, by each of `WIDTHS`: 1 for the same.
    is_label : bool
        Whether it holds labels, as whole numbers from 0.
    """

    knots: Floats
    places: Floats
    centers: Floats
    weights: Floats
    is_label: bool

    @classmethod
    def fit(cls, values: Floats, is_label: bool) -> "Cells":
        """The cells of a column.

        Examples
        --------
        >>> cells = Cells.fit(np.array([1.0, 1.0, 2.0, 50.0]), False)
        >>> cells.of(np.array([1.0, 60.0, 3.0])).tolist()
        [0, 2, 1]
        >>> Cells.fit(np.array([0.0, 0.0, 1.0, 1.0, 1.0, 2.0]), True).of(np.array([0.0, 1.0, 2.0, -1.0])).tolist()
        [1, 0, 2, 2]
        """
        knots, counts = np.unique(values, return_counts=True)
        if is_label:
            order = np.argsort(-counts, kind="stable")
            frequent = min(int((counts > 1).sum()), MOST_LEVELS)
            places = np.empty(len(knots))
            places[order] = np.minimum(np.arange(len(knots)), frequent)
            size = frequent + 1  # the last for what is rare or new
            return cls(knots, places, np.arange(size, dtype=np.float64), np.stack([np.eye(size)] * len(WIDTHS)), True)
        places = special.ndtri((np.cumsum(counts) - counts / 2) / len(values))
        centers = places if len(knots) <= MOST_CELLS else np.linspace(places[0], places[-1], MOST_CELLS)
        widths = np.array(WIDTHS) * len(values) ** (-1 / 6)
        weights = np.exp(-0.5 * ((centers[:, None] - centers) / widths[:, None, None]) ** 2)
        weights[weights < _NOTHING] = 0.0
        return cls(knots, places, centers, weights, False)

    def of(self, values: Floats) -> Indices:
        """The cell of every value; numbers outside of those seen are in the first or last."""
        if self.is_label:
            where = np.minimum(np.searchsorted(self.knots, values), len(self.knots) - 1)
            known = self.knots[where] == values
            return np.where(known, self.places[where], len(self.centers) - 1).astype(np.intp)
        place = np.interp(values, self.knots, self.places)
        return np.searchsorted((self.centers[1:] + self.centers[:-1]) / 2, place)


def _deviation(values: Floats) -> float:
    """Standard deviation: exactly 0 of equal numbers, and of any size that is a float.

    Examples
    --------
    >>> _deviation(np.full(3, 0.1)), _deviation(np.array([-1.5e308, 1.5e308]))
    (0.0, 1.5e+308)
    """
    if (values == values[0]).all():
        return 0.0
    exponent = int(np.frexp(np.abs(values).max())[1])
    return float(np.ldexp(np.ldexp(values, -exponent).std(), exponent))


@dataclass(frozen=True, eq=False)
class Surprise:
    """Bits of surprise of single values: less the logarithm of the share of rows like them.

    Attributes
    ----------
    low, step : float
        The first cell of a fine grid of numbers, and its distance to the next.
    spread : float
        Standard deviation of the middle 98 % of the numbers.
    counts : array
        Rows like each cell, weighted.
    own : float
        What a row counts for itself.
    rows : int
        Training rows.
    cells : Cells or None
        Of labels.
    width : float
        Standard deviation of the weights by which numbers are alike.
    """

    low: float
    step: float
    spread: float
    counts: Floats
    own: float
    rows: int
    cells: Cells | None
    width: float = 0.0

    @classmethod
    def fit(cls, values: Floats, cells: Cells) -> "Surprise":
        """Count rows like each value of a column."""
        rows = len(values)
        if cells.is_label:
            counts = np.bincount(cells.of(values), minlength=len(cells.centers)).astype(np.float64)
            return cls(0.0, 1.0, 1.0, counts, 1.0, rows, cells)
        first, lower, middle, upper, last = np.percentile(values, [1, 25, 50, 75, 99])
        spread = _deviation(np.clip(values, first, last)) or _deviation(values)
        if spread == 0.0:
            return cls(float(middle), 1.0, 1.0, np.array([float(rows)]), 1.0, rows, None)
        low = max(float(values.min()), middle - _REACH * spread)
        high = min(float(values.max()), middle + _REACH * spread)
        step = (high - low) / (_FINE_CELLS - 1)
        # Silverman's rule, by the smaller of two measures of spread.
        width = min(spread, (upper - lower) / 1.349 or spread) * rows**-0.2
        deviation = max(width / step, 0.5)
        height = deviation * np.sqrt(2 * np.pi)  # of weights that are 1 at the cell itself
        place = np.rint((np.clip(values, low, high) - low) / step).astype(np.intp)
        counts = np.bincount(place, minlength=_FINE_CELLS).astype(np.float64)
        smooth = height * gaussian_filter1d(counts, deviation, mode="constant")
        reach = int(4 * deviation + 1)
        own = height * float(gaussian_filter1d(np.eye(1, 2 * reach + 1, reach)[0], deviation, mode="constant")[reach])
        return cls(low, step, spread, smooth, own, rows, None, deviation * step)

    def of(self, values: Floats, *, trained: bool) -> Floats:
        """Bits; of training rows by the other rows. Beyond the grid they grow with the logarithm of the distance.

        Examples
        --------
        >>> values = np.r_[np.zeros(50), np.ones(50)]
        >>> own = Surprise.fit(values, Cells.fit(values, True))
        >>> own.of(np.array([0.0, 7.0]), trained=False).round(2).tolist()
        [0.99, 7.65]
        """
        beyond: Floats = np.zeros(len(values))
        if self.cells is not None:
            place = self.cells.of(values)
        else:
            end = self.low + self.step * (len(self.counts) - 1)
            inside = np.clip(values, self.low, end)
            place = np.rint((inside - self.low) / self.step).astype(np.intp)
            beyond = np.log2(1.0 + np.abs(values - inside) / self.spread)
        seen = np.maximum(self.counts[place] - (self.own if trained else 0.0), 0.0)
        found: Floats = np.log2((self.rows + PRIOR) / (seen + PRIOR)) + beyond
        return found
