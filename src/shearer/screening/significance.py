"""p-values and chance-adjusted values of all pairs, from products of similarities and sums of each variable.

The permutation moments of a pair are bilinear in sums of the two variables (`shearer.inference.moments`), so all pairs
take a few thin matrix products beyond the one that gave the statistics.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shearer.inference.aggregated import SMALLEST_SPREAD
from shearer.inference.centring import LARGEST_SKEWNESS
from shearer.inference.moments import PAIRS, TRIPLES, falling
from shearer.inference.pvalue import half_cauchy, pearson3_tail
from shearer.kernels.gram import Gram
from shearer.screening.marginals import Form, Marginals, join, marginals

Floats = NDArray[np.float64]


def marginals_of(similarities: Sequence[Gram]) -> Marginals:
    """The sums of every variable, from the operators of M = K o K; one symmetric product each."""
    found = []
    for operator in similarities:
        matrix = np.array(operator.dense(), dtype=np.float64)
        np.fill_diagonal(matrix, 0.0)
        found.append(marginals(matrix[None]))
    return join(found)


def pair_pvalues(left: Marginals, right: Marginals, joint: Floats) -> Floats:
    """p-value of every pair: the raw and the centred statistic, joined; 1 where nothing can be said."""
    n = left.rows
    products = (n**2 * np.exp2(-np.asarray(joint, dtype=np.float64)) - n) / 2
    totals = np.multiply.outer(left.mean, right.mean) * (n**2 * (n - 1) / (2 * (n - 2)))
    products += totals - left.shift @ right.shift.T * (n - 2)
    tails = component_tails(left, right, products)
    pvalue = half_cauchy(tails, np.isfinite(tails))
    if left is right:
        pvalue = np.triu(pvalue, 1)
        pvalue += pvalue.T
        np.fill_diagonal(pvalue, 1.0)
    return pvalue


def component_tails(left: Marginals, right: Marginals, products: Floats) -> Floats:
    """Upper tails of the two statistics of every pair, shape (p, q, 2); nan where a tail is not to be trusted.

    Parameters
    ----------
    left, right : Marginals
        Sums of p and of q variables.
    products : array (p, q)
        Sums over row pairs i < j of the products of their centred forms.
    """
    n = left.rows
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = products / np.multiply.outer(left.mean, right.mean)
    raw += (n - 2) * (left.slope @ right.slope.T)
    usable = np.logical_and.outer(left.usable, right.usable)
    forms = ((products, left.centered, right.centered), (raw, left.raw, right.raw))
    return np.stack([_tails(*form, n, usable) for form in forms], axis=-1)


def pair_adjusted(left: Marginals, right: Marginals, information: Floats, own: tuple[Floats, Floats]) -> Floats:
    """Chance-adjusted I: 0 in expectation under independence, 1 for copies up to scale and shift.

    Parameters
    ----------
    left, right : Marginals
        Sums of the variables.
    information : array
        I in bits at alpha = 2 of every pair.
    own : pair of arrays
        I of each variable with itself.
    """
    n = left.rows
    scale = np.multiply.outer(left.mean, right.mean)
    expected = n + scale * n * (n - 1)
    variance = scale**2 * _bilinear(left.raw.second, right.raw.second, _weights(n, PAIRS))
    entropies = [-np.log2((1 + (n - 1) * side.mean) / n) for side in (left, right)]
    chance = np.add.outer(*entropies) + np.log2(expected / n**2) - 2 * variance / (expected**2 * math.log(2))
    room = np.add.outer(*own) / 2 - chance
    with np.errstate(divide="ignore", invalid="ignore"):
        adjusted: Floats = np.where(room > 1e-12, (information - chance) / room, 0.0)
    return adjusted


def own_information(similarities: Sequence[Gram]) -> Floats:
    """I of every variable with itself, at alpha = 2."""
    found = []
    for operator in similarities:
        matrix = np.asarray(operator.dense(), dtype=np.float64)
        found.append(np.log2(np.sum(matrix * matrix) * matrix.size / np.sum(matrix) ** 2))
    return np.array(found)


def _tails(statistic: Floats, left: Form, right: Form, n: int, usable: NDArray[np.bool_]) -> Floats:
    """Upper tails of one statistic; nan where it does not vary, or its law is too skewed."""
    second = _bilinear(left.second, right.second, _weights(n, PAIRS))
    third = _bilinear(left.third, right.third, _weights(n, TRIPLES))
    varies = np.logical_and.outer(left.spread > SMALLEST_SPREAD, right.spread > SMALLEST_SPREAD)
    # A deviation that round-off alone could make is none.
    smallest = 1e-9 * n * np.multiply.outer(left.spread, right.spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(second)
        skewness = third / deviation**3
        trusted = usable & varies & (deviation > smallest) & (np.abs(skewness) <= LARGEST_SKEWNESS)
    tails = np.full(statistic.shape, np.nan)
    tails[trusted] = pearson3_tail(statistic[trusted] / deviation[trusted], skewness[trusted])
    return tails


def _bilinear(left: Floats, right: Floats, weights: Floats) -> Floats:
    return (left * weights) @ right.T


def _weights(n: int, ways: dict[str, tuple[int, float]] | dict[str, tuple[int, float, tuple[str, str, str]]]) -> Floats:
    """How often edges meet in each of the ways."""
    return np.array([falling(n, way[0]) * way[1] for way in ways.values()])
