"""The result of a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from shearer import plotting
from shearer._cached import cached_property
from shearer._display import printable
from shearer._files import write_file
from shearer.comparing.compared_groups import Group
from shearer.comparing.drawn_pairs import drawn_pairs
from shearer.report import exports
from shearer.report.comparison_tables import comparison_csv, comparison_rows
from shearer.report.comparison_terminal import comparison_summary
from shearer.report.page.comparison_page import render_comparison
from shearer.screening.frames import make_frame

# Pairs of a picture.
_MOST_DRAWN = 25


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What differs between groups of rows.

    Attributes
    ----------
    document : dict
        All of it as plain data; see the documentation of its fields.
    groups : sequence
        What was compared, for pictures.
    library : str
        Whose tables `columns`, `pairs` and `triples` are.
    seed : int
        Of the sample of rows in pictures.

    Examples
    --------
    >>> import shearer as sh
    >>> found = sh.compare({"a": [1.0, 2.0, 3.0] * 20}, {"a": [7.0, 8.0, 9.0] * 20})
    >>> found.changed, found.document["columns"][0]["name"]
    (True, 'a')
    """

    document: dict[str, Any]
    groups: Sequence[Group] = field(repr=False)
    library: str
    seed: int

    def __repr__(self) -> str:
        """What was found."""
        settings = self.document["settings"]
        sizes = ", ".join(f"{group['name']}: {group['rows']:,} rows" for group in settings["groups"])
        columns, pairs = (sum(record["reported"] for record in self.document[part]) for part in ("columns", "pairs"))
        found = [f"{columns} of {settings['columns_tested']} columns", f"{pairs} of {settings['pairs_tested']} pairs"]
        if settings["triples_tested"] is not None:
            three = sum(record["reported"] for record in self.document["triples"])
            found.append(f"{three} of {settings['triples_tested']} triples")
        return f"Comparison({sizes}; {', '.join(found[:-1])} and {found[-1]} differ)"

    @property
    def changed(self) -> bool:
        """Whether any column, pair or triple differs at the false discovery rate."""
        return any(record["reported"] for part in ("columns", "pairs", "triples") for record in self.document[part])

    @cached_property
    def columns(self) -> Any:
        """One row for each column, those that differ first."""
        return make_frame(_table(comparison_rows(self.document, "columns")), self.library)

    @cached_property
    def pairs(self) -> Any:
        """One row for each pair, those that differ first; strengths in one column for each group."""
        return make_frame(_table(comparison_rows(self.document, "pairs")), self.library)

    @cached_property
    def triples(self) -> Any:
        """One row for each triple, those that differ first; none unless they were asked for."""
        return make_frame(_table(comparison_rows(self.document, "triples")), self.library)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The document as JSON, also written to a file if a path is given."""
        return exports.to_json(self.document, path)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Pairs to a file, columns (and triples) beside it: ``out.csv``, ``out-columns.csv``, ``out-triples.csv``."""
        for place, text in comparison_csv(self.document, path).items():
            write_file("path", place, text.encode("utf-8", "backslashreplace"))

    def to_html(self, path: str | PathLike[str] | None = None, *, rows: bool = True) -> str:
        """One page that opens in any browser without a network, also written to a file if a path is given.

        Parameters
        ----------
        path : path, optional
            Where to write it.
        rows : bool, default True
            With samples of rows, for pictures of what differs. False keeps all rows of the tables out of the page.
        """
        text = render_comparison(self.document, drawn_pairs(self.document, self.groups, self.seed) if rows else {})
        if path is not None:
            write_file("path", path, text.encode())
        return text

    def plot(self, ax: Any = None) -> Any:
        """Strengths of the pairs that differ, or of the first ones, in all groups: a picture by matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw.
        """
        pairs = [pair for pair in self.document["pairs"] if pair["reported"]] or self.document["pairs"]
        shown = pairs[:_MOST_DRAWN]
        names = [" · ".join(printable(name, 20) for name in pair["variables"]) for pair in shown]
        groups = [printable(group["name"], 30) for group in self.document["settings"]["groups"]]
        values = [[np.nan if value is None else value for value in pair["strength"]] for pair in shown]
        return plotting.dumbbells(np.array(values).reshape(len(shown), len(groups)), names, groups, ax=ax)

    def _repr_html_(self) -> str:
        """For notebooks: what was found in words, and the pairs that differ."""
        return comparison_summary(self.document)


def _table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
