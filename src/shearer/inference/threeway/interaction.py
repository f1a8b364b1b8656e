"""Three or more variables: is there dependence that no model of fewer of them explains?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaincc

from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._validate import describe, value_error
from shearer.data import Table, read
from shearer.inference.answers import Component
from shearer.inference.intervals.confidence import FEWEST_ROWS, interval_of
from shearer.inference.threeway.axes import axes_of
from shearer.inference.threeway.set_term import set_term
from shearer.inference.threeway.term import bytes_needed, three_way_of_axes
from shearer.kernels import Kernel
from shearer.measures import Dependence
from shearer.pairs.limits import BYTES_A_COLUMN, RUNG_WEIGHTS
from shearer.pairs.null_law.rare import Codes, joint_codes, least_pvalue_of_codes, level_codes
from shearer.pairs.null_law.tails import joined
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests
from shearer.spectrum import Request, ToleranceError

#: Variables at most: of more the table of their classes would have few classes each.
MOST_VARIABLES = 6
#: What the test takes for a row, at most.
BYTES_A_ROW = 4000
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
        Small only if no model of pairs, log p(a, b, c) = f(a, b) + g(a, c) + h(b, c), explains the rows; of more than
        three variables, no model of all of them but one.
    split_pvalue : float
        The largest of the three splits' p-values: small only if none of the three is independent of the other two.
        Chains and most normal distributions are like that, and their pairs explain all of it. nan of more than three.
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
        The three splits; none of more than three variables.
    names : tuple of str
        The variables.
    rows : int
        Observations used.
    given : tuple of str
        Labels within whose levels the three were compared.

    Examples
    --------
    >>> import shearer as sh
    >>> a, b = [False, False, True, True] * 10, [False, True, False, True] * 10
    >>> result = sh.interaction_test(a, b, [i != j for i, j in zip(a, b, strict=True)])
    >>> result.kind, result.pvalue < 0.001
    ('synergistic', True)
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
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line."""
        claims = f"p = {self.pvalue:.3g} ({'pairs' if len(self.names) == 3 else 'fewer'} explain them)"
        claims += f", {self.split_pvalue:.3g} (one is independent of the rest)" if self.components else ""
        within = f" given {', '.join(self.given)}" if self.given else ""
        return f"{', '.join(self.names)}{within}: {claims}; adds {self.added:.3g} bits; {self.kind} ({self.rows} rows)"


@single_threaded_blas()
def interaction_test(
    *data: Any,
    given: Any = None,
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
) -> InteractionResult:
    """Test whether three or more variables depend in a way that no model of fewer of them explains.

    Two claims, each with its p-value. `pvalue`: there is a three-way term, no model of pairs explains them.
    `split_pvalue`: none of the three is independent of the other two together, which a chain or the sum of two with
    noise are already.

    For the three-way term numbers are cut into narrow classes of their normal scores, a log-linear model of all pairs
    is fitted to the table of classes, and products of functions of all three are tested by their scores; where
    polynomials reject, free functions of the classes are fitted, and the largest p-value counts. Three variables of
    labels are a table, with Pearson's statistic against the model without three-way term: exact for 2 x 2 x 2, from
    drawn tables where cells are rare. For the splits the product of two centred kernels is tested against the third by
    its permutation moments, at several widths.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Three variables of any dimension and kind, or up to six: then `pvalue` and `added` are of a term of all of them,
        against models of all but one, and there are no splits. Of a vector the three-way test takes two coordinates or,
        if there are more, the two leading principal components, of at most 1000 rows, a fixed draw: for more rows the
        classes of two coordinates are too wide. Of labels it takes the 15 most frequent, and the others as one (7 of
        four variables, 5 of five, 3 of six; 7 beside numbers in one variable). Of a vector among more than three
        variables the leading component counts.
    given : array-like, tuple, mapping, or names of the table, optional
        Labels: the three are tested within each of their levels (of at least 20 rows), and the p-values of the levels,
        which have no row in common, are joined as Fisher did. Numbers are refused: what regressions leave of three
        variables can have a three-way term that these have not, so that no valid test is known here.
    kernel, groups, missing
        As in `entropy`; by default numbers get several widths and labels the delta kernel. The three-way test has
        no kernel.
    memory : str or number, optional
        What may be allocated; default: half of the machine. What needs more is refused.

    Notes
    -----
    c = f(a) + g(b) + noise is a model of pairs for normal noise only: with noise of another distribution there is a
    three-way term, which `added` shows to be small. Levels and powers are in ``experiments/threeway.py`` and tabulated
    in the documentation.

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
    >>> c = rng.normal(size=300)
    >>> sh.interaction_test(a, b, c, np.sign(a * b * c) * abs(e)).pvalue < 1e-6  # no three of the four show anything
    True
    """
    table = read(*data, given=given, groups=groups, missing=missing).as_numpy()
    count = len(table.variables) - len(table.given)
    if count != 3 and table.given:
        raise value_error("data", "exactly 3 variables besides given", f"{count}")
    if not 3 <= count <= MOST_VARIABLES:
        raise value_error("data", f"3 to {MOST_VARIABLES} variables", f"{count}")
    budget = parse_memory(memory)
    if table.given:
        return join_strata([_of_table(own, kernel, budget) for own in strata_of(table)], table.given)
    if table.rows < 6:
        raise value_error("data", "at least 6 rows", f"{table.rows}", "Fewer have too few permutations to tell.")
    return _of_table(table, kernel, budget)


def _of_table(table: Table, kernel: Kernel | Mapping[str, Kernel] | None, budget: int) -> InteractionResult:
    """Test three or more variables without missing rows."""
    count, options = len(table.variables), "Options: a larger memory=; fewer rows; fewer columns."
    axes = axes_of(table.variables) if count == 3 else []
    needed = (BYTES_A_ROW + BYTES_A_COLUMN * sum(item.columns for item in table.variables)) * table.rows
    needed += bytes_needed(axes) if axes else 0
    require(needed, budget, f"a test of {count} variables of {table.rows} rows", options)
    if count > 3:
        term, splits = set_term(table.variables), []
    else:
        term, splits = three_way_of_axes(axes), _splits(table, kernel)
    few = table.sample(MOST_KIND_ROWS, 0).common(range(count))
    excess, error = excess_o_information(few, kernel, Request(1.0, budget))
    return InteractionResult(
        term.statistic,
        term.pvalue,
        max((split.pvalue for split in splits), default=float("nan")),
        term.added,
        term.error,
        kind_of(excess, error),
        excess,
        error,
        tuple(splits),
        table.names,
        table.rows,
    )


def _splits(table: Table, kernel: Kernel | Mapping[str, Kernel] | None) -> list[Component]:
    found = split_components(SplitTests(Ladders.of(table, kernel)), table.names)
    least = least_of_splits([level_codes(item) for item in table.variables])
    return [replace(split, pvalue=max(split.pvalue, bound)) for split, bound in zip(found, least, strict=True)]


def strata_of(table: Table) -> list[Table]:
    """The first three variables of a table on the rows of each combination of the labels that follow them."""
    for variable in table.variables[3:]:
        if variable.kind != "categorical":
            hint = "Cut numbers into classes, or test pairs: independence_test(given=) takes numbers."
            raise value_error("given", "labels", f"numbers in {describe(variable.name)}", hint)
    codes = np.column_stack([level_codes(variable) for variable in table.variables[3:]])
    places, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)[1:]
    chosen = np.flatnonzero(counts >= FEWEST_ROWS)
    three = table.choose((0, 1, 2))
    strata = [three.take(places.reshape(-1) == k) for k in chosen]
    varying = [own for own in strata if all(len(np.unique(level_codes(item))) > 1 for item in own.variables)]
    if not varying:
        got = f"{counts.max()} at most" if not len(chosen) else "a constant within each"
        raise value_error("given", f"labels with at least {FEWEST_ROWS} rows of a level in which all three vary", got)
    return varying


def join_strata(found: Sequence[InteractionResult], given: tuple[str, ...]) -> InteractionResult:
    """One answer from those of strata: p-values by Fisher's method, the rest as means over rows."""
    share = np.array([own.rows for own in found], dtype=np.float64)
    share /= share.sum()

    def mean(values: Iterable[float]) -> float:
        return float(share @ np.array(list(values)))

    def error(values: Iterable[float]) -> float:
        return float(np.sqrt(share**2 @ np.array(list(values)) ** 2))

    splits = [
        Component(one[0].name, mean(part.statistic for part in one), fisher(part.pvalue for part in one))
        for one in zip(*(own.components for own in found), strict=True)
    ]
    excess, spread = mean(own.o_information for own in found), error(own.o_information_error for own in found)
    return InteractionResult(
        mean(own.statistic for own in found),
        fisher(own.pvalue for own in found),
        max(split.pvalue for split in splits),
        mean(own.added for own in found),
        error(own.added_error for own in found),
        kind_of(excess, spread),
        excess,
        spread,
        tuple(splits),
        found[0].names,
        sum(own.rows for own in found),
        given,
    )


def fisher(pvalues: Iterable[float]) -> float:
    """One p-value of independent ones, by the sum of their logarithms.

    Examples
    --------
    >>> fisher([0.3]), round(fisher([0.05, 0.05]), 4)
    (0.3, 0.0175)
    """
    known = np.array([p for p in pvalues if np.isfinite(p)])
    if len(known) < 2:
        return float(known[0]) if len(known) else float("nan")
    return float(gammaincc(len(known), -np.log(np.maximum(known, 1e-300)).sum()))


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
    return [least_pvalue_of_codes(*pair, exact=False) for pair in pairs]


def split_components(tests: SplitTests, names: Sequence[str]) -> list[Component]:
    """One component for each of the three splits, joined over the rungs."""
    splits = []
    for left, alone in (((1, 2), 0), ((0, 2), 1), ((0, 1), 2)):
        heights = range(tests.heights((0, 1, 2)))
        found = [tests.of_pairs(np.array([left]), height)[0] for height in heights]
        z = np.array([one.z[alone] for one in found])
        largest = float(np.nanmax(z, initial=0.0))
        pvalue = float(joined([one.tails[alone] for one in found], RUNG_WEIGHTS[: len(found)]))
        splits.append(Component(f"{names[left[0]]} x {names[left[1]]} | {names[alone]}", largest, pvalue))
    return splits
