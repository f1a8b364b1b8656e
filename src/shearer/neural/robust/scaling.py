"""Bringing inputs and targets to one scale, and back."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scaling:
    """x -> (x - center) / scale, for each column."""

    center: Floats
    scale: Floats

    @classmethod
    def identity(cls, shape: tuple[int, ...]) -> "Scaling":
        """Leaves values as they are."""
        return cls(np.zeros(shape), np.ones(shape))

    @classmethod
    def standard(cls, values: Floats) -> "Scaling":
        """Mean 0 and standard deviation 1; constant columns become 0."""
        return cls(values.mean(axis=0), _nonzero(_deviation(values), values))

    @classmethod
    def robust(cls, values: Floats) -> "Scaling":
        """Median 0 and the quartiles of a standard normal variable, which single wild values do not move.

        Where half of the values are equal, the standard deviation takes the place of the quartiles.

        Examples
        --------
        >>> import numpy as np
        >>> y = np.array([[0.0], [1.0], [2.0], [3.0], [1e9]])
        >>> scaling = Scaling.robust(y)
        >>> scaling.center, (scaling.scale * 1.349).round(3)
        (array([2.]), array([2.]))
        """
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        # 1.349 standard deviations lie between the quartiles of a normal variable
        scale = np.where(high > low, (high - low) / 1.349, _deviation(values))
        return cls(middle, _nonzero(scale, values))

    def apply(self, values: Floats) -> Floats:
        """Scaled values."""
        return (values - self.center) / self.scale

    def undo(self, values: Floats) -> Floats:
        """Values on their own scale."""
        return values * self.scale + self.center


def _deviation(values: Floats) -> Floats:
    """Standard deviations; of values over a power of 2, exactly, so that no square overflows or vanishes."""
    exponents = np.frexp(np.abs(values).max(axis=0))[1]
    deviation: Floats = np.ldexp(np.ldexp(values, -exponents).std(axis=0), exponents)
    return deviation


def _nonzero(scale: Floats, values: Floats) -> Floats:
    """Round-off of a constant column is no scale."""
    return np.where(scale > 10 * np.finfo(np.float64).eps * np.abs(values).max(axis=0), scale, 1.0)
