"""Making profiles of tables."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from shearer._threads import single_threaded_blas
from shearer.comparing.compared_groups import Distribution, NumberMeans, TableGroup
from shearer.comparing.own_columns import NUMBER_BINS
from shearer.comparing.profile import Profile
from shearer.comparing.rank_features import bin_middles, binned, dense_codes
from shearer.comparing.read_groups import read_group


@single_threaded_blas()
def profile_of(
    table: Any,
    *,
    name: str = "profile",
    kinds: Mapping[str, str] | None = None,
    memory: str | float | None = None,
    progress: bool | None = None,
) -> Profile:
    """What `shearer.compare` needs of a table, without its rows, to be kept and compared with later tables.

    Parameters
    ----------
    table : frame, mapping, 2-D array, or rows in chunks
        The table; rows in chunks as in `shearer.compare`.
    name : str
        What it is called.
    kinds, memory, progress
        As in `shearer.compare`.

    Examples
    --------
    >>> import shearer as sh
    >>> from shearer.comparing import profile_of
    >>> table = sh.datasets.planted_table(200).columns
    >>> sh.compare(profile_of(table), table)
    Comparison(profile: 200 rows, b: 200 rows; 0 of 11 columns and 0 of 55 pairs differ)
    """
    group, levels = read_group(table, name, kinds, memory, progress)
    if isinstance(group, Profile):
        return replace(group, sample=None)
    columns = group.columns
    pairs: dict[tuple[str, str], NumberMeans | None] = {}
    tables = {}
    for first, second in combinations(columns, 2):
        if columns[first].kind == columns[second].kind == "number":
            pairs[first, second] = group.numbers(first, second)
        else:
            label, other = (first, second) if columns[first].kind == "label" else (second, first)
            tables[label, other] = group.counts(label, other).table
    return Profile(
        name=name,
        rows=group.rows,
        kinds={own: column.kind for own, column in columns.items()},
        numeric={own: column.numeric for own, column in columns.items()},
        levels=levels,
        distributions={own: _shortened(group, own) for own in columns},
        pairs=pairs,
        tables=tables,
        known=group.strengths(list(columns), progress),
    )


def _shortened(group: TableGroup, name: str) -> Distribution:
    """A column as few values with weights: the median of every bin."""
    own = group.distribution(name)
    if group.columns[name].kind == "label":
        labels, counts = np.unique(own.values, return_counts=True)
        return Distribution(labels, counts.astype(np.float64), own.missing)
    codes, _ = binned(*dense_codes(own.values), NUMBER_BINS)
    return Distribution(bin_middles(own.values, codes), np.bincount(codes).astype(np.float64), own.missing)
