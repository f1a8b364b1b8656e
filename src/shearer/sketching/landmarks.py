"""Features of one variable whose products are its similarities: against landmarks, or one for each label."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.data.variables import Block, Variable
from shearer.kernels import Delta, Gaussian, Gram, Kernel, hadamard
from shearer.pairs import features as pair_features
from shearer.pairs.limits import ALL_PROBES, residual_of
from shearer.pairs.rungs import Ladder, rung_widths, sample_rows, unit_scale
from shearer.pairs.sums import probes_of
from shearer.sketching.frame import Frame, describe_kernel, kernel_from
from shearer.sketching.rows import combinations_of, stacked, taken
from shearer.spectrum.lowrank.accumulator import whitening
from shearer.spectrum.lowrank.cholesky import Factorization

Floats = NDArray[np.float64]

# Mean residual of a row at which landmarks are enough, and landmarks at most.
_RESIDUAL, _MOST_RANK = 1e-6, 160
# Part of its range by which more rows may exceed that of a sample: 4096 normal rows reach 3.6 deviations, 1e9 reach 6.
_REACH, _POINTS = 0.35, 200
# The part of all rows that does.
_SHARE_BEYOND = 5e-4
# Share of what varies that is left out at the kernel of the values.
_DROPPED = 1e-4
# Labels that have a feature of their own; the rarer ones share one, which is as valid a kernel.
_MOST_LABELS = 64
_LIKE = np.empty(0)


class Features(ABC):
    """Rows of a variable as features f with f'f' close to its squared kernel M = K o K.

    Attributes
    ----------
    probes : array (m, rank)
        Features of rows that stand for all in some sums of the third moment.
    shares : array (m,)
        Share of all rows that each of them stands for.
    """

    probes: Floats
    shares: Floats

    @property
    @abstractmethod
    def rank(self) -> int:
        """Number of features."""

    @abstractmethod
    def of(self, variable: Variable) -> Floats:
        """Features of rows, shape (n, rank)."""

    @abstractmethod
    def packed(self, name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """As plain data, with arrays put where they belong."""


@dataclass(frozen=True, eq=False)
class LabelFeatures(Features):
    """1 for the label that a row has; labels beyond those known are one label."""

    levels: tuple[tuple[str, ...], ...]
    probes: Floats
    shares: Floats

    @classmethod
    def like(cls, variable: Variable) -> LabelFeatures:
        """The most frequent labels of a sample."""
        labels, codes = combinations_of(variable.blocks)
        order = np.argsort(-np.bincount(codes, minlength=len(labels)), kind="stable")[:_MOST_LABELS]
        empty = cls(tuple(labels[place] for place in order), np.empty((0, len(order) + 1)), np.empty(0))
        return cls(empty.levels, *_probes(empty.of(variable)))

    @property
    def rank(self) -> int:
        """The labels, and all others."""
        return len(self.levels) + 1

    def of(self, variable: Variable) -> Floats:
        """Zeros and ones."""
        labels, codes = combinations_of(variable.blocks)
        places = {level: place for place, level in enumerate(self.levels)}
        columns = np.array([places.get(label, len(places)) for label in labels], dtype=np.intp)
        found = np.zeros((len(codes), self.rank))
        found[np.arange(len(codes)), columns[codes]] = 1.0
        return found

    def packed(self, name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """The labels."""
        arrays |= {f"{name}_probes": self.probes, f"{name}_shares": self.shares}
        return {"levels": [list(level) for level in self.levels]}


@dataclass(frozen=True, eq=False)
class LandmarkFeatures(Features):
    """R^-T m_Z(x) for landmarks Z under the squared kernel, turned to its leading directions.

    Attributes
    ----------
    kernels : tuple of Kernel
        Of each block, with numbers for widths.
    landmarks : Variable
        The landmarks.
    whiten : array (landmarks, rank)
        R^-1 of M times those directions.
    """

    kernels: tuple[Kernel, ...]
    landmarks: Variable
    whiten: Floats
    probes: Floats
    shares: Floats

    @classmethod
    def like(cls, kernels: tuple[Kernel, ...], sample: Variable) -> LandmarkFeatures:
        """Landmarks from a sample, under kernels with widths, for values as well as tests."""
        values = _widened(sample)
        square = _operator(kernels, values).squared()
        work = Factorization(square, np.random.default_rng(0))
        while float(work.residual.mean()) > _RESIDUAL and work.rank < _MOST_RANK and work.grow(_MOST_RANK):
            pass
        places = np.array(work.pivots, dtype=np.intp)
        core, similar = square.block(places, places), square.columns(places)
        # Points beyond the range stand for the few rows that will lie there.
        beyond = square.n - sample.rows
        similar[square.n - beyond :] *= np.sqrt(_SHARE_BEYOND * sample.rows / max(beyond, 1))
        whiten = _compressed(similar, whitening(core), _DROPPED)
        found = cls(kernels, taken([values], places)[0], whiten, np.empty((0, whiten.shape[1])), np.empty(0))
        probes, shares = _probes(found.of(sample))
        return replace(found, probes=probes, shares=shares)

    @classmethod
    def fitted(cls, kernel: Kernel, sample: Variable, rows: int) -> LandmarkFeatures:
        """Those of so many rows in memory, of which the sample is `spaced_rows`, under a kernel with a width."""
        only = sample.blocks[0]
        square = kernel.gram(only, _LIKE).squared()
        own = pair_features.LandmarkFeatures.fit(
            square, sample_rows(np.asarray(only.values, dtype=np.float64)), residual_of(rows)
        )
        landmarks = taken([sample], own.landmarks)[0]
        found = cls((kernel,), landmarks, own.whiten, np.empty((0, own.whiten.shape[1])), np.empty(0))
        probes, shares = _probes(found.of(sample))
        return replace(found, probes=probes, shares=shares)

    @property
    def rank(self) -> int:
        """Number of features, fewer than landmarks."""
        return int(self.whiten.shape[1])

    def of(self, variable: Variable) -> Floats:
        """The kernel at the landmarks, whitened."""
        both = stacked([self.landmarks], [variable])[0]
        count = len(self.whiten)
        similar = _operator(self.kernels, both).squared().block(slice(count, None), slice(0, count))
        found: Floats = similar @ self.whiten
        return found

    def packed(self, name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Kernels as data; landmarks and factors as arrays."""
        arrays |= {f"{name}_whiten": self.whiten, f"{name}_probes": self.probes, f"{name}_shares": self.shares}
        arrays |= {f"{name}_block{place}": block.values for place, block in enumerate(self.landmarks.blocks)}
        blocks = [[block.kind, list(block.levels)] for block in self.landmarks.blocks]
        kernels = [describe_kernel(kernel) for kernel in self.kernels]
        return {"kernels": kernels, "variable": self.landmarks.name, "blocks": blocks}


def _compressed(similar: Floats, whiten: Floats, dropped: float) -> Floats:
    """Only as many directions as the sample needs: landmarks come in blocks, and a pair costs the product of ranks."""
    features = similar @ whiten
    shares, directions = np.linalg.eigh(features.T @ features / len(features))
    varying = 1.0 - float(np.sum(features.mean(axis=0) ** 2))
    rank = max(1, int(np.sum(np.cumsum(shares) > dropped * varying)))
    compressed: Floats = whiten @ directions[:, len(shares) - rank :]
    return compressed


def _probes(features: Floats) -> tuple[Floats, Floats]:
    """Features of the rows of a sample that stand for all, and the share that each stands for."""
    away = features - features.mean(axis=0)
    rows, stands_for = probes_of(np.vecdot(away, away), ALL_PROBES)
    return features[rows], stands_for / len(features)


def unpacked(packed: dict[str, Any], name: str, arrays: dict[str, NDArray[Any]]) -> Features:
    """The features that were packed."""
    probes, shares = arrays[f"{name}_probes"], arrays[f"{name}_shares"]
    if "levels" in packed:
        return LabelFeatures(tuple(tuple(level) for level in packed["levels"]), probes, shares)
    blocks = tuple(
        Block(kind, arrays[f"{name}_block{place}"], levels) for place, (kind, levels) in enumerate(packed["blocks"])
    )
    kernels = tuple(kernel_from(kernel) for kernel in packed["kernels"])
    return LandmarkFeatures(kernels, Variable(packed["variable"], blocks), arrays[f"{name}_whiten"], probes, shares)


def feature_levels(frame: Frame, place: int, sample: Variable, chosen: bool, rows: int) -> list[Features]:
    """At the kernel of a variable, and at each rung of the ladder where none was chosen.

    Rungs and their features are those of a table in memory with so many rows, of which the sample is `spaced_rows`.
    """
    own = frame.kernels[place]
    if frame.is_labels(place):
        return [LabelFeatures.like(sample)]
    only = sample.blocks[0]
    if chosen or len(sample.blocks) > 1 or only.kind != "continuous" or isinstance(own[0], Delta):
        return [LandmarkFeatures.like(own, sample)]
    numbers = Ladder.of(sample).numbers
    if numbers is None:  # two values: one width tells all
        return [LandmarkFeatures.fitted(own[0], sample, rows)]
    scale = unit_scale(np.asarray(only.values, dtype=np.float64))
    kernels = [Gaussian(width / scale) for width in rung_widths(numbers, rows=rows)]
    return [LandmarkFeatures.like(own, sample), *(LandmarkFeatures.fitted(kernel, sample, rows) for kernel in kernels)]


def _widened(variable: Variable) -> Variable:
    """A scalar with points beyond its range, from which landmarks are taken too: more rows reach farther."""
    only = variable.blocks[0]
    if len(variable.blocks) > 1 or only.kind != "continuous" or only.values.shape[1] > 1:
        return variable
    low, high = float(only.values.min()), float(only.values.max())
    reach = _REACH * (high - low)
    beyond = [np.linspace(low - reach, low, _POINTS), np.linspace(high, high + reach, _POINTS)]
    return Variable(variable.name, (Block("continuous", np.concatenate([only.values[:, 0], *beyond])[:, None]),))


def _operator(kernels: tuple[Kernel, ...], variable: Variable) -> Gram:
    return hadamard([kernel.gram(block, _LIKE) for block, kernel in zip(variable.blocks, kernels, strict=True)])
