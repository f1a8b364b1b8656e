"""The methods that a run judges unless it is told others: ours, and rivals at their defaults and at their best."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

from shearer import comparators
from shearer.yardstick import given_rivals, kernel_rivals, own_methods, rank_rivals
from shearer.yardstick.method import Method

_ANY = 99
_FAST = f"{rank_rivals.RESAMPLES} permutations"
_SLOW = f"up to {kernel_rivals.SLOW_RESAMPLES} permutations"
_TESTS = ("independence",)
_VALUES = ("strength",)


def _xi(x: Any, y: Any) -> float:
    return max(comparators.chatterjee_xi(x, y), comparators.chatterjee_xi(y, x))


def _ksg(x: Any, y: Any) -> float:
    """Information as the correlation of a normal pair that has as much."""
    return math.sqrt(max(0.0, -math.expm1(-2 * math.log(2) * comparators.ksg(x, y))))


def _magnitude(value: Any) -> Any:
    """The value without its sign."""

    def found(x: Any, y: Any) -> float:
        return abs(float(value(x, y)))

    return found


def _hsic_cosine(x: Any, y: Any) -> float:
    """HSIC over the root of both variables' own: the centred kernel alignment."""
    own = comparators.hsic(x, x) * comparators.hsic(y, y)
    return comparators.hsic(x, y) / math.sqrt(own) if own > 0 else 0.0


def _numbers(name: str, call: Any, source: str, tasks: tuple[str, ...] = _TESTS, seeded: bool = False) -> Method:
    """Of two columns of numbers only."""
    return Method(name, call, tasks, "refused", vectors=False, seeded=seeded, source=source)


def _permuted(name: str, statistic: Any, source: str, slow: bool = False) -> Method:
    call = kernel_rivals.permuted(statistic, slow)
    return Method(name, call, seeded=True, source=f"{source}; {_SLOW if slow else _FAST}")


_OURS = (
    Method("shearer", own_methods.own_pvalue(), ("independence", "conditional"), variables=_ANY,
           source="independence_test at its defaults"),
    Method("shearer, one width", own_methods.own_pvalue("moments"), variables=_ANY,
           source='independence_test(method="moments")'),
    Method("shearer, thorough", own_methods.own_pvalue("thorough"), seeded=True,
           source='independence_test(method="thorough", n_resamples=199)'),
    Method("shearer, T* of order 2", own_methods.own_pvalue("permutation", "total_correlation", 2.0), seeded=True,
           variables=_ANY, source='independence_test(measure="total_correlation", alpha=2), 199 permutations'),
    Method("shearer, T* of order 1", own_methods.own_pvalue("permutation", "total_correlation", 1.0), seeded=True,
           variables=_ANY, source='independence_test(measure="total_correlation", alpha=1), 199 permutations'),
    Method("shearer, local permutation", own_methods.own_pvalue("permutation"), ("conditional",), seeded=True,
           source='independence_test(given=, method="permutation")'),
    Method("shearer, three-way", own_methods.interaction_pvalue, ("interaction",), source="interaction_test"),
    Method("shearer, compare", own_methods.change_pvalue, ("change",), source="compare"),
    Method("shearer, strength", own_methods.strength, _VALUES, source="pairwise(...).strength"),
    Method("shearer, adjusted I*", own_methods.adjusted, _VALUES, source="pairwise(...).adjusted"),
    Method("shearer, I*", own_methods.information, _VALUES, source="mutual_information"),
)  # fmt: skip
_RIVALS = (
    _numbers("Pearson", rank_rivals.pearson_pvalue, "scipy.stats.pearsonr"),
    _numbers("Spearman", rank_rivals.spearman_pvalue, "scipy.stats.spearmanr"),
    _numbers("xi", rank_rivals.xi_pvalue, "scipy.stats.chatterjeexi, its default: y as a function of x"),
    _numbers("xi, both directions", rank_rivals.xi_both_pvalue, "scipy.stats.chatterjeexi, the smaller p, doubled"),
    _numbers("Hoeffding's D", rank_rivals.hoeffding_pvalue,
             f"Hoeffding 1948; {_FAST}", seeded=True),
    _permuted("dCor", comparators.distance_correlation, "Székely et al. 2007"),
    _permuted("HSIC", comparators.hsic, "Gretton et al. 2008, median widths"),
    Method("HSIC, narrow", kernel_rivals.narrow_hsic_pvalue, seeded=True,
           source=f"a third of the median widths; {_FAST}"),
    Method("HSIC, gamma", kernel_rivals.hsic_gamma_pvalue, source="Gretton et al. 2008, median widths, gamma law"),
    Method("mHSIC", kernel_rivals.normal_tail(comparators.mhsic), source="martingale HSIC, normal law"),
    _permuted("KCCA", comparators.kcca, "Bach and Jordan 2002"),
    _permuted("RDC", comparators.rdc, "Lopez-Paz et al. 2013", slow=True),
    _permuted("KSG", comparators.ksg, "Kraskov et al. 2004, 3 neighbours", slow=True),
    Method("MIC", kernel_rivals.permuted(comparators.mic, slow=True), labels="refused", vectors=False, seeded=True,
           source=f"Reshef et al. 2011; {_SLOW}"),
    Method("MIC, e", kernel_rivals.permuted(partial(comparators.mic, estimator="equicharacteristic", clumps=5.0), True),
           labels="refused", vectors=False, seeded=True,
           source=f"Reshef et al. 2016, five clumps; {_SLOW}"),
    Method("MGC", kernel_rivals.mgc_pvalue, labels="indicators", seeded=True,
           source=f"scipy.stats.multiscale_graphcorr, {kernel_rivals.SLOW_RESAMPLES} permutations"),
    Method("dHSIC", kernel_rivals.permuted(comparators.dhsic), variables=_ANY, seeded=True,
           source=f"Pfister et al. 2018; {_FAST}"),
    Method("partial correlation", given_rivals.partial_correlation_pvalue, ("conditional",), "indicators",
           source="linear regressions, t"),
    Method("GCM", given_rivals.gcm_pvalue, ("conditional",), "indicators",
           source="Shah and Peters 2020, kernel ridges"),
    Method("KCI", given_rivals.causal_learn_pvalue("kci"), ("conditional",), "indicators", seeded=True,
           source="causal-learn at its defaults", needs="causallearn"),
    Method("RCIT", given_rivals.causal_learn_pvalue("rcit"), ("conditional",), "indicators", seeded=True,
           source="causal-learn at its defaults", needs="causallearn"),
    Method("product term", given_rivals.product_term_pvalue, ("interaction",), "refused",
           source="linear regressions, t"),
    Method("Fisher's z of Pearson", given_rivals.fisher_pearson_pvalue, ("change",), "refused", vectors=False),
    Method("Fisher's z of Spearman", given_rivals.fisher_spearman_pvalue, ("change",), "refused", vectors=False,
           source="Bonett and Wright 2000"),
    Method("dCor, groups permuted", given_rivals.permuted_groups_pvalue, ("change",), "refused", vectors=False,
           seeded=True, source="99 permutations"),
)  # fmt: skip
_RIVAL_VALUES = (
    _numbers("|Pearson|", _magnitude(comparators.pearson), "absolute value", _VALUES),
    _numbers("|Spearman|", _magnitude(comparators.spearman), "absolute value", _VALUES),
    _numbers("xi, larger", _xi, "the larger of both directions", _VALUES),
    _numbers("MIC, value", comparators.mic, "Reshef et al. 2011", _VALUES),
    _numbers("Hoeffding's D, value", rank_rivals.hoeffding_d, "Hoeffding 1948, times 30", _VALUES),
    Method("dCor, value", comparators.distance_correlation, _VALUES, source="Székely et al. 2007"),
    Method("HSIC, alignment", _hsic_cosine, _VALUES, source="HSIC(x, y) / sqrt(HSIC(x, x) HSIC(y, y))"),
    Method("KCCA, value", comparators.kcca, _VALUES, source="Bach and Jordan 2002"),
    Method("RDC, value", comparators.rdc, _VALUES, source="Lopez-Paz et al. 2013"),
    Method("KSG, value", _ksg, _VALUES, source="as the correlation of a normal pair of as much information"),
)


#: All by name.
METHODS: dict[str, Method] = {
    method.name: method for method in (*(replace(own, ours=True) for own in _OURS), *_RIVALS, *_RIVAL_VALUES)
}


def present_methods() -> list[Method]:
    """Those whose packages are installed."""
    return [method for method in METHODS.values() if method.present]
