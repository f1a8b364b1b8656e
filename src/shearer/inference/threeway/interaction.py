"""Three variables: does each depend on the other two, and is there dependence that no model of their pairs explains?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shearer._memory import parse_memory
from shearer._threads import single_threaded_blas
from shearer._validate import value_error
from shearer.data import Table, read
from shearer.inference.answers import Component
from shearer.inference.intervals.confidence import FEWEST_ROWS, interval_of
from shearer.inference.threeway.term import three_way
from shearer.kernels import Kernel
from shearer.measures import Dependence
from shearer.pairs.limits import CENTERED_WEIGHTS
from shearer.pairs.null_law.rare import Codes, joint_codes, least_pvalue, level_codes, table_of
from shearer.pairs.null_law.tails import joined
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests
from shearer.spectrum import Request, ToleranceError

#: Rows whose O-information names the kind.
MOST_KIND_ROWS = 1000
# Certified width of its entropies, in bits.
_TOLERANCE = 1e-4
KINDS = ("synergistic", "redundant", "unclear")


@dataclass(frozen=True)
class InteractionResult:
    """The answer of `interaction_test`.

    Attributes
    ----------
    statistic : float
        Of the three-way term: the score statistic of products of functions of all three, or Pearson's of a table.
    pvalue : float
        Small only if no model of pairs, log p(a, b, c) = f(a, b) + g(a, c) + h(b, c), explains the rows.
    split_pvalue : float
        The largest of the three splits' p-values: small only if none of the three is independent of the other two.
        Chains and most normal laws are like that, and their pairs explain all of it.
    added : float
        What the triple adds to its pairs: bits a row by which the products of functions of all three improve on the
        best model of pairs, less what they would by chance. With many rows a three-way term is nearly always there,
        and this says if it is worth a look.
    added_error : float
        Standard error of `added`.
    kind : {"synergistic", "redundant", "unclear"}
        Which of the two outweighs, by the sign of `o_information`; "unclear" within twice its error.
    o_information : float
        O-information at alpha = 1 in bits, less its bias at so many rows; beyond 1000 rows that of a random sample.
    o_information_error : float
        Its standard error. nan, as `o_information`, below 20 rows.
    components : tuple of Component
        The three splits.
    names : tuple of str
        The variables.
    rows : int
        Observations used.
    """

    statistic: float
    pvalue: float
    split_pvalue: float
    added: float
    added_error: float
    kind: str
    o_information: float
    o_information_error: float
    components: tuple[Component, ...]
    names: tuple[str, ...]
    rows: int

    def __str__(self) -> str:
        """One line."""
        claims = f"p = {self.pvalue:.3g} (pairs explain them), {self.split_pvalue:.3g} (one is independent of the rest)"
        return f"{', '.join(self.names)}: {claims}; adds {self.added:.3g} bits; {self.kind} ({self.rows} rows)"


@single_threaded_blas()
def interaction_test(
    *data: Any,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
) -> InteractionResult:
    """Do three variables depend on each other in a way that no model of their pairs explains?

    Two claims, each with its p-value. `pvalue`: there is a three-way term, no model of pairs explains them.
    `split_pvalue`: none of the three is independent of the other two together, which a chain or the sum of two with
    noise are already.

    For the three-way term numbers are cut into narrow classes of their normal scores, a log-linear model of all pairs
    is fitted to the table of classes, and products of functions of all three are tested by their scores; where
    polynomials reject, free functions of the classes are fitted, and the largest p-value counts. Three variables of
    labels are a table, with Pearson's statistic against the model without three-way term: exact for 2 x 2 x 2, from
    drawn tables where cells are rare. For the splits the product of two centred kernels is tested against the third by
    its exact permutation moments, over a ladder of widths.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Three variables of any dimension and kind. Of a vector the three-way test takes two coordinates or, if there
        are more, the two leading principal components; of labels the 15 most frequent, and the others as one.
    kernel, groups, missing
        As in `entropy`; by default numbers get a ladder of widths and labels the delta kernel. The three-way test has
        no kernel.

    Notes
    -----
    c = f(a) + g(b) + noise is a model of pairs for normal noise only: with noise of another law there is a three-way
    term, which `added` shows to be small. Levels and powers are in ``experiments/threeway.py`` and tabulated in the
    documentation.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> rng = np.random.default_rng(0)
    >>> a, b, e = rng.normal(size=(3, 300))
    >>> result = sh.interaction_test(a, b, a * b + e)
    >>> result.pvalue < 1e-6, result.kind, result.added > 0.1
    (True, 'synergistic', True)
    >>> sum_ = sh.interaction_test(a, b, a + b + e)  # no variable is independent of the others, and the pairs tell why
    >>> sum_.split_pvalue < 1e-6, sum_.pvalue > 0.05
    (True, True)
    """
    table = read(*data, groups=groups, missing=missing).as_numpy()
    if len(table.variables) != 3:
        raise value_error("data", "exactly 3 variables", f"{len(table.variables)}")
    if table.rows < 6:
        raise value_error("data", "at least 6 rows", f"{table.rows}", "Fewer have too few permutations to tell.")
    found = split_components(SplitTests(Ladders.of(table, kernel)), table.names)
    least = least_of_splits([level_codes(item) for item in table.variables])
    splits = [replace(split, pvalue=max(split.pvalue, bound)) for split, bound in zip(found, least, strict=True)]
    term = three_way(table.variables)
    few = table.sample(MOST_KIND_ROWS, 0).common((0, 1, 2))
    excess, error = excess_o_information(few, kernel, Request(1.0, parse_memory(None)))
    return InteractionResult(
        term.statistic,
        term.pvalue,
        max(split.pvalue for split in splits),
        term.added,
        term.error,
        kind_of(excess, error),
        excess,
        error,
        tuple(splits),
        table.names,
        table.rows,
    )


def excess_o_information(
    table: Table, kernel: Kernel | Mapping[str, Kernel] | None, request: Request
) -> tuple[float, float]:
    """O-information at alpha = 1 without its bias, and its standard error; nan where neither is known."""
    if table.rows < FEWEST_ROWS:
        return float("nan"), float("nan")
    noun = Dependence.of_table(table, replace(request, alpha=1.0, tol=_TOLERANCE), kernel)
    try:
        found = interval_of(noun, "o_information", False, 0.95, "influence", request.seed)
    except ToleranceError:
        return float("nan"), float("nan")
    return found.estimate, found.standard_error


def kind_of(excess: float, error: float) -> str:
    """The kind of a triple, by its O-information and the error of that.

    Examples
    --------
    >>> kind_of(-0.2, 0.05), kind_of(0.2, 0.05), kind_of(0.08, 0.05)
    ('synergistic', 'redundant', 'unclear')
    """
    if excess < -2.0 * error:
        return "synergistic"
    return "redundant" if excess > 2.0 * error else "unclear"


def least_of_splits(codes: Sequence[Codes]) -> list[float]:
    """What the p-value of each split cannot be below: the chance that the third meets the other two as it does."""
    pairs = ((joint_codes(codes[a], codes[b]), codes[c]) for a, b, c in ((1, 2, 0), (0, 2, 1), (0, 1, 2)))
    return [least_pvalue(table_of(*pair), exact=False) for pair in pairs]


def split_components(tests: SplitTests, names: Sequence[str]) -> list[Component]:
    """One component for each of the three splits, joined over the rungs."""
    splits = []
    for left, alone in (((1, 2), 0), ((0, 2), 1), ((0, 1), 2)):
        heights = range(tests.heights((0, 1, 2)))
        found = [tests.of_pairs(np.array([left]), height)[0] for height in heights]
        z = np.array([one.z[alone] for one in found])
        largest = float(np.nanmax(z, initial=0.0))
        pvalue = float(joined([one.tails[alone] for one in found], CENTERED_WEIGHTS[: len(found)]))
        splits.append(Component(f"{names[left[0]]} x {names[left[1]]} | {names[alone]}", largest, pvalue))
    return splits
