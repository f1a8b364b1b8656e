"""The moments test of two variables with many rows: every sum from low-rank factors, no n x n matrix.

With M = F F' off the diagonal, all sums over pairs of rows that the moments need are sums over rows of expressions in
F'F, F'1 and a factor of the elementwise cube of M: O(n r^2) for rank r.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Block, Variable, Variables
from shearer._threads import single_threaded_blas
from shearer._validate import value_error
from shearer.inference.centring import Known, pair_of
from shearer.inference.moments import Sums
from shearer.inference.result import Component
from shearer.kernels import Gaussian, Kernel, chosen_kernels
from shearer.kernels import gram as gram_of
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


@dataclass(frozen=True)
class Tall:
    """A similarity matrix of many rows: its factor, and the sums of it."""

    factor: Floats
    known: Known

    @property
    def raw(self) -> Sums:
        """Sums of M / mean - 1."""
        return self.known.raw

    @property
    def centered(self) -> Sums:
        """Sums of the U-centred form."""
        return self.known.centered


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
    if general is None and own is None and _is_scalar(variable) and not _has_low_rank(ladder[-1]):
        return _operators(_ranked(variable), None, None)
    return ladder


def _is_scalar(variable: Variable) -> bool:
    return variable.kind == "continuous" and variable.blocks[0].values.shape[1] == 1


def _has_low_rank(operator: Gram) -> bool:
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
    """Factor M = K o K and its elementwise cube, and take all sums."""
    square = operator.squared()
    with single_threaded_blas():
        cubes = _factor(square.hadamard(square, square))
        cube_total = float(np.sum(cubes.sum(axis=0) ** 2))
        del cubes
        factor = _factor(square)
        return _sums(factor, cube_total)


def pair_of_tall(first: Tall, second: Tall, label: str) -> list[Component]:
    """The raw and the centred statistic of two factored similarities."""
    cross = first.factor.T @ second.factor
    return pair_of(first.known, second.known, (float(np.sum(cross**2)) - len(first.factor)) / 2, label)


def _operators(variable: Variable, general: Kernel | None, own: Kernel | None) -> list[Gram]:
    """Rungs of numbers under the default kernel; one operator else."""
    only = variable.blocks[0]
    like = np.empty(0)
    if (general or own) is not None or len(variable.blocks) > 1 or only.kind != "continuous":
        return [gram_of(variable, like, general or Gaussian(), own)]
    values = np.asarray(only.values, dtype=np.float64)
    rungs = RUNG_BITS[:-1] if len(values) > _VERY_TALL else RUNG_BITS
    fractions = [bits / np.log2(len(values)) for bits in rungs]
    widths = widths_of_distances(triangle(sample(values)[:1000]), len(values), fractions)
    return [Gaussian(width).gram(Block("continuous", values), like) for width in widths]


def _factor(gram: Gram) -> Floats:
    """F with F F' close to the matrix, or an error where there is no low rank."""
    work = Factorization(gram, np.random.default_rng(0))
    while float(work.residual.mean()) > _RESIDUAL:
        if not work.grow(_MOST_RANK):
            break
        if work.rank >= _MOST_RANK:
            hint = "Fewer rows, or a wider kernel, can be tested."
            raise value_error("data", f"a similarity of rank below {_MOST_RANK}", "one of full rank", hint)
    return work.factor


def _sums(factor: Floats, cube_total: float) -> Tall:
    n = len(factor)
    inner, column_sums = factor.T @ factor, factor.sum(axis=0)
    rows = factor @ column_sums - 1.0
    squares = np.einsum("ij,ij->i", factor @ inner, factor) - 1.0
    triangles = float(np.trace(inner @ inner @ inner) - 3 * np.sum(inner**2) + 2 * n)

    def times(vectors: Floats) -> Floats:
        product: Floats = factor @ (factor.T @ vectors) - vectors
        return product

    return Tall(factor, Known(rows, squares, cube_total - n, triangles, times))
