"""What pairs need of one variable's features on many sets of rows at once.

With missing values a variable is seen on other rows by every partner. Its features are the same; sums over rows of all
sets together are products of a matrix of zeros and ones with them. Products of features with each other are those of
all rows that the variable has less those of the rows that a set lacks, where these are few.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.sums import Marginal, RowSums, Totals, probes_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """What pairs need of one variable on some rows: its marginal, and two row vectors.

    Attributes
    ----------
    center : array (r,)
        Mean of the features.
    marginal : Marginal
        Sums.
    diagonal, slope : array (n,)
        The diagonal of N and the additive part g; 0 at rows that do not count.
    """

    center: Floats
    marginal: Marginal
    diagonal: Floats
    slope: Floats


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """The features of one variable at all rows of a table, less an offset, 0 where it is missing.

    Attributes
    ----------
    blocks : function
        Gives runs of rows with their features, the same every time.
    at : function
        Features of some rows that the variable has.
    own : array of bool (n,)
        Which rows these are.
    offset : array (r,)
        What was subtracted.
    """

    blocks: Callable[[], Iterable[tuple[slice, Floats]]]
    at: Callable[[Indices], Floats]
    own: Masks
    offset: Floats

    @classmethod
    def of(cls, features: Floats, own: Masks) -> "FeatureRows":
        """Of features that are there as a whole, with no offset."""
        return cls(
            lambda: [(slice(0, len(features)), features)], features.__getitem__, own, np.zeros(features.shape[1])
        )


def on_patterns(
    features: FeatureRows,
    masks: Masks,
    *,
    most: int,
    probes: int = limits.PROBES,
    third: bool = True,
    slopes: bool = True,
) -> list[Rows]:
    """What pairs need of a variable on several sets of the rows that it has.

    Parameters
    ----------
    features : FeatureRows
        Of the variable.
    masks : array of bool (m, n)
        The sets.
    most, probes : int
        In tables beyond `limits.ALL_PROBES` rows: up to so many rows of a set all stand for themselves in some sums of
        the third moment; beyond, so many stand for all.
    third : bool
        Whether the third moment is asked for.
    slopes : bool
        Whether the additive part is; else it is 0.

    Examples
    --------
    >>> f = np.random.default_rng(0).normal(size=(40, 2))
    >>> everything = np.ones(40, dtype=bool)
    >>> whole, half = on_patterns(FeatureRows.of(f, everything), np.array([everything, np.arange(40) < 20]), most=512)
    >>> np.allclose(half.center, f[:20].mean(axis=0)), bool(half.diagonal[20:].any())
    (True, False)
    """
    counts = masks.sum(axis=1)
    enough = np.flatnonzero(counts >= limits.FEWEST_ROWS)
    nothing = np.zeros(masks.shape[1])
    few = {
        place: Rows(np.zeros(len(features.offset)), Marginal.unknown(int(n)), nothing, nothing)
        for place, n in enumerate(counts)
        if n < limits.FEWEST_ROWS
    }
    if not len(enough):
        return list(few.values())
    some = masks[enough]
    sums, products, base = _first_pass(features, some)
    totals = Totals.of(counts[enough], sums, products, features.offset)
    diagonal, slope = np.empty(some.shape), np.empty(some.shape) if slopes else np.zeros((len(some), 0))
    row_sums = RowSums(totals)
    # Centered on all rows that the variable has, features of a set are close to centered: no digits are lost.
    away = totals.center - base
    length = np.vecdot(away, away)[:, None]
    along = np.vecdot(away, totals.mean_features)[:, None]
    for run, block in features.blocks():
        here, f = some[:, run], block - base
        d = np.maximum(np.vecdot(f, f) - 2.0 * (away @ f.T) + length, 0.0) * here
        diagonal[:, run] = d
        if slopes:
            slope[:, run] = totals.slopes(d, totals.mean_features @ f.T - along) * here
        row_sums.add_up(d @ f - d.sum(axis=1, keepdims=True) * away, d, slope[:, run])
    if third and masks.shape[1] <= limits.ALL_PROBES:
        whole = np.concatenate([block for _, block in features.blocks()]) - base
        marginal = row_sums.marginal_with(row_sums.of_every_row(whole, away, some, diagonal))
    else:
        marginal = row_sums.marginal(*_probes(features, totals, some, diagonal, most, probes if third else 0))
    found = few | {
        int(one): Rows(totals.center[place], marginal.at(place), diagonal[place], slope[place])
        for place, one in enumerate(enough)
    }
    return [found[place] for place in range(len(masks))]


def _first_pass(features: FeatureRows, masks: Masks) -> tuple[Floats, Floats, Floats]:
    """Sums over the rows of each set of the features and of their products, and the mean over all of the variable."""
    rank = len(features.offset)
    sums, products = np.zeros((len(masks), rank)), np.zeros((len(masks), rank, rank))
    total = np.zeros(rank)
    lost = features.own & ~masks
    subtract = lost.sum(axis=1) < masks.sum(axis=1) / 2
    for run, block in features.blocks():
        sums += masks[:, run].astype(np.float64) @ block
        total += block.sum(axis=0)
        whole = block.T @ block
        for place, few in enumerate(subtract):
            part = block[(lost if few else masks)[place, run]]
            products[place] += whole - part.T @ part if few else part.T @ part
    return sums, products, total / np.count_nonzero(features.own)


def _probes(
    features: FeatureRows, totals: Totals, masks: Masks, diagonal: Floats, most: int, count: int
) -> tuple[Floats, Floats]:
    """Centered features of rows that stand for all of each set, and how many each stands for: 0 where there are less.

    None where `count` is 0.
    """
    chosen = []
    for mask, own in zip(masks, diagonal, strict=True):
        rows = np.flatnonzero(mask)
        place, stands_for = probes_of(own[rows], most, count) if count else (np.empty(0, dtype=np.intp), np.empty(0))
        chosen.append((rows[place], stands_for))
    longest = max(len(rows) for rows, _ in chosen)
    places = np.array([np.append(rows, np.full(longest - len(rows), rows[:1])) for rows, _ in chosen], dtype=np.intp)
    weights = np.array([np.append(some, np.zeros(longest - len(some))) for _, some in chosen])
    if not longest:
        return np.empty((len(masks), 0, len(features.offset))), weights
    near = features.at(places.reshape(-1)).reshape(*places.shape, -1)
    return near - totals.center[:, None, :], weights
