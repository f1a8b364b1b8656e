"""A column of one group, with codes that all groups share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.comparing.mixed_pairs import BINS
from shearer.comparing.rank_features import binned, dense_codes
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Bins of a number with many rows in pairs of numbers.
NUMBER_BINS = 512
#: Numbers of at most so many different values are compared as labels; with more labels a column is not compared.
FEW_VALUES, MOST_LEVELS = 10, 1000


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


def own_column(column: Column, texts: tuple[str, ...], distinct: Floats, *, numeric: bool, few: bool) -> OwnColumn:
    """A column of one group with codes for the labels of all groups.

    Parameters
    ----------
    column : Column
        As it was read.
    texts : tuple of str
        Labels of all groups.
    distinct : array
        Different values of numbers that are compared as labels.
    numeric, few : bool
        Whether these are numbers, and compared as labels.
    """
    if numeric:
        values = np.where(column.missing, np.nan, to_numpy(column.values)[:, 0].astype(np.float64))
        codes = np.empty(0, dtype=np.intp)
        if few:
            place = {text: k for k, text in enumerate(texts)}
            own = np.array([place.get(f"{value:.12g}", -1) for value in distinct], dtype=np.intp)
            codes = np.full(len(values), -1, dtype=np.intp)
            codes[~column.missing] = own[np.searchsorted(distinct, values[~column.missing])]
        return OwnColumn("label" if few else "number", values, codes, texts, True, column.time)
    place = {text: k for k, text in enumerate(texts)}
    table = np.array([place.get(str(level), -1) for level in column.levels] + [-1], dtype=np.intp)
    codes = table[np.where(column.missing, len(column.levels), np.asarray(column.values))]
    return OwnColumn("label", np.empty(len(codes)), codes, texts, False)
