"""The shape of the dependence of a pair: one word, and the column along which it is seen."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.comparators.correlations import unit_range
from shearer.scanning.shapes.clouds import are_groups, is_ring, level_word, narrows_outwards, parted, spread_trend
from shearer.scanning.shapes.curves import Curve

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Words, in the order of their numbers in a store; 0 stands for none.
SHAPES = (
    "line", "curve", "step", "U", "inverted U", "wave", "ring", "groups", "widening", "narrowing", "shift", "spread",
    "shift and spread",
)  # fmt: skip
# Rows below which no shape is told, and beyond which a sample serves.
FEWEST_ROWS, MOST_ROWS = 30, 1000
# Different values of a number below which it is taken as a label, and below which nothing is seen along it.
_FEWEST_VALUES, _FEWEST_PLACES = 3, 8
# Share of the variance that the side whose shape is told must explain beyond the other where both show different ones,
# by which it may fall short where the other shows none, from which on means, as of a U, tell more than a spread seen
# from the other side, and up to which they tell less.
_CLEARER, _BEHIND, _TELLING, _LITTLE = 0.1, 0.05, 0.5, 0.3


class Shape(NamedTuple):
    """What a dependence looks like.

    Attributes
    ----------
    word : str or None
        One of `SHAPES`; None where none is clear.
    along : int
        0 or 1: the column along which the other is seen; of a number and a label the label.
    """

    word: str | None
    along: int


def shape_of(first: Floats | Indices, second: Floats | Indices) -> Shape:
    """The shape of two columns without gaps: numbers are floats, labels codes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, e = rng.uniform(-1, 1, (2, 300))
    >>> shape_of(x, x**2 + 0.1 * e), shape_of(x**2 + 0.1 * e, x), shape_of(x, e)
    (Shape(word='U', along=0), Shape(word='U', along=1), Shape(word=None, along=0))
    """
    if len(first) < FEWEST_ROWS:
        return Shape(None, 0)
    chosen = np.sort(np.random.default_rng(0).permutation(len(first))[:MOST_ROWS])
    one, other = (_as_kind(column[chosen]) for column in (first, second))
    kinds = one.dtype.kind + other.dtype.kind
    if kinds == "ff":
        return _of_numbers(_without_far(one.astype(np.float64)), _without_far(other.astype(np.float64)))
    if "f" not in kinds:
        return Shape(None, 0)
    number, label = (one, other) if kinds[0] == "f" else (other, one)
    return Shape(level_word(unit_range(number.astype(np.float64)), label.astype(np.intp)), kinds.index("i"))


def _of_numbers(x: Floats, y: Floats) -> Shape:
    many = [len(np.unique(column)) >= _FEWEST_PLACES for column in (x, y)]
    parts = (parted(x), parted(y))
    if all(many):
        if are_groups(x, y, parts):
            return Shape("groups", 0)
        if is_ring(x, y):
            return Shape("ring", 0)
    # Along a column that comes in heaps a line is as good as any curve.
    sides = [place for place in (0, 1) if many[place] and not parts[place].any()]
    curves = {place: Curve(x, y) if place == 0 else Curve(y, x) for place in sides}
    words = {place: curve.word for place, curve in curves.items() if curve.word is not None}
    trends = {place: trend for place, curve in curves.items() if (trend := spread_trend(curve.x, curve.residual))}
    explained = [curves[place].explained if place in curves else 0.0 for place in (0, 1)]
    for place, curve in curves.items():
        # The side of a funnel looks like a U, but one that narrows to its ends, or tells little.
        funnel = narrows_outwards(curve.x, curve.residual) or (1 - place in trends and explained[place] < _TELLING)
        if words.get(place) in ("U", "inverted U") and funnel:
            del words[place]
    # Seen from one side only: from the other, a curve has an uneven spread too.
    if len(trends) == 1 and set(words.items()) <= {(place, "line") for place in trends}:
        place, trend = next(iter(trends.items()))
        clear = explained[place] < _TELLING or place in words
        if not clear or explained[1 - place] > max(explained[place] + _CLEARER, _LITTLE):
            return Shape(None, 0)
        return Shape("widening" if trend > 0 else "narrowing", place)
    if not words or ("line" in words.values() and trends):
        return Shape(None, 0)
    place = max(words, key=lambda place: explained[place])
    ahead = explained[place] - explained[1 - place]
    if ahead < (_CLEARER if len(set(words.values())) > 1 else -_BEHIND):
        return Shape(None, 0)
    # With noise that is not normal a line is bent if it is seen from its other side.
    if words[place] == "curve" and not all(curve.bent for curve in curves.values()):
        return Shape(None, 0)
    return Shape(words[place], place)


def _as_kind(column: Floats | Indices) -> Floats | Indices:
    """A number of two values as codes."""
    if column.dtype.kind == "f":
        levels, codes = np.unique(column, return_inverse=True)
        return column if len(levels) >= _FEWEST_VALUES else codes.reshape(-1).astype(np.intp)
    return column.astype(np.intp)


def _without_far(values: Floats) -> Floats:
    """Numbers on a scale of their own, those that lie far out drawn in."""
    moved = unit_range(values)
    low, high = np.quantile(moved, [0.02, 0.98])
    return unit_range(np.clip(moved, 1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low)) if low < high else moved
