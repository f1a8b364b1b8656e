"""Where a table begins: titles, sources and dates above the line of column names."""

import re
from collections import Counter
from collections.abc import Sequence

# Records looked at, and those of them that can be titles.
LOOKED_AT, _MOST_TITLES = 60, 30
# Share of the cells of a row that are filled in the line of names; rows below that are no longer than it.
_FILLED, _FITTING = 0.6, 0.9
# Rows of the table that must follow.
_FEWEST_ROWS = 2
_NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?")


def count_titles(rows: Sequence[Sequence[str | None]]) -> int:
    """How many rows stand above the line of column names: rows of one or two cells above a table of more.

    Examples
    --------
    >>> table = [["name", "age", "city"], ["Ann", "31", "Rome"], ["Bo", "28", "Oslo"]]
    >>> count_titles([["Members"], ["as of May 2024", ""], *table]), count_titles(table)
    (2, 0)
    """
    filled = [sum(bool((cell or "").strip()) for cell in row) for row in rows]
    widths = [max((place for place, cell in enumerate(row, 1) if (cell or "").strip()), default=0) for row in rows]
    if len(rows) <= _FEWEST_ROWS:
        return 0
    typical = Counter(widths[len(rows) // 2 :]).most_common(1)[0][0]
    wide = max(2.0, _FILLED * typical)
    start = next((place for place, count in enumerate(filled) if count >= wide), 0)
    below = widths[start + 1 :]
    if not 0 < start <= _MOST_TITLES or typical < 2 or len(below) < _FEWEST_ROWS:
        return 0
    names = [cell.strip() for cell in rows[start] if cell and cell.strip()]
    fitting = sum(wide <= width <= widths[start] for width in below)
    titles = max(filled[:start]) <= min(2.0, typical / 2.0)
    if titles and fitting >= _FITTING * len(below) and not any(_NUMBER.fullmatch(name) for name in names):
        return start
    return 0


def titles_note(name: str, lines: int) -> str:
    """What is said of lines that were left out."""
    first = "the first line" if lines == 1 else f"the first {lines} lines"
    verb = "stands" if lines == 1 else "stand"
    return f"{first} of {name} {verb} above the table and {'was' if lines == 1 else 'were'} left out"
