"""Squared distances, by differences or by a matrix product, and how far each may be off."""

from collections.abc import Callable

import numpy as np

from shearer._threads import blas_threads_for
from shearer.data.arrays import Array, is_numpy, is_torch, namespace, to_float

# Up to this many coordinates, differences are as fast as the product form and exact to a few ulp.
DIRECT_DIMENSIONS = 8
# The product form |x|^2 + |y|^2 - 2xy loses |x|^2 in units of epsilon; beyond this, differences are taken.
LARGEST_SQUARED_NORM = 1024.0
# Squared distances below this part of the squared norms have lost half of their digits in the product form.
_CLOSE = 1e-8


def direct(x: Array, y: Array, scale: Array | None = None) -> Array:
    """Squared distances between rows by differences, each coordinate times `scale`.

    Scaling after subtracting keeps the relative error at a few epsilon, whatever the offset of the data.
    """
    if is_torch(x) and x.shape[1] > DIRECT_DIMENSIONS:
        # A loop would keep an n x n array for every coordinate in the graph.
        return _torch_distances(x, y, scale, 2.0) ** 2
    return _add_up(x, y, scale, lambda step: step * step, lambda step: np.multiply(step, step, out=step))


def absolute(x: Array, y: Array, scale: Array) -> Array:
    """Sums of absolute differences between rows, each coordinate times `scale`."""
    if is_torch(x) and x.shape[1] > DIRECT_DIMENSIONS:
        return _torch_distances(x, y, scale, 1.0)
    xp = namespace(x)
    return _add_up(x, y, scale, xp.abs, lambda step: np.abs(step, out=step))


def _add_up(
    x: Array, y: Array, scale: Array | None, size: Callable[[Array], Array], size_in_place: Callable[[Array], Array]
) -> Array:
    """Sum over coordinates of the size of scaled differences; numpy reuses its arrays, other libraries keep a graph."""
    total: Array = None
    for k in range(x.shape[1]):
        step = x[:, k : k + 1] - y[:, k : k + 1].T
        if is_numpy(x):
            with np.errstate(over="ignore"):  # infinitely far is as far as can be
                if scale is not None:
                    step *= scale[k]
                step = size_in_place(step)
                total = step if total is None else np.add(total, step, out=total)
        else:
            with np.errstate(over="ignore"):  # libraries that stand on numpy warn as it does
                step = size(step if scale is None else step * scale[k])
                total = step if total is None else total + step
    return total


def _torch_distances(x: Array, y: Array, scale: Array | None, power: float) -> Array:
    if scale is not None:
        x, y = x * scale, y * scale
    return namespace(x).cdist(x, y, p=power, compute_mode="donot_use_mm_for_euclid_dist")


def product(x: Array, y: Array) -> Array:
    """Squared distances between rows by one matrix product, never negative."""
    xp = namespace(x, y)
    with blas_threads_for(x.shape[0] * y.shape[0] * x.shape[1]):
        cross = x @ y.T
    left = xp.sum(x * x, axis=1, keepdims=True)
    right = xp.sum(y * y, axis=1, keepdims=True).T
    if is_numpy(x):
        cross *= -2.0
        cross += left
        cross += right
        return np.maximum(cross, 0.0, out=cross)
    return xp.clip(left + right - 2.0 * cross, min=0.0)


def product_is_safe(points: Array) -> bool:
    """True where the product form is both faster and accurate; `points` are centred and scaled to their width."""
    if points.shape[1] <= DIRECT_DIMENSIONS:
        return False
    xp = namespace(points)
    with np.errstate(over="ignore"):  # beyond what a float holds is beyond the largest, too
        return to_float(xp.max(xp.sum(points * points, axis=1))) <= LARGEST_SQUARED_NORM


def triangle(x: np.ndarray) -> np.ndarray:
    """Squared distances of all pairs of rows i < j, as one flat array; exactly 0 for equal rows."""
    n, d = x.shape
    flat = np.empty(n * (n - 1) // 2)
    filled = 0
    if d > DIRECT_DIMENSIONS:
        x = x - x.mean(axis=0)
    norms = np.einsum("ij,ij->i", x, x)
    block = max(1, min(n, 2**22 // n))
    for start in range(0, n - 1, block):
        rows = x[start : start + block]
        rest = x[start:]
        if d > DIRECT_DIMENSIONS:
            tile = product(rows, rest)
            close = tile <= _CLOSE * (norms[start : start + block, None] + norms[None, start:])
            _mend(tile, rows, rest, close)
        else:
            tile = direct(rows, rest)
        for i in range(rows.shape[0]):
            count = n - 1 - (start + i)
            flat[filled : filled + count] = tile[i, i + 1 :]
            filled += count
    return flat


def _mend(tile: np.ndarray, rows: np.ndarray, rest: np.ndarray, close: np.ndarray) -> None:
    """Distances that the product form has lost most digits of, by differences; all of them where there are many."""
    left, right = np.nonzero(close)
    if len(left) > tile.size // 8:
        tile[...] = direct(rows, rest)
        return
    for start in range(0, len(left), 4096):
        i, j = left[start : start + 4096], right[start : start + 4096]
        difference = rows[i] - rest[j]
        tile[i, j] = np.einsum("ij,ij->i", difference, difference)
