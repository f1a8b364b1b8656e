"""The measures as methods of anything that has names and entropies: rows in memory, or sums of rows gone by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from shearer._validate import check_names, value_error
from shearer.entropy import Entropies, Subset
from shearer.measures import cover as covers
from shearer.measures import formulas
from shearer.measures import normalize as normal
from shearer.measures.combination import Combination
from shearer.spectrum import Estimate

# All subsets of the variables are needed: 65535 entropies at the limit.
MOST_FOR_CO_INFORMATION = 16


class Measurable(ABC):
    """Variables whose subset entropies are known; every measure is a method."""

    _entropies: Entropies

    @property
    @abstractmethod
    def all_names(self) -> tuple[str, ...]:
        """The variables, those conditioned on last."""

    @property
    @abstractmethod
    def given(self) -> tuple[str, ...]:
        """The variables conditioned on."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, without those conditioned on."""
        return tuple(name for name in self.all_names if name not in self.given)

    def entropy(self, *names: str) -> Estimate:
        """Joint entropy in bits of the named variables (all, if none is named), given the conditions."""
        return self._bits(formulas.joint(self._indices(names)))

    def mutual_information(self, *names: str, normalize: bool | str = True) -> Estimate:
        """I* (or I in bits) of two variables; see `shearer.mutual_information`."""
        indices = self._indices(names)
        if len(indices) != 2:
            hint = "total_correlation and dual_total_correlation take any number."
            raise value_error("data", "exactly 2 variables", f"{len(indices)}", hint)
        return normal.mutual_information(indices, self._conditions, normalize, self._entropies)

    def total_correlation(self, *names: str, normalize: bool = True) -> Estimate:
        """T* (or T in bits) of two or more variables; see `shearer.total_correlation`."""
        return normal.total_correlation(self._several(names), self._conditions, normalize, self._entropies)

    def dual_total_correlation(self, *names: str, normalize: bool = True) -> Estimate:
        """D* (or D in bits) of two or more variables; see `shearer.dual_total_correlation`."""
        return normal.dual_total_correlation(self._several(names), self._conditions, normalize, self._entropies)

    def shearer_gap(
        self,
        *names: str,
        size: int | None = None,
        cover: Iterable[Iterable[Any]] | None = None,
        weights: Iterable[float] | None = None,
        normalize: bool | str = True,
    ) -> Estimate:
        """The gap of Shearer's inequality for a cover of the variables; see `shearer.shearer_gap`."""
        indices = self._several(names)
        if (size is None) == (cover is None):
            got = "neither" if size is None else "both"
            raise value_error("size, cover", "one of the two", got, "size=1 is T, size=L-1 is D / (L - 1).")
        if cover is None:
            if weights is not None:
                raise value_error("weights", "weights together with cover=", "weights alone")
            chosen = covers.of_size(indices, size)
        else:
            chosen = covers.from_user(names or self.names, indices, cover, weights)
        return normal.shearer_gap(chosen, self._conditions, normalize, self._entropies)

    def o_information(self, *names: str) -> Estimate:
        """T - D in bits; see `shearer.o_information`."""
        return self._bits(formulas.o_information(self._several(names)))

    def s_information(self, *names: str) -> Estimate:
        """T + D in bits; see `shearer.s_information`."""
        return self._bits(formulas.s_information(self._several(names)))

    def co_information(self, *names: str) -> Estimate:
        """What all variables share, in bits; see `shearer.co_information`."""
        indices = self._several(names)
        if len(indices) > MOST_FOR_CO_INFORMATION:
            got = f"{len(indices)}, which takes {2 ** len(indices) - 1} entropies"
            hint = "o_information takes 2 L + 1 entropies for L variables."
            raise value_error("data", f"at most {MOST_FOR_CO_INFORMATION} variables", got, hint)
        return self._bits(formulas.co_information(indices))

    def _bits(self, combination: Combination) -> Estimate:
        return combination.given(self._conditions).evaluate(self._entropies)

    @property
    def _conditions(self) -> Subset:
        return frozenset(self.all_names.index(name) for name in self.given)

    def _several(self, names: Sequence[str]) -> list[int]:
        indices = self._indices(names)
        if len(indices) < 2:
            raise value_error("data", "at least 2 variables", f"{len(indices)}", "entropy takes a single one.")
        return indices

    def _indices(self, names: Sequence[str]) -> list[int]:
        check_names("names", names, self.names)
        if len(set(names)) < len(names):
            raise value_error("names", "each variable once", ", ".join(names))
        return [self.all_names.index(name) for name in (names or self.names)]
