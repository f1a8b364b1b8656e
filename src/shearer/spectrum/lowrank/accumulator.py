"""What a certificate needs of any number of rows: sums, so that chunks, files and machines add up.

With landmarks fixed, a row gives phi = R^-T k_Z(x). The sum of phi phi' has the eigenvalues, the residuals 1 - |phi|^2
the mass that they leave out; neither depends on how the rows were cut (docs: theory, "Certified low rank").
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer.spectrum import renyi
from shearer.spectrum.lowrank import cholesky
from shearer.spectrum.lowrank.certificate import PartialSpectrum

Floats = NDArray[np.float64]

# Added to the diagonal of the landmarks' matrix: more than the round-off of its factorisation, less than any residual
# that matters; it only moves mass into the residual, where the bounds take it up.
_JITTER = 1e-12


def whitening(core: Floats) -> Floats:
    """R^-1 with R'R = core, for all chunks: a product is several times faster than a solve, and as accurate here."""
    upper = scipy.linalg.cholesky(core + _JITTER * np.eye(len(core)), lower=False, check_finite=False)
    inverse: Floats = scipy.linalg.inv(upper, check_finite=False)
    return inverse


def rows_at_once(rank: int) -> int:
    """Rows a chunk: blocks of about two megabytes, whole stretches of summation."""
    return max(1, 2**18 // max(rank, 1) // cholesky.ROWS_AT_ONCE) * cholesky.ROWS_AT_ONCE


@dataclass
class Accumulator:
    """Sums over rows for one set of landmarks; two of the same landmarks can be merged.

    Attributes
    ----------
    rank : int
        Landmarks.
    alpha : float
        Order of the entropy that the residuals are summed for.
    rows : int
        Rows added.
    products, lost : array (rank, rank)
        Sum of phi phi', and what rounding dropped of it.
    residual, tau : float
        Sums of the residuals and of tau of them.
    excess : float
        The largest |phi|^2 - 1 seen: round-off at work.
    entry_error : float
        The largest round-off of a kernel's entry, in units of epsilon.
    """

    rank: int
    alpha: float
    rows: int = 0
    residual: float = 0.0
    tau: float = 0.0
    excess: float = 0.0
    entry_error: float = 0.0
    products: Floats = field(default_factory=lambda: np.empty(0))
    lost: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        """Begin with zeros."""
        if not self.products.size:
            self.products = np.zeros((self.rank, self.rank))
            self.lost = np.zeros((self.rank, self.rank))

    def add(self, phi: Floats, entry_error: float) -> Floats:
        """Add rows, given as phi (rows, rank) and the round-off of the kernel behind it; returns their residuals."""
        for start in range(0, len(phi), cholesky.ROWS_AT_ONCE):
            part = phi[start : start + cholesky.ROWS_AT_ONCE]
            cholesky.add_compensated(self.products, self.lost, part.T @ part)
        left: Floats = 1.0 - np.einsum("ij,ij->i", phi, phi)
        self.rows += len(phi)
        self.excess = max(self.excess, float(-left.min(initial=0.0)))
        self.entry_error = max(self.entry_error, entry_error)
        np.maximum(left, 0.0, out=left)
        self.residual += float(left.sum())
        if 0 < self.alpha < math.inf:
            slack = cholesky.residual_error(self.rank, entry_error)
            self.tau += float(np.sum(renyi.tau_or_zero(np.minimum(left + slack, 1.0), self.alpha)))
        return left

    def merge(self, other: Accumulator) -> None:
        """Add what another one of the same landmarks has seen."""
        cholesky.add_compensated(self.products, self.lost, other.products)
        self.lost += other.lost
        self.rows += other.rows
        self.residual += other.residual
        self.tau += other.tau
        self.excess = max(self.excess, other.excess)
        self.entry_error = max(self.entry_error, other.entry_error)

    @property
    def missing(self) -> float:
        """Part of the spectrum's mass that the landmarks leave out."""
        return self.residual / self.rows

    def spectrum(self) -> PartialSpectrum:
        """The certified part of the spectrum of all rows."""
        eigenvalues = scipy.linalg.eigvalsh(self.products + self.lost, check_finite=False) / self.rows
        # Where |phi|^2 exceeds 1, round-off has been seen at work: every eigenvalue may be too large by as much.
        error = cholesky.eigenvalue_error(self.rank, self.entry_error, eigenvalues) + self.excess
        return PartialSpectrum.certified(eigenvalues, error, self.rows, self._tau_of_shares(), self.alpha)

    def _tau_of_shares(self) -> float:
        """Sum of tau(x / n) from the sums of x and of tau(x), n being known only now.

        tau(x / n) n = x (1 - n^(1 - alpha)) / (alpha - 1) + n^(1 - alpha) tau(x); the first factor is ln n at 1.
        """
        if not 0 < self.alpha < math.inf:
            return 0.0
        log_rows, power = math.log(self.rows), 1.0 - self.alpha
        spread = log_rows if power == 0 else math.expm1(power * log_rows) / power
        slack = self.rows * cholesky.residual_error(self.rank, self.entry_error)
        return ((self.residual + slack) * spread + math.exp(power * log_rows) * self.tau) / self.rows
