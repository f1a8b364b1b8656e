"""One self-contained page of what a scan found."""

import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from shearer._cached import cached_property
from shearer.report.page.arrangement import lay_out, map_order
from shearer.report.page.colors import ramp
from shearer.report.page.packing import json_block, pack_relations
from shearer.report.page.sample import pack_sample
from shearer.report.pair_sentences import pair_sentences
from shearer.report.relations import FLOOR, KINDS, Relations, check_document, read_relations
from shearer.report.sentences import (
    found_triples,
    named_pairs,
    pictured_pairs,
    strongest_pairs,
    summary,
    triple_sentence,
)
from shearer.report.wording import Name, count, plain_name

# Beyond these a page outgrows five megabytes; what is left out comes last in the document, and the page says so.
MOST_PAIRS = 80_000
MOST_TRIPLES = 20_000
_MOST_PICTURED = 24
_MOST_QUADRUPLES = 100

# In the order of the page: what a later one uses stands before it.
_STYLES = ("base.css", "sections.css", "charts.css", "table.css", "print.css")
_SCRIPTS = (
    "dom.js",
    "words.js",
    "model.js",
    "theme.js",
    "axes.js",
    "scatter.js",
    "labels.js",
    "pictures.js",
    "detail.js",
    "map_grid.js",
    "map.js",
    "ranking.js",
    "links.js",
    "network.js",
    "gallery.js",
    "table.js",
    "tables.js",
    "downloads.js",
    "start.js",
)


def render_page(document: Mapping[str, Any], sample: Mapping[str, Any] | None = None) -> str:
    """What a scan found as one HTML file that asks the network for nothing.

    Parameters
    ----------
    document : mapping
        What a scan found, as plain numbers and texts.
    sample : mapping, optional
        Rows to draw: ``{"rows": m, "columns": {name: {"values": [...]} or {"codes": [...], "levels": [...]}}}``, an
        optional "label" names the axis. Rows that follow each other if the scan had lags. Without it, no pictures.

    Returns
    -------
    str
        The page: summary in words, map, network, pictures, tables, the state of the data, what was run.

    Examples
    --------
    >>> from shearer.report import render_page
    >>> columns = [{"name": name, "kind": "continuous", "n": 50, "missing": 0, "distinct": 50, "members": [],
    ...             "notes": []} for name in ("dose", "<response>")]
    >>> pair = {"variables": ["dose", "<response>"], "strength": 0.64, "pvalue": 1e-9, "qvalue": 1e-9}
    >>> settings = {"source": "trial.csv", "rows": 50, "order": 2, "fdr": 0.05, "target": None, "lags": None}
    >>> page = render_page({"version": 2, "settings": settings, "columns": columns, "triples": [],
    ...                     "pairs": [pair | {"n": 50, "reported": True, "details": None}], "notes": []})
    >>> page.splitlines()[0], "<response>" in page
    ('<!doctype html>', False)
    """
    check_document(document)
    pairs, triples = (read_relations(document, part) for part in ("pairs", "triples"))
    shown = _Shown(document, pairs.first(MOST_PAIRS), triples.first(MOST_TRIPLES), (len(pairs), len(triples)))
    style, script = ("\n".join(asset(name) for name in names) for names in (_STYLES, _SCRIPTS))
    page: str = page_template().render(
        style=style,
        script=script,
        style_hash=content_hash(style),
        script_hash=content_hash(script),
        data=json_block(shown.data(sample)),
        source=plain_name(str(document["settings"].get("source") or "a table")),
        sentences=summary(document),
        figures=_figures(document, pairs, triples),
        settings=_settings(document),
        columns=document["columns"],
        kinds=KINDS,
        remarks=any(column.get("members") or column.get("notes") for column in document["columns"]),
        notes=[*document["notes"], *shown.left_out()],
        has_pairs=len(pairs) > 0,
        has_links=bool(pairs.reported.any()),
        has_network=bool(pairs.reported.any() or found_triples(triples, "synergistic")),
        has_triples=len(triples) > 0,
        quadruples=_quadruples(document),
        has_sample=sample is not None,
        target=bool(document["settings"].get("target")),
        lags=document["settings"].get("lags"),
        fdr=document["settings"]["fdr"],
        floor=f"{FLOOR:g}",
        plain=plain_name,
        is_name=lambda part: isinstance(part, Name),
    )
    # A lone half of a surrogate pair, which a name may hold, has no bytes.
    return page.encode("utf-8", "replace").decode("utf-8")


def _quadruples(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """The first reported sets of four, as texts."""
    reported = [four for four in document.get("quadruples", []) if four["reported"]]
    return [
        {
            "names": ", ".join(plain_name(name) for name in four["variables"]),
            "added": f"{four['added']:.2f}",
            "pvalue": f"{four['pvalue']:.2g}",
            "qvalue": f"{four['qvalue']:.2g}",
            "n": f"{four['n']:,}",
        }
        for four in reported[:_MOST_QUADRUPLES]
    ]


class _Shown:
    """What of a document goes onto the page."""

    def __init__(
        self, document: Mapping[str, Any], pairs: Relations, triples: Relations, totals: tuple[int, int]
    ) -> None:
        self.document, self.pairs, self.triples, self.totals = document, pairs, triples, totals

    def data(self, sample: Any) -> dict[str, Any]:
        """Everything that the scripts read."""
        document, pairs, triples = self.document, self.pairs, self.triples
        lags = document["settings"].get("lags") is not None
        strength = pairs.found_strength(len(document["columns"]))
        links, pictured = strongest_pairs(pairs), pictured_pairs(document, pairs)
        return {
            "version": document["version"],
            "settings": document["settings"],
            "columns": document["columns"],
            "notes": document["notes"],
            "pairs": pack_relations(pairs, self.totals[0]),
            "pairWords": self._pair_words(),
            "triples": pack_relations(triples, self.totals[1]),
            "order": map_order(strength, self._mapped()),
            "network": vars(lay_out(pairs, links, triples.index[self._synergies])),
            "pictured": {"pairs": pictured[: max(_MOST_PICTURED, self._top())], "triples": self._synergy_words()},
            "named": named_pairs(document, pairs),
            "independentRows": not document.get("dependent_rows"),
            "sample": pack_sample(sample, document["columns"], consecutive=lags),
            "ramp": {theme: ramp(theme) for theme in ("light", "dark")},
        }

    def _mapped(self) -> list[int]:
        """Columns that have a place on the map: not those that were left out of the tests."""
        paired = {*self.pairs.index.reshape(-1).tolist()}
        columns = enumerate(self.document["columns"])
        return [place for place, column in columns if place in paired or not column.get("notes")]

    def _top(self) -> int:
        return int(self.document["settings"].get("top") or 0)

    @cached_property
    def _synergies(self) -> list[int]:
        return found_triples(self.triples, "synergistic")

    def _pair_words(self) -> list[list[Any]]:
        """Of the pairs that were looked at closely what they determine, their shape and their direction."""
        rows = enumerate(self.document["pairs"][: len(self.pairs)])
        told = ((row, pair_sentences(pair)) for row, pair in rows)
        return [[row, " ".join("".join(words) for words in sentences)] for row, sentences in told if sentences]

    def _synergy_words(self) -> list[list[Any]]:
        """The first synergistic triples, and what each adds to its pairs."""
        rows = self._synergies[:_MOST_PICTURED]
        return [[row, "".join(triple_sentence(self.document, self.pairs, self.triples, row))] for row in rows]

    def left_out(self) -> list[str]:
        """What a large document has and the page has not."""
        shown = (len(self.pairs), len(self.triples))
        return [
            f"The page holds the {kept:,} {first} of {count(total, noun)}; the scan's JSON file holds all."
            for kept, total, noun, first in zip(
                shown, self.totals, ("pair", "triple"), ("strongest", "most significant"), strict=True
            )
            if kept < total
        ]


def _figures(document: Mapping[str, Any], pairs: Relations, triples: Relations) -> list[tuple[str, str]]:
    """The few numbers that stand large under the headline."""
    settings, columns = document["settings"], document["columns"]
    noun = "variables" if any(column.get("members") for column in columns) else "columns"
    figures = [(f"{settings['rows']:,}", "rows"), (f"{len(columns):,}", noun)]
    tested = settings.get("pairs_tested") or len(pairs)
    delays = " with delays" if pairs.lags is not None else ""
    figures.append((f"{int(pairs.reported.sum()):,}", f"dependent, of {count(tested, 'pair')}{delays}"))
    tested = settings.get("triples_tested") or len(triples)
    if tested:
        synergistic = found_triples(triples, "synergistic")
        figures.append((f"{len(synergistic):,}", f"synergistic, of {count(tested, 'triple')}"))
    return figures


def _settings(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was run, a line each."""
    settings = document["settings"]
    words = {
        "shearer": "Version of shearer",
        "source": "Source",
        "date": "Date",
        "seconds": "Seconds",
        "rows": "Rows",
        "order": "Largest group tested",
        "fdr": "False discovery rate",
        "alpha": "Order of the entropy (alpha) of what was measured closely",
        "top": "Pairs and triples measured closely",
        "seed": "Seed",
        "target": "Target",
        "groups": "Columns taken together",
        "lags": "Lags, in rows",
        "given": "Known, and taken out of every pair",
        "cluster": "Rows that may depend on each other",
        "pairs_tested": "Pairs tested",
        "triples_tested": "Triples screened",
        "triples_passed": "Triples tested for a three-way term",
        "triples_possible": "Triples possible",
        "quadruples_screened": "Quadruples screened",
        "quadruples_passed": "Quadruples that passed",
        "quadruples_possible": "Quadruples possible",
    }
    lines = []
    for key, label in words.items():
        value = settings.get(key)
        if value is not None and value not in ({}, []):
            lines.append((label, setting_text(value)))
    return lines


def setting_text(value: Any) -> str:
    """A setting as a reader sees it."""
    if isinstance(value, str):
        return plain_name(_date(value), 120)
    if isinstance(value, Mapping):
        return "; ".join(f"{plain_name(name)}: {setting_text(members)}" for name, members in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(setting_text(item) for item in value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def _date(text: str) -> str:
    """A moment as one would write it; anything else as it is."""
    try:
        moment = datetime.fromisoformat(text) if "T" in text else None
    except ValueError:
        moment = None
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}".strip() if moment else text


@cache
def asset(name: str) -> str:
    """A style sheet or script, which must not end the element it stands in."""
    return resources.files("shearer.report").joinpath("assets", name).read_text(encoding="utf-8").strip()


def page_template(name: str = "page.html") -> Any:
    """A template of the assets: whatever it is filled with is escaped."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["thousands"] = lambda number: "–" if number is None else f"{number:,}"
    return environment.get_template(name)


def content_hash(text: str) -> str:
    """What a content security policy calls an inline script or style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
