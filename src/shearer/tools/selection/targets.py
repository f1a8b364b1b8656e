"""The target of a supervised tool: numbers or classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from shearer._validate import check_option, value_error
from shearer.data.arrays import without_graph
from shearer.data.columns import where_missing
from shearer.screening.frames import header

TARGETS = ("auto", "continuous", "categorical")
# Whole numbers with more values than this are amounts, not classes, and so are those of which a value has fewer rows.
MOST_CLASSES, FEWEST_OF_CLASS = 20, 2
# Kinds of dtypes of dates and durations.
_DATES = "mM"


def read_target(X: Any, y: Any, kind: str) -> NDArray[Any]:
    """The target as floats, also of dates, or as texts that stand for classes.

    Parameters
    ----------
    X : table or array
        The features, of as many rows.
    y : array-like (n,)
        The target.
    kind : {"auto", "continuous", "categorical"}
        "auto": classes if the values are labels, or whole numbers of at most 20 different values that have two rows
        each or more, on average.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.zeros((4, 1))
    >>> read_target(X, [0, 1, 1, 0], "auto"), read_target(X, [0, 1, 2, 3], "auto")
    (array(['v0', 'v1', 'v1', 'v0'], dtype='<U...'), array([0., 1., 2., 3.]))
    """
    check_option("target", kind, TARGETS)
    if y is None:
        raise value_error("y", "a target", "None", "It requires y to be passed, but the target y is None.")
    values = column_or_1d(without_graph(y), warn=True)
    check_consistent_length(X, values)
    numbers = _as_numbers(values)
    if numbers is None:
        if values.dtype.kind == "O" and where_missing(values.tolist()).any():
            raise value_error("y", "a label in every row", "missing ones")
        if kind == "continuous":
            raise value_error("y", 'numbers with target="continuous"', "labels")
    else:
        assert_all_finite(numbers, input_name="y")
        classes = np.unique(numbers)
        few = len(classes) <= min(MOST_CLASSES, len(numbers) / FEWEST_OF_CLASS)
        is_amount = not few or values.dtype.kind in _DATES or bool(np.any(classes != np.round(classes)))
        if kind == "continuous" or (kind == "auto" and is_amount):
            return numbers
    _, codes = np.unique(values if numbers is None else numbers, return_inverse=True)
    # a letter, or they would be taken for numbers
    return np.char.add("v", codes.astype(str))


def target_column(data: Any, target: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The target under a name that no feature has: "target", or "target (2)" if there is such a column."""
    named = () if isinstance(data, np.ndarray) else getattr(data, "column_names", data.columns)
    return {header("target", [str(column) for column in named]): target}


def _as_numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """Floats, of dates and durations too, or None for labels."""
    if values.dtype.kind in _DATES:
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    if values.dtype.kind == "O" and not any(isinstance(value, str | bytes | bool) for value in values):
        return values.astype(np.float64)
    if values.dtype.kind in "OUSb":
        return None
    raise value_error("y", "numbers or labels", f"dtype {values.dtype}")
