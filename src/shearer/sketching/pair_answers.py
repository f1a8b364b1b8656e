"""What sums over rows say of pairs: independence tests, and values of order 2."""

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Variable
from shearer._validate import check_names, describe, value_error
from shearer.inference.aggregated import LARGEST_SATURATION, combine
from shearer.inference.atoms import CERTAIN, least_pvalue
from shearer.inference.centring import compared
from shearer.inference.result import Component, TestResult
from shearer.inference.tall import RUNG_BITS
from shearer.inference.totals import Totals
from shearer.screening.adjustment import Chances
from shearer.screening.tall_tests import chance_of
from shearer.sketching.features import Features, LabelFeatures
from shearer.sketching.levels import Level

Floats = NDArray[np.float64]

# Mean residual of a row beyond which the diagonal is not known well enough for a test.
_LARGEST_RESIDUAL = 1e-3
_FEWEST_ROWS = 6


class PairAnswers:
    """The answers of a `PairSketch`, which brings the sums."""

    # The variables as a chunk brings them: kinds and dimensions, no rows.
    _shapes: tuple[Variable, ...]
    _features: list[list[Features]]
    _levels: list[Level]
    _rows: int
    _second_rows: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(item.name for item in self._shapes)

    @property
    def rows(self) -> int:
        """Rows added in the first pass."""
        return self._rows

    def independence_test(self, first: str, second: str) -> TestResult:
        """Test of two variables; after the second pass."""
        check_names("names", [first, second], self.names)
        if first == second:
            raise value_error("names", "two variables", f"{describe(first)} twice")
        self._check_passes()
        places = self.names.index(first), self.names.index(second)
        components = self._components(*places, {})
        pvalue = self._combined(*places, components)
        statistic = max((c.statistic for c in components), default=math.nan)
        return TestResult(statistic, pvalue, "aggregated", tuple(components), None, self._rows, (first, second))

    def pvalues(self) -> Floats:
        """The p-values of all pairs, (p, p); 1 on the diagonal, nan where a variable has no low rank."""
        self._check_passes()
        found = np.ones((len(self.names), len(self.names)))
        known: dict[tuple[int, int], Totals] = {}
        for a, b in combinations(range(len(self.names)), 2):
            found[a, b] = found[b, a] = self._combined(a, b, self._components(a, b, known))
        return found

    def _combined(self, a: int, b: int, components: list[Component]) -> float:
        """One p-value; nan without components. That of two variables of labels is not below what rare ones allow."""
        if not components:
            return math.nan
        pvalue = combine(components)
        if pvalue < CERTAIN and all(isinstance(self._features[place][0], LabelFeatures) for place in (a, b)):
            level = self._levels[0]
            pvalue = max(pvalue, least_pvalue(level.products[level.own(a), level.own(b)], exact=True))
        return pvalue

    def joint_entropies(self) -> Floats:
        """S_2 of all pairs in bits at the kernels' own widths, those of single variables on the diagonal."""
        self._check_rows()
        level, count = self._levels[0], len(self.names)
        sums = np.add.reduceat(np.add.reduceat(level.products**2, level.starts[:-1], axis=0), level.starts[:-1], axis=1)
        own = [float(level.sums[level.own(k)] @ level.sums[level.own(k)]) for k in range(count)]
        sums[np.diag_indices(count)] = own
        bits: Floats = 2 * math.log2(self._rows) - np.log2(sums)
        return bits

    def values(self) -> Floats:
        """I* at alpha = 2 of all pairs, as `pairwise` gives it; nan on the diagonal."""
        joint = self.joint_entropies()
        single = np.diag(joint)
        larger = np.maximum.outer(single, single)
        shared = np.add.outer(single, single) - joint
        found = np.divide(shared, larger, out=np.zeros_like(joint), where=larger > 1e-12)
        np.fill_diagonal(found, np.nan)
        return found

    def adjusted(self) -> Floats:
        """Chance-adjusted I at alpha = 2 of all pairs; after the second pass. nan on the diagonal."""
        self._check_passes()
        joint, count = self.joint_entropies(), len(self.names)
        known = [self._totals(0, k) for k in range(count)]
        found = np.full((count, count), np.nan)
        for a, b in combinations(range(count), 2):
            chances = Chances(*map(np.asarray, chance_of(known[a], known[b])))
            found[a, b] = found[b, a] = float(chances.adjusted(joint[a, b]))
        return found

    @property
    def residuals(self) -> Floats:
        """Mean of what the landmarks leave of a row, by width and variable."""
        self._check_rows()
        return np.stack([level.residuals for level in self._levels]) / self._rows

    def _components(self, a: int, b: int, known: dict[tuple[int, int], Totals]) -> list[Component]:
        """Both forms at every width of the ladder; what is known of single variables is kept for the next pair."""
        heights = [len(self._features[variable]) for variable in (a, b)]
        # The first level is the kernel of the values; a ladder, where there is one, stands above it.
        levels = range(1, max(heights)) if max(heights) > 1 else range(1)
        components = []
        for height in levels:
            level = self._levels[height]
            if max(level.residuals[a], level.residuals[b]) > _LARGEST_RESIDUAL * self._rows:
                continue
            for variable in (a, b):
                if (height, variable) not in known:
                    known[height, variable] = self._totals(height, variable)
            first, second = known[height, a], known[height, b]
            if max(first.saturation, second.saturation) > LARGEST_SATURATION:
                continue
            between = level.products[level.own(a), level.own(b)]
            products = (float(np.sum(between**2)) - self._rows) / 2
            cross = float(first.column_sums @ between @ second.column_sums)
            row_products = cross - first.total - second.total - self._rows
            label = f"at {RUNG_BITS[height - 1]:g} bits" if height else "at its width"
            components += compared(first, second, products, row_products, label)
        return components

    def _totals(self, height: int, variable: int) -> Totals:
        level = self._levels[height]
        labels = isinstance(self._features[variable][level.members[variable]], LabelFeatures)
        return level.totals(variable, self._rows, labels)

    def _check_rows(self) -> None:
        if self._rows < _FEWEST_ROWS:
            raise value_error("data", f"at least {_FEWEST_ROWS} rows", f"{self._rows}", "Rows come in by update().")

    def _check_passes(self) -> None:
        self._check_rows()
        if self._second_rows != self._rows:
            expected = f"a second pass over the {self._rows} rows of the first"
            got = "none" if self._second_rows is None else f"{self._second_rows} rows"
            raise value_error("data", expected, got, "s = s.second_pass(), then s.update() with the same rows.")
