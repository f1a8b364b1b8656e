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
from shearer.neural.formulas import Formula
from shearer.spectrum import renyi

Floats = NDArray[np.float64]

_LN2 = math.log(2.0)
_TINY = float(np.finfo(np.float64).tiny)


def measure(formula: Formula, matrices: Sequence[Tensor], alpha: float) -> Tensor:
    """A measure of order alpha of variables given by their kernel matrices."""
    route = FrobeniusMeasure if alpha == 2 else SpectralMeasure
    return route.apply(formula, alpha, *matrices)


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


class SpectralMeasure(Function):
    """Any alpha: entropies of spectra; V f'(lambda) V' is the derivative of one, without that of an eigenvector."""

    @staticmethod
    def forward(ctx: Any, formula: Formula, alpha: float, *matrices: Tensor) -> Tensor:
        """The measure."""
        wanted = ctx.needs_input_grad[2:]
        several, n = len(matrices) > 1, len(matrices[0])
        parts = [decomposed(matrix, need) for matrix, need in zip(matrices, wanted, strict=True)]
        if several:
            parts.append(decomposed(reduce(mul, matrices), any(wanted)))
        # A few numbers: faster on the host, and in double precision.
        spectra = np.stack([values.cpu().numpy() for values, _ in parts]).astype(np.float64) / n
        bits, rates = entropies_with_slopes(spectra, alpha, n * torch.finfo(matrices[0].dtype).eps)
        value, weights = formula(bits.tolist(), floor_of(matrices[0], n))
        rates *= np.array(weights)[:, None] / n
        slopes = [
            None if vectors is None else (vectors * torch.from_numpy(rate).to(vectors)) @ vectors.T
            for (_, vectors), rate in zip(parts, rates, strict=True)
        ]
        if several:
            joint = slopes.pop()
            for own, rest in zip(slopes, products_of_others(matrices), strict=True):
                if own is not None:
                    own.addcmul_(joint, rest)
        ctx.slopes = slopes
        return matrices[0].new_tensor(value)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """The derivative is known since the forward pass."""
        refuse_second_derivatives()
        return None, None, *(None if own is None else own * slope for own in ctx.slopes)


def refuse_second_derivatives() -> None:
    """The weights of the entropies are plain numbers: a derivative of the derivative would miss a part of it."""
    if torch.is_grad_enabled():
        hint = "shearer.mutual_information, total_correlation and entropy take tensors and can be differentiated again."
        raise value_error("create_graph", "False: losses have first derivatives", "True", hint)


def products_of_others(factors: Sequence[Tensor]) -> list[Any]:
    """For each factor the product of all others; 1 where there are none."""
    if len(factors) == 1:
        return [1.0]
    before = list(accumulate(factors[:-1], mul))
    after = list(accumulate(factors[:0:-1], mul))[::-1]
    return [after[0], *map(mul, before, after[1:]), before[-1]]


def decomposed(matrix: Tensor, vectors: bool) -> tuple[Tensor, Tensor | None]:
    """Eigenvalues and, if wanted, eigenvectors, which cost more."""
    if vectors:
        found: tuple[Tensor, Tensor] = torch.linalg.eigh(matrix)
        return found
    return torch.linalg.eigvalsh(matrix), None


def entropies_with_slopes(spectra: Floats, alpha: float, floor: float) -> tuple[Floats, Floats]:
    """S = log2(sum l^a / (sum l)^a) / (1 - a) in bits, and dS/dl, of every row.

    As in `shearer.spectrum.renyi`: round-off below 0 counts as 0; the slope of an eigenvalue that is not told from 0 is
    held at its value at the floor, where below alpha = 1 it would be infinite.

    Parameters
    ----------
    spectra : array (k, n)
        Eigenvalues of K/n.
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


def hsic(first: Tensor, second: Tensor) -> Tensor:
    """tr(K H L H) / (n - 1)^2, the biased estimate."""
    # Centring the side without a derivative leaves less to differentiate.
    if first.requires_grad and not second.requires_grad:
        first, second = second, first
    return (centered(first) * second).sum() / (len(first) - 1) ** 2


def centered(matrix: Tensor) -> Tensor:
    """H K H with H = I - 1/n, of a symmetric matrix or a stack of them."""
    means = matrix.mean(dim=-1, keepdim=True)
    return matrix - means - means.mT + means.mean(dim=-2, keepdim=True)
