"""The result of a scan."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from shearer import plotting
from shearer._cached import cached_property
from shearer._files import write_file
from shearer._validate import check_option
from shearer.data.columns import Columns
from shearer.report import exports, render_page
from shearer.report.notebook import notebook_summary
from shearer.scanning.columns.chosen import sample_rows
from shearer.screening.frames import make_frame

# Pictures of a report: pairs and triples whose columns are sampled.
_MOST_PICTURES = 60
# The same where nothing was found.
_CLOSEST = 6
# Of the fields of a table without rows that are not numbers.
_TYPES = dict.fromkeys(("kind", "sign", "determines", "shape", "shape_along"), object) | {"n": int, "reported": bool}


@dataclass(frozen=True, eq=False, repr=False)
class Scan:
    """What depends on what in a table.

    Attributes
    ----------
    document : dict
        All of it as plain data; see the documentation of its fields.
    sources : mapping
        The columns, for pictures.
    library : str
        Whose tables `pairs` and `triples` are.
    seed : int
        Of the sample of rows in reports.

    Examples
    --------
    >>> import shearer as sh
    >>> found = sh.scan(sh.datasets.planted_table(100).columns, order=2)
    >>> found.pairs.select("first", "second").row(0)
    ('dose', 'response')
    """

    document: dict[str, Any]
    sources: Columns = field(repr=False)
    library: str
    seed: int

    def __repr__(self) -> str:
        """What was found."""
        settings = self.document["settings"]
        pairs = sum(pair["reported"] for pair in self.document["pairs"])
        triples = sum(triple["reported"] for triple in self.document["triples"])
        size = f"{len(self.document['columns'])} columns, {settings['rows']} rows"
        found = f"{pairs} of {settings['pairs_tested']} pairs, {triples} of {settings['triples_tested']} triples"
        if "quadruples" in self.document:
            fours = sum(four["reported"] for four in self.document["quadruples"])
            found += f", {fours} of {settings['quadruples_screened']} quadruples"
        return f"Scan({size}: {found})"

    @cached_property
    def pairs(self) -> Any:
        """One row for each pair: those reported before the others, the strongest first."""
        return make_frame(_columns(self.document["pairs"], ("first", "second")), self.library)

    @cached_property
    def triples(self) -> Any:
        """One row for each triple that was tested, the most significant first."""
        return make_frame(_columns(self.document["triples"], ("first", "second", "third")), self.library)

    @cached_property
    def quadruples(self) -> Any:
        """One row for each quadruple that passed the screen, the most significant first; none without ``order=4``."""
        places = ("first", "second", "third", "fourth")
        return make_frame(_columns(self.document.get("quadruples", []), places), self.library)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """The document as JSON, also written to a file if a path is given."""
        return exports.to_json(self.document, path)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Pairs to a file, and beside it triples and quadruples, if there are any: ``out-triples.csv`` and so on."""
        exports.to_csv(self.document, path)

    def to_graphml(self, path: str | PathLike[str]) -> None:
        """The graph of the reported pairs, for programs that draw and analyse networks."""
        exports.to_graphml(self.document, path)

    def to_html(self, path: str | PathLike[str] | None = None, *, rows: bool = True) -> str:
        """One page that opens in any browser without a network, also written to a file if a path is given.

        Parameters
        ----------
        path : path, optional
            Where to write it.
        rows : bool, default True
            With a sample of rows, for pictures of what was found. False keeps all rows of the table out of the page.
        """
        text = render_page(self.document, self.sample() if rows else None)
        if path is not None:
            write_file("path", path, text.encode())
        return text

    def plot(self, kind: str = "heatmap", ax: Any = None) -> Any:
        """Strengths as a picture by matplotlib, on a scale from 0 to 1.

        Parameters
        ----------
        kind : {"heatmap", "network"}
            All pairs as a square, or the reported ones as a graph.
        ax : Axes, optional
            Where to draw.
        """
        check_option("kind", kind, ("heatmap", "network"))
        names = list(dict.fromkeys(name for record in self.document["pairs"] for name in record["variables"]))
        weights = np.zeros((len(names), len(names)))
        for record in self.document["pairs"]:
            if kind == "heatmap" or record["reported"]:
                i, j = (names.index(name) for name in record["variables"])
                weights[i, j] = weights[j, i] = record["strength"] or 0.0
        if kind == "network":
            return plotting.network(weights, names, ax=ax)
        return plotting.heatmap(weights, names, label="strength", high=1.0, ax=ax)

    def _repr_html_(self) -> str:
        """For notebooks: what was found in words, the strongest pairs drawn and listed, the triples."""
        return notebook_summary(self.document, self.sample())

    def sample(self) -> dict[str, Any]:
        """The rows that pictures of a report are drawn from: some of those of the columns found to depend.

        Where none were, of those that came closest.
        """
        found = [
            record
            for part in ("pairs", "triples", "quadruples")
            for record in self.document.get(part, [])[:_MOST_PICTURES]
        ]
        chosen = [record for record in found if record["reported"]] or self.document["pairs"][:_CLOSEST]
        names = [name for record in chosen for name in record["variables"]]
        # A picture of a lag needs rows that follow each other.
        rng = np.random.default_rng(self.seed) if self.document["settings"]["lags"] is None else None
        return sample_rows(self.sources, names, rng)


def _columns(records: Sequence[dict[str, Any]], places: Sequence[str]) -> dict[str, Any]:
    """Records of the document as columns of numbers and names."""
    columns: dict[str, Any] = {
        place: np.array([record["variables"][i] for record in records], dtype=object) for i, place in enumerate(places)
    }
    if not records:
        part = {2: "pairs", 3: "triples", 4: "quadruples"}[len(places)]
        return columns | {field: np.empty(0, dtype=_TYPES.get(field, float)) for field in exports.SCREENED[part]}
    for key in records[0]:
        if key not in ("variables", "measured", "details"):
            columns[key] = [record[key] for record in records]
    inner = _details if len(places) == 2 else _measured
    for key in dict.fromkeys(key for record in records for key in inner(record)):
        columns[key] = [inner(record).get(key) for record in records]
    return columns


def _details(pair: dict[str, Any]) -> dict[str, Any]:
    return pair["details"] or {}


def _measured(triple: dict[str, Any]) -> dict[str, Any]:
    """What was measured of a triple, the interval as two numbers."""
    found = triple.get("measured") or {}
    plain = {key: found[key] for key in found if key not in ("alpha", "interval", "interval_note", "adjusted")}
    low, high = found.get("interval") or (None, None)
    return plain | {"low": low, "high": high} if found else {}
