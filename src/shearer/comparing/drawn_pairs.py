"""What pictures of pairs that differ are drawn from: some rows of every group."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shearer.comparing.compared_groups import Group

_MOST_PAIRS, _MOST_ROWS = 12, 250


def drawn_pairs(
    document: Mapping[str, Any], groups: Sequence[Group], seed: int
) -> dict[tuple[str, str], dict[str, Any]]:
    """Samples of rows of the pairs that differ first; none where a group is a profile, which has no rows."""
    if any(group.shown is None for group in groups):
        return {}
    found = {}
    for pair in [pair for pair in document["pairs"] if pair["reported"]][:_MOST_PAIRS]:
        first, second = pair["variables"]
        found[first, second] = _drawn(groups, first, second, seed)
    return found


def _drawn(groups: Sequence[Group], first: str, second: str, seed: int) -> dict[str, Any]:
    shown = [group.shown for group in groups if group.shown is not None]
    columns = shown[0].columns
    kinds = [columns[name].kind for name in (first, second)]
    if kinds == ["label", "label"]:
        levels = [columns[name].levels for name in (first, second)]
        tables = [group.counts(first, second).table for group in groups]
        return {"kind": "labels", "names": (first, second), "tables": tables, "levels": levels}
    names = (second, first) if kinds == ["number", "label"] else (first, second)
    rng = np.random.default_rng(seed)
    rows = []
    for group in shown:
        own, other = (group.columns[name] for name in names)
        both = np.flatnonzero(own.present & other.present)
        chosen = both if len(both) <= _MOST_ROWS or "label" in kinds else rng.choice(both, _MOST_ROWS, replace=False)
        values = own.values if own.kind == "number" else own.codes
        rows.append((values[chosen], other.values[chosen]))
    kind = "mixed" if "label" in kinds else "numbers"
    return {"kind": kind, "names": names, "rows": rows, "levels": columns[names[0]].levels}
