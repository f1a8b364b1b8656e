"""Three columns in one group: means of products of functions of all three, less what a model of their pairs expects.

Numbers are cut into classes of their ranks in the group, labels are classes already. A log-linear model of pairs,
log p(a, b, c) = f(a, b) + g(a, c) + h(b, c), is fitted to the shares of the cells, f, g and h with polynomials. The
model has the means of its own functions in common with the rows, so that the excess of another function t moves with a
row by t less its projection on the functions of the model: `residuals`. Ranks move it too, where the excess is not 0: a
row below the border of two classes pushes rows over it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from shearer.inference.threeway.loglinear import PairwiseFunctions, fit_pairwise

Floats = NDArray[np.float64]

# Degrees of polynomials whose products are tested.
_TESTED = 2


@dataclass(frozen=True, eq=False)
class ClassAxis:
    """One column of a triple, as classes.

    Attributes
    ----------
    basis : array (classes, classes - 1)
        Functions of the classes; with 1 they are all there are.
    degrees : array (classes - 1,)
        Of polynomials; functions of labels have degree 1.
    tested : array (classes, m)
        Functions that take part in the products that are tested: bounded ones of ranks, contrasts of labels.
    ordered : bool
        Whether the classes are those of a number.
    """

    basis: Floats
    degrees: NDArray[np.intp]
    tested: Floats
    ordered: bool

    def up_to(self, degree: int) -> Floats:
        """Functions up to a degree."""
        return self.basis[:, self.degrees <= degree]


def number_axis(shares: Floats) -> ClassAxis:
    """Classes of ranks: polynomials of normal scores.

    Examples
    --------
    >>> axis = number_axis(np.full(8, 1 / 8))
    >>> bool(np.allclose(axis.basis.T @ axis.basis / 8, np.eye(7)))
    True
    """
    scores = ndtri(np.cumsum(shares) - shares / 2)
    powers = (scores / np.abs(scores).max())[:, None] ** np.arange(len(shares))
    ranks = (2 * np.cumsum(shares) - shares - 1)[:, None] ** np.arange(_TESTED + 1)
    return ClassAxis(_orthonormal(powers, shares), np.arange(1, len(shares)), _orthonormal(ranks, shares), True)


def label_axis(shares: Floats) -> ClassAxis:
    """Levels of a label: contrasts, the same in all groups if the shares are."""
    indicators = np.eye(len(shares))
    indicators[:, 0] = 1.0
    contrasts = _orthonormal(indicators, shares)
    return ClassAxis(contrasts, np.ones(len(shares) - 1, dtype=np.intp), contrasts, False)


class Excess(NamedTuple):
    """Means of products less those of the model of pairs, and the covariance of their estimates."""

    means: Floats
    covariance: Floats


def tested_degrees(axes: Sequence[ClassAxis]) -> NDArray[np.intp]:
    """The highest degree in each of the products that are tested."""
    degrees = [range(1, _TESTED + 1) if axis.ordered else [1] * axis.tested.shape[1] for axis in axes]
    return np.array([max(own) for own in product(*degrees)], dtype=np.intp)


def pairwise_excess(counts: Floats, axes: Sequence[ClassAxis], degree: int) -> Excess:
    """The excess of products of three columns over a model of their pairs.

    Parameters
    ----------
    counts : array (classes, classes, classes)
        Rows; no class of a column is empty.
    axes : sequence of ClassAxis
        The columns.
    degree : int
        Of the polynomials of pairs.

    Examples
    --------
    >>> a, b, e = np.random.default_rng(0).normal(size=(3, 4000))
    >>> cells = [np.argsort(np.argsort(own)) * 8 // 4000 for own in (a, b, a * b + e)]
    >>> counts = np.bincount(np.ravel_multi_index(cells, (8, 8, 8)), minlength=512).reshape(8, 8, 8).astype(float)
    >>> axes = [number_axis(np.full(8, 1 / 8))] * 3
    >>> found = pairwise_excess(counts, axes, 3)
    >>> bool(found.means[0] > 20 * found.covariance[0, 0] ** 0.5)
    True
    """
    rows = float(counts.sum())
    observed = counts / rows
    functions = PairwiseFunctions(
        [axis.basis for axis in axes], [axis.up_to(degree) for axis in axes], np.empty((0, *counts.shape))
    )
    fit = fit_pairwise(observed, functions, int(rows))
    chosen = product(*(axis.tested.T for axis in axes))
    residuals = fit.residuals(np.stack([reduce(np.multiply.outer, own) for own in chosen]))
    means = np.tensordot(residuals, observed, 3)
    influence = residuals - means[:, None, None, None]
    for place, axis in enumerate(axes):
        if axis.ordered:
            moved = _through_ranks(residuals, observed, place)
            shape = [1, 1, 1]
            shape[place] = -1
            influence = influence + moved.reshape(len(residuals), *shape)
    flat = influence.reshape(len(influence), -1)
    return Excess(means, (flat * counts.ravel()) @ flat.T / (rows * (rows - 1.0)))


def _through_ranks(residuals: Floats, observed: Floats, place: int) -> Floats:
    """What a row in each class does to the means by pushing others over borders, shape (k, classes)."""
    own = np.moveaxis(residuals, place + 1, 1)
    shares = np.moveaxis(observed, place, 0)
    weights = shares.sum(axis=(1, 2))
    within = shares / weights[:, None, None]
    at_border = (within[1:] + within[:-1]) / 2
    steps = np.einsum("kcij,cij->kc", own[:, 1:] - own[:, :-1], at_border)
    below = (np.arange(len(weights)) <= np.arange(len(weights) - 1)[:, None]).astype(np.float64)
    found: Floats = steps @ (below - np.cumsum(weights)[:-1, None])
    return found


def _orthonormal(columns: Floats, shares: Floats) -> Floats:
    """All but the first of the columns, made orthonormal over the shares one after the other."""
    roots = np.sqrt(shares)[:, None]
    basis, upper = np.linalg.qr(columns * roots)
    found: Floats = (basis * np.sign(np.diag(upper)))[:, 1:] / roots
    return found
