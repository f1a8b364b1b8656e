"""A statistic over many rearrangements: all or random ones, on several threads, and the p-value."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._threads import single_threaded_blas
from shearer._validate import describe, type_error, value_error
from shearer.inference.pvalue import exact_pvalue, rank_pvalue, sequential_pvalue
from shearer.inference.rearranged import Statistic
from shearer.inference.rearrangements import Order, Scheme

Floats = NDArray[np.float64]
R = TypeVar("R")


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
            null = self.values(self.every(), number, n_jobs, progress)
            return exact_pvalue(null, observed), null, f"all {number} permutations{self.scheme.words}"
        if exceedances is None:
            null = self.values(self.drawn(0, most), most, n_jobs, progress)
            return rank_pvalue(null, observed), null, f"{most} random permutations{self.scheme.words}"
        done = 0

        def draw(count: int) -> Floats:
            nonlocal done
            found = self.values(self.drawn(done, done + count), count, n_jobs, progress)
            done += count
            return found

        pvalue, null = sequential_pvalue(draw, observed, most, exceedances)
        return pvalue, null, f"{len(null)} of at most {most} random permutations{self.scheme.words}"

    def every(self) -> Iterator[list[Order]]:
        """All rearrangements."""
        first = np.arange(self.rows)
        yield from ([first, *orders] for orders in product(*[list(self.scheme.every())] * (self.variables - 1)))

    def drawn(self, start: int, stop: int) -> Iterator[list[Order]]:
        """The random rearrangements of these numbers."""
        for index in range(start, stop):
            generator = np.random.default_rng([self.seed, index])
            yield [np.arange(self.rows), *(self.scheme.draw(generator) for _ in range(self.variables - 1))]

    def values(self, orders: Iterable[list[Order]], total: int, n_jobs: int | None, progress: bool | None) -> Floats:
        """The statistic of each rearrangement, in order."""
        found = track(spread(self.statistic, orders, n_jobs), total, "permutations", progress)
        return np.fromiter(found, dtype=np.float64, count=total)


def spread(function: Callable[[Any], R], items: Iterable[Any], n_jobs: int | None) -> Iterator[R]:
    """function(item) for every item, in order, on that many threads."""
    if n_jobs is None or n_jobs == 1:
        yield from map(function, items)
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise type_error("n_jobs", "a number of threads, or -1 for all cores", describe(n_jobs))
    # Loaded only where it is used.
    from joblib import Parallel, delayed

    with single_threaded_blas():
        yield from Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(map(delayed(function), items))


def check_count(parameter: str, value: Any, least: int) -> None:
    """Raise unless the value is a whole number of at least that size."""
    expected = f"a whole number of {least} or more"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise type_error(parameter, expected, describe(value))
    if value < least:
        raise value_error(parameter, expected, describe(value))
