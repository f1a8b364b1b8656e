"""A statistic over many rearrangements: all or random ones, on several threads, and the p-value."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import spread
from shearer._progress import track
from shearer._validate import describe, type_error, value_error
from shearer.inference.permutation.rearranged import Statistic
from shearer.inference.permutation.rearrangements import Order, Scheme
from shearer.inference.pvalue import exact_pvalue, rank_pvalue, sequential_pvalue

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Resampler:
    """A statistic over rearrangements; rearrangement number i depends on the seed and i alone."""

    statistic: Statistic
    scheme: Scheme
    rows: int
    variables: int
    seed: int

    def test(
        self, observed: float, most: int, exceedances: int | None, n_jobs: int | None, progress: bool | None
    ) -> tuple[float, Floats, str]:
        """P-value, values of the rearrangements, and how they were chosen."""
        # Half a rearrangement more: round-off of the logarithm must not decide.
        if self.scheme.log_count() * (self.variables - 1) < math.log(most + 1.5):
            number = self.scheme.count() ** (self.variables - 1)
            null = _values(spread(self.statistic, self.every(), n_jobs), number, progress)
            return exact_pvalue(null, observed), null, f"all {number} permutations{self.scheme.words}"
        if exceedances is None:
            null = _values(spread(self.drawn, range(most), n_jobs), most, progress)
            return rank_pvalue(null, observed), null, f"{most} random permutations{self.scheme.words}"
        done = 0

        def draw(count: int) -> Floats:
            nonlocal done
            found = _values(spread(self.drawn, range(done, done + count), n_jobs), count, progress)
            done += count
            return found

        pvalue, null = sequential_pvalue(draw, observed, most, exceedances)
        return pvalue, null, f"{len(null)} of at most {most} random permutations{self.scheme.words}"

    def every(self) -> Iterator[list[Order]]:
        """All rearrangements."""
        first = np.arange(self.rows)
        yield from ([first, *orders] for orders in product(*[list(self.scheme.every())] * (self.variables - 1)))

    def drawn(self, index: int) -> float:
        """The statistic of the random rearrangement of this number."""
        generator = np.random.default_rng([self.seed, index])
        return self.statistic([np.arange(self.rows), *(self.scheme.draw(generator) for _ in range(self.variables - 1))])


def _values(found: Iterator[float], total: int, progress: bool | None) -> Floats:
    return np.fromiter(track(found, total, "permutations", progress), dtype=np.float64, count=total)


def check_count(parameter: str, value: Any, least: int) -> None:
    """Raise unless the value is a whole number of at least that size."""
    expected = f"a whole number of {least} or more"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise type_error(parameter, expected, describe(value))
    if value < least:
        raise value_error(parameter, expected, describe(value))
