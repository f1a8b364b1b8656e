"""What a kernel is: something that turns a block of values into a Gram operator."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shearer._validate import describe, type_error
from shearer.data.arrays import Array
from shearer.data.columns import Kind
from shearer.data.variables import Block
from shearer.kernels.gram import Gram, hadamard


class Kernel(ABC):
    """Base class of kernels: positive semidefinite similarities, 1 between a value and itself.

    ``first * second`` is the product of two kernels. A kernel of your own is easiest made with `Custom`.

    Examples
    --------
    >>> import shearer as sh
    >>> isinstance(sh.kernels.Gaussian(1.0) * sh.kernels.Laplacian(3.0), Kernel)
    True
    """

    #: The kinds of values it can compare.
    kinds: ClassVar[tuple[Kind, ...]]

    @abstractmethod
    def gram(self, block: Block, like: Array) -> Gram:
        """Make the Gram operator of a block of values.

        Parameters
        ----------
        block : Block
            The values.
        like : Array
            An array of the library, device and floating type to compute in.

        Returns
        -------
        Gram
        """

    def __mul__(self, other: "Kernel") -> "Kernel":
        """The product of two kernels of the same values."""
        return ProductKernel((self, other))


@dataclass(frozen=True)
class ProductKernel(Kernel):
    """Product of kernels of the same values, written ``Gaussian(1.0) * Laplacian(3.0)``.

    Parameters
    ----------
    factors : tuple of Kernel
        The kernels.

    Examples
    --------
    >>> import shearer as sh
    >>> both = sh.kernels.Gaussian(1.0) * sh.kernels.Laplacian(2.0)
    >>> x = [0.0, 1.0, 3.0]
    >>> sh.entropy(x, kernel=both) > sh.entropy(x, kernel=sh.kernels.Gaussian(1.0))
    True
    """

    factors: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        """Refuse factors that are not kernels."""
        for factor in self.factors:
            if not isinstance(factor, Kernel):
                raise type_error("kernel", "a product of kernels", describe(factor))

    @property
    def kinds(self) -> tuple[Kind, ...]:  # type: ignore[override]
        """The kinds that every factor can compare."""
        return tuple(kind for kind in self.factors[0].kinds if all(kind in factor.kinds for factor in self.factors))

    def gram(self, block: Block, like: Array) -> Gram:
        """The Hadamard product of the factors' operators."""
        return hadamard([factor.gram(block, like) for factor in self.factors])
