"""Certified low rank for any number of rows: landmarks from a sample, passes over the rows in chunks.

With landmarks Z fixed, each row gives phi = R^-T k_Z(x): the sums of phi phi' and of the residuals 1 - |phi|^2 are all
that the certificate needs, in O(chunk x rank) memory. The residual on a sample is far below the residual on all rows,
so rows drawn by their residual join the landmarks and the pass is repeated until the bounds are close enough.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer._threads import map_threads
from shearer.kernels.gram import Gram
from shearer.spectrum.decay import Decay
from shearer.spectrum.lowrank import cholesky
from shearer.spectrum.lowrank.accumulator import Accumulator, rows_at_once, whitening
from shearer.spectrum.lowrank.certificate import PartialSpectrum

SAMPLE_ROWS = 4096
_PASSES = 8
_SHARES = 16
# The next pass aims below what the bounds need: the sample's estimate of the residual is an estimate.
MARGIN = 0.5


@dataclass(frozen=True)
class Pass:
    """Sums over all rows for one set of landmarks, and rows drawn by what the landmarks leave of them."""

    sums: Accumulator
    candidates: NDArray[np.intp]


def factorize(
    gram: Gram,
    alpha: float,
    rng: np.random.Generator,
    most: int,
    enough: Callable[[PartialSpectrum], bool],
    decay: Decay,
) -> tuple[int, PartialSpectrum]:
    """Rank and certified spectrum, good enough or as good as rank `most` and a few passes allow.

    Where a sample of the rows has no low rank, as `decay` follows it, its spectrum is returned at once; it is not good
    enough either.
    """
    sample = np.sort(rng.choice(gram.n, min(gram.n, max(SAMPLE_ROWS, gram.n // 32)), replace=False))
    few = min(most, max(16, len(sample) // 4))
    decay.most = few
    work, spectrum = cholesky.factorize(gram.restrict(sample), alpha, rng, few, enough, decay=decay)
    if not enough(spectrum):  # what the sample cannot do, all rows cannot: they need more landmarks, not fewer
        return work.rank, spectrum
    landmarks = sample[work.pivots]
    for _ in range(_PASSES):
        done = one_pass(gram, landmarks, alpha, rng)
        spectrum = done.sums.spectrum()
        if enough(spectrum) or len(landmarks) >= most:
            break
        wanted = MARGIN * wanted_residual(spectrum, enough) * gram.n
        more = further_landmarks(gram, landmarks, done.candidates, done.sums.residual, wanted, most, rng)
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
    rank = len(landmarks)
    whiten = whitening(gram.block(landmarks, landmarks))
    step, entry_error = rows_at_once(rank), gram.entry_error
    cuts = [slice(start, min(start + step, gram.n)) for start in range(0, gram.n, step)]
    # A number of shares that does not depend on the machine's, so that the seed alone decides the answer.
    shares = [cuts[i::_SHARES] for i in range(min(_SHARES, len(cuts)))]
    seeds = rng.integers(0, 2**63, size=len(shares))
    keep = max(1, SAMPLE_ROWS // len(shares))

    def share(job: tuple[list[slice], int]) -> Pass:
        own_cuts, seed = job
        own_rng = np.random.default_rng(seed)
        sums = Accumulator(rank, alpha)
        keys, rows = np.empty(0), np.empty(0, dtype=np.intp)
        for cut in own_cuts:
            left = sums.add(gram.block(cut, landmarks) @ whiten, entry_error)
            keys = np.concatenate([keys, drawing_keys(own_rng.uniform(size=len(left)), left)])
            rows = np.concatenate([rows, np.arange(cut.start, cut.stop)])
            if len(keys) > 4 * keep:
                best = np.argpartition(-keys, keep)[:keep]
                keys, rows = keys[best], rows[best]
        return Pass(sums, rows[np.argsort(-keys)[:keep]])

    parts = map_threads(share, list(zip(shares, seeds, strict=True)))
    total = Accumulator(rank, alpha)
    for part in parts:
        total.merge(part.sums)
    return Pass(total, np.concatenate([part.candidates for part in parts]))


def drawing_keys(uniform: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keys whose largest are a sample drawn by weight, without a second pass (Efraimidis and Spirakis 2006)."""
    with np.errstate(divide="ignore"):
        keys: NDArray[np.float64] = np.log(uniform) / weights
    return keys


def further_landmarks(
    gram: Gram,
    landmarks: NDArray[np.intp],
    candidates: NDArray[np.intp],
    residual: float,
    wanted: float,
    most: int,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Rows among the candidates that bring the sum of all residuals from `residual` down to `wanted`.

    Candidates were drawn by residual: each stands for itself and for an equal share of the residual of all other rows.
    """
    candidates = np.setdiff1d(candidates, landmarks)
    joined = np.concatenate([landmarks, candidates])
    work = cholesky.Factorization(gram.restrict(joined), rng)
    work.start_from(np.arange(len(landmarks)))
    known = work.rank
    useful = work.residual > cholesky.SMALLEST_PIVOT
    if not useful.any():
        return candidates[:0]
    elsewhere = max(0.0, residual - float(work.residual[useful].sum()))
    stands_for = np.zeros(len(joined))
    stands_for[useful] = 1.0 + elsewhere / (useful.sum() * work.residual[useful])
    work.weigh(stands_for)
    while float(stands_for @ work.residual) > wanted and work.grow(known + most - len(landmarks)):
        pass
    return joined[work.pivots[known:]]
