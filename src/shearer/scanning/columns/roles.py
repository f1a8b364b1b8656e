"""What is trivial in a table: columns that count or name the rows, that repeat others, or are computed from them.

Nothing here is a matter of estimates: what is said holds in every row, and chance alone would hardly make it so.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shearer.scanning.columns.coded import Coded, Floats, Indices
from shearer.scanning.columns.computed import FEWEST_COUNTED, some_rows, sums_of, within_digits
from shearer.scanning.columns.multiplied import products_of

# How the reason begins for which a column that counts the rows is left out.
COUNTS_ROWS = "counts the rows"
# Logarithm of the probability with which chance may make two columns tell the same, or one determine another.
_LOG_CHANCE = np.log(1e-7)
# Powers of two within which squares of values, and sums of them, are ordinary floats.
_LARGEST_SQUARED = 400
# Correlation from which two columns are compared up to the digits that were written.
_NEARLY_ONE = 0.999
# The coarser of them keeps so many of the other's values; fewer levels than these fit many formulas; labels have at
# most one in so many rows.
_AS_MANY, _FEWEST_LEVELS, _FEWEST_LINED, _FEW = 0.8, 5, 9, 5
# Rows by which most columns are told not to determine another.
_GLANCE = 200
# A count of rows some of which were left out: so many rows at least, and this share of neighbors one step apart.
_FEWEST_THINNED, _ONE_STEP_APART = 60, 0.5
_IDENTIFIER = re.compile(
    r"(^|[\W_])([cegnopstuv]?id|ids|uuid|guid|identifier|rowid|rownum|pk)$"
    r"|^(index|idx|key|row|row[\W_]?names?|nr|no|unnamed: 0)$"
)
_CAMEL = re.compile(r"[a-z]I[dD]$")


@dataclass(frozen=True)
class Roles:
    """What is known of columns before anything is tested.

    Attributes
    ----------
    left_out : dict of str -> str
        Columns that need not be tested, and why.
    known : list of dict
        What holds in every row, as the document has it: "kind", "columns", "how".
    determined : dict of str -> list of str
        Labels and dates, and the columns that each of them determines.
    """

    left_out: dict[str, str] = field(default_factory=dict)
    known: list[dict[str, Any]] = field(default_factory=list)
    determined: dict[str, list[str]] = field(default_factory=dict)


def find_roles(columns: Mapping[str, Coded], keep: Collection[str], targets: Collection[str]) -> Roles:
    """Find what is trivial; of columns that tell the same the first stands for all, or a target.

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.scanning.columns.coded import coded_columns
    >>> celsius = [7.5, 3.0, 9.1, 4.4, 8.2, 6.6, 5.9, 1.2, 0.3, 2.8, 7.7, 4.1]
    >>> table = {"id": range(12), "celsius": celsius, "fahrenheit": [1.8 * c + 32 for c in celsius]}
    >>> columns = read(table, missing="pairwise", pairwise=True).columns
    >>> find_roles(coded_columns(columns), (), ()).left_out
    {'id': 'counts the rows, 0 to 11', 'fahrenheit': "the same as 'celsius' on another scale"}
    """
    wanted = {*keep, *targets}
    left_out = {
        name: reason
        for name, column in columns.items()
        if name not in wanted and (reason := identifies_rows(column)) is not None
    }
    rest = {name: column for name, column in columns.items() if name not in left_out and column.distinct > 1}
    known: list[dict[str, Any]] = []
    for names, how in _same(rest):
        first = next((name for name in names if name in targets), names[0])
        others = [name for name in names if name != first]
        known.append({"kind": "same", "columns": [first, *others], "how": [how]})
        for name in others:
            if name not in wanted:
                left_out[name] = f"the same as {first!r}{_HOW[how]}"
    rest = {name: column for name, column in rest.items() if name not in left_out}
    determined = _determined(list(rest.values()))
    for name, others in determined.items():
        known.append({"kind": "determines", "columns": [name, *others], "how": []})
    for found in sums_of([column for column in rest.values() if not column.labels]):
        constant = {"constant": found.constant} if found.constant else {}
        own = {"columns": found.names, "how": found.how, "exceptions": found.exceptions}
        known.append({"kind": "computed", **own, **constant})
    summed = {record["columns"][0] for record in known if record["kind"] == "computed"}
    for product in products_of([column for column in rest.values() if not column.labels]):
        if product.names[0] not in summed:
            own = {"columns": product.names, "how": product.how, "exceptions": product.exceptions}
            known.append({"kind": "computed", **own, "factor": product.factor})
    return Roles(left_out, known, determined)


_HOW = {"equal": "", "scaled": " on another scale", "curved": ", put otherwise", "renamed": " under other names"}


def identifies_rows(column: Coded) -> str | None:
    """Why a column only counts or names the rows; None if it does not.

    Dates are left alone, and years; so are numbers with digits after the point, as the places of a grid. Some rows of
    a longer table have a count with gaps. Measured values that lie so close together do not all differ: 60 draws
    from 120 values do so once in a hundred million times.
    """
    rows = len(column.values)
    if rows < FEWEST_COUNTED or not column.complete or column.distinct < rows or not column.whole:
        return None
    if column.unit is not None:
        return None
    steps = np.diff(column.levels / 2)  # the whole range may be more than a float holds
    first, last = int(column.levels[0]), int(column.levels[-1])
    gaps = int((steps > steps.min()).sum())
    if gaps == 0 or (rows >= _FEWEST_THINNED and gaps <= (1 - _ONE_STEP_APART) * len(steps)):
        by = "" if steps.min() == 0.5 else f" in steps of {int(2 * steps.min())}"
        order = "" if column.ascending else ", not in their order"
        return f"{COUNTS_ROWS}{order}, {first} to {last}{by}{' with gaps' if gaps else ''}"
    if is_identifier(column.name):
        return "a number of its own in every row"
    return None


def is_identifier(name: str) -> bool:
    """True for names that say that a column names something.

    Examples
    --------
    >>> [is_identifier(name) for name in ("id", "PassengerId", "user_id", "PID", "price_index", "acid", "Unnamed: 0")]
    [True, True, True, True, False, False, True]
    """
    return bool(_IDENTIFIER.search(name.lower()) or _CAMEL.search(name))


def _same(columns: Mapping[str, Coded]) -> list[tuple[list[str], str]]:
    """Sets of columns that tell the same in every row, in the order of the table, and in what sense."""
    owner: dict[str, str] = {}
    sets: dict[str, list[tuple[str, str]]] = {}
    for one, other, how in sorted(_equal_rows(columns), key=lambda found: list(columns).index(found[0])):
        root = owner.get(one, one)
        if other not in owner and other != root and other not in sets:
            owner[other] = root
            sets.setdefault(root, []).append((other, how))
    order = list(_HOW)
    return [
        ([root, *(name for name, _ in members)], max((how for _, how in members), key=order.index))
        for root, members in sets.items()
    ]


def _equal_rows(columns: Mapping[str, Coded]) -> Iterable[tuple[str, str, str]]:
    """Pairs of columns that tell the same, the earlier one first, and in what sense."""
    ordered: dict[bytes, list[Coded]] = {}
    parted: dict[bytes, list[Coded]] = {}
    for column in columns.values():
        if not column.labels and _log_orders(column.counts) < _LOG_CHANCE:
            ordered.setdefault(_order_digest(column), []).append(column)
        if column.distinct <= len(column.values) / _FEW and _log_relabelings(column.counts) < _LOG_CHANCE:
            parted.setdefault(_digest(column, _by_appearance(column.codes)), []).append(column)
    for first, *others in parted.values():
        # Of two columns of numbers equality of rows says too little: a yearly figure is not the year.
        yield from ((first.name, other.name, "renamed") for other in others if first.labels or other.labels)
    for group in ordered.values():
        for place, column in enumerate(group[1:], start=1):
            for earlier in group[:place]:
                if how := _formula(earlier, column):
                    yield earlier.name, column.name, how
                    break
    yield from _nearly_lines([column for column in columns.values() if not column.labels])


def _order_digest(column: Coded) -> bytes:
    """The same for columns whose rows are in the same order, or in the opposite one."""
    codes = column.codes
    flipped = np.where(codes < 0, -1, column.distinct - 1 - codes)
    differs = np.flatnonzero(codes != flipped)
    return _digest(column, flipped if len(differs) and codes[differs[0]] > flipped[differs[0]] else codes)


def _digest(column: Coded, codes: Indices) -> bytes:
    return hashlib.blake2b(column.missing.tobytes() + codes.astype(np.int64).tobytes()).digest()


def _formula(one: Coded, other: Coded) -> str | None:
    """How two columns of numbers of the same order are computed from each other; None if no formula is found."""
    x, y = one.levels, other.levels
    if one.codes[np.argmax(~one.missing)] != other.codes[np.argmax(~other.missing)]:
        y = y[::-1]
    if np.array_equal(x, y):
        return "equal"
    if _is_line(x, y):
        return "scaled"
    if len(x) > _FEWEST_LEVELS and any(_is_line(f(a), b) for a, b in ((x, y), (y, x)) for f in _curves(a)):
        return "curved"
    return None


def _curves(values: Floats) -> Iterable[Callable[[Floats], Floats]]:
    """Functions that people apply to a column of such numbers."""
    yield np.cbrt
    if values.min() > 0:
        yield from (np.log, np.sqrt, np.square, np.reciprocal)
    if values.min() > -1:
        yield np.log1p


def _is_line(x: Floats, y: Floats) -> bool:
    """True if a line turns one into the other, up to the digits that the second is written with."""
    x, y = ordinary(x), ordinary(y)
    slope, residual = _fitted_line(x, y)
    return within_digits(residual, [y], [1.0]) and abs(slope) * float(np.ptp(x)) > 0.99 * float(np.ptp(y))


def _fitted_line(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Slope and residual of the line through y at x that least squares give; of numbers that differ by last digits too.

    Examples
    --------
    >>> slope, residual = _fitted_line(1.0 + 2.0**-52 * np.arange(9), 3.0 + np.arange(9))
    >>> float(slope * 2.0**-52), bool(np.abs(residual).max() < 1e-12)
    (1.0, True)
    """
    x, y = x - x[0], y - y[0]  # exact where they are near each other
    x, y = x - x.mean(), y - y.mean()
    largest = float(np.abs(x).max()) or 1.0
    unit = x / largest
    slope = float(unit @ y) / (float(unit @ unit) or 1.0)
    return slope / largest, y - slope * unit


def ordinary(values: Floats) -> Floats:
    """Numbers as they are, or of size 1 where their squares would be no floats.

    Examples
    --------
    >>> ordinary(np.array([3.0, 4.0])), ordinary(np.array([2.0**900, 2.0**899]))
    (array([3., 4.]), array([0.5 , 0.25]))
    """
    exponent = int(np.frexp(np.max(np.abs(values), initial=0.0))[1])
    return values if abs(exponent) < _LARGEST_SQUARED else np.ldexp(values, -exponent)


def _log_orders(counts: Indices) -> float:
    """Logarithm of the probability that another column of such values is in the same order by chance."""
    from scipy.special import gammaln

    return float(gammaln(counts + 1.0).sum() - gammaln(counts.sum() + 1.0) + np.log(2.0))


def _log_relabelings(counts: Indices) -> float:
    """The same of two columns of labels that differ in names only."""
    from scipy.special import gammaln

    return _log_orders(counts) + float(gammaln(len(counts) + 1.0))


def _by_appearance(codes: Indices) -> Indices:
    """Codes numbered by their first rows; those of missing values stay below 0."""
    levels, where, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(levels), dtype=np.intp)
    rank[np.argsort(where)] = np.arange(len(levels))
    return rank[inverse]


def _nearly_lines(columns: Sequence[Coded]) -> Iterable[tuple[str, str, str]]:
    """Pairs of columns of numbers that a line turns into each other, up to the digits that were written."""
    for group in _by_gaps([column for column in columns if column.distinct > _FEWEST_LINED]):
        present = np.flatnonzero(~group[0].missing)
        if len(present) < FEWEST_COUNTED:
            continue
        with np.errstate(invalid="ignore", divide="ignore"):  # a column that is constant in some rows
            r = np.corrcoef(np.stack([ordinary(column.values[some_rows(present)]) for column in group]))
        for i, j in zip(*np.nonzero(np.triu(np.abs(r) > _NEARLY_ONE, 1)), strict=True):
            x, y = (ordinary(group[place].values[present]) for place in (i, j))
            slope, residual = _fitted_line(x, y)
            # The hour is no copy of the time of day, although it is all of it that whole hours can hold.
            fewer, more = sorted((group[i].distinct, group[j].distinct))
            if fewer > _AS_MANY * more and within_digits(residual, [y, x], [1.0, slope]):
                yield group[i].name, group[j].name, "scaled"


def _by_gaps(columns: Sequence[Coded]) -> list[list[Coded]]:
    """Columns that lack the same rows, two or more."""
    groups: dict[bytes, list[Coded]] = {}
    for column in columns:
        groups.setdefault(column.missing.tobytes(), []).append(column)
    return [group for group in groups.values() if len(group) > 1]


def _determined(columns: Sequence[Coded]) -> dict[str, list[str]]:
    """Labels and dates, and the columns of fewer values that each determines."""
    found: dict[str, list[str]] = {}
    repeated = [column for column in columns if column.complete and column.distinct < len(column.values)]
    if not repeated:
        return found
    glance = np.stack([column.codes[:_GLANCE] for column in repeated])
    for column in repeated:
        if not (column.labels or column.dated):
            continue
        first = np.unique(column.codes, return_index=True)[1][column.codes]
        alike = (glance == glance[:, first[:_GLANCE]]).all(axis=1)
        others = [
            other
            for other, possible in zip(repeated, alike, strict=True)
            if possible and other is not column and other.distinct < column.distinct
        ]
        others = [
            other
            for other in others
            if np.array_equal(other.codes, other.codes[first]) and _log_luck(column, other) < _LOG_CHANCE
        ]
        if others:
            found[column.name] = [other.name for other in others]
    return found


def _log_luck(label: Coded, other: Coded) -> float:
    """Logarithm of the probability that chance gives all rows of each label one value."""
    shares = other.counts / other.counts.sum()
    times, how_many = np.unique(label.counts, return_counts=True)
    return float(sum(many * np.log(np.sum(shares**rows)) for rows, many in zip(times, how_many, strict=True)))
