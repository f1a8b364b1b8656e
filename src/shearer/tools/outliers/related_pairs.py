"""Which columns a row is held against: alignments of all pairs, their maximum spanning tree, and how a row fits it."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree

from shearer.data import read
from shearer.pairs.limits import FEWEST_ROWS, SMALLEST_SPREAD
from shearer.pairs.sides import Ladders
from shearer.pairs.strength import chance_deviation, gain_of_choice
from shearer.tools.outliers.column_cells import PRIOR, Cells

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows of which alignments are computed; of more a random sample.
MOST_ROWS = 1000
# Features of all columns at one width, and multiplications for all pairs: of wide tables the wider kernels are taken.
_MOST_FEATURES, _MOST_WORK = 6000, 4e10
# Widths of the kernels at most, from the widest: narrower ones have many features.
_HEIGHTS = 3
# An alignment must exceed what chance gives by so many of its deviations to be a relation.
_CLEAR = 3.0


def alignments(values: Floats, is_label: NDArray[np.bool_], random: np.random.RandomState) -> Floats:
    """Largest alignments of the similarities of all pairs of columns over equal widths of both, 0 on the diagonal.

    What the largest of several has by chance is taken off. The strength of a pair (`shearer.pairs.strength`) looks at
    unequal widths too, and at the share of what is attainable.

    The U-centered inner product of two similarities with features f and g is, up to terms of 1 / rows of it,
    |f' g|^2 - n / (n - 2) sum_i |f_i|^2 |g_i|^2: one product of all features at each width.

    Examples
    --------
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 300))
    >>> found = alignments(np.c_[x, x**2, noise], np.zeros(3, dtype=bool), np.random.RandomState(0))
    >>> bool(found[0, 1] > 0.2 > 0.05 > abs(found[0, 2]))
    True
    """
    rows, columns = values.shape
    found: Floats = np.zeros((columns, columns))
    if rows < FEWEST_ROWS:
        return found
    few = values[np.sort(random.choice(rows, min(rows, MOST_ROWS), replace=False))]
    # A letter, or codes of labels would be taken for numbers.
    own = [
        np.char.add("v", column.astype(str)) if label else column for column, label in zip(few.T, is_label, strict=True)
    ]
    ladders = Ladders.of(read({f"x{place}": column for place, column in enumerate(own)}))
    rungs = np.array([ladders.heights(place) for place in range(columns)])
    best = np.full((columns, columns), -np.inf)
    for height in range(min(_HEIGHTS, int(rungs.max()))):
        features = [ladders.features(place, height) for place in range(columns)]
        total = sum(one.rank for one in features)
        if height and (total > _MOST_FEATURES or len(few) * total**2 > _MOST_WORK):
            rungs = np.minimum(rungs, height)
            break
        parts = [one.of(slice(0, len(few))) for one in features]
        best = np.maximum(best, aligned([part - part.mean(axis=0) for part in parts]))
    gain = gain_of_choice(len(few), np.minimum(rungs, _HEIGHTS)[:, None], np.minimum(rungs, _HEIGHTS), shares=False)
    found = np.where(np.isfinite(best), (best - gain) / (1.0 - gain), 0.0)
    np.fill_diagonal(found, 0.0)
    return found


def aligned(features: list[Floats]) -> Floats:
    """U-centered inner products over their norms; 0 where one does not vary."""
    rows = len(features[0])
    whole = np.hstack(features)
    starts = np.cumsum([0, *(part.shape[1] for part in features)])
    inner = np.empty((len(features), len(features)))
    for place, (start, stop) in enumerate(pairwise(starts)):
        squares = ((whole[:, start:stop].T @ whole) ** 2).sum(axis=0)
        inner[place] = np.add.reduceat(squares, starts[:-1])
    norms = np.stack([np.vecdot(part, part) for part in features], axis=1)
    inner -= rows / (rows - 2) * (norms.T @ norms)
    own = np.maximum(np.diag(inner), 0.0)
    varies = own > (rows * SMALLEST_SPREAD) ** 2
    scale = np.sqrt(np.where(varies, own, 1.0))
    found: Floats = np.where(varies[:, None] & varies, inner / scale[:, None] / scale, 0.0)
    return found


def spanning_pairs(squared: Floats, rows: int) -> list[tuple[int, int]]:
    """The maximum spanning tree of alignments, the strongest pair first, without pairs that are not clearly related.

    Examples
    --------
    >>> spanning_pairs(np.array([[0.0, 0.5, 0.4], [0.5, 0.0, 0.6], [0.4, 0.6, 0.0]]), 100)
    [(1, 2), (0, 1)]
    """
    lengths = 2.0 - squared  # positive, so that no pair is missing
    np.fill_diagonal(lengths, 0.0)
    tree = minimum_spanning_tree(lengths).tocoo()
    pairs = [(min(pair), max(pair)) for pair in zip(tree.row.tolist(), tree.col.tolist(), strict=True)]
    least = _CLEAR * float(chance_deviation(min(rows, MOST_ROWS)))
    clear = [pair for pair in pairs if squared[pair] > least]
    return sorted(clear, key=lambda pair: (-squared[pair], pair))


@dataclass(frozen=True, eq=False)
class RelatedPair:
    """Two columns, and how often their values go together.

    Attributes
    ----------
    columns : tuple of int
        Which.
    counts : array (cells, cells)
        Training rows like both values of a cell, weighted.
    first, second : array (cells,)
        Training rows like the value of one of them.
    rows : int
        Training rows.
    width : int
        By which of the widths of the cells rows are alike.
    usual : float
        Mean of `bits` over the training rows.
    """

    columns: tuple[int, int]
    counts: Floats
    first: Floats
    second: Floats
    rows: int
    width: int = 0
    usual: float = 0.0

    @classmethod
    def fit(cls, columns: tuple[int, int], codes: Indices, cells: list[Cells]) -> list["RelatedPair"]:
        """Count the training rows, whose cells are the columns of `codes`, by each of the widths."""
        one, other = (cells[column] for column in columns)
        sizes = len(one.centers), len(other.centers)
        place = np.ravel_multi_index((codes[:, columns[0]], codes[:, columns[1]]), sizes)
        table = np.bincount(place, minlength=sizes[0] * sizes[1]).reshape(sizes).astype(np.float64)
        found = []
        for width, (first, second) in enumerate(zip(one.weights, other.weights, strict=True)):
            margins = first @ table.sum(axis=1), second @ table.sum(axis=0)
            pair = cls(columns, first @ table @ second, *margins, len(codes), width)
            found.append(replace(pair, usual=float(pair.bits(codes, trained=True).mean())))
        return found

    def bits(self, codes: Indices, *, trained: bool) -> Floats:
        """The logarithm of how much oftener values go together than they would if the columns were independent.

        Pointwise dependence: 0 for independent columns, below 0 where a row breaks what the two have in common. Of
        training rows by the other rows, each of which counts for itself with weight 1.
        """
        seen, expected = self.seen_and_expected(codes, trained=trained)
        found: Floats = np.log2((seen + PRIOR) / (expected + PRIOR))
        return found

    def seen_and_expected(self, codes: Indices, *, trained: bool) -> tuple[Floats, Floats]:
        """Other rows like both values, weighted, and how many there would be if the columns were independent."""
        own = 1.0 if trained else 0.0
        one, other = codes[:, self.columns[0]], codes[:, self.columns[1]]
        seen = np.maximum(self.counts[one, other] - own, 0.0)
        singles = np.maximum(self.first[one] - own, 0.0) * np.maximum(self.second[other] - own, 0.0)
        return seen, singles / max(self.rows - own, 1.0)
