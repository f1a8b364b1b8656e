"""Detectors of scikit-learn and of PyOD on some of the columns, under one call; and rows recognised again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin, clone
from sklearn.neighbors import LocalOutlierFactor

from shearer._validate import describe, type_error
from shearer.tools.subspaces.lattice import Columns

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Member:
    """A detector fitted to some of the columns.

    Attributes
    ----------
    columns : tuple of int
        Which.
    detector : estimator
        Fitted to them.
    training : array
        Scores of the rows it was fitted to; higher is more outlying.
    """

    columns: Columns
    detector: Any
    training: Floats

    @classmethod
    def fit(cls, detector: Any, values: Floats, same: NDArray[np.intp], columns: Columns) -> Member:
        """Fit a clone; rows that are the same (equal numbers in `same`) share the mean of their scores."""
        fitted, part = clone(detector), np.ascontiguousarray(values[:, columns])
        fitted.fit(part)
        if hasattr(fitted, "negative_outlier_factor_"):
            scores = -fitted.negative_outlier_factor_
        else:
            scores = fitted.decision_scores_ if _is_pyod(fitted) else _outlying(fitted, part)
        return cls(columns, fitted, shared_means(scores, same))

    def scores(self, values: Floats, known: NDArray[np.intp]) -> Floats:
        """Scores of rows; one that is a training row (a position in `known`, else -1) has the score it had there."""
        scores = np.empty(len(values))
        new = known < 0
        scores[~new] = self.training[known[~new]]
        if new.any():
            scores[new] = _outlying(self.detector, np.ascontiguousarray(values[new][:, self.columns]))
        return scores


def shared_means(scores: Floats, same: NDArray[np.intp]) -> Floats:
    """Scores, with their mean for rows that are the same.

    Where ties are spread, or neighbors at equal distances taken in any order, equal rows score differently.

    Examples
    --------
    >>> import numpy as np
    >>> shared_means(np.array([1.0, 5.0, 2.0]), np.array([0, 1, 0]))
    array([1.5, 5. , 1.5])
    """
    totals, counts = np.bincount(same, weights=scores), np.bincount(same)
    return np.divide(totals[same], counts[same])


def checked_detector(detector: Any, n_neighbors: int) -> Any:
    """The detector to clone for each subspace: the local outlier factor, or what the user passed."""
    if detector is None:
        return LocalOutlierFactor(n_neighbors=n_neighbors, novelty=True)
    has_scores = hasattr(detector, "decision_function") or hasattr(detector, "score_samples")
    is_local = isinstance(detector, LocalOutlierFactor)
    if isinstance(detector, type) or not hasattr(detector, "fit") or not (has_scores or is_local):
        hint = "Make an instance: KNN()." if isinstance(detector, type) else ""
        raise type_error("detector", "an outlier detector of scikit-learn or PyOD", describe(detector), hint)
    # Without novelty it would know scores of the training rows only.
    return clone(detector).set_params(novelty=True) if is_local else detector


class RowIndex:
    """Which training row a row is, by a digest of its values.

    Examples
    --------
    >>> import numpy as np
    >>> index = RowIndex(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]]))
    >>> index.same, index.find(np.array([[-0.0, 5.0], [7.0, 7.0]]))
    (array([0, 1, 0]), array([ 1, -1]))
    """

    def __init__(self, values: Floats) -> None:
        self._first: dict[bytes, int] = {}
        #: For each training row the position of the first that is the same.
        self.same = np.array([self._first.setdefault(key, row) for row, key in enumerate(_digests(values))])

    def find(self, values: Floats) -> NDArray[np.intp]:
        """The position of the first training row that is the same, or -1."""
        return np.array([self._first.get(key, -1) for key in _digests(values)], dtype=np.intp)


def _digests(values: Floats) -> list[bytes]:
    rows = np.ascontiguousarray(values + 0.0)  # -0.0 becomes 0.0
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows]


def _is_pyod(fitted: Any) -> bool:
    return hasattr(fitted, "decision_scores_") and not isinstance(fitted, OutlierMixin)


def _outlying(fitted: Any, values: Floats) -> Floats:
    """Scores that are higher for outliers: PyOD's sense, and the opposite of scikit-learn's."""
    if _is_pyod(fitted):
        return np.asarray(fitted.decision_function(values), dtype=np.float64)
    method = fitted.score_samples if hasattr(fitted, "score_samples") else fitted.decision_function
    return -np.asarray(method(values), dtype=np.float64)
