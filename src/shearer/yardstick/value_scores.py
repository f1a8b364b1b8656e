"""Scores of values: zero at independence, order by noise, and how far equal cases lie apart."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

Cell = Mapping[str, Any]
Cells = Mapping[str, Mapping[str, Cell]]

#: What is scored, 0 the best and 1 the worst; what a method cannot be asked counts as the worst. All but the order is
#: measured in units of a method's own span: from its mean at independence to its largest at little noise.
CRITERIA = {
    "zero": "mean distance from 0 at independence, in units of the largest mean",
    "disorder": "twice the share of pairs of samples, of neighbouring amounts of noise, that are out of order",
    "inequity": "mean range over shapes at equal noise, in units of the span",
    "rows": "range of the mean over numbers of rows, in units of the span",
    "kinds": "range of the mean over kinds of columns, in units of the span",
}


def strength_scores(cells: Cells, designs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Five criteria, their mean, and how many designs a method took; the best first."""
    rows = []
    for name, own in cells.items():
        scores = _criteria(own, designs)
        asked = [own[design] for design in designs if design in own]
        known = [cell["seconds"] for cell in asked if cell["seconds"] is not None]
        rows.append(
            {
                "method": name,
                "score": sum(1.0 if scores[key] is None else scores[key] for key in CRITERIA) / len(CRITERIA),
                **scores,
                "asked": len(asked),
                "designs": len(designs),
                "seconds": float(np.median(known)) if known else None,
            }
        )
    rows.sort(key=lambda row: (row["score"], row["method"]))
    return rows


def _criteria(own: Mapping[str, Cell], designs: Mapping[str, Any]) -> dict[str, Any]:
    families: dict[str, list[str]] = {}
    for name, design in designs.items():
        families.setdefault(design["family"], []).append(name)
    zero = [own[name]["mean"] for name in families.get("zero", ()) if _known(own, name)]
    shapes = [names for family, names in families.items() if family.startswith("noise: ")]
    largest = max((own[name]["mean"] for names in shapes for name in names if _known(own, name)), default=0.0)
    span = largest - float(np.mean(zero)) if zero else 0.0
    scores = {
        "zero": float(np.mean(np.abs(zero))) if zero else None,
        "disorder": _disorder(own, designs, shapes),
        "inequity": _inequity(own, designs, shapes),
        "rows": _range(own, families.get("rows", ())),
        "kinds": _range(own, families.get("kinds", ())),
    }
    units = {"zero": largest, "disorder": 1.0, "inequity": span, "rows": span, "kinds": span}
    return {key: _share(score, units[key]) for key, score in scores.items()}


def _share(score: float | None, unit: float) -> float | None:
    """At most 1, which a method without a span has too."""
    return None if score is None else min(score / unit, 1.0) if unit > 0 else 1.0


def _known(own: Mapping[str, Cell], name: str) -> bool:
    return name in own and own[name].get("mean") is not None


def _disorder(own: Mapping[str, Cell], designs: Mapping[str, Any], shapes: Sequence[Sequence[str]]) -> float | None:
    wrong = []
    for names in shapes:
        ordered = sorted((name for name in names if _known(own, name)), key=lambda name: designs[name]["place"])
        for low, high in pairwise(ordered):
            a, b = (np.array([v for v in own[name]["values"] if v is not None]) for name in (low, high))
            wrong.append(np.mean((a[:, None] > b[None, :]) + 0.5 * (a[:, None] == b[None, :])))
    return 2 * float(np.mean(wrong)) if wrong else None


def _inequity(own: Mapping[str, Cell], designs: Mapping[str, Any], shapes: Sequence[Sequence[str]]) -> float | None:
    means: dict[float, list[float]] = {}
    for names in shapes:
        for name in names:
            if _known(own, name):
                means.setdefault(designs[name]["place"], []).append(own[name]["mean"])
    ranges = [max(found) - min(found) for found in means.values() if len(found) > 1]
    return float(np.mean(ranges)) if ranges else None


def _range(own: Mapping[str, Cell], names: Sequence[str]) -> float | None:
    """None unless every design of the family was answered."""
    if len(names) < 2 or not all(_known(own, name) for name in names):
        return None
    means = [own[name]["mean"] for name in names]
    return float(max(means) - min(means))


def table_scores(cells: Cells, designs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rank correlation of a method's values with the predictability of pairs; unanswered pairs come last."""
    from scipy.stats import spearmanr

    reference = np.array([design["place"] for design in designs.values()])
    rows = []
    for name, own in cells.items():
        values = [own[design]["mean"] if _known(own, design) else None for design in designs]
        filled = np.array([-math.inf if value is None else value for value in values])
        known = [cell["seconds"] for cell in own.values() if cell["seconds"] is not None]
        varied = len(values) > 2 and len(set(values)) > 1 and np.ptp(reference) > 0
        found = float(spearmanr(filled, reference).statistic) if varied else None
        rows.append(
            {
                "method": name,
                "agreement": found,
                # Bonett and Wright (2000), of pairs as if they were drawn one by one.
                "agreement_error": None
                if found is None or len(values) < 4
                else (1 - found**2) * math.sqrt((1 + found**2 / 2) / (len(values) - 3)),
                "asked": sum(value is not None for value in values),
                "designs": len(values),
                "seconds": float(np.median(known)) if known else None,
            }
        )
    rows.sort(key=lambda row: (math.inf if row["agreement"] is None else -float(row["agreement"]), row["method"]))
    return rows
