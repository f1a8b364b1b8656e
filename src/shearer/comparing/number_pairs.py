"""The dependence of two numbers in one group: means of products of rank features, and how they vary."""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.comparing.rank_features import DEGREE, FeatureRanks, ranks_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Which features are multiplied: the normal scores, and all polynomials up to the degree.
PRODUCTS = ((0, 0), *product(range(1, DEGREE + 1), repeat=2))
#: The statistics that are joined, by the products that each looks at, and how much each counts: the correlation of
#: normal scores, degrees up to 2, degrees up to 4.
COMPONENTS: tuple[tuple[int, ...], ...] = (
    (0,),
    *(tuple(at for at, pair in enumerate(PRODUCTS) if at and max(pair) <= most) for most in (2, DEGREE)),
)
WEIGHTS = (0.5, 0.3, 0.2)
# The variance of a correlation of normal scores is too small by about this over the number of rows: measured on normal
# laws of 40 to 300 rows and correlations 0 to 0.8.
_FITTED = 8.0


class NumberPair(NamedTuple):
    """What is known of two numbers in one group.

    Attributes
    ----------
    means : array (17,)
        Of the products of features; the first is the correlation of normal scores.
    first, second : FeatureRanks
        Features of the two.
    through : tuple of array (codes, 17)
        What a row at each code of the one, and of the other, does to the means through ranks and variances.
    rows : float
        How many rows there are.
    """

    means: Floats
    first: FeatureRanks
    second: FeatureRanks
    through: tuple[Floats, Floats]
    rows: float

    def influences(self, codes: Indices, others: Indices) -> Floats:
        """What rows with these codes do to the means, times the number of rows; shape (rows, 17)."""
        left, right = self.first.values[codes], self.second.values[others]
        products = np.stack([left[:, j] * right[:, k] for j, k in PRODUCTS], axis=1)
        found: Floats = products - self.means + self.through[0][codes] + self.through[1][others]
        # Of normal scores what goes through the ranks is fitted to the same rows, and takes off too much.
        found[:, 0] *= np.sqrt(1 + _FITTED / self.rows)
        return found


def number_pair(codes: Indices, others: Indices, counts: Floats | None = None) -> NumberPair:
    """Means of products of features, and what rows do to them.

    Parameters
    ----------
    codes, others : array (m,)
        Codes of two numbers in rows, or in cells.
    counts : array (m,), optional
        Rows of each cell; default: one.

    Examples
    --------
    >>> x, y = np.random.default_rng(0).multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 400).T
    >>> from shearer.comparing.rank_features import dense_codes
    >>> pair = number_pair(dense_codes(x)[0], dense_codes(y)[0])
    >>> round(float(pair.means[0]), 1)
    0.8
    """
    weights = np.ones(len(codes)) if counts is None else counts
    rows = float(weights.sum())
    first, second = (ranks_of(np.bincount(own, weights)) for own in (codes, others))
    left, right = first.values[codes] * weights[:, None] / rows, second.values[others]
    table = left.T @ right
    means = np.array([table[j, k] for j, k in PRODUCTS])
    ends = (
        _through(first, codes, right * (weights / rows)[:, None]),
        _through(second, others, left),
    )
    through = []
    for place, (own, sums) in enumerate(ends):
        feature = [pair[place] for pair in PRODUCTS]
        beside = [pair[1 - place] for pair in PRODUCTS]
        moved = own.reach(own.slopes[:, feature] * sums[:, beside])
        through.append(moved - means / 2 * own.spreads[:, feature])
    return NumberPair(means, first, second, (through[0], through[1]), rows)


def _through(own: FeatureRanks, codes: Indices, features: Floats) -> tuple[FeatureRanks, Floats]:
    """Sums of the other number's features over the rows of each code."""
    count = len(own.weights)
    sums = [np.bincount(codes, column, minlength=count) for column in features.T]
    return own, np.stack(sums, axis=1).astype(np.float64)


def cells_of(codes: Indices, others: Indices, count: int) -> tuple[Indices, Indices, Floats]:
    """Pairs of codes that occur, and how often; `count` is the number of codes of the second."""
    found = np.bincount(codes * count + others)
    cells = np.flatnonzero(found)
    return cells // count, cells % count, found[cells].astype(np.float64)
