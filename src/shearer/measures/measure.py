"""`Measure`: what is known of a measure that is made of subset entropies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from typing import Any, TypeAlias

from shearer._validate import check_option, value_error
from shearer.measures.combination import Combination
from shearer.measures.entropies import Entropies, Subset
from shearer.measures.normalize import Bits, Ceiling, Form, options_of, quotient
from shearer.spectrum import Estimate

Formula: TypeAlias = Callable[[Sequence[int]], Combination]


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure made of subset entropies.

    Attributes
    ----------
    name : str
        Of the function and of the method of `Dependence`.
    symbol : str
        In formulas.
    formula : callable
        From the positions of the variables to the combination of entropies, in bits.
    forms : mapping
        Options of ``normalize=`` -> what the measure is divided by; empty: it exists in bits only.
    fewest, most : int
        Numbers of variables it takes; most None: any number.
    hint : str
        What to take for other numbers of variables.
    named_alone : bool
        Whether the name says all; False: it is one of a family, and takes a cover.
    all_subsets : bool
        Whether it takes the entropies of all subsets.
    """

    name: str
    symbol: str
    formula: Formula
    forms: Mapping[bool | str, Form] = field(default_factory=dict)
    fewest: int = 2
    most: int | None = None
    hint: str = ""
    named_alone: bool = True
    all_subsets: bool = False

    @property
    def options(self) -> tuple[bool | str, ...]:
        """All that ``normalize=`` may be."""
        return options_of(self.forms)

    @property
    def is_normalized(self) -> bool:
        """Whether it has a scale of its own beside bits."""
        return bool(self.forms)

    @property
    def is_dependence(self) -> bool:
        """Whether it says how much several variables depend on each other, and needs no more than their names."""
        return self.named_alone and self.fewest > 1

    def check_form(self, normalize: Any) -> Any:
        """The option, if the measure offers it."""
        return check_option("normalize", normalize, self.options)

    def settled(self, normalize: Any) -> Any:
        """The option, if the measure offers it; True, the default everywhere, is bits where there are only bits."""
        return False if normalize is True and not self.forms else self.check_form(normalize)

    def check_count(self, count: int, parameter: str = "data") -> None:
        """Raise unless it takes so many variables."""
        if count >= self.fewest and (self.most is None or count <= self.most):
            return
        if self.fewest == self.most:
            raise value_error(parameter, f"exactly {self.most} variables", f"{count}", self.hint)
        if count < self.fewest:
            raise value_error(parameter, f"at least {self.fewest} variables", f"{count}", "entropy takes a single one.")
        got = f"{count}, which takes {2**count - 1} entropies" if self.all_subsets else f"{count}"
        raise value_error(parameter, f"at most {self.most} variables", got, self.hint)

    def form(self, normalize: Any) -> Form | None:
        """What to divide by; None: bits."""
        return None if self.check_form(normalize) is False else self.forms[normalize]

    def estimate(self, variables: Sequence[int], given: Subset, normalize: Any, entropies: Entropies) -> Estimate:
        """The measure with bounds, in bits or normalised, once the `given` variables are known."""
        raw, form = self.formula(variables).given(given), self.form(normalize)
        return raw.evaluate(entropies) if form is None else form(variables).given(given).divide(raw, entropies)

    def values(self, count: int, bits: Bits, normalize: Any, floor: Any) -> Any:
        """The measure of `count` variables from plain numbers or arrays, element by element.

        Parameters
        ----------
        count : int
            Number of variables.
        bits : callable
            From a subset of their positions to its entropy in bits.
        normalize : bool or str
            One of `options`.
        floor : float or array
            Bits below which an entropy is round-off; see `combination.no_entropy`.

        Examples
        --------
        >>> import numpy as np
        >>> from shearer.measures.registry import MEASURES
        >>> entropy = {frozenset({0}): np.array([1.0, 2.0]), frozenset({1}): 2.0, frozenset({0, 1}): 2.5}
        >>> MEASURES["mutual_information"].values(2, entropy.__getitem__, "max", 0.0)
        array([0.25, 0.75])
        """
        raw, ceiling = self.parts(count, normalize)
        top = raw.value(bits)
        return top if ceiling is None else quotient(top, ceiling.values(bits, floor), floor)

    def parts(self, count: int, normalize: Any) -> tuple[Combination, Ceiling | None]:
        """The formula for so many variables, and what it is divided by."""
        return _parts(self, count, self.form(normalize))

    def needs(self, variables: Sequence[int], given: Subset) -> Iterator[Subset]:
        """The subsets whose entropies it can ask for, of all variables or of as many as it takes; some repeatedly."""
        groups = combinations(variables, min(len(variables), self.most or len(variables)))
        alone = ((index,) for index in variables) if self.fewest == 1 else ()
        for group in chain(groups, alone):
            ceilings = (part for form in set(self.forms.values()) for part in form(group).parts)
            for combination in (self.formula(group), *ceilings):
                yield from (subset for subset in combination.given(given).terms if subset)


@lru_cache(maxsize=256)
def _parts(measure: Measure, count: int, form: Form | None) -> tuple[Combination, Ceiling | None]:
    variables = range(count)
    return measure.formula(variables), None if form is None else form(variables)
