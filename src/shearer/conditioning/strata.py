"""Labels alone as conditions: within a stratum rows of the same labels could change places.

The covariance of the products of features over all rearrangements within strata is known exactly:
sum over strata of (A'A) x (B'B) / (m - 1), with A and B the centered features of its m rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.conditioning.covariance import Tail, chi_square_cumulants, cumulant_tail
from shearer.conditioning.designs import standardized
from shearer.conditioning.residual import Parts, Residual

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
        """Of the products summed over all strata, and of each stratum's own, which may differ in sign."""
        order = np.argsort(self.codes, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(self.counts)])
        width = first.shape[1] * second.shape[1]
        total, covariance, apart = np.zeros(width), np.zeros((width, width)), np.zeros(4)
        for k in np.flatnonzero(self.counts > 1):
            rows = order[bounds[k] : bounds[k + 1]]
            a, b, m = first[rows], second[rows], len(rows)
            cross, left, right = (a.T @ b).ravel(), a.T @ a, b.T @ b
            total += cross
            covariance += np.kron(left, right) / (m - 1)
            powers = [1.0, 1.0, 1.0]
            own, other = np.eye(len(left)), np.eye(len(right))
            for power in range(3):
                own, other = own @ left, other @ right
                powers[power] = float(np.trace(own) * np.trace(other)) / (m * (m - 1)) ** (power + 1)
            apart += [float(cross @ cross) / m, powers[0], 2.0 * powers[1], 8.0 * powers[2]]
        joint = cumulant_tail(float(total @ total), *chi_square_cumulants(covariance))
        return [joint, cumulant_tail(*apart)] if int(np.sum(self.counts > 1)) > 1 else [joint]
