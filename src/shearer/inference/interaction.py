"""Dependence of three variables that no pair explains: the Lancaster statistic on centred kernels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shearer._memory import parse_memory
from shearer._threads import single_threaded_blas
from shearer._validate import value_error
from shearer._variables import read_variables
from shearer.inference.aggregated import combine, component_of, matched
from shearer.inference.atoms import Codes, joint_codes, least_pvalue, level_codes, table_of
from shearer.inference.chance import Chance
from shearer.inference.moments import sums_of
from shearer.inference.result import Component
from shearer.inference.similarity import Centered, Similarity, similarities
from shearer.kernels import Kernel, grams
from shearer.spectrum import Request


@dataclass(frozen=True)
class InteractionResult:
    """The answer of `interaction_test`.

    Attributes
    ----------
    statistic : float
        Standardised statistic of the weakest split.
    pvalue : float
        The largest of the three splits' p-values: small only if each variable depends on the product of the two others.
    kind : {"synergistic", "redundant"}
        Which of the two outweighs, by the sign of O-information less its chance level. To be read after the p-value.
    o_information : float
        O-information at alpha = 2, less what it is on average over all permutations of the rows, in bits.
    components : tuple of Component
        The three splits.
    names : tuple of str
        The variables.
    rows : int
        Observations used.
    """

    statistic: float
    pvalue: float
    kind: str
    o_information: float
    components: tuple[Component, ...]
    names: tuple[str, ...]
    rows: int


@single_threaded_blas()
def interaction_test(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> InteractionResult:
    """Is there dependence among three variables that no pair of them explains?

    For each split of the three into two and one, the product of two centred kernels is tested against the third by
    its exact permutation moments, over a ladder of widths; the largest of the three p-values counts. A dependent pair
    beside a noise column is not an interaction.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Three variables of any dimension and kind.
    kernel, groups, missing
        As in `entropy`; by default numbers get a ladder of widths and labels the delta kernel.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 2, size=(2, 100)).astype(bool)
    >>> result = sh.interaction_test(a, b, a ^ b)
    >>> result.pvalue < 1e-6, result.kind
    (True, 'synergistic')
    """
    variables = read_variables(*data, groups=groups, missing=missing)
    if len(variables.items) != 3:
        raise value_error("data", "exactly 3 variables", f"{len(variables.items)}")
    if variables.rows < 6:
        raise value_error("data", "at least 6 rows", f"{variables.rows}", "Fewer have too few permutations to tell.")
    codes = [level_codes(item) for item in variables.items]
    found = split_components(similarities(variables, kernel), variables.names)
    least = least_of_splits(codes)
    splits = [replace(split, pvalue=max(split.pvalue, bound)) for split, bound in zip(found, least, strict=True)]
    weakest = max(splits, key=lambda split: split.pvalue)
    excess = Chance(grams(variables, kernel), "o_information", Request(2.0, parse_memory(None))).excess()
    kind = "redundant" if excess > 0 else "synergistic"
    return InteractionResult(
        weakest.statistic, weakest.pvalue, kind, excess, tuple(splits), variables.names, variables.rows
    )


def least_of_splits(codes: Sequence[Codes]) -> list[float]:
    """What the p-value of each split cannot be below: the chance that the third meets the other two as it does."""
    pairs = ((joint_codes(codes[a], codes[b]), codes[c]) for a, b, c in ((1, 2, 0), (0, 2, 1), (0, 1, 2)))
    return [least_pvalue(table_of(*pair), exact=False) for pair in pairs]


def split_components(ladder: Sequence[Similarity], names: Sequence[str]) -> list[Component]:
    """One component for each of the three splits, joined over the rungs."""
    splits = []
    for left in ((1, 2), (0, 2), (0, 1)):
        alone = ({0, 1, 2} - set(left)).pop()
        components = list(_split([ladder[i] for i in left], ladder[alone]))
        largest = max((component.statistic for component in components), default=0.0)
        splits.append(Component(f"{names[left[0]]} x {names[left[1]]} | {names[alone]}", largest, combine(components)))
    return splits


def _split(pair: list[Similarity], alone: Similarity) -> Iterable[Component]:
    """Product of two centred kernels against the third, at every rung."""
    for label, (first, second, third) in matched(*pair, alone):
        product = first.centered.matrix * second.centered.matrix
        n = len(product)
        product -= product.sum() / (n * (n - 1))
        np.fill_diagonal(product, 0.0)
        left = Centered(product, sums_of(product))
        statistic = float(np.vdot(product, third.centered.matrix)) / 2
        component = component_of(f"product {label}", [left, third.centered], statistic)
        if component is not None:
            yield component
