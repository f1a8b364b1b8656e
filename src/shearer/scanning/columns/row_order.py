"""Rows that are not independent of each other: in the order of time, several for each unit, or repeated.

Permutation tests take rows as exchangeable. Sorting a table does not change that; what does is that rows near in time,
or of the same unit, are alike. Serial correlation of ranks tells it, and is judged by what exchanged rows would give.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.scanning.columns.coded import Coded, Floats, Indices
from shearer.scanning.columns.computed import FEWEST_COUNTED, resolution
from shearer.scanning.columns.roles import Roles, identifies_rows, is_identifier

# False alarms, one in so many tables: where a column tells the time, and where none does.
_TIMED, _UNTIMED = 800, 20000
# A series has a time of its own for at least this share of its rows; a panel, for each unit and time, at least this.
_SERIES, _PANEL = 0.5, 0.95
# Rows that a unit has on average, and units, at least; units that repeat what they determine.
_ROWS_A_UNIT, _FEWEST_UNITS, _FEWEST_REPEATING = 3, 5, 8
# Dates that rows must be spread over where many have the same.
_FEWEST_DATES = 20
# Share of the rows that must repeat others, and how many of them; coincidences of single values, for each of them;
# columns in which rows are compared.
_REPEATED, _FEWEST_REPEATED, _COINCIDENCES, _FEWEST_COMPARED = 0.02, 3, 0.2, 3
# Steps the other way, of all, in a column that rows are sorted by.
_AGAINST = 0.1
# Neighbours that would both differ from the most frequent value by chance.
_NEIGHBOURS = 8
_MOST_NAMED = 3
_UNIT = re.compile(
    r"(^|[\W_])(subject|patient|participant|person|respondent|user|customer|client|household|student|animal)s?$"
)


def rows_that_depend(columns: Mapping[str, Coded], roles: Roles) -> list[dict[str, Any]]:
    """How rows of a table depend on each other, as the document has it; empty where nothing shows it.

    Each is a dictionary of "kind" ("time", "panel", "units", "order" or "repeated"), "columns" (that tell time or
    unit), "alike" (columns in which such rows are alike), "rows", the number that it is about, and "sorted".

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.scanning.columns.coded import coded_columns
    >>> walk = np.random.default_rng(0).normal(size=60).cumsum()
    >>> table = read({"year": range(1960, 2020), "price": walk}, missing="pairwise", pairwise=True)
    >>> coded = coded_columns(table.columns)
    >>> [(found["kind"], found["columns"], found["alike"]) for found in rows_that_depend(coded, Roles())]
    [('time', ['year'], ['price'])]
    """
    rows = len(next(iter(columns.values())).values) if columns else 0
    if rows < FEWEST_COUNTED:
        return []
    counters = {name for name, column in columns.items() if identifies_rows(column) is not None}
    columns = {name: column for name, column in columns.items() if name not in roles.left_out or name in counters}
    told = {name for name, column in columns.items() if column.unit is not None}
    rest = [column for name, column in columns.items() if name not in told | counters]
    found: list[dict[str, Any]] = []
    timed = _in_time(columns, rest)
    if timed is not None:
        found.append(timed)
    elif not told or not any(column.ascending for column in columns.values() if column.unit is not None):
        found += _in_some_order(rest, counted=bool(counters))
    if timed is None or timed["kind"] != "panel":
        found += _of_units(columns, roles)
    return [*found, *_repeated([column for name, column in columns.items() if name not in counters])]


@dataclass(frozen=True, eq=False)
class Times:
    """Columns that tell the time of a row, together.

    Attributes
    ----------
    names : list of str
        The columns, the largest part of a date first.
    codes : array (n,)
        The place of each row's time among all.
    dated : bool
        True for dates, which are times wherever they stand.
    """

    names: list[str]
    codes: Indices
    dated: bool

    @property
    def distinct(self) -> int:
        """How many times there are."""
        return int(self.codes.max()) + 1

    @property
    def ascending(self) -> bool:
        """True if rows are in the order of time, forward or backward."""
        steps = np.diff(self.codes)
        return bool((steps >= 0).all() or (steps <= 0).all())


def _in_time(columns: Mapping[str, Coded], rest: Sequence[Coded]) -> dict[str, Any] | None:
    """A series or a panel, if some columns tell the time and rows near in time are alike."""
    rows = len(next(iter(columns.values())).values)
    whole = np.zeros(rows, dtype=np.intp)
    for times in _times_of(columns):
        shared, own = False, times.distinct >= _SERIES * rows
        # Of times that hardly two rows share nearly every label would do: rows must be listed unit by unit.
        unit = None if own and times.ascending else _panel_unit(columns, times, listed=own)
        if unit is not None:
            order = np.lexsort((_shuffled(rows), times.codes, unit.codes))
            others = [column for column in rest if column is not unit]
            if alike := _alike(others, order, unit.codes, _TIMED):
                return _record("panel", [unit.name, *times.names], alike, unit.distinct, ordered=times.ascending)
        elif own:
            told = times.dated or times.ascending
            alike = _alike(rest, _order(times.codes), whole, _TIMED) if told else []
        else:
            # Many rows of one date: a trend is a finding like any other, but what rows of one date share is not.
            shared = times.dated and times.distinct >= _FEWEST_DATES
            order = _order(times.codes)
            rough = _alike(rest, order, whole, _TIMED, roughness_score) if shared else []
            alike = _alike(rest, order, whole, _TIMED) if rough else []
        if alike:
            found = _record("time", times.names, alike, rows, ordered=times.ascending)
            return found | ({"shared": True} if shared else {})
    return None


def _times_of(columns: Mapping[str, Coded]) -> Iterator[Times]:
    """Columns that tell the time: all parts of a date together, then each alone."""
    parts = [column for column in columns.values() if column.unit is not None and column.complete]
    # What is called a time can be a duration, unless rows are in its order.
    parts = [column for column in parts if column.distinct > 1 and (column.dated or column.unit or column.ascending)]
    parts.sort(key=lambda column: column.unit or 0)
    if len(parts) > 1 and len({column.unit for column in parts}) > 1:
        codes = parts[0].codes
        used = [parts[0]]
        for column in parts[1:]:
            finer = np.unique(codes.astype(np.int64) * column.distinct + column.codes, return_inverse=True)[1]
            if finer.max() > codes.max():  # a part that dates have already adds nothing
                codes, used = finer, [*used, column]
        yield Times([column.name for column in used], codes, used[0].dated)
    for column in parts:
        yield Times([column.name], column.codes, column.dated)


def _panel_unit(columns: Mapping[str, Coded], times: Times, *, listed: bool) -> Coded | None:
    """The label of fewest levels of which every level has at most one row at a time; None if there is none.

    `listed`: and whose rows come in the order of time, level by level, though those of the table do not.
    """
    rows = len(times.codes)
    labels = [column for column in columns.values() if column.complete and _may_be_unit(column)]
    labels = [column for column in labels if column.unit is None]
    for column in sorted(labels, key=lambda column: column.distinct):
        if column.distinct < 2 or rows < _ROWS_A_UNIT * column.distinct or column.distinct * times.distinct < rows:
            continue
        both = column.codes.astype(np.int64) * times.distinct + times.codes
        if len(np.unique(both)) >= _PANEL * rows and (not listed or _in_order(times.codes, column.codes)):
            return column
    return None


def _in_order(times: Indices, units: Indices) -> bool:
    """Whether the rows of each unit are in the order of time, all forward or all backward."""
    order = np.argsort(units, kind="stable")
    steps = np.diff(times[order])[np.diff(units[order]) == 0]
    return bool((steps >= 0).all() or (steps <= 0).all())


def _may_be_unit(column: Coded) -> bool:
    return column.labels or (column.whole and (is_identifier(column.name) or bool(_UNIT.search(column.name.lower()))))


def _shuffled(rows: int) -> Indices:
    """An order of rows of the same time that the table does not have."""
    return np.random.default_rng(0).permutation(rows)


def _order(codes: Indices) -> Indices:
    return np.lexsort((_shuffled(len(codes)), codes))


def _record(kind: str, names: list[str], alike: list[str], rows: int, *, ordered: bool = True) -> dict[str, Any]:
    return {"kind": kind, "columns": names, "alike": alike[:_MOST_NAMED], "rows": rows, "sorted": ordered}


def _alike(
    columns: Sequence[Coded],
    order: Indices,
    blocks: Indices,
    odds: int,
    score: Callable[[Floats, Indices], float] | None = None,
) -> list[str]:
    """Columns of which neighbours within a block are alike beyond chance, the most first."""
    judge = score or serial_score
    columns = [column for column in columns if _is_mixed(column)]
    limit = _limit(len(columns), odds)
    found = {column.name: judge(_numbers(column)[order], blocks[order]) for column in columns}
    return [name for name, score in sorted(found.items(), key=lambda item: -item[1]) if score > limit]


def _limit(columns: int, odds: int) -> float:
    """What the largest of some scores exceeds by chance in one of so many tables."""
    from scipy.special import ndtri

    return -float(ndtri(1.0 / (odds * max(columns, 1))))


def _is_mixed(column: Coded) -> bool:
    """True if rows off the most frequent value would be neighbours often enough for a score to be normal."""
    present = int(column.counts.sum())
    return (present - int(column.counts.max())) ** 2 >= _NEIGHBOURS * present


def _numbers(column: Coded) -> Floats:
    """Ranks of numbers; of labels 1 for the most frequent one. Missing values are nan."""
    if column.labels:
        numbers = (column.codes == np.argmax(column.counts)).astype(np.float64)
    else:
        ends = np.cumsum(column.counts)
        numbers = (ends - (column.counts - 1) / 2.0)[column.codes]
    return np.where(column.missing, np.nan, numbers)


def serial_score(values: Floats, blocks: Indices) -> float:
    """Serial correlation within blocks of rows, in standard errors of what exchanging rows of a block would give.

    Examples
    --------
    >>> rows, one_block = np.arange(100.0), np.zeros(100, dtype=int)
    >>> mixed = np.random.default_rng(0).permutation(rows)
    >>> serial_score(rows, one_block) > 9, abs(serial_score(mixed, one_block)) < 3
    (True, True)
    """
    present = ~np.isnan(values)
    values, blocks = values[present], blocks[present]
    if len(values) < FEWEST_COUNTED:
        return 0.0
    starts = np.flatnonzero(np.diff(blocks, prepend=blocks[0] - 1))
    sizes = np.diff(starts, append=len(values))
    which = np.repeat(np.arange(len(starts)), sizes)
    centred = values - (np.add.reduceat(values, starts) / sizes)[which]
    variance = np.add.reduceat(centred**2, starts) / sizes
    inside = which[1:] == which[:-1]
    products = float((centred[1:] * centred[:-1])[inside].sum())
    error = np.sqrt(((sizes - 1) * variance**2).sum())
    return float((products + variance.sum()) / error) if error > 0 else 0.0


def roughness_score(values: Floats, blocks: Indices) -> float:
    """The same by differences of neighbours and differences of those, which a gentle trend leaves alone.

    Of independent values the second have 3 times the mean square of the first, with a variance of 2 / n; of an
    autoregression with coefficient c, 3 - c times.
    """
    present = ~np.isnan(values)
    values, blocks = values[present], blocks[present]
    first = np.diff(values)[:-1]
    second = np.diff(values, 2)
    inside = blocks[2:] == blocks[:-2]
    count, level = int(inside.sum()), float((first[inside] ** 2).sum())
    if count < FEWEST_COUNTED or level == 0:
        return 0.0
    return float((3.0 - (second[inside] ** 2).sum() / level) * np.sqrt(count / 2.0))


def _in_some_order(columns: Sequence[Coded], *, counted: bool) -> list[dict[str, Any]]:
    """Neighbours that are alike although no column tells the time, and not because the table was sorted."""
    if any(column.ascending and not column.labels and column.distinct > len(column.values) / 2 for column in columns):
        return []
    rows = len(columns[0].values) if columns else 0
    blocks, rest = _sorted_blocks(columns, rows)
    rest = [column for column in rest if not column.labels and not _goes_one_way(column, blocks)]
    alike = _alike(rest, np.arange(rows), blocks, _UNTIMED)
    if not counted:
        rough = _alike(rest, np.arange(rows), blocks, _UNTIMED, roughness_score)
        alike = [name for name in alike if name in rough]
    return [_record("order", [], alike, rows)] if alike else []


def _sorted_blocks(columns: Sequence[Coded], rows: int) -> tuple[Indices, list[Coded]]:
    """Runs of rows that have the same values in the columns by which the table was sorted, and the other columns."""
    edges: NDArray[np.bool_] = np.zeros(rows, dtype=bool)
    rest = []
    for column in columns:
        changes = np.diff(column.codes, prepend=column.codes[0]) != 0
        shares = column.counts / max(column.counts.sum(), 1)
        expected = rows * (1.0 - np.sum(shares**2))
        if column.distinct <= rows / 4 and changes.sum() < expected / 2:
            edges |= changes
        else:
            rest.append(column)
    return np.cumsum(edges), rest


def _goes_one_way(column: Coded, blocks: Indices) -> bool:
    """True for a column that rows of a block are sorted by, or nearly so."""
    steps = np.diff(column.values)[np.diff(blocks) == 0]
    ways = (int((steps > 0).sum()), int((steps < 0).sum()))
    return min(ways) < _AGAINST * sum(ways)


def _of_units(columns: Mapping[str, Coded], roles: Roles) -> list[dict[str, Any]]:
    """Several rows for each unit: by the name of its column, or because they repeat what belongs to the unit."""
    for name, column in columns.items():
        several = _FEWEST_UNITS <= column.distinct <= len(column.values) / 1.5
        if column.complete and several and _may_be_unit(column):
            named = is_identifier(name) or _UNIT.search(name.lower())
            repeated = roles.determined.get(name, [])
            if named or (len(repeated) > 1 and column.distinct >= _FEWEST_REPEATING):
                return [_record("units", [name], repeated, column.distinct)]
    return []


def _repeated(columns: Sequence[Coded]) -> list[dict[str, Any]]:
    """Rows that are equal to others in every column, where rows of the same number hardly ever differ elsewhere."""
    if len(columns) < _FEWEST_COMPARED:
        return []
    keys = np.zeros(len(columns[0].values), dtype=np.uint64)
    factors = np.random.default_rng(0).integers(0, 2**62, size=len(columns), dtype=np.uint64) * 2 + 1
    for column, factor in zip(columns, factors, strict=True):
        keys = (keys ^ (column.codes + 1).astype(np.uint64)) * factor
        keys ^= keys >> np.uint64(29)
    times = np.unique(keys, return_counts=True)[1]
    extra = len(keys) - len(times)
    if extra < max(_FEWEST_REPEATED, _REPEATED * len(keys)):
        return []
    pairs = _pairs(times)
    telling = [
        column
        for column in columns
        if not column.labels and column.complete and _pairs(column.counts) <= (1.0 + _COINCIDENCES) * pairs
    ]
    # One column of which that holds may determine all others, unless its digits are too many to coincide.
    fine = any(_coincidences(column) <= _COINCIDENCES * pairs for column in telling)
    return [_record("repeated", [], [], extra)] if fine or len(telling) > 1 else []


def _coincidences(column: Coded) -> float:
    """Pairs of rows that would be equal by chance, if values were spread as a third of their range."""
    step, rows = resolution(column.levels), len(column.values)
    return 1.5 * rows**2 * step / float(np.ptp(column.levels))


def _pairs(times: Indices) -> float:
    """Pairs of rows that are equal, from how often each value occurs."""
    return float((times * (times - 1.0) / 2.0).sum())
