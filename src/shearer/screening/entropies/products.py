"""Sums of matrix products over tiles: BLAS for one triangle, and single precision that stays accurate.

All products are scipy's. numpy brings a BLAS of its own, and two pools of threads that wait for work by spinning slow
each other down several times over when they take turns.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm, dsyrk, sgemm, ssyrk

from shearer._threads import blas_threads_for

Floats = NDArray[Any]

# Tiles whose products are added up in single precision before the sum moves on to double: the round-off of this many
# additions, at most 2e-6 of the sum and 2e-7 as a rule, is that of the product of one tile.
TILES_IN_SINGLE = 32


class SymmetricSum:
    """Sum over tiles of stack' stack, of which only the triangle on and below the diagonal is formed.

    Examples
    --------
    >>> import numpy as np
    >>> total = SymmetricSum(2, np.dtype(np.float64))
    >>> for stack in (np.ones((3, 2)), np.eye(2)):
    ...     total.add(stack, stack)
    >>> np.tril(total.result())
    array([[4., 0.],
           [3., 4.]])
    """

    def __init__(self, size: int, dtype: np.dtype[Any]) -> None:
        # Fortran order is what BLAS fills in place; its upper triangle is the lower one of the transpose.
        self._sum = np.zeros((size, size), dtype, order="F")
        self._double: Floats | None = None
        self._syrk = dsyrk if dtype == np.float64 else ssyrk
        self._pending = 0

    def add(self, left: Floats, right: Floats) -> None:
        """Add the product of one tile with itself, shape (pairs, variables) in C or Fortran order."""
        columns = left.flags.f_contiguous
        with blas_threads_for(left.size * left.shape[1]):
            self._syrk(1.0, left if columns else left.T, beta=1.0, c=self._sum, trans=columns, overwrite_c=True)
        self._pending += 1
        if self._pending == TILES_IN_SINGLE and self._sum.dtype != np.float64:
            self._flush()

    def _flush(self) -> None:
        if self._double is None:
            self._double = self._sum.astype(np.float64, order="F")
        else:
            self._double += self._sum
        self._sum[:] = 0.0
        self._pending = 0

    def result(self) -> Floats:
        """The sum, in C order; nothing of use above the diagonal."""
        if self._double is None:
            return self._sum.T
        self._flush()
        return self._double.T

    @staticmethod
    def memory(size: int, tiles: int, item: int) -> int:
        """Bytes it holds at its peak."""
        return size**2 * (item if item == 8 or tiles < TILES_IN_SINGLE else item + 8)


class CrossSum:
    """Sum over tiles of left' right, kept in double.

    Examples
    --------
    >>> import numpy as np
    >>> total = CrossSum(1, 2)
    >>> total.add(np.ones((3, 1)), np.ones((3, 2)))
    >>> total.result()
    array([[3., 3.]])
    """

    def __init__(self, left: int, right: int) -> None:
        self._sum = np.zeros((left, right))

    def add(self, left: Floats, right: Floats) -> None:
        """Add the product of one tile; both of shape (pairs, variables) in C or Fortran order."""
        gemm = dgemm if left.dtype == np.float64 else sgemm
        columns = left.flags.f_contiguous, right.flags.f_contiguous
        with blas_threads_for(left.size * right.shape[1]):
            self._sum += gemm(
                1.0,
                left if columns[0] else left.T,
                right if columns[1] else right.T,
                trans_a=columns[0],
                trans_b=not columns[1],
            )

    def result(self) -> Floats:
        """The sum."""
        return self._sum

    @staticmethod
    def memory(left: int, right: int, item: int) -> int:
        """Bytes it holds at its peak, the product of one tile included."""
        return left * right * (8 + item)


def mirror(square: Floats) -> None:
    """Copy what is below the diagonal to above it, in place.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([[1.0, 0.0], [2.0, 3.0]])
    >>> mirror(square)
    >>> square
    array([[1., 2.],
           [2., 3.]])
    """
    for k in range(1, len(square)):
        square[:k, k] = square[k, :k]
