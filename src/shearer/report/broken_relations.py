"""Rows that stand out by their values, relations and distances: as a mapping, as csv, and as a text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from shearer._display import printable
from shearer._version import __version__
from shearer.report.exports import csv_text
from shearer.report.outlying import VERSION, NumberedRows, plain_table, row_record, told_outliers

if TYPE_CHECKING:
    from shearer.tools import SubspaceOutlierDetector

SCORE = (
    "bits, by the share of rows that stand out as much in their values, their relations and their distance (10 bits: "
    "one row in 1024), the mean of the three or, if larger, those of a relation broken far beyond others"
)
# Reasons kept for a row, those printed, and related pairs printed.
_MOST_REASONS, _PRINTED_REASONS, _PRINTED_PAIRS = 5, 2, 10
_LONGEST_NAME = 40
# What the alignments of pairs are compared with.
_ALIKE = "like a correlation of"


def relation_document(
    detector: "SubspaceOutlierDetector", table: NumberedRows, *, source: str, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Everything a detector of `scheme="relations"` says of its training rows, as plain numbers and texts.

    Parameters
    ----------
    detector : SubspaceOutlierDetector
        Fitted to the columns of the table.
    table : NumberedRows
        The table.
    source : str
        Where it came from.
    notes : sequence of str
        What else a reader should know.
    """
    order = detector.decision_scores_.argsort(kind="stable")[::-1]
    called = [int(place) for place in order if detector.labels_[place]]
    own = table.numbers[called]
    reasons = detector.reasons(own, most=_MOST_REASONS) if called else []
    blamed = detector.explain(own, by="column").partition_by("row", maintain_order=True) if called else []
    pairs = zip(detector.names_, detector.strengths_.tolist(), strict=True)
    return {
        "version": VERSION,
        "settings": {
            "shearer": __version__,
            "source": source,
            "scheme": "relations",
            "rows": table.total,
            "used": len(table.rows),
            "score": SCORE,
            "n_neighbors": detector.n_neighbors,
            "random_state": detector.random_state,
        },
        "threshold": detector.threshold_,
        "relations": [{"columns": list(names), "strength": strength} for names, strength in pairs],
        "rows": [row_record(detector, table, int(place)) for place in order],
        "outliers": [
            row_record(detector, table, place)
            | {"reasons": reasons[k]}
            | {
                "columns": [
                    line | {"value": own[line["column"]][k]}
                    for line in blamed[k].drop("row").to_dicts()
                    if line["contribution"] > 0
                ]
            }
            for k, place in enumerate(called)
        ],
        "notes": [*notes, *table.notes],
    }


def relation_csv(document: Mapping[str, Any]) -> str:
    """One line a row, the highest score first; for outliers the first reason.

    Examples
    --------
    >>> row = {"row": 3, "label": None, "score": 7.5, "outlier": True}
    >>> reason = {"columns": ["a", "b"], "values": ["1", "2"], "words": "a = 1 with b = 2: not seen together"}
    >>> print(relation_csv({"rows": [row], "outliers": [row | {"reasons": [reason]}]}), end="")
    row,label,score,outlier,columns,reason
    3,,7.5,true,"a, b",a = 1 with b = 2: not seen together
    """
    first = {found["row"]: found["reasons"][:1] for found in document["outliers"]}
    lines = []
    for row in document["rows"]:
        told = first.get(row["row"], [])
        why = (", ".join(told[0]["columns"]), told[0]["words"]) if told else (None, None)
        lines.append([*row.values(), *why])
    return csv_text(["row", "label", "score", "outlier", "columns", "reason"], lines)


@dataclass(frozen=True, eq=False)
class BrokenRelationsView:
    """A renderable for `rich`: the rows that stand out and why, then the pairs of columns they were held against."""

    document: Mapping[str, Any]
    limit: int = 20

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Sentences and tables."""
        return told_outliers(self.document, self.limit, (), _listed, self._pairs())

    def _pairs(self) -> RenderableType:
        relations = self.document["relations"]
        if not relations:
            return Text("No two columns are clearly related: rows were held against no relation.")
        table = plain_table(["pairs of columns that rows were held against", _ALIKE], right=(_ALIKE,))
        for relation in relations[:_PRINTED_PAIRS]:
            names = ", ".join(printable(name, _LONGEST_NAME) for name in relation["columns"])
            table.add_row(Text(names), f"{relation['strength']:.2f}")
        if len(relations) > _PRINTED_PAIRS:
            table.add_row(Text(f"and {len(relations) - _PRINTED_PAIRS} more", style="dim"), "")
        return table


def _listed(outliers: Sequence[Mapping[str, Any]]) -> RenderableType:
    labelled = any(found["label"] is not None for found in outliers)
    table = plain_table(["row", *(["label"] if labelled else []), "score", "why"], right=("row", "score"))
    for found in outliers:
        why = "\n".join(printable(reason["words"], 200) for reason in found["reasons"][:_PRINTED_REASONS])
        label = [Text(printable(found["label"] or "", _LONGEST_NAME))] if labelled else []
        table.add_row(f"{found['row']}", *label, f"{found['score']:.3g}", Text(why))
    return table
