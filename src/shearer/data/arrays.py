"""Arrays of any library that follows the array API, seen through one small set of helpers."""

from typing import Any, TypeAlias

import array_api_compat as compat
import numpy as np
from numpy.typing import NDArray

# Arrays of any library. The array API has no static type yet that numpy, torch and the others all satisfy.
Array: TypeAlias = Any
Namespace: TypeAlias = Any


def is_array(candidate: object) -> bool:
    """True for arrays of numpy, torch, cupy, jax, array-api-strict and the like."""
    return bool(compat.is_array_api_obj(candidate)) and not isinstance(candidate, np.generic)


def namespace(*arrays: Array) -> Namespace:
    """The array namespace that the arrays share."""
    return compat.array_namespace(*arrays)


def is_numpy(array: Array) -> bool:
    """True for numpy arrays."""
    return isinstance(array, np.ndarray)


def is_torch(array: Array) -> bool:
    """True for torch tensors; never imports torch."""
    return bool(compat.is_torch_array(array))


def tracks_gradient(array: Array) -> bool:
    """True if the array's library records operations on it for differentiation."""
    return is_torch(array) and bool(array.requires_grad)


def detach(array: Array) -> Array:
    """The same values, cut off from the graph of derivatives."""
    return array.detach() if is_torch(array) else array


def to_numpy(array: Array) -> NDArray[Any]:
    """The same values as a numpy array, on the host, without a graph."""
    if is_torch(array):
        array = array.detach().cpu().resolve_conj().resolve_neg().numpy()
    # A subclass such as numpy's masked arrays passes through as it is.
    return np.asanyarray(array)


def without_graph(data: Any) -> Any:
    """Anything as it is, but tensors as arrays: of one that requires gradients scikit-learn makes none."""
    return to_numpy(data) if is_torch(data) else data


def take_rows(array: Array, rows: "slice | NDArray[Any]") -> Array:
    """Take rows by slice, or by numpy's mask or positions, in any library."""
    if isinstance(rows, slice) or is_numpy(array):
        return array[rows, ...]
    xp = namespace(array)
    places = np.flatnonzero(rows) if rows.dtype == bool else rows
    return xp.take(array, xp.asarray(places, device=device(array)), axis=0)


def device(array: Array) -> Any:
    """Where the array lives."""
    return compat.device(array)


def epsilon(array: Array) -> float:
    """Machine epsilon of the array's floating type."""
    return float(namespace(array).finfo(array.dtype).eps)


def item_size(array: Array) -> int:
    """Bytes of one entry of a floating array."""
    return int(namespace(array).finfo(array.dtype).bits) // 8


def to_float(array: Array) -> float:
    """A 0-d array as a plain number, without a graph."""
    return float(detach(array))


def as_scalar(array: Array) -> Any:
    """A result as its library's users expect it: a float for numpy, a 0-d array elsewhere."""
    return float(array) if isinstance(array, float | int | np.ndarray | np.generic) else array
