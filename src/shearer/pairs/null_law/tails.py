"""Tails of the statistics of pairs, from the statistics and the permutation moments of the two variables."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from shearer.pairs import limits
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.moments import PAIRS, TRIPLES, Form, weights
from shearer.pairs.null_law.pearson3 import pearson3_tails

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


def joined(tails: Sequence[Floats], weights: Sequence[float]) -> Floats:
    """Combine the p-values of the components of each pair that are to be trusted, by weight; 1 without any."""
    return half_cauchy(np.stack(tails, axis=-1), weights)


def standardized(statistic: Floats, n: Any, left: Form, right: Form, usable: Masks) -> tuple[Floats, Floats]:
    """Standardise statistics: deviations from the mean, and skewness; nan where a tail is not to be trusted.

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


def chance_of_meeting(n: Any, first: Floats, second: Floats) -> Floats:
    """What the tail of a statistic cannot be below that rests on few rows of both variables.

    Where k rows lie so far out that all depends on which rows of the other variable they meet, one arrangement of them
    has a chance of 1 / (n (n - 1) ... (n - k + 1)), and a smooth tail can be far smaller (Cauchy laws, 30 rows, widest
    rung: three to six times as often below 0.001 as it should).

    Parameters
    ----------
    n : int or array
        Rows.
    first, second : array
        Rows that both variables rest on; the smaller number counts.

    Examples
    --------
    >>> round(float(1 / chance_of_meeting(30, np.array(2.0), np.array(5.0))))
    870
    """
    n = np.asarray(n, dtype=np.float64)
    few = np.clip(np.minimum(first, second), 1.0, np.maximum(n, 1.0))
    with np.errstate(invalid="ignore"):
        chance: Floats = np.exp(gammaln(n - few + 1.0) - gammaln(n + 1.0))
    return np.nan_to_num(chance, nan=0.0)


def correlated(products: Floats, n: Any, two: tuple[Floats, ...], three: tuple[Floats, ...], usable: Masks) -> Any:
    """Deviations from the mean and skewness of sums over rows of products of two vectors, over all permutations.

    Parameters
    ----------
    products : array
        The sums; each vector adds up to 0.
    n : int or array
        Rows.
    two, three : pairs of arrays
        Sums of the squares and of the cubes of both vectors.
    usable : array
        Where a tail is wanted at all.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = two[0] * two[1] / (n - 1)
        skewness = n * three[0] * three[1] / ((n - 1) * (n - 2) * variance**1.5)
        varies = np.minimum(*two) > n * limits.SMALLEST_SPREAD**2
        trusted = varies & usable & (np.abs(skewness) <= limits.LARGEST_SKEWNESS)
        return np.where(trusted, products / np.sqrt(variance), np.nan), np.where(trusted, skewness, np.nan)


def upper_tails(z: Floats, skewness: Floats) -> Floats:
    """Upper tails of many statistics at once, as `upper_tail` gives one; nan stays nan."""
    known = np.isfinite(z)
    if known.all():
        return pearson3_tails(z, np.maximum(skewness, 0.0))
    tails = np.full(z.shape, np.nan)
    tails[known] = pearson3_tails(z[known], np.maximum(skewness[known], 0.0))
    return tails


def two_sided(z: Floats, skewness: Floats) -> Floats:
    """Twice the smaller of both tails, at most 1."""
    return np.minimum(2.0 * np.fmin(upper_tails(z, skewness), upper_tails(-z, -skewness)), 1.0)


def moment(left: Floats, right: Floats, n: Any, ways: Mapping[str, tuple[Any, ...]]) -> Floats:
    """A moment of the product of two forms: bilinear in the means over the ways in which edges meet."""
    # All pairs of two lists: a thin matrix product.
    if left.ndim == 3 and np.ndim(n) == 0 and left.shape[1] == right.shape[0] == 1:
        moment: Floats = (left[:, 0] * weights(n, ways)) @ right[0].T
        return moment
    summed: Floats = np.einsum("...k,...k,...k->...", left, right, weights(n, ways))
    return summed
