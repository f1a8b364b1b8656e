"""The one table that every function works on: named variables, their roles, and the rows that each of them has."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.arrays import Array, Namespace, is_numpy, namespace, to_numpy
from shearer.data.columns import Columns
from shearer.data.variables import Variable, common_library, join_blocks


@dataclass(frozen=True, eq=False)
class Presence:
    """Which rows each variable has; variables that lack the same rows share a pattern.

    Attributes
    ----------
    masks : NDArray[bool]
        One row for each pattern, one column for each row of the table.
    pattern : NDArray[intp]
        The pattern of each variable.
    """

    masks: NDArray[np.bool_]
    pattern: NDArray[np.intp]

    @classmethod
    def of(cls, present: NDArray[np.bool_]) -> "Presence":
        """Find the patterns of a mask for each variable, in ascending order.

        Examples
        --------
        >>> Presence.of(np.array([[True, True], [False, True], [True, True]])).pattern
        array([1, 0, 1])
        """
        keys = [row.tobytes() for row in np.packbits(present, axis=1)]  # compared far faster than rows of truth values
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
        number = {key: k for k, key in enumerate(sorted(first))}
        masks = present[[first[key] for key in number]]
        return cls(masks, np.array([number[key] for key in keys], dtype=np.intp))

    @cached_property
    def complete(self) -> bool:
        """True if no variable lacks a row."""
        return bool(self.masks.all())

    def rows(self, variable: int) -> NDArray[np.intp]:
        """Find the rows in which a variable has a value."""
        return np.flatnonzero(self.masks[self.pattern[variable]])

    @cached_property
    def common(self) -> NDArray[np.intp]:
        """Count the rows that two patterns have in common."""
        ones = self.masks.astype(np.float64)  # a product of floats is far faster, and exact below 2^53
        return (ones @ ones.T).astype(np.intp)

    def restrict(self, variables: NDArray[np.intp], rows: Any) -> "Presence":
        """Restrict it to some variables and some rows."""
        used, pattern = np.unique(self.pattern[variables], return_inverse=True)
        return Presence(self.masks[used][:, rows], pattern.reshape(-1))

    def counts(self, left: slice, right: slice) -> NDArray[np.intp]:
        """Count the rows that variables of two ranges have in common, pair by pair."""
        return self.common[np.ix_(self.pattern[left], self.pattern[right])]


@dataclass(frozen=True, eq=False)
class Table:
    """Named variables that were observed together.

    Attributes
    ----------
    variables : tuple of Variable
        Each on the rows that it has; those with a role last.
    rows : int
        Rows of the table, those without a value in some variables included.
    presence : Presence
        Which rows each variable has.
    given : tuple of str
        Names of the variables conditioned on.
    targets : tuple of str
        Names of the variables with which the others are compared.
    single_target : bool
        True if one target was asked for, not a collection of them.
    dropped : int
        Rows left out because a value was missing.
    pairwise : bool
        True if each pair shall use the rows that both have.
    like : Array
        An array of the library of the numbers, for device and floating type.
    library : str
        Whose tables the caller uses: "pandas", "pyarrow" or, by default, "polars".
    columns : dict
        Where each variable keeps its own rows: the columns that it was read from, all rows. Not of choices of
        variables or rows.

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read({"a": [1, 2, None], "b": [3, 4, 5], "c": list("xyx")}, missing="pairwise", pairwise=True)
    >>> table.choose([0, 2]).names, table.common([0, 1]).rows, table.take([0, 2]).rows
    (('a', 'c'), 2, 2)
    """

    variables: tuple[Variable, ...]
    rows: int
    presence: Presence
    given: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    single_target: bool = True
    dropped: int = 0
    pairwise: bool = False
    like: Array = field(default_factory=lambda: np.empty(0))
    library: str = "polars"
    columns: Columns = field(default_factory=dict)

    @classmethod
    def of(cls, variables: Sequence[Variable]) -> "Table":
        """Make a table of variables in numpy that all have the same rows."""
        rows = variables[0].rows
        return cls(tuple(variables), rows, complete_presence(rows, len(variables)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def free(self) -> int:
        """How many variables, the first ones, have no role."""
        return len(self.variables) - len(self.given) - len(self.targets)

    @property
    def xp(self) -> Namespace:
        """The array library of the numbers."""
        return namespace(self.like)

    def as_numpy(self) -> "Table":
        """Move numbers to the host, in float64."""
        if is_numpy(self.like):
            return self
        return replace(self, variables=tuple(_in_numpy(variable) for variable in self.variables), like=np.empty(0))

    def choose(self, places: Sequence[int] | NDArray[np.intp]) -> "Table":
        """Choose variables by their places; they lose their roles."""
        chosen = np.asarray(places, dtype=np.intp)
        variables = tuple(self.variables[k] for k in chosen)
        presence = self.presence.restrict(chosen, slice(None))
        return replace(self, variables=variables, presence=presence, given=(), targets=(), columns={})

    def take(self, rows: Any) -> "Table":
        """Take rows of the table, by a mask or by positions: of every variable those that it has."""
        chosen = np.asarray(rows)
        count = int(chosen.sum()) if chosen.dtype == bool else len(chosen)
        if self.presence.complete:
            variables = tuple(variable.take(chosen) for variable in self.variables)
        else:
            masks = self.presence.masks[self.presence.pattern]
            variables = tuple(
                variable.take(_own_rows(mask, chosen)) for variable, mask in zip(self.variables, masks, strict=True)
            )
        presence = Presence(self.presence.masks[:, chosen], self.presence.pattern)
        return replace(self, variables=variables, rows=count, presence=presence, columns={})

    def common(self, places: Sequence[int] | NDArray[np.intp]) -> "Table":
        """Choose variables by their places, on the rows that all of them have."""
        masks = [self.presence.masks[self.presence.pattern[k]] for k in places]
        both = np.logical_and.reduce(masks)
        variables = [self.variables[k].take(both[mask]) for k, mask in zip(places, masks, strict=True)]
        return replace(Table.of(variables), like=self.like, library=self.library)

    def common_columns(self, places: Sequence[int] | NDArray[np.intp]) -> list[NDArray[Any]]:
        """Take variables of one block each on the rows that all of them have, labels as text."""
        columns = []
        for variable in self.common(places).variables:
            (block,) = variable.blocks
            values = np.asarray(block.values)
            # a letter, or they would be taken for numbers
            columns.append(values if block.kind == "continuous" else np.char.add("v", values.astype(str)))
        return columns

    def sample(self, most: int, seed: int) -> "Table":
        """Draw at most so many rows without replacement, kept in order."""
        if self.rows <= most:
            return self
        rows = np.zeros(self.rows, dtype=bool)
        rows[np.random.default_rng(seed).permutation(self.rows)[:most]] = True
        return self.take(rows)


def complete_presence(rows: int, variables: int) -> Presence:
    """State that every variable has every row."""
    return Presence(np.ones((1, rows), dtype=bool), np.zeros(variables, dtype=np.intp))


def table_from_columns(
    columns: Columns,
    *,
    given: Collection[str] = (),
    targets: Collection[str] = (),
    single_target: bool = False,
    dropped: int = 0,
    pairwise: bool = True,
    library: str = "polars",
) -> Table:
    """Make a table of columns; with `pairwise`, each variable keeps the rows in which it has a value."""
    xp, like = common_library([part for parts in columns.values() for part in parts])
    rows = next(iter(columns.values()))[0].rows
    if pairwise:
        present = np.array([~np.logical_or.reduce([part.missing for part in parts]) for parts in columns.values()])
        presence = Presence.of(present)
        own = [
            parts if mask.all() else [part.take(np.flatnonzero(mask)) for part in parts]
            for parts, mask in zip(columns.values(), present, strict=True)
        ]
    else:
        presence, own = complete_presence(rows, len(columns)), list(columns.values())
    variables = (Variable(name, join_blocks(parts, xp, like)) for name, parts in zip(columns, own, strict=True))
    return Table(
        tuple(variables), rows, presence, tuple(given), tuple(targets), single_target, dropped, pairwise, like, library,
        columns if pairwise else {},
    )  # fmt: skip


def _own_rows(mask: NDArray[np.bool_], rows: NDArray[Any]) -> NDArray[Any]:
    """Translate rows of a table to rows of a variable that has values where the mask is true."""
    if rows.dtype == bool:
        return rows[mask]
    places: NDArray[np.intp] = np.cumsum(mask) - 1
    found: NDArray[np.intp] = places[rows[mask[rows]]]
    return found


def _in_numpy(variable: Variable) -> Variable:
    """Convert the numbers of a variable to float64 on the host."""
    blocks = []
    for block in variable.blocks:
        values = to_numpy(block.values)
        blocks.append(
            replace(block, values=values.astype(np.float64, copy=False) if block.kind == "continuous" else values)
        )
    return Variable(variable.name, tuple(blocks))
