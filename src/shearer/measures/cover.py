"""Covers of the variables by subsets, with weights: what Shearer's inequality is about."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from shearer._cached import cached_property
from shearer._validate import check_names, check_positive, describe, type_error, value_error
from shearer.measures.combination import Combination
from shearer.measures.entropies import Subset

# More subsets than this are a typing error, not a computation.
MOST_SUBSETS = 100_000


@dataclass(frozen=True)
class Cover:
    """Weighted subsets such that every variable lies in subsets of total weight `depth` or more.

    Shearer's inequality (weights 1) and its fractional form (Madiman and Tetali 2010):
    S(A^[L]) <= (1/depth) sum_F weight_F S(A^F), a theorem at alpha = 1.
    """

    weights: dict[Subset, float]
    everyone: Subset

    @cached_property
    def depth(self) -> float:
        """The smallest total weight over a variable."""
        total = dict.fromkeys(self.everyone, 0.0)
        for subset, weight in self.weights.items():
            for index in subset:
                total[index] += weight
        return min(total.values())

    @cached_property
    def average(self) -> Combination:
        """(1/depth) sum_F weight_F S(A^F)."""
        return Combination({subset: weight / self.depth for subset, weight in self.weights.items()})

    def gap(self) -> Combination:
        """What the inequality leaves: 0 for independent variables if every one is covered exactly `depth` times."""
        return self.average - Combination.of(self.everyone)

    def joint_ceiling(self) -> Combination:
        """(total weight / depth - 1) S(A^[L]): the gap if every subset knew everything."""
        return Combination.of(self.everyone, sum(self.weights.values()) / self.depth - 1.0)


def of_size(variables: Sequence[int], size: Any) -> Cover:
    """All subsets of `size` variables."""
    count = len(variables)
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise type_error("size", f"a whole number from 1 to {count - 1}", describe(size))
    if not 1 <= size < count:
        hint = "1 gives T, the largest gives D / (L - 1)."
        raise value_error("size", f"a whole number from 1 to {count - 1}", describe(size), hint)
    if comb(count, size) > MOST_SUBSETS:
        got = f"{comb(count, size)} of size {size} among {count} variables"
        raise value_error("size", f"at most {MOST_SUBSETS} subsets", got, "Name the subsets you need with cover=.")
    return Cover({frozenset(subset): 1.0 for subset in combinations(variables, int(size))}, frozenset(variables))


def from_user(
    names: Sequence[str], variables: Sequence[int], cover: Iterable[Iterable[Any]], weights: Iterable[Any] | None
) -> Cover:
    """A cover written by the user, of names or of positions; the same subset twice counts twice."""
    if isinstance(cover, str | bytes) or not isinstance(cover, Iterable):
        raise type_error("cover", "a list of subsets, such as [['a', 'b'], ['b', 'c']]", describe(cover))
    subsets = [_subset(names, variables, subset) for subset in cover]
    sizes = [1.0] * len(subsets) if weights is None else [check_positive("weights", weight) for weight in weights]
    if len(sizes) != len(subsets):
        raise value_error("weights", f"one for each of the {len(subsets)} subsets", f"{len(sizes)}")
    total: dict[Subset, float] = {}
    for subset, size in zip(subsets, sizes, strict=True):
        total[subset] = total.get(subset, 0.0) + size
    covered = frozenset().union(*total)
    bare = [name for name, index in zip(names, variables, strict=True) if index not in covered]
    if bare:
        hint = "Every variable must lie in at least one subset."
        raise value_error("cover", "subsets that cover every variable", f"none with {bare[0]!r}", hint)
    return Cover(total, frozenset(variables))


def _subset(names: Sequence[str], variables: Sequence[int], subset: Any) -> Subset:
    members: list[Any] = [subset] if isinstance(subset, str | int | np.integer) else list(subset)
    if not members:
        raise value_error("cover", "subsets with at least one variable", "an empty one")
    if all(isinstance(member, int | np.integer) and not isinstance(member, bool) for member in members):
        for member in members:
            if not 0 <= member < len(variables):
                raise value_error("cover", f"positions from 0 to {len(variables) - 1}", f"{member}")
        chosen = [variables[member] for member in members]
    else:
        check_names("cover", members, names)
        chosen = [variables[list(names).index(member)] for member in members]
    if len(set(chosen)) < len(chosen):
        raise value_error("cover", "each variable once in a subset", describe(members))
    return frozenset(chosen)
