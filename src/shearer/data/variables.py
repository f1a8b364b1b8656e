"""Named variables of one array library, made of columns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shearer._validate import type_error, value_error
from shearer.data.arrays import Array, Namespace, device, is_numpy, namespace, take_rows, to_numpy
from shearer.data.columns import Column, Kind


@dataclass(frozen=True, eq=False)
class Block:
    """Columns of a variable that share one kernel.

    Attributes
    ----------
    kind : {"continuous", "categorical", "object"}
        What the values are.
    values : Array
        Continuous: floats of shape (n, d). Otherwise: integer codes of shape (n,), numpy.
    levels : sequence
        What the codes stand for.
    """

    kind: Kind
    values: Array
    levels: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class Variable:
    """A named variable: one block, or a continuous and a categorical one when columns of both kinds are grouped."""

    name: str
    blocks: tuple[Block, ...]

    @property
    def kind(self) -> str:
        """The kind of its blocks, or "mixed"."""
        kinds = {block.kind for block in self.blocks}
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.blocks[0].values.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns; labels are one."""
        return sum(math.prod(block.values.shape[1:]) for block in self.blocks)

    def take(self, rows: Any) -> "Variable":
        """Take some of its rows: a slice, a mask or positions."""
        return Variable(self.name, tuple(Block(b.kind, take_rows(b.values, rows), b.levels) for b in self.blocks))

    def stack(self, other: "Variable") -> "Variable":
        """Put the rows of another one below its own, labels by their levels; both in numpy."""
        return Variable(self.name, tuple(_stack(a, b) for a, b in zip(self.blocks, other.blocks, strict=True)))


def common_library(columns: list[Column]) -> tuple[Namespace, Array]:
    """Find the one array library of the columns: numpy, unless some are tensors of another one."""
    arrays = [column.values for column in columns if column.kind == "continuous"]
    foreign = [array for array in arrays if not is_numpy(array)]
    if not foreign:
        return namespace(np.empty(0)), np.empty(0)
    for trait, found in (
        ("of one library", {namespace(array).__name__ for array in foreign}),
        ("on one device", {str(device(array)) for array in foreign}),
    ):
        if len(found) > 1:
            raise type_error("data", f"arrays {trait}", " and ".join(sorted(found)), "Convert them to one of the two.")
    xp = namespace(foreign[0])
    return xp, xp.astype(foreign[0], xp.result_type(*foreign), copy=False)


def join_blocks(parts: list[Column], xp: Namespace, like: Array) -> tuple[Block, ...]:
    """Join the columns of a variable by kind: numbers side by side, labels into one label, objects apart."""
    blocks = []
    numbers = [_convert(part, xp, like) for part in parts if part.kind == "continuous"]
    if numbers:
        blocks.append(Block("continuous", numbers[0] if len(numbers) == 1 else xp.concat(numbers, axis=1)))
    labels = [part for part in parts if part.kind == "categorical"]
    if labels:
        blocks.append(_join_labels(labels))
    blocks.extend(Block("object", part.values, part.levels) for part in parts if part.kind == "object")
    return tuple(blocks)


def _convert(column: Column, xp: Namespace, like: Array) -> Array:
    """Convert numbers to the library, device and floating type of `like`."""
    if is_numpy(like) or not is_numpy(column.values):
        return xp.astype(column.values, like.dtype, copy=False)
    # torch warns of memory that it may not write to, as that of a polars column
    values = xp.asarray(np.require(column.values, requirements="W"), dtype=like.dtype, device=device(like))
    if bool(xp.any(xp.isinf(values))):
        hint = "Convert all arrays to float64."
        raise value_error(column.name, f"numbers within the range of {like.dtype}", "larger ones", hint)
    return values


def _join_labels(labels: list[Column]) -> Block:
    """Join columns of labels to one whose levels are the combinations that occur."""
    if len(labels) == 1:
        return Block("categorical", to_numpy(labels[0].values), labels[0].levels)
    codes = np.stack([to_numpy(label.values) for label in labels], axis=1)
    seen, joined = np.unique(codes, axis=0, return_inverse=True)
    levels = [tuple(label.levels[code] for label, code in zip(labels, row, strict=True)) for row in seen]
    return Block("categorical", joined.reshape(-1), levels)


def _stack(first: Block, second: Block) -> Block:
    if first.kind == "continuous":
        return Block("continuous", np.concatenate([first.values, second.values]))
    if first.levels == second.levels:
        return replace(first, values=np.concatenate([first.values, second.values]))
    levels = list(first.levels)
    places = {level: code for code, level in enumerate(levels)}
    for level in second.levels:
        if level not in places:
            places[level] = len(levels)
            levels.append(level)
    moved = np.array([places[level] for level in second.levels], dtype=np.intp)
    return Block(first.kind, np.concatenate([first.values, moved[second.values]]), levels)
