"""Certified low rank as a route: any alpha above 0, any number of rows, bounds within the tolerance or a refusal.

Without a stated tolerance the factorisation goes on until what it leaves out is as small as the round-off of all
eigenvalues, so that both routes give the same number; what cannot be had so at a part of their cost is left to them.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer._threads import single_threaded_blas
from shearer.data.arrays import is_numpy
from shearer.kernels.gram import Gram
from shearer.spectrum.decay import Decay
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.lowrank import certificate, cholesky, streaming
from shearer.spectrum.lowrank.certificate import PartialSpectrum
from shearer.spectrum.request import Request, ToleranceError
from shearer.spectrum.solver import Solver

# Up to this many rows all of them are factored at once; beyond, landmarks are chosen on a sample.
ROWS_IN_MEMORY = 20_000
# Beyond this rank a factorisation of many rows takes minutes, and what needs it has no low rank.
MOST_RANK = 2000
# Bits that the columns left out may be worth where no tolerance is stated, times the entropy if that is below one bit.
ROUND_OFF = 1e-11
# Bits: quotients of smaller entropies show the round-off of either route, and that of all eigenvalues is the reference.
_LEAST_ENTROPY = 0.05
# Rows below which all eigenvalues take less time than a factorisation, however low the rank.
_FEWEST_ROWS = 400
# Memory is planned for this rank; what needs more grows into the budget or gives up.
_TYPICAL_RANK = 200
# Cost of n rank^2 and of a column, measured, all steps together; what is paid at any rank.
_SECONDS_A_FLOP, _SECONDS_AN_ENTRY, _OVERHEAD = 4e-10, 5e-9, 1.5e-3
# Part of another route's time after which an attempt is given up.
_SHARE = 0.5
# Seconds for the digits between the default tolerance and round-off, where all eigenvalues take longer.
_SECONDS_TO_ROUND_OFF = 0.5
# Rows of a sample whose eigenvalues tell how many columns all rows may need.
_PROBED_ROWS = 256
# Bits of an eigenvalue as small as those left out, beyond the logarithm of the rows: their mass counts that much more.
_BITS_OF_SMALL = 20.0


@dataclass(frozen=True)
class _Within:
    """Whether the bounds of a certificate are at most `wanted` bits apart."""

    alpha: float
    wanted: float

    def __call__(self, spectrum: PartialSpectrum) -> bool:
        return certificate.width(spectrum, self.alpha) <= self.wanted


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
        """By the rank that is usual for the number of dimensions."""
        return _seconds(gram.n, self._usual_rank(gram))

    def forecast(self, gram: Gram, request: Request) -> float:
        """By the eigenvalues of a few rows; infinity where they say that the rank is out of reach."""
        rank = _probed_rank(gram, request, self._wanted(request))
        return _seconds(gram.n, rank) if rank <= self.most_rank(gram, request) else math.inf

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """The middle of the bounds, or an error that says how close they came."""
        most, alpha, enough = self.most_rank(gram, request), request.alpha, _Within(request.alpha, request.wanted)
        decay = Decay(request.wanted, most)
        if gram.n <= ROWS_IN_MEMORY:
            with single_threaded_blas():  # many small steps: threads would wait for each other
                work, spectrum = cholesky.factorize(gram, alpha, request.rng(), most, enough, decay=decay)
            rank = work.rank
        else:
            rank, spectrum = streaming.factorize(gram, alpha, request.rng(), most, enough, decay)
        lower, upper = certificate.bounds(spectrum, alpha)
        if upper - lower > request.wanted:
            raise ToleranceError(f"low rank: bounds {upper - lower:.2g} bits apart at rank {rank}{decay.outlook}")
        return self._estimate(np.float64((lower + upper) / 2), lower, upper)

    def most_rank(self, gram: Gram, request: Request) -> int:
        """What memory allows, and no more work than a part of what another route would take."""
        # The largest rank with 32 rows rank + 48 rank^2 bytes within the budget.
        half = _rows_at_once(gram) / 3
        affordable = int(math.sqrt(half**2 + request.memory / 48) - half)
        most = min(gram.n, MOST_RANK, affordable)
        if math.isfinite(request.patience):
            most = min(most, _rank_within(_SHARE * request.patience, gram.n))
        return max(1, most)

    def _wanted(self, request: Request) -> float:
        return request.wanted

    def _usual_rank(self, gram: Gram) -> float:
        """Measured for normal data at the median width and 1e-6 bits: about 20, 70, 250 in 1, 2, 3 dimensions."""
        return _usual(gram, 5.0, 3.7)


class ToRoundOff(LowRank):
    """The same until only round-off is left out: the number that all eigenvalues give, where it is cheaper.

    What the columns left out may add is certified to be below 1e-11 bits (1e-11 of the entropy, where that is below
    one bit), round-off aside; the bounds include the worst case of round-off, as those of all eigenvalues do. Pivots
    are drawn with one seed: the answer does not depend on the caller's.
    """

    reason = "a few columns hold all of the spectrum's mass but round-off"

    def supports(self, gram: Gram, request: Request) -> bool:
        """From alpha = 1 on: below, an eigenvalue of 1e-15 counts for more than itself."""
        return super().supports(gram, request) and request.alpha >= 1 and _FEWEST_ROWS <= gram.n <= ROWS_IN_MEMORY

    def pays(self, gram: Gram, request: Request) -> bool:
        """Whether it is likely to answer in a part of the time of all eigenvalues."""
        if not self.supports(gram, request) or self.memory(gram, request) > request.memory:
            return False
        usual = self._usual_rank(gram)
        return usual <= self.most_rank(gram, request) and _seconds(gram.n, usual) < _SHARE * request.patience

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """The middle of the bounds without round-off, within those with it."""
        most = self.most_rank(gram, request)
        decay = Decay(ROUND_OFF, most)
        with single_threaded_blas():
            growth = cholesky.Growth(gram, request.alpha, np.random.default_rng(0))
            going_on, found = True, None
            while going_on and found is None:
                going_on = growth.work.grow(most) and growth.work.rank < most
                left = growth.residual_bits
                if left <= ROUND_OFF or not going_on:
                    found = self._answer(growth)
                elif decay.is_hopeless(growth.work.rank, left):
                    going_on = False
        if found is None:
            raise ToleranceError(f"low rank: {left:.2g} bits left out at rank {growth.work.rank}{decay.outlook}")
        return found

    def most_rank(self, gram: Gram, request: Request) -> int:
        """A part of another route's time, and no more than half a second where that takes long."""
        return max(1, min(super().most_rank(gram, request), _rank_within(_SECONDS_TO_ROUND_OFF, gram.n)))

    def _answer(self, growth: cholesky.Growth) -> Estimate | None:
        """The entropy if the columns left out no longer matter, and round-off does not either."""
        low, high = certificate.bounds(growth.truncated(), growth.alpha)
        middle = (low + high) / 2
        if middle < _LEAST_ENTROPY or high - low > ROUND_OFF * min(1.0, middle):
            return None
        return self._estimate(np.float64(middle), *certificate.bounds(growth.spectrum(), growth.alpha))

    def _wanted(self, request: Request) -> float:
        return ROUND_OFF

    def _usual_rank(self, gram: Gram) -> float:
        """As above, but all digits: about 25, 200 and more than 1000."""
        return _usual(gram, 3.5, 7.5)


def _usual(gram: Gram, scale: float, growth: float) -> float:
    """A rank that grows with the dimensions; where labels split the matrix, that of each part."""
    parts = len(gram.components())
    dimensions = gram.dimensions - 1 if parts > 1 else gram.dimensions
    return min(float(gram.n), parts * scale * growth**dimensions)


def _rank_within(seconds: float, rows: int) -> int:
    return int(math.sqrt(min(seconds, 1e9) / (_SECONDS_A_FLOP * rows)))


def _seconds(rows: int, rank: float) -> float:
    passes = 1 if rows <= ROWS_IN_MEMORY else 3
    return passes * rows * (_SECONDS_A_FLOP * rank**2 + _SECONDS_AN_ENTRY * rank) + _OVERHEAD


def _rows_at_once(gram: Gram) -> int:
    return min(gram.n, max(ROWS_IN_MEMORY, gram.n // 32))


def _probed_rank(gram: Gram, request: Request, wanted: float) -> float:
    """The rank that all rows may need, by the eigenvalues of a few hundred of them and of half as many.

    The pace at which the larger eigenvalues of a sample decay promises too small a rank, the growth of the rank from
    half of the sample to all of it, carried on to all rows, threatens with too large a one: the geometric mean.
    """
    rows = request.rng().choice(gram.n, min(gram.n, _PROBED_ROWS), replace=False)
    goal = max(wanted / (math.log2(gram.n) + _BITS_OF_SMALL), 1e-15)
    matrix = gram.restrict(rows).dense()
    half, whole = (_mass_left(matrix[:size, :size]) for size in (len(rows) // 2, len(rows)))
    ranks = [int(np.argmax(left <= goal)) + 1 for left in (half, whole)]
    growth = math.log2(ranks[1] / ranks[0])
    third = max(4, len(rows) // 3)
    if ranks[1] <= third:
        promised = float(ranks[1])
    else:
        decay = Decay(goal, third)
        for rank in (third // 4, third // 2, third):
            decay.is_hopeless(rank, float(whole[rank - 1]))
        promised = decay.needed
    return min(float(gram.n), math.sqrt(promised * ranks[1] * (gram.n / len(rows)) ** growth))


def _mass_left(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Part of the trace beyond the first 1, 2, ... eigenvalues; the last is none."""
    with single_threaded_blas():
        eigenvalues = scipy.linalg.eigvalsh(matrix, check_finite=False)[::-1]
    left = np.clip(1.0 - np.cumsum(np.clip(eigenvalues, 0.0, None)) / len(matrix), 1e-16, 1.0)
    left[-1] = 1e-16
    return left
