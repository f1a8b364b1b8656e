"""Sums of one subset of variables: against landmarks, or counts where all of it are labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shearer._validate import value_error
from shearer.data.variables import Variable
from shearer.kernels import Gram, hadamard
from shearer.measures.entropies import Subset
from shearer.sketching.frame import Frame, hashed
from shearer.sketching.rows import combinations_of, stacked, taken
from shearer.spectrum import Estimate, renyi
from shearer.spectrum.lowrank import certificate, streaming
from shearer.spectrum.lowrank.accumulator import Accumulator, whitening
from shearer.spectrum.lowrank.certificate import PartialSpectrum
from shearer.spectrum.lowrank.cholesky import EPSILON, factorize

Floats = NDArray[np.float64]

# Rows kept by what the landmarks leave of them, from which a second pass takes further landmarks.
CANDIDATES = 512
# What is left of a row below this is round-off.
_SMALLEST_RESIDUAL = 1e-10
# More different labels than this are names of rows, not labels.
MOST_LABELS = 1_000_000


class SubsetSums(ABC):
    """What is summed over rows for the entropy of one subset."""

    subset: Subset

    @property
    @abstractmethod
    def rank(self) -> int:
        """Landmarks, or different labels."""

    @abstractmethod
    def add(self, grams: Sequence[Gram], variables: Sequence[Variable], size: int) -> None:
        """Add rows, given by their values and by operators on `size` landmarks followed by them."""

    @abstractmethod
    def empty(self) -> SubsetSums:
        """The same without rows."""

    @abstractmethod
    def estimate(self, rows: int) -> Estimate:
        """The entropy in bits, with bounds."""


@dataclass
class LandmarkSums(SubsetSums):
    """Sums against landmarks, and rows that a second pass could add to them.

    Attributes
    ----------
    subset : frozenset of int
        The variables.
    places : array
        The landmarks of this subset among those of the frame.
    whiten : array (rank, rank)
        R^-1 of the landmarks.
    sums : Accumulator
        Sums over rows.
    seed : int
        Of the drawing of candidates.
    candidates : tuple of Variable
        Rows drawn by residual.
    keys : array
        What they were drawn by; the largest stay.
    """

    subset: Subset
    places: NDArray[np.intp]
    whiten: Floats
    sums: Accumulator
    seed: int
    candidates: tuple[Variable, ...]
    keys: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, subset: Subset, frame: Frame, places: NDArray[np.intp], alpha: float, seed: int) -> LandmarkSums:
        """No row yet."""
        none = taken(frame.landmarks, slice(0, 0))
        grams = frame.grams(none)
        gram = hadamard([grams[index] for index in sorted(subset)])
        return cls(subset, places, whitening(gram.block(places, places)), Accumulator(len(places), alpha), seed, none)

    @property
    def rank(self) -> int:
        """Landmarks."""
        return len(self.places)

    def add(self, grams: Sequence[Gram], variables: Sequence[Variable], size: int) -> None:
        """Add rows; those of which much is left may stay as candidates."""
        gram = hadamard([grams[index] for index in sorted(self.subset)])
        rows = slice(size, size + variables[0].rows)
        left = self.sums.add(gram.block(rows, self.places) @ self.whiten, gram.entry_error)
        own = [variables[index] for index in sorted(self.subset)]
        lowest = self.keys[-1] if len(self.keys) == CANDIDATES else -np.inf
        promising = np.flatnonzero(left > _SMALLEST_RESIDUAL)
        keys = streaming.drawing_keys(hashed(taken(own, promising), self.seed), left[promising])
        better = keys > lowest
        self._keep(taken(variables, promising[better]), keys[better])

    def _keep(self, variables: Sequence[Variable], keys: Floats) -> None:
        """The candidates with the largest keys, of those known and these; equal rows count once."""
        if not len(keys):
            return
        both, all_keys = stacked(self.candidates, variables), np.concatenate([self.keys, keys])
        distinct, first = np.unique(-all_keys, return_index=True)
        best = first[:CANDIDATES]
        self.candidates, self.keys = taken(both, best), -distinct[:CANDIDATES]

    def empty(self) -> LandmarkSums:
        """The same landmarks without rows."""
        sums, none = Accumulator(self.rank, self.sums.alpha), taken(self.candidates, slice(0, 0))
        return LandmarkSums(self.subset, self.places, self.whiten, sums, self.seed, none)

    def merge(self, other: LandmarkSums) -> None:
        """Add what another has seen."""
        self.sums.merge(other.sums)
        self._keep(other.candidates, other.keys)

    def spectrum(self) -> PartialSpectrum:
        """The certified part of the spectrum."""
        return self.sums.spectrum()

    def estimate(self, rows: int) -> Estimate:
        """The middle of the bounds."""
        lower, upper = certificate.bounds(self.spectrum(), self.sums.alpha)
        return Estimate((lower + upper) / 2, lower, upper, True, "sketch")

    def enough(self, tol: float) -> Callable[[PartialSpectrum], bool]:
        """Whether a spectrum of that many rows has bounds within the tolerance."""
        return within(tol, self.sums.alpha)

    def further(self, frame: Frame, tol: float, most: int, rng: np.random.Generator) -> tuple[Variable, ...]:
        """Landmarks for a second pass: those of the first, and candidates that bring the bounds within `tol`."""
        known = taken(frame.landmarks, self.places)
        spectrum, enough = self.spectrum(), self.enough(tol)
        if enough(spectrum):
            return known
        variables = stacked(known, self.candidates)
        grams = frame.sample_grams(variables)
        gram = hadamard([grams[index] for index in sorted(self.subset)])
        wanted = streaming.MARGIN * streaming.wanted_residual(spectrum, enough) * self.sums.rows
        more = streaming.further_landmarks(
            gram,
            np.arange(self.rank),
            np.arange(self.rank, gram.n),
            self.sums.residual,
            wanted,
            max(most, self.rank),
            rng,
        )
        return taken(variables, np.concatenate([np.arange(self.rank), more]))


@dataclass
class CountSums(SubsetSums):
    """How often each combination of labels occurred: exact."""

    subset: Subset
    alpha: float
    counts: dict[tuple[str, ...], int] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """Different combinations."""
        return len(self.counts)

    def add(self, grams: Sequence[Gram], variables: Sequence[Variable], size: int) -> None:
        """Count."""
        blocks = [block for index in sorted(self.subset) for block in variables[index].blocks]
        labels, codes = combinations_of(blocks)
        for label, count in zip(labels, np.bincount(codes, minlength=len(labels)).tolist(), strict=True):
            if count:
                self.counts[label] = self.counts.get(label, 0) + count
        self._check()

    def empty(self) -> CountSums:
        """No label counted."""
        return CountSums(self.subset, self.alpha)

    def merge(self, other: CountSums) -> None:
        """Add the counts of another."""
        for label, count in other.counts.items():
            self.counts[label] = self.counts.get(label, 0) + count
        self._check()

    def _check(self) -> None:
        if len(self.counts) > MOST_LABELS:
            hint = "Labels that are different in every row say nothing; leave them out."
            raise value_error("data", f"at most {MOST_LABELS} combinations of labels", f"{len(self.counts)}", hint)

    def estimate(self, rows: int) -> Estimate:
        """Entropy of the frequencies."""
        frequencies = np.array(sorted(self.counts.values()), dtype=np.float64) / rows
        value = float(renyi.entropy(frequencies, self.alpha))
        lower, upper = renyi.bounds(frequencies, 4 * EPSILON, self.alpha)
        return Estimate(value, min(lower, value), max(upper, value), True, "counts")


def within(tol: float, alpha: float) -> Callable[[PartialSpectrum], bool]:
    """Whether a spectrum has bounds within the tolerance."""

    def enough(spectrum: PartialSpectrum) -> bool:
        lower, upper = certificate.bounds(spectrum, alpha)
        return upper - lower <= tol

    return enough


def choose_landmarks(gram: Gram, tol: float, most: int, alpha: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Rows of a sample that leave bounds within `tol` on it: from one half, the other tells how good they are.

    On rows that they were chosen for, landmarks look far better than on those that are to come.
    """
    weights = np.zeros(gram.n)
    weights[rng.permutation(gram.n)[: -(-gram.n // 2)]] = 1.0
    work, _ = factorize(gram, alpha, rng, min(most, gram.n), within(tol, alpha), weights)
    return np.array(work.pivots, dtype=np.intp)
