"""What chance gives to a measure of a batch, and what of it is left at any number of rows."""

import math
from collections.abc import Sequence
from functools import reduce
from operator import mul

import numpy as np
import torch
from torch import Tensor

from shearer.measures.measure import Measure
from shearer.neural.gradient_formulas import formula_of
from shearer.neural.matrix_information import ALIKE, centered, entropies_with_slopes, floor_of
from shearer.pairs.limits import FEWEST_ROWS
from shearer.pairs.null_law.moments import moments, sums_of

LN2 = math.log(2.0)
#: Permutations of the rows that the chance level of an order without a closed form is averaged over.
_PERMUTATIONS = 8


def excess(kind: Measure, normalize: bool | str, matrices: Sequence[Tensor]) -> float:
    """A measure of order 2 that has the same mean in batches of any size, and the mean 0 by chance.

    Every row is like itself: these n similarities of 1 say nothing of dependence, and the fewer rows there are the more
    they drown the others. Without them the mean similarity of the joint is, over all permutations of the rows, the
    product of those of the variables. 0 where no rows are alike; linear below 0, where few rows can leave no joint
    similarity (docs: neural, "Is it more than chance?").
    """
    n = len(matrices[0])
    squares = [matrix * matrix for matrix in matrices]
    *means, joint = (
        (float(square.sum(dtype=torch.float64)) - n) / (n * (n - 1)) for square in (*squares, reduce(mul, squares))
    )
    if min(means) <= ALIKE:
        return 0.0
    relative = joint / math.prod(means) - 1.0
    shared = (math.log1p(relative) if relative > 0 else relative) / LN2
    bits = [-math.log2(mean) for mean in means]
    return formula_of(kind, normalize)([*bits, math.fsum(bits) - shared], floor_of(matrices[0], n))[0]


def above_chance(kind: Measure, normalize: bool | str, matrices: Sequence[Tensor], alpha: float) -> tuple[float, float]:
    """The measure less its mean by chance, with the rows of all variables but one permuted, and how chance varies.

    At order 2 the mean sum over all permutations is known; at others it is an average over some of them.
    """
    n, formula = len(matrices[0]), formula_of(kind, normalize)
    floor = floor_of(matrices[0], n)
    joint = reduce(mul, matrices)
    if alpha == 2:
        sums = [float((matrix * matrix).sum(dtype=torch.float64)) for matrix in (*matrices, joint)]
        means = [(part - n) / (n * (n - 1)) for part in sums[:-1]]
        bits = [-math.log2(part / n**2) for part in sums]
        expected = n + n * (n - 1) * math.prod(means)
        # of the logarithm of a sum that varies, to second order
        spread = 2.0 * math.prod(means) * _deviation(matrices, means) / expected
        chance, spread = spread**2 / (2.0 * LN2) - math.log2(expected / n**2), spread / LN2
    else:
        generator = torch.Generator().manual_seed(0)
        permuted = []
        for _ in range(_PERMUTATIONS):
            orders = [torch.randperm(n, generator=generator).to(joint.device) for _ in matrices[1:]]
            shuffled = [own[order][:, order] for own, order in zip(matrices[1:], orders, strict=True)]
            permuted.append(reduce(mul, [matrices[0], *shuffled]))
        spectra = np.stack([torch.linalg.eigvalsh(m).double().cpu().numpy() / n for m in (*matrices, joint, *permuted)])
        found = entropies_with_slopes(spectra, alpha, n * torch.finfo(joint.dtype).eps)[0]
        bits, drawn = found[: len(matrices) + 1].tolist(), found[len(matrices) + 1 :]
        chance, spread = float(drawn.mean()), float(drawn.std(ddof=1))
    value, weights = formula(bits, floor)
    return value - formula([*bits[:-1], chance], floor)[0], spread * abs(weights[-1])


def _deviation(matrices: Sequence[Tensor], means: Sequence[float]) -> float:
    """Of the sum over pairs of rows of the product of squared matrices over their means, when rows are permuted."""
    n = len(matrices[0])
    if n < FEWEST_ROWS or min(means) <= ALIKE:
        return 0.0
    relative = [
        (matrix * matrix).double().cpu().numpy() / mean - 1.0 for matrix, mean in zip(matrices, means, strict=True)
    ]
    for own in relative:
        np.fill_diagonal(own, 0.0)
    return moments([sums_of(own, triangles=0.0).means() for own in relative], n).deviation


def chance_hsic(first: Tensor, second: Tensor) -> float:
    """The mean of the biased estimate over all permutations of the rows."""
    traces = [float(centered(matrix).diagonal().sum()) for matrix in (first, second)]
    return math.prod(traces) / (len(first) - 1) ** 3
