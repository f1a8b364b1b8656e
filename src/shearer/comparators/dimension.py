"""Dependence by intrinsic dimension: variables that depend on each other fill fewer dimensions than they have."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shearer._validate import value_error
from shearer.comparators.inputs import Floats, compared, numbers, ranks, varies
from shearer.inference.permutation.resampling import check_count
from shearer.spectrum.request import seed_of

# Of the authors' code: less than any difference of ranks for n below a million.
_JITTER = 1e-6
# The two ranks next to one are equally far: of them alone the dimension of a column would be infinite.
_FEWEST_NEIGHBORS = 3


def idd(
    *data: Any,
    neighbors: int | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    rng: np.random.Generator | int | None = 0,
) -> float:
    """Compute the intrinsic dimensional dependency of two or more variables.

    (sum_i D(X_i) - D(X)) / (sum_i D(X_i) - max_i D(X_i)) for ranks divided by n. The intrinsic dimension D is the mean
    over rows of the maximum likelihood (Hill) estimate -1 / mean_j ln(d_j / d_k) from the distances d_1 ... d_k to the
    k nearest rows (Romano et al. 2016, "Measuring dependency via intrinsic dimensionality"; after the authors'
    published code, which takes k = 250 of 1000 rows). A coordinate with ties gets normal noise of standard deviation
    1e-6, as there; with many ties the estimate of the dimension is poor.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two or more variables of numbers, of shape (n,) or (n, d), or one table.
    neighbors : int, optional
        k, at least 3 and below the number of rows. Default: a quarter of the rows.
    groups, missing
        As in `shearer.entropy`.
    rng : int, Generator or None, default 0
        Source of the noise on ties.

    Returns
    -------
    float
        In the limit of many rows 0 for independent variables, whose dimensions add up, and 1 if all variables are
        determined by the one of the largest dimension. Independent variables score well above 0 in finite samples.
        Constant variables are left out; 0 if fewer than two are not constant.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x, y = np.random.default_rng(0).uniform(size=(2, 500))
    >>> round(sh.comparators.idd(x, x**2), 2), round(sh.comparators.idd(x, y), 2)
    (1.0, 0.18)
    """
    table = compared(data, groups, missing)
    n = table.rows
    if neighbors is None:
        neighbors = max(_FEWEST_NEIGHBORS, n // 4)
    check_count("neighbors", neighbors, _FEWEST_NEIGHBORS)
    if neighbors >= n:
        raise value_error("neighbors", f"fewer than the {n} rows", f"{neighbors}")
    generator = np.random.default_rng(seed_of(rng))
    varying = [block for block in map(numbers, table.variables) if varies(block)]
    if len(varying) < 2:
        return 0.0
    blocks = [_without_ties(ranks(block) / n, generator) for block in varying]
    single = [_dimension(block, neighbors) for block in blocks]
    total = sum(single)
    return (total - _dimension(np.hstack(blocks), neighbors)) / (total - max(single))


def _without_ties(values: Floats, rng: np.random.Generator) -> Floats:
    noise = _JITTER * rng.normal(size=values.shape)
    tied = np.any(np.diff(np.sort(values, axis=0), axis=0) == 0, axis=0)
    moved: Floats = values + np.where(tied, noise, 0.0)
    return moved


def _dimension(values: Floats, neighbors: int) -> float:
    """Mean over rows of the Hill estimate from the distances to the nearest other rows."""
    from scipy.spatial import KDTree

    distances = KDTree(values).query(values, k=neighbors + 1)[0][:, 1:]
    logs = np.log(distances)
    return float(np.mean(neighbors / np.sum(logs[:, -1:] - logs, axis=1)))
