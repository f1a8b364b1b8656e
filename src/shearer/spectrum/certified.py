"""Certified low rank as a route: any alpha above 0, any number of rows, bounds within the tolerance or a refusal."""

import math
from collections.abc import Callable

import numpy as np

from shearer._arrays import is_numpy
from shearer._threads import single_threaded_blas
from shearer.kernels.gram import Gram
from shearer.spectrum import certificate, lowrank, streaming
from shearer.spectrum.certificate import PartialSpectrum
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request, ToleranceError
from shearer.spectrum.solver import Solver

# Up to this many rows all of them are factored at once; beyond, landmarks are chosen on a sample.
ROWS_IN_MEMORY = 20_000
# Beyond this rank a factorisation of many rows takes minutes, and what needs it has no low rank.
MOST_RANK = 2000
_PILOT_ROWS = 512
# Memory is planned for this rank; what needs more grows into the budget or gives up.
_TYPICAL_RANK = 200
# Cost of n rank^2, measured, all steps together.
_SECONDS_A_FLOP = 4e-10
# Seconds of an exact route from which on a look at a sample is cheap.
_WORTH_A_PILOT = 0.3
_OVERHEAD = 1.5e-3
# Part of another route's time after which an attempt is given up.
_SHARE = 0.3


class LowRank(Solver):
    """Randomly pivoted Cholesky with two-sided bounds."""

    name = "lowrank"
    reason = "a few columns hold nearly all of the spectrum's mass; the rest is bounded"

    def supports(self, gram: Gram, request: Request) -> bool:
        """For numpy data at every order but 0: a rank cannot be bounded from above."""
        return is_numpy(gram.like) and request.alpha > 0

    def memory(self, gram: Gram, request: Request) -> int:
        """The factor and its columns in work; beyond `ROWS_IN_MEMORY`, a sample, chunks of rows and rank^2."""
        rank = self.most_rank(gram, request)
        return 8 * (4 * _rows_at_once(gram) * min(rank, _TYPICAL_RANK) + 6 * rank**2)

    def seconds(self, gram: Gram, request: Request) -> float:
        """By the rank to expect; infinity where a sample of the rows has no low rank."""
        rank = _typical_rank(gram) if request.patience < _WORTH_A_PILOT else self._pilot_rank(gram, request)
        passes = 1 if gram.n <= ROWS_IN_MEMORY else 3
        return passes * gram.n * (_SECONDS_A_FLOP * rank**2 + 5e-9 * rank) + _OVERHEAD

    def _pilot_rank(self, gram: Gram, request: Request) -> float:
        """The rank that a sample of the rows needs, and some more."""
        rows = np.sort(request.rng().choice(gram.n, min(gram.n, _PILOT_ROWS), replace=False))
        most = max(1, len(rows) // 2)
        with single_threaded_blas():
            work, spectrum = lowrank.factorize(
                gram.restrict(rows), request.alpha, request.rng(), most, _enough(request)
            )
        return 1.5 * work.rank if _enough(request)(spectrum) else math.inf

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """The middle of the bounds, or an error that says how close they came."""
        question = gram, request.alpha, request.rng(), self.most_rank(gram, request), _enough(request)
        if gram.n <= ROWS_IN_MEMORY:
            with single_threaded_blas():  # many small steps: threads would wait for each other
                work, spectrum = lowrank.factorize(*question)
            rank = work.rank
        else:
            rank, spectrum = streaming.factorize(*question)
        lower, upper = certificate.bounds(spectrum, request.alpha)
        if upper - lower > request.wanted:
            raise ToleranceError(f"low rank: bounds {upper - lower:.2g} bits apart at rank {rank}")
        return self._estimate(np.float64((lower + upper) / 2), lower, upper)

    def most_rank(self, gram: Gram, request: Request) -> int:
        """What memory allows, and no more work than a part of what another route would take."""
        # The largest rank with 32 rows rank + 48 rank^2 bytes within the budget.
        half = _rows_at_once(gram) / 3
        affordable = int(math.sqrt(half**2 + request.memory / 48) - half)
        most = min(gram.n, MOST_RANK, affordable)
        if math.isfinite(request.patience):
            most = min(most, int(math.sqrt(_SHARE * request.patience / (_SECONDS_A_FLOP * gram.n))))
        return max(1, most)


def _typical_rank(gram: Gram) -> float:
    """Measured for normal data at the median width and 1e-6 bits: about 20, 70, 250 in one, two, three dimensions."""
    return min(float(gram.n), 5.0 * 3.7**gram.dimensions)


def _rows_at_once(gram: Gram) -> int:
    return min(gram.n, max(ROWS_IN_MEMORY, gram.n // 32))


def _enough(request: Request) -> Callable[[PartialSpectrum], bool]:
    """Whether a certificate meets the tolerance."""

    def enough(spectrum: PartialSpectrum) -> bool:
        lower, upper = certificate.bounds(spectrum, request.alpha)
        return upper - lower <= request.wanted

    return enough
