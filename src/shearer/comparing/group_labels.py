"""Which group, which window of time and which cluster every row belongs to."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import describe, type_error, value_error
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column
from shearer.data.sources import is_frame, open_source
from shearer.pairs.clusters import FEWEST_CLUSTERS

Indices = NDArray[np.intp]

#: Windows of time -> how long they are and how they are called.
WINDOWS = {
    "day": ("1d", "%Y-%m-%d"),
    "week": ("1w", "%Y-%m-%d"),
    "month": ("1mo", "%Y-%m"),
    "quarter": ("1q", "%Y-%m"),
    "year": ("1y", "%Y"),
}


def group_labels(column: Column, most: int) -> list[str | None]:
    """The group of every row, by the values of a column; none where it has no value.

    Examples
    --------
    >>> from shearer.data.columns import read_objects
    >>> group_labels(read_objects(["x", None, "y"], "group"), 60)
    ['x', None, 'y']
    """
    if column.kind == "continuous":
        values = to_numpy(column.values)[:, 0]
        distinct = len(np.unique(values[~column.missing]))
        if column.time or distinct > most:
            hint = "For windows of time: every=." if column.time else "Numbers of many values make no groups."
            raise value_error("by", f"a column of at most {most} groups", f"{distinct} values", hint)
        texts = [f"{value:.12g}" for value in values]
    else:
        if column.kind == "object":
            raise type_error("by", "a column of labels", "neither labels nor numbers")
        texts = [str(column.levels[code]) if code >= 0 else "" for code in column.values]
    return [None if gap else text for text, gap in zip(texts, column.missing, strict=True)]


def window_labels(table: Any, by: str, every: str) -> list[str | None]:
    """The window of time of every row, called by its beginning.

    Examples
    --------
    >>> import polars as pl
    >>> from datetime import date
    >>> window_labels(pl.DataFrame({"day": [date(2024, 1, 5), None, date(2024, 3, 1)]}), "day", "month")
    ['2024-01', None, '2024-03']
    """
    opened = open_source(table, "data") if not isinstance(table, dict) else None
    if opened is None or not is_frame(opened):
        raise type_error("every", "a table of pandas, polars or pyarrow", describe(table))
    import narwhals.stable.v2 as nw

    series = opened[by]
    if series.dtype not in (nw.Date, nw.Datetime):
        hint = "Convert it to dates first."
        raise type_error("by", f"dates in {describe(by)} with every=", f"a column of type {series.dtype}", hint)
    length, form = WINDOWS[every]
    days = series.cast(nw.Datetime("us")) if series.dtype == nw.Date else series
    found: list[str | None] = days.dt.truncate(length).dt.to_string(form).to_list()
    return [None if text is None or text != text else str(text) for text in found]


def cluster_units(labels: Sequence[Sequence[str]]) -> tuple[list[Indices], int]:
    """Codes of clusters, the same label the same cluster in all groups; and how many there are."""
    whole = np.array([label for own in labels for label in own])
    names, codes = np.unique(whole, return_inverse=True)
    if len(names) < FEWEST_CLUSTERS:
        raise value_error("cluster", f"at least {FEWEST_CLUSTERS} clusters", f"{len(names)}")
    ends = np.cumsum([len(own) for own in labels])[:-1]
    return [part.astype(np.intp) for part in np.split(codes.reshape(-1), ends)], len(names)
