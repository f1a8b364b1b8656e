"""What sums over rows say of pairs: independence tests, and values of order 2."""

import math
from collections.abc import Iterator
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
from shearer.pairs.statistics import (
    Heights,
    Known,
    Margins,
    Sample,
    chances_of,
    compared,
    counts_at,
    rungs_of_pairs,
    weights_of,
)
from shearer.pairs.strength import Strongest, signed_root
from shearer.sketching.landmarks import Features, LabelFeatures
from shearer.sketching.levels import Crossing, Level, squared_norms

Floats = NDArray[np.float64]


class PairAnswers:
    """The answers of a `PairSketch`, which brings the sums."""

    # The variables as a chunk brings them: kinds and dimensions, no rows.
    _shapes: tuple[Variable, ...]
    _features: list[list[Features]]
    _levels: list[Level]
    _crossings: list[Crossing]
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
        rungs = self._rungs[[a, b]]
        components = []
        for heights, sample in self._samples():
            if self._counts(heights)[a, b]:
                found = compared(sample, heights or (0, 0))
                components += [Component(*one) for one in found.components(int(rungs.max()), (a, b))]
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
        """p-values and squared strengths of all pairs, each (p, p), and the widths at which the latter are found."""
        self._check_passes()
        count = len(self.names)
        tails, every = [], []
        places = rungs_of_pairs(max(len(self._levels) - 1, 1))
        strongest = Strongest(np.full((count, count), self._rows), self._rungs, self._rungs)
        for heights, sample in self._samples():
            counts, found = self._counts(heights), compared(sample, heights or (0, 0))
            strongest.add(np.where(counts, sample.alignment, np.nan), sample.attainable, places.index(found.heights))
            found.z[:, ~counts] = np.nan
            tails += found.tails()
            every.append(found.heights)
        pvalue = joined(tails, weights_of(every))
        np.fill_diagonal(pvalue, 1.0)
        labels = [k for k in range(count) if isinstance(self._features[k][0], LabelFeatures)]
        level = self._levels[0]
        for a, b in combinations(labels, 2):
            if pvalue[a, b] < CERTAIN:
                least = least_pvalue(level.products[level.own(a), level.own(b)], exact=True)
                pvalue[a, b] = pvalue[b, a] = max(pvalue[a, b], least)
        return Judged(pvalue, strongest.squared, strongest.rungs)

    @property
    def _rungs(self) -> NDArray[np.intp]:
        """How many rungs the variables have; those of a kernel of their own have one, which is the first level."""
        return np.array([max(len(own) - 1, 1) for own in self._features], dtype=np.intp)

    def _counts(self, heights: Heights | None) -> NDArray[np.bool_]:
        """Which pairs are tested at some rungs, or, without any, at the kernels of both variables.

        The first level is the kernel of the values; a ladder, where there is one, stands above it.
        """
        alone = np.array([len(own) == 1 for own in self._features])
        both: NDArray[np.bool_] = np.logical_and.outer(alone, alone)
        return both if heights is None else ~both & counts_at(heights, self._rungs, self._rungs)

    def _samples(self) -> Iterator[tuple[Heights | None, Sample]]:
        """What statistics need of all pairs at the first level, and at the rungs above it."""
        known = [self._known(place) for place in range(len(self._levels))]
        for heights in (None, *rungs_of_pairs(len(self._levels) - 1)):
            a, b = (0, 0) if heights is None else (heights[0] + 1, heights[1] + 1)
            first, second = self._levels[a], self._levels[b]
            sums = first if a == b else self._crossing(a, b)
            norms = squared_norms(sums.products, first, second, self._rows)
            yield heights, Sample(known[a], known[b], self._rows, norms, sums.diagonals, sums.slopes)

    def _crossing(self, first: int, second: int) -> Crossing:
        """The sums over rows at two different levels."""
        for one in self._crossings:
            if one.levels == (first, second):
                return one
        return self._crossing(second, first).turned()

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
