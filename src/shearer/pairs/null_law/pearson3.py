"""Upper tails of Pearson type III laws: of one by its formula, of many at once from a table.

With t half the skewness and z the deviation, y = t z and w = sign(z) sqrt(2 (y - log(1 + y))) / |t|, the tail is
exp(-w^2 / 2) times a function of (w, t) that is smooth through t = 0 and up to the end of the support (Temme 1979 for
the incomplete gamma function). Its logarithm is tabulated and interpolated by polynomials of degree 3 in both.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

#: Largest relative error of a tail from the table.
ERROR = 1e-8
# Where tails are looked up, in w and t; smaller, rarer and stranger ones are computed. No node lies at t = 0.
_LOW, _HIGH = (-3.5, -0.2145), (4.0, 1.5)
_STEP = (0.025, 0.011)
# Nearer to the normal law, of smaller |t|, y - log(1 + y) and the incomplete gamma functions lose digits.
_SMALLEST = 2e-3
# Up to which y a series of so many terms is exact to round-off, and beyond which z every tail is 0 or 1.
_SERIES = 0.02
_BENT = [2.0 / power for power in range(10, 2, -1)]
_FAR = 1e9
# The nodes around a value, counted from the last one below it, and what their Lagrange polynomials are divided by.
_NODES = (-1, 0, 1, 2)
_DIVISORS = (-6.0, 2.0, -2.0, 6.0)
_OTHERS = [[k for k, other in enumerate(_NODES) if other != node] for node in _NODES]
# Tails looked up at a time: few enough for the cache, and enough for threads not to wait for each other between steps.
# Fewer than so many are not worth a table.
_PIECE, _FEWEST = 2**15, 2**12
# Arrays that a piece needs: t, w, two places, two sums, weights of both and gaps.
_SCRATCH = 6 + 3 * len(_NODES)


def pearson3_tail(z: Any, skewness: Any) -> Floats:
    """Upper tail of the Pearson type III law of mean 0, variance 1 and the given skewness.

    Examples
    --------
    >>> float(pearson3_tail(0.0, 0.0))
    0.5
    >>> round(float(pearson3_tail(2.0, 2.0)), 6)  # an exponential variable less its mean
    0.049787
    """
    z, skewness = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(skewness, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shape = 4.0 / skewness**2
        at = np.maximum(shape + np.copysign(np.sqrt(shape), skewness) * z, 0.0)
    tail = np.full(z.shape, np.nan)
    smallest = 2.0 * _SMALLEST
    for function, part in ((special.gammaincc, skewness > smallest), (special.gammainc, skewness < -smallest)):
        tail[part] = function(shape[part], at[part])
    nearly_normal = np.abs(skewness) <= smallest
    tail[nearly_normal] = _nearly_normal(z[nearly_normal], skewness[nearly_normal] / 2.0)
    return tail


def _nearly_normal(z: Floats, t: Floats) -> Floats:
    """The tail of small |t|: with w in place of z that of the normal law, and its density times 1 / z - 1 / w.

    These are the first terms of the expansion by Temme; a further one is of the order of t^3 / 540.
    """
    z = np.clip(z, -_FAR, _FAR)
    y = t * z
    with np.errstate(divide="ignore", invalid="ignore"):
        # ((w / z)^2 - 1) / y, by its series where logarithms lose digits.
        bent = np.where(np.abs(y) < _SERIES, -np.polyval(_BENT, -y), (2.0 * (y - np.log1p(y)) / y**2 - 1.0) / y)
        ratio = np.sqrt(1.0 + y * bent)
        tail = special.ndtr(-z * ratio) + _density(z * ratio) * t * bent / (ratio * (1.0 + ratio))
    return np.where(y <= -1.0, t > 0.0, tail)  # beyond the end of the support


def _density(z: Floats) -> Floats:
    found: Floats = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    return found


def upper_tail(z: Any, skewness: Any) -> Floats:
    """Upper tail of a statistic of which three moments over all permutations are known, in deviations from the mean.

    A Pearson type III law of negative skewness ends 2 / |skewness| deviations above its mean, and the values of a
    statistic go on: there the normal law, whose tail is longer, stands in.

    Examples
    --------
    >>> float(upper_tail(2.5, -1.0)) == float(upper_tail(2.5, 0.0)) > float(pearson3_tail(2.5, -1.0))
    True
    """
    return pearson3_tail(z, np.maximum(skewness, 0.0))


def pearson3_tails(z: Any, skewness: Any) -> Floats:
    """As `pearson3_tail`, to a relative error below 1e-8, several times as fast for many.

    Examples
    --------
    >>> import numpy as np
    >>> z = np.linspace(-3, 30, 20_000)
    >>> bool(np.allclose(pearson3_tails(z, 1.2), pearson3_tail(z, 1.2), rtol=1e-8, atol=0))
    True
    """
    z, skewness = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(skewness, dtype=np.float64))
    if z.size < _FEWEST:
        return pearson3_tail(z, skewness)
    flat = z.reshape(-1), skewness.reshape(-1)
    found = np.empty(z.size)
    scratch = np.empty((_SCRATCH, min(_PIECE, z.size)))
    for start in range(0, z.size, _PIECE):
        piece = slice(start, start + _PIECE)
        _look_up(flat[0][piece], flat[1][piece], found[piece], scratch)
    return found.reshape(z.shape)


def _look_up(z: Floats, skewness: Floats, out: Floats, scratch: Floats) -> None:
    """Tails of one piece; `scratch` is memory that need not be asked for anew."""
    t, w, y, *rest = scratch[:, : len(z)]
    np.multiply(skewness, 0.5, out=t)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        np.multiply(t, z, out=y)
        np.log1p(y, out=w)
        np.subtract(y, w, out=w)
        w *= 2.0
        np.sqrt(w, out=w)
        w /= np.abs(t, out=y)
        np.copysign(w, z, out=w)
        inside = y > _SMALLEST
        for value, low, high in zip((w, t), _LOW, _HIGH, strict=True):
            inside &= value > low  # nan, from beyond the support, is not
            inside &= value < high
    every = bool(inside.all())
    if not every:  # anything that the table has, in place of what it lacks
        outside = ~inside
        w[outside], t[outside] = 0.0, 1.0
    _interpolate(w, t, out, [y, *rest])
    if not every:
        out[outside] = pearson3_tail(z[outside], skewness[outside])


def _interpolate(w: Floats, t: Floats, out: Floats, scratch: list[Floats]) -> None:
    table, columns = _table()
    cells, others, row, term, *rest = scratch
    count = len(_NODES)
    weights, gaps = (rest[:count], rest[count : 2 * count]), rest[2 * count :]
    for value, low, step, place, own in zip((w, t), _LOW, _STEP, (cells, others), weights, strict=True):
        _place(value, low, step, place, own, gaps)
    cells *= columns
    cells += others
    index = cells.astype(np.intp)
    for i, weight in enumerate(weights[0]):
        for j, other in enumerate(weights[1]):
            target = term if j else row
            np.take(table[i * columns + j :], index, out=target, mode="clip")
            target *= other
            if j:
                row += term
        np.multiply(row, weight, out=row if i else out)
        if i:
            out += row
    np.multiply(w, w, out=row)
    row *= 0.5
    out -= row
    np.exp(out, out=out)


def _place(value: Floats, low: float, step: float, below: Floats, weights: list[Floats], gaps: list[Floats]) -> None:
    """The last node below each value, and the weights of those around it (Lagrange)."""
    place = gaps[_NODES.index(0)]
    np.subtract(value, low, out=place)
    place *= 1.0 / step
    np.floor(place, out=below)
    place -= below
    for node, gap in zip(_NODES, gaps, strict=True):
        if node:
            np.subtract(place, node, out=gap)
    for own, others, divisor in zip(weights, _OTHERS, _DIVISORS, strict=True):
        np.multiply(gaps[others[0]], 1.0 / divisor, out=own)
        for other in others[1:]:
            own *= gaps[other]


@cache
def _table() -> tuple[Floats, int]:
    """log(tail) + w^2 / 2 over a grid of w (slow) and t (fast), flat; and how many t there are."""
    axes = []
    for low, high, step in zip(_LOW, _HIGH, _STEP, strict=True):
        count = int(np.ceil((high - low) / step)) + len(_NODES)
        axes.append(low + step * (np.arange(count) + _NODES[0]))
    w, t = np.meshgrid(*axes, indexing="ij")
    z = _excess(w * t) / t
    return (np.log(pearson3_tail(z, 2.0 * t)) + 0.5 * w * w).ravel(), len(axes[1])


def _excess(s: Floats) -> Floats:
    """The y of the sign of s with y - log(1 + y) = s^2 / 2."""
    branches = [special.lambertw(-np.exp(-1.0 - s * s / 2), branch).real for branch in (-1, 0)]
    series = s + s**2 / 3 + s**3 / 36 - s**4 / 270 + s**5 / 4320 + s**6 / 17010  # where the branches meet
    return np.where(np.abs(s) < 0.02, series, -1.0 - np.where(s > 0, *branches))
