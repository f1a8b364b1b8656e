"""The Gaussian kernel exp(-|x - y|^2 / (2 width^2))."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.arrays import Array, detach, device, is_numpy, take_rows, to_float
from shearer.kernels import distances
from shearer.kernels.chebyshev import gaussian_total
from shearer.kernels.gram import Index
from shearer.kernels.radial import Radial, RadialGram

# exp(2 xy) and its weights stay within the range of floats, and their product within 1e-13 of exact.
_LARGEST_SPLIT_NORM = 150.0


@dataclass(frozen=True, eq=False)
class GaussianGram(RadialGram):
    """exp(-sum_k scale_k^2 (x_ik - x_jk)^2), of one variable or of several joined."""

    squaring: ClassVar[float] = math.sqrt(2.0)

    @property
    def entry_error(self) -> float:
        """By differences as for all radial kernels; the product form errs by the squared norms, at every entry."""
        if self._points is None:
            return super().entry_error
        return self._product_error(to_float(self.xp.max(self.xp.sum(detach(self._points) ** 2, axis=1))))

    @property
    def total_error(self) -> float:
        """As for entries; where sums take the split form, their exponents err by the squared norms."""
        return self.entry_error if self._split is None else self._product_error(-math.log(self._split[1].min()))

    def _product_error(self, squared_norm: float) -> float:
        return 2 * (self.dimensions + 4) * max(squared_norm, 1.0) + 2

    @cached_property
    def _points(self) -> Array | None:
        """Centred and scaled coordinates where the product form is used, else None."""
        if self.dimensions <= distances.DIRECT_DIMENSIONS:
            return None
        centre = self.xp.mean(detach(self.coordinates), axis=0, keepdims=True)
        points = (self.coordinates - centre) * self.scale
        return points if distances.product_is_safe(detach(points)) else None

    @cached_property
    def _split(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Points z and weights exp(-|z|^2), for exp(-|x - y|^2) = weight_x exp(2 xy) weight_y; None if out of range."""
        if not is_numpy(self.coordinates):
            return None
        points = (self.coordinates - self.coordinates.mean(axis=0, keepdims=True)) * self.scale
        squared = np.einsum("ij,ij->i", points, points)
        return (points, np.exp(-squared)) if float(squared.max()) <= _LARGEST_SPLIT_NORM else None

    def mean_entry(self) -> tuple[float, float] | None:
        """Of a scalar: by the sums of Chebyshev polynomials, unless its values span too many widths."""
        if self.dimensions > 1 or not is_numpy(self.coordinates):
            return None
        values = self.coordinates[:, 0]
        return gaussian_total((values - values.mean()) * self.scale[0])

    def total(self, rows: Index, columns: Index) -> Array:
        """Sums need no distances: one product, one exponential and two weighted sums an entry."""
        if self._split is None:
            return super().total(rows, columns)
        points, weights = self._split
        left, right = 2.0 * points[rows], points[columns]
        cross = np.multiply.outer(left[:, 0], right[:, 0]) if self.dimensions == 1 else left @ right.T
        return weights[rows] @ (np.exp(cross, out=cross) @ weights[columns])

    def exponent(self, rows: Index, columns: Index) -> Array:
        """Squared distances, by differences or by a matrix product."""
        if self._points is None:
            left, right = (take_rows(self.coordinates, index) for index in (rows, columns))
            return distances.direct(left, right, self.scale)
        points = self._points
        squared = distances.product(take_rows(points, rows), take_rows(points, columns))
        same = _same(rows, columns, self.n)
        if same is None:
            return squared
        return self.xp.where(self.xp.asarray(same, device=device(points)), self.xp.zeros_like(squared), squared)


@dataclass(frozen=True)
class Gaussian(Radial):
    """Gaussian kernel, exp(-|x - y|^2 / (2 width^2)), with the Euclidean distance |x - y|.

    Parameters
    ----------
    bandwidth : str, float or callable, default "median"
        The width: a positive number in the unit of the data, or a rule that takes it from the data. Rules by name:
        "median" (the median of the non-zero pairwise distances; beyond 5000 rows, of a fixed sample of rows),
        "silverman", "scott", "knn" (``Neighbors()``), "entropy" (``EntropyFraction()``), and those in the code of the
        paper's authors ("authors-silverman", "authors-demo", "authors-graph", "authors-knn", "authors-dib"). A rule can
        also be ``Neighbors(k)``, ``EntropyFraction(f)``, or a function of the values, an array (n, d), that returns a
        width. Gradients take the width from a rule as constant.
    scale : float, default 1
        A positive factor that the width is multiplied by, as in ``Gaussian("median", scale=0.25)``.

    Examples
    --------
    >>> import shearer as sh
    >>> round(sh.entropy([0.0, 1.0, 2.0], kernel=sh.kernels.Gaussian(bandwidth=1.0)), 6)
    1.193532
    """

    widths: ClassVar[float] = math.sqrt(2.0)
    operator: ClassVar[type[RadialGram]] = GaussianGram


def _same(rows: Index, columns: Index, n: int) -> NDArray[np.bool_] | None:
    """Where row and column are the same observation, or None if nowhere."""
    left, right = (np.arange(n)[index] if isinstance(index, slice) else index for index in (rows, columns))
    if isinstance(rows, slice) and isinstance(columns, slice) and left[-1] < right[0]:
        return None
    return np.equal.outer(left, right)
