"""Wide data as tables: AnnData by the names of its variables, sparse matrices with their zeros."""

from collections import Counter
from typing import Any

import numpy as np
from scipy import sparse

from shearer._memory import require
from shearer._validate import describe, value_error
from shearer.screening.frames import make_frame

_OPTIONS = "Options: fewer rows or columns; a larger memory=."


def is_annotated(X: Any) -> bool:
    """True for AnnData, and whatever has a matrix `X` with names of its rows and columns as AnnData does."""
    return all(hasattr(X, name) for name in ("X", "var_names", "obs_names"))


def plain_input(X: Any, budget: int) -> Any:
    """A matrix for a sparse one, a pandas table for AnnData (its `X`, named by `var_names`); all else as it is.

    Parameters
    ----------
    X : anything
        What an estimator is given.
    budget : int
        Bytes that may be allocated.

    Examples
    --------
    >>> plain_input(sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]), 10**6)
    array([[0., 2.],
           [1., 0.]])
    """
    if is_annotated(X):
        names, matrix = [str(name) for name in X.var_names], _dense(X.X, budget)
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            hint = "Call .var_names_make_unique() on it first."
            raise value_error("X", "distinct names of variables", f"{describe(twice[0])} twice", hint)
        return make_frame(dict(zip(names, matrix.T, strict=True)), "pandas")  # which AnnData comes with
    return _dense(X, budget) if sparse.issparse(X) else X


def _dense(matrix: Any, budget: int) -> Any:
    if not sparse.issparse(matrix):
        return np.asarray(matrix)
    rows, columns = matrix.shape
    require(8 * rows * columns, budget, f"a sparse matrix of {rows} x {columns} without gaps", _OPTIONS)
    return matrix.toarray()
