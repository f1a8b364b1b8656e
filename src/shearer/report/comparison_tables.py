"""A comparison as flat tables: one row for each column, for each pair, for each triple."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shearer.report.exports import Place, csv_text, triples_path

# Fields that have a value for each group.
_EACH = {
    "pairs": ("strength", "strength_low", "strength_high", "dependent", "correlation", "n"),
    "columns": ("median", "range", "n", "missing"),
    "triples": ("excess", "n"),
}
_FIELDS = {
    "pairs": ("change", "strength", "strength_low", "strength_high", "difference", "difference_low", "difference_high",
              "pvalue", "qvalue", "reported", "dependent", "correlation", "n", "notes"),
    "columns": ("kind", "pvalue", "qvalue", "reported", "law_pvalue", "shift_pvalue", "spread_pvalue",
                "missing_pvalue", "median", "range", "appeared", "vanished", "n", "missing", "notes"),
    "triples": ("excess", "pvalue", "qvalue", "reported", "n", "notes"),
}  # fmt: skip


def comparison_rows(document: Mapping[str, Any], part: str) -> list[dict[str, Any]]:
    """Records of "columns", "pairs" or "triples" with a field for each group, such as ``strength_a``.

    Examples
    --------
    >>> pair = dict.fromkeys(_FIELDS["pairs"]) | {"variables": ["x", "y"], "strength": [0.8, 0.3], "notes": []}
    >>> document = {"settings": {"groups": [{"name": "a"}, {"name": "b"}]}, "pairs": [pair]}
    >>> row = comparison_rows(document, "pairs")[0]
    >>> row["first"], row["strength (a)"], row["strength (b)"]
    ('x', 0.8, 0.3)
    """
    names = [group["name"] for group in document["settings"]["groups"]]
    rows = []
    for record in document[part]:
        row = {"name": record["name"]} if part == "columns" else dict(zip(_ENDS, record["variables"], strict=False))
        for field in _FIELDS[part]:
            value = record[field]
            if field in _EACH[part]:
                row |= {f"{field} ({name})": None if value is None else value[k] for k, name in enumerate(names)}
            else:
                row[field] = "; ".join(value or ()) if field in _TEXTS else value
        rows.append(row)
    return rows


def comparison_csv(document: Mapping[str, Any], path: Place) -> dict[Path, str]:
    """Files and their texts: pairs at a path, columns beside it, and triples where they were tested."""
    parts = ("pairs", "columns", *(["triples"] if document["settings"]["triples_tested"] is not None else []))
    found = {}
    for part in parts:
        rows = comparison_rows(document, part)
        heads = list(rows[0]) if rows else list(_ENDS[: 3 if part == "triples" else 2])
        place = Path(path) if part == "pairs" else triples_path(path, part)
        found[place] = csv_text(heads, [list(row.values()) for row in rows])
    return found


_ENDS = ("first", "second", "third")
_TEXTS = ("appeared", "vanished", "notes")
