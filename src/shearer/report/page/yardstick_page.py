"""One self-contained page of how methods did on a yardstick."""

from collections.abc import Mapping
from typing import Any

from shearer.report.page.packing import json_block
from shearer.report.page.render import asset, content_hash, page_template, setting_text
from shearer.report.wording import plain_name

_STYLES = ("base.css", "sections.css", "yardstick.css")
_SCRIPTS = ("dom.js", "theme.js", "yardstick_detail.js", "yardstick.js")
_MOST_LOSSES = 8
# Scores of strengths that differ by less than this look the same.
_SAME = 0.02


def render_yardstick(view: Mapping[str, Any]) -> str:
    """Methods against suites as one HTML file that asks the network for nothing.

    Parameters
    ----------
    view : mapping
        As `shearer.yardstick.pictured.page_view` makes it: methods, runs, suites with their scores, cells.
    """
    style, script = ("\n".join(asset(name) for name in names) for names in (_STYLES, _SCRIPTS))
    losses = [{**loss, "suite": suite["name"]} for suite in view["suites"] for loss in suite["losses"]]
    losses.sort(key=lambda loss: (loss["marked"], loss["own"] - loss["power"]))
    page: str = page_template("yardstick.html").render(
        style=style,
        script=script,
        style_hash=content_hash(style),
        script_hash=content_hash(script),
        data=json_block(view),
        figures=_figures(view),
        losses=losses[:_MOST_LOSSES],
        lost=_lost(view),
        weak=_weak(view),
        more=max(len(losses) - _MOST_LOSSES, 0),
        places=_places(view),
        suites=view["suites"],
        overview=_overview(view),
        runs=[_run(one) for one in view["runs"]],
        sources=[(name, method.get("source") or "–") for name, method in view["methods"].items()],
        level=f"{100 * view['level']:g} %",
        plain=plain_name,
    )
    return page.encode("utf-8", "replace").decode("utf-8")


def _figures(view: Mapping[str, Any]) -> list[tuple[str, str]]:
    designs = sum(len(suite["designs"]) for suite in view["suites"])
    trials = sum(cell["trials"] for suite in view["cells"].values() for own in suite.values() for cell in own.values())
    judged = {row["method"] for suite in view["suites"] for row in suite["views"][0]["rows"]}
    marked = {row["method"] for suite in view["suites"] for row in suite["views"][0]["rows"] if row.get("marked")}
    return [
        (f"{len(judged):,}", "methods"),
        (f"{designs:,}", f"designs in {len(view['suites'])} suites"),
        (f"{trials:,}", "trials"),
        (f"{len(marked):,}", "methods do not hold their level somewhere"),
    ]


def _lost(view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each suite of tests: on how many alternatives ours has less power than a rival, beyond chance."""
    found = []
    for suite in view["suites"]:
        if suite["shape"] == "test":
            total = sum(design["null"] is False for design in suite["designs"])
            marked = sum(loss["marked"] for loss in suite["losses"])
            lost = len(suite["losses"]) - marked
            found.append({"suite": suite["name"], "lost": lost, "marked": marked, "of": total})
    return found


def _weak(view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Criteria of strengths in which a rival is better than the first of ours, the largest difference first."""
    found = []
    for suite in view["suites"]:
        rows = suite["views"][0]["rows"] if suite["shape"] == "strength" else []
        names = [name for name, method in view["methods"].items() if method.get("ours")]
        ours = next((row for name in names for row in rows if row["method"] == name), None)
        if ours is None:
            continue
        for criterion in view["criteria"]:
            rivals = [row for row in rows if not row["ours"] and row[criterion] is not None]
            best = min(rivals, key=lambda row: row[criterion], default=None)
            if best is not None and ours[criterion] is not None and best[criterion] + _SAME < ours[criterion]:
                found.append({"criterion": criterion, "method": ours["method"], "own": ours[criterion],
                              "rival": best["method"], "score": best[criterion]})  # fmt: skip
    return sorted(found, key=lambda one: one["score"] - one["own"])


def _places(view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first of ours in each suite: its rank, and who is first."""
    found = []
    for suite in view["suites"]:
        rows = suite["views"][0]["rows"]
        ours = next((row for row in rows if row["ours"]), None)
        if ours is not None:
            first = rows[0] if rows[0]["rank"] else None
            found.append({"suite": suite["name"], "rank": ours["rank"], "method": ours["method"],
                          "of": sum(row["rank"] is not None for row in rows),
                          "marked": sum(bool(row.get("marked")) for row in rows),
                          "first": None if first is None or first is ours else first["method"]})  # fmt: skip
    return found


def _overview(view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each method, a cell for each suite: its rank and score, or that it does not hold its level."""
    rows: dict[str, dict[str, Any]] = {}
    for suite in view["suites"]:
        for row in suite["views"][0]["rows"]:
            rows.setdefault(row["method"], {})[suite["name"]] = _entry(row, suite["shape"])
    return [
        {"method": name, "ours": view["methods"][name].get("ours"),
         "entries": [rows[name].get(suite["name"]) for suite in view["suites"]]}
        for name in rows  # by the first suite that has it, in the order of that suite
    ]  # fmt: skip


def _entry(row: Mapping[str, Any], shape: str) -> dict[str, Any]:
    score = {"test": "power", "strength": "score", "tables": "agreement", "scaling": "seconds"}[shape]
    value = row[score]
    text = "–" if value is None else f"{value:.2g} s" if shape == "scaling" else f"{value:.2f}"
    return {"rank": row["rank"], "text": text, "marked": bool(row.get("marked"))}


def _run(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    parts = {"shearer": run["shearer"], "date": run["date"], **run["settings"], **run["machine"]}
    return [(str(key), setting_text(value)) for key, value in parts.items()]
