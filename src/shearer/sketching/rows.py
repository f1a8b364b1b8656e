"""Chunks of rows as variables of the same names, kinds and dimensions as the first sample."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import listing, value_error
from shearer.data import Table, read
from shearer.data.arrays import is_array
from shearer.data.columns import DOUBLE_EPSILON
from shearer.data.sources import is_frame, open_source
from shearer.data.variables import Block, Variable

_LARGEST_WHOLE = int(1 / DOUBLE_EPSILON)


def read_chunk(
    data: tuple[Any, ...],
    given: Any = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    missing: str = "error",
    only: Collection[str] | None = None,
) -> Table:
    """Read a chunk of rows, of which there may be none, such that values of all chunks can be compared."""
    check_origins(data)
    table = read(*data, given=given, groups=groups, kinds=kinds, missing=missing, only=only, fewest_rows=0).as_numpy()
    return replace(table, variables=tuple(_with_tokens(variable) for variable in table.variables))


def check_origins(data: tuple[Any, ...]) -> None:
    """Refuse chunks whose values cannot be compared with those of others."""
    for source in data:
        for name, item in source.items() if isinstance(source, Mapping) else [("data", source)]:
            _check_origin(str(name), item)


def _check_origin(name: str, source: Any) -> None:
    """Refuse what is read relative to its first value, which every chunk would have its own of."""
    opened = open_source(source, name)
    if is_frame(opened):
        columns = [(str(label), column) for label, column in zip(opened.columns, opened.iter_columns(), strict=True)]
    else:
        columns = [(name, opened)]
    for label, column in columns:
        if is_array(column):
            kind = getattr(column.dtype, "kind", None)  # of numpy; other libraries have no times
            times, whole = kind in ("m", "M"), kind in ("i", "u") and column.shape[0] > 0
        else:
            times = bool(column.dtype.is_temporal())
            whole = bool(column.dtype.is_integer()) and column.count() > 0
        if times:
            hint = "Pass numbers, counted from a moment that all chunks share."
            raise value_error(label, "numbers or labels", "dates or times", hint)
        if whole and max(abs(int(column.min())), abs(int(column.max()))) > _LARGEST_WHOLE:
            hint = "Subtract the same number from all chunks."
            raise value_error(label, f"whole numbers of at most {_LARGEST_WHOLE}", "larger ones", hint)


def _with_tokens(variable: Variable) -> Variable:
    """The same variable with levels as texts that tell types apart."""
    blocks = (
        block if block.kind == "continuous" else replace(block, levels=[_token(level) for level in block.levels])
        for block in variable.blocks
    )
    return Variable(variable.name, tuple(blocks))


def _token(level: Any) -> str:
    if isinstance(level, str):
        return level
    if isinstance(level, tuple):
        return "\x1f".join(map(_token, level))
    return f"\x1e{type(level).__name__} {level!r}"


def as_labels(block: Block) -> Block:
    """Numbers that are only equal or not, as labels."""
    seen, codes = np.unique(block.values, axis=0, return_inverse=True)
    return Block(
        "categorical", codes.reshape(-1), ["\x1f".join(f"{value!r}" for value in row.tolist()) for row in seen]
    )


def check_alike(variables: Sequence[Variable], frozen: Sequence[Variable]) -> tuple[Variable, ...]:
    """The variables in the order of the frozen ones, or an error that says where they differ."""
    found = {item.name: item for item in variables}
    wanted = [item.name for item in frozen]
    if set(found) != set(wanted):
        hint = "A chunk has the columns of the sample that Sketch.like was given."
        raise value_error("data", f"the variables {listing(wanted)}", listing(list(found)), hint)
    for like in frozen:
        expected, got = _shape(like), _shape(found[like.name])
        if expected != got and found[like.name].rows:
            raise value_error(like.name, f"{expected}, as in the sample", got)
    return tuple(found[name] for name in wanted)


def _shape(variable: Variable) -> str:
    words = {"continuous": "numbers", "categorical": "labels", "object": "objects"}
    parts = [
        f"{words[b.kind]} of {b.values.shape[1]}" if b.kind == "continuous" else words[b.kind] for b in variable.blocks
    ]
    return " and ".join(parts) + " dimensions" * any(block.kind == "continuous" for block in variable.blocks)


def combinations_of(blocks: Sequence[Block]) -> tuple[list[tuple[str, ...]], NDArray[np.intp]]:
    """The combinations of labels that occur in several blocks, and which of them each row has."""
    if len(blocks) == 1:
        return [(str(level),) for level in blocks[0].levels], blocks[0].values
    joined = np.zeros(len(blocks[0].values), dtype=np.int64)
    for block in blocks:
        joined = np.unique(joined * max(1, len(block.levels)) + block.values, return_inverse=True)[1].reshape(-1)
    first = np.unique(joined, return_index=True)[1]
    return [tuple(str(block.levels[block.values[row]]) for block in blocks) for row in first], joined


def taken(variables: Iterable[Variable], rows: NDArray[np.intp] | slice) -> tuple[Variable, ...]:
    """Take some of the rows of every variable."""
    return tuple(item.take(rows) for item in variables)


def stacked(first: Sequence[Variable], second: Sequence[Variable]) -> tuple[Variable, ...]:
    """Put the rows of the second variables below those of the first, labels by their levels."""
    return tuple(one.stack(other) for one, other in zip(first, second, strict=True))
