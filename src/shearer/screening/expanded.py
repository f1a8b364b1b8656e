"""Sums of the centred forms of a similarity matrix M from sums of M itself, for many M at once.

Where M varies little against its mean these are differences of large numbers, as in `shearer.inference.centring`: the
variance tells how many digits are left.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.inference.aggregated import LARGEST_SATURATION
from shearer.screening.marginals import Form, centered_sums, form_of, raw_sums

Floats = NDArray[np.float64]

# Part of the mean square of M that round-off makes of nothing.
_NOTHING = 1e-13


class Expanded(NamedTuple):
    """Mean and variance of M off the diagonal, and what `Marginals` has of it."""

    mean: Floats
    variance: Floats
    shift: Floats
    slope: Floats
    usable: NDArray[np.bool_]
    raw: Form
    centered: Form

    def settle(self, flat: float) -> tuple["Expanded", NDArray[np.bool_]]:
        """The same with no spread where there is none but round-off, and which M must be centred entry by entry.

        Parameters
        ----------
        flat : float
            Part of the mean square of M that has to be left without its mean, and centred, for the digits to be enough.
        """
        size, centered = self.variance + self.mean**2, self.centered.second[..., 0]
        lost = (self.variance != 0) & (self.variance <= flat * size)
        lost |= (centered > _NOTHING * size) & (centered <= flat * size)
        raw = replace(self.raw, spread=np.where(self.variance != 0, self.raw.spread, 0.0))
        rest = replace(self.centered, spread=np.where(centered > _NOTHING * size, self.centered.spread, 0.0))
        return self._replace(raw=raw, centered=rest), lost


def expand(ones: Floats, r: Floats, q: Floats, cubes: Floats, triangles: Floats, image: Floats) -> Expanded:
    """The sums of the centred forms.

    Parameters
    ----------
    ones : array (..., n)
        1 at the rows that count, 0 at the others.
    r, q : array (..., n)
        Row sums of M and of its squares, 0 at rows that do not count.
    cubes, triangles : array (...)
        Sums of the cubes of M, and tr(MMM).
    image : array (..., n)
        M times its row sums, 0 at rows that do not count.
    """
    n, total = ones.sum(axis=-1), r.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, shift = total / (n * (n - 1)), r / (n - 2)[..., None]
        variance = q.sum(axis=-1) / (n * (n - 1)) - mean**2
        usable = np.log2(n**2 / (total + n)) <= LARGEST_SATURATION * np.log2(n)
        half = total / (2 * (n - 1) * (n - 2))
        # With e, the centred form is M_ij less e_i and e_j.
        e = (shift - half[..., None]) * ones
        moved = image / (n - 2)[..., None] - half[..., None] * r  # M e
        squared = e * e
        one, two, three = e.sum(axis=-1), squared.sum(axis=-1), _dot(squared, e)
        with_rows, with_squared, with_moved = _dot(e, r), _dot(squared, r), _dot(e, moved)
        own = two[..., None] + (n - 4)[..., None] * squared
        own += 2 * (e * (one[..., None] - r) - moved)
        own *= ones
        own += q
        u_cubes = cubes - 6 * _dot(e, q) + 6 * with_squared + 6 * with_moved
        u_cubes -= 2 * (n - 1) * three + 6 * (two * one - three)
        u_triangles = triangles - 6 * _dot(e, image) + 6 * _dot(e, q)
        u_triangles += 3 * ((n - 4) * with_moved + two * total + 2 * one * with_rows - 4 * with_squared)
        u_triangles -= 6 * (n - 3) * one * two + 2 * one**3 + (16 - 6 * n) * three
        scale = np.where(usable, mean, 1.0)
        level = (n - 1) * mean / (n - 2)
        slope = (shift - level[..., None]) * ones / scale[..., None]
        turned = (image / (n - 2)[..., None] - level[..., None] * r) / scale[..., None]  # M slope
        centered = centered_sums(own.sum(axis=-1), u_cubes, u_triangles)
        turn = _dot(slope, turned) + 2 * _dot(e, slope * slope)
        raw = raw_sums(n, scale, centered, _dot(own, slope), turn, slope)
        return Expanded(mean, variance, shift, slope, usable, form_of(n, raw), form_of(n, centered))


def _dot(left: Floats, right: Floats) -> Floats:
    found: Floats = np.vecdot(left, right)
    return found
