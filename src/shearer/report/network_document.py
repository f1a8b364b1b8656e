"""A fitted network as a plain document, and as a short text for the terminal."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from shearer._display import printable
from shearer._version import __version__
from shearer.tools import DependenceNetwork
from shearer.tools.networks.presets import resolve

_SETTINGS = (
    "preset", "alpha", "weight", "fdr", "threshold", "top_k", "indirect", "regulators", "stability", "test", "missing",
    "random_state",
)  # fmt: skip
_LONGEST_NAME = 30
# What the numbers of a link mean.
_WEIGHTS = {
    "information": "share of what a copy would tell, 0.17 for normal columns whose correlation is 0.5",
    "value": "mutual information I* of order {alpha:g}, at most 1",
    "strength": "strength, on the scale of a correlation",
    "adjusted": "mutual information adjusted for chance, 1 for copies",
    "pvalue": "-log10 of p",
}
_IN_CONTEXT = {
    "clr": "how far a pair stands out among those of either column, in standard deviations, by the {}",
    "clr-rank": "mean of two ranks of a pair, 1 for the first: among all, and by how far it stands out among those of "
    "either column, both by the {}",
}
_INDIRECT = "Links may be indirect, through other columns; --indirect pc takes these away."
_LEFT = "Links that other columns explain are left out."


def network_document(network: DependenceNetwork, *, source: Any, rows: int, notes: list[str]) -> dict[str, Any]:
    """Everything that was found, of plain types: version, source, rows, columns, settings, edges, notes."""
    columns = {name: values.tolist() for name, values in network.edge_columns().items()}
    chosen = resolve(network.preset, network.weight, network.alpha, network.kernel, network.normalize, network.indirect)
    alpha = chosen.alpha if chosen.weight in ("value", "adjusted") else None
    settings = {name: getattr(network, name) for name in _SETTINGS}
    settings |= {"weight": chosen.weight, "alpha": alpha, "indirect": chosen.indirect}
    return {
        "version": __version__,
        "source": source,
        "rows": rows,
        "columns": list(network.names_),
        "settings": settings,
        "edges": [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)],
        "notes": notes,
    }


@dataclass(frozen=True, eq=False)
class NetworkView:
    """A renderable for `rich`: how many links there are, the heaviest of them, notes.

    Attributes
    ----------
    document : mapping
        Of `network_document`.
    limit : int
        Links shown at most.

    Examples
    --------
    >>> from rich.console import Console
    >>> edge = {"source": "a", "target": "b", "weight": 0.5, "pvalue": 1e-9, "qvalue": 2e-9}
    >>> settings = {"weight": "strength", "indirect": "pc", "regulators": None}
    >>> document = {"rows": 100, "columns": ["a", "b", "c"], "edges": [edge], "settings": settings, "notes": []}
    >>> Console(width=80, color_system=None).print(NetworkView(document))
    1 link between 3 variables, from 100 rows.
    <BLANKLINE>
    source  target  weight      p      q
    a       b        0.500  1e-09  2e-09
    weight: strength, on the scale of a correlation. p: of independence, rows taken
    as independent of each other. q: false discovery rate among pairs with this p or
    less. Links have no direction. Links that other columns explain are left out.
    """

    document: Mapping[str, Any]
    limit: int = 20

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """A sentence, a table, notes."""
        edges, columns = self.document["edges"], self.document["columns"]
        links = "1 link" if len(edges) == 1 else f"{len(edges) or 'No'} links"
        yield Text(f"{links} between {len(columns)} variables, from {self.document['rows']} rows.")
        if edges[: self.limit]:
            yield Text()
            yield _table(edges[: self.limit])
        if len(edges) > self.limit:
            yield Text(f"and {len(edges) - self.limit} more")
        if edges[: self.limit]:
            yield Text(_legend(self.document), style="dim")
        for note in self.document["notes"]:
            yield Text(f"note: {printable(note)}")


def _legend(document: Mapping[str, Any]) -> str:
    """What the columns of the table are."""
    settings, edge = document["settings"], document["edges"][0]
    weight, indirect = _WEIGHTS[settings["weight"]].format(alpha=settings.get("alpha") or 1), settings["indirect"]
    if indirect in _IN_CONTEXT:
        weight = _IN_CONTEXT[indirect].format(weight.split(",")[0])
    told = [f"weight: {weight}."]
    if not math.isnan(edge["pvalue"]):
        told.append("p: of independence, rows taken as independent of each other.")
        told.append("q: false discovery rate among pairs with this p or less.")
    if "stability" in edge:
        told.append(
            f"stability: share of {settings['stability']} halves of the rows in which a link is among as many heaviest."
        )
    told.append("source: the regulator." if settings["regulators"] else "Links have no direction.")
    told.append(_INDIRECT if indirect in (None, *_IN_CONTEXT) else _LEFT)
    return " ".join(told)


def _table(edges: list[dict[str, Any]]) -> Table:
    known = [name for name in ("pvalue", "qvalue") if not math.isnan(edges[0][name])]
    stable = "stability" in edges[0]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("source", "target"):
        table.add_column(name, no_wrap=True)
    for name in ("weight", *(name[0] for name in known), *(["stability"] * stable)):
        table.add_column(name, justify="right", no_wrap=True)
    for edge in edges:
        names = [Text(printable(edge[end], _LONGEST_NAME)) for end in ("source", "target")]
        again = [f"{edge['stability']:.2f}"] if stable else []
        table.add_row(*names, f"{edge['weight']:.3f}", *(f"{edge[name]:.0e}" for name in known), *again)
    return table
