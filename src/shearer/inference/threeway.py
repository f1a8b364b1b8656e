"""Is there a three-way term: dependence of three variables that no model of their pairs explains?

A model of pairs says log p(a, b, c) = f(a, b) + g(a, c) + h(b, c). Numbers are cut into narrow classes of their normal
scores, the model is fitted with polynomials of two variables each, and products of functions of all three are tested
by their scores. Where few polynomials are rejected, more are fitted, and the largest p-value counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shearer._blocks import Variable
from shearer.inference.axes import Axis, axis_of
from shearer.inference.contingency import test_counts
from shearer.inference.loglinear import PairwiseFit, PairwiseFunctions, fit_pairwise, lift

Floats = NDArray[np.float64]

# Degrees of polynomials that are fitted, from few rows and from many on.
DEGREES = (3, 5, 7, 9, 11)
# Rows for each parameter of a pair that a model may have.
_ROWS_A_PARAMETER = 2
# A p-value above needs no richer model: it could only be raised.
_ENOUGH = 0.1
# Cells of a table, at most.
_MOST_CELLS = 60_000
# Directions of the scores that vary less than this part of the largest are none.
_FLAT = 1e-6
# Steps of Newton's method for a tilt, and its largest coefficient.
_TILTS, _STEEPEST = 30, 12.0


@dataclass(frozen=True)
class ThreeWay:
    """What is known of a three-way term.

    Attributes
    ----------
    statistic : float
        Of the score test, or of the table.
    pvalue : float
        Chance of as much if a model of pairs holds; 1 where there is nothing to test.
    degrees : int
        Products of functions that were tested.
    added : float
        Bits a row by which the products improve on the best model of pairs, less what they would by chance.
    error : float
        Standard error of `added`.
    """

    statistic: float
    pvalue: float
    degrees: int
    added: float
    error: float


def three_way(variables: Sequence[Variable], seed: int = 0) -> ThreeWay:
    """Test three variables for a three-way term.

    Parameters
    ----------
    variables : sequence of Variable
        Three of them, without gaps.
    seed : int
        Of tables that are drawn where labels are too rare for a formula.

    Examples
    --------
    >>> from shearer._variables import read_variables
    >>> rng = np.random.default_rng(0)
    >>> a, b, e = rng.normal(size=(3, 300))
    >>> three_way(read_variables(a, b, a + b + e).items).pvalue > 0.05  # a normal law: its pairs tell all
    True
    >>> found = three_way(read_variables(a, b, a * b + e).items)
    >>> found.pvalue < 1e-6, found.added > 0.05
    (True, True)
    """
    rows = len(variables[0].blocks[0].values)
    axes = [axis_of(variable, round(4.0 * rows**0.2)) for variable in variables]
    shape = tuple(len(axis.basis) for axis in axes)
    if min(shape) < 2:
        return ThreeWay(0.0, 1.0, 0, 0.0, 0.0)
    counts = np.bincount(np.ravel_multi_index([axis.codes for axis in axes], shape), minlength=math.prod(shape))
    table = counts.reshape(shape).astype(np.float64)
    if all(axis.saturated for axis in axes):
        return ThreeWay(*test_counts(table, seed))
    return _by_scores(table / rows, axes, rows)


def _by_scores(observed: Floats, axes: Sequence[Axis], rows: int) -> ThreeWay:
    chosen = [axis.tested for axis in axes]
    products = [
        np.multiply.outer(np.multiply.outer(a, b), c) for a, b, c in product(*(functions.T for functions in chosen))
    ]
    found: list[ThreeWay] = []
    fit: PairwiseFit | None = None
    for degree in DEGREES:
        functions = PairwiseFunctions.of(axes, degree)
        parameters = sum(functions.sizes[4:])
        if fit is not None and (parameters * _ROWS_A_PARAMETER > rows or functions.sizes == fit.functions.sizes):
            break
        start = None if fit is None else lift(fit.weights, fit.functions, functions)
        richer = fit_pairwise(observed, functions, rows, start)
        needed = fit is None or 2 * rows * (richer.likelihood - fit.likelihood) > 2 * (
            len(richer.weights) - len(fit.weights)
        )
        fit = richer
        found.append(_score_test(observed, fit, products, rows))
        if found[-1].pvalue > _ENOUGH or not needed:
            break
    return max(found, key=lambda one: one.pvalue)


def _score_test(observed: Floats, fit: PairwiseFit, products: Sequence[Floats], rows: int) -> ThreeWay:
    """The score test of products in a fitted model of pairs, and how much a tilt by them improves on it."""
    residuals = np.stack([fit.residual(values).ravel() for values in products], axis=1)
    fitted, seen = fit.fitted.ravel(), observed.ravel()
    spread = (residuals * fitted[:, None]).T @ residuals
    sizes, axes = np.linalg.eigh(spread)
    kept = sizes > _FLAT * sizes[-1]
    directions = residuals @ (axes[:, kept] / np.sqrt(sizes[kept]))
    scores = seen @ directions
    statistic, degrees = float(rows * scores @ scores), int(kept.sum())
    pvalue = float(special.chdtrc(degrees, statistic))
    gains = _tilt(directions, fitted, seen)
    mean = float(seen @ gains)
    error = math.sqrt(max(float(seen @ gains**2) - mean**2, 0.0) / rows)
    bits = math.log(2.0)
    return ThreeWay(statistic, pvalue, degrees, (mean - degrees / (2 * rows)) / bits, error / bits)


def _tilt(directions: Floats, fitted: Floats, seen: Floats) -> Floats:
    """log(p/q) of every cell, for the tilt p of a law q by functions of the cells that the observed ones fit best."""
    wanted, weights = seen @ directions, np.zeros(directions.shape[1])
    value = 0.0
    logs = np.zeros(len(fitted))
    for _ in range(_TILTS):
        law = fitted * np.exp(logs)
        mean = law @ directions
        information = (directions * law[:, None]).T @ directions - np.multiply.outer(mean, mean)
        step = np.linalg.solve(information + 1e-3 * np.eye(len(weights)), wanted - mean)
        gain, length = float((wanted - mean) @ step), 1.0
        if gain < 1e-9:
            break
        while True:
            trial = weights + length * step
            moved = directions @ trial
            moved -= np.log(fitted @ np.exp(np.minimum(moved, 500.0)))
            if float(seen @ moved) >= value or length < 1e-4:
                break
            length /= 2
        if np.abs(trial).max() > _STEEPEST or float(seen @ moved) < value:
            break
        weights, logs, value = trial, moved, float(seen @ moved)
    return logs
