"""The measures as combinations of subset entropies (docs: theory, section "Measures")."""

from collections.abc import Sequence
from itertools import combinations

from shearer.measures.combination import Combination, sum_of


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
