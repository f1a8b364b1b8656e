"""One outlier score from the scores of a row in several subspaces, and each subspace's part of it."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COMBINATIONS = ("mean", "max", "rank", "breadth_first")


def parts(scores: Floats, training: Floats, combination: str) -> Floats:
    """What each subspace gives to the score of each row, which is their sum.

    Parameters
    ----------
    scores : array (rows, subspaces)
        Of the rows, higher is more outlying.
    training : array (training rows, subspaces)
        Those of the rows that the detectors were fitted to.
    combination : {"mean", "max", "rank", "breadth_first"}
        "mean": the mean of the scores. "max": the largest, all of it from the first subspace that reaches it. "rank":
        the mean of the `quantiles`. "breadth_first": the best place in any subspace's list of rows from the highest
        score to the lowest, the first subspace first, from 1 down to 0; all of it from the subspace with that place.
        It is the order that Lazarevic and Kumar (2005) get by reading the first row of every list, then the second,
        and so on.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[1.0, 4.0], [2.0, 1.0]])
    >>> {name: parts(scores, scores, name).sum(axis=1).tolist() for name in COMBINATIONS}
    {'mean': [2.5, 1.5], 'max': [4.0, 2.0], 'rank': [0.5, 0.5], 'breadth_first': [0.75, 1.0]}
    """
    rows, subspaces = len(training), scores.shape[1]
    if combination == "mean":
        return np.divide(scores, subspaces)
    if combination == "rank":
        return np.divide(quantiles(scores, training), subspaces)
    if combination == "max":
        return _only(scores, np.argmax(scores, axis=1))
    place = (rows - _counts(scores, training, "right")) * subspaces + np.arange(subspaces)
    return _only(1.0 - place / (rows * subspaces), np.argmin(place, axis=1))


def quantiles(scores: Floats, training: Floats) -> Floats:
    """For each subspace the share of training rows that score lower, ties counted half; shape of `scores`.

    Examples
    --------
    >>> import numpy as np
    >>> quantiles(np.array([[2.0], [9.0]]), np.array([[1.0], [2.0]]))
    array([[0.75],
           [1.  ]])
    """
    return np.divide(_counts(scores, training, "left") + _counts(scores, training, "right"), 2 * len(training))


def _counts(scores: Floats, training: Floats, side: Literal["left", "right"]) -> Floats:
    """How many training rows score lower ("left"), or not higher ("right"), subspace by subspace."""
    ordered = np.sort(training, axis=0)
    columns = [np.searchsorted(ordered[:, k], scores[:, k], side=side) for k in range(scores.shape[1])]
    return np.stack(columns, axis=1).astype(np.float64)


def _only(values: Floats, chosen: NDArray[np.intp]) -> Floats:
    """Zero but in the chosen column of each row."""
    found = np.zeros_like(values)
    rows = np.arange(len(values))
    found[rows, chosen] = values[rows, chosen]
    return found
