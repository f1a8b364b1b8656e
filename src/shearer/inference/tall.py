"""The moments test of two variables with many rows: every sum from low-rank factors, no n x n matrix.

With M = F F' off the diagonal, all sums over pairs of rows that the moments need are sums over rows of expressions in
F'F, F'1 and a factor of the elementwise cube of M: O(n r^2) for rank r.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Block, Variable, Variables
from shearer._threads import blas_threads_for, single_threaded_blas
from shearer._validate import message
from shearer.inference.aggregated import LARGEST_SATURATION
from shearer.inference.centring import Known, pair_of
from shearer.inference.moments import Sums
from shearer.inference.result import Component
from shearer.kernels import Gaussian, Kernel, chosen_kernels
from shearer.kernels import gram as gram_of
from shearer.kernels.delta import DeltaGram
from shearer.kernels.distances import triangle
from shearer.kernels.gram import Gram
from shearer.kernels.samples import sample
from shearer.kernels.width_rules import widths_of_distances
from shearer.spectrum.lowrank import Factorization

Floats = NDArray[np.float64]

# Entropies of order 2, in bits, of the rungs: beyond, ranks and with them memory grow as their power of two.
RUNG_BITS = (1.0, 2.0, 3.0)
# With more rows than this the last rung, whose factors are the largest, is left out.
_VERY_TALL = 200_000
# Mean residual of a row: far below the spread of the statistic.
_RESIDUAL = 1e-9
# Rows from each tail, and columns that should be enough for them.
_TAIL, _FEW, _TAIL_RESIDUAL = 500, 100, 1e-4
_MOST_RANK = 400


class NoLowRankError(ValueError):
    """A similarity of many rows that no factor of a few hundred columns describes."""


@dataclass(frozen=True)
class Tall:
    """A similarity matrix of many rows: its factor, or the labels that rows share, and the sums of it."""

    known: Known
    factor: Floats | None = None
    codes: NDArray[np.intp] | None = None

    @property
    def raw(self) -> Sums:
        """Sums of M / mean - 1."""
        return self.known.raw

    @property
    def centered(self) -> Sums:
        """Sums of the U-centred form."""
        return self.known.centered

    @property
    def saturation(self) -> float:
        """Entropy of order 2 over its largest value: near 1, all rows are unlike and tails fail."""
        n = self.known.n
        return float(np.log2(n**2 / (n + self.known.rows.sum())) / np.log2(n))


def tall_components(variables: Variables, kernel: Kernel | Mapping[str, Kernel] | None) -> list[Component]:
    """Both centred forms at every rung, for two variables.

    Outliers far apart have no low rank. Independence is a matter of ranks as much as of values, so a number with such
    tails is tested by its ranks.
    """
    own, general = chosen_kernels(variables, kernel)
    ladders = [tall_operators(item, general, own.get(item.name)) for item in variables.items]
    components = []
    for height in range(max(len(ladder) for ladder in ladders)):
        first, second = (tall(ladder[min(height, len(ladder) - 1)]) for ladder in ladders)
        components += pair_of_tall(first, second, f"at {RUNG_BITS[height]:g} bits")
    return components


def tall_operators(variable: Variable, general: Kernel | None, own: Kernel | None = None) -> list[Gram]:
    """The operators K of one variable at every rung; of its ranks, where outliers leave it no low rank."""
    ladder = _operators(variable, general, own)
    if general is None and own is None and _is_scalar(variable) and not has_low_rank(ladder[-1]):
        return _operators(_ranked(variable), None, None)
    return ladder


def _is_scalar(variable: Variable) -> bool:
    return variable.kind == "continuous" and variable.blocks[0].values.shape[1] == 1


def has_low_rank(operator: Gram) -> bool:
    """Whether a sample of the rows with the largest spread, the tails, is factored by few columns."""
    order = np.argsort(np.asarray(operator.like)[:, 0], kind="stable")
    tails = np.concatenate([order[:_TAIL], order[-_TAIL:], order[:: max(1, len(order) // _TAIL)]])
    work = Factorization(operator.squared().restrict(np.unique(tails)), np.random.default_rng(0))
    while work.rank < _FEW and work.grow(_FEW):
        pass
    return float(work.residual.mean()) <= _TAIL_RESIDUAL


def _ranked(variable: Variable) -> Variable:
    """Its ranks, mean ranks for ties."""
    values = np.asarray(variable.blocks[0].values)[:, 0]
    ranks = np.searchsorted(np.sort(values), values, side="left") + np.searchsorted(
        np.sort(values), values, side="right"
    )
    return Variable(variable.name, (Block("continuous", ranks[:, None] / 2.0),))


def tall(operator: Gram) -> Tall:
    """Factor M = K o K and its elementwise cube, and take all sums; labels need no factor."""
    if isinstance(operator, DeltaGram):
        return _tall_labels(operator.codes)
    with single_threaded_blas():
        cubes = float(np.sum(cube_factor(operator).sum(axis=0) ** 2))
        return tall_factor(square_factor(operator), cubes)


def pair_of_tall(first: Tall, second: Tall, label: str) -> list[Component]:
    """The raw and the centred statistic of two similarities; none where nearly all rows are unlike."""
    if max(first.saturation, second.saturation) > LARGEST_SATURATION:
        return []
    return pair_of(first.known, second.known, (_product(first, second) - first.known.n) / 2, label)


def _product(first: Tall, second: Tall) -> float:
    """Sum over all pairs of rows of the product of two similarities."""
    if first.factor is not None and second.factor is not None:
        with blas_threads_for(first.factor.size * second.factor.shape[1]):
            return float(np.sum((first.factor.T @ second.factor) ** 2))
    if first.codes is not None and second.codes is not None:
        joint = first.codes * (second.codes.max() + 1) + second.codes
        return float(np.sum(np.unique(joint, return_counts=True)[1].astype(np.float64) ** 2))
    codes, factor = (first.codes, second.factor) if second.factor is not None else (second.codes, first.factor)
    assert codes is not None
    assert factor is not None
    return float(np.sum(_sums_by_label(factor, codes) ** 2))


def _sums_by_label(columns: Floats, codes: NDArray[np.intp]) -> Floats:
    """Sums of the rows of each label."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    found: Floats = np.add.reduceat(columns[order], starts, axis=0)
    return found


def _tall_labels(codes: NDArray[np.intp]) -> Tall:
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1)  # without labels that do not occur
    counts = np.bincount(codes).astype(np.float64)
    rows = counts[codes] - 1.0

    def times(vectors: Floats) -> Floats:
        product: Floats = _sums_by_label(vectors, codes)[codes] - vectors
        return product

    triangles = float(np.sum(counts * (counts - 1) * (counts - 2)))
    return Tall(Known(rows, rows, float(rows.sum()), triangles, times), codes=codes)


def _operators(variable: Variable, general: Kernel | None, own: Kernel | None) -> list[Gram]:
    """Rungs of numbers under the default kernel; one operator else."""
    only = variable.blocks[0]
    like = np.empty(0)
    if (general or own) is not None or len(variable.blocks) > 1 or only.kind != "continuous":
        return [gram_of(variable, like, general or Gaussian(), own)]
    values = np.asarray(only.values, dtype=np.float64)
    rungs = RUNG_BITS[:-1] if len(values) > _VERY_TALL else RUNG_BITS
    return [Gaussian(width).gram(Block("continuous", values), like) for width in rung_widths(values, rungs)]


def rung_widths(values: Floats, bits: Sequence[float] = RUNG_BITS[:-1]) -> list[float]:
    """The widths at which the entropies of order 2 are so many bits."""
    fractions = [wanted / np.log2(len(values)) for wanted in bits]
    return widths_of_distances(triangle(sample(values)[:1000]), len(values), fractions)


def square_factor(operator: Gram) -> Floats:
    """F with F F' close to M = K o K."""
    return _factor(operator.squared())


def cube_factor(operator: Gram) -> Floats:
    """A factor of the elementwise cube of M."""
    square = operator.squared()
    return _factor(square.hadamard(square, square))


def _factor(gram: Gram) -> Floats:
    """F with F F' close to the matrix, or an error where there is no low rank."""
    work = Factorization(gram, np.random.default_rng(0))
    while float(work.residual.mean()) > _RESIDUAL:
        if not work.grow(_MOST_RANK):
            break
        if work.rank >= _MOST_RANK:
            hint = "Fewer rows, or a wider kernel, can be tested."
            expected = f"a similarity of rank below {_MOST_RANK}"
            raise NoLowRankError(message("data", expected, "one of full rank", hint))
    return work.factor


def tall_factor(factor: Floats, cubes: float) -> Tall:
    """All sums from a factor of M and the sum of its cubed entries, ones on the diagonal included."""
    n = len(factor)
    inner, column_sums = factor.T @ factor, factor.sum(axis=0)
    rows = factor @ column_sums - 1.0
    squares = np.einsum("ij,ij->i", factor @ inner, factor) - 1.0
    triangles = float(np.trace(inner @ inner @ inner) - 3 * np.sum(inner**2) + 2 * n)

    def times(vectors: Floats) -> Floats:
        product: Floats = factor @ (factor.T @ vectors) - vectors
        return product

    return Tall(Known(rows, squares, cubes - n, triangles, times), factor)
