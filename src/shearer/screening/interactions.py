"""The interaction test of many triples at once: products of two centred kernels against all other variables.

`shearer.interaction_test` asks of one triple whether each variable depends on the product of the two others. Here the
product of a pair is formed once and set against every variable, by one matrix product for many pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Variable, Variables
from shearer._threads import blas_threads_for
from shearer.inference.aggregated import SMALLEST_SPREAD
from shearer.inference.atoms import CERTAIN, coarse, level_codes, off_mode
from shearer.inference.centring import LARGEST_SKEWNESS
from shearer.inference.interaction import least_of_splits
from shearer.inference.moments import PAIRS, TRIPLES, Sums, falling, sums_of
from shearer.inference.pvalue import half_cauchy, upper_tail
from shearer.inference.similarity import FRACTIONS, similarities
from shearer.kernels import Kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

HEIGHTS = len(FRACTIONS)
# Products of pairs held at a time: enough for a matrix product to beat as many passes over all variables.
_TOGETHER = 16
# A deviation below this share of the size of the sums is round-off.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Level:
    """All variables at one height of the ladder: U-centred matrices, and what the moments need of them."""

    matrices: Floats
    means: dict[str, Floats]
    spread: Floats


class Interactions:
    """Tests of the splits ab | c of many triples, on the same rows.

    Parameters
    ----------
    variables : Variables
        With at least 6 rows.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.interaction_test`.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer._variables import read_variables
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 100))
    >>> tests = Interactions(read_variables(a, b, np.sign(a * b) * abs(rng.normal(size=100)), noise))
    >>> (tests.pvalues([(0, 1, 2), (0, 1, 3)]) < 0.01).tolist()
    [True, False]
    """

    def __init__(self, variables: Variables, kernel: Kernel | Mapping[str, Kernel] | None = None) -> None:
        self._ladder = similarities(variables, kernel)
        self._single = np.array([ladder.is_single for ladder in self._ladder])

    @staticmethod
    def memory(variables: int, rows: int) -> int:
        """Bytes at the peak: distances and one level of all variables, and the products."""
        return 8 * rows**2 * (2 * variables + _TOGETHER + 8)

    def pvalues(self, triples: Iterable[tuple[int, int, int]]) -> Floats:
        """The largest of the three splits' p-values of each triple."""
        wanted = np.array(list(triples), dtype=np.intp).reshape(-1, 3)
        pairs, place = pairs_of(wanted)
        tails = np.stack([self.tails(self.level(height), height, pairs) for height in range(HEIGHTS)], axis=-1)
        return join_splits(tails, wanted, place)

    def level(self, height: int) -> Level:
        """All variables at one height; those of a single rung are the same at each."""
        n = self._ladder[0].n
        matrices = np.empty((len(self._ladder), n, n))
        sums = []
        for matrix, ladder in zip(matrices, self._ladder, strict=True):
            centered = ladder.rung(height).centered
            matrix[:] = centered.matrix
            sums.append(centered.sums)
        spread = np.sqrt([item.B / (n * (n - 1)) for item in sums])
        return Level(matrices, _means(sums), spread)

    def tails(self, level: Level, height: int, pairs: Indices) -> Floats:
        """Upper tail of each pair's product against every variable, shape (pairs, variables); nan where untested."""
        n = level.matrices.shape[1]
        found = np.empty((len(pairs), len(level.matrices)))
        flat = level.matrices.reshape(len(level.matrices), n * n)
        for start in range(0, len(pairs), _TOGETHER):
            some = pairs[start : start + _TOGETHER]
            products = level.matrices[some[:, 0]]
            products *= level.matrices[some[:, 1]]
            products -= products.sum(axis=(1, 2), keepdims=True) / (n * (n - 1))
            products[:, np.arange(n), np.arange(n)] = 0.0
            with blas_threads_for(len(some) * flat.size):
                statistics = products.reshape(len(some), n * n) @ flat.T / 2
            sums = [sums_of(product, _triangles(product)) for product in products]
            spread = np.sqrt([item.B / (n * (n - 1)) for item in sums])
            found[start : start + len(some)] = _tails(statistics, _means(sums), spread, level, n)
        if height > 0:  # three variables of one rung each have been tested at the lowest height
            alone = self._single[pairs].all(axis=1)
            found[np.ix_(alone, self._single)] = np.nan
        return found


def pairs_of(triples: Indices) -> tuple[Indices, Indices]:
    """The pairs that the splits of triples need, and where those of ab | c, ac | b and bc | a stand among them."""
    stacked = np.concatenate([triples[:, [0, 1]], triples[:, [0, 2]], triples[:, [1, 2]]])
    pairs, place = np.unique(stacked, axis=0, return_inverse=True)
    return pairs.reshape(-1, 2), place.reshape(3, len(triples)).T


def join_splits(tails: Floats, triples: Indices, place: Indices) -> Floats:
    """Tails of pairs against variables, one for each height, to p-values of triples: joined over heights, the largest.

    Parameters
    ----------
    tails : array (pairs, variables, heights)
        From `Interactions.tails`.
    triples, place : array (m, 3)
        Positions of the variables, and from `pairs_of`.
    """
    splits = np.stack([joined(tails[place[:, k], triples[:, 2 - k]]) for k in range(3)], axis=-1)
    largest: Floats = splits.max(axis=-1)
    return largest


def raise_pvalues(pvalues: Floats, triples: Indices, variables: Sequence[Variable]) -> None:
    """Raise p-values of triples, in place, as `interaction_test` does: to what variables of few values allow."""
    codes = [level_codes(variable) for variable in variables]
    off = np.sort(np.array([off_mode(own) for own in codes])[triples], axis=1)
    # Two together are off their most frequent values at least as often as the one that is so more often.
    possible = coarse(off[:, 0], off[:, 2], len(codes[0])) & (pvalues < CERTAIN)
    for place in np.flatnonzero(possible):
        pvalues[place] = max(pvalues[place], *least_of_splits([codes[k] for k in triples[place]]))


def joined(tails: Floats) -> Floats:
    """Half-Cauchy combination along the last axis of those that are there; 1 if none is."""
    present = np.isfinite(tails)
    pvalues = np.ones(tails.shape[:-1])
    for count in np.unique(present.sum(axis=-1)):
        if count:
            rows = present.sum(axis=-1) == count
            pvalues[rows] = half_cauchy(tails[rows][present[rows]].reshape(-1, count))
    return pvalues


def _means(sums: Sequence[Sums]) -> dict[str, Floats]:
    means = [item.means() for item in sums]
    return {name: np.array([mean[name] for mean in means]) for name in means[0]}


def _triangles(matrix: Floats) -> float:
    """tr(xxx) in single precision: it enters the skewness only, of which a few digits count."""
    single = matrix.astype(np.float32)
    with blas_threads_for(len(single) ** 3):
        return float(np.vdot(single.T @ single, single))


def _tails(statistics: Floats, left: dict[str, Floats], spread: Floats, level: Level, n: int) -> Floats:
    """Pearson type III tails of products against variables; nan where the law does not vary or is too skewed."""
    second, third = np.zeros(statistics.shape), np.zeros(statistics.shape)
    for name, (vertices, share) in PAIRS.items():
        second += falling(n, vertices) * share * np.multiply.outer(left[name], level.means[name])
    for name, (vertices, share, _) in TRIPLES.items():
        third += falling(n, vertices) * share * np.multiply.outer(left[name], level.means[name])
    deviation = np.sqrt(np.maximum(second, 0.0))
    varies = np.minimum.outer(spread, level.spread) > SMALLEST_SPREAD
    varies &= deviation > _NOTHING * n * np.multiply.outer(spread, level.spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = third / deviation**3
        tails = upper_tail(statistics / deviation, skewness)
    result: Floats = np.where(varies & (np.abs(skewness) <= LARGEST_SKEWNESS), tails, np.nan)
    return result
