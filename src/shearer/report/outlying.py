"""The outliers of a table: numbers as a mapping, as csv, and as a text for the terminal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from shearer._display import printable
from shearer._version import __version__
from shearer.report.exports import csv_text

if TYPE_CHECKING:
    import polars as pl

    from shearer.tools import SubspaceOutlierDetector

VERSION = 1
_LONGEST_NAME, _MOST_BLAMED = 40, 3
# How scores of the sets of columns are joined -> what the score is, and what its numbers mean.
_FACTOR = "the local outlier factor, {} over the sets of columns below: about 1 for a row among others, 2 where rows "
_FACTOR += "lie half as dense around it as around its neighbors"
_RANK = "the share of rows that are less outlying, its mean over the sets of columns below: 0.5 for an ordinary row"
_PLACE = "the best place in any set of columns below, by the local outlier factor: 1 for the first row, 0 for the last"
_SCORES = {
    "mean": _FACTOR.format("its mean"),
    "max": _FACTOR.format("the largest"),
    "rank": _RANK,
    "breadth_first": _PLACE,
}
# Between these shares of the rows lie values that are called usual.
_USUAL = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class NumberedRows:
    """The rows of a table that can be looked at.

    Attributes
    ----------
    numbers : polars.DataFrame
        Their numbers, and where these are asked for their labels.
    rows : sequence of int
        Where they stand in the table, the first row being 1.
    labels : sequence of str or None
        What they are called.
    total : int
        Rows of the table.
    notes : tuple of str
        What was left out.
    """

    numbers: "pl.DataFrame"
    rows: Sequence[int]
    labels: Sequence[str] | None
    total: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, frame: "pl.DataFrame", label: str | None = None, *, with_labels: bool = False) -> "NumberedRows":
        """The columns of numbers, on the rows that have all of them; the column that names the rows is kept apart.

        Parameters
        ----------
        frame : polars.DataFrame
            The table.
        label : str, optional
            The column that names the rows.
        with_labels : bool
            Keep columns of labels too, as texts, but those with a value of its own in every row.
        """
        import polars as pl
        import polars.selectors as cs

        chosen = frame if label is None else frame.drop(label)
        numbers = chosen.select((cs.numeric() | cs.boolean()).cast(pl.Float64))
        present = [column.is_finite().fill_null(False) for column in numbers]
        complete = reduce(and_, present, pl.repeat(True, chosen.height, eager=True))
        places = complete.arg_true()
        kept = [*numbers.columns]
        if with_labels:
            kept += [own.name for own in chosen if own.dtype in (pl.String, pl.Categorical, pl.Enum) and _repeats(own)]
        left_out = [name for name in chosen.columns if name not in kept]
        notes = []
        if left_out:
            why = "they hold neither numbers nor labels that occur twice" if with_labels else "they hold no numbers"
            notes.append(f"left out, as {why}: {', '.join(printable(name, 40) for name in left_out)}")
        if len(places) < chosen.height:
            notes.append(f"{len(frame) - len(places)} of {len(frame)} rows lack a finite value and are left out")
        labels = None if label is None else frame[label].cast(pl.String)[places].to_list()
        whole = chosen.filter(complete).select(pl.col(kept)) if kept else pl.DataFrame()
        whole = whole.with_columns((cs.numeric() | cs.boolean()).cast(pl.Float64), cs.categorical().cast(pl.String))
        return cls(whole, (places + 1).to_list(), labels, len(frame), tuple(notes))


def _repeats(labels: "pl.Series") -> bool:
    """Whether a label occurs twice, and there is more than one."""
    return 1 < labels.n_unique() < len(labels)


def outlier_document(
    detector: "SubspaceOutlierDetector", table: NumberedRows, *, source: str, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Everything a fitted detector says of its training rows, as plain numbers and texts.

    Parameters
    ----------
    detector : SubspaceOutlierDetector
        Fitted to the numbers of the table.
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
    where, blamed = (_by_row(detector.explain(own, by=by)) if called else [] for by in ("subspace", "column"))
    search = detector.search_.get_params(deep=False)
    settings = {name: search[name] for name in ("measure", "alpha", "max_size", "max_rows", "random_state")}
    settings |= {name: getattr(detector, name) for name in ("n_subspaces", "n_neighbors", "combination")}
    usual = {name: [table.numbers[name].quantile(share) for share in _USUAL] for name in table.numbers.columns}
    sets = zip(detector.names_, detector.search_.scores_.tolist(), strict=True)
    return {
        "version": VERSION,
        "settings": {
            "shearer": __version__,
            "source": source,
            "rows": table.total,
            "used": len(table.rows),
            "score": _SCORES[settings["combination"]],
            **settings,
        },
        "threshold": detector.threshold_,
        "subspaces": [{"columns": list(names), "score": score} for names, score in sets],
        "rows": [row_record(detector, table, int(place)) for place in order],
        "outliers": [
            row_record(detector, table, place)
            | {"subspaces": where[k].drop("row").to_dicts()}
            | {
                "columns": [
                    line | {"value": own[line["column"]][k], "usual": usual[line["column"]]}
                    for line in blamed[k].drop("row").to_dicts()
                ]
            }
            for k, place in enumerate(called)
        ],
        "notes": [*notes, *table.notes],
    }


def _by_row(lines: Any) -> Any:
    return lines.partition_by("row", maintain_order=True)


def row_record(detector: "SubspaceOutlierDetector", table: NumberedRows, place: int) -> dict[str, Any]:
    """Where a row stands, what it is called, its score and whether that makes it an outlier."""
    label = None if table.labels is None else table.labels[place]
    score = float(detector.decision_scores_[place])
    return {"row": table.rows[place], "label": label, "score": score, "outlier": bool(detector.labels_[place])}


def outlier_csv(document: Mapping[str, Any]) -> str:
    """One line a row, the highest score first; for outliers the subspace and the column that give most to the score.

    Examples
    --------
    >>> row = {"row": 3, "label": "=x", "score": 2.5, "outlier": False}
    >>> print(outlier_csv({"rows": [row], "outliers": []}), end="")
    row,label,score,outlier,subspace,column
    3,'=x,2.5,false,,
    """
    reasons = {
        found["row"]: (found["subspaces"][0]["subspace"], found["columns"][0]["column"])
        for found in document["outliers"]
    }
    rows = ([*row.values(), *reasons.get(row["row"], (None, None))] for row in document["rows"])
    return csv_text(["row", "label", "score", "outlier", "subspace", "column"], rows)


@dataclass(frozen=True, eq=False)
class OutlierView:
    """A renderable for `rich`: the rows that stand out and why, then the subspaces looked at."""

    document: Mapping[str, Any]
    limit: int = 20

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Sentences and tables."""
        legend = ["blamed: the columns that raise it most, and in brackets where 90 of 100 rows are."]
        return told_outliers(self.document, self.limit, legend, _outliers, _subspaces(self.document))


def told_outliers(
    document: Mapping[str, Any],
    limit: int,
    legend: Sequence[str],
    listed: Callable[[Sequence[Mapping[str, Any]]], RenderableType],
    beside: RenderableType,
) -> Iterator[RenderableType]:
    """How many rows stand out, those at the top as `listed` shows them, what they were held against, and notes."""
    settings, outliers = document["settings"], document["outliers"]
    source = printable(settings["source"] or "The table", 60)
    found = f"{len(outliers) or 'none'} {'stands' if len(outliers) < 2 else 'stand'} out most"
    yield Text(f"{source}: {settings['used']} of {settings['rows']} rows, {found}. Rows are counted from 1.")
    if outliers[:limit]:
        yield from map(Text, [f"score: {settings['score']}.", *legend, ""])
        yield listed(outliers[:limit])
    if len(outliers) > limit:
        yield Text(f" and {len(outliers) - limit} more", style="dim")
    yield Text()
    yield beside
    for note in document["notes"]:
        yield Text(f"note: {printable(note)}", style="dim")


def _outliers(outliers: Sequence[Mapping[str, Any]]) -> Table:
    labelled = any(found["label"] is not None for found in outliers)
    table = plain_table(
        ["row", *(["label"] if labelled else []), "score", "blamed", "in the set"], right=("row", "score")
    )
    for found in outliers:
        blamed = [column for column in found["columns"][:_MOST_BLAMED] if column["contribution"] > 0]
        reasons = ", ".join(_blamed(column) for column in blamed)
        label = [Text(printable(found["label"] or "", _LONGEST_NAME))] if labelled else []
        subspace = printable(found["subspaces"][0]["subspace"], 2 * _LONGEST_NAME)
        table.add_row(f"{found['row']}", *label, f"{found['score']:.3g}", Text(reasons), Text(subspace))
    return table


def _blamed(column: Mapping[str, Any]) -> str:
    low, high = column["usual"]
    return f"{printable(column['column'], _LONGEST_NAME)} = {column['value']:.4g} ({low:.4g} to {high:.4g})"


def _subspaces(document: Mapping[str, Any]) -> Table:
    measure = f"{document['settings']['measure']}, 1 at most"
    table = plain_table(["sets of columns that depend most", measure], right=(measure,))
    for subspace in document["subspaces"]:
        names = ", ".join(printable(name, _LONGEST_NAME) for name in subspace["columns"])
        table.add_row(Text(names), f"{subspace['score']:.2f}")
    return table


def plain_table(headings: Sequence[str], right: Sequence[str]) -> Table:
    """A table without lines, whose columns of numbers stay whole where there is little room."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        numbers = heading in right
        table.add_column(heading, justify="right" if numbers else "left", no_wrap=numbers, overflow="fold")
    return table
