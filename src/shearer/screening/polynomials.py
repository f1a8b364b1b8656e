"""Sums of the similarities of scalar columns under the Gaussian kernel, without visiting pairs of rows.

On the range of a column the kernel exp(-(x - y)^2) is a polynomial in x and in y, and so are its square and its cube,
which are kernels of smaller widths. Row sums need the sums of the Chebyshev polynomials over the rows; tr(MMM) needs a
factor of M, whose columns are polynomials too. All is O(n) for each column.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.kernels.chebyshev import node_count
from shearer.screening.expanded import Expanded, expand
from shearer.screening.similarities import Scalars

Floats = NDArray[np.float64]

# Half ranges, in widths, that share their polynomials: steps of a quarter of an octave.
_STEPS = 4
# Polynomials for each row up to which they beat whole matrices, and the most of them.
_SHARE, _MOST = 0.75, 1024
# Coefficients of the kernel, and eigenvalues of them, that are left out: below the round-off of an entry.
_ROUND_OFF = 1e-14


class Basis(NamedTuple):
    """The kernel on an interval, in Chebyshev polynomials T_0, T_1, ... of x over its half.

    Attributes
    ----------
    factor : array (rank, few)
        C such that exp(-(x - y)^2) is the inner product of C T(x) and C T(y).
    square, cube : array (count, count)
        Coefficients of exp(-2 (x - y)^2) and of exp(-3 (x - y)^2).
    """

    factor: Floats
    square: Floats
    cube: Floats

    @property
    def size(self) -> int:
        """How many polynomials."""
        return len(self.cube)


def groups_of(scalars: Scalars, entries: int) -> list[tuple[NDArray[np.intp], int]]:
    """Columns that share their polynomials, with the step that names these, in groups of so many entries.

    Columns whose values span so many widths that whole matrices are cheaper are in none.
    """
    n = len(scalars.values)
    reach = np.ptp(scalars.values, axis=0) / 2 * np.sqrt(scalars.rates)
    steps = np.ceil(_STEPS * np.log2(np.maximum(reach, 1.0))).astype(np.intp)
    groups = []
    for step in map(int, np.unique(steps)):
        needed = node_count(_reach(step) * 3**0.5, _MOST)
        if needed is None or needed > _SHARE * n:
            continue
        columns = np.flatnonzero(steps == step)
        size = max(1, entries // (_basis(step).size * n))
        groups += [(columns[start : start + size], step) for start in range(0, len(columns), size)]
    return groups


def polynomial_sums(scalars: Scalars, columns: NDArray[np.intp], step: int) -> Expanded:
    """The sums of columns whose half range is that of a step."""
    basis = _basis(step)
    values = np.ascontiguousarray(scalars.values[:, columns].T)
    values -= values.min(axis=1, keepdims=True)  # before scaling, so that no offset costs digits
    values -= values.max(axis=1, keepdims=True) / 2
    values *= np.sqrt(scalars.rates[columns])[:, None] / _reach(step)
    n = values.shape[1]
    polynomials = _chebyshev(values, basis.size)
    totals = polynomials.sum(axis=2)
    q = ((totals @ basis.square)[:, None, :] @ polynomials)[:, 0] - 1.0
    cubes = np.vecdot(totals @ basis.cube, totals) - n
    rank, few = basis.factor.shape
    factor = basis.factor @ polynomials[:, :few]
    r = (factor.sum(axis=2)[:, None, :] @ factor)[:, 0] - 1.0
    image = ((factor @ r[:, :, None]).swapaxes(1, 2) @ factor)[:, 0] - r
    inner = factor @ factor.swapaxes(1, 2)
    flat = inner.reshape(len(columns), rank * rank)
    triangles = np.vecdot((inner @ inner).reshape(flat.shape), flat) - 3 * np.vecdot(flat, flat) + 2 * n
    return expand(np.ones(n), r, q, cubes, triangles, image)


def _reach(step: int) -> float:
    return float(2.0 ** (step / _STEPS))


def _chebyshev(x: Floats, count: int) -> Floats:
    """T_0 ... T_(count - 1) of every value, shape (columns, count, n)."""
    found = np.empty((count, *x.shape))
    found[0], found[1] = 1.0, x
    double = 2.0 * x
    for degree in range(2, count):
        np.multiply(double, found[degree - 1], out=found[degree])
        found[degree] -= found[degree - 2]
    return found.swapaxes(0, 1)


@lru_cache(maxsize=32)
def _basis(step: int) -> Basis:
    reach = _reach(step)
    kernel, square, cube = (_coefficients(reach * power**0.5) for power in (1, 2, 3))
    values, vectors = np.linalg.eigh(kernel)
    kept = values > _ROUND_OFF * values[-1]
    factor = np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept])).T)
    padded = np.zeros_like(cube)
    padded[: len(square), : len(square)] = square
    return Basis(factor, padded, cube)


def _coefficients(reach: float) -> Floats:
    """Of exp(-(x - y)^2) for x and y up to `reach`, in Chebyshev polynomials of both."""
    count = node_count(reach, _MOST)
    assert count is not None
    angles = (2 * np.arange(count) + 1) * np.pi / (2 * count)
    points = reach * np.cos(angles)
    kernel = np.exp(-(np.subtract.outer(points, points) ** 2))
    transform = 2.0 / count * np.cos(np.outer(np.arange(count), angles))
    transform[0] /= 2.0
    found: Floats = transform @ kernel @ transform.T
    needed = 1 + int(np.max(np.flatnonzero(np.abs(found).max(axis=1) > _ROUND_OFF)))
    return found[:needed, :needed]
