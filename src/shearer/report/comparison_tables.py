"""A comparison as two flat tables: one row for each column, one for each pair."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shearer.report.exports import Place, csv_text

# Fields that have a value for each group.
_EACH = {
    "pairs": ("strength", "strength_low", "strength_high", "dependent", "correlation", "n"),
    "columns": ("median", "range", "n", "missing"),
}
_FIELDS = {
    "pairs": ("change", "strength", "strength_low", "strength_high", "difference", "difference_low", "difference_high",
              "pvalue", "qvalue", "reported", "dependent", "correlation", "n", "notes"),
    "columns": ("kind", "pvalue", "qvalue", "reported", "law_pvalue", "shift_pvalue", "spread_pvalue",
                "missing_pvalue", "median", "range", "appeared", "vanished", "n", "missing", "notes"),
}  # fmt: skip


def comparison_rows(document: Mapping[str, Any], part: str) -> list[dict[str, Any]]:
    """Records of "columns" or "pairs" with a field for each group, such as ``strength_a``.

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
        row = {"name": record["name"]} if part == "columns" else dict(zip(_ENDS, record["variables"], strict=True))
        for field in _FIELDS[part]:
            value = record[field]
            if field in _EACH[part]:
                row |= {f"{field} ({name})": None if value is None else value[k] for k, name in enumerate(names)}
            else:
                row[field] = "; ".join(value or ()) if field in _TEXTS else value
        rows.append(row)
    return rows


def comparison_csv(document: Mapping[str, Any]) -> tuple[str, str]:
    """Pairs and columns as csv."""
    texts = []
    for part in ("pairs", "columns"):
        rows = comparison_rows(document, part)
        texts.append(csv_text(list(rows[0]) if rows else list(_ENDS), [list(row.values()) for row in rows]))
    return texts[0], texts[1]


def columns_path(path: Place) -> Path:
    """Where columns go if pairs go to `path`.

    Examples
    --------
    >>> columns_path("found.csv").name
    'found-columns.csv'
    """
    place = Path(path)
    return place.with_name(f"{place.stem}-columns{place.suffix}")


_ENDS = ("first", "second")
_TEXTS = ("appeared", "vanished", "notes")
