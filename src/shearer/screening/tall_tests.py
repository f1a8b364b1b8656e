"""p-values of pairs of variables with many rows: each variable is factored once, and a pair is a thin product."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._memory import require
from shearer._threads import map_threads
from shearer.inference.aggregated import combine
from shearer.inference.centring import Known
from shearer.pairs.moments import PAIRS, falling
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
from shearer.inference.totals import Totals
from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import Gram
from shearer.screening.adjustment import Chances, collision, own_bits
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
        return tall_factor(self.square[rows], float(np.sum(self.cube[rows].sum(axis=0) ** 2)))


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
        found = self._of_pairs(_pvalue, 1, rows, columns)[..., 0]
        found[np.equal.outer(rows, columns)] = 1.0
        return found

    def chances(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Chances:
        """What chance gives to all pairs of some variables with others, at the first width of each."""
        return Chances(*np.moveaxis(self._of_pairs(_chances, len(Chances._fields), rows, columns), -1, 0))

    def _of_pairs(
        self,
        function: Callable[[Sequence[Tall], Sequence[Tall]], Sequence[float]],
        width: int,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
    ) -> Floats:
        """Some numbers that do not depend on the order of a pair, along a last axis; nan where it has no low rank."""
        same = np.array_equal(rows, columns)
        found: dict[tuple[int, int], Sequence[float]] = {}
        for group in self._groups(rows):
            for column, other in enumerate(columns):
                wanted = [position for position in group if rows[position] <= other or not same]
                known = self._rungs(other) if wanted else []
                pairs = [((rows[position], group[position]), (other, known)) for position in wanted]
                numbers = map_threads(lambda pair: self._of_pair(function, *pair), pairs)
                found |= {(position, column): some for position, some in zip(wanted, numbers, strict=True)}
        result = np.full((len(rows), len(columns), width), np.nan)
        for (position, column), some in found.items():
            result[position, column, : len(some)] = some
            if same:
                result[column, position] = result[position, column]
        return result

    def _of_pair(
        self,
        function: Callable[[Sequence[Tall], Sequence[Tall]], Sequence[float]],
        first: tuple[int, Rungs],
        second: tuple[int, Rungs],
    ) -> Sequence[float]:
        ladders = [self._on_common_rows(*first, second[0]), self._on_common_rows(*second, first[0])]
        return function(*ladders) if all(ladders) else (np.nan,)

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


def _pvalue(first: Sequence[Tall], second: Sequence[Tall]) -> tuple[float]:
    components = []
    for height in range(max(len(first), len(second))):
        left, right = (ladder[min(height, len(ladder) - 1)] for ladder in (first, second))
        components += pair_of_tall(left, right, "")
    return (combine(components),)


def _chances(first: Sequence[Tall], second: Sequence[Tall]) -> tuple[float, ...]:
    return chance_of(first[0].known, second[0].known)


def chance_of(first: Known | Totals, second: Known | Totals) -> tuple[float, ...]:
    """What chance gives to a pair of similarities: the entries of `Chances`."""
    both = first, second
    n, means = first.n, [known.mean for known in both]
    own = sum(own_bits(n, known.mean, known.square_total) for known in both)
    moments = [known.raw.means() for known in both] if min(means) > 0 else []
    variance = sum(
        falling(n, vertices) * share * math.prod(mean[name] for mean in moments) * math.prod(means) ** 2
        for name, (vertices, share) in PAIRS.items()
        if moments
    )
    return n, sum(collision(n, mean) for mean in means), math.prod(means), variance, own


def _size(rungs: Rungs) -> int:
    """Bytes of the factors."""
    arrays = [getattr(rung, name, None) for rung in rungs for name in ("factor", "square", "cube")]
    return sum(array.nbytes for array in arrays if array is not None)
