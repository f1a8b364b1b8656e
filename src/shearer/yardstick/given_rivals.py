"""Tests of two variables given others, of three variables, and of two groups, beside which ours are judged."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._optional import load
from shearer._validate import value_error
from shearer.comparators import distance_correlation, pearson, spearman
from shearer.inference.pvalue import rank_pvalue

Floats = NDArray[np.float64]
# Ridges among which the error of rows left out decides, as shares of the trace of the kernel.
_RIDGES = 10.0 ** np.arange(-5, 2)
_GROUP_RESAMPLES = 99


def _columns(values: Any) -> Floats:
    array: Floats = np.asarray(values, dtype=float).reshape(len(values), -1)
    return array


def _two_sided(statistic: float) -> float:
    from scipy.special import ndtr

    return float(2 * ndtr(-abs(statistic)))


def partial_correlation_pvalue(x: Any, y: Any, given: Any) -> float:
    """Correlation of what linear regressions on the conditions leave, against t with n - 2 - d degrees of freedom."""
    from scipy.special import stdtr

    z = np.column_stack([np.ones(len(x)), _columns(given)])
    left, right = (_scalar(column) - z @ np.linalg.lstsq(z, _scalar(column), rcond=None)[0] for column in (x, y))
    free = len(x) - 2 - (np.linalg.matrix_rank(z) - 1)
    r = float(np.clip(left @ right / np.sqrt((left @ left) * (right @ right)), -1 + 1e-15, 1 - 1e-15))
    return float(2 * stdtr(free, -abs(r) * np.sqrt(free / (1 - r * r))))


def _scalar(values: Any) -> Floats:
    column = _columns(values)
    if column.shape[1] > 1:
        raise value_error("variables", "one column each", f"{column.shape[1]} columns")
    return column[:, 0]


def gcm_pvalue(x: Any, y: Any, given: Any) -> float:
    """Generalised covariance measure (Shah and Peters 2020): mean product of residuals against its error.

    Regressions are kernel ridges of median width, the ridge chosen by the error of rows left out. Of several columns
    the largest of all pairs counts, times their number.
    """
    residuals = [_kernel_residuals(_columns(given), _columns(part)) for part in (x, y)]
    pvalues = []
    for left in residuals[0].T:
        for right in residuals[1].T:
            product = left * right
            spread = product.std()
            pvalues.append(1.0 if spread == 0 else _two_sided(np.sqrt(len(product)) * product.mean() / spread))
    return min(1.0, len(pvalues) * min(pvalues))


def _kernel_residuals(z: Floats, targets: Floats) -> Floats:
    """What a Gaussian kernel ridge on z leaves of each target."""
    from scipy.spatial.distance import cdist

    spread = z.std(axis=0)
    scaled = (z - z.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    distance = cdist(scaled, scaled)
    width = np.median(distance[np.triu_indices(len(z), 1)]) or 1.0
    values, vectors = np.linalg.eigh(np.exp(-((distance / width) ** 2) / 2))
    values = np.maximum(values, 0.0)
    found = []
    for target in (targets - targets.mean(axis=0)).T:
        best, chosen = np.inf, target
        for ridge in _RIDGES * len(z) / 10:
            shrunk = values / (values + ridge)
            residual = target - vectors @ (shrunk * (vectors.T @ target))
            leverage = (vectors**2) @ shrunk
            error = float(np.mean((residual / (1 - np.minimum(leverage, 1 - 1e-9))) ** 2))
            if error < best:
                best, chosen = error, residual
        found.append(chosen - chosen.mean())
    return np.column_stack(found)


def causal_learn_pvalue(name: str) -> Callable[..., float]:
    """A test of causal-learn at its defaults, which takes single columns x and y."""

    def pvalue(x: Any, y: Any, given: Any, rng: int = 0) -> float:
        module = load("causallearn.utils.cit", f"the test {name}")
        data = np.column_stack([_scalar(x), _scalar(y), _columns(given)])
        np.random.seed(rng)  # noqa: NPY002 - what causal-learn draws from
        return float(module.CIT(data, name)(0, 1, list(range(2, data.shape[1]))))

    return pvalue


def product_term_pvalue(a: Any, b: Any, c: Any) -> float:
    """The product term of linear regressions, each of three numbers on the other two: the smallest p, times three."""
    from scipy.special import stdtr

    columns = [_scalar(part) for part in (a, b, c)]
    columns = [(part - part.mean()) / (part.std() or 1.0) for part in columns]
    pvalues = []
    for k in range(3):
        one, other = (columns[j] for j in range(3) if j != k)
        inputs = np.column_stack([np.ones(len(one)), one, other, one * other])
        weights = np.linalg.lstsq(inputs, columns[k], rcond=None)[0]
        residual = columns[k] - inputs @ weights
        free = len(one) - inputs.shape[1]
        error = np.sqrt(residual @ residual / free * np.linalg.pinv(inputs.T @ inputs)[3, 3])
        pvalues.append(float(2 * stdtr(free, -abs(weights[3] / error))) if error > 0 else 1.0)
    return min(1.0, 3 * min(pvalues))


def _parts(x: Any, y: Any, groups: Any) -> list[tuple[Floats, Floats]]:
    return [(_scalar(x)[groups == own], _scalar(y)[groups == own]) for own in np.unique(groups)]


def fisher_pearson_pvalue(x: Any, y: Any, groups: Any) -> float:
    """Difference of two correlations by Fisher's z."""
    return _fisher([(pearson(*part), len(part[0]), 1.0) for part in _parts(x, y, groups)])


def fisher_spearman_pvalue(x: Any, y: Any, groups: Any) -> float:
    """Difference of two rank correlations by Fisher's z, with the variance of Bonett and Wright (2000)."""
    found = [(spearman(*part), len(part[0])) for part in _parts(x, y, groups)]
    return _fisher([(r, n, 1 + r * r / 2) for r, n in found])


def _fisher(found: list[tuple[float, int, float]]) -> float:
    z = [np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)) for r, _, _ in found]
    return _two_sided((z[0] - z[1]) / np.sqrt(sum(factor / (n - 3) for _, n, factor in found)))


def permuted_groups_pvalue(x: Any, y: Any, groups: Any, rng: int = 0) -> float:
    """Difference of distance correlations of ranks within groups, rows dealt to groups anew."""
    from scipy.stats import rankdata

    parts = _parts(x, y, groups)
    ranks = np.concatenate([np.stack([rankdata(own) / len(own) for own in part]) for part in parts], axis=1)
    cut, g = len(parts[0][0]), np.random.default_rng(rng)

    def gap(order: Any) -> float:
        one, other = ranks[:, order[:cut]], ranks[:, order[cut:]]
        return abs(distance_correlation(*one) - distance_correlation(*other))

    observed = gap(np.arange(ranks.shape[1]))
    return rank_pvalue([gap(g.permutation(ranks.shape[1])) for _ in range(_GROUP_RESAMPLES)], observed)
