"""Conditions as designs of regressions: linear terms, products, additive and joint kernels, of numbers and labels."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.conditioning import constants
from shearer.conditioning.residual_check import Neighbors
from shearer.conditioning.ridge import Smoother, Source, formed
from shearer.conditioning.similarity import Similarities
from shearer.data.variables import Block, Variable
from shearer.kernels import Gaussian, Gram, hadamard
from shearer.kernels.delta import DeltaGram
from shearer.pairs.features import LevelFeatures
from shearer.pairs.rungs import rung_widths, sample_rows, unit_scale

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LIKE = np.empty(0)


def standardized(columns: Floats) -> Floats:
    """Columns of mean 0 and variance 1; constant ones are left out."""
    columns = np.ldexp(columns, -np.frexp(np.max(np.abs(columns), axis=0, initial=0.0))[1])  # exact; below 1
    shifted = columns - columns[:1]  # no difference of large numbers later
    scale = np.max(np.abs(shifted), axis=0, initial=0.0)
    varying = scale > 0
    found: Floats = shifted[:, varying] / scale[varying]  # squares are then ordinary numbers
    found -= found.mean(axis=0)
    found /= found.std(axis=0)
    return found


def leading(columns: Floats, most: int) -> Floats:
    """The columns, or where they are more their principal components."""
    if columns.shape[1] <= most:
        return columns
    directions = np.linalg.eigh(columns.T @ columns)[1][:, ::-1]
    return standardized(columns @ directions[:, :most])


def gaussian_grams(values: Floats, bits: Sequence[float], fixed: Gram | None = None) -> list[Gram]:
    """Gaussian similarities at the widths of so many bits, as far as the rows tell values apart; times a fixed one."""
    scaled = values * unit_scale(values)
    block = Block("continuous", scaled)
    found = [Gaussian(width).gram(block, _LIKE).squared() for width in rung_widths(scaled, bits)]
    return found if fixed is None else [hadamard([gram, fixed]) for gram in found]


@dataclass(frozen=True, eq=False)
class Conditions:
    """What is given, of which at least one is a number.

    Attributes
    ----------
    numbers : array (n, d)
        Standardised.
    labels : tuple of array (n,)
        Codes of each label.
    base : array (n, u)
        Orthonormal columns that are fitted without a penalty: 1, linear terms and levels, where rows allow.
    smoothers : tuple of Smoother
        Regressions to choose from.
    """

    numbers: Floats
    labels: tuple[Indices, ...]
    base: Floats
    smoothers: tuple[Smoother, ...]

    @classmethod
    def of(cls, numbers: Floats, labels: Sequence[Indices]) -> "Conditions":
        """From standardised numbers and the codes of labels."""
        n, free = len(numbers), []
        penalised: list[Source] = []
        if numbers.shape[1] <= constants.FREE_SHARE * n:
            free.append(numbers)
        else:
            penalised.append(lambda rows: np.array(numbers[rows]))
        levels = [LevelFeatures.fit(DeltaGram(codes, _LIKE)) for codes in labels]
        for own in levels:
            if own.rank <= constants.FREE_LEVELS_SHARE * n / len(levels):
                free.append(own.of(slice(0, n)))
            else:
                penalised.append(own.of)
        base = _orthonormal(np.column_stack([np.ones(n), *free]))
        found = [Smoother.of(base, source) for source in penalised]
        found += _of_numbers(numbers, base)
        if labels:
            found += _of_mixtures(numbers, labels, base)
        return cls(numbers, tuple(labels), base, tuple(one for one in found if one is not None))

    @cached_property
    def neighbors(self) -> Neighbors:
        """Rows of nearly the same conditions, and the same labels as far as there are any."""
        apart = 10.0 * float(np.sqrt(self.numbers.shape[1]))
        codes = [apart * own[:, None] for own in self.labels]
        return Neighbors.of(np.column_stack([self.numbers, *codes]))

    @cached_property
    def weights(self) -> Floats:
        """Columns with which the link of two variables may change."""
        found = [leading(self.numbers, constants.MOST_WEIGHTS)]
        n = len(self.numbers)
        found += [LevelFeatures.fit(DeltaGram(codes, _LIKE)).of(slice(0, n))[:, 1:] for codes in self.labels]
        columns = standardized(np.column_stack(found))[:, : constants.MOST_WEIGHTS]
        return np.clip(columns, -constants.LARGEST_WEIGHT, constants.LARGEST_WEIGHT)

    @property
    def several(self) -> bool:
        """Whether a fitted value says less than all conditions."""
        return int(self.numbers.shape[1]) + len(self.labels) > 1

    def of_index(self, values: Floats) -> Iterator[Smoother]:
        """Regressions on values that were fitted: in many models all depends on the conditions through these."""
        for column in standardized(values).T:
            similar = Similarities.of(column[:, None], constants.INDEX_BITS)
            found = _gaussians(similar, range(len(similar.widths)), self.base, constants.INDEX_RANK)
            yield from (one for one in found if one is not None)


def _orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis of the columns, collinear ones left out."""
    left, values, _ = np.linalg.svd(columns / np.linalg.norm(columns, axis=0).clip(1e-300), full_matrices=False)
    found: Floats = left[:, values > 1e-7 * values[0]]
    return found


def _gaussians(
    similar: Similarities, places: Sequence[int], base: Floats, rank: int, *, fine: bool = False
) -> Iterator[Smoother | None]:
    """Similarities by their leading features; with `fine` each can be had with more of them."""
    n = len(base)
    most = min(constants.FINE_RANK, n // 3)
    found = similar.features(places, constants.SAMPLE_ROWS, rank)
    for place, (source, left_out) in zip(places, found, strict=True):
        finer = None
        if fine and most > rank and left_out > constants.LEFT_OUT:
            finer = cache(partial(_finer, similar, place, base, most))
        yield Smoother.of(base, source, left_out, finer)


def _finer(similar: Similarities, place: int, base: Floats, rank: int) -> Smoother | None:
    source, left_out = next(similar.features((place,), constants.FINE_SAMPLE_ROWS, rank))
    return Smoother.of(base, source, left_out)


def _of_numbers(numbers: Floats, base: Floats) -> Iterator[Smoother | None]:
    n, d = numbers.shape
    if d == 1:
        narrowest = (constants.NARROW_BITS,) if n >= constants.NARROW_ROWS else ()
        similar = Similarities.of(numbers, (*constants.SCALAR_BITS, *narrowest))
        yield from _gaussians(similar, range(len(similar.widths)), base, n // 2)
        return
    products = None
    if d <= constants.MOST_PRODUCTS:
        products = _scaled(lambda rows: _all_products(numbers[rows]), n)
        yield Smoother.of(base, products)
    if d * constants.NUMBER_RANK <= 2 * constants.FINE_RANK:
        wide, narrow = (_scaled(_side_by_side(each), n) for each in _columns_features(numbers))
        yield from (Smoother.of(base, source) for source in (wide, narrow))
        if products is not None:
            yield Smoother.of(base, _side_by_side([wide, products]))
    rank = min(constants.JOINT_RANK, n // 2)
    further = n >= constants.NARROW_ROWS and d <= constants.NARROW_DIMENSIONS
    similar = Similarities.of(numbers, (*constants.JOINT_BITS, *(constants.NARROW_JOINT_BITS,) * further))
    yield from _gaussians(similar, range(len(similar.widths)), base, rank, fine=True)


def _of_mixtures(numbers: Floats, labels: Sequence[Indices], base: Floats) -> Iterator[Smoother | None]:
    """Another function of the numbers for each combination of labels."""
    n = len(numbers)
    codes = np.unique(np.column_stack(labels), axis=0, return_inverse=True)[1].reshape(-1)
    levels = LevelFeatures.fit(DeltaGram(codes, _LIKE))
    if len(labels) > 1:
        yield Smoother.of(base, levels.of)
    if levels.rank * numbers.shape[1] <= min(constants.JOINT_RANK, n // 4):
        yield Smoother.of(base, lambda rows: _crossed(levels.of(rows), numbers[rows]))
    rank = min(constants.JOINT_RANK, n // 2)
    similar = Similarities.of(numbers, constants.JOINT_BITS, codes)
    yield from _gaussians(similar, range(len(similar.widths)), base, rank, fine=True)


def _columns_features(numbers: Floats) -> tuple[list[Source], list[Source]]:
    """Features of each number alone, in a wide and a narrow width."""
    wide: list[Source] = []
    narrow: list[Source] = []
    for values in numbers.T:
        similar = Similarities.of(values[:, None], constants.ADDITIVE_BITS)
        places = (0, len(similar.widths) - 1)
        found = similar.features(places, constants.SAMPLE_ROWS, constants.NUMBER_RANK)
        for sources, (source, _) in zip((wide, narrow), found, strict=True):
            sources.append(source)
    return wide, narrow


def _side_by_side(sources: Iterable[Source]) -> Source:
    several = list(sources)
    return lambda rows: np.column_stack([source(rows) for source in several])


def _scaled(source: Source, n: int) -> Source:
    """Features of total variance 1, seen on a sample: kernels that are added up count alike; kept if there is room."""
    sample = sample_rows(np.empty((n, 2)), constants.FINE_SAMPLE_ROWS)
    found = formed(source, n)
    some = source(sample) if found is None else found[sample]
    size = max(float(np.sqrt(np.sum(np.var(some, axis=0)))), 1e-300)
    if found is None:
        return lambda rows: source(rows) / size
    found /= size
    return lambda rows: np.array(found[rows])


def _all_products(columns: Floats) -> Floats:
    """Products of all pairs of columns, and squares."""
    first, second = np.triu_indices(columns.shape[1])
    found: Floats = columns[:, first] * columns[:, second]
    return found


def _crossed(first: Floats, second: Floats) -> Floats:
    """Products of every column of one with every column of the other."""
    found: Floats = (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
    return found


def split_blocks(variables: Sequence[Variable]) -> tuple[Floats, list[Indices]]:
    """The standardised numbers of several variables side by side, and the codes of their labels; constants left out."""
    n = len(variables[0].blocks[0].values)
    blocks = [block for variable in variables for block in variable.blocks]
    numbers = [np.asarray(block.values, dtype=np.float64) for block in blocks if block.kind == "continuous"]
    labels = [np.asarray(block.values, dtype=np.intp) for block in blocks if block.kind == "categorical"]
    found = standardized(np.column_stack(numbers)) if numbers else np.empty((n, 0))
    return found, [codes for codes in labels if (codes != codes[0]).any()]
