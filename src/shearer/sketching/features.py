"""Features of one variable whose products are its similarities: against landmarks, or one for each label."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Block, Variable
from shearer.inference.tall import has_low_rank, rung_widths
from shearer.kernels import Delta, Gaussian, Gram, Kernel, hadamard
from shearer.sketching.frame import Frame, describe_kernel, kernel_from
from shearer.sketching.rows import combinations_of, row_count, stacked, taken
from shearer.spectrum.accumulator import whitening
from shearer.spectrum.lowrank import Factorization

Floats = NDArray[np.float64]

# Mean residual of a row at which landmarks are enough, and landmarks at most.
_RESIDUAL, _MOST_RANK = 1e-6, 160
# Part of its range by which more rows may exceed that of a sample: 4096 normal rows reach 3.6 deviations, 1e9 reach 6.
_REACH, _POINTS = 0.35, 200
# The part of all rows that does.
_SHARE_BEYOND = 5e-4
# Mass of the directions that are left out; a test takes ten times as much.
_DROPPED = 1e-4
# Labels that have a feature of their own; the rarer ones share one, which is as valid a kernel.
_MOST_LABELS = 64
_LIKE = np.empty(0)


class Features(ABC):
    """Rows of a variable as features f with f'f' close to its squared kernel M = K o K."""

    @property
    @abstractmethod
    def rank(self) -> int:
        """Number of features."""

    @abstractmethod
    def of(self, variable: Variable, cubes: bool) -> tuple[Floats, Floats]:
        """Features of rows (n, rank), and, if asked for, the sum over rows of those of the elementwise cube of M."""

    @abstractmethod
    def packed(self, name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """As plain data, with arrays put where they belong."""


@dataclass(frozen=True, eq=False)
class LabelFeatures(Features):
    """1 for the label that a row has; labels beyond those known are one label."""

    levels: tuple[tuple[str, ...], ...]

    @classmethod
    def like(cls, variable: Variable) -> LabelFeatures:
        """The most frequent labels of a sample."""
        labels, codes = combinations_of(variable.blocks)
        order = np.argsort(-np.bincount(codes, minlength=len(labels)), kind="stable")[:_MOST_LABELS]
        return cls(tuple(labels[place] for place in order))

    @property
    def rank(self) -> int:
        """The labels, and all others."""
        return len(self.levels) + 1

    def of(self, variable: Variable, cubes: bool) -> tuple[Floats, Floats]:
        """Zeros and ones; their cubes are the same."""
        labels, codes = combinations_of(variable.blocks)
        places = {level: place for place, level in enumerate(self.levels)}
        columns = np.array([places.get(label, len(places)) for label in labels], dtype=np.intp)
        found = np.zeros((len(codes), self.rank))
        found[np.arange(len(codes)), columns[codes]] = 1.0
        return found, found.sum(axis=0)

    def packed(self, name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """The labels."""
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
    whiten, whiten_cube : array (landmarks, rank)
        R^-1 of M and of its elementwise cube, times those directions.
    ranks : pair of arrays or None
        Values and the ranks that stand for them, where outliers leave the values no low rank.
    """

    kernels: tuple[Kernel, ...]
    landmarks: Variable
    whiten: Floats
    whiten_cube: Floats
    ranks: tuple[Floats, Floats] | None = None

    @classmethod
    def like(
        cls, kernels: tuple[Kernel, ...], sample: Variable, ranks: tuple[Floats, Floats] | None = None
    ) -> LandmarkFeatures:
        """Landmarks from a sample, under kernels with widths."""
        values = _ranked(sample, ranks) if ranks is not None else _widened(sample)
        square = _operator(kernels, values).squared()
        work = Factorization(square, np.random.default_rng(0))
        while float(work.residual.mean()) > _RESIDUAL and work.rank < _MOST_RANK and work.grow(_MOST_RANK):
            pass
        places = np.array(work.pivots, dtype=np.intp)
        core, similar = square.block(places, places), square.columns(places)
        # Points beyond the range stand for the few rows that will lie there.
        beyond = square.n - row_count(sample)
        similar[square.n - beyond :] *= np.sqrt(_SHARE_BEYOND * row_count(sample) / max(beyond, 1))
        whiten = _compressed(similar, whitening(core))
        cubed = _compressed(similar**3, whitening(core**3), whiten.shape[1])
        return cls(kernels, taken([values], places)[0], whiten, cubed, ranks)

    @property
    def rank(self) -> int:
        """Number of features, fewer than landmarks."""
        return int(self.whiten.shape[1])

    def of(self, variable: Variable, cubes: bool) -> tuple[Floats, Floats]:
        """The kernel at the landmarks, whitened; that of the cube is its cube."""
        both = stacked([self.landmarks], [_ranked(variable, self.ranks)])[0]
        count = len(self.whiten)
        similar = _operator(self.kernels, both).squared().block(slice(count, None), slice(0, count))
        cubed = np.einsum("ij,ij,ij->j", similar, similar, similar) if cubes else np.zeros(count)
        return similar @ self.whiten, cubed @ self.whiten_cube

    def packed(self, name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Kernels as data; landmarks and factors as arrays."""
        arrays |= {f"{name}_whiten": self.whiten, f"{name}_cube": self.whiten_cube}
        arrays |= {f"{name}_block{place}": block.values for place, block in enumerate(self.landmarks.blocks)}
        if self.ranks is not None:
            arrays |= {f"{name}_values": self.ranks[0], f"{name}_ranks": self.ranks[1]}
        blocks = [[block.kind, list(block.levels)] for block in self.landmarks.blocks]
        kernels = [describe_kernel(kernel) for kernel in self.kernels]
        return {"kernels": kernels, "variable": self.landmarks.name, "blocks": blocks}


def _compressed(similar: Floats, whiten: Floats, rank: int | None = None) -> Floats:
    """Only as many directions as the sample needs: landmarks come in blocks, and a pair costs the product of ranks."""
    features = similar @ whiten
    shares, directions = np.linalg.eigh(features.T @ features / len(features))
    if rank is None:
        rank = int(np.sum(np.cumsum(shares) > _DROPPED))
    compressed: Floats = whiten @ directions[:, len(shares) - rank :]
    return compressed


def unpacked(packed: dict[str, Any], name: str, arrays: dict[str, NDArray[Any]]) -> Features:
    """The features that were packed."""
    if "levels" in packed:
        return LabelFeatures(tuple(tuple(level) for level in packed["levels"]))
    blocks = tuple(
        Block(kind, arrays[f"{name}_block{place}"], levels) for place, (kind, levels) in enumerate(packed["blocks"])
    )
    ranks = (arrays[f"{name}_values"], arrays[f"{name}_ranks"]) if f"{name}_values" in arrays else None
    kernels = tuple(kernel_from(kernel) for kernel in packed["kernels"])
    landmarks = Variable(packed["variable"], blocks)
    return LandmarkFeatures(kernels, landmarks, arrays[f"{name}_whiten"], arrays[f"{name}_cube"], ranks)


def feature_levels(frame: Frame, place: int, sample: Variable, chosen: bool) -> list[Features]:
    """At the kernel of a variable, and at each width of the ladder where none was chosen.

    As in `shearer.inference.tall`: a number with tails too long for a low rank is tested by its ranks, here those that
    the sample tells.
    """
    own = frame.kernels[place]
    if frame.is_labels(place):
        return [LabelFeatures.like(sample)]
    levels: list[Features] = [LandmarkFeatures.like(own, sample)]
    only = sample.blocks[0]
    if chosen or len(sample.blocks) > 1 or only.kind != "continuous" or isinstance(own[0], Delta):
        return levels
    values, ranks = np.asarray(only.values), None
    widths = rung_widths(values)
    if values.shape[1] == 1 and not has_low_rank(Gaussian(widths[-1]).gram(only, _LIKE)):
        ranks = _rank_table(values[:, 0])
        widths = rung_widths(np.asarray(_ranked(sample, ranks).blocks[0].values))
    return levels + [LandmarkFeatures.like((Gaussian(width),), sample, ranks) for width in widths]


def _widened(variable: Variable) -> Variable:
    """A scalar with points beyond its range, from which landmarks are taken too: more rows reach farther."""
    only = variable.blocks[0]
    if len(variable.blocks) > 1 or only.kind != "continuous" or only.values.shape[1] > 1:
        return variable
    low, high = float(only.values.min()), float(only.values.max())
    reach = _REACH * (high - low)
    beyond = [np.linspace(low - reach, low, _POINTS), np.linspace(high, high + reach, _POINTS)]
    return Variable(variable.name, (Block("continuous", np.concatenate([only.values[:, 0], *beyond])[:, None]),))


def _rank_table(values: Floats) -> tuple[Floats, Floats]:
    """Values that occur and their mean ranks."""
    seen, counts = np.unique(values, return_counts=True)
    return seen, np.cumsum(counts) - (counts - 1) / 2.0


def _ranked(variable: Variable, ranks: tuple[Floats, Floats] | None) -> Variable:
    if ranks is None:
        return variable
    place = np.interp(np.asarray(variable.blocks[0].values)[:, 0], *ranks)
    return Variable(variable.name, (Block("continuous", place[:, None]),))


def _operator(kernels: tuple[Kernel, ...], variable: Variable) -> Gram:
    return hadamard([kernel.gram(block, _LIKE) for block, kernel in zip(variable.blocks, kernels, strict=True)])
