"""Tests of more than two variables without permutations: all subsets at once, and a chain of pairs."""

import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import on_cluster, spread
from shearer._memory import require
from shearer._progress import track
from shearer.data.table import Presence
from shearer.inference.answers import Component
from shearer.pairs import limits
from shearer.pairs.engine import PairTests
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.moments import moments
from shearer.pairs.null_law.pearson3 import upper_tail
from shearer.pairs.rungs import Ladder
from shearer.pairs.sides import Ladders, Side
from shearer.pairs.statistics import width_label

Floats = NDArray[np.float64]

# Rows beyond which the statistic of all subsets, a sum over all pairs of rows, is left to the chain.
MOST_PRODUCT_ROWS = 20_000
# Bytes of features that are kept beside those of one pass.
_ROOM = 2**28
# Entries of a band of the matrices.
_BAND = 2**20


def pair_components(ladders: Ladders, memory: int | None = None) -> list[Component]:
    """Every rung of the ladders of two variables in both forms."""
    return [Component(*found) for found in PairTests(ladders, memory=memory).components(0, 1)]


def product_components(
    ladders: Ladders, budget: int, n_jobs: int | None = None, progress: bool | None = None
) -> list[Component]:
    """All subsets of two or more variables at once: prod (1 + x_k) - 1 - sum x_k, every x_k of one spread.

    x_k is the U-centered similarity of a variable over its root mean square, times a scale that keeps products of many
    variables from outweighing those of few.

    Parameters
    ----------
    ladders : Ladders
        Of the variables, which all have the same rows.
    budget : int
        Bytes that may be allocated.
    n_jobs : int, optional
        Threads, as joblib counts them; they do not change the result.
    progress : bool, optional
        As in `shearer._progress.track`.
    """
    count = ladders.count
    scales = sorted({1.0 / math.sqrt(count)} | ({1.0} if count <= 4 else set()))
    heights = [ladders.heights(k) for k in range(count)]
    components: list[Component] = []
    for height in range(max(heights)):
        side = Side(ladders, np.arange(count), height, min(_ROOM, budget // 4))
        options = 'Options: a larger memory=; fewer rows; method="permutation".'
        needed = 8 * (3 * ladders.rows * side.width + 6 * min(_BAND, ladders.rows**2))
        require(needed, budget, f"a test of {count} variables of {ladders.rows} rows", options)
        rows = [side.rows(place, 0) for place in range(count)]
        forms = [one.marginal.centered for one in rows]
        if not all(one.marginal.usable for one in rows) or min(form.spread for form in forms) <= limits.SMALLEST_SPREAD:
            continue
        totals = _product_totals(side, scales, n_jobs, progress)
        label = width_label(max(heights), height)
        for scale, total in zip(scales, totals, strict=True):
            law = moments([form.scaled(scale / float(form.spread)).means() for form in forms], ladders.rows)
            if law.deviation <= limits.ROUND_OFF * ladders.rows or abs(law.skewness) > limits.LARGEST_SKEWNESS:
                continue
            z = total / law.deviation
            p = float(upper_tail(z, law.skewness))
            weight = limits.RUNG_WEIGHTS[height]
            components.append(Component(f"product {label} scale {scale:.2g}", z, p, law.skewness, weight))
    return components


def _product_totals(side: Side, scales: Sequence[float], n_jobs: int | None, progress: bool | None) -> list[float]:
    """Sums over pairs of rows i < j of prod (1 + x_k) - 1 - sum x_k, band by band of the matrices."""
    n = side.ladders.rows
    rows = [side.rows(place, 0) for place in range(len(side.variables))]
    shifts = [one.diagonal / (n - 2) - one.marginal.trace / (2 * (n - 1) * (n - 2)) for one in rows]
    spreads = [float(one.marginal.centered.spread) for one in rows]
    features = [side.centered(place) for place in range(len(rows))]
    parts = list(zip(features, shifts, spreads, strict=True))
    bands = [slice(start, min(start + max(1, _BAND // n), n)) for start in range(0, n, max(1, _BAND // n))]
    # Threads only: to the workers of a cluster all features would have to travel with every band.
    sums = spread(partial(_band_totals, parts, scales), bands, 1 if on_cluster() else n_jobs)
    # In the order of the bands, whoever is done first.
    totals = sum(track(sums, len(bands), "pairs of rows", progress), start=np.zeros(len(scales)))
    return [float(total) / 2 for total in totals]


def _band_totals(parts: Sequence[tuple[Floats, Floats, float]], scales: Sequence[float], band: slice) -> Floats:
    """The sums over the pairs of some rows with all others."""
    count, n = band.stop - band.start, len(parts[0][1])
    products = [np.ones((count, n)) for _ in scales]
    for own, shift, deviation in parts:
        x = own[band] @ own.T
        x += shift[band, None]
        x += shift
        x[np.arange(count), np.arange(band.start, band.stop)] = 0.0
        x /= deviation
        for product, scale in zip(products, scales, strict=True):
            product *= 1.0 + scale * x
    # The x_k themselves add up to 0 over all pairs.
    return np.array([float((product - 1.0).sum()) for product in products])


def chain_components(ladders: Iterable[Ladder], presence: Presence, memory: int | None = None) -> list[Component]:
    """Each variable against all before it, joined: T = I(1;2) + I(12;3) + ...; one component for each step."""
    components = []
    before, *rest = ladders
    for position, own in enumerate(rest, start=2):
        both = Presence(presence.masks, np.zeros(2, dtype=np.intp))
        step = pair_components(Ladders([before, own], both), memory)
        if step:
            p = combine(step)
            components.append(Component(f"variable {position} against those before it", math.nan, p, math.nan))
        before = before.joined(own)
    return components


def combine(components: Sequence[Component]) -> float:
    """One p-value; 1 if there is nothing to test."""
    if not components:
        return 1.0
    pvalues, weights = [component.pvalue for component in components], [component.weight for component in components]
    return float(half_cauchy(pvalues, weights))


def sidak(components: Sequence[Component]) -> float:
    """The smallest of several p-values, corrected for their number."""
    if not components:
        return 1.0
    smallest = min(component.pvalue for component in components)
    return -math.expm1(len(components) * math.log1p(-min(smallest, 1.0 - 1e-16)))
