"""Tails of the statistics of pairs, from products of similarities and sums of each variable.

The permutation moments of a pair are bilinear in sums of the two variables (`shearer.pairs.moments`), so all pairs
take a few thin matrix products beyond the one that gave the statistics.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.inference.centring import LARGEST_SKEWNESS
from shearer.pairs.moments import PAIRS, TRIPLES, falling
from shearer.pairs.pearson3 import pearson3_tails
from shearer.pairs.combination import half_cauchy
from shearer.screening.marginals import Form, Marginals

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


def mirror_upper(square: Floats) -> None:
    """The half above the diagonal on both sides of it, and 1 on it; in place."""
    below = np.tril_indices(len(square), -1)
    square[below] = square.T[below]
    np.fill_diagonal(square, 1.0)


def joined(tails: Sequence[Floats]) -> Floats:
    """One p-value for each pair from all its components that are to be trusted."""
    every = np.moveaxis(np.concatenate(tails), 0, -1)
    return half_cauchy(every, np.isfinite(every))


def component_tails(left: Marginals, right: Marginals, products: Floats) -> Floats:
    """Upper tails of the two statistics of every pair, shape (2, p, q); nan where a tail is not to be trusted.

    Parameters
    ----------
    left, right : Marginals
        Sums of p and of q variables.
    products : array (p, q)
        Sums over row pairs i < j of the products of their centred forms.
    """
    n = left.rows
    tails = np.empty((2, *products.shape))
    usable = np.logical_and.outer(left.usable, right.usable)
    tails[0] = _tails(products, left.centered, right.centered, n, usable)
    raw = products * np.multiply.outer(1.0 / left.scale, 1.0 / right.scale)
    raw += (left.slope * (n - 2)) @ right.slope.T
    tails[1] = _tails(raw, left.raw, right.raw, n, usable)
    return tails


def _tails(statistic: Floats, left: Form, right: Form, n: int, usable: Masks) -> Floats:
    """Upper tails of one statistic."""
    second = (left.second * weights(n, PAIRS)) @ right.second.T
    third = (left.third * weights(n, TRIPLES)) @ right.third.T
    return tails_of(statistic, second, third, np.multiply.outer(left.smallest * n, right.smallest), usable)


def tails_of(statistic: Floats, second: Floats, third: Floats, smallest: Floats, usable: Masks) -> Floats:
    """Upper tails from second and third moments; nan where a statistic does not vary, or its law is too skewed.

    Parameters
    ----------
    statistic, second, third : array
        The statistics, of mean 0, and their moments; the moments are overwritten.
    smallest : array
        Deviations that round-off alone could make.
    usable : array
        Where a tail is wanted at all.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(second)
        second *= deviation
        third /= second
        trusted = deviation > smallest
        trusted &= usable
        trusted &= np.abs(third) <= LARGEST_SKEWNESS
        z = statistic / deviation
        np.maximum(third, 0.0, out=third)  # as `upper_tail`
    if trusted.all():
        return pearson3_tails(z, third)
    tails = np.full(statistic.shape, np.nan)
    tails[trusted] = pearson3_tails(z[trusted], third[trusted])
    return tails


def weights(n: Any, ways: Mapping[str, tuple[Any, ...]]) -> Floats:
    """How often edges meet in each of the ways, along a last axis; of a number of rows or of an array of them."""
    return np.stack([falling(np.asarray(n, dtype=np.float64), way[0]) * way[1] for way in ways.values()], axis=-1)
