"""What is frozen before the first row: variables, kernels with their widths, and the rows that serve as landmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import type_error
from shearer.data.variables import Block, Variable
from shearer.kernels import Delta, Gaussian, Gram, Kernel, Laplacian, ProductKernel, chosen_kernels, hadamard, kernel_of
from shearer.kernels.radial import Radial
from shearer.sketching.rows import as_labels, stacked, taken

_NAMES: dict[str, type[Radial]] = {"Gaussian": Gaussian, "Laplacian": Laplacian}
_LIKE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Frame:
    """Kernels with numbers for widths, one for each block of each variable, and landmarks.

    Attributes
    ----------
    kernels : tuple of tuples of Kernel
        By variable and block.
    landmarks : tuple of Variable
        The landmarks of all subsets.
    """

    kernels: tuple[tuple[Kernel, ...], ...]
    landmarks: tuple[Variable, ...]

    @classmethod
    def of(cls, variables: Sequence[Variable], kernel: Kernel | Mapping[str, Kernel] | None) -> Frame:
        """Kernels whose widths come from a sample, without landmarks yet."""
        general, named = chosen_kernels(kernel, [item.name for item in variables])
        kernels = tuple(
            tuple(
                _frozen(kernel_of(item, block, general or Gaussian(), named.get(item.name)), block)
                for block in item.blocks
            )
            for item in variables
        )
        frame = cls(kernels, ())
        return cls(kernels, taken(frame.prepared(variables), slice(0, 0)))

    @property
    def size(self) -> int:
        """Number of landmarks."""
        return self.landmarks[0].rows

    def prepared(self, variables: Sequence[Variable]) -> tuple[Variable, ...]:
        """Numbers under a delta kernel as labels."""
        return tuple(
            Variable(
                item.name,
                tuple(
                    as_labels(block) if isinstance(kernel, Delta) and block.kind == "continuous" else block
                    for block, kernel in zip(item.blocks, own, strict=True)
                ),
            )
            for item, own in zip(variables, self.kernels, strict=True)
        )

    def with_landmarks(self, variables: Sequence[Variable]) -> Frame:
        """The same kernels with these rows as landmarks."""
        return Frame(self.kernels, tuple(variables))

    def grams(self, variables: Sequence[Variable]) -> list[Gram]:
        """The operator of every variable on the landmarks, followed by these rows."""
        return self._operators(stacked(self.landmarks, variables))

    def sample_grams(self, variables: Sequence[Variable]) -> list[Gram]:
        """The operator of every variable on these rows alone."""
        return self._operators(variables)

    def _operators(self, variables: Sequence[Variable]) -> list[Gram]:
        return [
            hadamard([kernel.gram(block, _LIKE) for block, kernel in zip(item.blocks, own, strict=True)])
            for item, own in zip(variables, self.kernels, strict=True)
        ]

    def is_labels(self, variable: int) -> bool:
        """True if a variable is nothing but labels, equal or not."""
        return all(isinstance(kernel, Delta) for kernel in self.kernels[variable])


def _frozen(kernel: Kernel, block: Block) -> Kernel:
    if isinstance(kernel, Delta):
        return kernel
    if type(kernel) in _NAMES.values() and isinstance(kernel, Radial):
        return type(kernel)(kernel.width(block.values))
    if isinstance(kernel, ProductKernel):
        return ProductKernel(tuple(_frozen(factor, block) for factor in kernel.factors))
    hint = "A kernel of your own would have to be evaluated at rows that are gone."
    raise type_error("kernel", "Gaussian, Laplacian, Delta or products of them", type(kernel).__name__, hint)


def describe_kernel(kernel: Kernel) -> dict[str, Any]:
    """A frozen kernel as plain data."""
    if isinstance(kernel, ProductKernel):
        return {"kernel": "product", "factors": [describe_kernel(factor) for factor in kernel.factors]}
    if isinstance(kernel, Radial):
        return {"kernel": type(kernel).__name__, "width": float(kernel.bandwidth).hex()}  # type: ignore[arg-type]
    return {"kernel": "Delta"}


def kernel_from(described: dict[str, Any]) -> Kernel:
    """The kernel that `describe_kernel` described."""
    if described["kernel"] == "product":
        return ProductKernel(tuple(kernel_from(factor) for factor in described["factors"]))
    if described["kernel"] == "Delta":
        return Delta()
    return _NAMES[described["kernel"]](float.fromhex(described["width"]))


def hashed(variables: Sequence[Variable], seed: int) -> NDArray[np.float64]:
    """A number between 0 and 1 for each row that depends on its values and the seed alone.

    Random enough to draw rows by, and the same however the rows are cut into chunks and merged.
    """
    mixed = np.full(variables[0].rows, seed % 2**64, dtype=np.uint64)
    for item in variables:
        for block in item.blocks:
            if block.kind == "continuous":
                for column in np.ascontiguousarray(block.values.T + 0.0):  # -0 is 0
                    mixed = _mix(mixed ^ column.view(np.uint64))
            else:
                mixed = _mix(mixed ^ _level_bits(block)[block.values])
    return (np.asarray(mixed >> np.uint64(11), dtype=np.float64) + 0.5) * 2.0**-53


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A step of splitmix64 (Steele, Lea and Flood 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = bits ^ (bits >> np.uint64(31))
    return mixed


def _level_bits(block: Block) -> NDArray[np.uint64]:
    import hashlib

    digests = [
        hashlib.blake2b(str(level).encode("utf-8", "surrogatepass"), digest_size=8).digest() for level in block.levels
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
