"""Is there a term of all of four or more variables: dependence that no model of fewer of them explains?

The three-way test (`shearer.inference.threeway.term`) for larger sets. A model of smaller sets says that log p is a sum
of functions of all variables but one each. Numbers are cut into classes of their normal scores, the model is fitted
with polynomials, and products of bounded functions of all variables are tested by their scores: of ranks, since
products of four normal scores have tails that no few hundred rows bring to a normal law. Where few polynomials reject,
more are fitted, then all functions of coarser classes, and the largest p-value counts.
"""

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from shearer._threads import single_threaded_blas
from shearer.data.variables import Variable
from shearer.inference.threeway.axes import Axis, axis_of
from shearer.inference.threeway.contingency import count_test, fit_margins, unpaired
from shearer.inference.threeway.term import ThreeWay, score_test, small_addition

Floats = NDArray[np.float64]

#: Cells of a table at most: four variables have eight classes each, five six, six four. An even number of classes: the
#: middle one of few has most of the rows, and no sign.
MOST_CELLS = 8000
#: Classes of the table whose every function of fewer variables is fitted.
COARSE = 4
#: Functions of one variable in the products that are tested, and how many of these products may have a second one.
_FUNCTIONS, _SECONDS = 2, 1
# Largest degree of one function, and of a product beyond one for each variable: of pairs, of larger parts; by stages.
_STAGES = (((3, 2), (2, 1)), ((3, 4), (2, 3)), ((5, 8), (3, 6)))
# Rows for each parameter that a stage may have.
_ROWS_A_PARAMETER = 4
# A p-value above needs no richer model: it could only be raised.
_ENOUGH = 0.1
# Of Newton's method: steps, the gain of the log-likelihood over all rows at which it ends, and the ridge of parameters.
_STEPS, _CONVERGED, _RIDGE = 40, 1e-2, 1e-2
_LARGEST = 50.0


def set_term(variables: Sequence[Variable], seed: int = 0) -> ThreeWay:
    """Test four or more variables for a term of all of them; three are tested by `three_way`.

    Parameters
    ----------
    variables : sequence of Variable
        Without gaps.
    seed : int
        Of tables that are drawn where labels are too rare for a formula.

    Examples
    --------
    >>> from shearer.data import read
    >>> rng = np.random.default_rng(0)
    >>> a, b, c, e = rng.normal(size=(4, 500))
    >>> found = set_term(read(a, b, c, np.sign(a * b * c) * np.abs(e)).variables)
    >>> found.pvalue < 1e-9, found.added > 0.3
    (True, True)
    >>> set_term(read(a, b, c, a + b + c + e).variables).pvalue > 0.05  # a normal law: its pairs tell all
    True
    """
    with single_threaded_blas():
        return _of_axes(*set_axes(variables), seed)


def set_axes(variables: Sequence[Variable]) -> tuple[list[Axis], list[Axis]]:
    """Variables as axes of a table of all of them, and as axes of a coarser one."""
    rows, count = variables[0].rows, len(variables)
    most = int(MOST_CELLS ** (1 / count)) // 2 * 2
    classes = min(round(1.1 * rows**0.26) * 2, most)
    fine = [axis_of(variable, classes, most, 1) for variable in variables]
    return fine, [axis_of(variable, min(COARSE, classes), min(COARSE, most), 1) for variable in variables]


def _of_axes(axes: Sequence[Axis], coarse: Sequence[Axis], seed: int) -> ThreeWay:
    rows = len(axes[0].codes)
    if min(len(axis.basis) for axis in axes) < 2:
        return ThreeWay(0.0, 1.0, 0, 0.0, 0.0)
    table = _counts(axes)
    if all(axis.saturated for axis in axes) and table.size <= 3 ** len(axes):
        return ThreeWay(*count_test(table, seed))
    observed = table / rows
    tested = joint_products([rank_functions(axis) for axis in axes])
    fit, found = None, []
    for place, stage in enumerate(_STAGES):
        functions = np.stack([own.ravel() for own in _lower_functions(axes, stage)])
        if place and len(functions) * _ROWS_A_PARAMETER > rows:
            break
        fit = _Fit(observed, functions, rows, None if fit is None else fit)
        found.append(score_test(observed, fit.fitted, fit.residuals(tested), rows))
        if found[-1].pvalue > _ENOUGH:
            break
    if found[-1].pvalue <= _ENOUGH:
        shares = _counts(coarse) / rows
        fitted = fit_margins(shares[None])[0]
        products = joint_products([rank_functions(axis) for axis in coarse])
        found.append(score_test(shares, fitted, unpaired(products, fitted), rows))
    weakest = max(found, key=lambda one: one.pvalue)
    if weakest.pvalue > _ENOUGH or fit is None:
        return ThreeWay(*weakest, *small_addition(weakest, rows))
    whole = _Fit(observed, np.concatenate([fit.functions, tested.reshape(len(tested), -1)]), rows, fit)
    seen = observed > 0
    shares, ratios = observed[seen], np.log2(whole.fitted[seen] / fit.fitted[seen])
    mean = float(shares @ ratios)
    error = math.sqrt(max(float(shares @ ratios**2) - mean**2, 0.0) / rows)
    return ThreeWay(*weakest, mean - len(tested) / (2 * rows * math.log(2.0)), error)


def _counts(axes: Sequence[Axis]) -> Floats:
    shape = tuple(len(axis.basis) for axis in axes)
    place = np.ravel_multi_index([axis.codes for axis in axes], shape)
    return np.bincount(place, minlength=math.prod(shape)).reshape(shape).astype(np.float64)


def rank_functions(axis: Axis) -> Floats:
    """Two bounded functions of the classes, orthonormal over the rows and to 1: of labels, or of ranks.

    Examples
    --------
    >>> from shearer.data import read
    >>> axis = axis_of(read(np.arange(90.0)).variables[0], 8)
    >>> found = rank_functions(axis)
    >>> np.abs((found.T * axis.shares @ found).round(6)).tolist(), bool(np.abs(found).max() < 2.3)
    ([[1.0, 0.0], [0.0, 1.0]], True)
    """
    if axis.saturated:
        return axis.tested[:, :_FUNCTIONS]
    first = axis.functions(1)[:, 0]  # rises along the classes of a number, or of the first coordinate of a vector
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.cumsum(axis.shares[order]) - axis.shares[order] / 2
    columns, roots = [np.ones(len(rank)), rank, rank**2], np.sqrt(axis.shares)
    found, _ = np.linalg.qr(np.stack(columns, axis=1) * roots[:, None])
    functions: Floats = found[:, 1:] / roots[:, None]
    return functions


def joint_products(functions: Sequence[Floats]) -> Floats:
    """Products of one function of every variable, of which at most one is a second function; (products, *shape)."""
    chosen = [
        choice
        for choice in product(*(range(own.shape[1]) for own in functions))
        if sum(place > 0 for place in choice) <= _SECONDS
    ]
    return np.stack(
        [
            reduce(np.multiply.outer, [own[:, place] for own, place in zip(functions, choice, strict=True)])
            for choice in chosen
        ]
    )


def _lower_functions(axes: Sequence[Axis], stage: tuple[tuple[int, int], tuple[int, int]]) -> Iterator[Floats]:
    """1, all functions of single variables, and products of functions of two to all but one, up to some degrees."""
    shape = tuple(len(axis.basis) for axis in axes)
    yield np.ones(shape)
    for place, axis in enumerate(axes):
        for own in axis.basis[:, 1:].T:
            yield np.broadcast_to(_along(own, place, len(axes)), shape)
    for size in range(2, len(axes)):
        highest, beyond = stage[0] if size == 2 else stage[1]
        for members in combinations(range(len(axes)), size):
            columns = [_columns(axes[place], highest, pair=size == 2) for place in members]
            for choice in product(*columns):
                if sum(int(axes[p].degrees[c]) for p, c in zip(members, choice, strict=True)) > size + beyond:
                    continue
                parts = [_along(axes[p].basis[:, c], p, len(axes)) for p, c in zip(members, choice, strict=True)]
                yield np.broadcast_to(reduce(np.multiply, parts), shape)


def _columns(axis: Axis, highest: int, *, pair: bool) -> list[int]:
    """Functions up to a degree; of labels in sets of three and more those that are tested."""
    chosen = (axis.degrees >= 1) & (axis.degrees <= highest)
    if axis.saturated and not pair:
        chosen &= axis.leading
    return np.flatnonzero(chosen).tolist()


def _along(values: Floats, place: int, count: int) -> Floats:
    return values.reshape([-1 if axis == place else 1 for axis in range(count)])


class _Fit:
    """The log-linear model of greatest likelihood with given functions of the cells.

    Parameters
    ----------
    observed : array
        Share of every cell.
    functions : array (m, cells)
        Of which the logarithm is a sum, beside those of the product of the margins.
    rows : int
        Observations.
    start : _Fit, optional
        A fit with the first of these functions, or others.
    """

    def __init__(self, observed: Floats, functions: Floats, rows: int, start: "_Fit | None") -> None:
        self.functions, self._shape = functions, observed.shape
        cells, ridge = observed.ravel(), _RIDGE / rows
        count = observed.ndim
        singles = [observed.sum(axis=tuple(set(range(count)) - {place})) for place in range(count)]
        logs = sum(_along(np.log(own), place, count) for place, own in enumerate(singles))
        base = np.broadcast_to(logs, observed.shape).ravel()
        wanted = functions @ cells
        weights: Floats = np.zeros(len(functions))
        if start is not None and np.array_equal(start.functions, functions[: len(start.functions)]):
            weights[: len(start.functions)] = start.weights

        def loss(weights: Floats) -> float:
            logs = np.minimum(base + weights @ functions, _LARGEST)
            return float(np.exp(logs).sum() - wanted @ weights + ridge / 2 * weights @ weights)

        current = loss(weights)
        for _ in range(_STEPS):
            fitted = np.exp(np.minimum(base + weights @ functions, _LARGEST))
            gradient = wanted - functions @ fitted - ridge * weights
            information = (functions * fitted) @ functions.T
            information[np.diag_indices(len(weights))] += ridge
            self._factor = cho_factor(information)
            step = cho_solve(self._factor, gradient)
            gain = float(gradient @ step)
            if gain * rows < _CONVERGED:
                break
            length = 1.0
            while loss(weights + length * step) > current - 1e-4 * length * gain and length > 1e-6:
                length /= 2
            weights = weights + length * step
            current = loss(weights)
        self.weights: Floats = weights
        law = np.exp(np.minimum(base + weights @ functions, _LARGEST))
        self.fitted: Floats = (law / law.sum()).reshape(observed.shape)

    def residuals(self, values: Floats) -> Floats:
        """Functions of the cells less their projections on the model's functions, in the fitted law."""
        flat = values.reshape(len(values), -1)
        weights = cho_solve(self._factor, (self.functions * self.fitted.ravel()) @ flat.T)
        found: Floats = (flat - weights.T @ self.functions).reshape(values.shape)
        return found
