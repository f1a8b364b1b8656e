"""Tests of more than two variables without permutations: all subsets at once, and a chain of pairs."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Presence
from shearer.inference.answers import Component
from shearer.pairs import limits
from shearer.pairs.engine import PairTests
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.moments import moments
from shearer.pairs.null_law.pearson3 import upper_tail
from shearer.pairs.rungs import Ladder
from shearer.pairs.sides import Ladders, Side

Floats = NDArray[np.float64]

# Rows beyond which the statistic of all subsets, a sum over all pairs of rows, is left to the chain.
MOST_PRODUCT_ROWS = 20_000
# Entries of a band of the matrices.
_BAND = 2**21


def pair_components(ladders: Ladders, first: int = 0, second: int = 1) -> list[Component]:
    """Every rung of the ladders of two variables in both forms."""
    return [Component(*found) for found in PairTests(ladders).components(first, second)]


def product_components(ladders: Ladders, room: int) -> list[Component]:
    """All subsets of two or more variables at once: prod (1 + x_k) - 1 - sum x_k, every x_k of one spread.

    x_k is the U-centered similarity of a variable over its root mean square, times a scale that keeps products of many
    variables from outweighing those of few.
    """
    count = ladders.count
    scales = sorted({1.0 / math.sqrt(count)} | ({1.0} if count <= 4 else set()))
    heights = [ladders.heights(k) for k in range(count)]
    components: list[Component] = []
    for height in range(max(heights)):
        side = Side(ladders, np.arange(count), height, room)
        rows = [side.rows(place, 0) for place in range(count)]
        forms = [one.marginal.centered for one in rows]
        if not all(one.marginal.usable for one in rows) or min(form.spread for form in forms) <= limits.SMALLEST_SPREAD:
            continue
        totals = _product_totals(side, scales)
        label = f"at {limits.RUNG_BITS[height]:g} bits" if max(heights) > 1 else "at its one width"
        for scale, total in zip(scales, totals, strict=True):
            law = moments([form.scaled(scale / float(form.spread)).means() for form in forms], ladders.rows)
            if law.deviation <= limits.ROUND_OFF * ladders.rows or abs(law.skewness) > limits.LARGEST_SKEWNESS:
                continue
            z = total / law.deviation
            p = float(upper_tail(z, law.skewness))
            weight = limits.CENTERED_WEIGHTS[height]
            components.append(Component(f"product {label} scale {scale:.2g}", z, p, law.skewness, weight))
    return components


def _product_totals(side: Side, scales: Sequence[float]) -> list[float]:
    """Sums over pairs of rows i < j of prod (1 + x_k) - 1 - sum x_k, band by band of the matrices."""
    n = side.ladders.rows
    rows = [side.rows(place, 0) for place in range(len(side.variables))]
    features = [side.centered(place) for place in range(len(side.variables))]
    shifts = [one.diagonal / (n - 2) - one.marginal.trace / (2 * (n - 1) * (n - 2)) for one in rows]
    totals = np.zeros(len(scales))
    for start in range(0, n, max(1, _BAND // n)):
        band = slice(start, min(start + max(1, _BAND // n), n))
        products = [np.ones((band.stop - band.start, n)) for _ in scales]
        for one, own, shift in zip(rows, features, shifts, strict=True):
            x = own[band] @ own.T
            x += shift[band, None]
            x += shift
            x[np.arange(band.stop - band.start), np.arange(band.start, band.stop)] = 0.0
            x /= float(one.marginal.centered.spread)
            for product, scale in zip(products, scales, strict=True):
                product *= 1.0 + scale * x
        # The x_k themselves add up to 0 over all pairs.
        totals += [float((product - 1.0).sum()) for product in products]
    return [float(total) / 2 for total in totals]


def chain_components(ladders: Iterable[Ladder], presence: Presence) -> list[Component]:
    """Each variable against all before it, joined: T = I(1;2) + I(12;3) + ...; one component for each step."""
    components = []
    before, *rest = ladders
    for position, own in enumerate(rest, start=2):
        both = Presence(presence.masks, np.zeros(2, dtype=np.intp))
        step = pair_components(Ladders([before, own], both))
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
