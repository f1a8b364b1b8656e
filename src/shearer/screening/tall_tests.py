"""p-values of pairs of variables with many rows: each variable is factored once, and a pair is a thin product."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._memory import require
from shearer._threads import map_threads
from shearer.inference.aggregated import combine
from shearer.inference.tall import (
    NoLowRankError,
    Tall,
    cube_factor,
    pair_of_tall,
    square_factor,
    tall,
    tall_factor,
    tall_operators,
)
from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import Gram
from shearer.screening.ladder import Ladder

Floats = NDArray[np.float64]

_OPTIONS = "Options: fewer rows; a larger memory=."


@dataclass(frozen=True, eq=False)
class Factored:
    """One rung of a variable on the rows that it has.

    Attributes
    ----------
    operator : Gram
        K.
    square, cube : array or None
        Factors of M = K o K and of its elementwise cube; none for labels, which need no factor.
    """

    operator: Gram
    square: Floats | None = None
    cube: Floats | None = None

    def on(self, rows: NDArray[np.intp]) -> Tall:
        """Its sums on some of its rows."""
        if self.square is None or self.cube is None:
            return tall(self.operator.restrict(rows))
        return tall_factor(self.square[rows], self.cube[rows].sum(axis=0))


Rungs: TypeAlias = Sequence[Tall | Factored]


class TallTests:
    """The test of `independence_test` beyond 5000 rows.

    A variable whose similarities have no low rank cannot be tested: its p-values are nan.

    Parameters
    ----------
    ladder : Ladder
        The table and its kernels.
    budget : int
        Bytes: factors are kept while they take half of it.
    """

    def __init__(self, ladder: Ladder, budget: int) -> None:
        self._ladder = ladder
        self._budget = budget
        self._presence = ladder.table.presence
        self._kept: dict[int, Rungs] = {}
        self._room = budget // 2

    def pvalues(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Floats:
        """p-values of all pairs of some variables with others, each on the rows that both have; 1 on a diagonal."""
        found = np.ones((len(rows), len(columns)))
        same = np.array_equal(rows, columns)
        for group in self._groups(rows):
            for column, other in enumerate(columns):
                wanted = [position for position in group if rows[position] < other or not same]
                known = self._rungs(other) if wanted else []
                pairs = [((rows[position], group[position]), (other, known)) for position in wanted]
                found[wanted, column] = map_threads(self._pvalue, pairs)
        if same:
            below = np.tril_indices(len(rows), -1)
            found[below] = found.T[below]
        return found

    def _groups(self, variables: NDArray[np.intp]) -> Iterator[dict[int, Rungs]]:
        """The variables by position, in groups of which those that are not kept anyway take a quarter of the budget."""
        group: dict[int, Rungs] = {}
        used = 0
        for position, variable in enumerate(variables):
            group[position] = self._rungs(variable)
            used += 0 if variable in self._kept else _size(group[position])
            if used > self._budget // 4:
                yield group
                group, used = {}, 0
        if group:
            yield group

    def _pvalue(self, pair: tuple[tuple[int, Rungs], tuple[int, Rungs]]) -> float:
        """The p-value of one pair on its common rows."""
        first, second = pair
        ladders = [self._on_common_rows(*first, second[0]), self._on_common_rows(*second, first[0])]
        if not all(ladders):
            return np.nan
        components = []
        for height in range(max(len(ladder) for ladder in ladders)):
            left, right = (ladder[min(height, len(ladder) - 1)] for ladder in ladders)
            components += pair_of_tall(left, right, "")
        return combine(components)

    def _on_common_rows(self, variable: int, rungs: Rungs, other: int) -> list[Tall]:
        mine, others = (self._presence.masks[self._presence.pattern[k]] for k in (variable, other))
        rows = np.flatnonzero(others[mine])
        return [rung if isinstance(rung, Tall) else rung.on(rows) for rung in rungs]

    def _rungs(self, variable: int) -> Rungs:
        """The factors of a variable, kept while there is room; none where it has no low rank."""
        if variable in self._kept:
            return self._kept[variable]
        item = self._ladder.table.variables[variable]
        try:
            operators = tall_operators(item, self._ladder.general, self._ladder.named.get(item.name))
            rungs = [self._prepare(operator) for operator in operators]
        except NoLowRankError:
            rungs = []
        size = _size(rungs)
        require(4 * size, self._budget, f"factors of {self._ladder.table.observations} rows", _OPTIONS)
        if size <= self._room:
            self._kept[variable] = rungs
            self._room -= size
        return rungs

    def _prepare(self, operator: Gram) -> Tall | Factored:
        if self._presence.complete:
            return tall(operator)
        if isinstance(operator, DeltaGram):
            return Factored(operator)
        return Factored(operator, square_factor(operator), cube_factor(operator))


def _size(rungs: Rungs) -> int:
    """Bytes of the factors."""
    arrays = [getattr(rung, name, None) for rung in rungs for name in ("factor", "square", "cube")]
    return sum(array.nbytes for array in arrays if array is not None)
