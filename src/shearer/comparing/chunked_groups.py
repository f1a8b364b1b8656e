"""Groups whose rows are read in chunks: a sample, a pass that sees all values, and passes that count cells.

Numbers are compared by bins whose borders come from the sample and whose rows are all counted, so that ranks are exact
up to a bin; labels are counted as they are. What that gives is a profile with a sample of rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._memory import parse_memory
from shearer._validate import value_error
from shearer.comparing.cell_counts import CellCounts, Coding, SeenValues
from shearer.comparing.compared_groups import CLASSES, Distribution, TableGroup, number_cells, rank_classes
from shearer.comparing.mixed_pairs import BINS
from shearer.comparing.own_columns import NUMBER_BINS
from shearer.comparing.profile import Profile
from shearer.comparing.rank_features import bin_middles, joined_bins
from shearer.data import read
from shearer.data.arrays import to_numpy
from shearer.data.columns import Columns
from shearer.data.named_columns import Kinds
from shearer.sketching.opened_rows import comes_in_chunks, named_rows, open_rows
from shearer.sketching.row_source import RowSource

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows up to which a source is read as a table, and of the sample of a longer one.
SAMPLE_ROWS = 2**15
# Part of the memory that counts of one pass may take.
_SHARE = 4


def opened(item: Any) -> RowSource | None:
    """The source, where rows are read in chunks: files by name, queries, Dask collections, opened rows."""
    if isinstance(item, str | PathLike) or comes_in_chunks(item):
        return named_rows(open_rows(item))
    return None


@dataclass(frozen=True, eq=False)
class Looked:
    """A source, after a first look.

    Attributes
    ----------
    rows : RowSource
        The source.
    count : int
        How many rows it has.
    frame : table
        A random sample of them, or all.
    sources : Columns
        The columns of the sample.
    seen : SeenValues
        Of all rows.
    """

    rows: RowSource
    count: int
    frame: Any = field(repr=False)
    sources: Columns = field(repr=False)
    seen: SeenValues = field(repr=False)

    @property
    def whole(self) -> bool:
        """Whether the sample has all rows."""
        return self.count <= SAMPLE_ROWS


def look_at(rows: RowSource, kinds: Kinds | None, progress: bool | None) -> Looked:
    """Sample rows and see all values: two passes, one if the sample has all rows."""
    frame, counts = rows.counted(SAMPLE_ROWS, 0, progress=progress)
    sources = read(frame, kinds=kinds, missing="pairwise", pairwise=True, fewest_rows=0).columns
    known = {name: own[0].kind for name, own in sources.items() if len(own) == 1 and own[0].kind != "object"}
    seen = SeenValues(known)
    total = sum(counts.values())
    if total > SAMPLE_ROWS and known:
        seen = rows.add_to(seen, progress=progress)
        _check_again(seen.rows, total)
    return Looked(rows, total, frame, sources, seen)


def chunked_group(
    name: str,
    looked: Looked,
    kinds: Mapping[str, str],
    levels: Mapping[str, tuple[str, ...]],
    *,
    triples: bool = False,
    memory: str | float | None = None,
    progress: bool | None = None,
) -> Profile:
    """What a comparison needs of a source, by all of its rows; strengths by the sample.

    Parameters
    ----------
    name : str
        What it is called.
    looked : Looked
        The source.
    kinds : mapping of str -> str
        Columns that are compared -> "number" or "label".
    levels : mapping of str -> tuple of str
        Labels, the same in all groups.
    triples : bool
        Whether counts of three columns are wanted.
    memory : str or number, optional
        What may be allocated; with less of it rows are gone over more often.
    progress : bool, optional
        Bars on stderr.
    """
    sources = {column: looked.sources[column][0] for column in kinds}
    codings = {}
    for column, kind in kinds.items():
        if kind == "label":
            codings[column] = Coding(sources[column].kind, len(levels[column]), levels[column])
        else:
            edges = _edges(to_numpy(sources[column].values)[~sources[column].missing, 0])
            codings[column] = Coding("continuous", len(edges), edges=edges)
    own = {column: codings[column].own(source) for column, source in sources.items()}
    sample = TableGroup(name, own, len(next(iter(own.values())).present), memory=memory)
    tables: dict[tuple[str, ...], NDArray[np.int64]] = {}
    for part in _counted(looked, codings, [*((column,) for column in kinds), *_pairs(kinds)], memory, progress):
        tables |= part
    margins = {column: tables[column,] for column in kinds}
    joined = {column: joined_bins(margins[column], BINS) for column, kind in kinds.items() if kind == "number"}
    means, counts = {}, {}
    for first, second in _pairs(kinds):
        table = tables[first, second]
        if kinds[first] == kinds[second] == "number":
            means[first, second] = number_cells(table)
        else:
            counts[first, second] = _in_bins(table, joined[second]) if second in joined else table.astype(np.float64)
    return Profile(
        name=name,
        rows=looked.count,
        kinds=dict(kinds),
        numeric={column: made.numeric for column, made in own.items()},
        levels={column: levels[column] for column, kind in kinds.items() if kind == "label"},
        distributions={
            column: _distribution(sample, column, codings[column], margins[column], looked.count) for column in kinds
        },
        pairs=means,
        tables=counts,
        known=sample.strengths(list(kinds), progress),
        triples=_triples(looked, codings, margins, kinds, memory, progress) if triples else None,
        sample=sample,
    )


def _pairs(kinds: Mapping[str, str]) -> list[tuple[str, ...]]:
    """All pairs, of a number and a label the label first."""
    return [
        pair[::-1] if [kinds[own] for own in pair] == ["number", "label"] else pair for pair in combinations(kinds, 2)
    ]


def _counted(
    looked: Looked,
    codings: Mapping[str, Coding],
    members: Sequence[tuple[str, ...]],
    memory: str | float | None,
    progress: bool | None,
) -> Iterator[dict[tuple[str, ...], NDArray[np.int64]]]:
    """Counts of sets of columns, as many in one pass over the rows as memory has room for."""
    room = parse_memory(memory) // _SHARE
    start = 0
    while start < len(members):
        stop, size = start, 0
        while stop < len(members) and (stop == start or size <= room):
            size += 8 * int(np.prod([codings[name].size for name in members[stop]]))
            stop += 1
        found = looked.rows.add_to(CellCounts(codings, members[start:stop]), progress=progress)
        _check_again(found.rows, looked.count)
        yield {names: found.table(names) for names in members[start:stop]}
        start = stop


def _triples(
    looked: Looked,
    codings: Mapping[str, Coding],
    margins: Mapping[str, NDArray[np.int64]],
    kinds: Mapping[str, str],
    memory: str | float | None,
    progress: bool | None,
) -> dict[tuple[str, ...], Floats]:
    """Counts of three columns, numbers in classes of their ranks."""
    classes = {
        name: coding
        if kinds[name] == "label"
        else Coding(coding.kind, CLASSES, edges=coding.edges, joined=rank_classes(margins[name]))
        for name, coding in codings.items()
    }
    found: dict[tuple[str, ...], Floats] = {}
    for part in _counted(looked, classes, list(combinations(kinds, 3)), memory, progress):
        found |= {names: table.astype(np.float64) for names, table in part.items()}
    return found


def _edges(values: Floats) -> Floats:
    """Largest values of bins of nearly the same number of rows."""
    different, codes = np.unique(values, return_inverse=True)
    last = np.flatnonzero(np.diff(joined_bins(np.bincount(codes.reshape(-1)), NUMBER_BINS), append=-1))
    found: Floats = different[last]
    return found


def _in_bins(table: NDArray[np.int64], joined: Indices) -> Floats:
    """The same with bins of a number, the columns, joined."""
    found = np.zeros((len(table), int(joined.max(initial=0)) + 1))
    np.add.at(found.T, joined, table.T)
    return found


def _distribution(sample: TableGroup, name: str, coding: Coding, counts: NDArray[np.int64], rows: int) -> Distribution:
    """Labels, or middle values of bins in the sample, and how many of all rows have them."""
    missing = rows - int(counts.sum())
    column = sample.columns[name]
    if coding.edges is None:
        used = np.flatnonzero(counts)
        return Distribution(used.astype(np.float64), counts[used].astype(np.float64), missing)
    values = column.values[column.present]
    middles = bin_middles(values, np.searchsorted(coding.edges, values))
    return Distribution(middles, counts.astype(np.float64), missing)


def _check_again(rows: int, expected: int) -> None:
    if rows != expected:
        hint = "A source is gone over several times; it must not change meanwhile."
        raise value_error("data", f"the {expected:,} rows of the first pass", f"{rows:,} rows", hint)
