"""p-values of pairs of variables with few different values, raised to what such values allow."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shearer.inference.atoms import (
    CERTAIN,
    Codes,
    coarse,
    equally_unlike,
    least_pvalue,
    level_codes,
    off_mode_of,
    table_of,
)
from shearer.screening.table import Table

Floats = NDArray[np.float64]


class CoarsePairs:
    """Raises p-values of all pairs as `independence_test` raises that of one.

    Parameters
    ----------
    table : Table
        The variables.
    """

    def __init__(self, table: Table) -> None:
        self._variables = table.variables
        self._presence = table.presence
        self._codes: dict[int, tuple[Codes, bool]] = {}

    @cached_property
    def _off_mode(self) -> NDArray[np.intp]:
        return np.array([off_mode_of(variable) for variable in self._variables], dtype=np.intp)

    def _of(self, place: int) -> tuple[Codes, bool]:
        """The codes of a variable at all rows of the table, and whether all its values are equally unlike."""
        if place not in self._codes:
            variable = self._variables[place]
            codes = level_codes(variable)
            whole = np.zeros(self._presence.masks.shape[1], dtype=np.intp)
            whole[self._presence.rows(place)] = codes
            self._codes[place] = whole, equally_unlike(variable, codes)
        return self._codes[place]

    def raise_pvalues(self, pvalues: Floats, rows: slice, columns: slice) -> None:
        """In place; of shape (rows, columns)."""
        first, second = self._off_mode[rows], self._off_mode[columns]
        if not pvalues.size or not coarse(first.min(), second.min(), self._presence.masks.shape[1]):
            return  # as of most tables
        common = self._presence.counts(rows, columns)
        found = coarse(first[:, None], second[None, :], common) & (pvalues < CERTAIN)
        places = [np.arange(len(self._variables))[run] for run in (rows, columns)]
        for i, j in zip(*np.nonzero(found), strict=True):
            pair = sorted((int(places[0][i]), int(places[1][j])))
            if pair[0] != pair[1]:
                pvalues[i, j] = max(pvalues[i, j], self._least(*pair))

    def _least(self, first: int, second: int) -> float:
        (a, alike), (b, likewise) = self._of(first), self._of(second)
        masks, pattern = self._presence.masks, self._presence.pattern
        both = masks[pattern[first]] & masks[pattern[second]]
        return least_pvalue(table_of(a[both], b[both]), exact=alike and likewise)
