"""Forward search: the best feature next to those that were chosen, by information on a target above chance."""

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.inference.pvalue import rank_pvalue
from shearer.tools.subspaces.row_pairs import Floats, RowPairs

Choice: TypeAlias = tuple[int, float]

# Rearranged weights that are held at a time.
_BATCH = 8


class Search(ABC):
    """Features chosen one after another.

    Parameters
    ----------
    pairs : RowPairs
        Similarities of the features, and of the target as the last variable.
    orders : sequence of arrays
        Permutations of the rows, to tell chance from information.
    """

    def __init__(self, pairs: RowPairs, orders: list[NDArray[np.intp]]) -> None:
        self.pairs, self.orders = pairs, orders
        self.target = pairs.column(pairs.count - 1)
        self.total = np.array(self.target.sum())
        self.chosen: list[Choice] = []
        self.pvalues: dict[int, float] = {}  # of the features that were tested before they were chosen

    def run(self, most: int, level: float | None) -> list[Choice]:
        """Features with their scores, in the order of choice.

        Parameters
        ----------
        most : int
            How many at most.
        level : float or None
            End where the score does not grow, or where the best feature could be the best of permuted ones: its
            p-value is above this. None: go on until there are `most`. One feature is always chosen.
        """
        while len(self.chosen) < most:
            scores = self.score()
            scores[[feature for feature, _ in self.chosen]] = -np.inf
            best = int(np.argmax(scores))
            score = float(scores[best])
            if level is not None and self.chosen:
                if not self.grows(score):
                    break
                pvalue = self.pvalue(best, score)
                if pvalue > level:
                    break
                self.pvalues[best] = pvalue
            self.take((best, score))
        return self.chosen

    def remaining(self) -> NDArray[np.intp]:
        """Features that were not chosen."""
        return np.setdiff1d(np.arange(self.pairs.count - 1), [feature for feature, _ in self.chosen])

    @abstractmethod
    def score(self) -> Floats:
        """Of every feature as the next one."""

    @abstractmethod
    def grows(self, score: float) -> bool:
        """True if the next feature is worth it."""

    @abstractmethod
    def pvalue(self, best: int, score: float) -> float:
        """Probability that the best of features that tell nothing new is as good as the best one is."""

    def take(self, choice: Choice) -> None:
        """Choose a feature."""
        self.chosen.append(choice)


class JointSearch(Search):
    """By the information of the target with all chosen features together."""

    def __init__(self, pairs: RowPairs, orders: list[NDArray[np.intp]]) -> None:
        super().__init__(pairs, orders)
        self.product = np.ones(pairs.size)

    def begin_with_pair(self) -> None:
        """Take the two features that tell most together, if they tell more than any one; the better one first."""
        if self.pairs.count < 3:
            return
        own, joint = (self.pairs.products(weights)[:-1, :-1] for weights in (self.product, self.target))
        score = self.pairs.bits_above_chance(joint, own, self.total)
        np.fill_diagonal(score, -np.inf)
        alone = self.score()
        best = divmod(int(np.argmax(score)), len(score))
        if score[best] > alone.max():
            first, second = sorted(best, key=lambda feature: -alone[feature])
            self.take((first, float(alone[first])))
            self.take((second, float(score[best])))

    def score(self) -> Floats:
        """I(chosen, feature; target) in bits above chance."""
        (bits,) = self._bits(np.stack([self.product, self.product * self.target], axis=1))
        return np.asarray(bits)

    def grows(self, score: float) -> bool:
        """More than without the new feature."""
        return score > self.chosen[-1][1]

    def pvalue(self, best: int, score: float) -> float:
        """By permuting the rows of the features against those of the chosen ones and the target."""
        remaining = self.remaining()
        weights = np.stack([self.product, self.product * self.target], axis=1)
        null: list[float] = []
        for start in range(0, len(self.orders), _BATCH):
            moved = [self.pairs.rearranged(weights, order) for order in self.orders[start : start + _BATCH]]
            null.extend(self._bits(np.concatenate(moved, axis=1))[:, remaining].max(axis=1))
        return rank_pvalue(np.array(null), score)

    def take(self, choice: Choice) -> None:
        """Choose a feature."""
        super().take(choice)
        self.product = self.product * self.pairs.column(choice[0])

    def _bits(self, weights: Floats) -> Floats:
        """From weights without and with the target, in turn: bits of every feature, one row for each two of them."""
        sums = self.pairs.sums(weights)[:-1].T
        return self.pairs.bits_above_chance(sums[1::2], sums[0::2], self.total)


class RedundancySearch(Search):
    """By the information of the target with one feature, less the mean of what that shares with the chosen ones."""

    def __init__(self, pairs: RowPairs, orders: list[NDArray[np.intp]]) -> None:
        super().__init__(pairs, orders)
        self.own = pairs.sums(np.ones(pairs.size))
        self.relevance = self._bits(self.target[:, None], self.total)[0]
        self.shared: list[Floats] = []

    def score(self) -> Floats:
        """Relevance less redundancy, in bits above chance."""
        return np.asarray(self.relevance - (np.mean(self.shared, axis=0) if self.shared else 0.0))

    def grows(self, score: float) -> bool:
        """More relevant than redundant."""
        return score > 0

    def pvalue(self, best: int, score: float) -> float:
        """Of the relevance: by permuting the rows of the target."""
        return rank_pvalue(self._null[:, self.remaining()].max(axis=1), float(self.relevance[best]))

    def take(self, choice: Choice) -> None:
        """Choose a feature."""
        super().take(choice)
        self.shared.append(self._bits(self.pairs.column(choice[0])[:, None], self.own[choice[0]])[0])

    @cached_property
    def _null(self) -> Floats:
        parts = []
        for start in range(0, len(self.orders), _BATCH):
            moved = [self.pairs.rearranged(self.target[:, None], order) for order in self.orders[start:][:_BATCH]]
            parts.append(self._bits(np.concatenate(moved, axis=1), self.total))
        return np.concatenate(parts)

    def _bits(self, weights: Floats, total: Floats) -> Floats:
        """Of every feature with some variables, one row for each of these."""
        return self.pairs.bits_above_chance(self.pairs.sums(weights)[:-1].T, self.own[:-1], total)
