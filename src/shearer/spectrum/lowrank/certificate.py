"""Bounds on an entropy from a part of the spectrum (docs: theory, "Certified low rank").

Known: eigenvalues that the true ones dominate entry by entry, and the mass they leave out. The most concentrated
spectrum adds that mass to the largest eigenvalue, the most even one fills up the smallest like water; entropy is
Schur-concave, so at every order the truth lies between the two.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.spectrum import renyi


@dataclass(frozen=True)
class PartialSpectrum:
    """What a low-rank factorisation knows of the spectrum of A = K/n.

    Attributes
    ----------
    eigenvalues : array
        Those of the factorisation, largest first, lowered by what round-off may have added.
    n : int
        Size of A; the eigenvalues not listed are only known to be at least 0.
    tau_limit : float
        A bound on the sum of tau over the whole spectrum that the residual diagonal gives; infinity without one.
    """

    eigenvalues: NDArray[np.float64]
    n: int
    tau_limit: float = math.inf

    @classmethod
    def certified(
        cls, eigenvalues: NDArray[np.float64], error: float, n: int, residual_tau: float, alpha: float
    ) -> "PartialSpectrum":
        """From computed eigenvalues, each within `error` of its true value.

        The residual K - FF' is positive semidefinite, so tau of the whole is at most tau of the part plus tau of the
        residual's diagonal, `residual_tau` (subadditivity for alpha = 1; Rotfel'd's inequality otherwise).
        """
        lowered = np.sort(np.clip(eigenvalues - error, 0.0, None))[::-1]
        mass = math.fsum(lowered)
        if mass > 1.0:  # round-off of the sum alone
            lowered = lowered / mass
        if math.isinf(alpha) or alpha == 0:
            return cls(lowered, n)
        return cls(lowered, n, renyi.largest_tau(eigenvalues, error, alpha) + residual_tau)

    @property
    def missing(self) -> float:
        """Mass that the eigenvalues leave out."""
        return max(0.0, 1.0 - math.fsum(self.eigenvalues))


def bounds(spectrum: PartialSpectrum, alpha: float) -> tuple[float, float]:
    """Lower and upper bound of the entropy in bits."""
    values, n, missing = spectrum.eigenvalues, spectrum.n, spectrum.missing
    concentrated = values.copy()
    concentrated[0] += missing
    lower = _bits(concentrated, np.ones(len(values)), alpha)
    level, raised = water_level(values, missing, n)
    kept = values[: len(values) - raised]
    filled = np.append(kept, level)
    counts = np.append(np.ones(len(kept)), n - len(kept))
    upper = _bits(filled, counts, alpha)
    if (1.0 - alpha) * spectrum.tau_limit > -1.0:
        upper = min(upper, float(renyi.bits_of_tau(np.float64(spectrum.tau_limit), alpha)))
    return max(0.0, lower), min(upper, math.log2(n))


def width(spectrum: PartialSpectrum, alpha: float) -> float:
    """Distance between the bounds, in bits."""
    lower, upper = bounds(spectrum, alpha)
    return upper - lower


def water_level(values: NDArray[np.float64], missing: float, n: int) -> tuple[float, int]:
    """The level mu with sum (mu - value)_+ = missing over n entries, and how many listed values lie below it."""
    tail = np.concatenate([[0.0], np.cumsum(values[::-1])])  # mass of the j smallest listed values
    unlisted = n - len(values)
    for raised in range(len(values) + 1):
        if unlisted + raised == 0:
            continue
        level = (missing + tail[raised]) / (unlisted + raised)
        if raised == len(values) or level <= values[len(values) - 1 - raised]:
            return float(level), raised
    return 0.0, 0


def _bits(values: NDArray[np.float64], counts: NDArray[np.float64], alpha: float) -> float:
    """Entropy of a spectrum given as values with multiplicities."""
    present = (values > 0) & (counts > 0)
    values, counts = values[present], counts[present]
    if math.isinf(alpha):
        return -math.log2(values.max())
    if alpha == 0:
        return math.log2(counts.sum())
    if renyi.near_one(alpha):
        total = np.float64(math.fsum(counts * renyi.tau(values, alpha)))
        return float(renyi.bits_of_tau(total, alpha))
    largest = values.max()
    powers = np.float64(math.fsum(counts * (values / largest) ** alpha))
    return float(renyi.bits_of_power_sum(powers, alpha)) + alpha / (1.0 - alpha) * math.log2(largest)
