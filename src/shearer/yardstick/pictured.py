"""What a page shows of a result: scores for every filter, cells as histograms, and a sample of every design."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shearer.report.page.yardstick_page import render_yardstick
from shearer.yardstick.known_design import KINDS
from shearer.yardstick.ranked_scores import losses, summary
from shearer.yardstick.stored import check_document, merge
from shearer.yardstick.suites import SUITES
from shearer.yardstick.value_scores import CRITERIA

_BINS, _POINTS, _FEW_ROWS = 20, 150, 60
Keep = Callable[[Mapping[str, Any]], bool]
_COPIED = ("trials", "answered", "status", "why", "seconds", "rate", "mean", "error")


def render(*documents: Mapping[str, Any]) -> str:
    """One or more results as a page that asks the network for nothing.

    Parameters
    ----------
    *documents : mapping
        What `run` returns, or `read_document` reads. Of a method that stands in several, the last counts.

    Examples
    --------
    >>> from shearer.yardstick import Effort, Method, render, run
    >>> own = Method("<b>", lambda x, y: 0.5)
    >>> found = run(suites=["scaling"], methods=[own], quick=True, effort=Effort(1), isolated=False)
    >>> page = render(found)
    >>> page.splitlines()[0], "<b>" in page.split("<main")[1].replace("<b>1</b>", "")
    ('<!doctype html>', False)
    """
    return render_yardstick(page_view([check_document(one, "a document") for one in documents]))


def page_view(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Everything that a page of one or more results holds, as plain data."""
    document = merge(documents)
    cells: dict[str, dict[str, dict[str, Any]]] = {}
    for cell in document["cells"]:
        task = document["suites"][cell["suite"]]["task"]
        shown = {key: cell.get(key) for key in _COPIED} | {"bins": _histogram(cell["values"], task)}
        cells.setdefault(cell["suite"], {}).setdefault(cell["method"], {})[cell["design"]] = shown
    return {
        "methods": document["methods"],
        "runs": document["runs"],
        "level": document["settings"]["level"],
        "criteria": CRITERIA,
        "suites": [_suite(document, name) for name in sorted(document["suites"], key=_order) if name in cells],
        "cells": cells,
    }


def _order(name: str) -> int:
    """Known suites in their order, then others."""
    return list(SUITES).index(name) if name in SUITES else len(SUITES)


def _suite(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    held = document["suites"][name]
    shape = name if name in ("scaling", "tables") else "strength" if held["task"] == "strength" else "test"
    views = [
        {
            "name": title,
            "rows": summary(document, name, keep),
            "designs": [design["name"] for design in held["designs"] if keep(design)],
        }
        for title, keep in _filters(held["designs"], shape)
    ]
    return {
        "name": name,
        "version": held["version"],
        "question": held["question"],
        "shape": shape,
        "designs": [{**design, "sample": _sample(name, held["version"], design["name"])} for design in held["designs"]],
        "views": views,
        "losses": losses(document, name) if shape == "test" else [],
    }


def _filters(designs: Sequence[Mapping[str, Any]], shape: str) -> list[tuple[str, Keep]]:
    """Subsets of the designs by which methods can be ranked; only those that divide them."""
    everything: list[tuple[str, Keep]] = [("all designs", lambda _: True)]
    if shape in ("strength", "scaling"):
        return everything
    families = dict.fromkeys(design["family"] for design in designs)
    found: list[tuple[str, Keep]] = [(f"kind: {kind}", _where("kind", kind)) for kind in KINDS]
    found += [(family, _where("family", family)) for family in families if family not in KINDS]
    found += [
        (f"up to {_FEW_ROWS} rows", lambda design: bool(design["rows"] <= _FEW_ROWS)),
        (f"more than {_FEW_ROWS} rows", lambda design: bool(design["rows"] > _FEW_ROWS)),
        ("two single columns of numbers", single_numbers),
    ]
    return everything + [one for one in found if 0 < sum(map(one[1], designs)) < len(designs)]


def _where(field: str, value: str) -> Keep:
    return lambda design: bool(design[field] == value)


def single_numbers(design: Mapping[str, Any]) -> bool:
    """Whether a design is what every method takes: two single columns of numbers."""
    return bool(design["kind"] == "numbers" and design["dimension"] == 1 and design["variables"] == 2)


def _histogram(values: Sequence[float | None], task: str) -> list[int]:
    """Counts of p-values in steps of 0.05, each with its upper end; of values in steps of 0.1 from -1 to 1."""
    known = np.array([value for value in values if value is not None], dtype=float)
    low, high = (-1.0, 1.0) if task == "strength" else (0.0, 1.0)
    places = np.ceil((np.clip(known, low, high) - low) / (high - low) * _BINS - 1e-9).astype(int) - 1
    counts: list[int] = np.bincount(np.clip(places, 0, _BINS - 1), minlength=_BINS).tolist()
    return counts


def _sample(suite: str, version: int, name: str) -> dict[str, Any] | None:
    """Some rows of the first trial; None of suites that are not those of this version."""
    own = SUITES.get(suite)
    if own is None or own.version != version or all(design.name != name for design in own.designs):
        return None
    drawn = own.draw(name, 0)
    rows = np.random.default_rng(0).permutation(len(drawn[0]))[:_POINTS]
    sample: dict[str, Any] = {axis: _axis(column[rows]) for axis, column in zip("xyz", drawn, strict=False)}
    return sample


def _axis(column: Any) -> dict[str, Any]:
    """Numbers at the scale of a picture, or codes of labels; of a vector the first coordinate."""
    if column.ndim > 1:
        return {**_axis(column[:, 0]), "part": int(column.shape[1])}
    if column.dtype.kind in "US":
        levels, codes = np.unique(column, return_inverse=True)
        return {"codes": codes.tolist(), "levels": len(levels)}
    low, high = np.quantile(column, (0.02, 0.98))
    if high <= low:
        low, high = column.min() - 0.5, column.max() + 0.5
    scaled = np.clip((column - low) / (high - low), -0.05, 1.05)
    return {"values": np.round(scaled, 3).tolist()}
