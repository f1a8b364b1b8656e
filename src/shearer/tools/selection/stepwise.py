"""Forward search by what is left to explain: the next feature, or features that tell something together only."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from shearer.tools.selection.product_terms import Term, adjusted_log, best_pair, best_triple, product_columns
from shearer.tools.selection.target_features import FeatureStack, orthonormal

Floats = NDArray[np.float64]

# Rows that must be left after everything that was fitted, and for each column of the target.
_FEWEST_FREE, _FREE_FOR_EACH = 10, 3
# Searches for products at most: each takes as long as all pairs do.
_MOST_SEARCHES = 20
_SMALLEST = 1e-8
# Directions of the target of which less than this share is left are explained: what features of ranks leave of a
# relation without noise has long tails, for which the test does not hold.
_EXPLAINED = 0.02


class Step(NamedTuple):
    """One choice.

    Attributes
    ----------
    feature : int
        What was chosen.
    score : float
        Share of the target that all chosen so far explain.
    pvalue : float
        Of the feature, or of the features that were chosen together, given those before, adjusted for all that could
        have been chosen; nan where it was added to fill up.
    """

    feature: int
    score: float
    pvalue: float


class StepwiseSearch:
    """Features chosen one after another, each by what it explains of the target beyond those before.

    Numbers count by three features of their ranks, labels by their levels, the target by its score and its square or by
    its classes. A step tests every feature for what is left (Pillai's trace, chi-squared); where none is significant,
    at the beginning and later, products of two and of three features are searched as well.

    Parameters
    ----------
    stack : FeatureStack
        Features and target.
    together : {1, 2, 3}
        How many features may tell something together.
    """

    def __init__(self, stack: FeatureStack, together: int) -> None:
        self._stack, self._together = stack, together
        self._flat = stack.values.reshape(stack.rows, -1)
        self._residual = stack.target
        self._basis = np.empty((stack.rows, 0))
        self._inside = np.zeros((0, stack.count, stack.values.shape[2]))  # features in coordinates of the basis
        self._searches = 0
        self.steps: list[Step] = []

    def run(self, most: int, level: float, *, fill: bool) -> list[Step]:
        """The choices, in order.

        Parameters
        ----------
        most : int
            How many at most.
        level : float
            A feature is chosen while its adjusted p-value is at most this.
        fill : bool
            Go on until there are `most`, by relevance less mean redundancy. Else one feature is chosen in any case.
            Constants never are.
        """
        varying = int((self._stack.ranks > 0).sum())
        while len(self.steps) < min(most, varying):
            term = self._best(level, most)
            if term is None:
                break
            self._take(term, most)
        self._fill(min(most, varying) if fill else min(1, varying))
        return self.steps

    def _best(self, level: float, most: int) -> Term | None:
        """The term to take next, None where nothing is significant."""
        residual = self._left()
        freedom = self._stack.rows - self._basis.shape[1] - 1
        if not residual.shape[1] or freedom < max(_FEWEST_FREE, _FREE_FOR_EACH * residual.shape[1]):
            return None
        limit = math.log(level)
        single = self._single(residual, freedom)
        clear = single is not None and single.log_pvalue <= limit
        if (clear and self.steps) or most == 1 or self._together == 1:
            return single if clear else None
        if self._searches == _MOST_SEARCHES:
            return None
        self._searches += 1
        found = [single, best_pair(self._stack.values, residual, freedom)]
        if self._together == 3:
            found.append(best_triple(self._stack.values, residual, freedom))
        terms = [term for term in found if term is not None]
        best = min(terms, key=lambda term: term.log_pvalue, default=None)
        if best is None or adjusted_log(best.log_pvalue, len(terms)) > limit:
            return None
        return best._replace(log_pvalue=adjusted_log(best.log_pvalue, len(terms)))

    def _left(self) -> Floats:
        """What is left of the target, orthonormal."""
        n = self._stack.rows
        lengths, directions = np.linalg.eigh(self._residual.T @ self._residual / n)
        kept = lengths > _EXPLAINED
        left: Floats = self._residual @ (directions[:, kept] / np.sqrt(lengths[kept]))
        return left

    def _single(self, residual: Floats, freedom: int) -> Term | None:
        """The feature that explains most beyond those before, for its number of columns."""
        stack = self._stack
        free = np.flatnonzero(stack.ranks > 0)
        free = np.setdiff1d(free, [step.feature for step in self.steps])
        if not len(free):
            return None
        sums = (self._flat.T @ residual / stack.rows).reshape(stack.count, -1, residual.shape[1])[free]
        inside = self._inside[:, free].transpose(1, 0, 2)
        width = stack.values.shape[2]
        own = np.eye(width) * (np.arange(width) < stack.ranks[free, None])[:, None, :]
        lengths, directions = np.linalg.eigh(own - inside.transpose(0, 2, 1) @ inside / stack.rows)
        kept = lengths > _SMALLEST**0.5
        turned = directions.transpose(0, 2, 1) @ sums
        explained = np.where(kept, (turned**2).sum(axis=2) / np.where(kept, lengths, 1.0), 0.0).sum(axis=1)
        columns = kept.sum(axis=1) * residual.shape[1]
        logs = np.where(columns > 0, chi2.logsf(freedom * explained, np.maximum(columns, 1)), 0.0)
        best = int(np.argmin(logs))
        return Term((int(free[best]),), adjusted_log(logs[best], len(free)))

    def _take(self, term: Term, most: int) -> None:
        """Choose the features of a term, those that tell more alone first, and explain what they explain."""
        chosen = [step.feature for step in self.steps]
        new = [feature for feature in term.features if feature not in chosen]
        alone = self._stack.shared(self._stack.target)
        new.sort(key=lambda feature: -alone[feature])
        for feature in new[: most - len(self.steps)]:
            self._explain(self._stack.values[:, feature])
            last = len(term.features) > 1 and feature == new[-1]
            if last:
                self._explain(product_columns(self._stack.values, term.features))
            self.steps.append(Step(feature, self._explained(), math.exp(term.log_pvalue)))
        if not new:
            self._explain(product_columns(self._stack.values, term.features))

    def _explain(self, columns: Floats) -> None:
        """Take the part of some columns that is new into the basis, and off what is left."""
        n = self._stack.rows
        for _ in range(2):  # twice, against rounding
            columns = columns - columns.mean(axis=0)
            columns = columns - self._basis @ (self._basis.T @ columns) / n
        new = orthonormal(columns)
        self._basis = np.concatenate([self._basis, new], axis=1)
        inside = (new.T @ self._flat).reshape(-1, self._stack.count, self._stack.values.shape[2])
        self._inside = np.concatenate([self._inside, inside / math.sqrt(n)])
        self._residual = self._residual - new @ (new.T @ self._residual) / n

    def _explained(self) -> float:
        whole = float((self._stack.target**2).sum())
        return 1 - float((self._residual**2).sum()) / whole if whole > 0 else 0.0

    def _fill(self, count: int) -> None:
        """Add features by relevance less mean redundancy until there are as many."""
        stack = self._stack
        relevance = stack.shared(stack.target) if stack.target.shape[1] else np.zeros(stack.count)
        redundancy = np.zeros(stack.count)
        for step in self.steps:
            redundancy += self._redundancy(step.feature)
        while len(self.steps) < count:
            score = relevance - redundancy / max(len(self.steps), 1)
            score[stack.ranks == 0] = -np.inf
            score[[step.feature for step in self.steps]] = -np.inf
            best = int(np.argmax(score))
            self._explain(stack.values[:, best])
            self.steps.append(Step(best, self._explained(), math.nan))
            redundancy += self._redundancy(best)

    def _redundancy(self, feature: int) -> Floats:
        """What every feature shares with one."""
        return self._stack.shared(self._stack.values[:, feature, : self._stack.ranks[feature]])


def forward_qvalues(pvalues: Floats) -> Floats:
    """False discovery rates of a list of choices that ends with each: the means of -log(1 - p) so far (ForwardStop).

    G'Sell, Wager, Chouldechova and Tibshirani 2016; made to grow along the list. nan where p is.

    Examples
    --------
    >>> forward_qvalues(np.array([0.001, 0.02, 0.9, np.nan])).round(3)
    array([0.001, 0.011, 0.775,   nan])
    """
    known = ~np.isnan(pvalues)
    own = pvalues[known]
    means = np.cumsum(-np.log1p(-np.minimum(own, 1 - 1e-16))) / np.arange(1, len(own) + 1)
    found = np.full(len(pvalues), np.nan)
    found[known] = np.minimum(np.minimum.accumulate(means[::-1])[::-1], 1.0)
    return found
