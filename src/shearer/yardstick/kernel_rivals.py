"""Tests by kernels, distances, neighbours and grids, of two variables or more."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.comparators.matrices import centered, kernel_matrices
from shearer.data import read
from shearer.inference import permutation_test
from shearer.inference.pvalue import rank_pvalue
from shearer.kernels import Gaussian
from shearer.yardstick.rank_rivals import RESAMPLES

Floats = NDArray[np.float64]
#: Of slow statistics: permutations, and how many as large as the data end them (Besag and Clifford 1991).
SLOW_RESAMPLES, _EXCEEDANCES = 99, 10
_NARROW = 1 / 3


def permuted(statistic: Callable[..., float], slow: bool = False) -> Callable[..., float]:
    """The permutation test of a comparator."""

    def pvalue(*variables: Any, rng: int = 0) -> float:
        count, stop = (SLOW_RESAMPLES, _EXCEEDANCES) if slow else (RESAMPLES, None)
        found = permutation_test(*variables, statistic=statistic, n_resamples=count, exceedances=stop, rng=rng)
        return float(found.pvalue)

    return pvalue


def narrow_hsic_pvalue(x: Any, y: Any, rng: int = 0) -> float:
    """HSIC by permutation, its kernels of a third of the median width: for relations that turn often."""
    table = read(x, y)
    kernels = {
        name: Gaussian(_NARROW * Gaussian().width(column.reshape(table.rows, -1)))
        for name, column in zip(table.names, (x, y), strict=True)
        if column.dtype.kind not in "US"
    }
    left, right = kernel_matrices(table, kernels)
    left = centered(left)
    g = np.random.default_rng(rng)
    null = []
    for _ in range(RESAMPLES):
        order = g.permutation(table.rows)
        null.append(float(np.vdot(left, right[np.ix_(order, order)])))
    return rank_pvalue(null, float(np.vdot(left, right)))


def hsic_gamma_pvalue(x: Any, y: Any) -> float:
    """HSIC against the gamma law of its first two moments (Gretton et al. 2008), without permutations."""
    from scipy.special import gammaincc

    left, right = kernel_matrices(read(x, y))
    n = len(left)
    if n < 6:
        return 1.0
    product = centered(left) * centered(right)
    means = [(np.sum(kernel) - np.trace(kernel)) / (n * (n - 1)) for kernel in (left, right)]
    mean = (1 + means[0] * means[1] - means[0] - means[1]) / n
    squares = (product / 6) ** 2
    variance = (np.sum(squares) - np.trace(squares)) / (n * (n - 1))
    variance *= 72 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    if mean <= 0 or variance <= 0:
        return 1.0
    shape, scale = mean**2 / variance, variance * n / mean
    return float(gammaincc(shape, np.sum(product) / n / scale))


def mgc_pvalue(x: Any, y: Any, rng: int = 0) -> float:
    """Multiscale graph correlation as scipy has it, by permutation."""
    from scipy.stats import multiscale_graphcorr

    x, y = (column.reshape(len(column), -1) for column in (x, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few permutations
        return float(multiscale_graphcorr(x, y, reps=SLOW_RESAMPLES, random_state=rng).pvalue)


def normal_tail(statistic: Callable[..., float]) -> Callable[..., float]:
    """The p-value of a statistic that is standard normal under independence."""

    def pvalue(*variables: Any) -> float:
        from scipy.special import ndtr

        return float(ndtr(-statistic(*variables)))

    return pvalue
