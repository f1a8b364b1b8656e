"""Kernels, rules for their bandwidths, and the Gram operators that they make of variables.

One kernel is used for all continuous variables; labels have the delta kernel unless a mapping names another.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shearer._validate import check_names, describe, type_error
from shearer.data.table import Table
from shearer.data.variables import Block, Variable
from shearer.kernels import bandwidth
from shearer.kernels.bandwidth import EntropyFraction, Neighbors
from shearer.kernels.base import Kernel, ProductKernel
from shearer.kernels.delta import Delta
from shearer.kernels.gaussian import Gaussian
from shearer.kernels.gram import Gram, hadamard
from shearer.kernels.laplacian import Laplacian
from shearer.kernels.precomputed import Custom, Precomputed

__all__ = [
    "Custom",
    "Delta",
    "EntropyFraction",
    "Gaussian",
    "Gram",
    "Kernel",
    "Laplacian",
    "Neighbors",
    "Precomputed",
    "ProductKernel",
    "bandwidth",
    "gram",
    "grams",
    "hadamard",
]

_EXPECTED = "a kernel such as kernels.Gaussian(), or a mapping of name -> kernel"


def grams(table: Table, kernel: Kernel | Mapping[str, Kernel] | None = None) -> tuple[Gram, ...]:
    """Make the Gram operator of every variable of a table.

    Parameters
    ----------
    table : Table
        From `shearer.data.read`.
    kernel : Kernel or mapping of name -> Kernel, optional
        For all continuous variables, or for the named ones. Default: Gaussian of median width; labels: delta.

    Returns
    -------
    tuple of Gram
        One for each variable, in the order of the table.

    Examples
    --------
    >>> from shearer.data import read
    >>> [type(own).__name__ for own in grams(read({"x": [0.0, 1.0], "label": ["a", "b"]}))]
    ['GaussianGram', 'DeltaGram']
    """
    general, named = chosen_kernels(kernel, table.names)
    return tuple(gram(own, table.like, general or Gaussian(), named.get(own.name)) for own in table.variables)


def kernels_among(kernel: Kernel | Mapping[str, Kernel] | None, names: Collection[str]) -> Any:
    """Of kernels by name, those of some variables; a kernel for all, or none, as it is."""
    if not isinstance(kernel, Mapping):
        return kernel
    return {name: own for name, own in kernel.items() if name in names}


def chosen_kernels(
    kernel: Kernel | Mapping[str, Kernel] | None, names: Sequence[str]
) -> tuple[Kernel | None, dict[str, Kernel]]:
    """The kernel for all continuous variables, and those of single ones, as the user stated them."""
    if isinstance(kernel, Mapping):
        known = set(names)  # of many variables, all may be named
        check_names("kernel", [str(name) for name in kernel if str(name) not in known], names)
        return None, {str(name): _check_kernel(own) for name, own in kernel.items()}
    return (None if kernel is None else _check_kernel(kernel)), {}


def gram(variable: Variable, like: Any, general: Kernel, own: Kernel | None = None) -> Gram:
    """Make the Gram operator of one variable.

    Parameters
    ----------
    variable : Variable
        Of a table from `shearer.data.read`.
    like : array
        An array of the library, device and floating type to compute in.
    general : Kernel
        For numbers, unless `own` is given; labels then have the delta kernel.
    own : Kernel, optional
        The kernel of this variable, whatever its values.

    Returns
    -------
    Gram

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read([0.0, 1.0, 3.0])
    >>> gram(table.variables[0], table.like, Gaussian(1.0)).n
    3
    """
    return hadamard([kernel_of(variable, block, general, own).gram(block, like) for block in variable.blocks])


def kernel_of(variable: Variable, block: Block, general: Kernel, own: Kernel | None) -> Kernel:
    """The kernel of one block of a variable: its own, or by the kind of its values."""
    if own is None and block.kind == "categorical":
        return Delta()
    chosen = general if own is None else _check_kernel(own)
    if block.kind in chosen.kinds:
        return chosen
    if block.kind == "categorical" and variable.kind == "mixed":
        return Delta()
    if block.kind == "object":
        types = ", ".join(sorted({type(block.levels[code]).__name__ for code in block.values}))
        hint = "Pass numbers, strings or booleans, or name a kernel that compares them."
        raise type_error(variable.name, "numbers or labels", f"objects ({types})", hint)
    hint = "Leave labels to the delta kernel, or turn them into numbers." if block.kind == "categorical" else ""
    raise type_error("kernel", f"one for {block.kind} values", f"{type(chosen).__name__} for {variable.name!r}", hint)


def _check_kernel(candidate: Any) -> Kernel:
    if not isinstance(candidate, Kernel):
        got = describe(candidate)
        hint = "Make an instance: Gaussian()." if isinstance(candidate, type) else ""
        raise type_error("kernel", _EXPECTED, got, hint)
    return candidate
