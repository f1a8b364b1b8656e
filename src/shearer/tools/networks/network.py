"""Which variables of a table are linked: a network from the dependence of all pairs."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._user_warnings import warn_caller
from shearer._validate import message
from shearer.data import read
from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.screening.frames import make_frame, pick_names
from shearer.tools.estimator_input import check_features
from shearer.tools.networks.graphs import GraphOutput
from shearer.tools.networks.indirect import explained_links, separated_links, weakest_links
from shearer.tools.networks.pair_information import PairInformation
from shearer.tools.networks.pair_tests import GivenOthers, pair_pvalues
from shearer.tools.networks.presets import OF_PRESET, Settings
from shearer.tools.networks.resampled_links import link_stability
from shearer.tools.networks.score_features import FEATURES
from shearer.tools.networks.strongest_links import check_memory, strongest_links
from shearer.tools.networks.weighed_pairs import check_parameters, in_context, qvalues_of, weigh, which_regulate
from shearer.tools.wide_input import plain_input

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

# Beyond this many variables only the links are kept where that is all that is asked for.
MOST_IN_MATRICES = 4096
# Matrices of all pairs at the peak of a fit (measured).
_MATRICES, _MATRICES_ADJUSTED = 10, 13
_OPTIONS = (
    f"Options: fewer columns; fdr=None with top_k=, which keeps the links alone of more than {MOST_IN_MATRICES}; "
    "a larger memory=."
)


class DependenceNetwork(GraphOutput, BaseEstimator):
    """A network of the variables of a table, by the dependence of all pairs.

    Parameters
    ----------
    preset : {"general", "expression", "paper"}
        Settings that belong together, in whose place others can be stated. "general": weights are shares of
        information. "expression": these joined with their context (``indirect="clr-rank"``), for gene expression.
        "paper": I* at order 1.01 with the kernel of the paper's authors, as in its Table 2.
    weight : {"information", "value", "strength", "adjusted", "pvalue"}, optional
        The weight of a link. "information": mutual information at order 1 under one wide kernel on ranks, as a share of
        what a copy would tell (0 to 1; 0.17 for two normal variables with a correlation of 0.5; 0 below 0.15); such
        links only have a weight above 0. "value": I* at `alpha`. "strength": on the scale of a correlation (see
        `Pairwise.strength`). "adjusted": I adjusted for chance (alpha=2 only). "pvalue": -log10 of the p-value of
        independence, at most 300. Default: that of the preset, or "value" if `alpha`, `kernel` or `normalize` is
        stated.
    alpha : float, optional
        For "value": order of the entropy. At 2, the default of "general", all pairs are one matrix product; any other
        takes eigenvalues for each pair.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.pairwise`; "information" and "strength" have their own.
    normalize : bool or str, default True
        For "value": what mutual information is divided by; see `shearer.pairwise`.
    fdr : float or None, default 0.05
        Links have a q-value of at most this: the false discovery rate over all pairs that count. None: p-values do not
        count.
    threshold : float, optional
        Links have at least this weight.
    top_k : int, optional
        At most so many links, the heaviest. A link must meet all of `fdr`, `threshold` and `top_k` that are not None.
    indirect : {"preset", None, "dpi", "clr", "clr-rank", "conditional", "pc"}
        What to do about pairs that depend through others. "dpi": the weakest link of every triangle goes (ARACNE).
        "conditional": it goes if the pair does not show dependence given the third, by the test of
        `shearer.independence_test` with `given`. "pc": a link goes if it does not show given some set of up to three
        neighbors of either end (the adjacency search of the PC algorithm, in the form that does not depend on the
        order of columns). "clr": every weight becomes how far it stands out among those of either variable, before
        `threshold` and `top_k`. "clr-rank": every weight becomes the mean of its rank and of its rank by "clr", as
        shares of the pairs that are lighter.
    regulators : collection of str, optional
        Names of the variables of which one must be in every link, such as transcription factors; no other pairs count.
    stability : int, default 0
        Halves of the rows in which the weights are found again: `edges_` then says in what share of them a link is
        among as many heaviest pairs.
    tolerance : float, default 0.1
        For "dpi": a link stays if it is within this share of the second weakest of the triangle.
    level : float, default 0.05
        For "conditional" and "pc": a link goes if its p-value given others is larger. It stays where there is no
        p-value, as of fewer than 20 rows, which a warning says.
    n_resamples : int, default 199
        For "conditional" and "pc" with a kernel stated: local permutations in a test.
    test : {"moments", "aggregated"}
        How p-values are found where no kernel is stated: at the one width of the weights, or over several widths as
        in `shearer.independence_test`, which sees more and takes several times as long.
    missing : {"error", "drop", "pairwise"}
        Rows that lack a value: an error, left out, or left out of the pairs that lack it.
    memory : str or number, optional
        What may be allocated, such as "2GB"; default: half of the machine.
    n_jobs : int, optional
        Threads, for "value" where alpha is not 2.
    random_state : int, RandomState or None, default 0
        Source of permutations and of halves of the rows.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Attributes
    ----------
    weights_ : array (p, p) or None
        Weight of every pair, thresholds not applied; symmetric, 0 on the diagonal, for pairs that do not count and for
        links that "dpi", "conditional" or "pc" took away. None of more than 4096 variables if `top_k` is stated, `fdr`
        and `threshold` are None and weights are shares of information: only the links are kept then.
    pvalues_, qvalues_ : array (p, p) or None
        Of independence of every pair, by exact permutation moments, whatever the order of the weights; 1 on the
        diagonal and of fewer than six rows. None if neither `fdr` nor `weight` asks for them.
    edges_ : table
        The links, heaviest first: source, target, weight, pvalue, qvalue, and stability if it is asked for; of the
        library that the data came in, else polars. Links have no direction unless `regulators` gives one: source is the
        variable that comes first in the data, or the one that is a regulator.
    names_ : tuple of str
        The variables: the column names, or x1, x2, ...
    feature_names_in_ : array of str
        Names of the columns, if all are strings.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from shearer.datasets import planted_network
    >>> from shearer.tools import DependenceNetwork
    >>> planted = planted_network(200, 6, links=3)
    >>> network = DependenceNetwork(indirect="dpi").fit(planted.data)
    >>> network.edges_.columns
    ['source', 'target', 'weight', 'pvalue', 'qvalue']
    >>> bool((network.weights_[planted.undirected] > 0.1).all())
    True
    """

    weights_: Floats | None
    pvalues_: Floats | None
    qvalues_: Floats | None
    edges_: Any
    names_: tuple[str, ...]

    def __init__(
        self,
        *,
        preset: str = "general",
        weight: str | None = None,
        alpha: float | None = None,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool | str = True,
        fdr: float | None = 0.05,
        threshold: float | None = None,
        top_k: int | None = None,
        indirect: str | None = OF_PRESET,
        regulators: Collection[str] | None = None,
        stability: int = 0,
        tolerance: float = 0.1,
        level: float = 0.05,
        n_resamples: int = 199,
        test: str = "moments",
        missing: str = "error",
        memory: str | float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        progress: bool | None = None,
    ) -> None:
        self.preset = preset
        self.weight = weight
        self.alpha = alpha
        self.kernel = kernel
        self.normalize = normalize
        self.fdr = fdr
        self.threshold = threshold
        self.top_k = top_k
        self.indirect = indirect
        self.regulators = regulators
        self.stability = stability
        self.tolerance = tolerance
        self.level = level
        self.n_resamples = n_resamples
        self.test = test
        self.missing = missing
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    @single_threaded_blas()
    def fit(self, X: Any, y: Any = None) -> "DependenceNetwork":
        """Weigh all pairs of columns and keep the links.

        Parameters
        ----------
        X : table, array-like (n, p), sparse matrix or AnnData
            One row for each observation. Tables may have columns of labels. Of AnnData its matrix `X` counts.
        y : None
            Ignored.
        """
        settings = check_parameters(self)
        budget = parse_memory(self.memory)
        data = check_features(self, plain_input(X, budget), missing=self.missing, fewest=2)
        count = int(self.n_features_in_)
        links_only = self._keeps_links_only(settings, count)
        if not links_only:
            matrices = _MATRICES_ADJUSTED if settings.weight in ("adjusted", "strength") else _MATRICES
            require(matrices * 8 * count**2, budget, f"a network of {count} variables", _OPTIONS)
        table = read(data, missing=self.missing, pairwise=True, fewest=2).as_numpy()
        if settings.weight == "information":
            require(8 * FEATURES * table.rows * count, budget, f"features of {count} variables", _OPTIONS)
        self.names_ = table.names
        self.pvalues_ = self.qvalues_ = self.weights_ = None
        is_regulator = which_regulate(self.names_, self.regulators)
        if links_only:
            sources = np.flatnonzero(is_regulator)
            check_memory(table.rows, count, len(sources), budget)
            found = strongest_links(
                PairInformation(table), sources, int(self.top_k or 1), settings.indirect, self.progress
            )
            self.edges_ = make_frame(self._edges(*found, is_regulator), table.library)
            return self
        counted = is_regulator | is_regulator[:, None]
        np.fill_diagonal(counted, False)
        if self.fdr is not None or settings.weight == "pvalue":
            self.pvalues_ = pair_pvalues(table, settings.kernel, self.test, self.memory, self.progress)
            self.qvalues_ = qvalues_of(self.pvalues_, counted)
        plain = weigh(self, table, settings, self.pvalues_)
        weights = in_context(plain, settings.indirect, counted)
        linked = self._linked(weights, counted)
        if settings.weight == "information":
            linked &= plain > 0
        gone = self._gone(weights, linked, table, settings)
        weights[gone] = 0.0
        self.weights_ = weights
        first, second = np.nonzero(np.triu(linked & ~gone))
        order = np.argsort(-weights[first, second], kind="stable")[: self.top_k]
        pairs = first[order], second[order]
        edges = self._edges(*pairs, weights[pairs], is_regulator)
        if self.stability:

            def again(half: Table) -> Floats:
                tested = settings.weight == "pvalue"
                own = pair_pvalues(half, settings.kernel, self.test, self.memory, False) if tested else None
                return in_context(weigh(self, half, settings, own), settings.indirect, counted)

            edges["stability"] = link_stability(
                again, table, pairs, counted, halves=self.stability, seed=self._seed(), progress=self.progress
            )
        self.edges_ = make_frame(edges, table.library)
        return self

    def _keeps_links_only(self, settings: Settings, count: int) -> bool:
        """True where matrices of all pairs would be many and nothing needs them."""
        plain = self.fdr is None and self.threshold is None and self.top_k is not None and not self.stability
        known = settings.weight == "information" and settings.indirect in (None, "clr", "clr-rank")
        return count > MOST_IN_MATRICES and plain and known

    def _linked(self, weights: Floats, counted: Mask) -> Mask:
        """Pairs that meet the thresholds."""
        linked = counted.copy()
        if self.fdr is not None and self.qvalues_ is not None:
            linked &= self.qvalues_ <= self.fdr
        if self.threshold is not None:
            linked &= weights >= self.threshold
        return linked

    def _gone(self, weights: Floats, linked: Mask, table: Table, settings: Settings) -> Mask:
        """Links that others explain."""
        if settings.indirect == "dpi":
            return weakest_links(weights, linked, self.tolerance)
        if settings.indirect not in ("conditional", "pc"):
            return np.zeros_like(linked)
        given = GivenOthers(table, settings.kernel, self.n_resamples, self._seed(), self.n_jobs)
        if settings.indirect == "pc":
            gone = separated_links(linked, given, self.level, progress=self.progress)
        else:
            gone = explained_links(weights, linked, given, self.level, self.progress)
        if given.refused:
            [(reason, _)] = given.refused.most_common(1)
            got = f"nothing from {given.refused.total()} of {given.asked} ({reason})"
            hint = "Links that these might explain stay."
            warn_caller(message("indirect", "tests of links given other columns", got, hint))
        return gone

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _edges(self, first: Indices, second: Indices, weight: Floats, is_regulator: Mask) -> dict[str, Any]:
        """Links as columns of a table; a regulator comes first."""
        unknown = np.full(len(first), np.nan)
        turned = ~is_regulator[first]
        return {
            "source": pick_names(self.names_, np.where(turned, second, first)),
            "target": pick_names(self.names_, np.where(turned, first, second)),
            "weight": weight,
            "pvalue": unknown if self.pvalues_ is None else self.pvalues_[first, second],
            "qvalue": unknown if self.qvalues_ is None else self.qvalues_[first, second],
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
