"""p-values and chance-adjusted values of all pairs, from products of similarities and sums of each variable.

The permutation moments of a pair are bilinear in sums of the two variables (`shearer.inference.moments`), so all pairs
take a few thin matrix products beyond the one that gave the statistics.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each, map_threads
from shearer.inference.centring import LARGEST_SKEWNESS
from shearer.inference.moments import PAIRS, TRIPLES, falling
from shearer.inference.pearson3 import pearson3_tails
from shearer.inference.pvalue import half_cauchy
from shearer.screening.marginals import Form, Marginals, join, marginals
from shearer.screening.similarities import Similarities

Floats = NDArray[np.float64]

# Variables on each side of the pairs that are tested at a time, and entries of the matrices whose sums are taken.
TILE, BATCH = 128, 2**18


class Significance:
    """p-values and chance-adjusted values of pairs at the one width of each variable.

    Parameters
    ----------
    similarities : Similarities
        All variables.
    left, right : slice
        The variables of the pairs.
    """

    def __init__(self, similarities: Similarities, left: slice, right: slice) -> None:
        self._left, self._right = left, right
        found = marginals_of(similarities)
        self._sides = found[left], found[right]

    def pvalues(self, joint: Floats) -> Floats:
        """p-value of every pair, from the joint entropies: the raw and the centred statistic, joined.

        1 where nothing can be said, and for a variable with itself.
        """
        same = self._left == self._right
        rows, columns = self._sides
        n = rows.rows
        pvalue = np.ones(joint.shape)

        def fill(cell: tuple[slice, slice]) -> None:
            left, right = rows[cell[0]], columns[cell[1]]
            products = np.exp2(-np.asarray(joint[cell], dtype=np.float64))
            products *= n**2 / 2
            products += np.multiply.outer(left.mean, right.mean * (n**2 * (n - 1) / (2 * (n - 2)))) - n / 2
            products -= left.shift @ right.shift.T * (n - 2)
            pvalue[cell] = joined([component_tails(left, right, products)])
            if same and cell[0] == cell[1]:
                mirror_upper(pvalue[cell])
            elif same:
                pvalue[cell[::-1]] = pvalue[cell].T

        cuts = [[slice(k, min(k + TILE, size)) for k in range(0, size, TILE)] for size in joint.shape]
        cells = [(i, j) for i in cuts[0] for j in cuts[1] if not same or i.start <= j.start]
        map_threads(fill, cells)
        return pvalue

    def adjusted(self, information: Floats) -> Floats:
        """Chance-adjusted I: 0 in expectation under independence, 1 for copies up to scale and shift.

        Parameters
        ----------
        information : array
            I in bits at alpha = 2 of every pair.
        """
        left, right = self._sides
        n = left.rows
        mean = np.multiply.outer(left.mean, right.mean)
        expected = n + mean * n * (n - 1)
        scale = np.multiply.outer(left.scale, right.scale)
        variance = scale**2 * _bilinear(left.raw.second, right.raw.second, _weights(n, PAIRS))
        entropies = [-np.log2((1 + (n - 1) * side.mean) / n) for side in self._sides]
        chance = np.add.outer(*entropies) + np.log2(expected / n**2) - 2 * variance / (expected**2 * math.log(2))
        room = np.add.outer(left.own_information, right.own_information) / 2 - chance
        with np.errstate(divide="ignore", invalid="ignore"):
            adjusted: Floats = np.where(room > 1e-12, (information - chance) / room, 0.0)
        return adjusted


def marginals_of(similarities: Similarities, each: Each = map_threads) -> Marginals:
    """The sums of every variable, a few matrices at a time."""
    size = max(1, BATCH // similarities.rows**2)
    starts = range(0, similarities.count, size)
    spans = [slice(start, min(start + size, similarities.count)) for start in starts]
    return join(each(lambda span: marginals(similarities.matrices(span)), spans))


def mirror_upper(square: Floats) -> None:
    """The half above the diagonal on both sides of it, and 1 on it; in place."""
    below = np.tril_indices(len(square), -1)
    square[below] = square.T[below]
    np.fill_diagonal(square, 1.0)


def joined(tails: Sequence[Floats]) -> Floats:
    """One p-value for each pair from all its components that are to be trusted."""
    every = np.moveaxis(np.concatenate(tails), 0, -1)
    return half_cauchy(every, np.isfinite(every))


def component_tails(left: Marginals, right: Marginals, products: Floats) -> Floats:
    """Upper tails of the two statistics of every pair, shape (2, p, q); nan where a tail is not to be trusted.

    Parameters
    ----------
    left, right : Marginals
        Sums of p and of q variables.
    products : array (p, q)
        Sums over row pairs i < j of the products of their centred forms.
    """
    n = left.rows
    tails = np.empty((2, *products.shape))
    usable = np.logical_and.outer(left.usable, right.usable)
    tails[0] = _tails(products, left.centered, right.centered, n, usable)
    raw = products * np.multiply.outer(1.0 / left.scale, 1.0 / right.scale)
    raw += (left.slope * (n - 2)) @ right.slope.T
    tails[1] = _tails(raw, left.raw, right.raw, n, usable)
    return tails


def _tails(statistic: Floats, left: Form, right: Form, n: int, usable: NDArray[np.bool_]) -> Floats:
    """Upper tails of one statistic; nan where it does not vary, or its law is too skewed."""
    second = _bilinear(left.second, right.second, _weights(n, PAIRS))
    third = _bilinear(left.third, right.third, _weights(n, TRIPLES))
    # A spread, or a deviation, that round-off alone could make is none.
    smallest = np.multiply.outer(left.smallest * n, right.smallest)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(second)
        second *= deviation
        third /= second
        trusted = deviation > smallest
        trusted &= usable
        trusted &= np.abs(third) <= LARGEST_SKEWNESS
        z = statistic / deviation
    if trusted.all():
        return pearson3_tails(z, third)
    tails = np.full(statistic.shape, np.nan)
    tails[trusted] = pearson3_tails(z[trusted], third[trusted])
    return tails


def _bilinear(left: Floats, right: Floats, weights: Floats) -> Floats:
    return (left * weights) @ right.T


def _weights(n: int, ways: dict[str, tuple[int, float]] | dict[str, tuple[int, float, tuple[str, str, str]]]) -> Floats:
    """How often edges meet in each of the ways."""
    return np.array([falling(n, way[0]) * way[1] for way in ways.values()])
