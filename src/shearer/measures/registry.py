"""The measures by name: formula, number of variables, normalisations. Every list of measures is read from here.

A new measure is its formula and its entry here, and the function and the method that users type
(`shearer.measures.family`); docs/architecture.rst has the recipe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from shearer.measures.combination import Combination, sum_of
from shearer.measures.cover import Cover
from shearer.measures.measure import Measure
from shearer.measures.normalize import of_cover, offered


def joint(variables: Sequence[int]) -> Combination:
    """S(A^[L])."""
    return Combination.of(variables)


def total_correlation(variables: Sequence[int]) -> Combination:
    """Sum of S(A^i) - S(A^[L])."""
    return sum_of(Combination.of([i]) for i in variables) - joint(variables)


def dual_total_correlation(variables: Sequence[int]) -> Combination:
    """Sum of S(A^[L]-i) - (L - 1) S(A^[L])."""
    rests = sum_of(Combination.of(set(variables) - {i}) for i in variables)
    return rests - joint(variables) * (len(variables) - 1)


def o_information(variables: Sequence[int]) -> Combination:
    """T - D: above 0 redundancy outweighs, below 0 synergy."""
    return total_correlation(variables) - dual_total_correlation(variables)


def s_information(variables: Sequence[int]) -> Combination:
    """T + D: all the dependence there is, each variable against the rest."""
    return total_correlation(variables) + dual_total_correlation(variables)


def co_information(variables: Sequence[int]) -> Combination:
    """-sum over non-empty subsets of (-1)^|S| S(A^S): what all share, by inclusion and exclusion."""
    return sum_of(
        Combination.of(subset, -1.0 if size % 2 == 0 else 1.0)
        for size in range(1, len(variables) + 1)
        for subset in combinations(variables, size)
    )


_ENTRIES = (
    Measure("entropy", "S", joint, fewest=1),
    Measure(
        "mutual_information",
        "I",
        total_correlation,
        offered("max", "max", "min", "joint", "mean", "sqrt"),  # the paper's choice first
        most=2,
        hint="total_correlation and dual_total_correlation take any number.",
    ),
    # Paper, Eq. NTC_renyi and NDTC_renyi.
    Measure("total_correlation", "T", total_correlation, offered("rest")),
    Measure("dual_total_correlation", "D", dual_total_correlation, offered("joint")),
    # A family: its members are made by `gap_of`. As a whole it can ask for what co-information does, all subsets.
    Measure("shearer_gap", "G", co_information, named_alone=False, all_subsets=True),
    Measure("o_information", "O", o_information),
    Measure("s_information", "S", s_information),
    Measure(
        "co_information",
        "C",
        co_information,
        most=16,
        hint="o_information takes 2 L + 1 entropies for L variables.",
        all_subsets=True,
    ),
)

#: Every measure, in the order in which they are listed.
MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ENTRIES}

# Those that other files mean by themselves.
ENTROPY = MEASURES["entropy"]
MUTUAL_INFORMATION = MEASURES["mutual_information"]
TOTAL_CORRELATION = MEASURES["total_correlation"]
SHEARER_GAP = MEASURES["shearer_gap"]


def gap_of(cover: Cover) -> Measure:
    """The gap of Shearer's inequality for one cover."""
    return Measure("shearer_gap", "G", lambda _variables: cover.gap(), of_cover(cover), named_alone=False)


def names(*, where: Callable[[Measure], bool] | None = None) -> tuple[str, ...]:
    """The names of the measures, or of those of some property.

    Examples
    --------
    >>> names(where=lambda measure: measure.is_normalized)
    ('mutual_information', 'total_correlation', 'dual_total_correlation')
    """
    return tuple(name for name, measure in MEASURES.items() if where is None or where(measure))


def by_name() -> tuple[str, ...]:
    """Those whose name says all."""
    return names(where=lambda measure: measure.named_alone)


def dependence_measures() -> tuple[str, ...]:
    """Those that say how much several variables depend on each other."""
    return names(where=lambda measure: measure.is_dependence)


def normalized_measures(*, any_number: bool = False) -> tuple[str, ...]:
    """Those of them that have a ceiling, and with it a scale; if asked, those for any number of variables."""
    return names(
        where=lambda known: known.is_dependence and known.is_normalized and not (any_number and known.most is not None)
    )
