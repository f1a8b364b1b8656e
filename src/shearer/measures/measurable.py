"""The measures as methods of anything that has names and entropies: rows in memory, or sums of rows gone by."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from shearer._validate import check_names, check_option, value_error
from shearer.measures import cover as covers
from shearer.measures import registry
from shearer.measures.entropies import Entropies, Subset
from shearer.measures.family import FamilyMethods
from shearer.measures.measure import Measure
from shearer.measures.verbs import PaperMethods
from shearer.spectrum import Estimate


class Measurable(PaperMethods, FamilyMethods):
    """Variables whose subset entropies are known; every measure is a method, and `measure` takes any by name."""

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

    def measure(self, measure: str, *names: str, normalize: bool | str = True) -> Estimate:
        """A measure by its name.

        Parameters
        ----------
        measure : str
            Such as "total_correlation"; every method here but `shearer_gap`, which takes a cover.
        *names : str
            The variables; default: all.
        normalize : bool or str, default True
            As in the method of that name; measures that exist in bits only are in bits.

        Examples
        --------
        >>> import shearer as sh
        >>> d = sh.Dependence(["a", "a", "b", "b"], ["u", "u", "v", "v"])
        >>> d.measure("total_correlation").value, d.measure("o_information").value
        (1.0, 0.0)
        """
        found = registry.MEASURES[check_option("measure", measure, registry.by_name())]
        return self._estimate(found, names, found.settled(normalize))

    def shearer_gap(
        self,
        *names: str,
        size: int | None = None,
        cover: Iterable[Iterable[Any]] | None = None,
        weights: Iterable[float] | None = None,
        normalize: bool | str = True,
    ) -> Estimate:
        """The gap of Shearer's inequality for a cover of the variables; see `shearer.shearer_gap`."""
        indices = self._indices(names)
        registry.SHEARER_GAP.check_count(len(indices))
        if (size is None) == (cover is None):
            got = "neither" if size is None else "both"
            raise value_error("size, cover", "one of the two", got, "size=1 is T, size=L-1 is D / (L - 1).")
        if cover is None:
            if weights is not None:
                raise value_error("weights", "weights together with cover=", "weights alone")
            chosen = covers.of_size(indices, size)
        else:
            chosen = covers.from_user(names or self.names, indices, cover, weights)
        return self._estimate(registry.gap_of(chosen), names, normalize)

    def _estimate(self, measure: Measure, names: Sequence[str], normalize: Any) -> Estimate:
        indices = self._indices(names)
        measure.check_count(len(indices))
        return measure.estimate(indices, self._conditions, normalize, self._entropies)

    @property
    def _conditions(self) -> Subset:
        return frozenset(self.all_names.index(name) for name in self.given)

    def _indices(self, names: Sequence[str]) -> list[int]:
        check_names("names", names, self.names)
        if len(set(names)) < len(names):
            raise value_error("names", "each variable once", ", ".join(names))
        return [self.all_names.index(name) for name in (names or self.names)]
