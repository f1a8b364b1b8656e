"""Random tables in which a few columns depend on each other, and a few rows break that dependence."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option, describe, type_error, value_error
from shearer.inference.permutation.resampling import check_count

KINDS = ("visible", "hidden")
# Half the thickness of a diagonal along each axis, and half the gap between the cells of a parity.
_THICKNESS, _GAP = 0.04, 0.15


@dataclass(frozen=True, eq=False)
class PlantedSubspaces:
    """A table, the sets of columns that depend on each other in it, and the rows that break such a dependence.

    Attributes
    ----------
    X : NDArray
        The table, values in [0, 1], shape (n, d).
    y : NDArray[intp]
        1 for an outlier, 0 for any other row.
    subspaces : tuple of tuples of int
        The sets of columns, as positions from 0 in ascending order.
    broken : NDArray[intp]
        For an outlier the position in `subspaces` of the set whose dependence it breaks; -1 for any other row.

    Examples
    --------
    >>> found = planted_subspace(100, sizes=(2,), noise=3, outliers=4, rng=0)
    >>> found.X.shape, int(found.y.sum()), len(found.subspaces)
    ((100, 5), 4, 1)
    """

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    subspaces: tuple[tuple[int, ...], ...]
    broken: NDArray[np.intp]


def planted_subspace(
    n: int = 500,
    *,
    sizes: Iterable[int] = (2, 3),
    noise: int = 10,
    outliers: int = 10,
    kind: str = "visible",
    rng: np.random.Generator | int | None = 0,
) -> PlantedSubspaces:
    """Draw a table with dependent sets of columns among noise, and outliers that only these sets show.

    Each single column has the same distribution for outliers as for other rows, so that no column alone tells them
    apart.

    Parameters
    ----------
    n : int, default 500
        Number of rows, outliers included.
    sizes : iterable of int, default (2, 3)
        How many columns each dependent set has, 2 or more. Sets have no column in common and do not depend on each
        other.
    noise : int, default 10
        Number of columns that depend on nothing.
    outliers : int, default 10
        Number of rows that break the dependence of one set, each set in turn.
    kind : {"visible", "hidden"}, default "visible"
        "visible": the values of a set are nearly equal, which every pair of its columns shows; an outlier has one value
        that is well off the others. "hidden": each value of a set is small or large, and the number of large ones is
        even, for outliers odd; the columns of a set are independent if one of them is left out, for outliers too.
    rng : Generator, int or None, default 0
        Source of randomness; the same seed gives the same table.

    Returns
    -------
    PlantedSubspaces
        The table, which rows are outliers, and the sets.

    Examples
    --------
    >>> planted = planted_subspace(200, sizes=(2,), noise=3, outliers=4)
    >>> planted.X.shape, int(planted.y.sum()), planted.subspaces
    ((200, 5), 4, ((2, 4),))
    >>> first, second = planted.X[:, planted.subspaces[0]].T
    >>> apart = abs(first - second)
    >>> bool(apart[planted.y == 1].min() > 0.15), bool(apart[planted.y == 0].max() < 0.08)
    (True, True)
    """
    check_count("n", n, 1)
    check_count("noise", noise, 0)
    check_count("outliers", outliers, 0)
    check_option("kind", kind, KINDS)
    widths = _check_sizes(sizes)
    if outliers > n or (outliers and not widths):
        raise value_error("outliers", f"at most the {n} rows, and a set to break", describe(outliers))
    generator = np.random.default_rng(rng)
    d = noise + sum(widths)
    order, rows = generator.permutation(d), generator.permutation(n)[:outliers]
    broken = np.full(n, -1, dtype=np.intp)
    broken[rows] = np.arange(outliers) % max(len(widths), 1)
    X = generator.uniform(size=(n, d))
    subspaces = []
    for index, width in enumerate(widths):
        columns = order[sum(widths[:index]) :][:width]
        plant = _diagonal if kind == "visible" else _parity
        X[:, columns] = plant(X[:, columns], broken == index, generator)
        subspaces.append(tuple(sorted(columns.tolist())))
    return PlantedSubspaces(X, (broken >= 0).astype(np.intp), tuple(subspaces), broken)


def _diagonal(uniform: NDArray[Any], broken: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[Any]:
    """Values close to the first; in a broken row one of them goes round by a quarter to three quarters of the range."""
    position = np.repeat(uniform[:, :1], uniform.shape[1], axis=1)
    rows = np.flatnonzero(broken)
    shift = rng.uniform(0.25, 0.75, size=len(rows))
    column = rng.integers(uniform.shape[1], size=len(rows))
    position[rows, column] = (position[rows, column] + shift) % 1.0
    # shrunk so that the thickness stays within the range
    return (1 - 2 * _THICKNESS) * position + 2 * _THICKNESS * rng.uniform(size=position.shape)


def _parity(uniform: NDArray[Any], broken: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[Any]:
    """An even number of large values in each row, an odd one in broken rows."""
    large = rng.integers(2, size=uniform.shape)
    large[:, -1] = (large[:, :-1].sum(axis=1) + broken) % 2
    return (0.5 - _GAP) * uniform + (0.5 + _GAP) * large


def _check_sizes(sizes: Any) -> list[int]:
    """The sizes as a list of whole numbers from 2."""
    if isinstance(sizes, str | bytes) or not isinstance(sizes, Iterable):
        raise type_error("sizes", "whole numbers of 2 or more", describe(sizes), "sizes=(3,) plants one set of three.")
    widths = list(sizes)
    for width in widths:
        check_count("sizes", width, 2)
    return [int(width) for width in widths]
