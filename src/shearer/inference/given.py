"""Independence of two variables once others are known, without permutations."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from shearer._memory import parse_memory, require
from shearer._threads import single_threaded_blas
from shearer._user_warnings import warn_caller
from shearer._validate import value_error
from shearer.conditioning.pair import Answer, PairsGiven, bytes_needed
from shearer.data import read
from shearer.inference.answers import Component, ConditionalResult

_OPTIONS = "Options: a larger memory=; fewer rows."


@single_threaded_blas()
def residual_test(
    *data: Any,
    given: Any,
    groups: Mapping[str, Iterable[str]] | None = None,
    missing: str = "error",
    memory: str | float | None = None,
) -> ConditionalResult:
    """Test if two variables are independent once others are known, by what regressions on these leave.

    Both variables are regressed on the conditions, features of what is left are regressed again, and the mean of the
    products of the two variables' features is compared with 0. Kernel and penalty of each regression are chosen by
    generalised cross-validation. With labels alone as conditions, rows are compared within strata.

    Parameters
    ----------
    *data : array-like, Series, frame or mapping
        Two variables of any dimension and kind; with a table, all columns but those of `given`.
    given : array-like, tuple, mapping, or names of the table
        The conditions: numbers, labels, vectors, several of them.
    groups, missing
        As in `shearer.entropy`.
    memory : str or number, optional
        What may be allocated; default: half of the machine. What needs more is refused.

    Returns
    -------
    ConditionalResult
        With `.explained`, `.warning` and `.left`; the p-value is nan where nothing can be said, and `.reason` says why.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.inference.given import residual_test
    >>> rng = np.random.default_rng(2)
    >>> z = rng.normal(size=(200, 3))
    >>> x, y = z.sum(axis=1) + rng.normal(size=(2, 200))
    >>> residual_test(x, y, given=z).pvalue > 0.05
    True
    >>> residual_test(x, x + y, given=z).pvalue < 1e-6
    True
    >>> print(residual_test(z[:, 0], y, given=z).reason)
    'x1' is a function of what is given: nothing of it is left to test
    """
    table = read(*data, given=given, groups=groups, missing=missing).as_numpy()
    if table.free != 2:
        hint = "Group columns into vector variables with groups=."
        raise value_error("data", "exactly 2 variables besides given", f"{table.free}", hint)
    if not table.given:
        raise value_error("given", "at least one variable", "none", "Without conditions leave given out.")
    needed = bytes_needed(table.variables[:2], table.variables[2:])
    require(needed, parse_memory(memory), f"a test of {table.rows} rows given conditions", _OPTIONS)
    tests = PairsGiven(table.variables[:2], table.variables[2:])
    result = conditional_result(tests.answer(0, 1), tests.method, table.rows, table.names[:2], table.given)
    if result.warning:
        warn_caller(f"{result.names[0]}, {result.names[1]}: {result.warning}.")
    return result


def conditional_result(
    answer: Answer, method: str, rows: int, names: tuple[str, ...], given: tuple[str, ...]
) -> ConditionalResult:
    """An answer with the names of what it is about."""
    components = tuple(Component(name, *_numbers(tail)) for name, tail in answer.tails)
    statistic = max((component.statistic for component in components), default=math.nan)
    return ConditionalResult(
        statistic, answer.pvalue, method, components, None, rows, names, answer.left_out, given, answer.explained,
        answer.scores, answer.warning, answer.reason, answer.left,
    )  # fmt: skip


def _numbers(tail: Any) -> tuple[float, float, float]:
    return abs(tail.statistic), tail.pvalue, tail.skewness
