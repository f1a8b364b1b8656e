"""What detectors over several subspaces have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from shearer._jobs import check_jobs, spread
from shearer._progress import track
from shearer._user_warnings import warn_caller
from shearer._validate import check_inside, check_option, listing, message, type_error
from shearer.data.sources import library_of
from shearer.inference.permutation.resampling import check_count
from shearer.screening.frames import make_frame
from shearer.tools.estimator_input import is_table, validated
from shearer.tools.outliers.combining import COMBINATIONS, parts, quantiles
from shearer.tools.outliers.members import Member, RowIndex, checked_detector
from shearer.tools.subspaces.lattice import Columns, without_one
from shearer.tools.subspaces.search import column_names
from shearer.tools.subspaces.ties import spread_ties

Floats = NDArray[np.float64]

VIEWS = ("subspace", "column")
TIES = ("spread", "keep")
# Of the local outlier factor.
FACTOR_NEIGHBORS = 20


class SubspaceEnsemble(OutlierMixin, BaseEstimator):
    """Outlier scores from detectors fitted to several subspaces; a subclass says to which.

    Subclasses have the parameters `detector, n_neighbors, combination, scale, ties, contamination, n_jobs,
    random_state, progress`.
    """

    detector: Any
    n_neighbors: int | None
    combination: str
    scale: bool
    ties: str
    contamination: float
    n_jobs: int | None
    random_state: Any
    progress: bool | None

    @abstractmethod
    def _choose_subspaces(self, X: Any) -> list[Columns]:
        """The subspaces of a table that has been validated."""

    def fit(self, X: Any, y: Any = None) -> SubspaceEnsemble:
        """Find the subspaces and fit a detector to each.

        Parameters
        ----------
        X : array-like or frame of numbers, shape (n, d)
            The table.
        y : ignored
            There for pipelines.
        """
        self._check_parameters()
        check_numbers(X)
        fewest = self._fewest_columns
        values = validated(self, X, ensure_min_samples=2, ensure_min_features=fewest)
        self.subspaces_ = self._choose_subspaces(X)
        names = column_names(self)
        self.names_ = [tuple(names[column] for column in columns) for columns in self.subspaces_]
        self._scaling = _scaling(values) if self.scale else (1.0, 0.0, 1.0)
        self._rows = RowIndex(values)
        self._values = self._scaled(values)
        if self.ties == "spread":
            self._values = spread_ties(self._values, check_random_state(self.random_state))
        self._warn_of_few_rows(len(values))
        self._members = self._fit_members(self.subspaces_)
        self._training = np.stack([member.training for member in self._members], axis=1)
        self._set_threshold(self._combine(self._training).sum(axis=1))
        return self

    def _set_threshold(self, scores: Floats) -> None:
        """Keep the scores of the training rows, and call the share of them that is asked for outliers."""
        self.decision_scores_ = scores
        self.offset_ = float(np.percentile(-self.decision_scores_, 100.0 * self.contamination))
        self.threshold_ = -self.offset_
        self.labels_ = (-self.decision_scores_ < self.offset_).astype(int)

    def score_samples(self, X: Any) -> Floats:
        """Scores of rows in scikit-learn's sense: lower is more outlying. The negative of `decision_scores_`."""
        values = self._read(X)
        total: Floats = self._combine(self._scores(self._members, values)).sum(axis=1)
        return -total

    def decision_function(self, X: Any) -> Floats:
        """`score_samples` less `offset_`: negative for outliers. (PyOD's method of this name has the other sign.)"""
        scores = self.score_samples(X)
        return scores - self.offset_

    def predict(self, X: Any) -> NDArray[np.int_]:
        """-1 for outliers, 1 for other rows. (PyOD says 1 and 0.)"""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def explain(self, X: Any, *, by: str = "subspace") -> Any:
        """Which subspaces, or which columns, made rows what they are.

        Parameters
        ----------
        X : array-like or frame
            Rows to explain.
        by : {"subspace", "column"}
            One line for each row and subspace, or for each row and column.

        Returns
        -------
        frame
            polars, or pandas or pyarrow if X is. `row`: position in X. `subspace`: its columns; `score`: of the row in
            it, higher is more outlying; `quantile`: share of the training rows with a lower score in it. Or `column`.
            `contribution`: adds up to the row's score over the lines of a row, largest first. A subspace's part is
            divided among its columns by how much the row's score falls when each of them is left out, evenly where it
            does not fall.
        """
        check_option("by", by, VIEWS)
        values, library = self._read(X), library_of((X,))
        scores = self._scores(self._members, values)
        given = self._combine(scores)
        if by == "column":
            return make_frame(self._by_column(values, scores, given), library)
        order = np.argsort(-given, axis=1, kind="stable")
        lines = {"score": scores, "quantile": quantiles(scores, self._training), "contribution": given}
        subspaces = np.array([", ".join(names) for names in self.names_], dtype=object)
        columns = {"row": np.repeat(np.arange(len(values)), given.shape[1]), "subspace": subspaces[order].ravel()}
        columns |= {name: np.take_along_axis(table, order, axis=1).ravel() for name, table in lines.items()}
        return make_frame(columns, library)

    def _by_column(self, values: Floats, scores: Floats, given: Floats) -> dict[str, Any]:
        """The parts of subspaces divided among their columns."""
        used = sorted({column for columns in self.subspaces_ for column in columns})
        shares = np.zeros((len(values), len(used)))
        for member, score, part in zip(self._members, scores.T, given.T, strict=True):
            places = [used.index(column) for column in member.columns]
            if len(places) == 1:
                shares[:, places[0]] += part
                continue
            rests = self._scores(self._fit_members(without_one(member.columns)), values)
            falls = np.maximum(score[:, None] - rests, 0.0)
            total = falls.sum(axis=1, keepdims=True)
            even = np.full_like(falls, 1.0 / len(places))
            shares[:, places] += part[:, None] * np.divide(falls, total, out=even, where=total > 0)
        order = np.argsort(-shares, axis=1, kind="stable")
        names = np.array(column_names(self), dtype=object)[used]
        return {
            "row": np.repeat(np.arange(len(values)), len(used)),
            "column": names[order].ravel(),
            "contribution": np.take_along_axis(shares, order, axis=1).ravel(),
        }

    @property
    def _fewest_columns(self) -> int:
        return 1

    @property
    def _neighbors(self) -> int:
        return FACTOR_NEIGHBORS if self.n_neighbors is None else self.n_neighbors

    def _check_parameters(self) -> None:
        check_option("combination", self.combination, COMBINATIONS)
        check_option("scale", self.scale, (True, False))
        check_option("ties", self.ties, TIES)
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors, 1)
        check_jobs(self.n_jobs)
        expected = "a share of the rows, above 0 and at most 0.5"
        check_inside("contamination", self.contamination, expected, lambda share: 0 < share <= 0.5)

    def _warn_of_few_rows(self, rows: int) -> None:
        if self.detector is None and self._neighbors >= rows:
            got = f"{self._neighbors} with {rows} rows"
            warn_caller(message("n_neighbors", "fewer than the rows", got, f"{rows - 1} are used."))

    def _fit_members(self, subspaces: Sequence[Columns]) -> list[Member]:
        """A detector on each subspace of the training rows."""
        detector = checked_detector(self.detector, min(self._neighbors, len(self._values) - 1))
        fit = partial(Member.fit, detector, self._values, self._rows.same)
        return list(track(spread(fit, subspaces, self.n_jobs), len(subspaces), "subspaces", self.progress))

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self)
        check_numbers(X)
        values: Floats = validated(self, X, reset=False)
        return values

    def _scaled(self, values: Floats) -> Floats:
        size, center, spread = self._scaling
        scaled: Floats = (values / size - center) / spread
        return scaled

    def _scores(self, members: Sequence[Member], values: Floats) -> Floats:
        """Scores of rows in each subspace, shape (rows, members)."""
        known, scaled = self._rows.find(values), self._scaled(values)
        return np.stack([member.scores(scaled, known) for member in members], axis=1)

    def _combine(self, scores: Floats) -> Floats:
        """The parts of each subspace in the score of each row."""
        return parts(scores, self._training, self.combination)


def check_numbers(X: Any) -> None:
    """Raise for a table with columns that hold no numbers."""
    if not is_table(X):
        return
    import narwhals.stable.v2 as nw

    types = nw.from_native(X, eager_only=True).schema
    others = [name for name, kind in types.items() if not (kind.is_numeric() or kind == nw.Boolean)]
    if others:
        got = f"other values in {listing(others)}"
        raise type_error("X", "numbers in every column", got, "Leave them out, or turn them into numbers.")


def _scaling(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Size, mean and standard deviation of each column; divided by its size first, so that no square overflows."""
    size = np.max(np.abs(values), axis=0)
    size[size == 0] = 1.0
    part = values / size
    spread = np.where(np.any(values != values[0], axis=0), part.std(axis=0), 1.0)
    return size, part.mean(axis=0), np.where(spread > 0, spread, 1.0)
