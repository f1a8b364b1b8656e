"""What is screened: variables as numpy arrays, and the rows that each of them has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_option, describe, value_error
from shearer.data.arrays import is_array, to_numpy
from shearer.data.reading import Sources, read_sources, read_variables
from shearer.data.sources import is_frame, open_source, series_name
from shearer.data.variables import Block, Variable, Variables, common_library, join_blocks

MISSING = ("error", "drop", "pairwise")
_FRAME_LIBRARIES = ("pandas", "pyarrow")
# Rows and columns of a matrix that is read at once; of smaller ones the door knows more, and they are quick to read.
_PLAIN = 10


@dataclass(frozen=True, eq=False)
class Presence:
    """Which rows each variable has; variables with the same gaps share a pattern.

    Attributes
    ----------
    masks : NDArray[bool]
        One row for each pattern, one column for each observation.
    pattern : NDArray[intp]
        The pattern of each variable.
    """

    masks: NDArray[np.bool_]
    pattern: NDArray[np.intp]

    @cached_property
    def complete(self) -> bool:
        """True if no variable lacks a row."""
        return bool(self.masks.all())

    def rows(self, variable: int) -> NDArray[np.intp]:
        """The rows that a variable has."""
        return np.flatnonzero(self.masks[self.pattern[variable]])

    @cached_property
    def common(self) -> NDArray[np.intp]:
        """How many rows two patterns have in common."""
        ones = self.masks.astype(np.float64)  # a product of floats is far faster, and exact below 2^53
        return (ones @ ones.T).astype(np.intp)

    def restrict(self, variables: NDArray[np.intp], rows: Any) -> "Presence":
        """That of some variables, on some rows."""
        used, pattern = np.unique(self.pattern[variables], return_inverse=True)
        return Presence(self.masks[used][:, rows], pattern.reshape(-1))

    def counts(self, left: slice, right: slice) -> NDArray[np.intp]:
        """How many rows the variables of two runs have in common, pair by pair."""
        return self.common[np.ix_(self.pattern[left], self.pattern[right])]


@dataclass(frozen=True, eq=False)
class Table:
    """The variables of one call.

    Attributes
    ----------
    variables : tuple of Variable
        Each on the rows that it has, in float64; targets last.
    targets : int
        How many of them are targets.
    single : bool
        True if one target was asked for, not a collection of them.
    observations : int
        Rows of the table, those without a value in some variables included.
    presence : Presence
        Which rows each variable has.
    pairwise : bool
        True if each pair shall use the rows that both have.
    library : str
        Whose tables the caller uses: "pandas", "pyarrow" or, by default, "polars".
    """

    variables: tuple[Variable, ...]
    targets: int
    single: bool
    observations: int
    presence: Presence
    pairwise: bool
    library: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all variables."""
        return tuple(variable.name for variable in self.variables)

    def choose(self, places: Sequence[int] | NDArray[np.intp]) -> "Table":
        """The variables at some places, none of them a target."""
        chosen = np.asarray(places, dtype=np.intp)
        presence = self.presence.restrict(chosen, slice(None))
        return replace(self, variables=tuple(self.variables[k] for k in chosen), targets=0, presence=presence)

    def take(self, rows: NDArray[np.bool_]) -> "Table":
        """Some rows, of every variable those that it has."""
        masks = self.presence.masks[self.presence.pattern]
        variables = tuple(variable.take(rows[mask]) for variable, mask in zip(self.variables, masks, strict=True))
        presence = Presence(self.presence.masks[:, rows], self.presence.pattern)
        return replace(self, variables=variables, observations=int(rows.sum()), presence=presence)

    def common(self, places: Sequence[int] | NDArray[np.intp]) -> Variables:
        """The variables at some places on the rows that all of them have."""
        masks = [self.presence.masks[self.presence.pattern[k]] for k in places]
        both = np.logical_and.reduce(masks)
        items = tuple(self.variables[k].take(both[mask]) for k, mask in zip(places, masks, strict=True))
        return Variables(items, (), int(both.sum()), 0, np.empty(0))

    def sample(self, most: int, seed: int) -> "Table":
        """At most so many rows, drawn without replacement and kept in order."""
        if self.observations <= most:
            return self
        rows = np.zeros(self.observations, dtype=bool)
        rows[np.random.default_rng(seed).permutation(self.observations)[:most]] = True
        return self.take(rows)


def read_table(
    *data: Any,
    target: Any = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    options: tuple[str, ...] = MISSING,
    fewest: int = 2,
) -> Table:
    """Read what a screening function was given.

    Parameters
    ----------
    *data, target, groups, missing
        As in `pairwise`.
    options : tuple of str
        What `missing` may be.
    fewest : int
        How many variables are needed.

    Examples
    --------
    >>> table = read_table({"a": [1.0, None, 3.0], "b": [4.0, 5.0, 6.0]}, missing="pairwise")
    >>> table.names, table.presence.rows(0).tolist(), table.presence.rows(1).tolist()
    (('a', 'b'), [0, 2], [0, 1, 2])
    """
    check_option("missing", missing, options)
    given, single = _name_target(target)
    with reworded_errors('Or missing="pairwise", for each pair the rows that both have.' * ("pairwise" in options)):
        if given is None and groups is None and len(data) == 1 and _is_plain(data[0]):
            variables, targets, presence = _read_plain(data[0]), 0, _no_gaps(*data[0].shape)
        elif missing == "pairwise":
            table = table_of(*read_sources(data, given, groups), single, library_of(data))
            return _check_count(table, fewest)
        else:
            read = read_variables(*data, given=given, groups=groups, missing=missing)
            variables, targets, presence = read.items, len(read.given), _no_gaps(read.rows, len(read.items))
    own = tuple(_in_numpy(variable) for variable in variables)
    rows = presence.masks.shape[1]
    return _check_count(Table(own, targets, single, rows, presence, False, library_of(data)), fewest)


def _check_count(table: Table, fewest: int) -> Table:
    count = len(table.variables)
    if count < fewest:
        hint = "entropy takes a single one." if count == 1 else "pairwise takes two."
        raise value_error("data", f"at least {fewest} variables", f"{count}", hint)
    return table


def _is_plain(source: Any) -> bool:
    """True for a tall enough matrix of finite doubles, of which nothing has to be asked column by column."""
    plain = type(source) is np.ndarray and source.ndim == 2 and source.dtype == np.float64
    return plain and min(source.shape) >= _PLAIN and bool(np.isfinite(source).all())


def _read_plain(matrix: NDArray[np.float64]) -> tuple[Variable, ...]:
    """What `read_variables` makes of it: one by one, reading the columns takes a third of the time of all pairs."""
    columns = np.ascontiguousarray(matrix.T)[:, :, None]
    return tuple(Variable(f"x{k}", (Block("continuous", column),)) for k, column in enumerate(columns, start=1))


def table_without_gaps(variables: Variables) -> Table:
    """The table of variables that all have the same rows."""
    items = tuple(_in_numpy(item) for item in variables.items)
    return Table(items, 0, True, variables.rows, _no_gaps(variables.rows, len(items)), False, "polars")


def _no_gaps(rows: int, variables: int) -> Presence:
    return Presence(np.ones((1, rows), dtype=bool), np.zeros(variables, dtype=np.intp))


def table_of(sources: Sources, targets: Sources, single: bool, library: str) -> Table:
    """A table in which every variable keeps the rows that it has itself."""
    everything = sources | targets
    columns = [part for parts in everything.values() for part in parts]
    xp, like = common_library(columns)
    present = np.array([~np.logical_or.reduce([part.missing for part in parts]) for parts in everything.values()])
    for name, rows in zip(everything, present, strict=True):
        if rows.sum() < 2:
            got = f"{rows.sum()} of {len(rows)} in {describe(name)}"
            raise value_error("data", "at least 2 rows with a value in every variable", got, "Leave that variable out.")
    masks, pattern = np.unique(present, axis=0, return_inverse=True)
    variables = tuple(
        _in_numpy(Variable(name, join_blocks([part.take(np.flatnonzero(rows)) for part in parts], xp, like)))
        for (name, parts), rows in zip(everything.items(), present, strict=True)
    )
    presence = Presence(masks, pattern.reshape(-1))
    return Table(variables, len(targets), single, present.shape[1], presence, True, library)


def _name_target(target: Any) -> tuple[Any, bool]:
    """The target as a conditioning variable is passed, arrays under the name "target"; and if it is a single one."""
    if target is None or isinstance(target, str):
        return target, True
    if isinstance(target, Mapping) or (isinstance(target, list | tuple) and all(isinstance(t, str) for t in target)):
        return target, False
    if isinstance(target, tuple):
        return {f"target{position}": item for position, item in enumerate(target, start=1)}, False
    opened = open_source(target, "target")
    if is_frame(opened):
        return target, False
    return (target if series_name(opened) else {"target": target}), True


@contextmanager
def reworded_errors(hint: str = "") -> Iterator[None]:
    """Say "target" of what is read as conditioning variables are, and what else can be done about missing values."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = str(error)
        if text.startswith("given:"):
            raise type(error)("target" + text.removeprefix("given")) from None
        if 'missing="drop"' in text and hint:
            raise type(error)(f"{text} {hint}") from None
        raise


def _in_numpy(variable: Variable) -> Variable:
    """The same variable with numbers in float64 on the host."""
    blocks = []
    for block in variable.blocks:
        values = to_numpy(block.values)
        blocks.append(
            replace(block, values=values.astype(np.float64, copy=False) if block.kind == "continuous" else values)
        )
    return Variable(variable.name, tuple(blocks))


def library_of(data: tuple[Any, ...]) -> str:
    """Whose tables the caller passed, from the name of their types' module: nothing is imported to find out."""
    for source in data:
        for item in source.values() if isinstance(source, Mapping) else (source,):
            root = type(item).__module__.partition(".")[0]
            if root in _FRAME_LIBRARIES and not is_array(item):
                return root
    return "polars"
