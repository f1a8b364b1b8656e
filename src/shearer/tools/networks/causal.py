"""The test given conditions in the hands of others: a plain callable, causal-learn's and pgmpy's."""

import math
import operator
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from shearer._optional import load
from shearer._threads import single_threaded_blas
from shearer._validate import check_names, describe, type_error, value_error
from shearer.data import read
from shearer.pairs.engine import PairTests
from shearer.tools.networks.pair_tests import GivenOthers


class PvalueGiven:
    """p-values of independence of two columns of a table given others, as causal discovery asks for them.

    Without conditions the test is that of `shearer.independence_test`; given others that of its `given`. What others
    leave of a column is kept, so that many pairs given the same columns cost little. Rows that lack a value are left
    out of the tests that need it.

    Parameters
    ----------
    data : table, mapping or array (n, p)
        One variable for each column, numbers or labels.
    labels : collection of names or positions, optional
        Columns of numbers that are codes of labels.
    groups : mapping, optional
        New name -> column names that form one vector variable.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.tools import PvalueGiven
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=200)
    >>> pvalue = PvalueGiven({"x": z + rng.normal(size=200), "y": z + rng.normal(size=200), "z": z})
    >>> pvalue("x", "y") < 0.001, pvalue("x", "y", ["z"]) > 0.05, pvalue(0, 1, [2]) == pvalue("x", "y", "z")
    (True, True, True)
    """

    def __init__(
        self,
        data: Any,
        *,
        labels: Collection[str | int] = (),
        groups: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        def kinds(names: list[str]) -> dict[str, str]:
            return {_name(names, label): "categorical" for label in labels}

        table = read(data, groups=groups, kinds=kinds, missing="pairwise", pairwise=True).as_numpy()
        self.names = table.names
        self._table = table
        self._given = GivenOthers(table, None, 1, 0, None)

    @single_threaded_blas()
    def __call__(self, x: str | int, y: str | int, given: str | int | Iterable[str | int] = ()) -> float:
        """The p-value; 0 where nothing can be said, since nothing then speaks for independence.

        Parameters
        ----------
        x, y : str or int
            Names or positions of columns.
        given : name, position, or several of them
            The conditions.
        """
        several = [given] if isinstance(given, str | int) else list(given)
        first, second, *others = (self._place(name) for name in (x, y, *several))
        if len({first, second, *others}) < 2 + len(others):
            raise value_error("x, y, given", "different columns", describe((x, y, several)))
        if others:
            return self._given(first, second, *others)
        found = float(PairTests.of(self._table.choose((first, second))).pvalues(slice(0, 1), slice(1, 2))[0, 0])
        return 0.0 if math.isnan(found) else found

    def _place(self, name: Any) -> int:
        return self.names.index(_name(self.names, name))


def _name(names: Sequence[str], column: Any) -> str:
    """The name of a column that is said by name or position."""
    if isinstance(column, str):
        check_names("column", [column], names)
        return column
    try:
        place = operator.index(column)
    except TypeError as error:
        raise type_error("column", "a name or a position", describe(column)) from error
    if not 0 <= place < len(names):
        raise value_error("column", f"a position from 0 to {len(names) - 1}", describe(column))
    return names[place]


def register_causal_learn(name: str = "shearer") -> str:
    """Make the test known to causal-learn, as in ``pc(data, 0.05, "shearer")``; FCI and the others take it as well.

    Parameters
    ----------
    name : str
        Under which it is known.

    Returns
    -------
    str
        The name. Columns of the data that are codes of labels are said by ``labels=[positions]``, which causal-learn
        hands on: ``pc(data, 0.05, "shearer", labels=[2, 3])``.
    """
    known = load("causallearn.utils.cit", "A test for causal-learn")

    class ShearerTest(known.CIT_Base):  # type: ignore[name-defined]
        """Independence given others, of numbers and labels."""

        def __init__(self, data: Any, labels: Collection[int] = (), **options: Any) -> None:
            super().__init__(data, **options)
            self.check_cache_method_consistent(name, f"labels {sorted(labels)}")
            self.assert_input_data_is_valid()
            self._pvalue = PvalueGiven(data, labels=labels)

        def __call__(self, X: int, Y: int, condition_set: Iterable[int] | None = None) -> float:
            first, second, given, key = self.get_formatted_XYZ_and_cachekey(X, Y, condition_set)
            if key not in self.pvalue_cache:
                self.pvalue_cache[key] = self._pvalue(first[0], second[0], given)
            found: float = self.pvalue_cache[key]
            return found

    known.register_ci_test(name, ShearerTest)
    return name


def pgmpy_test(data: Any) -> Any:
    """The test as an instance of pgmpy's base class: ``PC(ci_test=pgmpy_test(frame)).fit(frame)``.

    Parameters
    ----------
    data : pandas.DataFrame
        Numbers and labels.
    """
    base = load("pgmpy.ci_tests._base", "A test for pgmpy")

    class ShearerTest(base._BaseCITest):  # type: ignore[name-defined]
        """Independence given others, of numbers and labels."""

        _tags = {"name": "shearer", "data_types": ("continuous", "discrete", "mixed"), "requires_data": True}  # noqa: RUF012

        def __init__(self, data: Any, use_cache: bool = True) -> None:
            self.data = data
            self._pvalue = PvalueGiven(data)
            super().__init__(use_cache=use_cache)

        def _compute_result(self, X: str, Y: str, Z: list[str]) -> Any:
            return base._CITestResult(statistic=None, p_value=self._pvalue(X, Y, Z))

    return ShearerTest(data)
