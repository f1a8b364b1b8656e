"""One self-contained page of what a comparison found."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from shearer.report.comparison_words import CHANGES, comparison_sentences, pair_sentence
from shearer.report.page.comparison_charts import COLORS, boxes, dumbbells, scatter, shares, strength_map
from shearer.report.page.render import asset, content_hash, page_template, setting_text
from shearer.report.wording import Name, count, plain_name

_STYLES = ("base.css", "sections.css", "compare.css")
_SCRIPTS = ("dom.js", "theme.js", "compare.js")
# Pairs drawn as dumbbells, unchanged ones drawn below them, pairs in pictures, columns of maps, maps, rows of tables.
_MOST_DUMBBELLS, _MOST_SAME, _MOST_PICTURES, _MOST_MAPPED, _MOST_MAPS, _MOST_ROWS = 25, 5, 12, 30, 6, 2000
_SETTINGS = {
    "shearer": "Version of shearer",
    "source": "Source",
    "by": "Groups by",
    "every": "Windows of time",
    "cluster": "Rows that belong together",
    "fdr": "False discovery rate, each of columns, pairs and triples",
    "columns_tested": "Columns tested",
    "pairs_tested": "Pairs tested",
    "triples_tested": "Triples tested",
    "seed": "Seed",
    "date": "Date",
    "seconds": "Seconds",
}


def render_comparison(document: Mapping[str, Any], sample: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
    """What a comparison found as one HTML file that asks the network for nothing.

    Parameters
    ----------
    document : mapping
        Of a comparison.
    sample : mapping of (str, str) -> mapping
        What to draw of pairs that differ: "kind" ("numbers", "mixed" or "labels") and the arrays of each group.

    Examples
    --------
    >>> import numpy as np
    >>> import shearer as sh
    >>> x = np.random.default_rng(0).normal(size=(2, 99))
    >>> page = sh.compare({"<b>": x[0], "c": x[0] + x[1]}, {"<b>": x[0], "c": x[1]}).to_html()
    >>> page.splitlines()[0], "<b>" in page
    ('<!doctype html>', False)
    """
    groups = [group["name"] for group in document["settings"]["groups"]]
    changed = [pair for pair in document["pairs"] if pair["reported"]]
    same = [pair for pair in document["pairs"] if not pair["reported"] and pair["pvalue"] is not None]
    same.sort(key=lambda pair: -min(value or 0.0 for value in pair["strength"]))
    style, script = ("\n".join(asset(name) for name in names) for names in (_STYLES, _SCRIPTS))
    page: str = page_template("compare.html").render(
        style=style,
        script=script,
        style_hash=content_hash(style),
        script_hash=content_hash(script),
        source=plain_name(str(document["settings"]["source"])),
        sentences=comparison_sentences(document),
        figures=_figures(document),
        groups=[(plain_name(name, 40), min(place, COLORS - 1)) for place, name in enumerate(groups)],
        dumbbells=dumbbells(changed[:_MOST_DUMBBELLS], groups) if changed else "",
        more=max(len(changed) - _MOST_DUMBBELLS, 0),
        same=dumbbells(same[:_MOST_SAME], groups) if same else "",
        maps=_maps(document, groups),
        pictures=[
            (_picture(sample[key]), pair_sentence(pair, groups))
            for pair in changed[:_MOST_PICTURES]
            if (key := (pair["variables"][0], pair["variables"][1])) in sample
        ],
        pairs=document["pairs"][:_MOST_ROWS],
        triples=document["triples"][:_MOST_ROWS],
        columns=document["columns"][:_MOST_ROWS],
        cut=[count(len(document[part]) - _MOST_ROWS, part[:-1]) for part in ("pairs", "columns", "triples")
             if len(document[part]) > _MOST_ROWS],
        changes=CHANGES,
        settings=_settings(document),
        notes=document["notes"],
        fdr=document["settings"]["fdr"],
        plain=plain_name,
        is_name=lambda part: isinstance(part, Name),
    )  # fmt: skip
    return page.encode("utf-8", "replace").decode("utf-8")


def _figures(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    settings = document["settings"]
    rows = [group["rows"] for group in settings["groups"]]
    size = " / ".join(f"{own:,}" for own in rows) if len(rows) == 2 else f"{sum(rows):,}"
    figures = [(size, "rows" if len(rows) == 2 else f"rows in {len(rows)} groups")]
    for part in ("columns", "pairs", "triples"):
        tested = settings[f"{part}_tested"]
        if tested is not None:
            found = sum(record["reported"] for record in document[part])
            figures.append((f"{found:,}", f"of {count(tested, part[:-1])} differ"))
    return figures


def _settings(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    settings = document["settings"]
    known = [(label, settings[key]) for key, label in _SETTINGS.items() if settings.get(key) is not None]
    lines = [(label, setting_text(value)) for label, value in known]
    return [*lines, ("Rows matched one by one", "yes")] if settings["paired"] else lines


def _maps(document: Mapping[str, Any], groups: list[str]) -> list[tuple[str, str]]:
    """A map for each group, and of two groups their difference; columns of pairs that differ first."""
    order: dict[str, None] = {}
    for pair in document["pairs"]:
        order |= dict.fromkeys(pair["variables"])
    names = list(order)[:_MOST_MAPPED]
    if len(names) < 3 or len(groups) > _MOST_MAPS:
        return []
    known = [column["name"] for column in document["columns"]]
    names.sort(key=known.index)
    place = {name: k for k, name in enumerate(names)}
    values = np.full((len(groups), len(names), len(names)), np.nan)
    for pair in document["pairs"]:
        if all(name in place for name in pair["variables"]):
            i, j = (place[name] for name in pair["variables"])
            own = [np.nan if value is None else value for value in pair["strength"]]
            values[:, i, j] = values[:, j, i] = own
    found = [(str(plain_name(group, 40)), strength_map(names, own)) for group, own in zip(groups, values, strict=True)]
    if len(groups) == 2:
        words = f"{plain_name(groups[1], 30)} less {plain_name(groups[0], 30)}"
        found.append((words, strength_map(names, values[1] - values[0], signed=True)))
    return found


def _picture(drawn: Mapping[str, Any]) -> str:
    first, second = drawn["names"]
    if drawn["kind"] == "numbers":
        return scatter(first, second, drawn["rows"])
    if drawn["kind"] == "mixed":
        return boxes(first, second, drawn["rows"], drawn["levels"])
    return shares(first, second, drawn["tables"], drawn["levels"])
