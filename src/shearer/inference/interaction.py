"""Dependence of three variables that no pair explains: the Lancaster statistic on centred kernels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shearer._memory import parse_memory
from shearer._threads import single_threaded_blas
from shearer._validate import value_error
from shearer._variables import read_variables
from shearer.data.table import table_without_gaps
from shearer.inference.chance import Chance
from shearer.inference.result import Component
from shearer.kernels import Kernel, grams
from shearer.pairs.limits import CENTERED_WEIGHTS
from shearer.pairs.rare import Codes, joint_codes, least_pvalue, level_codes, table_of
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests
from shearer.pairs.tails import joined
from shearer.spectrum import Request

# Rows whose O-information names the kind: its chance level takes matrices of all pairs of rows.
MOST_EXCESS_ROWS = 2000


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
        O-information at alpha = 2, less what it is on average over all permutations of the rows, in bits; beyond 2000
        rows that of a random sample.
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
    table = table_without_gaps(variables)
    found = split_components(SplitTests(Ladders.of(table, kernel)), variables.names)
    least = least_of_splits([level_codes(item) for item in table.variables])
    splits = [replace(split, pvalue=max(split.pvalue, bound)) for split, bound in zip(found, least, strict=True)]
    weakest = max(splits, key=lambda split: split.pvalue)
    few = table.sample(MOST_EXCESS_ROWS, 0).common((0, 1, 2))
    excess = Chance(grams(few, kernel), "o_information", Request(2.0, parse_memory(None))).excess()
    kind = "redundant" if excess > 0 else "synergistic"
    return InteractionResult(
        weakest.statistic, weakest.pvalue, kind, excess, tuple(splits), variables.names, variables.rows
    )


def least_of_splits(codes: Sequence[Codes]) -> list[float]:
    """What the p-value of each split cannot be below: the chance that the third meets the other two as it does."""
    pairs = ((joint_codes(codes[a], codes[b]), codes[c]) for a, b, c in ((1, 2, 0), (0, 2, 1), (0, 1, 2)))
    return [least_pvalue(table_of(*pair), exact=False) for pair in pairs]


def split_components(tests: SplitTests, names: Sequence[str]) -> list[Component]:
    """One component for each of the three splits, joined over the rungs."""
    splits = []
    for left, alone in (((1, 2), 0), ((0, 2), 1), ((0, 1), 2)):
        heights = range(tests.heights((0, 1, 2)))
        found = [tests.of_pair(np.array(left), height) for height in heights]
        z = np.array([one.z[alone] for one in found])
        largest = float(np.nanmax(z, initial=0.0))
        pvalue = float(joined([one.tails[alone] for one in found], CENTERED_WEIGHTS[: len(found)]))
        splits.append(Component(f"{names[left[0]]} x {names[left[1]]} | {names[alone]}", largest, pvalue))
    return splits
