"""Sums of the similarities of scalar columns whose kernel is narrow: in sorted order M is a band, and 0 elsewhere."""

import numpy as np
from numpy.typing import NDArray

from shearer.screening.expanded import Expanded, expand
from shearer.screening.similarities import Scalars

Floats = NDArray[np.float64]

# Entries exp(-38) = 3e-17 and smaller are left out: below the round-off of a sum.
_FARTHEST = 38.0
# Rows of a block; with too few of them a block costs calls.
_FEWEST, _MOST = 32, 512


def reach(values: Floats, rate: float) -> float:
    """The part of the rows that the widest block of a column reaches to."""
    ordered = np.sort(values)
    return max(stop - start for _, start, stop in _blocks(ordered, rate)) / len(values)


def band_sums(scalars: Scalars, column: int) -> Expanded:
    """The sums of one column, block by block."""
    values, rate = scalars.values[:, column], float(scalars.rates[column])
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    n = len(values)
    r, q, image = np.empty(n), np.empty(n), np.empty(n)
    cubes = triangles = 0.0
    bands = []
    for rows, start, stop in _blocks(ordered, rate):
        near = slice(start, stop)
        around = _similarities(ordered[near], ordered[near], rate)
        np.fill_diagonal(around, 0.0)
        band = around[rows.start - start : rows.stop - start]
        squares = band * band
        r[rows], q[rows] = band.sum(axis=1), squares.sum(axis=1)
        cubes += float(np.vdot(squares, band))
        triangles += float(np.vdot(band @ around, band))
        bands.append((rows, near, band.copy()))
    for rows, near, band in bands:
        image[rows] = band @ r[near]
    back = np.argsort(order, kind="stable")
    r, q, image = (part[None, back] for part in (r, q, image))
    return expand(np.ones(n), r, q, np.array([cubes]), np.array([triangles]), image)


def _blocks(ordered: Floats, rate: float) -> list[tuple[slice, int, int]]:
    """Blocks of sorted rows, each with the first row that it reaches to and the one behind the last."""
    n, far = len(ordered), np.sqrt(_FARTHEST / rate)
    first = np.searchsorted(ordered, ordered - far, side="left")
    last = np.searchsorted(ordered, ordered + far, side="right")
    size = int(np.clip(np.mean(last - first) / 2, _FEWEST, _MOST))
    starts = range(0, n, size)
    return [
        (slice(start, min(start + size, n)), int(first[start]), int(last[min(start + size, n) - 1])) for start in starts
    ]


def _similarities(left: Floats, right: Floats, rate: float) -> Floats:
    found = np.subtract.outer(left, right)
    np.multiply(found, found, out=found)
    found *= -rate
    np.maximum(found, -700.0, out=found)
    return np.exp(found, out=found)
