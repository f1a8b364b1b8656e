"""Is there a three-way term: dependence of three variables that no model of their pairs explains?

A model of pairs says log p(a, b, c) = f(a, b) + g(a, c) + h(b, c). Numbers are cut into narrow classes of their normal
scores, the model is fitted with polynomials of two variables each, and products of functions of all three are tested
by their scores. Where few polynomials are rejected, more are fitted, and the largest p-value counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shearer._threads import single_threaded_blas
from shearer.data.variables import Variable
from shearer.inference.threeway.axes import Axis, axes_of
from shearer.inference.threeway.contingency import count_test, fit_margins, unpaired
from shearer.inference.threeway.loglinear import PairwiseFit, PairwiseFunctions, fit_pairwise, lift, moments
from shearer.pairs import limits

Floats = NDArray[np.float64]

#: Degrees of polynomials that are fitted, one after the other while they are needed; after them, free classes.
DEGREES = (3, 5, 7)
# Rows for each parameter of a pair that a model may have.
_ROWS_A_PARAMETER = 4
# A p-value above needs no richer model: it could only be raised.
_ENOUGH = 0.1
# Directions of the scores that vary less than this part of the largest are none.
_FLAT = 1e-6
_TINY = 1e-9
# Values of functions that are worked on at a time.
_BAND = 2**21
# Copies of what functions are in all cells, and of the table of cells, that are held at once.
_COPIES, _TABLES = 2.5, 10
# Cells of a table of labels whose every three-way term is tested; of larger ones those of the most frequent levels.
_MOST_COUNTED = 125
# In a bit.
_NATS = math.log(2.0)


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


class Scores(NamedTuple):
    """Statistic, p-value and degrees of freedom."""

    statistic: float
    pvalue: float
    degrees: int


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
    >>> from shearer.data import read
    >>> rng = np.random.default_rng(0)
    >>> a, b, e = rng.normal(size=(3, 300))
    >>> three_way(read(a, b, a + b + e).variables).pvalue > 0.05  # a normal law: its pairs tell all
    True
    >>> found = three_way(read(a, b, a * b + e).variables)
    >>> found.pvalue < 1e-6, found.added > 0.05
    (True, True)
    """
    with single_threaded_blas():  # many small steps: threads would wait for each other
        return three_way_of_axes(axes_of(variables, seed), seed)


def bytes_needed(axes: Sequence[Axis]) -> int:
    """What `three_way_of_axes` takes at most: values of the functions that are tested, in every cell."""
    cells = math.prod(len(axis.basis) for axis in axes)
    tested = math.prod(axis.tested.shape[1] for axis in axes)
    return 8 * int(cells * (_COPIES * tested + _TABLES) + 4 * min(_BAND, tested * cells))


def three_way_of_axes(axes: Sequence[Axis], seed: int = 0) -> ThreeWay:
    """Test three variables that are axes already, as `three_way` does."""
    rows = len(axes[0].codes)
    shape = tuple(len(axis.basis) for axis in axes)
    if min(shape) < 2:
        return ThreeWay(0.0, 1.0, 0, 0.0, 0.0)
    counts = np.bincount(np.ravel_multi_index([axis.codes for axis in axes], shape), minlength=math.prod(shape))
    table = counts.reshape(shape).astype(np.float64)
    if all(axis.saturated for axis in axes) and table.size <= _MOST_COUNTED:
        return ThreeWay(*count_test(table, seed))
    return _by_scores(table / rows, axes, rows)


def _by_scores(observed: Floats, axes: Sequence[Axis], rows: int) -> ThreeWay:
    chosen = product(*(axis.tested.T for axis in axes))
    products = np.stack([np.multiply.outer(np.multiply.outer(a, b), c) for a, b, c in chosen])
    fit = fit_pairwise(observed, PairwiseFunctions.of(axes, DEGREES[0]), rows)
    found = [score_test(observed, fit.fitted, fit.residuals(products), rows)]
    for degree in DEGREES[1:]:
        functions = PairwiseFunctions.of(axes, degree)
        if found[-1].pvalue > _ENOUGH or sum(functions.sizes[4:]) * _ROWS_A_PARAMETER > rows:
            break
        richer = fit_pairwise(observed, functions, rows, lift(fit.weights, fit.functions, functions))
        if rows * (richer.likelihood - fit.likelihood) < len(richer.weights) - len(fit.weights):
            break  # by Akaike's criterion
        fit = richer
        found.append(score_test(observed, fit.fitted, fit.residuals(products), rows))
    if found[-1].pvalue <= _ENOUGH:
        fitted = fit_margins(observed[None])[0]
        found.append(score_test(observed, fitted, unpaired(products, fitted), rows))
    weakest = max(found, key=lambda one: one.pvalue)
    if len(found) == 1:
        return ThreeWay(*weakest, *small_addition(weakest, rows))
    last = found[-2]  # of polynomials; what free classes leave of its statistic is not a matter of its degree
    share = min(1.0, max(0.0, (weakest.statistic - weakest.degrees) / max(last.statistic - last.degrees, _TINY)))
    added, error = _added(observed, fit, products, rows)
    return ThreeWay(*weakest, share * added, share * error)


def small_addition(scores: Scores, rows: int) -> tuple[float, float]:
    """Bits a row that a small three-way term adds beyond chance, and their error: half the statistic of its scores."""
    excess = scores.statistic - scores.degrees
    error = math.sqrt(2 * scores.degrees + 4 * max(excess, 0.0))
    return excess / (2 * rows * _NATS), error / (2 * rows * _NATS)


def score_test(observed: Floats, fitted: Floats, residuals: Floats, rows: int) -> Scores:
    """The score test of functions of the cells that are orthogonal to a fitted model of pairs."""
    flat, law = residuals.reshape(len(residuals), -1), fitted.ravel()
    sizes, axes = np.linalg.eigh(moments(flat, law))
    kept = sizes > _FLAT * sizes[-1]
    scores = (flat @ (observed.ravel() - law) @ axes[:, kept]) / np.sqrt(sizes[kept])
    statistic, degrees = float(rows * scores @ scores), int(kept.sum())
    return Scores(statistic, max(float(special.chdtrc(degrees, statistic)), limits.SMALLEST_PVALUE), degrees)


def _added(observed: Floats, fit: PairwiseFit, products: Floats, rows: int) -> tuple[float, float]:
    """Bits a row by which products improve on a model of pairs, less what they would by chance; and the error."""
    functions = replace(fit.functions, others=products)
    whole = fit_pairwise(observed, functions, rows, lift(fit.weights, fit.functions, functions))
    seen = observed > 0
    shares, ratios = observed[seen], np.log2(whole.fitted[seen] / fit.fitted[seen])
    mean = float(shares @ ratios)
    error = math.sqrt(max(float(shares @ ratios**2) - mean**2, 0.0) / rows)
    return mean - len(products) / (2 * rows * _NATS), error
