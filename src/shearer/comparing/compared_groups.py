"""One group of rows: its columns, and the sums that comparisons need of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from shearer._cached import cached_property
from shearer.comparing.mixed_pairs import BINS
from shearer.comparing.number_pairs import cells_of, number_pair
from shearer.comparing.rank_features import binned, dense_codes
from shearer.data.columns import Column
from shearer.data.table import table_from_columns
from shearer.pairs.engine import PairTests
from shearer.pairs.strength import signed_root

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows beyond which numbers are compared by bins of equal numbers of rows, and how many bins.
MOST_EXACT_ROWS, NUMBER_BINS = 5000, 512
#: Rows that a pair must have in every group.
FEWEST_PAIR_ROWS = 20


@dataclass(frozen=True, eq=False)
class OwnColumn:
    """A column of one group.

    Attributes
    ----------
    kind : {"number", "label"}
        What it is compared as; a number of few values is compared as a label.
    values : array (n,)
        Numbers, nan where missing.
    codes : array (n,)
        Of labels, -1 where missing; empty for numbers that are compared as such.
    levels : tuple of str
        What codes stand for; the same in all groups.
    numeric : bool
        Whether the values are numbers.
    time : bool
        Whether they are times.
    """

    kind: str
    values: Floats
    codes: Indices
    levels: tuple[str, ...] = ()
    numeric: bool = True
    time: bool = False

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Rows that have a value."""
        return np.isfinite(self.values) if self.numeric else self.codes >= 0

    @cached_property
    def dense(self) -> tuple[Indices, int]:
        """Codes of the numbers in increasing order, of rows that have one, and how many there are."""
        return dense_codes(self.values[self.present])

    @cached_property
    def ranked(self) -> Indices:
        """These codes for all rows, -1 where missing."""
        return self._placed(self.dense[0])

    @cached_property
    def binned(self) -> Indices:
        """The same in bins, for pairs with labels."""
        return self._placed(binned(*self.dense, BINS)[0])

    @cached_property
    def coarse(self) -> Indices:
        """The same in the bins of pairs of numbers with many rows."""
        return self._placed(binned(*self.dense, NUMBER_BINS)[0])

    def _placed(self, codes: Indices) -> Indices:
        found = np.full(len(self.values), -1, dtype=np.intp)
        found[self.present] = codes
        return found


class NumberMeans(NamedTuple):
    """Two numbers in one group: means of products of features, their covariance, rows, and sums over clusters."""

    means: Floats
    covariance: Floats
    rows: int
    sums: Floats | None = None


class Counts(NamedTuple):
    """Counts of two columns' codes in one group, and the codes and clusters of rows where there are clusters."""

    table: Floats
    rows: tuple[Indices, Indices, Indices] | None = None


class Distribution(NamedTuple):
    """One column in one group: values (or codes of labels) with weights, rows without a value, and clusters."""

    values: Floats
    weights: Floats
    missing: int
    clusters: Indices | None = None


class Strengths(NamedTuple):
    """Of all pairs of columns of one group, square arrays: p of independence, strength, ends of its interval."""

    pvalue: Floats
    strength: Floats
    low: Floats
    high: Floats


class Group(Protocol):
    """What is compared: rows of a table, or what a profile kept of them."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def rows(self) -> int:
        """How many rows."""

    def numbers(self, first: str, second: str) -> NumberMeans | None:
        """Two numbers."""

    def counts(self, first: str, second: str) -> Counts:
        """Counts of the codes of two columns."""

    def distribution(self, name: str) -> Distribution:
        """One column."""

    def strengths(self, names: Sequence[str], progress: bool | None) -> Strengths:
        """Of all pairs of some columns."""


@dataclass(frozen=True, eq=False)
class TableGroup:
    """Rows in memory.

    Attributes
    ----------
    name : str
        What it is called.
    columns : mapping of str -> OwnColumn
        Those that are compared.
    rows : int
        How many.
    clusters : array, optional
        Which cluster each row belongs to, counted over all groups.
    units : int
        How many clusters there are.
    memory : str or number, optional
        What may be allocated.
    """

    name: str
    columns: Mapping[str, OwnColumn]
    rows: int
    clusters: Indices | None = None
    units: int = 0
    memory: str | float | None = field(default=None, repr=False)

    def numbers(self, first: str, second: str) -> NumberMeans | None:
        """Two numbers; none where too few rows have both, or one does not vary there."""
        own, other = self.columns[first], self.columns[second]
        both = own.present & other.present
        rows = int(both.sum())
        if rows < FEWEST_PAIR_ROWS:
            return None
        many = rows > MOST_EXACT_ROWS
        codes = [(column.coarse if many else column.ranked)[both] for column in (own, other)]
        a, b = (np.unique(part, return_inverse=True)[1].reshape(-1) for part in codes) if not many else codes
        if min(int(a.max() - a.min()), int(b.max() - b.min())) == 0:
            return None
        if many:
            a, b = (_closed(part) for part in (a, b))
        first_cells, second_cells, counts = cells_of(a, b, int(b.max()) + 1) if many else (a, b, np.ones(rows))
        pair = number_pair(first_cells, second_cells, counts)
        influences = pair.influences(first_cells, second_cells)
        if self.clusters is not None:
            moved = pair.influences(a, b) if many else influences
            sums = _cluster_sums(moved, self.clusters[both], self.units) / rows
            return NumberMeans(pair.means, sums.T @ sums, rows, sums)
        covariance = (influences.T * counts) @ influences / (rows * (rows - 1.0))
        return NumberMeans(pair.means, covariance, rows)

    def counts(self, first: str, second: str) -> Counts:
        """How often codes of two columns meet: labels, or a label and a number in bins."""
        own, other = self.columns[first], self.columns[second]
        both = own.present & other.present
        codes = [(column.codes if column.kind == "label" else column.binned)[both] for column in (own, other)]
        sizes = [
            len(column.levels) if column.kind == "label" else int(column.binned.max(initial=0)) + 1
            for column in (own, other)
        ]
        table = np.bincount(codes[0] * sizes[1] + codes[1], minlength=sizes[0] * sizes[1]).reshape(sizes)
        rows = None if self.clusters is None else (codes[0], codes[1], self.clusters[both])
        return Counts(table.astype(np.float64), rows)

    def distribution(self, name: str) -> Distribution:
        """The values of a column, one for each row that has one."""
        column = self.columns[name]
        values = column.codes if column.kind == "label" else column.values
        kept = values[column.present].astype(np.float64)
        missing = self.rows - len(kept)
        clusters = None if self.clusters is None else self.clusters[column.present]
        return Distribution(kept, np.ones(len(kept)), missing, clusters)

    def strengths(self, names: Sequence[str], progress: bool | None) -> Strengths:
        """Of all pairs, numbers as normal scores of their ranks: what bends a column does not change them."""
        sources = {name: [_scored(name, self.columns[name])] for name in names}
        table = table_from_columns(sources, pairwise=any(own[0].missing.any() for own in sources.values()))
        tests = PairTests.of(table, memory=self.memory)
        every = slice(0, len(names))
        found = tests.judged(every, every, progress=progress, label=f"pairs of {self.name}")
        pairs = np.argwhere(np.tri(len(names), k=-1, dtype=bool).T)
        place = pairs[:, 0], pairs[:, 1]
        ends = tests.intervals(pairs, found.squared[place], found.height[place], found.pvalue[place])
        low, high = np.full((2, len(names), len(names)), np.nan)
        for whole, part in ((low, ends.low), (high, ends.high)):
            whole[place] = whole[place[::-1]] = part
        return Strengths(found.pvalue, signed_root(found.squared), low, high)


def _closed(codes: Indices) -> Indices:
    """The same codes without those that do not occur."""
    used = np.bincount(codes) > 0
    found: Indices = (np.cumsum(used) - 1)[codes]
    return found


def _scored(name: str, column: OwnColumn) -> Column:
    missing = ~column.present
    if not column.numeric:
        return Column(name, "categorical", column.codes, missing, list(column.levels))
    codes, count = column.dense
    weights = np.bincount(codes, minlength=count) / max(len(codes), 1)
    scores = np.full((len(column.values), 1), np.nan)
    scores[column.present, 0] = ndtri(np.cumsum(weights) - weights / 2)[codes]
    return Column(name, "continuous", scores, missing)


def _cluster_sums(influences: Floats, clusters: Indices, units: int) -> Floats:
    return np.stack([np.bincount(clusters, column, minlength=units) for column in influences.T], axis=1)
