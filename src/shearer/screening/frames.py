"""Results as tables of the library that the caller uses."""

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make_frame(columns: Mapping[str, Any], library: str) -> Any:
    """A table of "polars", "pandas" or "pyarrow".

    Examples
    --------
    >>> make_frame({"name": ["a", "b"], "value": [1.0, 2.0]}, "polars").shape
    (2, 2)
    """
    import narwhals.stable.v2 as nw

    backend: Any = library
    return nw.from_dict({name: _typed(values) for name, values in columns.items()}, backend=backend).to_native()


def _typed(values: Any) -> Any:
    """Names without a single one as text: nothing in them says so, and a column of objects cannot be written."""
    is_empty = isinstance(values, np.ndarray) and values.dtype.kind == "O" and not len(values)
    return values.astype(str) if is_empty else values


def pick_names(names: Sequence[str], index: NDArray[np.intp]) -> NDArray[Any]:
    """Names by position, as a column of text."""
    return np.array(names, dtype=object)[index]


def header(wanted: str, taken: Collection[str]) -> str:
    """A column name that no variable has.

    Examples
    --------
    >>> header("name", ["x", "y"]), header("name", ["name"])
    ('name', 'name (2)')
    """
    candidates = (f"{wanted} ({number})" for number in count(2))
    return wanted if wanted not in taken else next(name for name in candidates if name not in taken)
