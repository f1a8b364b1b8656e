"""Sums over chunks of rows that a comparison needs: different values, and how often codes of columns meet."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.comparing.own_columns import FEW_VALUES, MOST_LEVELS, OwnColumn, own_column
from shearer.data import read
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column
from shearer.sketching.rows import check_origins

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def chunk_columns(chunk: Any, kinds: Mapping[str, str]) -> dict[str, Column]:
    """The named columns of a chunk, each of the kind that is said, missing values included."""
    check_origins((chunk,))
    found = read(chunk, kinds=kinds, missing="pairwise", pairwise=True, only=list(kinds), fewest_rows=0).columns
    return {name: found[name][0] for name in kinds}


class SeenValues:
    """Rows, and the different values of columns up to a limit.

    Parameters
    ----------
    kinds : mapping of str -> str
        Columns -> "continuous" or "categorical".

    Examples
    --------
    >>> seen = SeenValues({"x": "continuous", "l": "categorical"})
    >>> seen.update({"x": [1.5, 2.5, 1.5], "l": ["a", None, "b"]})
    >>> seen.rows, seen.numbers("x").tolist(), seen.labels("l")
    (3, [1.5, 2.5], ('a', 'b'))
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self.kinds = dict(kinds)
        self.rows = 0
        # Keys in the order in which they came; values say nothing.
        self._seen: dict[str, dict[Any, None]] = {name: {} for name in kinds}

    def update(self, chunk: Any) -> None:
        """Add rows."""
        columns = chunk_columns(chunk, self.kinds)
        self.rows += next(iter(columns.values())).rows
        for name, column in columns.items():
            if len(self._seen[name]) <= self._most(name):
                self._add(name, _different(column))

    def merge(self, other: "SeenValues") -> None:
        """Add the rows of another."""
        self.rows += other.rows
        for name, seen in other._seen.items():
            self._add(name, list(seen))

    def empty(self) -> "SeenValues":
        """The same without rows."""
        return SeenValues(self.kinds)

    def numbers(self, name: str) -> Floats:
        """Different values of numbers in increasing order; if there are more than a few, that many and one."""
        return np.sort(np.array(list(self._seen[name]), dtype=np.float64))

    def labels(self, name: str) -> tuple[str, ...]:
        """Different labels; if there are too many, that many and one."""
        return tuple(self._seen[name])

    def _most(self, name: str) -> int:
        return FEW_VALUES if self.kinds[name] == "continuous" else MOST_LEVELS

    def _add(self, name: str, values: Sequence[Any]) -> None:
        self._seen[name] |= dict.fromkeys(values[: self._most(name) + 1])


def _different(column: Column) -> list[Any]:
    if column.kind == "continuous":
        found: list[Any] = np.unique(to_numpy(column.values)[~column.missing, 0]).tolist()
        return found
    codes = np.unique(np.asarray(column.values)[~column.missing])
    return [str(column.levels[int(code)]) for code in codes]


@dataclass(frozen=True, eq=False)
class Coding:
    """How the values of a column become codes.

    Attributes
    ----------
    kind : {"continuous", "categorical"}
        What the column is read as.
    size : int
        How many codes there are.
    levels : tuple of str
        Labels; none for numbers that are compared as such.
    edges : array
        Largest value of every bin of a number.
    joined : array, optional
        A code for each bin or label, where some are joined.
    """

    kind: str
    size: int
    levels: tuple[str, ...] = ()
    edges: Floats | None = None
    joined: Indices | None = None

    def own(self, column: Column) -> OwnColumn:
        """The column with the codes of labels."""
        numeric, few = self.kind == "continuous", self.edges is None
        distinct = np.unique(to_numpy(column.values)[~column.missing, 0]) if numeric and few else np.empty(0)
        return own_column(column, self.levels, distinct, numeric=numeric, few=numeric and few)

    def codes(self, column: Column) -> Indices:
        """Codes of all rows, -1 where there is no value."""
        own = self.own(column)
        codes = own.codes
        if self.edges is not None:
            codes = np.full(len(own.values), -1, dtype=np.intp)
            bins = np.searchsorted(self.edges, own.values[own.present])
            codes[own.present] = np.minimum(bins, len(self.edges) - 1)
        return codes if self.joined is None else np.where(codes < 0, -1, self.joined[codes])


class CellCounts:
    """How often the codes of some columns meet, for several sets of columns.

    Parameters
    ----------
    codings : mapping of str -> Coding
        The columns.
    members : sequence of tuple of str
        The sets: single columns, pairs or triples.

    Examples
    --------
    >>> coding = {"x": Coding("continuous", 2, edges=np.array([1.0, 2.0])), "l": Coding("categorical", 2, ("a", "b"))}
    >>> counts = CellCounts(coding, [("l", "x")])
    >>> counts.update({"x": [0.5, 1.0, 7.0, None], "l": ["a", "b", "b", "a"]})
    >>> counts.table(("l", "x")).tolist()
    [[1, 0], [1, 1]]
    """

    def __init__(self, codings: Mapping[str, Coding], members: Sequence[tuple[str, ...]]) -> None:
        self.codings = dict(codings)
        self.members = list(members)
        self.rows = 0
        self._tables = [np.zeros(math.prod(self._shape(names)), dtype=np.int64) for names in self.members]

    def update(self, chunk: Any) -> None:
        """Add rows."""
        needed = dict.fromkeys(name for names in self.members for name in names)
        columns = chunk_columns(chunk, {name: self.codings[name].kind for name in needed})
        self.rows += next(iter(columns.values())).rows
        codes = {name: self.codings[name].codes(column) for name, column in columns.items()}
        gaps = {name for name, own in codes.items() if (own < 0).any()}
        for names, table in zip(self.members, self._tables, strict=True):
            own = [codes[name] for name in names]
            if gaps & {*names}:
                common = np.logical_and.reduce([part >= 0 for part in own])
                own = [part[common] for part in own]
            table += np.bincount(np.ravel_multi_index(own, self._shape(names)), minlength=len(table))

    def merge(self, other: "CellCounts") -> None:
        """Add the rows of another."""
        self.rows += other.rows
        for mine, others in zip(self._tables, other._tables, strict=True):
            mine += others

    def empty(self) -> "CellCounts":
        """The same without rows."""
        return CellCounts(self.codings, self.members)

    def table(self, names: tuple[str, ...]) -> NDArray[np.int64]:
        """Counts of one of the sets."""
        return self._tables[self.members.index(names)].reshape(self._shape(names))

    def _shape(self, names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(self.codings[name].size for name in names)
