"""Kernels known by their matrix: a precomputed Gram matrix, or a function of the user's."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._validate import check_positive, describe, type_error, value_error
from shearer.data.arrays import Array, device, is_numpy, namespace, to_numpy, tracks_gradient
from shearer.data.columns import Kind
from shearer.data.variables import Block
from shearer.kernels.base import Kernel
from shearer.kernels.gram import ALL, Gram, Index

# Relative to a unit diagonal: what float64 arithmetic in a user's function may leave of asymmetry and negativity.
TOLERANCE = 1e-8
# What the round-off of a factorisation may show of negativity, for each row.
_ROUND_OFF = 1e-14


@dataclass(frozen=True, eq=False)
class MatrixGram(Gram):
    """Entries matrix[code_i, code_j]: the matrix of the distinct values, and which value each row has."""

    matrix: Array
    codes: NDArray[np.intp]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def like(self) -> Array:
        """The matrix."""
        return self.matrix

    @property
    def entry_error(self) -> float:
        """The entries are taken as given; normalising rounds three times."""
        return 4.0

    @cached_property
    def _smallest(self) -> float:
        return float(to_numpy(self.matrix).min())

    @property
    def nonnegative(self) -> bool:
        """True if no entry is negative."""
        return self._smallest >= 0

    @property
    def is_constant(self) -> bool:
        """True if all entries are 1."""
        values = to_numpy(self.matrix)[np.ix_(np.unique(self.codes), np.unique(self.codes))]
        return bool((values == 1).all())

    @property
    def is_neutral(self) -> bool:
        """Constant, and not to be differentiated."""
        return self.is_constant and not tracks_gradient(self.matrix)

    def block(self, rows: Index, columns: Index) -> Array:
        """Entries looked up by code."""
        whole = isinstance(rows, slice) and isinstance(columns, slice) and rows == columns == ALL
        if whole and np.array_equal(self.codes, np.arange(self.matrix.shape[0])):
            # Solvers may overwrite a numpy block.
            return self.matrix.copy() if is_numpy(self.matrix) else self.matrix
        left, right = self.codes[rows], self.codes[columns]
        if is_numpy(self.matrix):
            return self.matrix[np.ix_(left, right)]
        xp, where = self.xp, device(self.matrix)
        band = xp.take(self.matrix, xp.asarray(left, device=where), axis=0)
        return xp.take(band, xp.asarray(right, device=where), axis=1)

    def squared(self) -> "MatrixGram":
        """The matrix of squared entries."""
        return MatrixGram(self.matrix * self.matrix, self.codes)

    def restrict(self, rows: NDArray[np.intp]) -> "MatrixGram":
        """The operator of these rows, with the values that occur in them."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        if is_numpy(self.matrix):
            return MatrixGram(self.matrix[np.ix_(used, used)], codes.reshape(-1))
        index = self.xp.asarray(used, device=device(self.matrix))
        return MatrixGram(self.xp.take(self.xp.take(self.matrix, index, axis=0), index, axis=1), codes.reshape(-1))

    def merge(self, other: Gram) -> Gram | None:
        """Two matrices over the same codes multiply into one."""
        if not isinstance(other, MatrixGram) or other.matrix.shape != self.matrix.shape:
            return None
        if np.array_equal(self.codes, other.codes):
            return MatrixGram(self.matrix * other.matrix, self.codes)
        return None


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Use the values of a variable as its Gram matrix, of shape (n, n).

    The matrix is checked (finite, symmetric, positive diagonal, positive semidefinite) and normalized to unit diagonal.
    Beside other variables it is named: ``mutual_information(matrix, y, kernel={"x1": Precomputed()})``.

    Parameters
    ----------
    tolerance : float, default 1e-8
        How large asymmetries and negative eigenvalues may be, after normalization to unit diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> same_half = np.kron(np.eye(2), np.ones((2, 2)))
    >>> sh.entropy(same_half, kernel=sh.kernels.Precomputed())
    1.0
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("continuous",)

    tolerance: float = TOLERANCE

    def gram(self, block: Block, like: Array) -> Gram:
        """The Gram operator of a block that is a square matrix."""
        rows, columns = block.values.shape
        if rows != columns:
            hint = 'For one variable of several: kernel={name: Precomputed()}. missing="drop" does not go with it.'
            raise value_error("kernel", "a square Gram matrix for Precomputed", f"shape ({rows}, {columns})", hint)
        return MatrixGram(normalized(block.values, self.tolerance), np.arange(rows))


@dataclass(frozen=True)
class Custom(Kernel):
    """A kernel of your own: any symmetric, positive semidefinite function of two values.

    The values can be numbers, labels and any other objects (sequences, graphs, sets). The function is called for the
    distinct values only. Its matrix is checked (finite, symmetric, positive diagonal, positive semidefinite) and
    normalized to unit diagonal.

    Parameters
    ----------
    function : callable
        ``function(a, b) -> float`` of two values, where a number or a vector comes as an array of shape (d,). With
        ``vectorized=True``, ``function(A, B)`` of two collections of values, which returns an array of shape (len(A),
        len(B)).
    vectorized : bool, default False
        Which of the two forms `function` has.
    tolerance : float, default 1e-8
        How large asymmetries and negative eigenvalues may be, after normalization to unit diagonal.

    Examples
    --------
    >>> import shearer as sh
    >>> def shared_letters(a, b):
    ...     return len(set(a) & set(b))
    >>> words = ["abc", "abd", "xyz", "xyw"]
    >>> round(sh.entropy(words, kernel={"x1": sh.kernels.Custom(shared_letters)}), 4)
    1.65
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("continuous", "categorical", "object")

    function: Callable[..., Any] = field()
    vectorized: bool = False
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.function):
            raise type_error("function", "a function of two values", describe(self.function))
        check_positive("tolerance", self.tolerance)

    def gram(self, block: Block, like: Array) -> Gram:
        """The Gram operator of any block."""
        if block.kind == "continuous":
            values: Any
            values, codes = np.unique(to_numpy(block.values), axis=0, return_inverse=True)
        else:
            used, codes = np.unique(block.values, return_inverse=True)
            values = [block.levels[code] for code in used]
        matrix = self._evaluate(values)
        expected = f"a {len(values)} x {len(values)} matrix of numbers"
        if matrix.shape != (len(values), len(values)):
            raise value_error("kernel", f"a function that returns {expected}", f"shape {matrix.shape}")
        xp = namespace(like)
        checked = normalized(matrix, self.tolerance)
        return MatrixGram(xp.asarray(checked, dtype=like.dtype, device=device(like)), codes.reshape(-1))

    def _evaluate(self, values: Any) -> NDArray[np.float64]:
        try:
            if self.vectorized:
                return np.asarray(self.function(values, values), dtype=np.float64)
            return np.array([[float(self.function(a, b)) for b in values] for a in values])
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            hint = f"It raised {type(error).__name__}: {error}"
            if not self.vectorized:
                hint += ". A function of two whole arrays needs vectorized=True."
            raise type_error(
                "kernel", "a function of two values that returns a number", "one that fails", hint
            ) from error


def normalized(matrix: Array, tolerance: float) -> Array:
    """Check a Gram matrix and bring it to unit diagonal: K_ij / sqrt(K_ii K_jj)."""
    values = to_numpy(matrix).astype(np.float64)
    if not np.isfinite(values).all():
        raise value_error("kernel", "finite entries", f"{int((~np.isfinite(values)).sum())} that are not")
    diagonal = np.diag(values)
    if not (diagonal > 0).all():
        row = int(np.argmin(diagonal))
        hint = "Every value must be similar to itself."
        raise value_error("kernel", "a positive diagonal", f"{diagonal[row]:g} at row {row}", hint)
    root = np.sqrt(diagonal)
    values = values / root[:, None] / root[None, :]
    gap = np.abs(values - values.T)
    if gap.max() > tolerance:
        row, column = (int(index) for index in np.unravel_index(int(gap.argmax()), gap.shape))
        got = f"{values[row, column]:.6g} at ({row}, {column}) and {values[column, row]:.6g} at ({column}, {row})"
        raise value_error("kernel", "a symmetric matrix", got, "Average it with its transpose if that is meant.")
    symmetric = (values + values.T) / 2
    if not _is_positive_semidefinite(symmetric, _ROUND_OFF):
        _check_positive_semidefinite(symmetric, tolerance)
        symmetric = _projected(symmetric)
    if is_numpy(matrix):
        return _unit_diagonal(symmetric)
    xp = namespace(matrix)
    scale = xp.sqrt(xp.linalg.diagonal(matrix))
    scaled = matrix / xp.reshape(scale, (-1, 1)) / xp.reshape(scale, (1, -1))
    return (scaled + scaled.T) / 2


def _unit_diagonal(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    np.fill_diagonal(matrix, 1.0)
    return matrix


def _is_positive_semidefinite(matrix: NDArray[np.float64], tolerance: float) -> bool:
    """A Cholesky factorisation of the slightly shifted matrix decides."""
    shifted = matrix + tolerance * len(matrix) * np.eye(len(matrix))
    try:
        scipy.linalg.cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return False
    return True


def _check_positive_semidefinite(matrix: NDArray[np.float64], tolerance: float) -> None:
    if not _is_positive_semidefinite(matrix, tolerance):
        lowest = float(scipy.linalg.eigvalsh(matrix, subset_by_index=(0, 0))[0])
        hint = "Not every similarity is a kernel; try exp of it, or add the negative eigenvalue to the diagonal."
        raise value_error("kernel", "a positive semidefinite matrix", f"a smallest eigenvalue of {lowest:.6g}", hint)


def _projected(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest positive semidefinite matrix, with unit diagonal: bounds are theorems for such matrices only."""
    values, vectors = scipy.linalg.eigh(matrix, check_finite=False)
    nearest = (vectors * np.clip(values, 0.0, None)) @ vectors.T
    root = np.sqrt(np.diag(nearest))
    unit: NDArray[np.float64] = nearest / root[:, None] / root[None, :]
    return unit
