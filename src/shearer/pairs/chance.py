"""The chance level of pairs, and values adjusted for it (theory: chance adjustment)."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.pairs.limits import FEWEST_ROWS

Floats = NDArray[np.float64]


class Chances(NamedTuple):
    """Mutual information of pairs under independence, and its largest value; every array of one shape, or a number.

    Attributes
    ----------
    rows : array
        Rows of a pair.
    entropies : array
        Entropies of its variables at alpha = 2, in bits, added up.
    mean : array
        Mean similarities of its variables, multiplied.
    variance : array
        Variance of the sum of the products of similarities over pairs of rows.
    own : array
        I of each of its variables with itself, added up.
    """

    rows: Any
    entropies: Floats
    mean: Floats
    variance: Floats
    own: Floats

    def adjusted(self, joint: Floats) -> Floats:
        """Adjust for chance, (I - E0) / (self - E0), from joint entropies; E0: under independence; nan below 6 rows."""
        n = np.asarray(self.rows, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = n + self.mean * n * (n - 1)
            chance = self.entropies + np.log2(expected / n**2) - 2 * self.variance / (expected**2 * math.log(2))
            room = self.own / 2 - chance
            adjusted = np.where(room > 1e-12, (self.entropies - joint - chance) / room, 0.0)
            return np.where((n >= FEWEST_ROWS) & ~np.isnan(room), adjusted, np.nan)


def collision(n: Any, mean: Any) -> Any:
    """Compute the entropy of order 2 in bits from the mean similarity off the diagonal."""
    return -np.log2((1 + (n - 1) * mean) / n)


def own_bits(n: Any, mean: Any, squares: Any) -> Any:
    """Compute I of a variable with itself at alpha = 2 from the mean and the sum of squares of M off the diagonal."""
    return np.log2((n + squares) / (n + n * (n - 1) * mean) ** 2) + 2 * np.log2(n)
