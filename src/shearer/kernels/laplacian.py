"""The Laplacian kernel exp(-|x - y|_1 / width)."""

from dataclasses import dataclass
from typing import ClassVar

from shearer.data.arrays import Array, take_rows
from shearer.kernels import distances
from shearer.kernels.gram import Index
from shearer.kernels.radial import Radial, RadialGram


@dataclass(frozen=True, eq=False)
class LaplacianGram(RadialGram):
    """exp(-sum_k scale_k |x_ik - x_jk|), of one variable or of several joined."""

    squaring: ClassVar[float] = 2.0

    def exponent(self, rows: Index, columns: Index) -> Array:
        """Sums of absolute differences."""
        left, right = (take_rows(self.coordinates, index) for index in (rows, columns))
        return distances.absolute(left, right, self.scale)


@dataclass(frozen=True)
class Laplacian(Radial):
    """Laplacian kernel, exp(-|x - y|_1 / width), with the sum of absolute differences |x - y|_1.

    It is less smooth than the Gaussian kernel. In gradients the derivative between equal values is taken as 0.

    Parameters
    ----------
    bandwidth : str, float or callable, default "median"
        The width, as in `Gaussian`. The rules measure Euclidean distances for this kernel too.
    scale : float, default 1
        As in `Gaussian`.

    Examples
    --------
    >>> import shearer as sh
    >>> round(sh.entropy([0.0, 1.0, 2.0], kernel=sh.kernels.Laplacian(bandwidth=1.0)), 6)
    1.448669
    """

    widths: ClassVar[float] = 1.0
    operator: ClassVar[type[RadialGram]] = LaplacianGram
