"""Methods of the tables of pandas and polars: `df.shearer.scan()`, `df.shearer.pairwise()` and the others.

Importing this module adds them, to polars always and to pandas where it is installed; nothing else of the library does.

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
#: Functions of one table that are methods of it.
METHODS = (*all_measures(), *_TESTS, "compare", "pairwise", "scan", "triples")


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of data as a method of a table: the table comes first, the rest as it is passed."""

    @wraps(function)
    def method(self: "LazyTable", *others: Any, **options: Any) -> Any:
        return function(self._table, *others, **options)

    return method


class LazyTable:
    """What a table that is read in chunks has: `scan`.

    Parameters
    ----------
    table : LazyFrame
        The caller's.
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    scan = _method(sh.scan)


class TableMethods(LazyTable):
    """The functions of `METHODS`, with this table as their first argument.

    One table has a variable for each column; `df[["x", "y"]].shearer` chooses columns.

    Parameters
    ----------
    table : DataFrame
        The caller's.
    """


for _name in METHODS:
    setattr(TableMethods, _name, _method(getattr(sh, _name)))


def register() -> None:
    """Add `shearer` to the tables of polars and, where it is installed, of pandas."""
    import polars as pl

    pl.api.register_dataframe_namespace(NAME)(TableMethods)
    pl.api.register_lazyframe_namespace(NAME)(LazyTable)
    if importlib.util.find_spec("pandas") is not None:
        import pandas as pd

        pd.api.extensions.register_dataframe_accessor(NAME)(TableMethods)


register()
