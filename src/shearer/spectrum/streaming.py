"""Certified low rank for any number of rows: landmarks from a sample, passes over the rows in chunks.

With landmarks Z fixed, each row gives phi = R^-T k_Z(x): the sums of phi phi' and of the residuals 1 - |phi|^2 are all
that the certificate needs, in O(chunk x rank) memory. The residual on a sample is far below the residual on all rows,
so rows drawn by their residual join the landmarks and the pass is repeated until the bounds are close enough.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.kernels.gram import Gram
from shearer.spectrum import lowrank, renyi
from shearer.spectrum.certificate import PartialSpectrum

SAMPLE_ROWS = 4096
_PASSES = 8
_SHARES = 16
# Added to the diagonal of the landmarks' matrix: more than the round-off of its factorisation, less than any residual
# that matters; it only moves mass into the residual, where the bounds take it up.
_JITTER = 1e-12
# The next pass aims below what the bounds need: the sample's estimate of the residual is an estimate.
_MARGIN = 0.5


@dataclass(frozen=True)
class Pass:
    """Sums over all rows, for one set of landmarks."""

    products: NDArray[np.float64]
    residual: float
    residual_tau: float
    excess: float
    candidates: NDArray[np.intp]

    def spectrum(self, gram: Gram, rank: int, alpha: float) -> PartialSpectrum:
        """The certified part of the spectrum."""
        eigenvalues = scipy.linalg.eigvalsh(self.products, check_finite=False) / gram.n
        # Where |phi|^2 exceeds 1, round-off has been seen at work: every eigenvalue may be too large by as much.
        error = lowrank.eigenvalue_error(rank, gram, eigenvalues) + self.excess
        return PartialSpectrum.certified(eigenvalues, error, gram.n, self.residual_tau, alpha)


def factorize(
    gram: Gram, alpha: float, rng: np.random.Generator, most: int, enough: Callable[[PartialSpectrum], bool]
) -> tuple[int, PartialSpectrum]:
    """Rank and certified spectrum, good enough or as good as rank `most` and a few passes allow.

    Where a sample of the rows has no low rank, its spectrum is returned at once; it is not good enough either.
    """
    sample = np.sort(rng.choice(gram.n, min(gram.n, max(SAMPLE_ROWS, gram.n // 32)), replace=False))
    few = min(most, max(16, len(sample) // 4))
    work, spectrum = lowrank.factorize(gram.restrict(sample), alpha, rng, few, enough)
    if not enough(spectrum):  # what the sample cannot do, all rows cannot: they need more landmarks, not fewer
        return work.rank, spectrum
    landmarks = sample[work.pivots]
    for _ in range(_PASSES):
        done = one_pass(gram, landmarks, alpha, rng)
        spectrum = done.spectrum(gram, len(landmarks), alpha)
        if enough(spectrum) or len(landmarks) >= most:
            break
        wanted = _MARGIN * wanted_residual(spectrum, enough)
        more = _further_landmarks(gram, landmarks, done, wanted, most, rng)
        if not len(more):
            break
        landmarks = np.concatenate([landmarks, more])
    return len(landmarks), spectrum


def wanted_residual(spectrum: PartialSpectrum, enough: Callable[[PartialSpectrum], bool]) -> float:
    """The missing mass at which these eigenvalues would do, by bisection on its logarithm."""
    low, high = -50.0, float(np.log2(max(spectrum.missing, 1e-300)))
    total = 1.0 - spectrum.missing
    for _ in range(30):
        middle = (low + high) / 2
        trial = PartialSpectrum(spectrum.eigenvalues * (1.0 - 2.0**middle) / total, spectrum.n)
        low, high = (middle, high) if enough(trial) else (low, middle)
    return float(2.0**low)


def one_pass(gram: Gram, landmarks: NDArray[np.intp], alpha: float, rng: np.random.Generator) -> Pass:
    """All rows against the landmarks, on all cores."""
    core = gram.block(landmarks, landmarks) + _JITTER * np.eye(len(landmarks))
    # One explicit inverse for all chunks: a product is several times faster than a solve, and as accurate here.
    whiten = scipy.linalg.inv(scipy.linalg.cholesky(core, lower=False, check_finite=False), check_finite=False)
    cuts = [
        slice(start, min(start + _chunk(len(landmarks)), gram.n)) for start in range(0, gram.n, _chunk(len(landmarks)))
    ]
    # A number of shares that does not depend on the machine's, so that the seed alone decides the answer.
    shares = [cuts[i::_SHARES] for i in range(min(_SHARES, len(cuts)))]
    seeds = rng.integers(0, 2**63, size=len(shares))
    error = lowrank.residual_error(len(landmarks), gram)
    keep = max(1, SAMPLE_ROWS // len(shares))

    def share(job: tuple[list[slice], int]) -> tuple[NDArray[np.float64], float, float, float, NDArray[np.intp]]:
        own_cuts, seed = job
        own_rng = np.random.default_rng(seed)
        products = np.zeros((len(landmarks), len(landmarks)))
        lost = np.zeros_like(products)
        residual = residual_tau = excess = 0.0
        keys, rows = np.empty(0), np.empty(0, dtype=np.intp)
        for cut in own_cuts:
            phi = gram.block(cut, landmarks) @ whiten
            for start in range(0, len(phi), lowrank.ROWS_AT_ONCE):
                part = phi[start : start + lowrank.ROWS_AT_ONCE]
                lowrank.add_compensated(products, lost, part.T @ part)
            left = 1.0 - np.einsum("ij,ij->i", phi, phi)
            excess = max(excess, float(-left.min()))
            np.maximum(left, 0.0, out=left)
            residual += float(left.sum())
            if 0 < alpha < np.inf:
                residual_tau += float(np.sum(renyi.tau_or_zero((left + error) / gram.n, alpha)))
            # Draws by residual without a second pass: the largest log(u)/residual (Efraimidis and Spirakis 2006).
            with np.errstate(divide="ignore"):
                fresh = np.log(own_rng.uniform(size=len(left))) / left
            keys = np.concatenate([keys, fresh])
            rows = np.concatenate([rows, np.arange(cut.start, cut.stop)])
            if len(keys) > 4 * keep:
                best = np.argpartition(-keys, keep)[:keep]
                keys, rows = keys[best], rows[best]
        best = np.argsort(-keys)[:keep]
        return products + lost, residual, residual_tau, excess, rows[best]

    parts = map_threads(share, list(zip(shares, seeds, strict=True)))
    products = sum((part[0] for part in parts), start=np.zeros((len(landmarks), len(landmarks))))
    return Pass(
        products,
        sum(part[1] for part in parts) / gram.n,
        sum(part[2] for part in parts),
        max(0.0, *(part[3] for part in parts)),
        np.concatenate([part[4] for part in parts]),
    )


def _chunk(rank: int) -> int:
    """Rows a chunk: blocks of about two megabytes, whole stretches of summation."""
    return max(1, 2**18 // max(rank, 1) // lowrank.ROWS_AT_ONCE) * lowrank.ROWS_AT_ONCE


def _further_landmarks(
    gram: Gram, landmarks: NDArray[np.intp], done: Pass, wanted: float, most: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Rows among the candidates that bring the residual down to what is wanted.

    Candidates were drawn by residual: each stands for itself and for an equal share of the residual of all other rows.
    """
    candidates = np.setdiff1d(done.candidates, landmarks)
    joined = np.concatenate([landmarks, candidates])
    work = lowrank.Factorization(gram.restrict(joined), rng)
    work.start_from(np.arange(len(landmarks)))
    known = work.rank
    useful = work.residual > lowrank.SMALLEST_PIVOT
    if not useful.any():
        return candidates[:0]
    elsewhere = max(0.0, done.residual * gram.n - float(work.residual[useful].sum()))
    stands_for = np.zeros(len(joined))
    stands_for[useful] = 1.0 + elsewhere / (useful.sum() * work.residual[useful])
    work.weigh(stands_for)
    while float(stands_for @ work.residual) > wanted * gram.n and work.grow(known + most - len(landmarks)):
        pass
    return joined[work.pivots[known:]]
