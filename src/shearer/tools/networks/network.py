"""Which variables of a table are linked: a network from the dependence of all pairs."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from shearer._jobs import check_jobs
from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._validate import check_alpha, check_inside, check_option, value_error
from shearer.data import read
from shearer.data.reading import MISSING_IN_PAIRS
from shearer.inference.permutation.resampling import check_count
from shearer.inference.pvalue import adjusted_pvalues
from shearer.kernels import Kernel
from shearer.measures.registry import MUTUAL_INFORMATION
from shearer.pairs.limits import FEWEST_ROWS
from shearer.screening import Pairwise
from shearer.screening.all_pairs import compare
from shearer.screening.frames import make_frame, pick_names
from shearer.tools.estimator_input import check_features
from shearer.tools.networks.graphs import GraphOutput
from shearer.tools.networks.indirect import context_likelihood, explained_links, separated_links, weakest_links
from shearer.tools.networks.pair_tests import TESTS, GivenOthers, pair_pvalues

Floats = NDArray[np.float64]

WEIGHTS = ("value", "strength", "adjusted", "pvalue")
INDIRECT = (None, "dpi", "clr", "conditional", "pc")
# As in the combination of p-values: smaller ones are as good as 0.
_SMALLEST = 1e-300
# Matrices of all pairs at the peak of a fit (measured).
_MATRICES, _MATRICES_ADJUSTED = 10, 13
_OPTIONS = "Options: fewer columns; a larger memory=."


class DependenceNetwork(GraphOutput, BaseEstimator):
    """A network of the variables of a table, by the dependence of all pairs.

    Parameters
    ----------
    alpha : float, default 2
        Order of the entropy. At 2 all pairs are one matrix product; any other takes eigenvalues for each pair.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.pairwise`.
    normalize : bool or str, default True
        What mutual information is divided by; see `shearer.pairwise`.
    weight : {"value", "strength", "adjusted", "pvalue"}
        The weight of a link: I* ("value"), the strength on the scale of a correlation ("strength", see
        `Pairwise.strength`), I adjusted for chance ("adjusted", alpha=2 only), or -log10 of the p-value of independence
        ("pvalue", at most 300).
    fdr : float or None, default 0.05
        Links have a q-value of at most this: the false discovery rate over all pairs. None: p-values do not count.
    threshold : float, optional
        Links have at least this weight.
    top_k : int, optional
        At most so many links, the heaviest. A link must meet all of `fdr`, `threshold` and `top_k` that are not None.
    indirect : {None, "dpi", "clr", "conditional", "pc"}
        What to do about pairs that depend through others. "dpi": the weakest link of every triangle goes (ARACNE).
        "conditional": it goes if the pair does not show dependence given the third, by the test of
        `shearer.independence_test` with `given`. "pc": a link goes if it does not show given some set of up to three
        neighbors of either end (the adjacency search of the PC algorithm, in the form that does not depend on the
        order of columns). "clr": every weight becomes how far it stands out among those of either variable, before
        `threshold` and `top_k`.
    tolerance : float, default 0.1
        For "dpi": a link stays if it is within this share of the second weakest of the triangle.
    level : float, default 0.05
        For "conditional" and "pc": a link goes if its p-value given others is larger.
    n_resamples : int, default 199
        For "conditional" and "pc" with a kernel stated: local permutations in a test.
    test : {"moments", "aggregated"}
        How p-values are found where no kernel is stated: at the one width of the weights, or over a ladder of widths as
        in `shearer.independence_test`, which sees more and takes several times as long.
    missing : {"error", "drop", "pairwise"}
        Rows that lack a value: an error, left out, or left out of the pairs that lack it.
    memory : str or number, optional
        What may be allocated, such as "2GB"; default: half of the machine.
    n_jobs : int, optional
        Threads, where alpha is not 2.
    random_state : int, RandomState or None, default 0
        Source of these permutations.
    progress : bool, optional
        A bar on stderr for what takes more than two seconds. Default: if stderr is a terminal.

    Attributes
    ----------
    weights_ : array (p, p)
        Weight of every pair, thresholds not applied; symmetric, 0 on the diagonal and for links that "dpi",
        "conditional" or "pc" took away.
    pvalues_, qvalues_ : array (p, p) or None
        Of independence of every pair, by exact permutation moments, whatever the order of the weights; 1 on the
        diagonal and of fewer than six rows. None if neither `fdr` nor `weight` asks for them.
    edges_ : table
        The links, heaviest first: source, target, weight, pvalue, qvalue; of the library that the data came in, else
        polars. Links have no direction: source is the variable that comes first in the data.
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

    weights_: Floats
    pvalues_: Floats | None
    qvalues_: Floats | None
    edges_: Any
    names_: tuple[str, ...]

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        normalize: bool | str = True,
        weight: str = "value",
        fdr: float | None = 0.05,
        threshold: float | None = None,
        top_k: int | None = None,
        indirect: str | None = None,
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
        self.alpha = alpha
        self.kernel = kernel
        self.normalize = normalize
        self.weight = weight
        self.fdr = fdr
        self.threshold = threshold
        self.top_k = top_k
        self.indirect = indirect
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
        X : table or array-like (n, p)
            One row for each observation. Tables may have columns of labels.
        y : None
            Ignored.
        """
        self._check()
        data = check_features(self, X, missing=self.missing, fewest=2)
        tested = self.fdr is not None or self.weight == "pvalue"
        count = int(self.n_features_in_)
        matrices = _MATRICES_ADJUSTED if self.weight in ("adjusted", "strength") else _MATRICES
        budget, jobs = parse_memory(self.memory), check_jobs(self.n_jobs)
        require(matrices * 8 * count**2, budget, f"a network of {count} variables", _OPTIONS)
        table = read(data, missing=self.missing, pairwise=True, fewest=2).as_numpy()
        found = compare(
            table, self.kernel, budget, float(self.alpha), self.normalize, n_jobs=jobs, progress=self.progress
        )
        self.names_ = found.names
        self.pvalues_ = self.qvalues_ = None
        if tested:
            self.pvalues_ = pair_pvalues(table, self.kernel, self.test, self.memory, self.progress)
            self.qvalues_ = _qvalues(self.pvalues_)
        weights = self._weigh(found)
        linked = self._linked(weights)
        if self.indirect == "dpi":
            gone = weakest_links(weights, linked, self.tolerance)
        elif self.indirect in ("conditional", "pc"):
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            given = GivenOthers(table, self.kernel, self.n_resamples, seed, self.n_jobs)
            if self.indirect == "pc":
                gone = separated_links(linked, given, self.level, progress=self.progress)
            else:
                gone = explained_links(weights, linked, given, self.level, self.progress)
        else:
            gone = np.zeros_like(linked)
        weights[gone] = 0.0
        self.weights_ = weights
        self.edges_ = make_frame(self._edges(linked & ~gone), found.library)
        return self

    def _check(self) -> None:
        """Every parameter that nothing further down checks."""
        alpha = check_alpha(self.alpha)
        check_option("weight", self.weight, WEIGHTS)
        check_option("indirect", self.indirect, INDIRECT)
        check_option("test", self.test, TESTS)
        check_option("missing", self.missing, MISSING_IN_PAIRS)
        MUTUAL_INFORMATION.check_form(self.normalize)
        if self.weight == "adjusted" and alpha != 2:
            hint = 'weight="value", "strength" and "pvalue" go with any.'
            raise value_error("weight", 'alpha=2 with "adjusted"', f"alpha={alpha:g}", hint)
        if self.fdr is not None:
            check_inside("fdr", self.fdr, "a number above 0 and up to 1, or None", lambda rate: 0 < rate <= 1)
        if self.threshold is not None:
            check_inside("threshold", self.threshold, "a finite number or None", math.isfinite)
        if self.top_k is not None:
            check_count("top_k", self.top_k, 1)
        check_inside("tolerance", self.tolerance, "a number from 0 to 1", lambda share: 0 <= share <= 1)
        check_inside("level", self.level, "a number above 0 and up to 1", lambda level: 0 < level <= 1)
        check_count("n_resamples", self.n_resamples, 1)

    def _weigh(self, found: Pairwise) -> Floats:
        if self.weight in ("adjusted", "strength") and np.max(found.rows) < FEWEST_ROWS:
            expected = f'at least {FEWEST_ROWS} rows with weight="{self.weight}"'
            raise value_error("X", expected, f"{np.max(found.rows)}", 'weight="value" takes any number.')
        if self.weight == "pvalue" and self.pvalues_ is not None:
            weights = -np.log10(np.maximum(self.pvalues_, _SMALLEST))
        else:
            weights = np.array(getattr(found, self.weight), dtype=np.float64)
        weights[np.isnan(weights)] = 0.0  # too few rows in common
        np.fill_diagonal(weights, 0.0)
        return context_likelihood(weights) if self.indirect == "clr" else weights

    def _linked(self, weights: Floats) -> NDArray[np.bool_]:
        """Pairs that meet the thresholds."""
        linked = np.ones(weights.shape, dtype=bool)
        if self.fdr is not None and self.qvalues_ is not None:
            linked &= self.qvalues_ <= self.fdr
        if self.threshold is not None:
            linked &= weights >= self.threshold
        np.fill_diagonal(linked, False)
        return linked

    def _edges(self, linked: NDArray[np.bool_]) -> dict[str, Any]:
        """The heaviest links first."""
        first, second = np.nonzero(np.triu(linked))
        weight = self.weights_[first, second]
        order = np.argsort(-weight, kind="stable")[: self.top_k]
        first, second = first[order], second[order]
        unknown = np.full(len(first), np.nan)
        return {
            "source": pick_names(self.names_, first),
            "target": pick_names(self.names_, second),
            "weight": weight[order],
            "pvalue": unknown if self.pvalues_ is None else self.pvalues_[first, second],
            "qvalue": unknown if self.qvalues_ is None else self.qvalues_[first, second],
        }


def _qvalues(pvalues: Floats) -> Floats:
    upper = np.triu_indices(len(pvalues), 1)
    qvalues = np.ones_like(pvalues)
    qvalues[upper] = adjusted_pvalues(pvalues[upper])
    return np.minimum(qvalues, qvalues.T)
