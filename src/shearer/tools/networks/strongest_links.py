"""The heaviest links among very many variables: one matrix of weights in single precision, and tiles."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._memory import require
from shearer._progress import track
from shearer._threads import map_threads
from shearer.tools.networks.pair_information import TILE, PairInformation
from shearer.tools.networks.score_features import FEATURES

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Bits of a number in single precision that are left out where ranks are counted: eleven of its digits stay.
_SHIFT = 12
_BINS = 2**31 >> _SHIFT
_OPTIONS = "Options: regulators=, so that fewer pairs count; a larger memory=."


class Links(NamedTuple):
    """Links of pairs of variables, the heaviest first.

    Attributes
    ----------
    first, second : array of int
        Positions of the variables; the first is a regulator where there are some.
    weight : array
        What they are ordered by.
    """

    first: Indices
    second: Indices
    weight: Floats


def needed_bytes(rows: int, count: int, sources: int) -> int:
    """Bytes at the peak: features, weights in single precision, some bands of tiles, and counts of ranks."""
    return 8 * FEATURES * rows * count + 4 * sources * count + 6 * 8 * TILE * count + 4 * 8 * _BINS


def strongest_links(
    information: PairInformation,
    sources: Indices,
    most: int,
    indirect: str | None,
    progress: bool | None = None,
) -> Links:
    """The heaviest links of some variables with all others.

    Parameters
    ----------
    information : PairInformation
        Of the variables.
    sources : array of int
        Positions of the variables of which one must be in every link, ascending: regulators, or all.
    most : int
        How many links.
    indirect : {None, "clr", "clr-rank"}
        Order by the share of information, by how far it stands out, or by the mean rank of both, where ranks are
        counted to three digits of the number.
    progress : bool, optional
        As in `track`.
    """
    weights = _weigh(information, sources, progress)
    context = _Context(weights, sources)
    bands = [slice(start, min(start + TILE, len(sources))) for start in range(0, len(sources), TILE)]
    ranks: list[Floats] = []
    if indirect == "clr-rank":
        counts = np.zeros((2, _BINS), dtype=np.int64)
        for band in bands:
            once = context.once(band)
            for count, values in zip(counts, (weights[band], context.standing_out(band)), strict=True):
                count += np.bincount(_bins(values[once]), minlength=_BINS)
        total = counts[0].sum()
        ranks = [(np.cumsum(count) - count / 2) / (2 * total) for count in counts]
    best = _Best(most)
    for band in track(bands, len(bands), "strongest links", progress):
        score: NDArray[np.floating] = weights[band]
        if indirect is not None:
            standing = context.standing_out(band)
            score = standing if indirect == "clr" else ranks[0][_bins(score)] + ranks[1][_bins(standing)]
        rows, columns = np.nonzero(context.once(band) & (score > best.least))
        best.add(sources[rows + band.start], columns, score[rows, columns].astype(np.float64))
    return best.links()


def check_memory(rows: int, count: int, sources: int, budget: int) -> None:
    """Refuse what does not fit."""
    require(needed_bytes(rows, count, sources), budget, f"links of {count} variables", _OPTIONS)


def _weigh(information: PairInformation, sources: Indices, progress: bool | None) -> NDArray[np.float32]:
    """Shares of information of sources with all variables, in single precision; 0 of a variable with itself."""
    count = information.count
    found = np.zeros((len(sources), count), dtype=np.float32)
    everything = len(sources) == count
    tiles = [np.arange(start, min(start + TILE, count)) for start in range(0, count, TILE)]
    starts = range(0, len(sources), TILE)
    for place, start in track(enumerate(starts), len(starts), "information of pairs", progress):
        left = sources[start : start + TILE]
        others = tiles[place:] if everything else tiles  # what lies below the diagonal is known
        blocks = map_threads(partial(information.block, left), others)
        for right, block in zip(others, blocks, strict=True):
            found[start : start + len(left), right[0] : right[-1] + 1] = np.nan_to_num(block)
            if everything and right[0] != left[0]:
                found[right[0] : right[-1] + 1, start : start + len(left)] = np.nan_to_num(block).T
    found[np.arange(len(sources)), sources] = 0.0
    return found


class _Context:
    """How far weights stand out among those of either variable, band by band."""

    def __init__(self, weights: NDArray[np.float32], sources: Indices) -> None:
        self._weights, self._sources = weights, sources
        place = np.full(weights.shape[1], -1, dtype=np.intp)
        place[sources] = np.arange(len(sources))
        self._place = place
        sums = np.zeros((2, weights.shape[1]))
        own = np.empty((2, len(sources)))
        for start in range(0, len(sources), TILE):
            band = slice(start, min(start + TILE, len(sources)))
            part = weights[band].astype(np.float64)
            for power in (1, 2):
                own[power - 1, band] = (part**power).sum(axis=1)
                sums[power - 1] += (part**power).sum(axis=0)
        self._rows = _moments(own, weights.shape[1] - 1)
        columns = _moments(sums, len(sources))
        # a variable that is a source too has all its pairs in its row
        self._columns = [np.where(place >= 0, own[place], part) for own, part in zip(self._rows, columns, strict=True)]

    def standing_out(self, band: slice) -> NDArray[np.float32]:
        """Context likelihood of a band of sources with all variables."""
        weights = self._weights[band].astype(np.float64)
        own = np.maximum((weights - self._rows[0][band, None]) * self._rows[1][band, None], 0.0)
        others = np.maximum((weights - self._columns[0]) * self._columns[1], 0.0)
        return np.asarray(np.hypot(own, others), dtype=np.float32)

    def once(self, band: slice) -> NDArray[np.bool_]:
        """Pairs of a band, each but once and none of a variable with itself."""
        here = np.arange(band.start, band.stop)[:, None]
        return (self._place < 0) | (self._place > here)


class _Best:
    """The heaviest of links that come in parts."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[Links] = []
        self._held = 0
        self.least = -np.inf

    def add(self, first: Indices, second: Indices, weight: Floats) -> None:
        """More links; those that cannot be among the heaviest are forgotten now and then."""
        self._parts.append(Links(first, second, weight))
        self._held += len(first)
        if self._held > 4 * self._most:
            kept = self.links()
            self._parts, self._held = [kept], len(kept.first)
            self.least = float(kept.weight[-1])

    def links(self) -> Links:
        """The heaviest so far; of equals the first."""
        first, second, weight = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        order = np.lexsort((second, first, -weight))[: self._most]
        return Links(first[order], second[order], weight[order])


def _moments(sums: Floats, others: int) -> tuple[Floats, Floats]:
    """Mean of the weights of each variable, and one over their deviation; 0 where they are all the same."""
    mean = sums[0] / others
    deviation = np.sqrt(np.maximum(sums[1] / others - mean**2, 0.0))
    flat = deviation <= 1e-6 * np.abs(mean)
    return mean, np.where(flat, 0.0, 1 / np.where(flat, 1.0, deviation))


def _bins(values: NDArray[np.float32]) -> NDArray[Any]:
    """Numbers from 0 up, in single precision, as whole numbers in the same order."""
    return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32) >> _SHIFT
