"""What is said of a pair beside its strength: direction, what determines what, shape, classical coefficients."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.comparators.correlations import correlation, unit_range
from shearer.comparators.inputs import ranks
from shearer.comparators.ranks import xi
from shearer.data.table import Table
from shearer.data.variables import Variable
from shearer.scanning.shapes.shape_words import SHAPES, shape_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# A relation is called monotone where ranks, or the numbers in the same direction, correlate by this share of its
# strength at least, and ranks by so many standard errors.
_MONOTONE_SHARE, _MONOTONE_ERRORS = 0.75, 3.0
# Shapes that rise in one place and fall in another, however the ranks correlate over all.
_TURNING = ("U", "inverted U", "wave", "ring")
# A number is called a function of another if xi is this share of the largest that the rows allow, and a value is mostly
# off the line between its neighbors by this share, at most, of the step over them: a curve, and no noise.
_FUNCTION, _ROUGHEST = 0.95, 0.03
# Rows for each stretch of a number in which a label stays the same, at least, where the number is said to determine it.
_ROWS_A_STRETCH = 10


class PairDetails(NamedTuple):
    """Of one pair; nan where something is not defined for its kinds.

    Attributes
    ----------
    pearson, spearman : float
        Correlations of two columns of numbers.
    eta_squared : float
        Share of the variance of a number that lies between the levels of a label.
    sign : float
        1 or -1 where two numbers go up together, or one down as the other goes up; 0 where neither is so all along.
    determines : float
        0: none; 1: the first determines the second; 2: the second the first; 3: both.
    shape : float
        Place of the word for the shape in `SHAPES`, counted from 1; 0 where none is clear.
    along : float
        1 or 2: the column along which the shape is seen; 0 without a shape.
    """

    pearson: float = np.nan
    spearman: float = np.nan
    eta_squared: float = np.nan
    sign: float = np.nan
    determines: float = np.nan
    shape: float = np.nan
    along: float = np.nan


def details_of(pair: Table, strength: float) -> PairDetails:
    """What there is to say of two variables without missing rows.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data import read
    >>> x = np.linspace(-1, 1, 101)
    >>> table = read({"x": x, "square": x**2, "sign": np.where(x > 0, "+", "-"), "down": -x})
    >>> [details_of(table.common((0, other)), 0.9).determines for other in (1, 2, 3)]
    [1.0, 1.0, 3.0]
    >>> [details_of(table.common((0, other)), 0.9).sign for other in (1, 3)]
    [0.0, -1.0]
    >>> round(details_of(table.common((0, 2)), 0.9).eta_squared, 2)
    0.75
    """
    first, second = (_plain(item) for item in pair.variables)
    if first is None or second is None:
        return PairDetails()
    ways = _determines(first, second) + 2 * _determines(second, first)
    word, along = shape_of(first, second)
    shape = (float(SHAPES.index(word) + 1), along + 1.0) if word else (0.0, 0.0)
    kinds = [values.dtype.kind for values in (first, second)]
    if kinds == ["f", "f"]:
        rho = correlation(ranks(first), ranks(second))
        r = correlation(first, second)
        # Far rows that go together can be most of a relation, of which ranks see little.
        most = max(abs(rho), abs(r)) if rho * r > 0 else abs(rho)
        clear = abs(rho) >= _MONOTONE_ERRORS / np.sqrt(max(pair.rows - 1, 1)) and most >= _MONOTONE_SHARE * abs(
            strength
        )
        sign = float(np.sign(rho)) if clear and word not in _TURNING else 0.0
        return PairDetails(r, rho, np.nan, sign, ways, *shape)
    if "f" in kinds:
        number, label = (first, second) if kinds[0] == "f" else (second, first)
        between = _between(number.astype(np.float64), label.astype(np.intp))
        return PairDetails(np.nan, np.nan, between, np.nan, ways, *shape)
    return PairDetails(np.nan, np.nan, np.nan, np.nan, ways, *shape)


def _plain(item: Variable) -> NDArray[np.float64] | Indices | None:
    """Numbers of a column as floats, labels as codes; None of vectors, mixed groups and objects."""
    block = item.blocks[0]
    if len(item.blocks) > 1 or block.kind == "object":
        return None
    values = np.asarray(block.values)
    if block.kind == "categorical":
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    return values[:, 0].astype(np.float64) if values.shape[1] == 1 else None


def _determines(cause: NDArray[np.float64] | Indices, effect: NDArray[np.float64] | Indices) -> float:
    """1 if every value of the first has one value of the second, and that can be told from the rows."""
    _, groups = np.unique(cause, return_inverse=True)
    levels, codes = np.unique(effect, return_inverse=True)
    count = int(groups.max()) + 1
    if len(levels) < 2 or count < 2:
        return 0.0
    if len(np.unique(groups.astype(np.int64) * len(levels) + codes)) > count:
        return 0.0  # a value of the first with two of the second
    if 2 * count <= len(cause):
        return 1.0
    if cause.dtype.kind != "f":
        return 0.0
    if effect.dtype.kind == "f":
        largest = (len(cause) - 2) / (len(cause) + 1)
        smooth = _roughness(cause.astype(np.float64), effect.astype(np.float64)) <= _ROUGHEST
        return float(smooth and xi(cause, effect) >= _FUNCTION * largest)
    order = np.argsort(cause, kind="stable")
    stretches = 1 + int(np.count_nonzero(np.diff(codes[order])))
    return float(_ROWS_A_STRETCH * stretches <= len(cause))


def _roughness(cause: Floats, effect: Floats) -> float:
    """How far values are off the lines between their neighbors along the first, as a share of the steps over them."""
    x, first = np.unique(unit_range(cause), return_index=True)
    y = unit_range(effect)[first]
    if len(x) < 3:
        return 0.0
    between = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    off, over = np.median(np.abs(y[1:-1] - between)), np.median(np.abs(y[2:] - y[:-2]))
    return float(off / over) if over > 0 else float(off > 0)


def _between(number: Floats, codes: Indices) -> float:
    """Eta squared."""
    moved = unit_range(number)
    if not moved.any():
        return np.nan
    offset = moved - np.mean(moved)
    counts = np.bincount(codes)
    sums = np.bincount(codes, weights=offset)
    return float(np.sum(sums**2 / counts) / (offset @ offset))
