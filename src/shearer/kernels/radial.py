"""Operators exp(-distance) of joined coordinates: what the Gaussian and the Laplacian have in common."""

import math
from abc import abstractmethod
from dataclasses import InitVar, dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_positive
from shearer.data.arrays import (
    Array,
    detach,
    device,
    is_numpy,
    namespace,
    take_rows,
    to_float,
    to_numpy,
    tracks_gradient,
)
from shearer.data.columns import Kind
from shearer.data.variables import Block
from shearer.kernels import bandwidth as rules
from shearer.kernels.base import Kernel
from shearer.kernels.gram import Gram, Index

# exp of less is slow (denormal numbers) and as good as 0.
LARGEST_EXPONENT, LARGEST_SINGLE_EXPONENT = 700.0, 80.0
# Below, the width of values that differ in their last digits only may be no ordinary float.
_SMALLEST_VALUE = 2.0**-900
# From here on the distances of vectors may be none; they are, divided by this much.
_LARGEST_VALUE, _REDUCTION = 2.0**1021, 2.0**32


@dataclass(frozen=True)
class Radial(Kernel):
    """A kernel of the distance over a width."""

    kinds: ClassVar[tuple[Kind, ...]] = ("continuous",)
    #: Distances are divided by this many widths.
    widths: ClassVar[float]
    #: The operator it makes.
    operator: ClassVar[type["RadialGram"]]

    bandwidth: str | float | rules.Rule = "median"
    scale: InitVar[float] = 1.0

    def __post_init__(self, scale: float) -> None:
        """Refuse a width that no data could have; a scale becomes part of the width."""
        object.__setattr__(self, "bandwidth", rules.scaled(self.bandwidth, check_positive("scale", scale)))

    def width(self, values: Array) -> float:
        """Return the width that this kernel has for values of shape (n, d)."""
        return rules.resolve(self.bandwidth, to_numpy(values))

    def gram(self, block: Block, like: Array) -> Gram:
        """The Gram operator of a block of numbers."""
        values = block.values if isinstance(self.bandwidth, float) else _within_range(block.values)
        scale = 1.0 / (self.widths * self.width(values))
        # Away from the range of ordinary floats a product of value and scale could leave it: meet in the middle.
        shift = math.frexp(scale)[1]
        if abs(shift) > np.finfo(np.float32).maxexp // 2:
            room = namespace(values).finfo(values.dtype).max / max(
                to_float(namespace(values).max(abs(detach(values)))), 1.0
            )
            shift = min(shift, math.frexp(float(room))[1] - 2)
            values, scale = values * 2.0**shift, math.ldexp(scale, -shift)
        scales = namespace(values).full(values.shape[1], scale, dtype=values.dtype, device=device(values))
        return self.operator(values, scales)


@dataclass(frozen=True, eq=False)
class RadialGram(Gram):
    """exp(-exponent) with an exponent that adds up over coordinates: products join the coordinates."""

    #: The square of the kernel is the kernel at this many times the scale.
    squaring: ClassVar[float]

    coordinates: Array
    scale: Array

    @abstractmethod
    def exponent(self, rows: Index, columns: Index) -> Array:
        """Distances, scaled; exactly 0 between a row and itself."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.coordinates.shape[0])

    @property
    def dimensions(self) -> int:
        """Number of coordinates."""
        return int(self.coordinates.shape[1])

    @property
    def like(self) -> Array:
        """The coordinates."""
        return self.coordinates

    @property
    def entry_error(self) -> float:
        """Error of the exponent times the kernel, which is largest (1/e) at exponent 1; two more for exp."""
        return 0.4 * (self.dimensions + 6) + 2

    @property
    def is_constant(self) -> bool:
        """True if all rows are equal."""
        return bool(self.xp.all(self.coordinates == self.coordinates[:1, :]))

    @property
    def is_neutral(self) -> bool:
        """Constant, and not to be differentiated: a gradient of zeros still has to reach the data."""
        return self.is_constant and not tracks_gradient(self.coordinates)

    def block(self, rows: Index, columns: Index) -> Array:
        """Entries, exactly 1 where row and column are the same."""
        return decay(self.exponent(rows, columns))

    def squared(self) -> Self:
        """The same kernel of a smaller width."""
        return type(self)(self.coordinates, self.scale * self.squaring)

    def restrict(self, rows: NDArray[np.intp]) -> Self:
        """The operator of these rows, with the same widths."""
        return type(self)(take_rows(self.coordinates, rows), self.scale)

    def merge(self, other: Gram) -> Self | None:
        """The product of two of a kind is one of the joined coordinates."""
        if type(other) is not type(self):
            return None
        xp = self.xp
        return type(self)(
            xp.concat([self.coordinates, other.coordinates], axis=1), xp.concat([self.scale, other.scale])
        )


def _within_range(values: Array) -> Array:
    """The values; those whose widths are no ordinary floats, being so small or large, times a power of two.

    Rules follow it. Coordinates that are constant, which no distance sees, stay as they are.
    """
    xp = namespace(values)
    fixed = detach(values)
    varying = xp.any(fixed != fixed[:1, :], axis=0)
    sizes = xp.where(varying, xp.max(xp.abs(fixed), axis=0), xp.zeros_like(fixed[0, :]))
    largest = to_float(xp.max(sizes))
    if xp.finfo(values.dtype).bits < 64 or largest == 0.0 or _SMALLEST_VALUE <= largest < _LARGEST_VALUE:
        return values
    factor = 1.0 / (_SMALLEST_VALUE if largest < _SMALLEST_VALUE else _REDUCTION)
    return values * xp.where(varying, xp.full_like(sizes, factor), xp.ones_like(sizes))


def decay(exponent: Array) -> Array:
    """exp(-exponent), held where exp is fast: far below, it is slow and the result as good as 0."""
    xp = namespace(exponent)
    largest = LARGEST_EXPONENT if xp.finfo(exponent.dtype).bits >= 64 else LARGEST_SINGLE_EXPONENT
    if is_numpy(exponent):
        np.minimum(exponent, largest, out=exponent)
        np.negative(exponent, out=exponent)
        return np.exp(exponent, out=exponent)
    return xp.exp(-xp.clip(exponent, max=largest))
