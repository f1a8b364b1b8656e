"""Column names: every column has one, no two the same."""

from collections import Counter
from collections.abc import Sequence
from itertools import count

from shearer._validate import describe, listing, value_error

# What other programs call a column that has no name.
_PLACEHOLDERS = ("__UNNAMED__", "Unnamed:", "__index_level_")


def is_unnamed(name: str) -> bool:
    """True for an empty name and for what other programs write in its place."""
    return not name.strip() or name.startswith(_PLACEHOLDERS)


def distinct(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names without repetitions and gaps, and notes on what was changed.

    Examples
    --------
    >>> distinct(["x", "x", "", " y "])
    (['x', 'x (2)', 'column 3', 'y'], ["column names that came twice were numbered: 'x'", 'columns without a name: 3'])
    """
    stripped = [name.strip() for name in header]
    repeated = [name for name, times in Counter(stripped).items() if times > 1 and name]
    taken = set(stripped)
    names: list[str] = []
    used: set[str] = set()
    for position, name in enumerate(stripped, start=1):
        wanted = name or f"column {position}"
        if wanted in used or (not name and wanted in taken):
            wanted = next(new for number in count(2) if (new := f"{wanted} ({number})") not in used | taken)
        used.add(wanted)
        names.append(wanted)
    notes = [f"column names that came twice were numbered: {listing(repeated)}"] if repeated else []
    empty = [position for position, name in enumerate(stripped, start=1) if not name]
    return names, notes + ([f"columns without a name: {listing(empty)}"] if empty else [])


def check_same(headers: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Raise unless all files, each with its name and its columns, have those of the first, in its order."""
    first, wanted = headers[0]
    for name, header in headers[1:]:
        if header == wanted:
            continue
        expected = f"the columns of {first}, in the same order"
        for position, (mine, other) in enumerate(zip(header, wanted, strict=False), start=1):
            if mine != other:
                got = f"{describe(mine)} in place {position}, where {first} has {describe(other)}"
                raise value_error(name, expected, got)
        (long, longer), (_, shorter) = sorted([(name, header), (first, wanted)], key=lambda file: -len(file[1]))
        raise value_error(name, expected, f"{describe(longer[len(shorter)])} in {long} only")
