"""Labels alone as conditions: within a stratum rows of the same labels could change places.

Statistics are compared with their moments over all rearrangements within strata.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shearer.conditioning import constants
from shearer.conditioning.covariance import Tail, cumulant_tail
from shearer.conditioning.designs import standardized
from shearer.conditioning.residual import Parts, Residual
from shearer.conditioning.strata_moments import Cumulants, rearranged

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Strata:
    """Rows of the same labels.

    Attributes
    ----------
    codes : array (n,)
        The stratum of each row.
    counts : array (s,)
        Rows of each.
    """

    codes: Indices
    counts: Indices

    @classmethod
    def of(cls, labels: Sequence[Indices], n: int) -> "Strata":
        """Combinations of labels that occur; one stratum of all rows without any."""
        if not labels:
            return cls(np.zeros(n, dtype=np.intp), np.array([n]))
        codes = np.unique(np.column_stack(labels), axis=0, return_inverse=True)[1].reshape(-1)
        return cls(codes, np.bincount(codes))

    @property
    def usable(self) -> int:
        """Rows that are not alone in their stratum."""
        return int(self.counts[self.counts > 1].sum())

    def residual(self, parts: Parts) -> Residual:
        """Features of a variable less their means within strata."""
        n, count = len(self.codes), len(self.counts)
        first = np.column_stack([parts.numbers, parts.levels])
        own = self._centered(first)
        left, total = float(np.sum(own**2)), float(np.sum(first**2))
        explained = float(np.clip(1.0 - left / max(n - count, 1) / (total / n), 0.0, 1.0))
        kept = np.mean(own**2, axis=0) > 1e-12
        if not kept.any():
            return Residual(np.empty((n, 0)), 0, np.ones(n), float(count), 1.0, 0.0, 0.0)
        numbers = parts.numbers.shape[1]
        direct, levels = own[:, :numbers][:, kept[:numbers]], own[:, numbers:][:, kept[numbers:]]
        direct, further = parts.features(direct) if direct.shape[1] else (direct, direct)
        linear = standardized(np.column_stack([direct, levels]))
        rest = standardized(self._centered(further))
        found = np.column_stack([linear, rest])
        return Residual(found, linear.shape[1], np.ones(n), float(count), explained, 0.0, 0.0)

    def _centered(self, columns: Floats) -> Floats:
        means = [np.bincount(self.codes, weights=column, minlength=len(self.counts)) for column in columns.T]
        if not means:
            return columns
        found: Floats = columns - (np.column_stack(means) / self.counts[:, None])[self.codes]
        return found

    def tails(self, first: Floats, second: Floats) -> list[Tail]:
        """Of the products summed over all strata, and of each stratum's own, which may differ in sign, if these vary.

        Products of rows with themselves are left out: they say nothing, and a few that are far out would say it loudly.
        """
        joint, apart = rearranged(first, second, self.codes, self.counts)
        several = int(np.sum(self.counts > 1)) > 1 and apart.variance > 0
        return [_tail(found) for found in ((joint, apart) if several else (joint,))]


def _tail(found: Cumulants) -> Tail:
    """Upper tail by three moments, and by Cantelli's inequality where the skewness is that of no smooth law.

    Examples
    --------
    >>> round(_tail(Cumulants(3.0, 0.0, 1.0, 2.0)).pvalue, 3), _tail(Cumulants(3.0, 0.0, 1.0, 20.0)).pvalue
    (0.018, 0.1)
    """
    tail = cumulant_tail(found.statistic, found.mean, found.variance, max(found.third, 0.0))
    if not found.variance > 0:
        return tail
    skewness = found.third / found.variance**1.5
    if constants.LEAST_SKEWNESS <= skewness <= constants.LARGEST_SKEWNESS:
        return replace(tail, skewness=skewness)
    return Tail(tail.statistic, 1.0 / (1.0 + max(tail.statistic, 0.0) ** 2), skewness)
