"""The Gaussian kernel exp(-|x - y|^2 / (2 width^2))."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shearer._arrays import Array, detach, device, is_numpy, namespace, take_rows, to_numpy
from shearer._columns import Kind
from shearer._variables import Block
from shearer.kernels import bandwidth as rules
from shearer.kernels import distances
from shearer.kernels.base import Kernel
from shearer.kernels.gram import Gram, Index


@dataclass(frozen=True)
class Gaussian(Kernel):
    """Gaussian kernel, exp(-|x - y|^2 / (2 width^2)).

    Parameters
    ----------
    bandwidth : str, float or callable
        The width: a rule by name ("median": the median of the non-zero pairwise distances, of a fixed sample beyond
        5000 rows), a positive number, or a function of the values (n, d). A width from a rule is a constant in
        gradients.

    Examples
    --------
    >>> import shearer as sh
    >>> round(sh.entropy([0.0, 1.0, 2.0], kernel=sh.kernels.Gaussian(bandwidth=1.0)), 6)
    1.193532
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("continuous",)

    bandwidth: str | float | rules.Rule = "median"

    def width(self, values: Array) -> float:
        """The width this kernel takes for the values (n, d)."""
        return rules.resolve(self.bandwidth, to_numpy(values))

    def gram(self, block: Block, like: Array) -> Gram:  # noqa: ARG002 - one signature for all kernels
        """The Gram operator of a block of numbers."""
        values = block.values
        xp = namespace(values)
        scale = 1.0 / (math.sqrt(2.0) * self.width(values))
        # Away from the range of ordinary floats a product of value and scale could leave it: meet in the middle.
        shift = int(np.frexp(scale)[1])
        if abs(shift) > np.finfo(np.float32).maxexp // 2:
            values, scale = values * 2.0**shift, math.ldexp(scale, -shift)
        return GaussianGram(values, xp.full(values.shape[1], scale, dtype=values.dtype, device=device(values)))


@dataclass(frozen=True, eq=False)
class GaussianGram(Gram):
    """exp(-sum_k scale_k^2 (x_ik - x_jk)^2), of one variable or of several joined."""

    coordinates: Array
    scale: Array

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.coordinates.shape[0])

    @property
    def like(self) -> Array:
        """The coordinates."""
        return self.coordinates

    @property
    def entry_error(self) -> float:
        """Error of the exponent times the kernel, which is largest (1/e) at exponent 1; two more for exp."""
        if self._points is None:
            return 0.4 * (self.coordinates.shape[1] + 6) + 2
        # the product form errs by the squared norms, at every entry
        squared = float(self.xp.max(self.xp.sum(detach(self._points) ** 2, axis=1)))
        return 2 * (self.coordinates.shape[1] + 4) * max(squared, 1.0) + 2

    @property
    def is_constant(self) -> bool:
        """True if all rows are equal."""
        return bool(self.xp.all(self.coordinates == self.coordinates[:1, :]))

    @cached_property
    def _points(self) -> Array | None:
        """Centred and scaled coordinates where the product form is used, else None."""
        if self.coordinates.shape[1] <= distances.DIRECT_DIMENSIONS:
            return None
        centre = self.xp.mean(detach(self.coordinates), axis=0, keepdims=True)
        points = (self.coordinates - centre) * self.scale
        return points if distances.product_is_safe(detach(points)) else None

    def block(self, rows: Index, columns: Index) -> Array:
        """Entries, exactly 1 where row and column are the same."""
        if self._points is None:
            left, right = (take_rows(self.coordinates, index) for index in (rows, columns))
            return _decay(distances.direct(left, right, self.scale))
        points = self._points
        squared = distances.product(take_rows(points, rows), take_rows(points, columns))
        same = _same(rows, columns, self.n)
        if same is not None:
            squared = self.xp.where(self.xp.asarray(same, device=device(points)), self.xp.zeros_like(squared), squared)
        return _decay(squared)

    def restrict(self, rows: NDArray[np.intp]) -> Gram:
        """The operator of these rows, with the same widths."""
        return GaussianGram(take_rows(self.coordinates, rows), self.scale)

    def merge(self, other: Gram) -> Gram | None:
        """A product of Gaussians is the Gaussian of the joined coordinates."""
        if not isinstance(other, GaussianGram):
            return None
        xp = self.xp
        return GaussianGram(
            xp.concat([self.coordinates, other.coordinates], axis=1), xp.concat([self.scale, other.scale])
        )


def _decay(squared: Array) -> Array:
    """exp(-squared), with exponents held where exp is fast: far below, it is slow and the result as good as 0."""
    xp = namespace(squared)
    largest = 700.0 if xp.finfo(squared.dtype).bits >= 64 else 80.0
    if is_numpy(squared):
        np.minimum(squared, largest, out=squared)
        np.negative(squared, out=squared)
        return np.exp(squared, out=squared)
    return xp.exp(-xp.clip(squared, max=largest))


def _same(rows: Index, columns: Index, n: int) -> NDArray[np.bool_] | None:
    """Where row and column are the same observation, or None if nowhere."""
    left, right = (np.arange(n)[index] if isinstance(index, slice) else index for index in (rows, columns))
    if left[-1] < right[0] and isinstance(rows, slice) and isinstance(columns, slice):
        return None
    return np.equal.outer(left, right)
