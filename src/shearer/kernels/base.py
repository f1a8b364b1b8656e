"""What a kernel is: something that turns a block of values into a Gram operator."""

from abc import ABC, abstractmethod
from typing import ClassVar

from shearer._arrays import Array
from shearer._columns import Kind
from shearer._variables import Block
from shearer.kernels.gram import Gram


class Kernel(ABC):
    """A similarity of values: positive semidefinite, 1 between a value and itself."""

    #: The kinds of values it can compare.
    kinds: ClassVar[tuple[Kind, ...]]

    @abstractmethod
    def gram(self, block: Block, like: Array) -> Gram:
        """The Gram operator of the block's values.

        Parameters
        ----------
        block : Block
            The values.
        like : Array
            An array of the library, device and floating type to compute in.
        """
