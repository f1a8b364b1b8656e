"""Pictures of pairs as SVG, for places where no script runs: points, strips of a number by label, tiles of labels."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.report.wording import plain_name

Floats = NDArray[np.float64]

_WIDTH, _HEIGHT, _LEFT, _EDGE = 220, 170, 16, 8
_BOTTOM = _HEIGHT - 20
_MOST_POINTS, _MOST_LEVELS = 300, 6
# Okabe and Ito's colours, told apart with any kind of colour vision.
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
_LONGEST = 26


def picture(names: Sequence[str], columns: Sequence[Mapping[str, Any]]) -> str:
    """A pair as an SVG, every name escaped.

    Parameters
    ----------
    names : sequence of str
        The two columns.
    columns : sequence of mapping
        Their rows, as a sample has them: "values", or "codes" and "levels".

    Examples
    --------
    >>> drawn = picture(["a", "<b>"], [{"values": [1.0, 2.0, None]}, {"values": [3.0, 1.0, 2.0]}])
    >>> drawn.count("<circle"), "&lt;b&gt;" in drawn, "<b>" in drawn
    (2, True, False)
    """
    labels = ["codes" in column for column in columns]
    across, up = names
    if all(labels):
        marks = _tiles(columns)
    elif any(labels):
        number = labels.index(False)
        across, up = names[number], names[1 - number]
        marks = _strips(columns[number]["values"], columns[1 - number])
    else:
        marks = _points(columns)
    across, up = (escape(plain_name(name, _LONGEST)) for name in (across, up))
    middle = (_EDGE + _BOTTOM) / 2
    titles = (
        f'<text x="{(_LEFT + _WIDTH) / 2:g}" y="{_HEIGHT - 5}" text-anchor="middle">{across}</text>'
        f'<text x="11" y="{middle:g}" text-anchor="middle" transform="rotate(-90 11 {middle:g})">{up}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="10" fill="#333333">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>{marks}{titles}</svg>'
    )


def as_image(svg: str, words: str) -> str:
    """A picture as an image that stands in the text, which programs that strip strange elements leave in place."""
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return f'<img alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'


def _places(values: Sequence[Any], low: float, high: float) -> Floats:
    """Numbers as places between two edges, nan where there is none; the hundredth farthest out is drawn at the edge."""
    numbers = np.array(values, dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return numbers
    with np.errstate(over="ignore", invalid="ignore"):
        first, last = np.quantile(known / 2, [0.005, 0.995])
        share = np.clip((numbers / 2 - first) / (last - first), 0.0, 1.0) if last > first else 0.0 * numbers + 0.5
    return np.asarray(low + share * (high - low))


def _points(columns: Sequence[Mapping[str, Any]]) -> str:
    x = _places(columns[0]["values"], _LEFT + _EDGE, _WIDTH - _EDGE)
    y = _places(columns[1]["values"], _BOTTOM - _EDGE, _EDGE)
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:_MOST_POINTS]
    return _dots((x[row], y[row]) for row in rows)


def _dots(places: Any) -> str:
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.8"/>' for x, y in places)
    return f'<g fill="{_COLORS[0]}" fill-opacity="0.55">{dots}</g>'


def _codes(column: Mapping[str, Any]) -> tuple[NDArray[np.intp], list[str]]:
    """Codes of the first levels, -1 for none; all others are one."""
    codes = np.array([-1 if code is None else int(code) for code in column["codes"]], dtype=np.intp)
    levels = [str(level) for level in column["levels"]]
    if len(levels) > _MOST_LEVELS:
        codes = np.minimum(codes, _MOST_LEVELS)
        levels = [*levels[:_MOST_LEVELS], "others"]
    return codes, levels


def _strips(values: Sequence[Any], column: Mapping[str, Any]) -> str:
    """Numbers along, a strip for each level, its median as a line."""
    codes, levels = _codes(column)
    x = _places(values, _LEFT + 60.0, _WIDTH - _EDGE)
    band = (_BOTTOM - _EDGE) / max(len(levels), 1)
    rows = np.flatnonzero(np.isfinite(x) & (codes >= 0))[:_MOST_POINTS]
    apart = (np.arange(len(rows)) * 0.6180339887) % 1.0 - 0.5
    middles = _BOTTOM - (codes[rows] + 0.5) * band
    marks = [_dots(zip(x[rows], middles + 0.6 * band * apart, strict=True))]
    for level, name in enumerate(levels):
        middle, own = _BOTTOM - (level + 0.5) * band, x[rows][codes[rows] == level]
        marks.append(f'<text x="{_LEFT + 4}" y="{middle + 3:.1f}">{escape(plain_name(name, 9))}</text>')
        if len(own):
            place, half = float(np.median(own)), 0.35 * band
            line = f'x1="{place:.1f}" x2="{place:.1f}" y1="{middle - half:.1f}" y2="{middle + half:.1f}"'
            marks.append(f'<line {line} stroke="#000000" stroke-width="2"/>')
    return "".join(marks)


def _tiles(columns: Sequence[Mapping[str, Any]]) -> str:
    """Columns as wide as the first label is frequent, cut as the second is within it."""
    (first, across), (second, up) = (_codes(column) for column in columns)
    known = (first >= 0) & (second >= 0)
    counts = np.zeros((len(across), len(up)))
    np.add.at(counts, (first[known], second[known]), 1.0)
    marks, left = [], float(_LEFT + 4)
    room = _WIDTH - _EDGE - left
    for level, own in enumerate(counts):
        wide, bottom = room * own.sum() / max(counts.sum(), 1.0), _BOTTOM - 10.0
        heights = (bottom - _EDGE) * own / max(own.sum(), 1.0)
        for place, high in enumerate(heights):
            bottom -= high
            box = f'x="{left:.1f}" y="{bottom:.1f}" width="{max(wide - 2, 0.5):.1f}" height="{high:.1f}"'
            title = f"<title>{escape(plain_name(up[place], 30))}</title>"
            marks.append(f'<rect {box} fill="{_COLORS[place]}">{title}</rect>')
        if wide > 22:
            name = escape(plain_name(across[level], max(3, int(wide / 6))))
            marks.append(f'<text x="{left + wide / 2:.1f}" y="{_BOTTOM}" text-anchor="middle">{name}</text>')
        left += wide
    return "".join(marks)
