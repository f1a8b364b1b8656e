"""Alpha = 2 on tall tables: sum_ij M^a_ij M^b_ij = |F_a' F_b|^2, with M = F F' up to a rest that bounds the error."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._progress import track
from shearer._threads import blas_threads_for, single_threaded_blas
from shearer.data.table import Presence
from shearer.kernels import Gram
from shearer.screening.entropies.factors import factor
from shearer.screening.entropies.pair_entropies import PairSums

Floats = NDArray[Any]

# Residual mass of a factor: some 1e-8 bits in double, and what single precision can hold.
_TOLERANCE = {8: 1e-9, 4: 1e-6}
# Columns of factors multiplied at a time, and rows: a product of 32 MB, of pieces of 32 MB.
_WIDTH, _ROWS = 2048, 2048
# Time of one entry of a triangle, in multiplications of a matrix product that take as long.
_ENTRY = 60


class Factor(NamedTuple):
    """F of one variable, with 0 at its missing rows.

    Attributes
    ----------
    matrix : Floats
        F, shape (rows, rank).
    left : float
        Trace of what F F' leaves of M.
    top : float
        Largest eigenvalue of F F'.
    masses : Floats
        Sum of the entries of F F' among the rows of each pattern of gaps.
    """

    matrix: Floats
    left: float
    top: float
    masses: Floats

    @property
    def rank(self) -> int:
        """Columns of F."""
        return int(self.matrix.shape[1])


class LowRank:
    """S_2 of all pairs from factors of the similarities, with a bound on the error.

    With R_a what is left of M^a, and both positive semidefinite, 0 <= tr(M^a M^b) - |F_a' F_b|^2
    = tr(R_a M^b) + tr(F_a F_a' R_b) <= tr(R_a) top(M^b) + top(F_a F_a') tr(R_b).

    Parameters
    ----------
    grams : sequence of Gram
        M = K o K of each variable on the rows that it has.
    presence : Presence
        Which rows those are.
    dtype : dtype
        Single or double precision of the products.
    budget : int
        Bytes: factors are kept while they take half of it, and formed again where they do not fit.
    """

    name = "low rank"

    def __init__(self, grams: Sequence[Gram], presence: Presence, dtype: np.dtype[Any], budget: int) -> None:
        self._grams = grams
        self._presence = presence
        self._dtype = dtype
        self._budget = budget
        self._kept: dict[int, Factor] = {}
        # What is remembered of every variable: everything but its matrix, which may not be kept.
        self._ranks: list[int] = []
        self._traces, self._tops, self._masses = (np.empty(0) for _ in range(3))

    @property
    def rows(self) -> int:
        """Observations."""
        return int(self._presence.masks.shape[1])

    def prepare(self, left: slice, right: slice, progress: bool | None) -> bool:
        """Find the factors; False where they do not exist or tiles are cheaper."""
        known = []
        kept = 0
        for k in track(range(len(self._grams)), len(self._grams), "factors", progress):
            found = self._factor(k)
            if found is None:
                return False
            self._ranks.append(found.rank)
            known.append((found.left, found.top, found.masses))
            kept += found.matrix.nbytes
            if kept <= self._budget // 2:
                self._kept[k] = found
        self._traces, self._tops, self._masses = (np.array(part) for part in zip(*known, strict=True))
        by_factors = self.rows * float(sum(self._ranks[left])) * float(sum(self._ranks[right]))
        pairs = self.rows * (self.rows - 1) / 2
        by_tiles = pairs * ((left.stop - left.start) * (right.stop - right.start) + _ENTRY * len(known))
        return bool(by_factors < by_tiles)

    @cached_property
    def _most_rank(self) -> int:
        """Where to give up: a wider factor costs more than tiles do unless most others are thin, or does not fit."""
        return max(1, min(int(4 * math.sqrt(self.rows)), self._budget // (32 * self.rows)))

    @cached_property
    def _width(self) -> int:
        """Columns of a group of factors; where they are not kept, two groups of them have to fit."""
        fitting = _WIDTH
        if len(self._kept) < len(self._grams):
            fitting = min(_WIDTH, self._budget // (8 * self.rows * self._dtype.itemsize))
        return min(sum(self._ranks), max(*self._ranks, fitting))

    def _factor(self, k: int) -> Factor | None:
        if k in self._kept:
            return self._kept[k]
        gram = self._grams[k]
        tolerance = _TOLERANCE[self._dtype.itemsize]
        with single_threaded_blas():  # thin products: threads would wait longer for each other than they work
            found, residual = factor(gram, tolerance, self._most_rank)
        if residual > 2 * tolerance:  # twice, for round-off that is added to what the factor was stopped at
            return None
        mask = self._presence.masks[self._presence.pattern[k]]
        matrix = np.ascontiguousarray(found, self._dtype)
        if not mask.all():
            matrix = np.zeros((self.rows, found.shape[1]), self._dtype)
            matrix[mask] = found
        top = float(np.linalg.eigvalsh(found.T @ found)[-1])
        ones = self._presence.masks[:, mask].astype(np.float64)
        return Factor(matrix, residual * gram.n, top, ((ones @ found) ** 2).sum(axis=1))

    def _known(self, k: int) -> Factor:
        found = self._factor(k)
        assert found is not None
        return found

    def memory(self, left: slice, right: slice) -> int:
        """The sums, a product of two groups of factors, and the groups where they are not kept already."""
        item = self._dtype.itemsize
        sums: int = 24 * (left.stop - left.start) * (right.stop - right.start)
        kept = sum(found.matrix.nbytes for found in self._kept.values())
        groups = 0 if len(self._kept) == len(self._grams) else 2 * self._width * self.rows * item
        return sums + kept + groups + (8 + item) * self._width**2 + 2 * item * self._width * min(_ROWS, self.rows)

    def pairs(self, left: slice, right: slice, progress: bool | None) -> PairSums:
        """Products of groups of factors, in bands of rows."""
        totals = np.zeros((left.stop - left.start, right.stop - right.start))
        groups = list(self._groups(left))
        for rows in track(groups, len(groups), "pairs", progress):
            first = [self._known(k) for k in rows]
            for columns in self._groups(right):
                if left == right and columns[0] > rows[0]:  # below the diagonal is enough
                    continue
                second = first if columns == rows else [self._known(k) for k in columns]
                place = np.ix_(np.array(rows) - left.start, np.array(columns) - right.start)
                totals[place] = self._squares(first, second)
        bound = self._error(totals, left, right)
        totals -= self.rows if self._presence.complete else self._presence.counts(left, right)
        totals /= 2.0
        halves = (self._masses - self._presence.common[self._presence.pattern]) / 2.0
        return PairSums(totals, halves[left], halves[right], self._presence, left, right, bound)

    def _groups(self, side: slice) -> Iterator[list[int]]:
        """Runs of variables whose factors together are no wider than a product should be."""
        group: list[int] = []
        width = 0
        for k in range(side.start, side.stop):
            rank = self._ranks[k]
            if group and width + rank > self._width:
                yield group
                group, width = [], 0
            group.append(k)
            width += rank
        yield group

    def _squares(self, first: list[Factor], second: list[Factor]) -> Floats:
        """|F_a' F_b|^2 for all a and b of two groups; single precision is summed over bands of rows in double."""
        product = np.zeros((sum(f.rank for f in first), sum(f.rank for f in second)))
        for start in range(0, self.rows, _ROWS):
            band = slice(start, start + _ROWS)
            one = np.concatenate([found.matrix[band] for found in first], axis=1)
            other = one if first is second else np.concatenate([found.matrix[band] for found in second], axis=1)
            with blas_threads_for(one.size * other.shape[1]):
                product += one.T @ other
        np.multiply(product, product, out=product)
        starts = [np.cumsum([0, *(found.rank for found in group[:-1])]) for group in (first, second)]
        return np.add.reduceat(np.add.reduceat(product, starts[0], axis=0), starts[1], axis=1)

    def _error(self, totals: Floats, left: slice, right: slice) -> float:
        """Bound in bits on any mutual information: each entropy is too large, by at most this much."""
        worst = 0.0
        traces, tops, masses, patterns = self._traces, self._tops, self._masses, self._presence.pattern
        for row, a in enumerate(range(left.start, left.stop)):
            b = np.arange(right.start, a + 1 if left == right else right.stop)
            missed = traces[a] * (tops[b] + traces[b]) + traces[b] * tops[a]
            common = self._presence.common[patterns[a], patterns[b]]
            with np.errstate(invalid="ignore", divide="ignore"):
                # 1' R 1 <= n tr R for each variable, on the rows in common
                own, other = (np.log1p(common * traces[k] / masses[k, patterns[m]]) for k, m in ((a, b), (b, a)))
                bits = np.maximum(own + other, np.log1p(missed / totals[row, : len(b)])) / math.log(2)
            worst = max(worst, float(np.max(np.where(common > 1, bits, 0.0))))
        return worst
