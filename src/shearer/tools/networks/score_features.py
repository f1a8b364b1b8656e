"""Few features of a column: ranks of numbers as normal scores under one wide Gaussian kernel, levels of labels.

A column of numbers becomes the normal quantiles of its ranks, so that all columns look alike and no unit or outlier
counts. The kernel is Gaussian, twice as wide as the median distance of two normal numbers. Its leading features under a
normal law are known in closed form (Mehler's expansion: Hermite polynomials times a Gaussian): the fourth has a share
of 0.005 of the spectrum and all that follow 0.001, so that four are kept. Each row is scaled to length 1: what they
span is a kernel of its own with a unit diagonal, which is all that matrix entropy asks for.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

Floats = NDArray[np.float64]

# Features of a number, and levels of a label: the most frequent ones, all others together as the last.
FEATURES = 4
MOST_LEVELS = 8
# Twice the median distance of two independent normal numbers.
WIDTH = 2.0 * math.sqrt(2.0) * float(ndtri(0.75))


def normal_scores(values: Floats) -> Floats:
    """Normal quantiles of the ranks of each column, the mean rank for equal values.

    Parameters
    ----------
    values : array (n,) or (n, p)
        Numbers.

    Examples
    --------
    >>> normal_scores(np.array([5.0, 1.0, 80.0])).round(2)
    array([ 0.  , -0.97,  0.97])
    """
    found: Floats = ndtri((rankdata(values, axis=0) - 0.5) / len(values))
    return found


def score_features(scores: Floats) -> Floats:
    """Features of normal scores: one more axis of length four, rows of length 1.

    With the exponents a = 1/4 of the law and b = 1/(2 width^2) of the kernel, c = sqrt(a^2 + 2ab): the eigenfunctions
    are exp(-(c - a) z^2) H_k(sqrt(2c) z), with eigenvalues in the ratio b / (a + b + c).

    Parameters
    ----------
    scores : array
        Of any shape.

    Examples
    --------
    >>> F = score_features(np.array([0.0, 1.0, 3.0]))
    >>> (F @ F.T).round(2)  # 1, and what exp(-d^2 / (2 width^2)) is nearly
    array([[1.  , 0.87, 0.3 ],
           [0.87, 1.  , 0.6 ],
           [0.3 , 0.6 , 1.  ]])
    """
    a, b = 0.25, 1 / (2 * WIDTH**2)
    c = math.sqrt(a * a + 2 * a * b)
    ratio = b / (a + b + c)
    x = math.sqrt(2 * c) * np.asarray(scores, dtype=np.float64)
    # Hermite polynomials, orthonormal, by their recurrence; the exponential is the same for all, and so is its scale
    found = [np.ones_like(x), math.sqrt(2) * x]
    for k in range(2, FEATURES):
        found.append(math.sqrt(2 / k) * x * found[-1] - math.sqrt((k - 1) / k) * found[-2])
    features = np.stack([part * ratio ** (k / 2) for k, part in enumerate(found)], axis=-1)
    features /= np.linalg.norm(features, axis=-1, keepdims=True)
    return features


def level_features(codes: NDArray[np.integer]) -> tuple[Floats, int]:
    """Indicators of the levels of a label, shape (n, 8), and how many levels there are; unused ones are 0.

    Parameters
    ----------
    codes : array (n,)
        Whole numbers that stand for levels.

    Examples
    --------
    >>> indicators, levels = level_features(np.array([4, 7, 4]))
    >>> indicators[:, :2].tolist(), levels
    ([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], 2)
    """
    _, own, counts = np.unique(codes, return_inverse=True, return_counts=True)
    place = np.empty(len(counts), dtype=np.intp)
    place[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), MOST_LEVELS - 1)
    indicators = np.zeros((len(own), MOST_LEVELS))
    indicators[np.arange(len(own)), place[own.reshape(-1)]] = 1.0
    return indicators, min(len(counts), MOST_LEVELS)
