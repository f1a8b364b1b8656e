"""From kernel matrices to a measure whose derivative is written out: much faster than a chain of small steps.

The derivative is that of the chain, which tests compare. Entropies are few numbers: they are worked on by the host, in
double precision whatever the tensors are in.
"""

import math
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import Function

from shearer._validate import value_error
from shearer.measures.combination import no_entropy
from shearer.measures.measure import Measure
from shearer.measures.registry import MEASURES
from shearer.neural.batch_kernels import is_traced, refuse_second_derivatives
from shearer.neural.gradient_formulas import Formula, formula_of
from shearer.spectrum import renyi

Floats = NDArray[np.float64]

_LN2 = math.log(2.0)
_TINY = float(np.finfo(np.float64).tiny)


#: Below this mean similarity of two different rows no rows are alike, and there is nothing to compare.
ALIKE = 1e-9


def measure(kind: Measure, normalize: bool | str, matrices: Sequence[Tensor], alpha: float) -> Tensor:
    """A measure of order alpha of variables given by their kernel matrices."""
    if is_traced():
        if alpha == 2 and normalize is False:
            return _collision_measure(kind, matrices)
        if not torch.compiler.is_compiling():
            got = f"alpha={alpha:g}, normalize={normalize!r}"
            raise value_error("alpha", "2, in bits, where torch transforms functions (vmap, func.grad)", got)
        wanted = [matrix.requires_grad for matrix in matrices]
        value: Tensor = compiled_measure(kind.name, f"{normalize}", alpha, list(matrices), wanted)[0]
        return value
    route = FrobeniusMeasure if alpha == 2 else SpectralMeasure
    return route.apply(formula_of(kind, normalize), alpha, *matrices)


def _collision_measure(kind: Measure, matrices: Sequence[Tensor]) -> Tensor:
    """Order 2 in bits by steps that depend on no number."""
    squares = [matrix * matrix for matrix in matrices]
    bits = [-torch.log2(square.mean()) for square in [*squares, reduce(mul, squares)]]
    value: Tensor = kind.formula(range(len(squares))).value(
        lambda subset: bits[min(subset)] if len(subset) == 1 else bits[-1]
    )
    return value


def centered_information(first: Tensor, second: Tensor) -> Tensor:
    """log2(1 + HSIC_u(a, b) / (mean a * mean b)) of the squared kernel matrices a, b; linear below 0.

    HSIC_u is the unbiased estimate, means are over pairs of different rows: by chance the quotient is 0, at any number
    of rows (docs: theory, "Order 2, centered").
    """
    check_rows(first, 4)
    if not is_traced():
        found: Tensor = CenteredMeasure.apply(first, second)
        return found
    n = len(first)
    a, b = first.square(), second.square()
    # sums over pairs of different rows; on the diagonal all are 1
    sums = [part.sum(dtype=torch.float64) - n for part in (a, b)]
    pairs = n * (n - 1)
    alike = torch.minimum(*sums) > ALIKE * pairs
    scale = torch.where(alike, sums[0] * sums[1], 1.0) * ((n - 3) / (pairs * (n - 1)))
    covariance = torch.dot(u_centered(a).flatten(), b.flatten())
    ratio = torch.where(alike, covariance / scale, 0.0)
    return (torch.where(ratio > 0, torch.log1p(ratio.clamp(min=0.0)), ratio) / _LN2).to(first.dtype)


def check_rows(matrix: Tensor, least: int) -> None:
    """Raise unless there are enough rows for an unbiased estimate."""
    if len(matrix) < least:
        hint = "The last batch of an epoch may be short: DataLoader(..., drop_last=True)."
        raise value_error("tensors", f"at least {least} rows for an unbiased estimate", f"{len(matrix)}", hint)


class FrobeniusMeasure(Function):
    """alpha = 2: entropies are logarithms of sums of squared entries, S_2 = -log2 sum_ij (K_ij / n)^2."""

    @staticmethod
    def forward(ctx: Any, formula: Formula, _alpha: float, *matrices: Tensor) -> Tensor:
        """The measure."""
        squares = [matrix * matrix for matrix in matrices]
        joint = [reduce(mul, squares)] if len(squares) > 1 else []
        sums = torch.stack([square.sum() for square in [*squares, *joint]]).tolist()
        cells = matrices[0].numel()
        value, weights = formula([-math.log2(part / cells) for part in sums], floor_of(matrices[0], len(matrices[0])))
        ctx.save_for_backward(*matrices)
        # d S_2 / d K = -2 K / (ln 2 sum K^2)
        ctx.factors = [-2.0 * weight / (_LN2 * part) for weight, part in zip(weights, sums, strict=True)]
        return matrices[0].new_tensor(value)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """K^k times its own factor and, for the joint, the product of the other squares."""
        refuse_second_derivatives()
        matrices = ctx.saved_tensors
        *own, joint = ctx.factors if len(matrices) > 1 else (*ctx.factors, 0.0)
        rests = products_of_others([matrix * matrix for matrix in matrices])
        each = zip(matrices, rests, own, ctx.needs_input_grad[2:], strict=True)
        slopes = [matrix * ((rest * joint + factor) * slope) if need else None for matrix, rest, factor, need in each]
        return None, None, *slopes


class CenteredMeasure(Function):
    """The same as `centered_information`, with its derivative written out."""

    @staticmethod
    def forward(ctx: Any, first: Tensor, second: Tensor) -> Tensor:
        """The measure."""
        n, (one, other) = len(first), ctx.needs_input_grad
        a, b = first * first, second * second
        of_first = u_centered(a) if other or not one else None
        of_second = u_centered(b) if one else None
        pair = (of_first, b) if of_first is not None else (of_second, a)
        products = torch.dot(*(part.flatten() for part in pair if part is not None))
        # sums over pairs of different rows; on the diagonal all are 1
        sums = [part.sum(dtype=torch.float64) - n for part in (a, b)]
        covariance, *means = torch.stack([products.double(), *sums]).tolist()
        factor = n * (n - 1) ** 2 / (n - 3)
        if min(means) <= ALIKE * n * (n - 1):
            ctx.factors, ctx.shape = None, first.shape
            return first.new_zeros(())
        ratio = factor * covariance / means[0] / means[1]
        # d value / d ratio, times 2 for that of a square
        slope = 2.0 / (_LN2 * (1.0 + max(ratio, 0.0)))
        ctx.factors = slope * factor / means[0] / means[1], [slope * ratio / mean for mean in means]
        ctx.save_for_backward(first, second, of_first, of_second)
        return first.new_tensor((math.log1p(ratio) if ratio > 0 else ratio) / _LN2)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """2 K times what the ratio owes to the other side's form, less what it owes to the own mean."""
        refuse_second_derivatives()
        if ctx.factors is None:
            return tuple(slope.new_zeros(ctx.shape) if need else None for need in ctx.needs_input_grad)
        first, second, of_first, of_second = ctx.saved_tensors
        common, own = ctx.factors
        one = first * ((of_second * common - own[0]) * slope) if ctx.needs_input_grad[0] else None
        other = second * ((of_first * common - own[1]) * slope) if ctx.needs_input_grad[1] else None
        return one, other


class SpectralMeasure(Function):
    """Any alpha: entropies of spectra; V f'(lambda) V' is the derivative of one, without that of an eigenvector."""

    @staticmethod
    def forward(ctx: Any, formula: Formula, alpha: float, *matrices: Tensor) -> Tensor:
        """The measure."""
        value, ctx.slopes = with_slopes(formula, alpha, matrices, ctx.needs_input_grad[2:])
        return value

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """The derivative is known since the forward pass."""
        refuse_second_derivatives()
        return None, None, *(None if own is None else own * slope for own in ctx.slopes)


def with_slopes(
    formula: Formula, alpha: float, matrices: Sequence[Tensor], wanted: Sequence[bool]
) -> tuple[Tensor, list[Tensor | None]]:
    """A measure by spectra, and its derivative in each of the matrices where that is wanted."""
    several, n = len(matrices) > 1, len(matrices[0])
    parts = [decomposed(matrix, need) for matrix, need in zip(matrices, wanted, strict=True)]
    if several:
        parts.append(decomposed(reduce(mul, matrices), any(wanted)))
    # A few numbers: faster on the host, and in double precision.
    spectra = np.array([values.cpu().numpy() for values, _ in parts], dtype=np.float64)
    bits, rates = entropies_with_slopes(spectra, alpha, n * torch.finfo(matrices[0].dtype).eps)
    value, weights = formula(bits.tolist(), floor_of(matrices[0], n))
    factors = torch.from_numpy(rates * (np.array(weights)[:, None] / n)).to(matrices[0])
    slopes = [
        None if vectors is None else vectors @ (vectors * factor).T
        for (_, vectors), factor in zip(parts, factors, strict=True)
    ]
    if several:
        joint = slopes.pop()
        for own, rest in zip(slopes, products_of_others(matrices), strict=True):
            if own is not None:
                own.addcmul_(joint, rest)
    return matrices[0].new_full((), value), slopes


def _named_with_slopes(
    name: str, normalize: str, alpha: float, matrices: list[Tensor], wanted: list[bool]
) -> list[Tensor]:
    """A measure of the registry by spectra, then its derivatives, empty where none is wanted."""
    kind = MEASURES[name]
    formula = formula_of(kind, {f"{option}": option for option in kind.options}[normalize])
    value, slopes = with_slopes(formula, alpha, matrices, wanted)
    return [value, *(matrices[0].new_empty(0) if slope is None else slope for slope in slopes)]


def _shapes(_name: str, _normalize: str, _alpha: float, matrices: list[Tensor], wanted: list[bool]) -> list[Tensor]:
    slopes = [matrix.new_empty(matrix.shape if need else 0) for matrix, need in zip(matrices, wanted, strict=True)]
    return [matrices[0].new_empty(()), *slopes]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    ctx.wanted = inputs[-1]
    ctx.save_for_backward(*output[1:])


def _known(ctx: Any, slopes: list[Tensor]) -> tuple[Any, ...]:
    each = zip(ctx.saved_tensors, ctx.wanted, strict=True)
    return None, None, None, [own * slopes[0] if need else None for own, need in each], None


#: The same as one step that torch.compile does not look into.
compiled_measure: Any = torch.library.custom_op("shearer::measure", _named_with_slopes, mutates_args=())
compiled_measure.register_fake(_shapes)
compiled_measure.register_autograd(_known, setup_context=_keep)


def products_of_others(factors: Sequence[Tensor]) -> list[Any]:
    """For each factor the product of all others; 1 where there are none."""
    if len(factors) == 1:
        return [1.0]
    before = list(accumulate(factors[:-1], mul))
    after = list(accumulate(factors[:0:-1], mul))[::-1]
    return [after[0], *map(mul, before, after[1:]), before[-1]]


def decomposed(matrix: Tensor, vectors: bool) -> tuple[Tensor, Tensor | None]:
    """Eigenvalues and, if wanted, eigenvectors, which cost more, of a symmetric matrix."""
    # Transposed it is the same matrix, in the order of LAPACK: one copy less that has to turn it.
    if vectors:
        found: tuple[Tensor, Tensor] = torch.linalg.eigh(matrix.mT)
        return found
    return torch.linalg.eigvalsh(matrix.mT), None


def entropies_with_slopes(spectra: Floats, alpha: float, floor: float) -> tuple[Floats, Floats]:
    """S = log2(sum l^a / (sum l)^a) / (1 - a) in bits, and dS/dl, of every row.

    As in `shearer.spectrum.renyi`: round-off below 0 counts as 0; the slope of an eigenvalue that is not told from 0 is
    held at its value at the floor, where below alpha = 1 it would be infinite.

    Parameters
    ----------
    spectra : array (k, n)
        Eigenvalues of K/n, or of K: they are divided by their sum.
    alpha : float
        Order.
    floor : float
        Below this part of the largest, an eigenvalue is not told from 0.

    Examples
    --------
    >>> import numpy as np
    >>> bits, slopes = entropies_with_slopes(np.array([[0.25, 0.75]]), 2.0, 1e-15)
    >>> 2**-bits, slopes * np.log(2)  # sum l^2, -2 (l / sum l^2 - 1)
    (array([0.625]), array([[ 1.2, -0.4]]))
    """
    positive = np.maximum(spectra, 0.0)
    shares = positive / positive.sum(axis=1, keepdims=True)
    largest = shares.max(axis=1, keepdims=True)
    lowest = floor * largest
    if alpha == 0:
        return np.log2((shares > lowest).sum(axis=1)), np.zeros_like(shares)
    if math.isinf(alpha):
        slopes = 1.0 - (np.arange(shares.shape[1]) == shares.argmax(axis=1, keepdims=True)) / largest
        return -np.log2(largest[:, 0]), slopes / _LN2
    if renyi.near_one(alpha):
        # (l^(a-1) - 1) / (1 - a), which falls with l, and its mean: nothing cancels
        steps = _power_less_one(np.log(np.maximum(shares, _TINY)), alpha)
        tau = np.sum(shares * steps, axis=1, keepdims=True)
        slopes = (np.minimum(steps, _power_less_one(np.log(lowest), alpha)) - tau) / (1.0 + (1.0 - alpha) * tau)
        bits = tau if alpha == 1.0 else np.log1p((1.0 - alpha) * tau) / (1.0 - alpha)
        return bits[:, 0] / _LN2, slopes * (alpha / _LN2)
    # relative to the largest, so that high powers of small numbers do not vanish
    power_sum = np.sum((shares / largest) ** alpha, axis=1, keepdims=True)
    bits = (np.log2(power_sum) + alpha * np.log2(largest)) / (1.0 - alpha)
    powers = (np.maximum(shares, lowest) / largest) ** (alpha - 1.0)
    return bits[:, 0], (powers / (largest * power_sum) - 1.0) * (alpha / ((1.0 - alpha) * _LN2))


def _power_less_one(logs: Any, alpha: float) -> Any:
    """(x^(alpha - 1) - 1) / (1 - alpha) of the logarithms, which at 1 is -ln x."""
    return -logs if alpha == 1.0 else np.expm1((alpha - 1.0) * logs) / (1.0 - alpha)


def floor_of(matrix: Tensor, rows: int) -> float:
    """Bits below which an entropy of that many rows is round-off, in the precision of the matrix."""
    return float(no_entropy(rows, np.dtype(np.float64 if matrix.dtype == torch.float64 else np.float32)))


def hsic(first: Tensor, second: Tensor, unbiased: bool = False) -> Tensor:
    """tr(K H L H) / (n - 1)^2, the biased estimate, or the unbiased one (Song et al. 2012)."""
    # Centring the side without a derivative leaves less to differentiate.
    if first.requires_grad and not second.requires_grad:
        first, second = second, first
    n = len(first)
    if not unbiased:
        return (centered(first) * second).sum() / (n - 1) ** 2
    check_rows(first, 4)
    return (u_centered(first) * second).sum() / (n * (n - 3))


def centered(matrix: Tensor) -> Tensor:
    """H K H with H = I - 1/n, of a symmetric matrix or a stack of them."""
    means = matrix.mean(dim=-1, keepdim=True)
    return matrix - means - means.mT + means.mean(dim=-2, keepdim=True)


def u_centered(matrix: Tensor) -> Tensor:
    """The U-centered form (Szekely and Rizzo 2014): rows sum to 0 off the diagonal, on which it is 0; or of a stack."""
    n = matrix.shape[-1]
    sums = (matrix.sum(dim=-1) - matrix.diagonal(dim1=-2, dim2=-1)).unsqueeze(-1)
    shifts = sums / (n - 2) - sums.sum(dim=-2, keepdim=True) / (2 * (n - 1) * (n - 2))
    found = matrix - shifts - shifts.mT
    found.diagonal(dim1=-2, dim2=-1).zero_()
    return found
