"""Divisions that bring a measure to a scale: T*, D* and the five forms of I*."""

import math
from collections.abc import Callable, Sequence

from shearer._validate import check_option
from shearer.entropy import Entropies, Subset
from shearer.measures import formulas
from shearer.measures.combination import Combination, ratio, sum_of
from shearer.measures.cover import Cover
from shearer.spectrum import Estimate

SWITCH = (True, False)
GAP = (True, False, "marginal", "joint")
MUTUAL = (True, False, "max", "min", "joint", "mean", "sqrt")


def total_correlation(variables: Sequence[int], given: Subset, normalize: bool, entropies: Entropies) -> Estimate:
    """T in bits, or T* (paper Eq. NTC_renyi)."""
    raw = formulas.total_correlation(variables).given(given)
    if not check_option("normalize", normalize, SWITCH):
        return raw.evaluate(entropies)
    ceilings = formulas.conditioned(formulas.total_correlation_ceilings(variables), given)
    return _over_extreme(raw, ceilings, min, entropies)


def dual_total_correlation(variables: Sequence[int], given: Subset, normalize: bool, entropies: Entropies) -> Estimate:
    """D in bits, or D* (paper Eq. NDTC_renyi)."""
    raw = formulas.dual_total_correlation(variables).given(given)
    if not check_option("normalize", normalize, SWITCH):
        return raw.evaluate(entropies)
    return ratio(raw, formulas.joint(variables).given(given), entropies)


def mutual_information(pair: Sequence[int], given: Subset, normalize: bool | str, entropies: Entropies) -> Estimate:
    """I in bits, or divided by the larger entropy (True, "max"), the smaller, the joint, or a mean of the two."""
    form = check_option("normalize", normalize, MUTUAL)
    raw = formulas.total_correlation(pair).given(given)
    if form is False:
        return raw.evaluate(entropies)
    marginals = [Combination.of([i]).given(given) for i in pair]
    if form in (True, "max"):
        return _over_extreme(raw, marginals, max, entropies)
    if form == "min":
        return _over_extreme(raw, marginals, min, entropies)
    if form == "joint":
        return ratio(raw, formulas.joint(pair).given(given), entropies)
    if form == "mean":
        return ratio(raw, sum_of(marginals) * 0.5, entropies)
    return _over_geometric_mean(raw, marginals, entropies)


def shearer_gap(cover: Cover, given: Subset, normalize: bool | str, entropies: Entropies) -> Estimate:
    """The gap of a cover in bits, over its best bound (True, "marginal") or over the joint's share ("joint")."""
    form = check_option("normalize", normalize, GAP)
    raw = cover.gap().given(given)
    if form is False:
        return raw.evaluate(entropies)
    if form == "joint":
        return ratio(raw, cover.joint_ceiling().given(given), entropies)
    return _over_extreme(raw, formulas.conditioned(cover.ceilings(), given), min, entropies)


def _over_extreme(
    raw: Combination, candidates: Sequence[Combination], pick: Callable[..., Estimate], entropies: Entropies
) -> Estimate:
    """Raw / pick(candidates); the bounds cover every candidate that could be the one."""
    raw.evaluate(entropies)  # the joint first: if it is refused, the others need not be computed
    sizes = [candidate.evaluate(entropies) for candidate in candidates]
    chosen = pick(sizes, key=float)
    possible = [
        c
        for c, size in zip(candidates, sizes, strict=True)
        if size.lower <= chosen.upper and size.upper >= chosen.lower
    ]
    quotients = [ratio(raw, candidate, entropies) for candidate in possible]
    best = ratio(raw, candidates[sizes.index(chosen)], entropies)
    lower, upper = min(q.lower for q in quotients), max(q.upper for q in quotients)
    return Estimate(best.value, min(lower, best.lower), max(upper, best.upper), best.certified, best.route)


def _over_geometric_mean(raw: Combination, marginals: Sequence[Combination], entropies: Entropies) -> Estimate:
    """Raw / sqrt(product of the marginals) = geometric mean of the two quotients, which share their sign."""
    first, second = (ratio(raw, marginal, entropies) for marginal in marginals)
    if not float(first) * float(second):
        return first if not float(first) else second
    # Written with the quotients' quotient, so that derivatives at small values stay finite.
    value = first.value * (second.value / first.value) ** 0.5
    lower, upper = _signed_mean(first.lower, second.lower), _signed_mean(first.upper, second.upper)
    return Estimate(value, lower, upper, first.certified, first.route)


def _signed_mean(first: float, second: float) -> float:
    return math.copysign(math.sqrt(abs(first) * abs(second)), first)
