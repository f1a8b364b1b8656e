"""What a comparison found as a short text for the terminal, and for a notebook."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from shearer._display import printable
from shearer.report.comparison_words import CHANGES, comparison_sentences

_LONGEST_NAME, _LONGEST_GROUP, _MOST_GROUPS = 26, 14, 6
_MOST_LISTED = 10


@dataclass(frozen=True, eq=False)
class ComparisonView:
    """A renderable for `rich`: sentences, pairs, triples and columns that differ, notes.

    Attributes
    ----------
    document : mapping
        Of a comparison.
    limit : int
        Pairs, triples and columns shown at most, each.

    Examples
    --------
    >>> import numpy as np
    >>> from rich.console import Console
    >>> import shearer as sh
    >>> x = np.random.default_rng(0).normal(size=(3, 200))
    >>> found = sh.compare({"a": x[0], "b": x[0] + x[1]}, {"a": x[1], "b": x[2]}, names=["May", "June"])
    >>> console = Console(width=100, color_system=None)
    >>> with console.capture() as text:
    ...     console.print(ComparisonView(found.document))
    >>> "no dependence found in June" in text.get()
    True
    """

    document: Mapping[str, Any]
    limit: int = 15

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Sentences, tables, notes."""
        for sentence in comparison_sentences(self.document):
            yield Text(printable("".join(sentence)))
        pairs = [pair for pair in self.document["pairs"] if pair["reported"]]
        columns = [column for column in self.document["columns"] if column["reported"]]
        triples = [triple for triple in self.document["triples"] if triple["reported"]]
        for found, table in ((pairs, self._pairs), (triples, self._triples), (columns, self._columns)):
            if found[: self.limit]:
                yield Text()
                yield table(found[: self.limit])
            if len(found) > self.limit > 0:
                yield Text(f"and {len(found) - self.limit} more")
        if self.document["notes"]:
            yield Text()
            yield Text("Notes", style="bold")
            for note in self.document["notes"]:
                yield Text(f"• {printable(note)}")

    def _groups(self) -> list[str]:
        groups = [group["name"] for group in self.document["settings"]["groups"]]
        return [printable(name, _LONGEST_GROUP) for name in groups[:_MOST_GROUPS]]

    def _pairs(self, found: list[Mapping[str, Any]]) -> Table:
        table = _table("pair", "", *self._groups(), "change", "q")
        for pair in found:
            names = [Text(printable(name, _LONGEST_NAME)) for name in pair["variables"]]
            values = ["–" if value is None else f"{value:.2f}" for value in pair["strength"][:_MOST_GROUPS]]
            table.add_row(*names, *values, CHANGES[pair["change"]], f"{pair['qvalue']:.0e}")
        return table

    def _triples(self, found: list[Mapping[str, Any]]) -> Table:
        table = _table("triple, beyond its pairs", "", *self._groups(), "q", third=True)
        for triple in found:
            names = [Text(printable(name, _LONGEST_NAME)) for name in triple["variables"]]
            values = ["–" if value is None else f"{value:.2f}" for value in triple["excess"][:_MOST_GROUPS]]
            table.add_row(*names, *values, f"{triple['qvalue']:.0e}")
        return table

    def _columns(self, found: list[Mapping[str, Any]]) -> Table:
        table = _table("column", "", *self._groups(), "missing", "q")
        for column in found:
            medians = column["median"] or [None] * len(column["n"])
            values = ["" if value is None else f"{value:.4g}" for value in medians[:_MOST_GROUPS]]
            what = "median" if column["median"] else "labels"
            gone = "/".join(f"{number:,}" for number in column["missing"]) if any(column["missing"]) else ""
            name = Text(printable(column["name"], _LONGEST_NAME))
            table.add_row(name, what, *values, gone, f"{column['qvalue']:.0e}")
        return table


def _table(first: str, second: str, *others: str, third: bool = False) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in (first, second, *([""] if third else [])):
        table.add_column(name, no_wrap=True)
    for name in others:
        table.add_column(Text(name), justify="right", no_wrap=True)
    return table


def comparison_summary(document: Mapping[str, Any]) -> str:
    """Sentences and the pairs that differ as HTML, every name escaped."""
    groups = [escape(printable(group["name"], 30)) for group in document["settings"]["groups"]]
    words = "".join(f"<p>{escape(''.join(sentence))}</p>" for sentence in comparison_sentences(document))
    found = [pair for pair in document["pairs"] if pair["reported"]][:_MOST_LISTED]
    rows = "".join(_row(pair) for pair in found)
    heads = "".join(f"<th>{name}</th>" for name in ("variables", *groups, "change", "q-value"))
    return words + (f"<table><tr>{heads}</tr>{rows}</table>" if found else "")


def _row(pair: Mapping[str, Any]) -> str:
    names = " &middot; ".join(escape(printable(name, 60)) for name in pair["variables"])
    values = ["" if value is None else f"{value:.2f}" for value in pair["strength"]]
    cells = "".join(f"<td>{text}</td>" for text in (*values, CHANGES[pair["change"]], f"{pair['qvalue']:.2g}"))
    return f"<tr><td>{names}</td>{cells}</tr>"
