"""How tr f(A) changes when one row is left out, for all rows from one eigendecomposition, exactly.

The spectrum of A = K/n is that of (1/n) sum_i phi_i phi_i', phi_i being the features of row i: without a row A loses
phi phi'/n, a matrix of rank one. Let (l_k, v_k) be the eigenpairs of A and p_k = <phi, v_k>^2 the shares of the row,
which sum to 1. Then tr f(A) changes by its derivative and a remainder,

    -(1/n) sum_k f'(l_k) p_k + R,

and since det(s + A - phi phi'/n) = det(s + A) (1 - q(s)/n) with q(s) = sum_k p_k / (l_k + s), the remainder is known:

- f(l) = l ln l: the integral over s from 0 to infinity of rho(s) = -ln(1 - q(s)/n) - q(s)/n;
- f(l) = l^alpha, 0 < alpha < 2: -alpha sin(pi alpha)/pi times the integral of s^(alpha - 1) rho(s);
- f(l) = l^alpha, alpha > 2: the contour integral of f'(z) rho(-z) / (2 pi i) around the spectrum.

At high orders only the first few eigenvalues count, and those without the row are the roots of 1 = q(-m)/n.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer.kernels.gram import TILE
from shearer.spectrum.lowrank import cholesky

Floats = NDArray[np.float64]

# The integral over s by equal steps of ln s. The integrand is analytic up to pi from the axis: the error of the sum is
# of the order exp(-2 pi^2 / step).
_STEP = 1.0
_SMALLEST, _LARGEST = 1e-6, 1e4
# Of the smallest eigenvalue: below, what is integrated beside a power of s no longer changes.
_FAR_BELOW = 1e-18
# Points on half of the circle around the spectrum, and how far beyond the largest eigenvalue it reaches.
_POINTS, _REACH = 64, 0.3
# Beyond this order only eigenvalues within a part of the largest count: those whose power is above `_NEGLIGIBLE` of it.
_HIGH_ORDER = 20.0
_NEGLIGIBLE = 1e-10
_BISECTIONS = 48


@dataclass(frozen=True)
class Shares:
    """Eigenvalues l_k of K/n, or of a block of it, and how each row takes part in them.

    Attributes
    ----------
    values : array (r,)
        Eigenvalues above round-off, in increasing order.
    shares : array (rows, r)
        p_ik = <phi_i, v_k>^2 = n l_k u_ik^2 with the eigenvectors u_k of K: (1/n) sum_i p_ik = l_k, sum_k p_ik = 1.
    n : int
        Rows of all of K.
    """

    values: Floats
    shares: Floats
    n: int

    @classmethod
    def of_matrix(cls, matrix: Floats, n: int, round_off: float = cholesky.EPSILON) -> "Shares":
        """Of a block of K, from all eigenvectors; the matrix is overwritten."""
        values, vectors = scipy.linalg.eigh(matrix.T, overwrite_a=True, check_finite=False, driver="evd")
        kept = values > len(values) * round_off * values[-1]
        return cls(values[kept] / n, vectors[:, kept] ** 2 * values[kept], n)

    @classmethod
    def of_factor(cls, factor: Floats) -> "Shares":
        """Of K ~ F F', from the eigenvectors of F'F; what the factor leaves out is missing from the shares."""
        values, vectors = scipy.linalg.eigh(cholesky.cross_products(factor, factor), check_finite=False, driver="evd")
        kept = values > len(factor) * cholesky.EPSILON * values[-1]
        return cls(values[kept] / len(factor), (factor @ vectors[:, kept]) ** 2, len(factor))

    def total(self, alpha: float) -> float:
        """Tr f(A): f(l) = l ln l at order 1, l^alpha at others; at infinity the largest eigenvalue."""
        if math.isinf(alpha):
            return float(self.values[-1])
        return float(np.sum(self.values * np.log(self.values) if alpha == 1 else self.values**alpha))

    def changes(self, alpha: float) -> Floats:
        """What each row, left out, adds to tr f(A); the others keep their weight 1/n."""
        if alpha > _HIGH_ORDER:
            return self._changes_of_largest(alpha)
        found: Floats = self._remainders(alpha) - self.slopes(alpha) / self.n
        return found

    def slopes(self, alpha: float) -> Floats:
        """The derivative of tr f(A) by the weight of each row: sum_k f'(l_k) p_ik."""
        slope = np.log(self.values) + 1.0 if alpha == 1 else alpha * self.values ** (alpha - 1.0)
        found: Floats = self.shares @ slope
        return found

    def _remainders(self, alpha: float) -> Floats:
        """What `changes` has beyond the derivative."""
        if alpha == 2:  # f is a parabola: half its second derivative, of the square of phi phi'/n
            masses: Floats = self.shares.sum(axis=1) / self.n
            return masses**2
        found = np.empty(len(self.shares))
        for start in range(0, len(found), 8 * TILE):
            rows = slice(start, start + 8 * TILE)
            part = self.shares[rows] / self.n
            found[rows] = self._on_the_axis(part, alpha) if alpha < 2 else self._on_a_circle(part, alpha)
        return found

    def _on_the_axis(self, shares: Floats, alpha: float) -> Floats:
        """Orders below 2: the integral over s > 0."""
        lowest = math.log(_SMALLEST) / min(alpha, 1.0) - math.log(self.n)
        far_below = math.log(self.values[0]) + math.log(_FAR_BELOW)
        flat, lowest = lowest < far_below, max(lowest, far_below)
        points = np.exp(np.arange(lowest, math.log(_LARGEST) + _STEP, _STEP))
        taken = np.minimum(shares @ (1.0 / (self.values[:, None] + points)), 1.0 - cholesky.EPSILON)
        remainders = -np.log1p(-taken) - taken
        total: Floats = remainders @ points**alpha * _STEP
        if flat:  # so far below all eigenvalues rho(s) is what it is at 0
            total += remainders[:, 0] * math.exp(alpha * (lowest - _STEP / 2)) / alpha
        # Beyond the last point rho(s) is half the square of the mass over s.
        end = points[-1] * math.exp(_STEP / 2)
        total += shares.sum(axis=1) ** 2 * end ** (alpha - 2.0) / (2.0 * (2.0 - alpha))
        return total if alpha == 1 else -alpha * math.sin(math.pi * alpha) / math.pi * total

    def _on_a_circle(self, shares: Floats, alpha: float) -> Floats:
        """Orders above 2: a circle through 0, where l^alpha is smooth enough, that holds all eigenvalues."""
        radius = (1.0 + min(_REACH, 4.0 / alpha)) / 2 * float(self.values[-1])
        turns = np.exp(1j * math.pi * (np.arange(_POINTS) + 0.5) / _POINTS)
        points = radius * (1.0 + turns)
        taken = shares @ (1.0 / (points - self.values[:, None]))
        weights = alpha * points ** (alpha - 1.0) * radius * turns / _POINTS
        found: Floats = -np.real((np.log1p(taken) - taken) @ weights)
        return found

    def _changes_of_largest(self, alpha: float) -> Floats:
        """High orders: by the largest eigenvalues without the row, each above the one that follows it in A."""
        top = float(self.values[-1])
        count = 1 if math.isinf(alpha) else int(np.sum(alpha * np.log(self.values / top) > math.log(_NEGLIGIBLE)))
        found = np.zeros(len(self.shares))
        for place in range(len(self.values) - 1, len(self.values) - 1 - count, -1):
            high = np.full(len(found), self.values[place])
            low = np.full(len(found), self.values[place - 1] if place else 0.0)
            for _ in range(_BISECTIONS):
                middle = (low + high) / 2
                with np.errstate(divide="ignore", invalid="ignore"):
                    above = np.einsum("ik,ik->i", self.shares, 1.0 / (self.values - middle[:, None])) < self.n
                low, high = np.where(above, middle, low), np.where(above, high, middle)
            found += high - top if math.isinf(alpha) else high**alpha - self.values[place] ** alpha
        return found
