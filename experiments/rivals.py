"""Statistics of other tests, for the power study: HSIC, distance correlation, mHSIC and xHSIC.

Formulas: Gretton et al. 2008 (HSIC, median width); Székely, Rizzo and Bakirov 2007 (dCor); the martingale test of
arXiv 2605.22549 as given in the design notes, t_i = sum_{j<i} (K~ o L~)_ij with T = sum t_i / sqrt(sum t_i^2) (mHSIC);
Shekhar, Kim and Ramdas 2022 (xHSIC, cross-centred halves, studentised). The last two are compared with a normal tail.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.spatial.distance import cdist

from shearer.inference.pvalue import rank_pvalue

Floats = NDArray[np.float64]


def distances(x: Floats) -> Floats:
    x = np.asarray(x, dtype=float).reshape(len(x), -1)
    return cdist(x, x)


def gaussian(x: Floats) -> Floats:
    d = distances(x)
    width = np.median(d[d > 0]) if (d > 0).any() else 1.0
    return np.exp(-(d**2) / (2 * width**2))


def centred(matrix: Floats) -> Floats:
    return matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()


def permuted(left: Floats, right: Floats, resamples: int, rng: np.random.Generator) -> float:
    """p-value of sum(left * right) with rows and columns of `right` permuted."""
    orders = [rng.permutation(len(right)) for _ in range(resamples)]
    null = np.array([np.vdot(left, right[np.ix_(order, order)]) for order in orders])
    return rank_pvalue(null, float(np.vdot(left, right)))


def hsic(x: Floats, y: Floats, resamples: int, rng: np.random.Generator) -> float:
    return permuted(centred(gaussian(x)), gaussian(y), resamples, rng)


def dcor(x: Floats, y: Floats, resamples: int, rng: np.random.Generator) -> float:
    return permuted(centred(distances(x)), distances(y), resamples, rng)


def mhsic(x: Floats, y: Floats) -> float:
    both = np.tril(centred(gaussian(x)) * centred(gaussian(y)), -1)
    steps = both.sum(axis=1)[1:]
    return float(special.ndtr(-steps.sum() / np.sqrt(np.sum(steps**2))))


def xhsic(x: Floats, y: Floats) -> float:
    """Half of the rows against the other half: h_i = mean over j of the product of cross-centred kernels."""
    k, ell = gaussian(x), gaussian(y)
    half = len(k) // 2
    a, b = k[:half, half : 2 * half], ell[:half, half : 2 * half]
    a = a - a.mean(axis=1, keepdims=True) - a.mean(axis=0) + a.mean()
    b = b - b.mean(axis=1, keepdims=True) - b.mean(axis=0) + b.mean()
    h = (a * b).mean(axis=1)
    return float(special.ndtr(-np.sqrt(half) * h.mean() / h.std(ddof=1)))
