"""Log-linear models of three variables without a three-way term, fitted to a table of cells.

The logarithm of the share of a cell is a sum of functions of single variables, free in every class, and of products of
functions of two. Sums of such functions over a table need its margins of two variables only, and the information
matrix those of products with the third: nothing of the size cells times parameters is formed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from shearer.inference.threeway.axes import Axis

Floats = NDArray[np.float64]

# Of Newton's method; a shorter one than the last is none.
_STEPS, _SHORTEST = 60, 1e-6
# Logarithms of shares beyond are as bad as these: no overflow on the way.
_LARGEST = 50.0
# Part of the observations in one parameter: keeps estimates finite where cells are empty.
_RIDGE = 1e-2
# Gain of the log-likelihood in one step, over all rows, below which the fit is found.
_CONVERGED = 1e-2
# Values of functions that are worked on at a time.
_BAND = 2**21


@dataclass(frozen=True, eq=False)
class PairwiseFunctions:
    """1, functions of one variable, products of functions of two: what a model without three-way term is made of.

    Attributes
    ----------
    single : sequence of array (classes, classes - 1)
        Functions of each variable by itself.
    paired : sequence of array (classes, m)
        Functions of each variable that are multiplied with those of another.
    others : array (k, *shape)
        Functions of all three, where the model has any.
    """

    single: Sequence[Floats]
    paired: Sequence[Floats]
    others: Floats

    @classmethod
    def of(cls, axes: Sequence[Axis], degree: int) -> "PairwiseFunctions":
        """Products of functions up to a degree."""
        shape = tuple(len(axis.basis) for axis in axes)
        single, paired = [axis.basis[:, 1:] for axis in axes], [axis.functions(degree) for axis in axes]
        return cls(single, paired, np.empty((0, *shape)))

    @property
    def sizes(self) -> list[int]:
        """How many functions each part has: 1, the three variables, the pairs ab, ac, bc, all three."""
        a, b, c = (own.shape[1] for own in self.paired)
        return [1, *(own.shape[1] for own in self.single), a * b, a * c, b * c, len(self.others)]

    def sums(self, table: Floats) -> Floats:
        """Sums of all functions over a table of weights."""
        return np.concatenate([self._pair_sums(table), self.others.reshape(-1, table.size) @ table.ravel()])

    def _pair_sums(self, table: Floats) -> Floats:
        """Those of the functions of one variable or two."""
        ab, ac, bc = (table.sum(axis=axis) for axis in (2, 1, 0))
        single = [own.T @ margin for own, margin in zip(self.single, (ab.sum(1), ab.sum(0), ac.sum(0)), strict=True)]
        a, b, c = self.paired
        paired = [(a.T @ ab @ b).ravel(), (a.T @ ac @ c).ravel(), (b.T @ bc @ c).ravel()]
        return np.concatenate([[ab.sum()], *single, *paired])

    def combine(self, weights: Floats) -> Floats:
        """The sum of all functions with weights, in every cell."""
        one, alpha, beta, gamma, ab, ac, bc, others = np.split(weights, np.cumsum(self.sizes)[:-1])
        a, b, c = self.paired
        first, second, third = (own @ part for own, part in zip(self.single, (alpha, beta, gamma), strict=True))
        joint = a @ ab.reshape(a.shape[1], -1) @ b.T + first[:, None] + second[None, :] + one
        joint_ac = a @ ac.reshape(a.shape[1], -1) @ c.T
        joint_bc = b @ bc.reshape(b.shape[1], -1) @ c.T + third[None, :]
        found: Floats = joint[:, :, None] + joint_ac[:, None, :] + joint_bc[None, :, :]
        return found + np.tensordot(others, self.others, 1) if len(others) else found

    def information(self, table: Floats) -> Floats:
        """Sums of all products of two functions over a table of weights."""
        a, b, c = self.paired
        margins = {(0, 1): table.sum(axis=2), (0, 2): table.sum(axis=1), (1, 2): table.sum(axis=0)}
        with_c = (table.reshape(-1, table.shape[2]) @ c).reshape(*table.shape[:2], -1)
        with_a = np.tensordot(a, table, (0, 0))
        # Of each variable's classes: sums of the products of functions of the two others.
        beside = [
            b.T @ with_c,
            np.moveaxis(np.tensordot(a, with_c, (0, 0)), 1, 0),
            np.moveaxis(np.tensordot(with_a, b, (1, 0)), 1, 0),
        ]
        squares = [(own[:, :, None] * own[:, None, :]).reshape(len(own), -1) for own in self.paired]
        starts = np.cumsum([0, *self.sizes])
        parts = [slice(start, stop) for start, stop in pairwise(starts)]
        found = np.empty((starts[-1], starts[-1]))
        sums = self.sums(table)
        found[0] = sums
        for k, own in enumerate(self.single):
            share = (margins[(0, 1)].sum(1), margins[(0, 1)].sum(0), margins[(0, 2)].sum(0))[k]
            found[parts[1 + k], parts[1 + k]] = own.T * share @ own
        for (i, j), margin in margins.items():
            found[parts[1 + i], parts[1 + j]] = self.single[i].T @ margin @ self.single[j]
        pairs = ((0, 1), (0, 2), (1, 2))
        for place, (i, j) in enumerate(pairs):
            columns, (k,) = parts[4 + place], {0, 1, 2} - {i, j}
            sizes = self.paired[i].shape[1], self.paired[j].shape[1]
            found[parts[1 + k], columns] = self.single[k].T @ beside[k].reshape(len(beside[k]), -1)
            for one, margin in ((i, margins[(i, j)] @ self.paired[j]), (j, margins[(i, j)].T @ self.paired[i])):
                left, right = (self.paired[i], margin) if one == i else (margin, self.paired[j])
                found[parts[1 + one], columns] = self.single[one].T @ (left[:, :, None] * right[:, None, :]).reshape(
                    len(left), -1
                )
            block = (squares[i].T @ margins[(i, j)] @ squares[j]).reshape(sizes[0], sizes[0], sizes[1], sizes[1])
            found[columns, columns] = block.transpose(0, 2, 1, 3).reshape(math.prod(sizes), -1)
            for later, (p, q) in enumerate(pairs[place + 1 :], start=place + 1):
                found[columns, parts[4 + later]] = _crossed(squares, beside, (i, j), (p, q), self.paired)
        for place, own in enumerate(self.others, start=starts[-2]):
            found[: starts[-2], place] = self._pair_sums(own * table)
        found[parts[-1], parts[-1]] = moments(self.others.reshape(-1, table.size), table.ravel())
        upper = np.triu(found)
        whole: Floats = upper + np.triu(found, 1).T
        return whole


def _crossed(
    squares: Sequence[Floats],
    beside: Sequence[Floats],
    first: tuple[int, int],
    second: tuple[int, int],
    paired: Sequence[Floats],
) -> Floats:
    """Sums of products of functions of two pairs that share one variable."""
    (shared,) = {*first} & {*second}
    (one,), (other,) = {*first} - {shared}, {*second} - {shared}
    size = {k: paired[k].shape[1] for k in range(3)}
    block = squares[shared].T @ beside[shared].reshape(len(beside[shared]), -1)
    lower, upper = sorted((one, other))
    block = block.reshape(size[shared], size[shared], size[lower], size[upper])
    if one != lower:
        block = block.transpose(0, 1, 3, 2)
    # now (shared of first, shared of second, one, other), to be put in the order of the pairs
    if first[0] != shared:
        block = block.transpose(2, 0, 1, 3) if second[0] == shared else block.transpose(2, 0, 3, 1)
    else:
        block = block.transpose(0, 2, 1, 3) if second[0] == shared else block.transpose(0, 2, 3, 1)
    return block.reshape(math.prod(size[k] for k in first), -1)


def moments(functions: Floats, weights: Floats) -> Floats:
    """Sums of products of two functions of cells over weights, by bands of cells."""
    step = max(1, _BAND // max(1, len(functions)))
    parts = [slice(start, start + step) for start in range(0, len(weights), step)]
    first, *rest = ((functions[:, part] * weights[part]) @ functions[:, part].T for part in parts)
    return sum(rest, start=first)


@dataclass(frozen=True, eq=False)
class PairwiseFit:
    """The model without three-way term of greatest likelihood.

    Attributes
    ----------
    functions : PairwiseFunctions
        What it is made of.
    weights : array
        Of the functions, beside the product of the margins.
    fitted : array
        The share of every cell.
    likelihood : float
        Mean of the logarithm of the fitted share over rows, in nats.
    factor : tuple
        Cholesky factor of the information matrix.
    """

    functions: PairwiseFunctions
    weights: Floats
    fitted: Floats
    likelihood: float
    factor: tuple[Floats, bool]

    def residuals(self, values: Floats) -> Floats:
        """Functions of the cells less their projections on the model's functions, in the fitted law."""
        sums = np.stack([self.functions.sums(self.fitted * own) for own in values])
        weights = cho_solve(self.factor, sums.T).T
        found = np.empty_like(values)
        for own, part, place in zip(values, weights, found, strict=True):
            np.subtract(own, self.functions.combine(part), out=place)
        return found


def fit_pairwise(observed: Floats, functions: PairwiseFunctions, rows: int, start: Floats | None = None) -> PairwiseFit:
    """Fit the model to shares of cells by Newton's method.

    Examples
    --------
    >>> shares = np.array([[[4.0, 1.0], [2.0, 3.0]], [[1.0, 5.0], [3.0, 1.0]]]) / 20
    >>> sign = np.array([[-1.0], [1.0]])
    >>> fit = fit_pairwise(shares, PairwiseFunctions([sign] * 3, [sign] * 3, np.empty((0, 2, 2, 2))), 20)
    >>> [bool(np.allclose(fit.fitted.sum(k), shares.sum(k), atol=1e-3)) for k in range(3)]
    [True, True, True]
    """
    margins = [observed.sum(axis=axis) for axis in ((1, 2), (0, 2), (0, 1))]
    base = np.log(margins[0])[:, None, None] + np.log(margins[1])[:, None] + np.log(margins[2])
    wanted, ridge = functions.sums(observed), _RIDGE / rows
    weights = np.zeros(len(wanted)) if start is None else start
    logs = base + functions.combine(weights)

    def loss(logs: Floats, weights: Floats) -> float:
        return float(np.exp(np.minimum(logs, _LARGEST)).sum() - wanted @ weights + ridge / 2 * weights @ weights)

    current = loss(logs, weights)
    for _ in range(_STEPS):
        fitted = np.exp(logs)
        gradient = wanted - functions.sums(fitted) - ridge * weights
        information = functions.information(fitted)
        information[np.diag_indices(len(weights))] += ridge
        factor = cho_factor(information)
        step = cho_solve(factor, gradient)
        gain = float(gradient @ step)
        if gain * rows < _CONVERGED:
            break
        change = functions.combine(step)
        length = 1.0
        while loss(logs + length * change, weights + length * step) > current - 1e-4 * length * gain:
            length /= 2
            if length < _SHORTEST:
                break
        weights, logs = weights + length * step, logs + length * change
        current = loss(logs, weights)
    fitted = np.exp(logs)
    likelihood = float((observed * logs)[observed > 0].sum())
    return PairwiseFit(functions, weights, fitted / fitted.sum(), likelihood, factor)


def lift(weights: Floats, functions: PairwiseFunctions, richer: PairwiseFunctions) -> Floats:
    """The same model in terms of more functions, the first of which are those it has."""
    parts, new = np.split(weights, np.cumsum(functions.sizes)[:-1]), []
    pairs = ((0, 1), (0, 2), (1, 2))
    for (i, j), part in zip(pairs, parts[4:7], strict=True):
        block = np.zeros((richer.paired[i].shape[1], richer.paired[j].shape[1]))
        own = functions.paired[i].shape[1], functions.paired[j].shape[1]
        block[: own[0], : own[1]] = part.reshape(own)
        new.append(block.ravel())
    return np.concatenate([*parts[:4], *new, np.zeros(len(richer.others))])
