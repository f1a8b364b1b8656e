"""Squared distances, by differences or by a matrix product, and how far each may be off."""

import numpy as np

from shearer._arrays import Array, device, epsilon, is_numpy, is_torch, namespace, to_float

# Up to this many coordinates, differences are as fast as the product form and exact to a few ulp.
DIRECT_DIMENSIONS = 8
# The product form |x|^2 + |y|^2 - 2xy loses |x|^2 in units of epsilon; beyond this, differences are taken.
LARGEST_SQUARED_NORM = 1024.0


def direct(x: Array, y: Array, scale: Array | None = None) -> Array:
    """Squared distances between rows by differences, each coordinate times `scale`.

    Scaling after subtracting keeps the relative error at a few epsilon, whatever the offset of the data.
    """
    dimensions = range(x.shape[1])
    if is_numpy(x):
        total = np.zeros((x.shape[0], y.shape[0]), dtype=x.dtype)
        for k in dimensions:
            step = np.subtract.outer(x[:, k], y[:, k])
            if scale is not None:
                step *= scale[k]
            np.multiply(step, step, out=step)
            total = step if k == 0 else np.add(total, step, out=total)
        return total
    if scale is None:
        scale = namespace(x).ones(x.shape[1], dtype=x.dtype, device=device(x))
    if is_torch(x) and x.shape[1] > DIRECT_DIMENSIONS:
        # A loop would keep an n x n array for every coordinate in the graph.
        return namespace(x).cdist(x * scale, y * scale, compute_mode="donot_use_mm_for_euclid_dist") ** 2
    return sum(((x[:, k : k + 1] - y[:, k : k + 1].T) * scale[k]) ** 2 for k in dimensions)


def product(x: Array, y: Array) -> Array:
    """Squared distances between rows by one matrix product, never negative."""
    xp = namespace(x, y)
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
    return to_float(xp.max(xp.sum(points * points, axis=1))) <= LARGEST_SQUARED_NORM


def triangle(x: np.ndarray) -> np.ndarray:
    """Squared distances of all pairs of rows i < j, as one flat array; round-off of equal rows is 0."""
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
            tile[tile <= 8 * epsilon(x) * (norms[start : start + block, None] + norms[None, start:])] = 0.0
        else:
            tile = direct(rows, rest)
        for i in range(rows.shape[0]):
            count = n - 1 - (start + i)
            flat[filled : filled + count] = tile[i, i + 1 :]
            filled += count
    return flat
