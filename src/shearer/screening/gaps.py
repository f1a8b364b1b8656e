"""Tests of pairs of variables with missing values, each pair on the rows that both variables have."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each
from shearer.pairs.moments import PAIRS, TRIPLES
from shearer.screening import tiles
from shearer.screening.adjustment import Chances
from shearer.screening.ladder import Ladder
from shearer.screening.restricted import Restricted, restricted
from shearer.screening.sides import row_pairs
from shearer.screening.similarities import Similarities
from shearer.screening.tails import joined, tails_of, weights

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


class Gaps:
    """Some variables with others, at one height.

    Parameters
    ----------
    source : Similarities
        All variables.
    rows, columns : array
        The variables of the pairs.
    each : callable
        How to go through independent parts of the work.
    """

    def __init__(self, source: Similarities, rows: NDArray[np.intp], columns: NDArray[np.intp], each: Each) -> None:
        self._left, self._right = source.restrict(rows), source.restrict(columns)
        self._each = each
        masks = [side.presence.masks for side in (self._left, self._right)]
        first = restricted(self._left, masks[1], each)
        second = first if np.array_equal(rows, columns) else restricted(self._right, masks[0], each)
        self._patterns = self._left.presence.pattern, self._right.presence.pattern
        self._sides = first, second

    def rows(self) -> Floats:
        """How many rows each pair has."""
        rows: Floats = self._of("rows")[0]
        return rows

    def chances(self) -> Chances:
        """What chance gives to each pair."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means, scales, entropies, own = (self._of(name) for name in ("mean", "scale", "entropy", "own"))
            variance = self._moment("raw.second", PAIRS) * (scales[0] * scales[1]) ** 2
            return Chances(self.rows(), entropies[0] + entropies[1], means[0] * means[1], variance, own[0] + own[1])

    def flat(self) -> Masks:
        """Pairs of which a similarity varies too little to be known by its sums."""
        left, right = self._of("flat")
        flat: Masks = left | right
        return flat

    def _of(self, name: str) -> tuple[Any, Any]:
        """An attribute of both variables of every pair, on the rows of the pair."""
        first, second = (_attribute(side, name) for side in self._sides)
        return first[:, self._patterns[1]], second[:, self._patterns[0]].swapaxes(0, 1)

    def tails(self) -> Floats:
        """Upper tails of the two statistics, shape (2, p, q); nan where a tail is not to be trusted."""
        n, means, scales = self.rows(), self._of("mean"), self._of("scale")
        with np.errstate(divide="ignore", invalid="ignore"):
            level = (n - 1) / (n - 2)
            mean, scale = means[0] * means[1], scales[0] * scales[1]
            shifts = self._shifts()
            centered = self._products() + mean * level * n**2 / 2 - shifts * (n - 2)
            raw = (centered + (n - 2) * (shifts - n * mean * level**2)) / scale
            usable = np.logical_and(*self._of("usable")) & (n >= 6)
            return np.stack([self._tails(centered, "centered", n, usable), self._tails(raw, "raw", n, usable)])

    def _tails(self, statistic: Floats, form: str, n: Floats, usable: Masks) -> Floats:
        second, third = self._moment(f"{form}.second", PAIRS), self._moment(f"{form}.third", TRIPLES)
        left, right = self._of(f"{form}.smallest")
        return tails_of(statistic, second, third, n * left * right, usable)

    def _moment(self, name: str, ways: Mapping[str, tuple[Any, ...]]) -> Floats:
        left, right = self._of(name)
        moment: Floats = np.sum(left * right * weights(self.rows(), ways), axis=-1)
        return moment

    def _shifts(self) -> Floats:
        """Sums over rows of the products of their shifts."""
        first, second = (side.shift for side in self._sides)

        def row(k: int) -> Floats:
            found: Floats = np.einsum("ij,ij->i", first[k, self._patterns[1]], second[:, self._patterns[0][k]])
            return found

        return np.array(self._each(row, range(len(first))))

    def _products(self) -> Floats:
        """Sums over pairs of rows of the products of similarities, which are 0 at missing rows."""
        total = np.zeros((self._left.count, self._right.count))
        for piece in tiles.cut(self._left.rows, row_pairs(max(self._left.count, self._right.count))):
            left, right = (side.stack(piece, each=self._each) for side in (self._left, self._right))
            total += left.T @ right
        return total


def _attribute(side: Restricted, name: str) -> Any:
    found: Any = side
    for part in name.split("."):
        found = getattr(found, part)
    return found


def pvalues(ladder: Ladder, rows: NDArray[np.intp], columns: NDArray[np.intp], each: Each) -> tuple[Floats, Masks]:
    """p-values of all pairs, and which of them are too flat for it; nan where fewer than 6 rows are common."""
    several = np.logical_or.outer(ladder.several[rows], ladder.several[columns])
    tails: list[Floats] = []
    flat = np.zeros(several.shape, dtype=bool)
    for height in range(ladder.heights if several.any() else 1):
        here = Gaps(ladder.rung(height), rows, columns, each)
        tails.append(here.tails())
        if height > 0:
            tails[-1][:, ~several] = np.nan
        flat |= here.flat()
    found = joined(tails)
    found[here.rows() < 6] = np.nan
    return found, flat
