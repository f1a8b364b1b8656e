"""Names as one line of plain characters: a column can be called anything, a terminal obeys some of it."""

import unicodedata
from collections.abc import Iterable

# A name needs no more to be recognised; what follows is not even looked at.
_MOST_CHARACTERS = 400


def printable(text: str, longest: int | None = None) -> str:
    r"""Escape what a terminal, a reader's eye or XML would take for a command, and cut the middle of what is long.

    Control characters, ANSI escapes, line breaks, marks of direction, invisible and unassigned characters become
    ``\n``, ``\x1b``, ``\u202e``; letters of every script stay; blanks alone are quoted. Widths count cells of a
    terminal: a Chinese character takes two.

    Parameters
    ----------
    text : str
        Any text.
    longest : int, optional
        Cells at most. Default: uncut.

    Examples
    --------
    >>> print(printable("a\nb\x1b[31m"))
    a\nb\x1b[31m
    >>> printable("a_name_that_goes_on_for_too_long", 12)
    'a_name…_long'
    """
    if longest is not None and len(text) > 2 * _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}…{text[-_MOST_CHARACTERS:]}"
    shown = "".join(character if character.isprintable() else _escape(character) for character in text)
    shown = shown if shown.strip() else f"'{shown}'"
    return shown if longest is None else _cut(shown, longest)


def distinct_printable(names: Iterable[str]) -> dict[str, str]:
    r"""Every name as `printable` shows it, still distinct: what XML can hold.

    Examples
    --------
    >>> distinct_printable(["a\x00", "a\\x00", "b"])
    {'a\x00': 'a\\x00', 'a\\x00': "a\\x00'", 'b': 'b'}
    """
    shown: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        text = printable(name)
        while text in taken:
            text += "'"
        shown[name] = text
        taken.add(text)
    return shown


def width(text: str) -> int:
    """Cells that a text takes in a terminal.

    Examples
    --------
    >>> width("abc"), width("体重"), width("e\u0301")
    (3, 4, 1)
    """
    return sum(map(_cells, text))


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, longest: int) -> str:
    """Both ends of a text around an ellipsis: names often differ only there."""
    if width(text) <= longest and len(text) <= 4 * longest:
        return text
    room = max(longest - 1, 0)
    return f"{_start(text, room - room // 2)}…{_start(text[::-1], room // 2)[::-1]}"


def _start(text: str, cells: int) -> str:
    """As many characters as fit; marks without a width are counted too, so that none pile up without end."""
    taken, used = [], 0
    for character in text[: 4 * cells]:
        used += _cells(character)
        if used > cells:
            break
        taken.append(character)
    return "".join(taken)
