"""What a measure is by chance, and what it is for copies: the two ends of the adjusted scale."""

import math
from collections.abc import Sequence

import numpy as np

from shearer._jobs import spread
from shearer._memory import MemoryBudgetError, format_bytes
from shearer._validate import message, value_error
from shearer.data.arrays import to_numpy
from shearer.inference.permutation.rearrangements import Within
from shearer.inference.permutation.resampling import check_count
from shearer.kernels import Gram, hadamard
from shearer.measures.combination import Combination
from shearer.measures.entropies import SubsetEntropies
from shearer.measures.registry import MEASURES
from shearer.pairs.null_law.moments import Sums, moments, sums_of
from shearer.spectrum import Request, solve

# The moments divide by n (n - 1) ... (n - 5).
_FEWEST_ROWS = 6
# Bits of round-off: less than this is nothing to share.
_NOTHING = 1e-12


class Chance:
    """A measure of operators, what it is by chance, and what it is for copies."""

    def __init__(self, operators: Sequence[Gram], measure: str, request: Request) -> None:
        self.operators = tuple(operators)
        self.request = request
        self.formula: Combination = MEASURES[measure].formula(range(len(self.operators)))

    def adjusted(self, n_resamples: int | None, n_jobs: int | None) -> float:
        """(value - chance) / (copies - chance); 0 where there is nothing to share."""
        if sum(not operator.is_constant for operator in self.operators) < 2:
            return 0.0
        chance = self.chance(n_resamples, n_jobs)
        value = float(self.formula.evaluate(SubsetEntropies(self.operators, self.request)))
        span = self.copies() - chance
        return (value - chance) / span if span > _NOTHING else 0.0

    def copies(self) -> float:
        """Mean over variables of the measure of as many copies of that variable."""
        sizes = {len(subset) for subset in self.formula.terms}
        total = 0.0
        for operator in self.operators:
            entropy = {size: float(solve(hadamard([operator] * size), self.request)) for size in sizes}
            total += math.fsum(factor * entropy[len(subset)] for subset, factor in self.formula.terms.items())
        return total / len(self.operators)

    def chance(self, n_resamples: int | None, n_jobs: int | None) -> float:
        """Mean over permutations, by moments or by drawing some."""
        if n_resamples is not None:
            check_count("n_resamples", n_resamples, 1)
            return self._drawn(n_resamples, n_jobs)
        if self.request.alpha != 2:
            hint = "State n_resamples: other orders have no formula, and permutations take their time."
            raise value_error("alpha", "2 without n_resamples", f"{self.request.alpha:g}", hint)
        return self._by_moments()

    def _drawn(self, count: int, n_jobs: int | None) -> float:
        entropies, rows = SubsetEntropies(self.operators, self.request), self.operators[0].n
        for index in range(len(self.operators)):
            entropies({index})  # known from here on: permutations leave them
        scheme = Within((np.arange(rows),))

        def value(index: int) -> float:
            rng = np.random.default_rng([self.request.seed, index])
            return float(self.formula.evaluate(entropies.shuffled([scheme.draw(rng) for _ in self.operators])))

        return math.fsum(spread(value, range(count), n_jobs)) / count

    def _by_moments(self) -> float:
        """Sum of the expected entropies of the formula's subsets (mathematics, section 9)."""
        n = self.operators[0].n
        if n < _FEWEST_ROWS:
            raise value_error("data", f"at least {_FEWEST_ROWS} rows", f"{n}", "Or state n_resamples.")
        needed = 4 * 8 * n**2
        if needed > self.request.memory:
            got, hint = f"{n} rows, which need {format_bytes(needed)}", "Fewer rows, or n_resamples."
            raise MemoryBudgetError(message("memory", f"at most {format_bytes(self.request.memory)}", got, hint))
        known = [centered_sums(operator) for operator in self.operators]
        return math.fsum(
            factor * _expected_entropy([known[i] for i in sorted(subset)], n)
            for subset, factor in self.formula.terms.items()
        )


def centered_sums(operator: Gram) -> tuple[float, Sums]:
    """Mean m off the diagonal of the squared kernel M, and the sums of x in M = m (1 + x)."""
    matrix = np.array(to_numpy(operator.squared().dense()), dtype=np.float64)
    n = len(matrix)
    np.fill_diagonal(matrix, 0.0)
    mean = float(matrix.sum()) / (n * (n - 1))
    # Values so far apart that no two are similar at all: any tiny mean serves, since x is then 0 by itself.
    matrix = matrix / mean - 1.0 if mean > 0 else np.zeros_like(matrix)
    np.fill_diagonal(matrix, 0.0)
    return mean, sums_of(matrix, triangles=0.0)  # they enter the third moment only, which is not asked for


def _expected_entropy(known: Sequence[tuple[float, Sums]], n: int) -> float:
    """E[-log2(s / n^2)] with s = n + 2 Z, to second order in Z - E Z; exact for a single variable."""
    if len(known) == 1:
        return -math.log2((n + n * (n - 1) * known[0][0]) / n**2)
    scale = math.prod(mean for mean, _ in known)
    deviation = scale * moments([sums.means() for _, sums in known], n).deviation
    total = n + scale * n * (n - 1)
    return -math.log2(total / n**2) + 2 * deviation**2 / (total**2 * math.log(2))
