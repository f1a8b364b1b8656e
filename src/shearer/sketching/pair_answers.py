"""What sums over rows say of pairs: independence tests, and values of order 2."""

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, describe, value_error
from shearer.data.variables import Variable
from shearer.inference.answers import Component, TestResult
from shearer.pairs.engine import Judged
from shearer.pairs.limits import FEWEST_ROWS
from shearer.pairs.null_law.rare import CERTAIN, least_pvalue
from shearer.pairs.null_law.tails import joined
from shearer.pairs.statistics import Compared, Known, Margins, Sample, chances_of, compared, weights_of
from shearer.pairs.strength import Strongest, signed_root
from shearer.sketching.landmarks import Features, LabelFeatures
from shearer.sketching.levels import Level

Floats = NDArray[np.float64]


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
        a, b = self.names.index(first), self.names.index(second)
        components = []
        ladder = self._ladder(a, b)
        for height in ladder:
            found = self._statistics(height)
            components += [Component(*one) for one in found.components(max(height - 1, 0), len(ladder), (a, b))]
        statistic = max((c.statistic for c in components), default=math.nan)
        pvalue = float(self.pvalues()[a, b])
        return TestResult(statistic, pvalue, "aggregated", tuple(components), None, self._rows, (first, second))

    def pvalues(self) -> Floats:
        """The p-values of all pairs, (p, p); 1 on the diagonal."""
        return self.judged().pvalue

    def strengths(self) -> Floats:
        """The strengths of all pairs, (p, p), as `Pairwise.strength` gives them."""
        return signed_root(self.judged().squared)

    def judged(self) -> Judged:
        """p-values and squared strengths of all pairs, each (p, p), and the rungs of the latter."""
        self._check_passes()
        count = len(self.names)
        heights = np.array([len(own) for own in self._features])
        longest = np.maximum.outer(heights, heights)
        tails, strongest = [], Strongest(longest.shape)
        for height in range(len(self._levels)):
            found = self._statistics(height)
            # The first level is the kernel of the values; a ladder, where there is one, stands above it.
            other = (longest > 1) if height == 0 else (longest <= height)
            found.z[:, other] = np.nan
            tails += found.tails()
            strongest.add(np.where(other, np.nan, found.alignment), max(height - 1, 0))
        # The first level and the first rung: one of them is nan for every pair.
        pvalue = joined(tails, [*weights_of(1), *weights_of(len(self._levels) - 1)])
        np.fill_diagonal(pvalue, 1.0)
        labels = [k for k in range(count) if isinstance(self._features[k][0], LabelFeatures)]
        level = self._levels[0]
        for a, b in combinations(labels, 2):
            if pvalue[a, b] < CERTAIN:
                least = least_pvalue(level.products[level.own(a), level.own(b)], exact=True)
                pvalue[a, b] = pvalue[b, a] = max(pvalue[a, b], least)
        rungs = np.maximum(heights - 1, 1)
        return Judged(pvalue, strongest.debiased(self._rows, rungs, rungs), strongest.height)

    def _ladder(self, a: int, b: int) -> range:
        """The levels at which two variables are tested."""
        longest = max(len(self._features[variable]) for variable in (a, b))
        return range(1, longest) if longest > 1 else range(1)

    def _statistics(self, height: int) -> Compared:
        level, known = self._levels[height], self._known(height)
        return compared(Sample(known, known, self._rows, level.norms(self._rows), level.diagonals, level.slopes))

    def _known(self, height: int) -> Known:
        level = self._levels[height]
        return level.known([self._features[k][member] for k, member in enumerate(level.members)], self._rows)

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
        known = self._known(0)
        found = chances_of(Margins(known, known, self._rows)).adjusted(self.joint_entropies())
        np.fill_diagonal(found, np.nan)
        return found

    @property
    def residuals(self) -> Floats:
        """Mean of what the landmarks leave of a row, by width and variable."""
        self._check_rows()
        return np.stack([level.residuals for level in self._levels]) / self._rows

    def _check_rows(self) -> None:
        if self._rows < FEWEST_ROWS:
            raise value_error("data", f"at least {FEWEST_ROWS} rows", f"{self._rows}", "Rows come in by update().")

    def _check_passes(self) -> None:
        self._check_rows()
        if self._second_rows != self._rows:
            expected = f"a second pass over the {self._rows} rows of the first"
            got = "none" if self._second_rows is None else f"{self._second_rows} rows"
            raise value_error("data", expected, got, "s = s.second_pass(), then s.update() with the same rows.")
