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
from shearer.inference.aggregated import LARGEST_SKEWNESS
from shearer.inference.moments import Sums, moments, shifted_triangles
from shearer.inference.pvalue import pearson3_tail
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
    """A similarity matrix of many rows: its factor, and the sums of its two centred forms."""

    factor: Floats
    mean: float
    row_sums: Floats
    raw: Sums
    centered: Sums


def tall_components(variables: Variables, kernel: Kernel | Mapping[str, Kernel] | None) -> list[Component]:
    """Both centred forms at every rung, for two variables.

    Outliers far apart have no low rank. Independence is a matter of ranks as much as of values, so a number with such
    tails is tested by its ranks.
    """
    own, general = chosen_kernels(variables, kernel)
    kernels = [own.get(item.name, general) for item in variables.items]
    items = list(variables.items)
    ladders = [_operators(item, chosen) for item, chosen in zip(items, kernels, strict=True)]
    for position, ladder in enumerate(ladders):
        if kernels[position] is None and _is_scalar(items[position]) and not _has_low_rank(ladder[-1]):
            ladders[position] = _operators(_ranked(items[position]), None)
    components = []
    for height in range(max(len(ladder) for ladder in ladders)):
        first, second = (tall(ladder[min(height, len(ladder) - 1)]) for ladder in ladders)
        components += pair_of_tall(first, second, f"at {RUNG_BITS[height]:g} bits")
    return components


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
    n = len(first.factor)
    cross = first.factor.T @ second.factor
    products = (float(np.sum(cross**2)) - n) / 2
    raw = products / (first.mean * second.mean) - n * (n - 1) / 2
    totals = float(first.row_sums.sum()) * float(second.row_sums.sum())
    centered = products - float(first.row_sums @ second.row_sums) / (n - 2) + totals / (2 * (n - 1) * (n - 2))
    found = []
    forms = (("centered", centered, first.centered, second.centered), ("raw", raw, first.raw, second.raw))
    for form, statistic, left, right in forms:
        law = moments([left, right], [1.0, 1.0])
        if law.deviation > 0 and abs(law.skewness) <= LARGEST_SKEWNESS:
            z = statistic / law.deviation
            found.append(Component(f"{form} {label}", z, float(pearson3_tail(z, law.skewness)), law.skewness))
    return found


def _operators(variable: Variable, kernel: Kernel | None) -> list[Gram]:
    """Rungs of numbers under the default kernel; one operator else."""
    only = variable.blocks[0]
    like = np.empty(0)
    if kernel is not None or len(variable.blocks) > 1 or only.kind != "continuous":
        return [gram_of(variable, like, kernel or Gaussian())]
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
    known = _Known(factor, rows, squares, cube_total - n, triangles)
    mean = float(rows.sum()) / (n * (n - 1))
    raw = _shifted(known, 1.0 / mean, np.zeros(n), -1.0)
    centered = _shifted(known, 1.0, rows / (n - 2), float(rows.sum()) / ((n - 1) * (n - 2)))
    return Tall(factor, mean, rows, raw, centered)


@dataclass(frozen=True)
class _Known:
    """Of M without its diagonal: factor with it, row sums of M and of M^2, sum of M^3, tr MMM."""

    factor: Floats
    rows: Floats
    squares: Floats
    cubes: float
    triangles: float

    def times(self, vectors: Floats) -> Floats:
        """M without its diagonal times vectors."""
        product: Floats = self.factor @ (self.factor.T @ vectors) - vectors
        return product


def _shifted(known: _Known, factor: float, shift: Floats, constant: float) -> Sums:
    """Sums of x_ij = factor M_ij - shift_i - shift_j + constant off the diagonal, expanded in those of M."""
    n, rows, squares = len(known.rows), known.rows, known.squares
    image = known.times(shift)
    total, total_squares = float(shift.sum()), float(shift @ shift)
    r = factor * rows - (n - 2) * shift - total + (n - 1) * constant
    inner = shift - constant
    q = factor**2 * squares - 2 * factor * (inner * rows + image)
    q += (n - 1) * inner**2 + 2 * inner * (total - shift) + (total_squares - shift**2)
    # The cube of factor M - g with g_ij = e_i + e_j, e = shift - constant/2.
    e = shift - constant / 2
    with_squares = 2 * float(squares @ e)
    with_rows = 2 * float(rows @ e**2) + 2 * float(e @ known.times(e))
    g_cubes = 2 * n * float(np.sum(e**3)) + 6 * float(e.sum()) * float(e @ e) - float(np.sum((2 * e) ** 3))
    c = factor**3 * known.cubes - 3 * factor**2 * with_squares + 3 * factor * with_rows - g_cubes
    diagonal = constant - 2 * shift
    s = float(r.sum())
    rxr = factor * float(r @ known.times(r)) - 2 * float(shift @ r) * s + constant * s**2 - float(r**2 @ diagonal)
    return Sums(
        n=n,
        S=s,
        B=float(q.sum()),
        c=c,
        rr=float(r @ r),
        qr=float(q @ r),
        rrr=float(np.sum(r**3)),
        rxr=rxr,
        T=shifted_triangles(known.triangles, known.times, factor, shift, constant, q + diagonal**2),
    )
