"""Pictures of a comparison as SVG: strengths side by side, maps, and changed pairs. Every text is escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.report.wording import plain_name

Floats = NDArray[np.float64]

#: Classes of colours, in the order of groups; later groups share the last.
COLORS = 6
_ROW, _LEFT, _WIDTH = 26, 300, 420
_MOST_CELL, _LEAST_CELL, _MAP = 26, 11, 240
_SIDE, _EDGE = 300, 34
_MOST_POINTS, _MOST_LEVELS = 250, 6


def tag(name: str, content: str = "", **attributes: Any) -> str:
    """An element; names of attributes with _ for -, and `class_` for class. The content is markup already."""
    texts = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(own))}"' for key, own in attributes.items())
    return f"<{name}{texts}>{content}</{name}>"


def text(words: str, x: float, y: float, **attributes: Any) -> str:
    """A line of text."""
    return tag("text", escape(words), x=_short(x), y=_short(y), **attributes)


def dumbbells(pairs: Sequence[Mapping[str, Any]], groups: Sequence[str]) -> str:
    """Strengths of pairs in all groups on one scale, a row each, with their intervals.

    Examples
    --------
    >>> pair = {"variables": ["<a>", "b"], "strength": [0.8, 0.3], "strength_low": [0.7, 0.2],
    ...         "strength_high": [0.9, 0.4]}
    >>> "<a>" in dumbbells([pair], ["x", "y"])
    False
    """
    height = 30 + _ROW * len(pairs)
    parts = []
    for mark in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _LEFT + _WIDTH * mark
        parts.append(tag("line", x1=_short(x), x2=_short(x), y1=22, y2=height, class_="grid"))
        parts.append(text(f"{mark:g}", x, 14, class_="tick", text_anchor="middle"))
    for row, pair in enumerate(pairs):
        y = 36 + _ROW * row
        names = " · ".join(plain_name(name, 20) for name in pair["variables"])
        parts.append(text(names, _LEFT - 12, y + 4, class_="label", text_anchor="end"))
        known = [value for value in pair["strength"] if value is not None]
        if known:
            ends = [_LEFT + _WIDTH * min(max(value, 0.0), 1.0) for value in (min(known), max(known))]
            parts.append(tag("line", x1=_short(ends[0]), x2=_short(ends[1]), y1=y, y2=y, class_="bar-line"))
        step = 4.0 if len(groups) <= 3 else 0.0
        for place, value in enumerate(pair["strength"]):
            if value is None:
                continue
            low, high = pair["strength_low"][place], pair["strength_high"][place]
            at = y + step * (place - (len(groups) - 1) / 2)
            if low is not None and high is not None and step:
                x1, x2 = (_short(_LEFT + _WIDTH * end) for end in (low, high))
                parts.append(tag("line", x1=x1, x2=x2, y1=_short(at), y2=_short(at), class_=f"range g{_color(place)}"))
            x = _LEFT + _WIDTH * min(max(value, 0.0), 1.0)
            title = tag("title", escape(f"{plain_name(groups[place], 30)}: {value:.2f}"))
            parts.append(tag("circle", title, cx=_short(x), cy=_short(at), r=5, class_=f"dot g{_color(place)}"))
    return _picture(parts, _LEFT + _WIDTH + 30, height + 10, "Strengths in all groups")


def strength_map(names: Sequence[str], values: Floats, signed: bool = False) -> str:
    """A square of strengths, or of their differences; the stronger the colour, the larger."""
    parts, side = [], min(max(_MAP // max(len(names), 1), _LEAST_CELL), _MOST_CELL)
    for i, row in enumerate(names):
        parts.append(text(plain_name(row, 16), 126, 14 + side * (i + 0.5), class_="label small", text_anchor="end"))
        for j, column in enumerate(names):
            value = values[i, j]
            if i == j or not np.isfinite(value):
                continue
            share = min(abs(value), 1.0) if signed or value > 0 else 0.0
            kind = ("more" if value > 0 else "less") if signed else "cell"
            words = f"{plain_name(row, 30)} and {plain_name(column, 30)}: {value:.2f}"
            parts.append(
                tag(
                    "rect",
                    tag("title", escape(words)),
                    x=132 + side * j,
                    y=10 + side * i,
                    width=side - 1,
                    height=side - 1,
                    class_=kind,
                    fill_opacity=f"{share:.2f}",
                )
            )
    size = side * len(names)
    return _picture(parts, 140 + size, 16 + size, "Map of strengths")


def scatter(first: str, second: str, rows: Sequence[tuple[Floats, Floats]]) -> str:
    """Two numbers of all groups over each other."""
    parts = _frame(first, second)
    limits = [_limits(np.concatenate([own[axis] for own in rows])) for axis in (0, 1)]
    for place, (x, y) in enumerate(rows):
        u, v = (np.clip((own - low) / (high - low), 0.0, 1.0) for own, (low, high) in zip((x, y), limits, strict=True))
        for a, b in zip(u[:_MOST_POINTS].tolist(), v[:_MOST_POINTS].tolist(), strict=True):
            cx, cy = _EDGE + (_SIDE - 2 * _EDGE) * a, _SIDE - _EDGE - (_SIDE - 2 * _EDGE) * b
            parts.append(tag("circle", cx=_short(cx), cy=_short(cy), r=2.2, class_=f"point g{_color(place)}"))
    return _picture(parts + _ends(limits), _SIDE, _SIDE, _title(first, second))


def boxes(label: str, number: str, rows: Sequence[tuple[NDArray[np.intp], Floats]], levels: Sequence[str]) -> str:
    """Quartiles of a number within the levels of a label, the groups beside each other."""
    counts = sum(np.bincount(codes, minlength=len(levels)) for codes, _ in rows)
    kept = np.sort(np.argsort(-np.asarray(counts), kind="stable")[:_MOST_LEVELS])
    low, high = _limits(np.concatenate([values for _, values in rows]))
    parts = _frame(label, number)
    room = (_SIDE - 2 * _EDGE) / max(len(kept), 1)
    wide = room / (len(rows) + 1)
    for slot, level in enumerate(kept):
        middle = _EDGE + room * (slot + 0.5)
        parts.append(
            text(plain_name(levels[level], 9), middle, _SIDE - _EDGE + 13, class_="tick", text_anchor="middle")
        )
        for place, (codes, values) in enumerate(rows):
            own = values[codes == level]
            if not len(own):
                continue
            marks = np.clip((np.quantile(own, (0.05, 0.25, 0.5, 0.75, 0.95)) - low) / (high - low), 0.0, 1.0)
            ys = (_SIDE - _EDGE - (_SIDE - 2 * _EDGE) * marks).tolist()
            x = middle + wide * (place - (len(rows) - 1) / 2)
            color = f"g{_color(place)}"
            parts.append(
                tag("line", x1=_short(x), x2=_short(x), y1=_short(ys[0]), y2=_short(ys[4]), class_=f"range {color}")
            )
            half = min(wide * 0.4, 9.0)
            box = {"x": _short(x - half), "y": _short(ys[3]), "width": _short(2 * half)}
            parts.append(tag("rect", **box, height=_short(max(ys[1] - ys[3], 1.0)), class_=f"box {color}"))
            parts.append(
                tag(
                    "line",
                    x1=_short(x - half),
                    x2=_short(x + half),
                    y1=_short(ys[2]),
                    y2=_short(ys[2]),
                    class_="middle",
                )
            )
    return _picture(parts + _ends([None, (low, high)]), _SIDE, _SIDE, _title(label, number))


def shares(first: str, second: str, tables: Sequence[Floats], levels: Sequence[Sequence[str]]) -> str:
    """Two labels: within each level of the first, how the second is distributed, a bar for each group."""
    total = sum(tables)
    rows = np.sort(np.argsort(-np.asarray(total).sum(axis=1), kind="stable")[:_MOST_LEVELS])
    columns = np.sort(np.argsort(-np.asarray(total).sum(axis=0), kind="stable")[:_MOST_LEVELS])
    parts = [
        text(
            f"{plain_name(second, 20)} within {plain_name(first, 20)}",
            _SIDE / 2,
            16,
            class_="label",
            text_anchor="middle",
        )
    ]
    height = (_SIDE - 60) / max(len(rows) * (len(tables) + 0.6), 1)
    y = 28.0
    for row in rows:
        parts.append(
            text(
                plain_name(levels[0][row], 12),
                78,
                y + height * len(tables) / 2 + 4,
                class_="label small",
                text_anchor="end",
            )
        )
        for place, table in enumerate(tables):
            own = table[row, columns]
            x = 84.0
            for slot, share in enumerate((own / max(own.sum(), 1.0)).tolist()):
                width = (_SIDE - 94) * share
                words = f"{plain_name(levels[1][columns[slot]], 30)}: {100 * share:.0f} %"
                opacity = f"{1 - 0.75 * slot / max(len(columns) - 1, 1):.2f}"
                parts.append(
                    tag("rect", tag("title", escape(words)), x=_short(x), y=_short(y), width=_short(width),
                        height=_short(max(height - 2, 2.0)), class_=f"share g{_color(place)}", fill_opacity=opacity)
                )  # fmt: skip
                x += width
            y += height
        y += 0.6 * height
    legend = ", ".join(plain_name(levels[1][column], 12) for column in columns)
    parts.append(text(f"from strong to faint: {legend}"[:64], 10, _SIDE - 8, class_="tick"))
    return _picture(parts, _SIDE, _SIDE, _title(first, second))


def _frame(across: str, up: str) -> list[str]:
    size = _SIDE - 2 * _EDGE
    return [
        tag("rect", x=_EDGE, y=_EDGE, width=size, height=size, class_="frame"),
        text(plain_name(across, 32), _SIDE / 2, _SIDE - 4, class_="label", text_anchor="middle"),
        text(plain_name(up, 32), _EDGE, _EDGE - 12, class_="label"),
    ]


def _ends(limits: Sequence[tuple[float, float] | None]) -> list[str]:
    across, up = limits
    found = []
    if across is not None:
        for value, x, anchor in ((across[0], _EDGE, "start"), (across[1], _SIDE - _EDGE, "end")):
            found.append(text(f"{value:.4g}", x, _SIDE - _EDGE + 13, class_="tick", text_anchor=anchor))
    if up is not None:
        for value, y in ((up[0], _SIDE - _EDGE), (up[1], _EDGE + 8)):
            found.append(text(f"{value:.4g}", _EDGE - 3, y, class_="tick", text_anchor="end"))
    return found


def _limits(values: Floats) -> tuple[float, float]:
    low, high = (float(end) for end in np.quantile(values, (0.005, 0.995))) if len(values) else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _picture(parts: Sequence[str], width: float, height: float, words: str) -> str:
    box = f"0 0 {_short(width)} {_short(height)}"
    return tag("svg", "".join(parts), viewBox=box, width=_short(width), role="img", aria_label=words)


def _title(first: str, second: str) -> str:
    return f"{plain_name(first)} and {plain_name(second)}"


def _color(place: int) -> int:
    return min(place, COLORS - 1)


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
