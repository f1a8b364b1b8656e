"""`SubspaceOutlierDetector`: outliers in the subspaces of a table that depend most."""

from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from shearer._validate import check_names, describe, listing, type_error, value_error
from shearer.inference.permutation.resampling import check_count
from shearer.tools.outliers.ensemble import SubspaceEnsemble
from shearer.tools.subspaces.lattice import Columns
from shearer.tools.subspaces.search import SubspaceSearch, column_names

_SEARCH = "a SubspaceSearch, or a list of sets of columns"


class SubspaceOutlierDetector(SubspaceEnsemble):
    """Outliers by a detector on each of the subspaces whose columns depend most.

    A row can be ordinary in every column and out of place in a few of them together. Columns that depend on each other
    show such rows; in the full space they drown in the columns that do not.

    Parameters
    ----------
    search : SubspaceSearch or list of sets of columns, optional
        How to find the subspaces; a clone is fitted, for `n_subspaces` of them. A search that is fitted already is
        used as it is inside `sklearn.frozen.FrozenEstimator`. Or the subspaces themselves, by names or positions.
        Default: ``SubspaceSearch()``.
    detector : estimator, optional
        Any outlier detector of scikit-learn or PyOD; a clone is fitted to each subspace. Default: scikit-learn's local
        outlier factor with `n_neighbors`.
    n_subspaces : int, default 10
        Subspaces to look at; fewer if there are not so many.
    n_neighbors : int, default 20
        Of the local outlier factor, the default detector; fewer, with a warning, if there are not so many other rows.
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
        Source of the rows that the default search draws, and of what spreads ties.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Attributes
    ----------
    decision_scores_ : array
        Scores of the training rows in the sense of PyOD: higher is more outlying.
    labels_ : array
        1 for the training rows that are outliers, 0 for the others, as in PyOD.
    threshold_, offset_ : float
        Scores above `threshold_`, values of `score_samples` below `offset_` = -`threshold_`, are outliers.
    subspaces_ : list of tuples of int
        Positions of the columns of each subspace, the one that depends most first.
    names_ : list of tuples of str
        Their names; x0, x1, ... where the table has none.
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
    ``fit(X).predict(X)`` agrees with `labels_`. (Asked about a training row as if it were new, the local outlier factor
    would count the row among its own neighbors.)

    Examples
    --------
    >>> from shearer.datasets import planted_subspace
    >>> from shearer.tools import SubspaceOutlierDetector
    >>> planted = planted_subspace(300, sizes=(3,), noise=20, outliers=3)
    >>> found = SubspaceOutlierDetector(n_subspaces=1).fit(planted.X)
    >>> sorted(found.decision_scores_.argsort()[-3:]) == sorted(planted.y.nonzero()[0])
    True
    >>> row = planted.y.argmax()
    >>> found.explain(planted.X[[row]]).columns
    ['row', 'subspace', 'score', 'quantile', 'contribution']
    """

    def __init__(
        self,
        search: Any = None,
        detector: Any = None,
        *,
        n_subspaces: int = 10,
        n_neighbors: int = 20,
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
        self.n_subspaces = n_subspaces
        self.n_neighbors = n_neighbors
        self.combination = combination
        self.scale = scale
        self.ties = ties
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    @property
    def _fewest_columns(self) -> int:
        return 2 if self.search is None else 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_subspaces", self.n_subspaces, 1)

    def _choose_subspaces(self, X: Any) -> list[Columns]:
        if isinstance(self.search, Iterable):
            return _checked_subspaces(self.search, column_names(self))[: self.n_subspaces]
        if self.search is None:
            search = SubspaceSearch(random_state=self.random_state, progress=self.progress)
        elif hasattr(self.search, "fit") and not isinstance(self.search, type):
            search = clone(self.search)
        else:
            raise type_error("search", _SEARCH, describe(self.search))
        if "n_subspaces" in search.get_params(deep=False):  # not so of one that is frozen
            search.set_params(n_subspaces=self.n_subspaces)
        self.search_ = search.fit(X, None)
        if getattr(search, "n_features_in_", self.n_features_in_) != self.n_features_in_:
            got = f"a search fitted to {search.n_features_in_}"
            raise value_error("X", f"{self.n_features_in_} columns in the search too", got)
        if not hasattr(search, "subspaces_"):
            raise type_error("search", _SEARCH, describe(self.search))
        return list(search.subspaces_[: self.n_subspaces])


def _checked_subspaces(subspaces: Iterable[Any], names: tuple[str, ...]) -> list[Columns]:
    """Sets of columns by position, from names or positions."""
    chosen = []
    for subspace in subspaces:
        if isinstance(subspace, str) or not isinstance(subspace, Iterable):
            raise type_error("search", _SEARCH, describe(subspace), 'Write [("a", "b")] for one set of two columns.')
        columns = {_position(column, names) for column in subspace}
        if not columns:
            raise value_error("search", "at least one column in every set", "an empty set")
        chosen.append(tuple(sorted(columns)))
    if not chosen:
        raise value_error("search", "at least one set of columns", "none")
    return chosen


def _position(column: Any, names: tuple[str, ...]) -> int:
    if isinstance(column, str):
        check_names("search", [column], names)
        return names.index(column)
    try:
        return range(len(names)).index(column)
    except ValueError as error:
        expected = f"names among {listing(names)}, or positions from 0 to {len(names) - 1}"
        raise value_error("search", expected, describe(column)) from error
