"""Columns as codes: what can be told of a table by comparing values for equality and order alone."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column, Columns

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# What names of columns call a date and its parts, the largest first.
_NAMES = (
    "date|datetime|timestamp|time",
    "year|yr|yyyy",
    "quarter|qtr|period",
    "month|mnth|mon",
    "week|wk",
    "day|dd",
    "hour|hr|hh",
    "minute",
    "second",
)
UNITS = tuple(re.compile(rf"(^|[\W_])({words})s?($|[\W_])") for words in _NAMES)
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# As many as the days of a month.
_MOST_NAMED_PARTS = 31
# Years that people write down.
_FIRST_YEAR, _LAST_YEAR = 1500, 2200


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of numbers or labels.

    Attributes
    ----------
    name : str
        What the user calls it.
    labels : bool
        True for labels, False for numbers.
    dated : bool
        True for dates and times.
    values : array (n,)
        The numbers, or a number for each label.
    missing : array (n,)
        Rows without a value.
    """

    name: str
    labels: bool
    dated: bool
    values: Floats
    missing: NDArray[np.bool_]

    @cached_property
    def _levels(self) -> tuple[Floats, Indices, Indices]:
        levels, codes, counts = np.unique(self.values[~self.missing], return_inverse=True, return_counts=True)
        every = np.full(len(self.values), -1, dtype=np.intp)
        every[~self.missing] = codes
        return levels, every, counts

    @property
    def levels(self) -> Floats:
        """The different values, ascending."""
        return self._levels[0]

    @property
    def codes(self) -> Indices:
        """For each row the place of its value among the levels; -1 where it is missing."""
        return self._levels[1]

    @property
    def counts(self) -> Indices:
        """Rows of each level."""
        return self._levels[2]

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.levels)

    @cached_property
    def complete(self) -> bool:
        """True if no row lacks a value."""
        return not self.missing.any()

    @cached_property
    def whole(self) -> bool:
        """True for whole numbers that are no dates."""
        return not self.labels and not self.dated and bool((self.levels == np.round(self.levels)).all())

    @cached_property
    def ascending(self) -> bool:
        """True if values go one way from the first row to the last, equal neighbours allowed."""
        steps = np.diff(self.codes)
        return self.complete and self.distinct > 1 and bool((steps >= 0).all() or (steps <= 0).all())

    @cached_property
    def unit(self) -> int | None:
        """Which part of a date it is by its name, or by being one: 0 a date, 1 a year, and so on; None: no part."""
        if self.dated:
            return 0
        words = _WORDS.sub("_", self.name).lower()
        found = next((place for place, form in enumerate(UNITS) if form.search(words)), None)
        if self.labels:  # the names of quarters, months or days
            return found if found and self.distinct <= _MOST_NAMED_PARTS else None
        return found if found is not None else 1 if self._counts_years else None

    @property
    def _counts_years(self) -> bool:
        """Whole numbers one after the other that years are written as."""
        inside = self.distinct > 1 and self.levels[0] >= _FIRST_YEAR and self.levels[-1] <= _LAST_YEAR
        return inside and self.whole and self.ascending and self.distinct == len(self.values)


def coded_columns(sources: Columns) -> dict[str, Coded]:
    """The variables of one column that hold numbers or labels.

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read({"day": [3, 1, 2], "kind": ["b", "a", "b"]}, missing="pairwise", pairwise=True)
    >>> found = coded_columns(table.columns)
    >>> found["day"].codes.tolist(), found["day"].unit, found["kind"].counts.tolist()
    ([2, 0, 1], 5, [2, 1])
    """
    return {name: _code(name, parts[0]) for name, parts in sources.items() if _is_plain(parts)}


def _is_plain(parts: list[Column]) -> bool:
    return (
        len(parts) == 1 and parts[0].kind != "object" and (parts[0].values.ndim == 1 or parts[0].values.shape[1] == 1)
    )


def _code(name: str, part: Column) -> Coded:
    values = to_numpy(part.values).astype(np.float64).reshape(-1)
    return Coded(name, part.kind == "categorical", part.time, values, part.missing)
