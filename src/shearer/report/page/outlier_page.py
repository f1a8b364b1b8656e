"""Rows that stand out as a page for the browser: a sentence and a picture for each reason, no script, no network."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shearer.report.page.render import asset, content_hash, page_template
from shearer.report.wording import plain_name

if TYPE_CHECKING:
    import polars as pl

    from shearer.report.outlying import NumberedRows

Floats = NDArray[np.float64]

# Rows with pictures, reasons drawn for each, points in a picture.
_MOST_ROWS, _MOST_REASONS, _MOST_POINTS = 50, 2, 400
_WIDTH, _HEIGHT, _EDGE = 260, 190, 26
# The blue and the vermilion of Okabe and Ito, told apart with any kind of colour vision.
_OTHERS, _ROW = "#0072B2", "#D55E00"
_STYLES = ("base.css", "outliers.css")


def outlier_page(document: Mapping[str, Any], table: "NumberedRows") -> str:
    """The page of a document that `relation_document` made, with rows of the table in its pictures."""
    settings, outliers = document["settings"], document["outliers"]
    place = {row: k for k, row in enumerate(table.rows)}
    counted = f"{len(outliers):,} of {settings['used']:,} rows are shown as outlying"
    if len(outliers) > _MOST_ROWS:
        counted += f", the first {_MOST_ROWS} below"
    style = "\n".join(asset(name) for name in _STYLES)
    page = page_template("outliers.html").render(
        style=style,
        style_hash=content_hash(style),
        script_hash=content_hash(""),
        source=plain_name(str(settings["source"] or "a table")),
        counted=counted,
        score=settings["score"],
        rows=[_shown(found, table.numbers, place[found["row"]]) for found in outliers[:_MOST_ROWS]],
        notes=[plain_name(note, 400) for note in document["notes"]],
    )
    return f"{page}\n"


def _shown(found: Mapping[str, Any], numbers: "pl.DataFrame", place: int) -> dict[str, Any]:
    """What the page holds of a row."""
    figures = []
    for reason in found["reasons"][:_MOST_REASONS]:
        drawn = row_picture(reason["columns"], [numbers[name].to_list() for name in reason["columns"]], place)
        figures.append((drawn, plain_name(reason["words"], 400)))
    label = plain_name(found["label"], 60) if found["label"] else ""
    return {"number": found["row"], "label": label, "score": f"{found['score']:.3g}", "figures": figures}


def row_picture(names: Sequence[str], columns: Sequence[Sequence[Any]], place: int) -> str:
    """One row among the others as an SVG: two columns against each other, or one along a line.

    Parameters
    ----------
    names : sequence of str
        One or two columns.
    columns : sequence of sequence
        Their values, numbers or texts.
    place : int
        Of the row.

    Examples
    --------
    >>> drawn = row_picture(["a", "<b>"], [[1.0, 2.0, 9.0], ["u", "v", "u"]], 2)
    >>> drawn.count("<circle"), drawn.count("<path"), "<b>" in drawn
    (3, 1, False)
    """
    random = np.random.RandomState(0)
    spread = random.uniform(-1.0, 1.0, size=(2, len(columns[0])))
    across = _along(columns[0], _EDGE, _WIDTH - 8, spread[0])
    if len(columns) == 2:
        up = _HEIGHT - _along(columns[1], _EDGE, _HEIGHT - 8, spread[1])
    else:
        up = _HEIGHT / 2 + 0.3 * _HEIGHT * spread[1]
        up[place] = _HEIGHT / 2
    drawn = np.unique(np.linspace(0, len(across) - 1, min(len(across), _MOST_POINTS)).astype(int))
    dots = "".join(f'<circle cx="{across[k]:.1f}" cy="{up[k]:.1f}" r="2"/>' for k in drawn)
    x, y = across[place], up[place]
    cross = f"M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12"
    shown = [escape(plain_name(name, 32)) for name in names]
    second = (
        f'<text x="10" y="{_HEIGHT / 2:g}" text-anchor="middle" transform="rotate(-90 10 {_HEIGHT / 2:g})">'
        f"{shown[1]}</text>"
        if len(shown) == 2
        else ""
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="11" role="img" '
        f'aria-label="{" and ".join(shown)}"><g fill="{_OTHERS}" fill-opacity="0.4">{dots}</g>'
        f'<path d="{cross}" stroke="{_ROW}" stroke-width="3" fill="none"/>'
        f'<text x="{_WIDTH / 2:g}" y="{_HEIGHT - 6}" text-anchor="middle">{shown[0]}</text>{second}</svg>'
    )


def _along(values: Sequence[Any], low: float, high: float, spread: Floats) -> Floats:
    """Where values lie between two ends: numbers to scale, texts in alphabetical order and spread a little."""
    if isinstance(values[0], float | int):
        numbers = np.asarray(values, dtype=np.float64)
    else:
        numbers = np.unique([str(value) for value in values], return_inverse=True)[1] + 0.2 * spread
    least, most = float(numbers.min()), float(numbers.max())
    half = most / 2 - least / 2  # of halves, which are finite
    shares = (numbers / 2 - least / 2) / half if half > 0 else np.full(len(numbers), 0.5)
    found: Floats = low + (high - low) * shares
    return found
