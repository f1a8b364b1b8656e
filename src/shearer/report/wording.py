"""Names and counts in sentences: whatever a table calls its columns, a sentence stays one line and in order."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST_NAME = 48


class Name(str):
    """The part of a sentence that is a column's name, as a reader shall see it."""

    __slots__ = ()


Sentence = list[str]


def plain_name(name: str, longest: int = _LONGEST_NAME) -> Name:
    r"""A name without marks that steer a terminal or turn the text around, cut in the middle to a readable length.

    Examples
    --------
    >>> plain_name("two\nlines")
    'two lines'
    >>> plain_name("a" * 60 + "_mean", 20)
    'aaaaaaaaaaaaa…a_mean'
    """
    head = name[: 4 * longest] + name[-4 * longest :] if len(name) > 8 * longest else name
    # Category C holds control marks, direction marks and lone surrogates; Z all kinds of spaces.
    text = " ".join("".join(" " if unicodedata.category(mark)[0] in "CZ" else mark for mark in head).split())
    if len(text) > longest:
        tail = (longest - 1) // 3
        text = f"{text[: longest - 1 - tail]}…{text[-tail:]}"
    return Name(text or "(no name)")


def count(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun.

    Examples
    --------
    >>> count(1, "pair"), count(44850, "pair"), count(3, "was", "were")
    ('1 pair', '44,850 pairs', '3 were')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def in_words(number: int) -> str:
    """Small numbers as words, as they open a sentence.

    Examples
    --------
    >>> in_words(0), in_words(3), in_words(21)
    ('None', 'Three', '21')
    """
    words = ("None", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
    return words[number] if 0 <= number < len(words) else f"{number:,}"


def enumeration(items: Sequence[Sentence]) -> Sentence:
    """Join with commas and a last "and".

    Examples
    --------
    >>> "".join(enumeration([["a"], ["b"], ["c"]]))
    'a, b and c'
    """
    parts: Sentence = []
    for position, item in enumerate(items):
        separator = "" if position == 0 else " and " if position == len(items) - 1 else ", "
        parts += [separator, *item] if separator else item
    return parts


def listed_notes(document: Mapping[str, Any]) -> list[str]:
    """The notes of a scan, and those of single columns that these do not repeat.

    Examples
    --------
    >>> columns = [{"name": "id", "notes": ["constant"]}, {"name": "x", "notes": ["a copy of y"]}]
    >>> listed_notes({"notes": ["Left out: 'id' (constant)."], "columns": columns})
    ["Left out: 'id' (constant).", 'x: a copy of y']
    """
    said = list(document["notes"])
    own = [(column["name"], note) for column in document["columns"] for note in column.get("notes") or ()]
    return said + [f"{plain_name(name)}: {note}" for name, note in own if not any(f"({note})" in one for one in said)]
