"""Low rank with a certificate: randomly pivoted Cholesky on a Gram operator.

Only columns of the kernel matrix are evaluated, and a column of a Hadamard product is the product of the columns:
joints are as cheap as marginals and nothing n x n is formed. Pivots are drawn in blocks with probability proportional
to the residual diagonal and thinned by rejection, which gives the same law as drawing one at a time (Chen, Epperly,
Tropp and Webber 2022; Epperly, Tropp and Webber 2024).
"""

import math
from collections.abc import Callable

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer.kernels.gram import Gram
from shearer.spectrum import renyi
from shearer.spectrum.decay import Decay
from shearer.spectrum.lowrank import certificate
from shearer.spectrum.lowrank.certificate import PartialSpectrum

EPSILON = float(np.finfo(np.float64).eps)
_FIRST_BLOCK, _LARGEST_BLOCK = 24, 96
# Numbers in the columns of one block: 128 megabytes.
_WORK = 2**24
# A residual below this is round-off: pivots there would only add noise.
SMALLEST_PIVOT = 1e-13
# Entries below this are as good as 0; their products would leave the range in which arithmetic is fast.
_NOTHING = 1e-60
# Rows summed at once: round-off of a sum grows with its length.
ROWS_AT_ONCE = 512
# Eigenvalues are looked at again when the rank has grown by this factor.
_SELDOM = 1.15


class Factorization:
    """K ~ F F' with a residual that is positive semidefinite, grown by blocks of pivots.

    Parameters
    ----------
    gram : Gram
        The operator, of numpy arrays.
    rng : Generator
        Source of the pivots.
    """

    def __init__(self, gram: Gram, rng: np.random.Generator) -> None:
        self.gram = gram
        self.pivots: list[int] = []
        self.residual = np.ones(gram.n)
        self._rng = rng
        self._weights = np.ones(gram.n)
        self._columns = np.empty((gram.n, 4 * _FIRST_BLOCK), order="F")

    @property
    def rank(self) -> int:
        """Columns of F."""
        return len(self.pivots)

    @property
    def factor(self) -> NDArray[np.float64]:
        """F, of shape (n, rank)."""
        return self._columns[:, : self.rank]

    def weigh(self, weights: NDArray[np.float64]) -> None:
        """Draw further pivots by residual times weight."""
        self._weights = weights

    def grow(self, most: int) -> bool:
        """Add a block of pivots, up to rank `most`; False if no residual above round-off is left."""
        # Columns in work take as much memory as those that stay: few at a time where they are long.
        at_once = max(8, min(_LARGEST_BLOCK, _WORK // self.gram.n))
        block = min(max(_FIRST_BLOCK, self.rank), at_once, most - self.rank)
        chances = self._weights * np.where(self.residual > SMALLEST_PIVOT, self.residual, 0.0)
        total = float(chances.sum())
        if total <= 0 or block <= 0:
            return False
        drawn = np.searchsorted(np.cumsum(chances), self._rng.uniform(0, total, size=block), side="right")
        drawn = np.unique(np.minimum(drawn, self.gram.n - 1))
        self._rng.shuffle(drawn)
        self._append(drawn)
        return True

    def start_from(self, pivots: NDArray[np.intp]) -> None:
        """Take these pivots first, as far as their residual is above round-off."""
        for start in range(0, len(pivots), _LARGEST_BLOCK):
            self._append(pivots[start : start + _LARGEST_BLOCK], reject=False)

    def _append(self, drawn: NDArray[np.intp], *, reject: bool = True) -> None:
        known = self.factor
        core = _without_traces(self.gram.block(drawn, drawn) - known[drawn] @ known[drawn].T)
        accepted, lower = self._thin(core, reject)
        # By the block these have nothing left but round-off: they would be drawn, and turned down, for ever.
        used_up = np.diag(core) <= SMALLEST_PIVOT
        self.residual[drawn[used_up]] = np.clip(np.diag(core)[used_up], 0.0, SMALLEST_PIVOT)
        if not len(accepted):
            return
        chosen = drawn[accepted]
        fresh = _without_traces(self.gram.columns(chosen) - known @ known[chosen].T)
        # F_new = G L^-T, solved for the transpose so that LAPACK works in place.
        fresh = scipy.linalg.solve_triangular(lower, fresh.T, lower=True, overwrite_b=True, check_finite=False).T
        rank = self.rank
        if rank + len(chosen) > self._columns.shape[1]:
            wider = np.empty((self.gram.n, 2 * (rank + len(chosen))), order="F")
            wider[:, :rank] = known
            self._columns = wider
        self._columns[:, rank : rank + len(chosen)] = fresh
        self.pivots.extend(int(pivot) for pivot in chosen)
        self.residual -= np.einsum("ij,ij->i", fresh, fresh)
        self.residual[chosen] = 0.0
        np.maximum(self.residual, 0.0, out=self.residual)

    def _thin(self, core: NDArray[np.float64], reject: bool) -> tuple[list[int], NDArray[np.float64]]:
        """Keep each pivot with the chance its residual given those before it has left, and factor what is kept."""
        size = len(core)
        before = np.diag(core).copy()
        lower = np.zeros((size, size))
        accepted: list[int] = []
        for i in range(size):
            left = core[i, i] - lower[i, : len(accepted)] @ lower[i, : len(accepted)]
            threshold = self._rng.uniform() * before[i] if reject else 0.0
            if left <= max(threshold, SMALLEST_PIVOT):
                continue
            column = core[:, i] - lower[:, : len(accepted)] @ lower[i, : len(accepted)]
            lower[:, len(accepted)] = column / np.sqrt(left)
            accepted.append(i)
        return accepted, lower[np.ix_(accepted, range(len(accepted)))]


def _without_traces(entries: NDArray[np.float64]) -> NDArray[np.float64]:
    entries[np.abs(entries) < _NOTHING] = 0.0
    return entries


def residual_error(rank: int, entry_error: float) -> float:
    """Round-off of 1 - |f_i|^2, a sum of `rank` squares of numbers with errors of their own."""
    return (4 * rank + entry_error) * EPSILON


def eigenvalue_error(rank: int, entry_error: float, eigenvalues: NDArray[np.float64]) -> float:
    """Round-off of an eigenvalue of F'F/n: of the entries of K, of sums over rows, of the eigenvalue solver."""
    return EPSILON * (entry_error + (ROWS_AT_ONCE + 4 * rank) * float(np.max(eigenvalues, initial=0.0)))


def cross_products(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Left' right, summed in short stretches of rows with compensation, so that round-off does not grow with n."""
    total = np.zeros((left.shape[1], right.shape[1]))
    lost = np.zeros_like(total)
    for start in range(0, len(left), ROWS_AT_ONCE):
        add_compensated(total, lost, left[start : start + ROWS_AT_ONCE].T @ right[start : start + ROWS_AT_ONCE])
    return total + lost


def add_compensated(total: NDArray[np.float64], lost: NDArray[np.float64], part: NDArray[np.float64]) -> None:
    """Total += part, with what rounding drops kept in `lost` (Neumaier)."""
    summed = total + part
    lost += np.where(np.abs(total) >= np.abs(part), (total - summed) + part, (part - summed) + total)
    total[...] = summed


class Growth:
    """A factorisation on its way, with the certified spectrum at the rank that it has.

    Parameters
    ----------
    gram : Gram
        The operator, of numpy arrays.
    alpha : float
        Order of the entropy that the certificate serves.
    rng : Generator
        Source of the pivots.
    """

    def __init__(self, gram: Gram, alpha: float, rng: np.random.Generator) -> None:
        self.work = Factorization(gram, rng)
        self.alpha = alpha
        self._products = np.empty((0, 0))
        self._eigenvalues = np.empty(0)

    @property
    def missing(self) -> float:
        """Part of the spectrum's mass that the factorisation leaves out, round-off aside."""
        return float(self.work.residual.mean())

    @property
    def residual_bits(self) -> float:
        """What the residual adds to an entropy of order 1 at most, round-off aside; less at higher orders."""
        return float(np.sum(renyi.tau_or_zero(self.work.residual / self.work.gram.n, 1.0))) / math.log(2.0)

    def spectrum(self) -> PartialSpectrum:
        """The certified part of the spectrum of K/n, round-off included."""
        eigenvalues, entry_error = self._known(), self.work.gram.entry_error
        error = eigenvalue_error(self.work.rank, entry_error, eigenvalues)
        return self._certified(eigenvalues, error, residual_error(self.work.rank, entry_error))

    def truncated(self) -> PartialSpectrum:
        """What the certificate would be without round-off: the part that a larger rank improves."""
        return self._certified(self._known(), 0.0, 0.0)

    def certify(self, enough: Callable[[PartialSpectrum], bool], most: int, decay: Decay | None) -> PartialSpectrum:
        """Grow until the certificate is good enough, the rank is `most`, nothing is left or the goal out of reach."""
        known = 0
        while True:
            going_on = self.work.grow(most) and self.work.rank < most
            # Bounds are wider than the missing mass: while that is too much, the eigenvalues can wait.
            if going_on and decay is not None and self.missing > decay.goal and self.work.rank < _SELDOM * known:
                continue
            spectrum, known = self.spectrum(), self.work.rank
            if enough(spectrum) or not going_on:
                return spectrum
            if decay is not None and decay.is_hopeless(known, certificate.width(spectrum, self.alpha)):
                return spectrum

    def _known(self) -> NDArray[np.float64]:
        """Eigenvalues of F'F/n; products of columns are formed once."""
        known = len(self._products)
        if known < self.work.rank or not len(self._eigenvalues):
            side = cross_products(self.work.factor, self.work.factor[:, known:])
            self._products = np.block([[self._products, side[:known]], [side[:known].T, side[known:]]])
            self._eigenvalues = scipy.linalg.eigvalsh(self._products, check_finite=False) / self.work.gram.n
        return self._eigenvalues

    def _certified(self, eigenvalues: NDArray[np.float64], error: float, slack: float) -> PartialSpectrum:
        n, alpha = self.work.gram.n, self.alpha
        residual = (self.work.residual + slack) / n
        residual_tau = float(np.sum(renyi.tau_or_zero(residual, alpha))) if 0 < alpha < np.inf else 0.0
        return PartialSpectrum.certified(eigenvalues, error, n, residual_tau, alpha)


def factorize(
    gram: Gram,
    alpha: float,
    rng: np.random.Generator,
    most: int,
    enough: Callable[[PartialSpectrum], bool],
    weights: NDArray[np.float64] | None = None,
    decay: Decay | None = None,
) -> tuple[Factorization, PartialSpectrum]:
    """Grow a factorisation until its certificate is good enough, the rank is `most`, or nothing is left.

    Pivots are drawn by residual times weight: rows of weight 0 only tell how good the others are. With a `decay` the
    attempt ends as soon as the width that is its goal is out of reach.
    """
    growth = Growth(gram, alpha, rng)
    if weights is not None:
        growth.work.weigh(weights)
    return growth.work, growth.certify(enough, most, decay)
