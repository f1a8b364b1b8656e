"""Tails of the statistics of pairs, from the statistics and the permutation moments of the two variables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.combination import half_cauchy
from shearer.pairs.moments import PAIRS, TRIPLES, Form, weights
from shearer.pairs.pearson3 import pearson3_tails

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


def joined(tails: Sequence[Floats]) -> Floats:
    """One p-value for each pair from all its components that are to be trusted; 1 without any."""
    every = np.stack(tails, axis=-1)
    return half_cauchy(every, np.isfinite(every))


def standardized(statistic: Floats, n: Any, left: Form, right: Form, usable: Masks) -> tuple[Floats, Floats]:
    """Deviations from the mean and skewness of statistics; nan where a tail is not to be trusted.

    That is where a statistic does not vary, where its law is too skewed, and where `usable` says so.

    Parameters
    ----------
    statistic : array
        Sums over pairs of rows i < j of the products of two centered forms.
    n : int or array
        Rows of each pair.
    left, right : Form
        The forms, of shapes that broadcast to that of the statistics.
    usable : array
        Where a tail is wanted at all.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(moment(left.second, right.second, n, PAIRS))
        skewness = moment(left.third, right.third, n, TRIPLES) / deviation**3
        varies = np.minimum(left.spread, right.spread) > limits.SMALLEST_SPREAD
        varies = varies & (deviation > limits.ROUND_OFF * n * left.spread * right.spread)
        trusted = varies & usable & (np.abs(skewness) <= limits.LARGEST_SKEWNESS)
        return np.where(trusted, statistic / deviation, np.nan), np.where(trusted, skewness, np.nan)


def upper_tails(z: Floats, skewness: Floats) -> Floats:
    """Upper tails of many statistics at once, as `upper_tail` gives one; nan stays nan."""
    known = np.isfinite(z)
    if known.all():
        return pearson3_tails(z, np.maximum(skewness, 0.0))
    tails = np.full(z.shape, np.nan)
    tails[known] = pearson3_tails(z[known], np.maximum(skewness[known], 0.0))
    return tails


def moment(left: Floats, right: Floats, n: Any, ways: Mapping[str, tuple[Any, ...]]) -> Floats:
    """A moment of the product of two forms: bilinear in the means over the ways in which edges meet."""
    if left.ndim == 3 and left.shape[1] == right.shape[0] == 1:  # all pairs of two lists: a thin matrix product
        moment: Floats = (left[:, 0] * weights(n, ways)) @ right[0].T
        return moment
    summed: Floats = np.einsum("...k,...k,...k->...", left, right, weights(n, ways))
    return summed
