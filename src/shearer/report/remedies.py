"""Rows that are not independent of each other, in words, and what can be done about it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shearer.report.wording import Sentence, count, enumeration, plain_name

# What a scan can do about rows that depend on each other, by the name of its option: "lags" and "difference" for rows
# in the order of time, "cluster" for units that have several rows.
OFFERED: frozenset[str] = frozenset({"lags", "difference", "cluster"})
# Rows that a test over lags needs beyond twice the longest of them; lags that are offered.
_FEWEST_STRETCHED, _LAGS = 16, 5
# Units that are enough for a test that keeps the rows of each together.
_FEWEST_CLUSTERS = 8
# Units of which a table of means has enough rows.
_FEWEST_MEANS = 20


def about_dependent_rows(document: Mapping[str, Any], offered: Collection[str] = OFFERED) -> list[Sentence]:
    """How rows of a table depend on each other, what follows, and what to do; nothing where they do not.

    Examples
    --------
    >>> found = {"kind": "panel", "columns": ["country", "year"], "alike": ["pop"], "rows": 142, "sorted": False}
    >>> document = {"dependent_rows": [found], "settings": {"rows": 1704}, "columns": []}
    >>> for sentence in about_dependent_rows(document, {"cluster"}):
    ...     print("".join(sentence))
    There are several rows for each country (142 of them), one for each year, and those near in time are alike (pop).
    Such rows are not independent of each other, as the p-values take them to be: these are too small.
    Rows of one country can be kept together: --cluster country, or cluster="country" in Python.
    """
    dependent: Sequence[Mapping[str, Any]] = document.get("dependent_rows") or ()
    if not dependent:
        return []
    result = "Such rows are not independent of each other, as the p-values take them to be: these are too small."
    return [*(_WORDS[found["kind"]](found) for found in dependent), [result], *_remedies(document, dependent, offered)]


def _names(names: Sequence[str]) -> Sentence:
    return enumeration([[plain_name(name)] for name in names])


def _alike(found: Mapping[str, Any]) -> Sentence:
    return [" (", *_names(found["alike"]), ")"]


def _time(found: Mapping[str, Any]) -> Sentence:
    if found["sorted"]:
        return [
            "The rows are in the order of ",
            *_names(found["columns"]),
            ", and neighbours are alike",
            *_alike(found),
            ".",
        ]
    return [
        "The rows are of different times (",
        *_names(found["columns"]),
        "), and those near in time are alike",
        *_alike(found),
        ".",
    ]


def _panel(found: Mapping[str, Any]) -> Sentence:
    unit, *times = found["columns"]
    start: Sentence = [
        "There are several rows for each ",
        plain_name(unit),
        f" ({found['rows']:,} of them), one for each ",
    ]
    return [*start, *_names(times), ", and those near in time are alike", *_alike(found), "."]


def _units(found: Mapping[str, Any]) -> Sentence:
    start: Sentence = [
        "There are several rows for each ",
        plain_name(found["columns"][0]),
        f" ({found['rows']:,} of them)",
    ]
    return [*start, *([", with the same ", *_names(found["alike"])] if found["alike"] else []), "."]


def _order(found: Mapping[str, Any]) -> Sentence:
    return [
        "Rows that follow each other are alike",
        *_alike(found),
        ", as if they were in the order of time or in groups.",
    ]


def _repeated(found: Mapping[str, Any]) -> Sentence:
    return [f"{count(found['rows'], 'row repeats', 'rows repeat')} others in every column."]


_WORDS = {"time": _time, "panel": _panel, "units": _units, "order": _order, "repeated": _repeated}


def _remedies(
    document: Mapping[str, Any], dependent: Sequence[Mapping[str, Any]], offered: Collection[str]
) -> list[Sentence]:
    """What the scan can do about it, with the options filled in."""
    kinds = {found["kind"]: found for found in dependent}
    words: list[Sentence] = []
    series = kinds.get("time")
    if series is not None and series.get("shared"):
        if "cluster" in offered:
            words.append([*_kept_together(plain_name(series["columns"][0])), " Rows near in time are still alike."])
    elif series is not None and "lags" in offered and (reach := _reach(document)):
        start: Sentence = [] if series["sorted"] else ["sorted by ", *_names(series["columns"]), ", "]
        text = f"rows in time can be tested as such{_on_condition(document)}: --lags 0..{reach}, or "
        words.append(_capital([*start, f"{text}lags=range({reach + 1}) in Python."]))
    # Steps from row to row are steps in time where rows are in its order, and not from one unit to the next.
    if series is not None and series["sorted"] and not series.get("shared") and "difference" in offered:
        words.append(
            ["What only drifts together goes away in differences: --difference, or difference=True in Python."]
        )
    grouped = kinds.get("panel") or kinds.get("units")
    if grouped is not None:
        unit = plain_name(grouped["columns"][0])
        means: Sentence = ["A table of one row for each ", unit, ", such as of means, would be free of that."]
        if "panel" in kinds and grouped["rows"] < _FEWEST_MEANS and "lags" in offered:
            means = ["The rows of one ", unit, " alone are a series, which can be tested as such: --lags."]
        enough = "cluster" in offered and grouped["rows"] >= _FEWEST_CLUSTERS
        words.append(_kept_together(unit) if enough else means)
    if "repeated" in kinds:
        words.append(["If they are copies, leave them out of the file and scan again."])
    return words


def _kept_together(unit: str) -> Sentence:
    return ["Rows of one ", unit, " can be kept together: --cluster ", unit, ', or cluster="', unit, '" in Python.']


def _capital(sentence: Sentence) -> Sentence:
    return [sentence[0][0].upper() + sentence[0][1:], *sentence[1:]]


def _on_condition(document: Mapping[str, Any]) -> str:
    """What a test over lags takes."""
    gaps = any(column.get("missing") and not column.get("notes") for column in document["columns"])
    return ", once missing values are filled in" if gaps else ""


def _reach(document: Mapping[str, Any]) -> int:
    """The longest lag that can be offered; 0 where there are too few rows for any."""
    return max(0, min(_LAGS, (int(document["settings"]["rows"]) - _FEWEST_STRETCHED) // 2))
