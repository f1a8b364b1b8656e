"""The document of a scan for other programs: JSON, CSV and GraphML."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from shearer._display import distinct_printable
from shearer._files import write_file

Document: TypeAlias = Mapping[str, Any]
Place: TypeAlias = str | PathLike[str]

# A spreadsheet takes a cell that begins so for a formula; the last four are their wide forms.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")
# Where a cell begins to one that separates by other marks, and does not heed quotes within a cell.
_FORMULA_INSIDE = re.compile(r'([;,|\t\n]|^ +)([\s"]*)(?=[=+\-@＝＋－＠])')
# What readers of csv stumble over, even in quotes, what a terminal obeys, and marks that turn the order of letters.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PLACES = ("first", "second", "third", "fourth")
_SIZES = {"pairs": 2, "triples": 3, "quadruples": 4}
SCREENED = {
    "pairs": (
        "strength",
        "strength_low",
        "strength_high",
        "sign",
        "determines",
        "shape",
        "shape_along",
        "pvalue",
        "qvalue",
        "n",
        "reported",
    ),
    "triples": (
        "kind",
        "added",
        "added_error",
        "value",
        "o_information",
        "excess",
        "excess_error",
        "pvalue",
        "qvalue",
        "split_pvalue",
        "n",
        "reported",
    ),
    "quadruples": ("added", "added_error", "pvalue", "qvalue", "screen_pvalue", "n", "reported"),
}
_MEASURED = ("alpha", "total_correlation", "dual_total_correlation", "o_information", "adjusted")


def to_json(document: Document, path: Place | None = None) -> str:
    """The whole document as JSON; a number that is none is null.

    Examples
    --------
    >>> print(to_json({"version": 2, "pairs": [{"strength": float("nan")}]}))
    {
     "version": 2,
     "pairs": [
      {
       "strength": null
      }
     ]
    }
    """
    text = json.dumps(_finite(document), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    _write("json", path, text)
    return text.rstrip("\n")


def to_csv(document: Document, path: Place | None = None) -> tuple[str, str]:
    """Pairs and triples as two tables; the second is empty without triples.

    With a path the pairs go there and the triples and quadruples, if there are any, beside it: ``out.csv``,
    ``out-triples.csv``, ``out-quadruples.csv``.
    A name that a spreadsheet would take for a formula gets an apostrophe in front.

    Examples
    --------
    >>> pair = {"variables": ["a", "=b"], "strength": 0.5, "sign": "-", "n": 10, "reported": True, "details": None}
    >>> print(to_csv({"pairs": [pair], "triples": []})[0].splitlines()[1])
    a,'=b,0.5,,,'-,,,,,,10,true
    """
    pairs = _table(document, "pairs")
    triples = _table(document, "triples") if document["triples"] else ""
    if path is not None:
        _write("csv", path, pairs)
        if triples:
            _write("csv", triples_path(path), triples)
        if document.get("quadruples"):
            _write("csv", triples_path(path, "quadruples"), quadruples_csv(document))
    return pairs, triples


def quadruples_csv(document: Document) -> str:
    """Quadruples as a table; empty without any."""
    return _table(document, "quadruples") if document.get("quadruples") else ""


def triples_path(path: Place, part: str = "triples") -> Path:
    """Where triples go if pairs go to `path`, or quadruples.

    Examples
    --------
    >>> triples_path("found.csv").name, triples_path("found.csv", "quadruples").name
    ('found-triples.csv', 'found-quadruples.csv')
    """
    place = Path(path)
    return place.with_name(f"{place.stem}-{part}{place.suffix}")


def to_graphml(document: Document, path: Place | None = None) -> str:
    """A graph for Gephi, Cytoscape, networkx: columns as nodes, reported pairs as edges with all their numbers.

    Examples
    --------
    >>> import networkx as nx
    >>> pair = {"variables": ["a", "b"], "strength": 0.4, "n": 10, "reported": True, "details": None}
    >>> document = {"columns": [{"name": "a", "kind": "continuous"}, {"name": "b", "kind": "categorical"}]}
    >>> graph = nx.parse_graphml(to_graphml(document | {"pairs": [pair]}))
    >>> graph.nodes["a"], graph.edges["a", "b"]["weight"]
    ({'kind': 'continuous'}, 0.4)
    """
    import networkx as nx

    names = distinct_printable([column["name"] for column in document["columns"]])
    lagged = any("lag" in pair for pair in document["pairs"])
    graph = nx.MultiDiGraph() if lagged else nx.Graph()
    for column in document["columns"]:
        attributes = {key: column.get(key) for key in ("kind", "n", "missing", "distinct")}
        graph.add_node(names[column["name"]], **_known(attributes))
    for pair in document["pairs"]:
        if pair["reported"]:
            graph.add_edge(*(names[name] for name in pair["variables"]), **_known(_edge(pair)))
    text = "\n".join(nx.generate_graphml(graph))
    _write("graphml", path, f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n')
    return text


def _finite(value: Any) -> Any:
    """The same with null for nan and infinity, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write(option: str, path: Place | None, text: str) -> None:
    if path is not None:
        # What is half of a character (a lone surrogate) is written as its number, which JSON reads back.
        write_file(option, path, text.encode("utf-8", "backslashreplace"))


def _table(document: Document, part: str) -> str:
    """Pairs or triples as csv, one row each, with details and what was measured in columns of their own."""
    entries = document[part]
    inner = _inner(entries, part)
    own = [field for field in ("lag", "warned", "direct") if any(field in entry for entry in entries)]
    fields = (*own, *SCREENED[part])
    given = document.get("settings", {}).get("given")
    known = [", ".join(given)] if given else []
    header = [*_PLACES[: _SIZES[part]], *(["given"] if given else []), *fields, *inner]
    rows = (
        [
            *entry["variables"],
            *known,
            *(entry.get(field) for field in fields),
            *(_closely(entry, part).get(k) for k in inner),
        ]
        for entry in entries
    )
    return csv_text(header, rows)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""A table as text; what a spreadsheet would take for a formula gets an apostrophe in front.

    Some spreadsheets separate cells by semicolons or tabs: what follows one in a name is a cell to them.

    Examples
    --------
    >>> csv_text(["name", "value"], [["=a", 0.5], ["b;=c", float("nan")]])
    "name,value\n'=a,0.5\nb;'=c,\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def _inner(entries: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    """Names of all that is known of what was looked at closely, in the order in which it stands there."""
    if part == "triples":
        return list(_closely({}, part))
    return list(dict.fromkeys(key for entry in entries for key in _closely(entry, part)))


def _closely(entry: Mapping[str, Any], part: str) -> dict[str, Any]:
    """What is known of a pair or triple that was looked at closely."""
    if part == "pairs":
        return dict(entry.get("details") or {})
    if part == "quadruples":
        return {}
    found = entry.get("measured") or {}
    lower, upper = found.get("interval") or (None, None)
    row = {f"measured_{key}": found.get(key) for key in _MEASURED}
    return row | {"measured_lower": lower, "measured_upper": upper}


def _cell(value: Any) -> Any:
    value = _finite(value)
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), value)
    text = _FORMULA_INSIDE.sub(r"\1\2'", text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _edge(pair: Mapping[str, Any]) -> dict[str, Any]:
    known = {key: pair.get(key) for key in ("lag", "direct", *SCREENED["pairs"]) if key != "reported"}
    return known | {"weight": pair.get("strength")} | _closely(pair, "pairs")


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes that have a value; GraphML has no null, and one type for each attribute."""
    whole = ("n", "missing", "distinct", "lag")
    cleaned = {key: _finite(value) for key, value in attributes.items()}
    return {
        key: value if isinstance(value, str) else int(value) if key in whole else float(value)
        for key, value in cleaned.items()
        if value is not None
    }
