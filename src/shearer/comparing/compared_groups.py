"""One group of rows: its columns, and the sums that comparisons need of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from shearer.comparing.number_pairs import cells_of, number_pair
from shearer.comparing.own_columns import OwnColumn
from shearer.data.columns import Column
from shearer.data.table import table_from_columns
from shearer.pairs.engine import PairTests
from shearer.pairs.strength import signed_root

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows beyond which numbers are compared by bins of equal numbers of rows.
MOST_EXACT_ROWS = 5000
#: Rows that a pair must have in every group.
FEWEST_PAIR_ROWS = 20
#: Classes of a number in a triple, of equal width in normal scores, and where they meet.
CLASSES = 13
BORDERS: Floats = ndtr(np.linspace(-2.0, 2.0, CLASSES - 1))


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

    @property
    def shown(self) -> "TableGroup | None":
        """Rows that pictures can show: all, a sample, or none."""

    def numbers(self, first: str, second: str) -> NumberMeans | None:
        """Two numbers."""

    def counts(self, first: str, second: str) -> Counts:
        """Counts of the codes of two columns."""

    def triple_counts(self, names: tuple[str, str, str]) -> Floats:
        """Counts of three columns: labels by their codes, numbers by classes of their ranks."""

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

    @property
    def shown(self) -> "TableGroup":
        """All rows."""
        return self

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
        cells = cells_of(a, b, int(b.max()) + 1) if many else (a, b, np.ones(rows))
        if self.clusters is None:
            return _cell_means(*cells, rows)
        pair = number_pair(*cells)
        sums = _cluster_sums(pair.influences(a, b), self.clusters[both], self.units) / rows
        return NumberMeans(pair.means, sums.T @ sums, rows, sums)

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

    def triple_counts(self, names: tuple[str, str, str]) -> Floats:
        """How often codes of three columns meet, numbers in classes of their ranks among the rows that have all."""
        columns = [self.columns[name] for name in names]
        common = np.logical_and.reduce([column.present for column in columns])
        codes, sizes = [], []
        for column in columns:
            if column.kind == "label":
                codes.append(column.codes[common])
                sizes.append(len(column.levels))
            else:
                own = (column.coarse if self.rows > MOST_EXACT_ROWS else column.ranked)[common]
                codes.append(rank_classes(np.bincount(own))[own])
                sizes.append(CLASSES)
        found = np.bincount(np.ravel_multi_index(codes, sizes), minlength=math.prod(sizes))
        return found.reshape(sizes).astype(np.float64)

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
        ends = tests.intervals(pairs, found.squared[place], found.rungs[place], found.pvalue[place])
        low, high = np.full((2, len(names), len(names)), np.nan)
        for whole, part in ((low, ends.low), (high, ends.high)):
            whole[place] = whole[place[::-1]] = part
        return Strengths(found.pvalue, signed_root(found.squared), low, high)


def rank_classes(counts: NDArray[np.int64]) -> Indices:
    """The class that the rank of each code lies in, from how often codes occur.

    Examples
    --------
    >>> rank_classes(np.ones(5, dtype=np.int64)).tolist()
    [2, 5, 6, 7, 10]
    """
    weights = counts / max(int(counts.sum()), 1)
    return np.searchsorted(BORDERS, np.cumsum(weights) - weights / 2).astype(np.intp)


def number_cells(table: NDArray[np.int64]) -> NumberMeans | None:
    """Two numbers from the counts of their bins; none where too few rows have both, or one does not vary there."""
    used = [table.sum(axis=axis) > 0 for axis in (1, 0)]
    rows = int(table.sum())
    if rows < FEWEST_PAIR_ROWS or min(int(own.sum()) for own in used) < 2:
        return None
    closed = table[np.ix_(*used)]
    first, second = np.nonzero(closed)
    return _cell_means(first, second, closed[first, second].astype(np.float64), rows)


def _cell_means(first: Indices, second: Indices, counts: Floats, rows: int) -> NumberMeans:
    pair = number_pair(first, second, counts)
    influences = pair.influences(first, second)
    covariance = (influences.T * counts) @ influences / (rows * (rows - 1.0))
    return NumberMeans(pair.means, covariance, rows)


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
