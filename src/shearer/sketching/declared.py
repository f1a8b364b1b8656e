"""What a sketch was declared for: measures, the subsets whose entropies they need, and these entropies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from shearer._validate import check_option, describe, listing, type_error, value_error
from shearer.measures.entropies import Subset
from shearer.measures.registry import MEASURES
from shearer.measures.registry import names as all_measures
from shearer.sketching.subset_sums import SubsetSums
from shearer.spectrum import Estimate

# Each subset has its own landmarks and sums; and so many variables have fewer subsets than that.
_MOST_SUBSETS, _MOST_FOR_ALL = 4096, 12


class SketchedEntropies:
    """Entropies of the subsets that were declared, from their sums."""

    def __init__(self, names: tuple[str, ...], parts: Mapping[Subset, SubsetSums]) -> None:
        self.names = names
        self.parts = dict(parts)
        self.rows = 0
        self._known: dict[Subset, tuple[int, Estimate]] = {}

    def __call__(self, subset: Subset | set[int], tol: float | None = None) -> Estimate:
        """Entropy in bits, with the bounds that the rows left; 0 for the empty set."""
        key = frozenset(subset)
        if not key:
            return Estimate(0.0, 0.0, 0.0, True, "empty")
        if key not in self.parts:
            named = ", ".join(self.names[index] for index in sorted(key))
            hint = "Name the measure in measures= of Sketch.like."
            raise value_error("measures", "one that was declared", f"one that needs the entropy of {named}", hint)
        if self.rows < 2:
            raise value_error("data", "at least 2 rows", f"{self.rows}", "Rows come in by update().")
        rows, known = self._known.get(key, (0, None))
        if known is None or rows != self.rows:  # rows are added, never taken away
            known = self.parts[key].estimate(self.rows)
            self._known[key] = self.rows, known
        return known

    def meet(self, build: Callable[[float | None], Estimate], weight: float) -> Estimate:
        """The measure with the bounds it has: rows that are gone cannot be asked again."""
        return build(None)


def check_measures(measures: Any) -> list[str]:
    """Names of measures as a list, each once."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise type_error("measures", 'names of measures, such as ("total_correlation",)', describe(measures))
    declared = list(dict.fromkeys(measures))
    if not declared:
        raise value_error("measures", f"some of {listing(all_measures())}", "none")
    for measure in declared:
        check_option("measures", measure, all_measures())
    return declared


def subsets_of(measures: list[str], names: list[str], given: tuple[str, ...]) -> list[Subset]:
    """The subsets whose entropies the measures need, in a fixed order."""
    conditions = frozenset(names.index(name) for name in given)
    variables = [index for index in range(len(names)) if index not in conditions]
    for measure in measures:
        _check_count(measure, len(variables))
    found: set[Subset] = set()
    for subset in chain.from_iterable(MEASURES[measure].needs(variables, conditions) for measure in measures):
        found.add(subset)
        if len(found) > _MOST_SUBSETS:  # of a thousand variables not all pairs are written down first
            whole = [name for name in all_measures() if MEASURES[name].all_subsets]
            hint = f"mutual_information takes all pairs, {' and '.join(whole)} all subsets."
            raise value_error("measures", f"at most {_MOST_SUBSETS} subsets of variables", "more", hint)
    return sorted(found, key=lambda subset: (len(subset), sorted(subset)))


def _check_count(measure: str, count: int) -> None:
    if count < MEASURES[measure].fewest:
        raise value_error("sample", "at least 2 variables", f"{count}", 'measures=("entropy",) takes a single one.')
    if MEASURES[measure].all_subsets and count > _MOST_FOR_ALL:
        raise value_error("sample", f"at most {_MOST_FOR_ALL} variables for all of their subsets", f"{count}")
