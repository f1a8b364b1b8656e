"""The sums that the moments need, from a few totals of a factor of M instead of from its rows.

With M = F F' off the diagonal, row i gives t = f'u and p = f'Gf, where u = F'1 and G = F'F are sums over all rows.
Every row sum of either centred form is a polynomial in t plus multiples of p and of w = f'Gu, so that all of it
follows from n, u, G and the two sums over rows of t^3 and p t; these take a second pass, since they need u and G.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from shearer.pairs.moments import Sums

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Totals:
    """A similarity matrix of any number of rows, known by totals; the counterpart of `Known`.

    Attributes
    ----------
    n : int
        Rows.
    column_sums, inner : array (r,), (r, r)
        u = F'1 and G = F'F.
    entry_cubes : float
        Sum of the cubed entries of M, ones on the diagonal included.
    cubes_of_rows, products_of_rows : float
        Sums over rows of t^3 and of p t.
    """

    n: int
    column_sums: Floats
    inner: Floats
    entry_cubes: float
    cubes_of_rows: float
    products_of_rows: float

    @property
    def total(self) -> float:
        """Sum of the entries off the diagonal."""
        return float(self.column_sums @ self.column_sums) - self.n

    @property
    def mean(self) -> float:
        """Mean entry off the diagonal."""
        return self.total / (self.n * (self.n - 1))

    @property
    def square_total(self) -> float:
        """Sum of the squared entries off the diagonal."""
        return float(np.sum(self.inner**2)) - self.n

    @property
    def saturation(self) -> float:
        """Entropy of order 2 over its largest value: near 1, all rows are unlike and tails fail."""
        return float(np.log2(self.n**2 / (self.n + self.total)) / np.log2(self.n))

    @cached_property
    def raw(self) -> Sums:
        """Sums of M / mean - 1."""
        return self._shifted(1.0 / self.mean, 0.0, -1.0)

    @cached_property
    def centered(self) -> Sums:
        """Sums of the U-centred form."""
        return self._shifted(1.0, 1.0 / (self.n - 2), self.total / ((self.n - 1) * (self.n - 2)))

    @cached_property
    def _image(self) -> Floats:
        """Gu = F't."""
        image: Floats = self.inner @ self.column_sums
        return image

    @cached_property
    def _powers(self) -> tuple[float, float, float, float]:
        """Sums over rows of 1, t, t^2, t^3."""
        u = self.column_sums
        return float(self.n), float(u @ u), float(u @ self._image), self.cubes_of_rows

    def _sum(self, polynomial: Polynomial, p: float = 0.0, w: float = 0.0) -> float:
        """Sum over rows of a polynomial in t, a multiple of p and one of w."""
        coefficients = np.asarray(polynomial.coef, dtype=np.float64)
        known = float(coefficients @ np.array(self._powers[: len(coefficients)]))
        return known + p * float(np.sum(self.inner**2)) + w * self._powers[2]

    def _sum_times(self, line: Polynomial, polynomial: Polynomial, p: float, w: float) -> float:
        """The same, every row times a line in t."""
        slope, level = (line.coef[1] if len(line.coef) > 1 else 0.0), line.coef[0]
        with_t = p * self.products_of_rows + w * float(self._image @ self._image)
        return self._sum(polynomial * line, p * level, w * level) + slope * with_t

    def _form(self, line: Polynomial) -> float:
        """X'Mx of a vector x that is a line in t, M without its diagonal."""
        slope, level = (line.coef[1] if len(line.coef) > 1 else 0.0), line.coef[0]
        projected = slope * self._image + level * self.column_sums
        return float(projected @ projected) - self._sum(line**2)

    def _shifted(self, factor: float, slope: float, constant: float) -> Sums:
        """Sums of x_ij = factor M_ij - shift_i - shift_j + constant with shift = slope (t - 1), off the diagonal."""
        n, t = self.n, Polynomial([0.0, 1.0])
        rows = t - 1.0
        shift = slope * rows
        total, total_squares = self._sum(shift), self._sum(shift**2)
        r = factor * rows - (n - 2) * shift - total + (n - 1) * constant
        inner = shift - constant
        # M times shift is slope (w - 2 t + 1); squares of M add up to p - 1 in each row.
        q = -(factor**2) - 2 * factor * (inner * rows + slope * (1.0 - 2.0 * t))
        q = q + (n - 1) * inner**2 + 2 * inner * (total - shift) + (total_squares - shift**2)
        q_p, q_w = factor**2, -2 * factor * slope
        e = shift - constant / 2
        with_squares = 2 * self._sum_times(e, Polynomial([-1.0]), 1.0, 0.0)
        with_rows = 2 * self._sum(rows * e**2) + 2 * self._form(e)
        cubed = self._sum(e**3)
        g_cubes = 2 * n * cubed + 6 * self._sum(e) * self._sum(e**2) - 8 * cubed
        diagonal = constant - 2 * shift
        s = self._sum(r)
        rxr = factor * self._form(r) - 2 * self._sum(shift * r) * s + constant * s**2 - self._sum(r**2 * diagonal)
        around = self._sum_times(diagonal, q + diagonal**2, q_p, q_w)
        return Sums(
            n=n,
            S=s,
            B=self._sum(q, q_p, q_w),
            c=factor**3 * (self.entry_cubes - n) - 3 * factor**2 * with_squares + 3 * factor * with_rows - g_cubes,
            rr=self._sum(r**2),
            qr=self._sum_times(r, q, q_p, q_w),
            rrr=self._sum(r**3),
            rxr=rxr,
            T=self._triangles(factor, slope, constant) - 3 * around + 2 * self._sum(diagonal**3),
        )

    def _triangles(self, factor: float, slope: float, constant: float) -> float:
        """Tr Y^3 of Y = factor M + U C U' with U = [shift, 1], its diagonal included."""
        squared = self.inner @ self.inner
        known = float(np.vdot(squared, self.inner)) - 3 * float(np.sum(self.inner**2)) + 2 * self.n
        count, first, second, _ = self._powers
        mixed, twice = float(self._image @ self._image), float(self._image @ self.inner @ self._image)
        t = Polynomial([0.0, 1.0])
        shift = slope * (t - 1.0)
        ends = np.array([[self._sum(shift**2), self._sum(shift)], [self._sum(shift), count]])
        # M U: slope (w - 2 t + 1) and t - 1.
        one = slope**2 * (twice + 4 * second + count - 4 * mixed + 2 * second - 4 * first)
        cross = slope * (mixed - 3 * second + 3 * first - count)
        images = factor**2 * np.array([[one, cross], [cross, second - 2 * first + count]])
        # U' M U
        between = factor * np.array(
            [
                [slope**2 * (mixed - 3 * second + 3 * first - count), slope * (second - 2 * first + count)],
                [slope * (second - 2 * first + count), first - count],
            ]
        )
        core = np.array([[0.0, -1.0], [-1.0, constant]])
        cube = factor**3 * known + 3 * np.trace(images @ core) + 3 * np.trace(between @ core @ ends @ core)
        return float(cube + np.trace(np.linalg.matrix_power(ends @ core, 3)))
