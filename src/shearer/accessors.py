"""Methods for tables of pandas and polars: `df.shearer.scan()`, `df.shearer.pairwise()` and others.

``import shearer.accessors`` adds them, to polars always and to pandas if it is installed; ``import shearer`` alone does
not. The table takes the place of the first argument of the function of that name.

Examples
--------
>>> import numpy as np
>>> import polars as pl
>>> import shearer.accessors
>>> rng = np.random.default_rng(0)
>>> x = rng.normal(size=60)
>>> df = pl.DataFrame({"x": x, "square": x**2, "noise": rng.normal(size=60)})
>>> df.shearer.pairwise().pvalue.round(2)
array([[1.  , 0.  , 0.51],
       [0.  , 1.  , 0.39],
       [0.51, 0.39, 1.  ]])
>>> round(df.select("x", "square").shearer.mutual_information(), 2)
0.48
>>> df.lazy().shearer.scan(progress=False).document["settings"]["source"]
'a lazy frame'
"""

import importlib.util
from collections.abc import Callable
from functools import wraps
from typing import Any

import shearer as sh
from shearer.measures.registry import names as all_measures

NAME = "shearer"
_TESTS = ("confidence_interval", "independence_test", "interaction_test", "permutation_test")
#: The names of these methods; a `LazyFrame` of polars has `scan` only.
METHODS = (*all_measures(), *_TESTS, "compare", "pairwise", "scan", "triples")


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of data as a method of a table: the table comes first, the rest as it is passed."""

    @wraps(function)
    def method(self: "LazyTable", *others: Any, **options: Any) -> Any:
        return function(self._table, *others, **options)

    return method


class LazyTable:
    """The method of a table that is read in chunks: `scan`.

    Parameters
    ----------
    table : LazyFrame
        The table that the method was called on.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.LazyFrame({"x": range(20), "y": range(20)})
    >>> table.shearer.scan(progress=False).document["settings"]["rows"]
    20
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    scan = _method(sh.scan)


class TableMethods(LazyTable):
    """The methods of a table: the functions named in `METHODS`, with the table as their first argument.

    Each column is a variable; ``df[["x", "y"]].shearer`` has two of them. `entropy` takes the whole table as one
    vector, as `shearer.entropy` does.

    Parameters
    ----------
    table : DataFrame
        The table that the method was called on.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"x": list("aabb"), "y": list("aabb"), "z": list("abab")})
    >>> table[["x", "y"]].shearer.mutual_information(), table[["x", "z"]].shearer.mutual_information()
    (1.0, 0.0)
    """


for _name in METHODS:
    setattr(TableMethods, _name, _method(getattr(sh, _name)))


def register() -> None:
    """Add the attribute `shearer` to the tables of polars and, if it is installed, of pandas."""
    import polars as pl

    pl.api.register_dataframe_namespace(NAME)(TableMethods)
    pl.api.register_lazyframe_namespace(NAME)(LazyTable)
    if importlib.util.find_spec("pandas") is not None:
        import pandas as pd

        pd.api.extensions.register_dataframe_accessor(NAME)(TableMethods)


register()
