"""All pairs of variables given the same conditions; what conditions leave of each variable is found once."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._validate import describe, type_error
from shearer.conditioning import constants
from shearer.conditioning.covariance import Tail, quadratic_tail
from shearer.conditioning.designs import Conditions, split_blocks
from shearer.conditioning.residual import Parts, Residual
from shearer.conditioning.residual_check import chance
from shearer.conditioning.sorted_rows import by_values, recoded
from shearer.conditioning.strata import Strata
from shearer.data.variables import Variable
from shearer.pairs import limits
from shearer.pairs.null_law.combined_pvalue import half_cauchy

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Answer:
    """What is found of two variables given others.

    Attributes
    ----------
    pvalue : float
        nan where nothing can be said; `reason` says why. 1 of a constant.
    tails : tuple of (str, Tail)
        The statistics that were joined.
    explained : tuple of float
        Share of each variable that the conditions explain.
    scores : tuple of float
        How alike the residuals of each still are among rows of nearly the same conditions, in standard deviations.
    warning : str
        Why the p-value is not to be trusted, or nothing.
    reason : str
        Why there is none, or nothing.
    left_out : float
        Share of a similarity that features left out of the regressions.
    left : tuple of array (n, d)
        What the conditions leave of each variable, of mean 0 and variance 1; nothing where there is no p-value.
    """

    pvalue: float
    tails: tuple[tuple[str, Tail], ...] = ()
    explained: tuple[float, float] = (math.nan, math.nan)
    scores: tuple[float, float] = (0.0, 0.0)
    warning: str = ""
    reason: str = ""
    left_out: float = 0.0
    left: tuple[Floats, ...] = field(default=(), repr=False, compare=False)


def bytes_needed(pair: Sequence[Variable], given: Sequence[Variable]) -> int:
    """What a test takes at most, beside little: residuals and their products, and features that regressions keep."""
    rows, conditions = pair[0].rows, sum(variable.columns for variable in given)
    levels = sum(len(block.levels) for variable in pair for block in variable.blocks)
    columns = conditions + sum(variable.columns for variable in pair)
    each = constants.BYTES_A_ROW + limits.BYTES_A_COLUMN * columns + constants.BYTES_A_LEVEL * levels
    kept = constants.BYTES_A_CONDITION * min(conditions, constants.MOST_KEPT_CONDITIONS) * rows
    return each * rows + min(kept, constants.ROOMS * constants.ROOM)


class PairsGiven:
    """Tests of pairs of variables given conditions.

    Parameters
    ----------
    variables : sequence of Variable
        In numpy, without missing rows.
    given : sequence of Variable
        The conditions, of the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data import read
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=200)
    >>> x, y = z + 0.3 * rng.normal(size=(2, 200))
    >>> variables = read(x, y, x + y, given=z).variables
    >>> tests = PairsGiven(variables[:3], variables[3:])
    >>> tests.answer(0, 1).pvalue > 0.05, tests.answer(0, 2).pvalue < 1e-6
    (True, True)
    """

    def __init__(self, variables: Sequence[Variable], given: Sequence[Variable]) -> None:
        for variable in (*variables, *given):
            if any(block.kind == "object" for block in variable.blocks):
                hint = 'method="permutation" takes any kernel.'
                raise type_error(variable.name, "numbers or labels", "objects", hint)
        self._variables = tuple(variables)
        self._rows = len(variables[0].blocks[0].values)
        conditions = [recoded(variable) for variable in given]
        self._order, self._groups = by_values(conditions)
        # in that order, as the strata and the regressions
        self._numbers, self._labels = split_blocks([variable.take(self._order) for variable in conditions])
        self._parts: dict[int, tuple[Parts, Indices]] = {}
        self._residuals: dict[int, Residual] = {}

    @property
    def method(self) -> str:
        """How p-values are found, in words."""
        if not self._numbers.shape[1]:
            return "features within strata, exact moments"
        return "covariance of residual features"

    @cached_property
    def _strata(self) -> Strata:
        return Strata.of(self._labels, self._rows)

    @cached_property
    def _conditions(self) -> Conditions:
        return Conditions.of(self._numbers, self._labels)

    @cached_property
    def refusal(self) -> str:
        """Why nothing can be said of any pair, or nothing."""
        if self._rows < constants.FEWEST_ROWS:
            return f"{self._rows} rows are too few: at least {constants.FEWEST_ROWS} are needed"
        dimensions = self._numbers.shape[1]
        if dimensions > constants.MOST_DIMENSIONS_SHARE * self._rows:
            return f"conditions of {dimensions} dimensions leave too little of {self._rows} rows"
        if not dimensions and self._strata.usable < constants.FEWEST_ROWS:
            return f"only {self._strata.usable} of {self._rows} rows share their labels with another row"
        return ""

    def _ordered(self, place: int) -> tuple[Parts, Indices]:
        """A variable as it is tested, in the order of the conditions and then of its own values, and that order."""
        if place not in self._parts:
            variable, order = recoded(self._variables[place]), self._order
            if self._groups[-1] < self._rows - 1:
                order = order[by_values([variable.take(order)], self._groups)[0]]
            self._parts[place] = Parts.of(variable.take(order)), order
        return self._parts[place]

    def residual(self, place: int) -> Residual:
        """What the conditions leave of a variable that is not constant."""
        if place not in self._residuals:
            parts, order = self._ordered(place)
            by_numbers = self._numbers.shape[1] > 0
            found = Residual.of(parts, self._conditions) if by_numbers else self._strata.residual(parts)
            features, precision = np.empty_like(found.features), np.empty_like(found.precision)
            features[order], precision[order] = found.features, found.precision
            self._residuals[place] = replace(found, features=features, precision=precision)
        return self._residuals[place]

    def answer(self, first: int, second: int) -> Answer:
        """The test of two variables."""
        places = first, second
        constant = self._listed(k for k in places if self._ordered(k)[0].is_constant)
        if constant:
            return Answer(1.0, reason=f"{constant} is constant")
        if self.refusal:
            return Answer(math.nan, reason=self.refusal)
        left, right = self.residual(first), self.residual(second)
        explained = left.explained, right.explained
        determined = self._listed(k for k in places if self.residual(k).is_determined)
        if determined:
            reason = f"{determined} is a function of what is given: nothing of it is left to test"
            return Answer(math.nan, explained=explained, reason=reason)
        tails = self._tails(left, right)
        shares = [constants.TAIL_WEIGHTS.get(name, 1.0) for name, _ in tails]
        pvalue = float(half_cauchy([tail.pvalue for _, tail in tails], shares))
        scores, left_out = (left.score, right.score), max(left.left_out, right.left_out)
        shown = left.features[:, : left.linear], right.features[:, : right.linear]
        return Answer(pvalue, tails, explained, scores, self._warning((left, right), scores), "", left_out, shown)

    def _listed(self, places: Iterable[int]) -> str:
        return " and ".join(describe(self._variables[k].name) for k in places)

    def _tails(self, first: Residual, second: Residual) -> tuple[tuple[str, Tail], ...]:
        both = first.features[self._order], second.features[self._order]
        linear = both[0][:, : first.linear], both[1][:, : second.linear]
        curved = both[0].shape[1] * both[1].shape[1] > linear[0].shape[1] * linear[1].shape[1]
        if not self._numbers.shape[1]:
            names = "over strata", "by stratum"
            found = [(f"features {name}", tail) for name, tail in zip(names, self._strata.tails(*both), strict=False)]
            return (("linear over strata", self._strata.tails(*linear)[0]), *found) if curved else tuple(found)
        spent, changing = min(first.freedom, second.freedom), self._conditions.weights
        # one over both spreads: a covariance that is the same at all conditions, a correlation that is not
        precision = (first.precision * second.precision)[self._order]
        found = [("linear", quadratic_tail(*linear, None, spent))]
        if precision.max() > precision.min():
            found.append(("linear by precision", quadratic_tail(*linear, precision[:, None], spent)))
        found.append(("linear by conditions", quadratic_tail(*linear, changing, spent)))
        if curved:
            found.append(("features", quadratic_tail(*both, None, spent)))
            found.append(("features by conditions", quadratic_tail(*both, changing, spent)))
        return tuple(found)

    def _warning(self, found: Sequence[Residual], scores: tuple[float, float]) -> str:
        if not self._numbers.shape[1]:
            return ""
        if chance(min(scores)) < constants.ALIKE_EACH and chance(sum(scores) / math.sqrt(2.0)) < constants.ALIKE_BOTH:
            return (
                "what the regressions leave of both variables still depends on the conditions: a small p-value may be "
                "theirs"
            )
        spent = min(one.freedom for one in found) / self._rows
        if spent > constants.SPENT_SHARE:
            return (
                f"the conditions take {spent:.0%} of the rows to fit: a small p-value may be due to what was not fitted"
            )
        return ""
