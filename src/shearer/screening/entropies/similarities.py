"""The squared similarities M = K o K of many variables, tile by tile.

At alpha = 2 an entropy is -log2 of the mean of a product of these matrices, so that all a screening needs is their
entries above the diagonal. Scalar columns under the Gaussian kernel are formed together, label columns too; every
other variable goes through its Gram operator.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each, one_by_one
from shearer.data.table import Presence, Table
from shearer.data.variables import Variable
from shearer.kernels import Gaussian, Gram, Kernel, chosen_kernels
from shearer.kernels import gram as operator_of
from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import ALL, Index
from shearer.screening.entropies import widths
from shearer.screening.entropies.tiles import Strip, Tile

Floats = NDArray[Any]

# Entries formed at a time: half a megabyte of doubles stays in the second-level cache from subtracting to exp.
_PIECE = 2**16
# Powers of two within which squares of values, and of values over widths, are ordinary floats.
_LARGEST_EXPONENT, _LARGEST_WIDTH_EXPONENT = 300, 200
# exp of less is slow (denormal numbers) and as good as 0.
_LARGEST_DECAY, _LARGEST_SINGLE_DECAY = 700.0, 80.0
_DOUBLE = np.dtype(np.float64)
_LIKE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Scalars:
    """Columns of numbers under the Gaussian kernel: M_ij = exp(-rate (x_i - x_j)^2), rate = 1 / width^2."""

    index: NDArray[np.intp]
    values: NDArray[np.float64]
    rates: NDArray[np.float64]
    farthest: float

    def entries(self, strips: Sequence[Strip], part: slice, dtype: np.dtype[Any]) -> Floats:
        """The entries of some pairs, shape (pairs, columns); differences are taken in double whatever the result."""
        values = self.values[:, part]
        squares = np.empty((sum(columns.stop - columns.start for _, columns in strips), values.shape[1]))
        filled = 0
        for row, columns in strips:
            stop = filled + columns.stop - columns.start
            np.subtract(values[columns], values[row], out=squares[filled:stop])
            filled = stop
        np.multiply(squares, squares, out=squares)
        exponents = squares if dtype == np.float64 else np.empty(squares.shape, dtype)
        np.multiply(squares, -self.rates[part], out=exponents, casting="same_kind")
        limit = _LARGEST_DECAY if dtype == np.float64 else _LARGEST_SINGLE_DECAY
        if self.farthest > limit:
            np.maximum(exponents, -limit, out=exponents)
        return np.exp(exponents, out=exponents)

    def restrict(self, variables: NDArray[np.intp], rows: Index) -> "Scalars":
        """Those of some variables, on some rows."""
        index, part = _among(self.index, variables)
        return Scalars(index, np.ascontiguousarray(self.values[rows][:, part]), self.rates[part], self.farthest)


@dataclass(frozen=True, eq=False)
class Labels:
    """Columns of labels under the delta kernel: M_ij = 1 where the codes are equal, else 0."""

    index: NDArray[np.intp]
    codes: NDArray[np.intp]

    def entries(self, strips: Sequence[Strip], part: slice, dtype: np.dtype[Any]) -> Floats:
        """The entries of some pairs, shape (pairs, columns)."""
        codes = self.codes[:, part]
        return np.concatenate([codes[columns] == codes[row] for row, columns in strips]).astype(dtype)

    def restrict(self, variables: NDArray[np.intp], rows: Index) -> "Labels":
        """Those of some variables, on some rows."""
        index, part = _among(self.index, variables)
        return Labels(index, np.ascontiguousarray(self.codes[rows][:, part]))


class Similarities:
    """M = K o K of every variable of a table, with 0 where a row is missing.

    Parameters
    ----------
    table : Table
        The variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.

    Examples
    --------
    >>> from shearer.data import read
    >>> similarities = Similarities(read([0.0, 1.0, 2.0], ["a", "b", "a"]), None)
    >>> similarities.stack(Tile(slice(0, 2), slice(1, 3))).round(3)  # pairs (0, 1), (0, 2), (1, 2)
    array([[0.368, 0.   ],
           [0.018, 1.   ],
           [0.368, 0.   ]])
    """

    def __init__(self, table: Table, kernel: Kernel | Mapping[str, Kernel] | None) -> None:
        self.rows = table.rows
        self.count = len(table.variables)
        self.presence = table.presence
        stated, named = chosen_kernels(kernel, table.names)
        general = stated or Gaussian()
        fast = [_scalar_kernel(variable, general, named.get(variable.name)) for variable in table.variables]
        self.scalars = _read_scalars(table, fast)
        together = set(self.scalars.index.tolist())
        operators = {
            k: operator_of(variable, _LIKE, general, named.get(variable.name))
            for k, variable in enumerate(table.variables)
            if k not in together
        }
        labels = {k: gram for k, gram in operators.items() if isinstance(gram, DeltaGram)}
        self.labels = _read_labels(labels, table.presence)
        self._operators = {
            k: _Embedded(gram.squared(), table.presence.masks[table.presence.pattern[k]])
            for k, gram in operators.items()
            if k not in labels
        }

    def restrict(self, variables: NDArray[np.intp], rows: Index = ALL) -> "Similarities":
        """Those of some variables, in ascending order, on some rows; widths stay what they are."""
        found = copy.copy(self)
        found.presence = self.presence.restrict(variables, rows)
        found.rows, found.count = found.presence.masks.shape[1], len(variables)
        found.scalars = self.scalars.restrict(variables, rows)
        found.labels = self.labels.restrict(variables, rows)
        found._operators = {
            position: self._operators[k].restrict(rows) for position, k in enumerate(variables) if k in self._operators
        }
        return found

    def stack(
        self, tile: Tile, span: slice | None = None, dtype: np.dtype[Any] = _DOUBLE, each: Each = one_by_one
    ) -> Floats:
        """The entries of a tile for the variables of a span, shape (pairs of the tile, variables)."""
        span = span or slice(0, self.count)
        stack = np.empty((tile.size, span.stop - span.start), dtype)
        for group in (self.scalars, self.labels):
            part = slice(*np.searchsorted(group.index, (span.start, span.stop)))
            if part.start == part.stop:
                continue
            fill = partial(_fill, stack, _as_slice(group.index[part] - span.start), group, part)
            each(fill, tile.pieces(max(1, _PIECE // (part.stop - part.start))))
        for k, gram in self._operators.items():
            if span.start <= k < span.stop:
                stack[:, k - span.start] = tile.pick(gram.block(tile.rows, tile.columns))
        if not self.presence.complete:
            stack *= self.present_pairs(tile, dtype)[:, self.presence.pattern[span]]
        return stack

    def present_pairs(self, tile: Tile, dtype: np.dtype[Any]) -> Floats:
        """1 where a pattern has both rows of a pair, else 0; shape (pairs of the tile, patterns)."""
        masks = self.presence.masks.T
        return np.concatenate([masks[columns] & masks[row] for row, columns in tile.strips()]).astype(dtype)


@dataclass(frozen=True, eq=False)
class _Embedded:
    """The operator of the rows that a variable has, seen from all rows; 0 at the missing ones."""

    gram: Gram
    mask: NDArray[np.bool_]

    def restrict(self, rows: Index) -> "_Embedded":
        inside = self.mask[rows]
        position = (np.cumsum(self.mask) - 1)[rows][inside]
        return self if inside.size == self.mask.size else _Embedded(self.gram.restrict(position), inside)

    def block(self, rows: Index, columns: Index) -> NDArray[np.float64]:
        if self.mask.all():
            return np.asarray(self.gram.block(rows, columns))
        position = np.cumsum(self.mask) - 1
        inside = [self.mask[index] for index in (rows, columns)]
        block = np.zeros((len(inside[0]), len(inside[1])))
        if inside[0].any() and inside[1].any():
            block[np.ix_(*inside)] = self.gram.block(position[rows][inside[0]], position[columns][inside[1]])
        return block


def operators(table: Table, kernel: Kernel | Mapping[str, Kernel] | None) -> list[Gram]:
    """The Gram operator K of every variable, on the rows that it has."""
    general, named = chosen_kernels(kernel, table.names)
    return [
        operator_of(variable, _LIKE, general or Gaussian(), named.get(variable.name)) for variable in table.variables
    ]


def _scalar_kernel(variable: Variable, general: Kernel, own: Kernel | None) -> Gaussian | None:
    """The Gaussian kernel of a variable that is one column of numbers, None for any other variable."""
    kernel = general if own is None else own
    block = variable.blocks[0]
    is_column = len(variable.blocks) == 1 and block.kind == "continuous" and block.values.shape[1] == 1
    return kernel if is_column and type(kernel) is Gaussian else None


def _read_scalars(table: Table, kernels: Sequence[Gaussian | None]) -> Scalars:
    """The scalar columns with their widths; without those whose numbers are too large or too small to be squared."""
    index = np.array([k for k, kernel in enumerate(kernels) if kernel is not None], dtype=np.intp)
    values = np.zeros((len(index), table.rows))
    for column, k in zip(values, index, strict=True):
        column[table.presence.masks[table.presence.pattern[k]]] = table.variables[k].blocks[0].values[:, 0]
    ordinary = np.max(np.abs(values), axis=1, initial=0.0) < 2.0**_LARGEST_EXPONENT
    found = np.ones(len(index))
    found[ordinary] = _widths(table, kernels, index[ordinary])
    ordinary &= np.abs(np.log2(found)) < _LARGEST_WIDTH_EXPONENT
    index, values, found = index[ordinary], values[ordinary], found[ordinary]
    rates = 1.0 / found**2
    farthest = np.max(np.ptp(values, axis=1) ** 2 * rates, initial=0.0)
    return Scalars(index, np.ascontiguousarray(values.T), rates, float(farthest))


def _widths(table: Table, kernels: Sequence[Gaussian | None], index: NDArray[np.intp]) -> NDArray[np.float64]:
    """The width of each scalar column from the rows that it has; medians of short columns all at once."""
    found = np.empty(len(index))
    lengths: dict[int, list[int]] = {}
    for position, k in enumerate(index):
        kernel, column = kernels[k], table.variables[k].blocks[0].values
        assert kernel is not None
        if kernel.bandwidth == "median" and len(column) <= widths.MOST_ROWS:
            lengths.setdefault(len(column), []).append(position)
        else:
            found[position] = kernel.width(column)
    for positions in lengths.values():
        columns = np.array([table.variables[index[position]].blocks[0].values[:, 0] for position in positions])
        found[positions] = widths.medians(columns)
    return found


def _read_labels(grams: Mapping[int, DeltaGram], presence: Presence) -> Labels:
    codes = np.zeros((presence.masks.shape[1], len(grams)), dtype=np.intp)
    for column, (k, gram) in enumerate(grams.items()):
        codes[presence.masks[presence.pattern[k]], column] = gram.codes
    return Labels(np.array(list(grams), dtype=np.intp), codes)


def _fill(
    stack: Floats,
    place: slice | NDArray[np.intp],
    group: Scalars | Labels,
    part: slice,
    piece: tuple[int, list[Strip]],
) -> None:
    """Write the entries of one piece of a tile, for the variables of a group."""
    start, strips = piece
    entries = group.entries(strips, part, stack.dtype)
    stack[start : start + len(entries), place] = entries


def _among(index: NDArray[np.intp], variables: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of some variables are in the index, and where in it they are."""
    here = np.flatnonzero(np.isin(variables, index))
    return here, np.searchsorted(index, variables[here])


def _as_slice(index: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Consecutive indices as a slice, which writes without a detour."""
    first, last = int(index[0]), int(index[-1])
    return slice(first, last + 1) if last - first + 1 == len(index) else index
