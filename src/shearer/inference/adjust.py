"""Chance adjustment: measures that are 0 in expectation for independent variables and 1 for copies."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shearer._threads import single_threaded_blas
from shearer._validate import check_option
from shearer.data import read
from shearer.inference.adjusted_scale import Chance
from shearer.kernels import Kernel, grams
from shearer.measures.registry import MEASURES, normalized_measures
from shearer.spectrum import Request


@single_threaded_blas()
def expected_by_chance(
    *data: Any,
    measure: str = "total_correlation",
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
) -> float:
    """Bits that a measure of these variables has on average once their rows are permuted independently.

    At alpha = 2 it comes from the exact mean and variance of the sums of products of squared kernels over all
    permutations (theory: chance adjustment); the logarithm is expanded to second order, within about 0.003 bits.

    Parameters
    ----------
    *data, kernel, groups, missing, memory
        As in `Dependence`.
    measure : str, default "total_correlation"
        Which measure, in bits; one that can be normalised, such as "mutual_information" or "dual_total_correlation".
    alpha : float, default 2
        Order of the entropy.
    n_resamples : int, optional
        Take the mean over so many random permutations instead; needed for every order but 2.
    rng, n_jobs
        Source of the permutations, and threads.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.inference.adjust import expected_by_chance
    >>> x, y = np.random.default_rng(0).normal(size=(2, 50))
    >>> exact, drawn = expected_by_chance(x, y), expected_by_chance(x, y, n_resamples=200)
    >>> abs(exact - drawn) < 0.01
    True
    """
    return _read(data, measure, alpha, kernel, groups, missing, memory, rng).chance(n_resamples, n_jobs)


@single_threaded_blas()
def adjusted_mutual_information(
    *data: Any,
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
) -> float:
    """Mutual information adjusted for chance, (I - E0) / ((I(x; x) + I(y; y)) / 2 - E0), E0 what chance gives.

    0 on average for independent variables of any sample size and width, 1 for y = c x + b, and at alpha = 2 never
    above 1 (Cauchy-Schwarz). Negative where the variables share less than chance gives. 0 if either is constant.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables.
    alpha, kernel, groups, missing, memory, n_resamples, rng, n_jobs
        As in `expected_by_chance`.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.inference.adjust import adjusted_mutual_information
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> round(adjusted_mutual_information(x, 3 - 2 * x), 9)
    1.0
    """
    found = _read(data, "mutual_information", alpha, kernel, groups, missing, memory, rng)
    return found.adjusted(n_resamples, n_jobs)


@single_threaded_blas()
def adjusted_total_correlation(
    *data: Any,
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
) -> float:
    """(T - E0) / (self - E0), `self` being the mean over variables of the T of as many copies of that variable.

    0 on average for independent variables, 1 for variables that are affine copies of one, and at alpha = 2 never above
    1 (Hölder). Of two variables it is the adjusted mutual information.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables.
    alpha, kernel, groups, missing, memory, n_resamples, rng, n_jobs
        As in `expected_by_chance`.
    """
    found = _read(data, "total_correlation", alpha, kernel, groups, missing, memory, rng)
    return found.adjusted(n_resamples, n_jobs)


@single_threaded_blas()
def adjusted_dual_total_correlation(
    *data: Any,
    alpha: float = 2.0,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
    n_resamples: int | None = None,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int | None = None,
) -> float:
    """(D - E0) / (self - E0), `self` being the mean over variables of the D of as many copies of that variable.

    0 on average for independent variables and 1 for affine copies. Unlike T it can exceed 1, since copies are not what
    makes D largest: three labels of which each is the exclusive or of the others come close to 2.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables.
    alpha, kernel, groups, missing, memory, n_resamples, rng, n_jobs
        As in `expected_by_chance`.
    """
    found = _read(data, "dual_total_correlation", alpha, kernel, groups, missing, memory, rng)
    return found.adjusted(n_resamples, n_jobs)


def _read(
    data: tuple[Any, ...],
    measure: str,
    alpha: float,
    kernel: Kernel | Mapping[str, Kernel] | None,
    groups: Mapping[str, Iterable[str]] | None,
    missing: str,
    memory: str | float | None,
    rng: np.random.Generator | int | None,
) -> Chance:
    """The variables' operators, checked."""
    check_option("measure", measure, normalized_measures())
    request = Request.checked(alpha, memory, None, rng)
    table = read(*data, groups=groups, missing=missing)
    MEASURES[measure].check_count(len(table.variables))
    return Chance(grams(table, kernel), measure, request)
