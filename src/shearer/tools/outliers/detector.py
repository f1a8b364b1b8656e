"""`SubspaceOutlierDetector`: rows that stand out by their values, by the relations they break, by their distance."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from shearer._validate import check_option, describe, type_error, value_error
from shearer.data.sources import library_of
from shearer.inference.permutation.resampling import check_count
from shearer.screening.frames import make_frame
from shearer.tools.outliers.drawn_rows import draw_reason
from shearer.tools.outliers.ensemble import VIEWS, SubspaceEnsemble
from shearer.tools.outliers.explained_rows import Explained
from shearer.tools.outliers.given_subspaces import SEARCHES, checked_subspaces
from shearer.tools.outliers.members import RowIndex, shared_means
from shearer.tools.outliers.mixed_rows import RowReader
from shearer.tools.outliers.surprise_views import SurpriseViews
from shearer.tools.subspaces.lattice import Columns
from shearer.tools.subspaces.search import SubspaceSearch, column_names

Floats = NDArray[np.float64]

SCHEMES = ("relations", "paper")
#: Nearest rows whose mean distance counts (experiments/outlier_choice.py).
DISTANCE_NEIGHBORS = 50


class SubspaceOutlierDetector(SubspaceEnsemble):
    """Rows that stand out among columns that depend on each other, and why.

    A row can be ordinary in every column and out of place in two of them together. By default (``scheme="relations"``)
    a row is looked at in three ways: how rare its single values are; how far it is, on either side, from what pairs of
    columns have in common, along the maximum spanning tree of their strengths; how far it lies from other rows. Each
    becomes bits, by the share of rows that stand out as much (10 bits: one row in 1024), and the score is their mean.
    Where a row breaks a single relation by far more than other rows break any, the bits of that count instead.

    Parameters
    ----------
    search : SubspaceSearch or list of sets of columns, optional
        For ``scheme="paper"``, as all parameters up to `ties` but `n_neighbors`. How to find the subspaces; a clone is
        fitted, for `n_subspaces` of them. A search that is fitted already is used as it is inside
        `sklearn.frozen.FrozenEstimator`. Or the subspaces themselves, by names or positions. Default:
        ``SubspaceSearch()``.
    detector : estimator, optional
        Any outlier detector of scikit-learn or PyOD; a clone is fitted to each subspace. Default: scikit-learn's local
        outlier factor with `n_neighbors`.
    scheme : {"relations", "paper"}, optional
        "relations": as above; columns may hold labels. "paper": a detector on each of the subspaces whose columns
        depend most, as in the paper's Table 4. Default: "paper" where `search` or `detector` is given, else
        "relations", which did better on tables that it was not chosen on (``experiments/outlier_choice.py``).
    n_subspaces : int, default 10
        Subspaces to look at; fewer if there are not so many.
    n_neighbors : int, optional
        Nearest rows whose mean distance counts, 50 by default, or of the local outlier factor, 20; fewer if there are
        not so many other rows, which a warning says where they were asked for or are those of the factor.
    combination : {"mean", "max", "rank", "breadth_first"}
        How the scores of a row are joined: their mean, the largest, the mean share of training rows that score lower,
        or the best place in any subspace.
    scale : bool, default True
        Bring columns to mean 0 and standard deviation 1 first.
    ties : {"spread", "keep"}
        Values that occur more than once: spread over half the way to the next values, while fitting; or kept, whereby
        the local outlier factor of rows beside many that coincide runs into millions.
    contamination : float, default 0.1
        Share of the training rows to call outliers, at most 0.5.
    n_jobs : int, optional
        Subspaces worked on at a time, as joblib counts them.
    random_state : int, RandomState or None, default 0
        Source of the rows that strengths and distances are taken of in long tables, or that the default search draws,
        and of what spreads ties.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Attributes
    ----------
    decision_scores_ : array
        Scores of the training rows in the sense of PyOD: higher is more outlying. With "relations" in bits, some 1.4
        for an ordinary row.
    labels_ : array
        1 for the training rows that are outliers, 0 for the others, as in PyOD.
    threshold_, offset_ : float
        Scores above `threshold_`, values of `score_samples` below `offset_` = -`threshold_`, are outliers.
    scheme_ : str
        The scheme.
    subspaces_ : list of tuples of int
        Positions of the columns of each subspace, the one that depends most first; with "relations" the related pairs.
    names_ : list of tuples of str
        Their names; x0, x1, ... where the table has none.
    strengths_ : array
        Of the related pairs, on the scale of a correlation; with "relations". Roots of alignments at equal widths: the
        strength of `shearer.scan` looks at more, and is higher by up to a tenth where one of the two is a label.
    ignored_ : list of str
        Columns of labels that hardly any rows share, such as names; with "relations", which learns nothing from them.
    search_ : SubspaceSearch
        The fitted search, if there was one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    scikit-learn and PyOD disagree about the sign. The methods `score_samples`, `decision_function` and `predict` are
    scikit-learn's: lower is more outlying, outliers are below 0, and -1. The attributes `decision_scores_`, `labels_`
    and `threshold_` are PyOD's: higher is more outlying, outliers are 1.

    A row that the detector was fitted to has the score that it had then, wherever it is passed again; so
    ``fit(X).predict(X)`` agrees with `labels_`.

    Sets of three and more columns of which no two are related, as an exclusive or, are no part of the tree: a row that
    breaks one is found by ``scheme="paper"`` with ``SubspaceSearch(exhaustive_triples=True)``.

    Examples
    --------
    >>> from shearer.datasets import planted_subspace
    >>> from shearer.tools import SubspaceOutlierDetector
    >>> planted = planted_subspace(500, sizes=(2,), noise=8, outliers=3)
    >>> found = SubspaceOutlierDetector().fit(planted.X)
    >>> sorted(found.decision_scores_.argsort()[-3:]) == sorted(planted.y.nonzero()[0])
    True
    >>> found.explain(planted.X[[planted.y.argmax()]]).columns
    ['row', 'subspace', 'view', 'score', 'contribution']
    """

    def __init__(
        self,
        search: Any = None,
        detector: Any = None,
        *,
        scheme: str | None = None,
        n_subspaces: int = 10,
        n_neighbors: int | None = None,
        combination: str = "mean",
        scale: bool = True,
        ties: str = "spread",
        contamination: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = 0,
        progress: bool | None = None,
    ) -> None:
        self.search = search
        self.detector = detector
        self.scheme = scheme
        self.n_subspaces = n_subspaces
        self.n_neighbors = n_neighbors
        self.combination = combination
        self.scale = scale
        self.ties = ties
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> "SubspaceOutlierDetector":
        """Learn what rows are like.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table: numbers, and in frames with "relations" also labels.
        y : ignored
            There for pipelines.
        """
        self._check_parameters()
        self.scheme_ = self._chosen_scheme()
        if self.scheme_ == "paper":
            super().fit(X, y)
            return self
        self._reader, values = RowReader.fit(self, X)
        names = column_names(self)
        self.ignored_ = [name for name, levels in zip(names, self._reader.levels, strict=True) if levels == ()]
        self._rows, self._values = RowIndex(values), values
        if self.n_neighbors is not None:
            self._warn_of_few_rows(len(values))
        neighbors = min(self.n_neighbors or DISTANCE_NEIGHBORS, len(values) - 1)
        random = check_random_state(self.random_state)
        self._views = SurpriseViews.fit(values, self._reader.is_label, neighbors, random)
        self.subspaces_ = [pair.columns for pair in self._views.pairs]
        self.names_ = [tuple(names[column] for column in columns) for columns in self.subspaces_]
        self.strengths_ = self._views.strengths
        self._training = np.stack([shared_means(view, self._rows.same) for view in self._views.scores.T], axis=1)
        self._set_threshold(self._views.total(self._training))
        return self

    def score_samples(self, X: Any) -> Floats:
        """Scores of rows in scikit-learn's sense: lower is more outlying. The negative of `decision_scores_`."""
        check_is_fitted(self)
        if self.scheme_ == "paper":
            return super().score_samples(X)
        values = self._reader.read(self, X)
        return -self._views.total(self._view_scores(values, self._rows.find(values)))

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
            polars, or pandas or pyarrow if X is. `row`: position in X. `contribution`: adds up to the row's score over
            the lines of a row, largest first. With "relations" a `subspace` is a column, a related pair or all columns,
            and `view` says which: "value", with bits of surprise as its `score`; "relation", with bits by which the
            pointwise dependence of the pair differs from its mean, below 0 where the row breaks it; "distance". With
            "paper": `score` of the row in the subspace, higher is more outlying, and `quantile`, the share of the
            training rows with a lower score in it. Or `column`: a subspace's part is divided among its columns, evenly
            between related ones, by their parts of a distance, with "paper" by how much the row's score falls when
            each of them is left out.
        """
        check_is_fitted(self)
        if self.scheme_ == "paper":
            return super().explain(X, by=by)
        check_option("by", by, VIEWS)
        return make_frame(self._explained(X).lines(by), library_of((X,)))

    def reasons(self, X: Any, *, most: int = 3) -> list[list[dict[str, Any]]]:
        """The values and relations that give most to the scores of rows, in words; with "relations".

        Parameters
        ----------
        X : array-like or frame
            Rows to explain.
        most : int, default 3
            Reasons for each row, at most.

        Returns
        -------
        list
            For each row the reasons, the strongest first: a mapping of `columns`, `values` (as texts), `bits` (of
            surprise of one column; of a relation below 0 where it is broken), `contribution` to the score and `words`.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> height = rng.normal(170, 10, 300).round()
        >>> weight = (0.9 * height - 90 + rng.normal(0, 3, 300)).round()
        >>> weight[0], height[0] = 75, 160
        >>> import polars as pl
        >>> people = pl.DataFrame({"height": height, "weight": weight})
        >>> found = SubspaceOutlierDetector().fit(people)
        >>> print(found.reasons(people[:1], most=1)[0][0]["words"])
        weight = 75 with height = 160: of rows with height like this 90 in 100 have 50 to 60
        """
        check_count("most", most, 1)
        explained = self._explained(X)
        return [explained.reasons(row, most) for row in range(len(explained.values))]

    def plot(self, X: Any, *, row: int = 0, ax: Any = None) -> Any:
        """Draw the strongest reason of a row, by matplotlib; with "relations".

        Two related columns with the row marked among the training rows, or a column as a histogram; its sentence is the
        title.

        Parameters
        ----------
        X : array-like or frame
            Rows.
        row : int, default 0
            Which of them.
        ax : matplotlib.axes.Axes, optional
            Where to draw. Default: a new figure.
        """
        explained = self._explained(X)
        if not 0 <= row < len(explained.values):
            raise value_error("row", f"a position from 0 to {len(explained.values) - 1}", describe(row))
        return draw_reason(explained, row, ax)

    def _explained(self, X: Any) -> Explained:
        check_is_fitted(self)
        if self.scheme_ == "paper":
            raise value_error("scheme", "'relations', for reasons", "'paper'", "explain() says which subspaces.")
        values = self._reader.read(self, X)
        known = self._rows.find(values)
        scores = self._view_scores(values, known)
        return Explained.of(values, scores, known >= 0, self._views, self._values, self._reader, column_names(self))

    def _view_scores(self, values: Floats, known: NDArray[np.intp]) -> Floats:
        """Bits of rows in each view; one that is a training row (a position in `known`, else -1) as it had them."""
        scores = np.empty((len(values), self._training.shape[1]))
        new = known < 0
        scores[~new] = self._training[known[~new]]
        if new.any():
            scores[new] = self._views.bits(values[new])
        return scores

    def _chosen_scheme(self) -> str:
        given = self.search is not None or self.detector is not None
        if self.scheme is None:
            return "paper" if given else "relations"
        if given and self.scheme == "relations":
            raise value_error("scheme", "'paper' or none with a search or a detector", "'relations'")
        return self.scheme

    @property
    def _fewest_columns(self) -> int:
        return 2 if self.search is None else 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_subspaces", self.n_subspaces, 1)
        if self.scheme is not None:
            check_option("scheme", self.scheme, SCHEMES)

    def _choose_subspaces(self, X: Any) -> list[Columns]:
        if isinstance(self.search, Iterable):
            return checked_subspaces(self.search, column_names(self))[: self.n_subspaces]
        if self.search is None:
            search = SubspaceSearch(random_state=self.random_state, progress=self.progress)
        elif hasattr(self.search, "fit") and not isinstance(self.search, type):
            search = clone(self.search)
        else:
            raise type_error("search", SEARCHES, describe(self.search))
        if "n_subspaces" in search.get_params(deep=False):  # not so of one that is frozen
            search.set_params(n_subspaces=self.n_subspaces)
        self.search_ = search.fit(X, None)
        if getattr(search, "n_features_in_", self.n_features_in_) != self.n_features_in_:
            got = f"a search fitted to {search.n_features_in_}"
            raise value_error("X", f"{self.n_features_in_} columns in the search too", got)
        if not hasattr(search, "subspaces_"):
            raise type_error("search", SEARCHES, describe(self.search))
        return list(search.subspaces_[: self.n_subspaces])
