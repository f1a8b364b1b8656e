"""What is trivial in a table, in words: columns that are the same, that decide others, or are computed from them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shearer.report.wording import Sentence, enumeration, plain_name

_MOST_TOLD = 6
_SAME = {
    "equal": "the same column",
    "scaled": "the same column on different scales",
    "curved": "the same column, put differently",
    "renamed": "the same labels under different names",
}


def about_trivia(document: Mapping[str, Any]) -> list[Sentence]:
    """A sentence for each relation that holds in every row; nothing that has to be tested.

    Examples
    --------
    >>> known = [{"kind": "same", "columns": ["temp_c", "temp_f"], "how": ["scaled"]},
    ...          {"kind": "computed", "columns": ["realint", "tbilrate", "infl"], "how": ["plus", "less"]}]
    >>> columns = [{"name": "temp_c", "notes": []}, {"name": "temp_f", "notes": ["the same as 'temp_c'"]}]
    >>> for sentence in about_trivia({"known": known, "columns": columns}):
    ...     print("".join(sentence))
    temp_c and temp_f are the same column on different scales; temp_c stands for both.
    realint is tbilrate less infl.
    """
    known: Sequence[Mapping[str, Any]] = document.get("known") or ()
    tested = {column["name"] for column in document["columns"] if not column.get("notes")}
    told = [_WORDS[found["kind"]](found, tested) for found in known[:_MOST_TOLD]]
    more = len(known) - _MOST_TOLD
    return [*told, *([[f"There are {more} more relations of this kind."]] if more > 0 else [])]


def trivial_pairs(document: Mapping[str, Any]) -> set[frozenset[str]]:
    """Pairs of columns of which one decides the other."""
    return {
        frozenset((found["columns"][0], other))
        for found in document.get("known") or ()
        if found["kind"] != "computed"
        for other in found["columns"][1:]
    }


def _names(names: Sequence[str]) -> Sentence:
    return enumeration([[plain_name(name)] for name in names])


def _same(found: Mapping[str, Any], tested: set[str]) -> Sentence:
    first, *others = found["columns"]
    words = [*_names(found["columns"]), f" are {_SAME[found['how'][0]]}"]
    if any(other in tested for other in others):
        return [*words, "."]
    return [*words, "; ", plain_name(first), f" stands for {'both' if len(others) == 1 else 'all of them'}."]


def _determines(found: Mapping[str, Any], _: set[str]) -> Sentence:
    label, *others = found["columns"]
    end = f" never differ in {'it' if len(others) == 1 else 'them'}."
    return [plain_name(label), " determines ", *_names(others), ": rows of one ", plain_name(label), end]


def _computed(found: Mapping[str, Any], _: set[str]) -> Sentence:
    total, first, *terms = found["columns"]
    how = list(found["how"])
    factor, constant = found.get("factor", 1.0), found.get("constant", 0.0)
    if how[0] == "less" and "plus" in how:  # begin with what is added
        place = how.index("plus")
        first, terms = terms[place - 1], [first, *terms[: place - 1], *terms[place:]]
        how = ["plus", *how[:place], *how[place + 1 :]]
    begin = " is less " if how[0] == "less" else " is " if factor == 1.0 else f" is {_number(factor)} times "
    start: Sentence = [plain_name(total), begin, plain_name(first)]
    return [
        *start,
        *(part for sign, term in zip(how[1:], terms, strict=True) for part in (f" {sign} ", plain_name(term))),
        *([f" {'plus' if constant > 0 else 'less'} {_number(abs(constant))}"] if constant else []),
        f", in all rows but {found['exceptions']:,}." if found.get("exceptions") else ".",
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 and value == round(value) else f"{value:.6g}"


def computed_sentence(document: Mapping[str, Any], names: Collection[str]) -> Sentence | None:
    """How one of some columns is computed from all the others; None if that is not known."""
    for found in document.get("known") or ():
        if found["kind"] == "computed" and set(found["columns"]) == set(names):
            return _computed(found, set())
    return None


_WORDS = {"same": _same, "determines": _determines, "computed": _computed}
