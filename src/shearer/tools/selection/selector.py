"""Choosing features by the dependence of a target on them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._validate import check_inside, check_option, describe, value_error
from shearer.data import read
from shearer.data.table import Table
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Kernel
from shearer.tools.estimator_input import check_features
from shearer.tools.networks.score_features import FEATURES
from shearer.tools.selection.greedy import JointSearch, RedundancySearch, Search
from shearer.tools.selection.stepwise import Step, StepwiseSearch, forward_qvalues
from shearer.tools.selection.target_features import FeatureStack
from shearer.tools.selection.targets import read_target, target_column
from shearer.tools.subspaces.row_pairs import RowPairs

METHODS = ("stepwise", "joint", "mrmr")
MISSING = ("error", "drop")


class DependenceSelector(SelectorMixin, BaseEstimator):
    """Features chosen one after another by the dependence of the target on them.

    Parameters
    ----------
    n_features_to_select : "auto", int or float, default "auto"
        How many: a number, a share of them up to 1.0, or as long as they tell something new ("auto"). Constants are
        never chosen by "stepwise", so that there can be fewer.
    method : {"stepwise", "joint", "mrmr"}, optional
        "stepwise": the next feature explains most of what those before leave of the target, by regression on features
        of ranks and levels; two or three features that tell something only together (XOR, parity) are found where none
        does alone. Where nothing is significant any more, a number that is asked for is filled up as "mrmr" does it.
        "joint": the next feature makes the mutual information at order 2 of the target with all chosen ones together
        largest. "mrmr": the next feature has the largest information on the target less the mean of what it shares with
        each of the chosen ones (Peng et al. 2005). The latter two in bits above what permuted rows have on average.
        Default: "stepwise", or "joint" if `start` or `kernel` is stated.
    together : {1, 2, 3}, default 3
        For "stepwise": how many features may tell something together. Pairs are searched among up to 500 columns,
        triples among up to 60.
    start : {1, 2}, optional
        For "joint": begin with the best feature (default), or with the best pair of all pairs, which finds two features
        that tell nothing alone (XOR) at a cost that grows with their number squared.
    level : float, default 0.05
        "stepwise": a feature is chosen if its p-value, adjusted for all that could have been chosen in its place, is at
        most this. "joint" and "mrmr" with "auto": another feature is chosen if the score grows and the best of permuted
        features is as good with at most this probability. One feature is always chosen, by "stepwise" unless none
        varies.
    n_resamples : int, default 39
        For "joint" and "mrmr" with "auto": permutations for each feature that is chosen.
    target : {"auto", "continuous", "categorical"}
        What `y` is. "auto": labels, and whole numbers of at most 20 different values that have two rows each or more,
        on average, are classes.
    kernel : Kernel or mapping of name -> Kernel, optional
        For "joint" and "mrmr": as in `shearer.pairwise`; the target has the name "target".
    missing : {"error", "drop"}
        What to do with rows that lack a value in X.
    memory : str or number, optional
        What may be allocated, such as "2GB"; default: half of the machine.
    random_state : int, RandomState or None, default 0
        Source of the permutations.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Attributes
    ----------
    support_ : array of bool (p,)
        Which features were chosen.
    order_ : array of int
        Their positions in the order in which they were chosen.
    scores_ : array
        The score after each choice: for "stepwise" the share of the target that all features so far explain, for
        "joint" bits above chance of all features so far, for "mrmr" of the new one.
    pvalues_, qvalues_ : array
        Of each choice given those before, adjusted for all that could have been chosen in its place, and the false
        discovery rate of the list that ends with it; features that were chosen together have the p-value of what they
        tell together. nan where nothing was tested.
    n_features_ : int
        How many were chosen.
    n_classes_ : int or None
        Of the target; None of a number.
    feature_names_in_ : array of str
        Names of the columns, if all are strings.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    "joint": every feature makes rows less alike. Once no two rows are alike any target is told by all features
    together, so that the joint information goes on growing with noise. Scores are therefore above chance, and fall with
    noise in the end.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.tools import DependenceSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> DependenceSelector().fit(X, X[:, 1] + X[:, 4] ** 2).get_support(indices=True)
    array([1, 4])
    >>> selector = DependenceSelector().fit(X, X[:, 0] * X[:, 3] > 0)  # neither tells anything alone
    >>> sorted(selector.order_.tolist()), bool((selector.pvalues_ < 0.001).all())
    ([0, 3], True)
    """

    support_: NDArray[np.bool_]
    order_: NDArray[np.intp]
    scores_: NDArray[np.float64]
    pvalues_: NDArray[np.float64]
    qvalues_: NDArray[np.float64]
    n_features_: int
    n_classes_: int | None

    def __init__(
        self,
        n_features_to_select: Any = "auto",
        *,
        method: str | None = None,
        together: int = 3,
        start: int | None = None,
        level: float = 0.05,
        n_resamples: int = 39,
        target: str = "auto",
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        missing: str = "error",
        memory: str | float | None = None,
        random_state: Any = 0,
        progress: bool | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.method = method
        self.together = together
        self.start = start
        self.level = level
        self.n_resamples = n_resamples
        self.target = target
        self.kernel = kernel
        self.missing = missing
        self.memory = memory
        self.random_state = random_state
        self.progress = progress

    @single_threaded_blas()
    def fit(self, X: Any, y: Any) -> "DependenceSelector":
        """Choose features.

        Parameters
        ----------
        X : table or array-like (n, p)
            The features. Tables may have columns of labels.
        y : array-like (n,)
            The target.
        """
        check_option("method", self.method, (None, *METHODS))
        check_option("start", self.start, (None, 1, 2))
        check_option("together", self.together, (1, 2, 3))
        check_option("missing", self.missing, MISSING)
        check_inside("level", self.level, "a number above 0 and up to 1", lambda level: 0 < level <= 1)
        check_count("n_resamples", self.n_resamples, 1)
        data = check_features(self, X, missing=self.missing, fewest=1)
        count = int(self.n_features_in_)
        wanted = self._wanted(count)
        target = read_target(data, y, self.target)
        self.n_classes_ = None if target.dtype.kind == "f" else len(np.unique(target))
        column = target_column(data, target)
        table = read(data, target=column, missing=self.missing).as_numpy()
        stated = self.start is not None or self.kernel is not None
        method = self.method or ("joint" if stated else "stepwise")
        steps = self._stepwise(table, wanted) if method == "stepwise" else self._by_permutations(table, wanted, method)
        self.order_ = np.array([step.feature for step in steps], dtype=np.intp)
        self.scores_ = np.array([step.score for step in steps])
        self.pvalues_ = np.array([step.pvalue for step in steps])
        self.qvalues_ = forward_qvalues(self.pvalues_)
        self.support_ = np.isin(np.arange(count), self.order_)
        self.n_features_ = len(steps)
        return self

    def _stepwise(self, table: Table, wanted: int | None) -> list[Step]:
        count = len(table.variables) - 1
        needed = 3 * 8 * table.rows * count * FEATURES
        require(needed, parse_memory(self.memory), f"features of {count} columns", "Options: a larger memory=.")
        search = StepwiseSearch(FeatureStack(table), self.together)
        return search.run(wanted or count, float(self.level), fill=wanted is not None)

    def _by_permutations(self, table: Table, wanted: int | None, method: str) -> list[Step]:
        """By order-2 information of all pairs of rows."""
        pairs = RowPairs(table, self.kernel, parse_memory(self.memory), self.progress)
        search = self._search(pairs, wanted, method)
        chosen = search.run(wanted or len(table.variables) - 1, None if wanted else self.level)
        return [Step(*choice, search.pvalues.get(choice[0], np.nan)) for choice in chosen]

    def _search(self, pairs: RowPairs, wanted: int | None, method: str) -> Search:
        random = check_random_state(self.random_state)
        orders = [] if wanted else [random.permutation(pairs.rows) for _ in range(self.n_resamples)]
        if method == "mrmr":
            return RedundancySearch(pairs, orders)
        search = JointSearch(pairs, orders)
        if self.start == 2 and wanted != 1:
            search.begin_with_pair()
        return search

    def _wanted(self, count: int) -> int | None:
        """How many features, None for "auto"."""
        number = self.n_features_to_select
        if isinstance(number, str):
            check_option("n_features_to_select", number, ("auto",))
            return None
        if isinstance(number, float):
            expected = '"auto", a number of features, or a share above 0 and up to 1'
            share = check_inside("n_features_to_select", number, expected, lambda share: 0 < share <= 1)
            return max(1, int(share * count))
        check_count("n_features_to_select", number, 1)
        if number > count:
            raise value_error("n_features_to_select", f"at most n_features={count}", describe(number))
        return int(number)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing == "drop"
        return tags
