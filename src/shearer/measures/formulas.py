"""The measures as combinations of subset entropies (docs: theory, section "Measures")."""

from collections.abc import Sequence

from shearer.entropy import Subset
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


def total_correlation_ceilings(variables: Sequence[int]) -> list[Combination]:
    """Sum of S(A^i) without one of them; the smallest is the denominator of T* (paper Eq. NTC_renyi)."""
    marginals = {i: Combination.of([i]) for i in variables}
    return [sum_of(marginals[i] for i in variables if i != left_out) for left_out in variables]


def conditioned(combinations: Sequence[Combination], conditions: Subset) -> list[Combination]:
    """Every combination given the same variables."""
    return [combination.given(conditions) for combination in combinations]
