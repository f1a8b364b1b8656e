"""A row that stands out among the others, as a picture by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shearer._optional import load
from shearer.tools.outliers.explained_rows import Explained

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# Training rows drawn, and half the width over which equal labels are spread.
_MOST_DRAWN, _SPREAD = 2000, 0.25
# The blue and the vermilion of Okabe and Ito, told apart with any kind of colour vision.
_OTHERS, _ROW = "#0072B2", "#D55E00"


def draw_reason(explained: Explained, row: int, ax: Axes | None) -> Axes:
    """Draw the strongest reason of a row: two related columns with the row among the others, or one as a histogram."""
    plt = load("matplotlib.pyplot", "drawing")
    if ax is None:
        ax = plt.subplots(figsize=(5.0, 4.0))[1]
    reasons = explained.reasons(row, 1)
    names = reasons[0]["columns"] if reasons else explained.names[:1]
    columns = [list(explained.names).index(name) for name in names]
    others = explained.compared.values[:: max(1, len(explained.compared) // _MOST_DRAWN)]
    if len(columns) == 1:
        _histogram(explained, row, columns[0], ax)
    else:
        random = np.random.RandomState(0)
        across, up = (_places(explained, others[:, column], column, random) for column in columns)
        ax.plot(across, up, "o", color=_OTHERS, markersize=3, alpha=0.4, zorder=1)
        own = [_places(explained, explained.values[[row], column], column, None) for column in columns]
        ax.plot(*own, "X", color=_ROW, markersize=11, markeredgecolor="white", zorder=2)
        for column, axis in zip(columns, (ax.xaxis, ax.yaxis), strict=True):
            _name_levels(explained, column, axis)
        ax.set_ylabel(explained.names[columns[1]])
    ax.set_xlabel(explained.names[columns[0]])
    ax.set_title(reasons[0]["words"] if reasons else "", fontsize=8, wrap=True)
    return ax


def _histogram(explained: Explained, row: int, column: int, ax: Axes) -> None:
    values = _places(explained, explained.compared.values[:, column], column, None)
    levels = explained.reader.levels[column]
    bins = 40 if levels is None else [place - 0.5 for place in range(len(levels) + 1)]
    ax.hist(values, bins=bins, color=_OTHERS, alpha=0.6)
    ax.axvline(float(_places(explained, explained.values[[row], column], column, None)[0]), color=_ROW, linewidth=2)
    ax.set_ylabel("rows")
    _name_levels(explained, column, ax.xaxis)


def _places(explained: Explained, values: Floats, column: int, random: np.random.RandomState | None) -> Floats:
    """Numbers in the unit of their column; labels by their order, spread so that equal ones can be told apart."""
    if explained.reader.levels[column] is None:
        return np.array([explained.reader.number(column, value) for value in values])
    return values if random is None else values + random.uniform(-_SPREAD, _SPREAD, len(values))


def _name_levels(explained: Explained, column: int, axis: object) -> None:
    levels = explained.reader.levels[column]
    if levels is not None and len(levels) <= 20:
        axis.set_ticks(range(len(levels)), levels)  # type: ignore[attr-defined]
