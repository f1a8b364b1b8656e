"""Tests without permutations: moments of each component, components joined by the half-Cauchy combination."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from shearer.inference.centring import LARGEST_SKEWNESS, pair_of
from shearer.pairs.moments import moments
from shearer.pairs.combination import half_cauchy
from shearer.pairs.pearson3 import upper_tail
from shearer.inference.result import Component
from shearer.inference.similarity import FRACTIONS, Centered, Rung, Similarity

# Similarities that vary less are constant up to round-off.
SMALLEST_SPREAD = 1e-9
# Beyond this share of the largest entropy nearly all rows are unlike and both tails fail.
LARGEST_SATURATION = 0.85


def pair_components(first: Similarity, second: Similarity) -> list[Component]:
    """Every rung of the ladder in both centred forms; those whose tail is not to be trusted are left out."""
    components = []
    for label, (left, right) in matched(first, second):
        if max(left.saturation, right.saturation) > LARGEST_SATURATION:
            continue
        if left.known is not None and right.known is not None:
            products = float(np.vdot(left.matrix, right.matrix)) / 2
            components += pair_of(left.known, right.known, products, label)
            continue
        for form, a, b in (("centered", left.centered, right.centered), ("raw", left.raw, right.raw)):
            component = component_of(f"{form} {label}", [a, b], float(np.vdot(a.matrix, b.matrix)) / 2)
            if component is not None:
                components.append(component)
    return components


def product_components(variables: Sequence[Similarity]) -> list[Component]:
    """All subsets of two or more variables at once: prod (1 + x_k) - 1 - sum x_k, every x_k of one spread."""
    count = len(variables)
    scales = {1.0 / math.sqrt(count)} | ({1.0} if count <= 4 else set())
    components = []
    for label, rungs in matched(*variables):
        if max(rung.saturation for rung in rungs) > LARGEST_SATURATION:
            continue
        forms = [rung.centered for rung in rungs]
        if any(form.spread == 0 for form in forms):
            continue
        for scale in sorted(scales):
            scaled = [_scaled(form, scale / form.spread) for form in forms]
            product = np.ones_like(scaled[0].matrix)
            for item in scaled:
                product *= 1.0 + item.matrix
            total = float(product.sum()) - product.size - sum(item.sums.S for item in scaled)
            component = component_of(f"product {label} scale {scale:.2g}", scaled, total / 2)
            if component is not None:
                components.append(component)
    return components


def chain_components(variables: Sequence[Similarity]) -> list[Component]:
    """Each variable against all before it, joined: T = I(1;2) + I(12;3) + ...; one component for each step."""
    components = []
    before = variables[0]
    for position, variable in enumerate(variables[1:], start=2):
        step = pair_components(before, variable)
        if step:
            p = float(half_cauchy([component.pvalue for component in step]))
            components.append(Component(f"variable {position} against those before it", math.nan, p, math.nan))
        before = before.joined(variable)
    return components


def combine(components: Sequence[Component]) -> float:
    """One p-value; 1 if there is nothing to test."""
    return float(half_cauchy([component.pvalue for component in components])) if components else 1.0


def sidak(components: Sequence[Component]) -> float:
    """The smallest of several p-values, corrected for their number."""
    if not components:
        return 1.0
    smallest = min(component.pvalue for component in components)
    return -math.expm1(len(components) * math.log1p(-min(smallest, 1.0 - 1e-16)))


def matched(*variables: Similarity) -> Iterator[tuple[str, list[Rung]]]:
    """Rungs of the same height; a variable with a single rung goes with all of the others'."""
    longest = max(len(variable.rungs) for variable in variables)
    for height in range(longest):
        label = f"at {FRACTIONS[height]:g}" if longest > 1 else "at its one width"
        yield label, [variable.rungs[min(height, len(variable.rungs) - 1)] for variable in variables]


def _scaled(form: Centered, factor: float) -> Centered:
    sums = form.sums
    powers = {"S": 1, "B": 2, "c": 3, "rr": 2, "qr": 3, "rrr": 3, "rxr": 3, "T": 3}
    values = {name: getattr(sums, name) * factor**power for name, power in powers.items()}
    return Centered(form.matrix * factor, type(sums)(n=sums.n, **values))


def component_of(name: str, forms: Sequence[Centered], statistic: float) -> Component | None:
    """The upper tail of one statistic, or None if it does not vary or its law is too skewed."""
    found = moments([form.sums for form in forms], [1.0] * len(forms))
    # A spread or a deviation that round-off alone could make is none.
    size = math.prod(form.spread for form in forms) * forms[0].sums.n
    flat = min(form.spread for form in forms) <= SMALLEST_SPREAD
    if flat or found.deviation <= 1e-9 * size or abs(found.skewness) > LARGEST_SKEWNESS:
        return None
    z = statistic / found.deviation
    return Component(name, z, float(upper_tail(z, found.skewness)), found.skewness)
