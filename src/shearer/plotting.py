"""Pictures of dependence by matplotlib, from arrays and names."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shearer._display import printable
from shearer._optional import load
from shearer._validate import check_option, check_positive, describe, type_error, value_error

Floats: TypeAlias = NDArray[np.float64]
Axes: TypeAlias = Any

ORDERS = ("clustered", "given")
# Even in lightness, told apart with any kind of colour vision and in grey.
_MAP = "cividis"
_LONGEST_NAME = 24
# Beyond these, numbers in cells and names beside them can no longer be read.
_MOST_NUMBERED, _MOST_NAMED = 25, 80
_NODE, _EDGE = "#0072B2", "#555555"
# The same picture each time.
_SEED = 0


def heatmap(
    values: ArrayLike,
    names: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    order: str = "clustered",
    label: str = "I*",
    high: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of dependence as a heat map, with a cell for each pair.

    Parameters
    ----------
    values : array (p, p) or (p, t)
        The matrix; nan is drawn in grey. Without `columns` it is square and its diagonal is left out, so that it does
        not set the scale.
    names : sequence of str
        The names of the p rows, and of the columns of a square matrix.
    columns : sequence of str, optional
        The names of the t columns, if they are other variables than the rows.
    order : {"clustered", "given"}, default "clustered"
        "clustered": variables that depend on each other stand side by side (average linkage). With `columns`, only the
        rows are reordered, by how similar they are.
    label : str, default "I*"
        The title of the color scale.
    high : float, optional
        The value at which the color scale ends, so that two pictures can be compared; it then begins at 0. Default: the
        scale goes from 0, or the smallest value if that is negative, to the largest.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure, whose size follows the number of variables.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = heatmap([[1.0, 0.1, 0.8], [0.1, 1.0, 0.2], [0.8, 0.2, 1.0]], ["a", "b", "c"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['b', 'c', 'a']
    """
    matrix, rows, heads = _check_matrix(values, names, columns)
    check_option("order", order, ORDERS)
    square = columns is None
    if order == "clustered":
        place = _clusters(matrix if square else _profiles(matrix))
        matrix, rows = matrix[place], [rows[i] for i in place]
        if square:
            matrix, heads = matrix[:, place], [heads[i] for i in place]
    if square:
        matrix = np.where(np.eye(len(matrix), dtype=bool), np.nan, matrix)
    plt = load("matplotlib.pyplot", "drawing")
    if ax is None:
        side = [min(max(2.5 + 0.32 * count, 4.0), 24.0) for count in matrix.shape]
        ax = _new_axes(plt, side[1] + 1.0, side[0])
    known = matrix[np.isfinite(matrix)]
    low = min(0.0, known.min(initial=0.0)) if high is None else 0.0
    high = known.max(initial=0.0) if high is None else high
    colors = plt.get_cmap(_MAP).with_extremes(bad="#DDDDDD")
    image = ax.imshow(
        matrix, cmap=colors, vmin=low, vmax=high if high > low else low + 1.0, aspect="equal" if square else "auto"
    )
    ax.figure.colorbar(image, ax=ax, shrink=0.8).ax.set_title(label, fontsize=9)
    _name_axis(ax.xaxis, heads, rotation=90)
    _name_axis(ax.yaxis, rows, rotation=0)
    if max(matrix.shape) <= _MOST_NUMBERED:
        _number_cells(ax, matrix, image)
    return ax


def network(
    weights: ArrayLike,
    names: Sequence[str],
    *,
    threshold: float | None = None,
    label: str = "strength",
    ax: Axes | None = None,
) -> Axes:
    """Draw a network of variables: lines between dependent ones, thicker where the dependence is stronger.

    Parameters
    ----------
    weights : array (p, p)
        The weights of the links. Where the two halves differ, the larger value counts. No line is drawn for weights
        that are 0, negative or nan.
    names : sequence of str
        The names of the p variables.
    threshold : float, optional
        Draw only lines of this weight or more; positive.
    label : str, default "strength"
        What the thickness of the lines stands for; the title says it, with the largest weight.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = network([[0.0, 0.9, 0.0], [0.9, 0.0, 0.3], [0.0, 0.3, 0.0]], ["a", "b", "c"])
    >>> sorted(text.get_text() for text in ax.texts), len(ax.collections[0].get_segments())
    (['a', 'b', 'c'], 2)
    """
    matrix, rows, _ = _check_matrix(weights, names, None)
    least = 0.0 if threshold is None else check_positive("threshold", threshold)
    with np.errstate(invalid="ignore"):
        matrix = np.fmax(matrix, matrix.T)
        first, second = np.nonzero(np.triu((matrix > 0) & (matrix >= least), 1))
    strength = matrix[first, second]
    plt = load("matplotlib.pyplot", "drawing")
    if ax is None:
        side = min(max(4.0, 1.6 * len(rows) ** 0.5 + 2.0), 24.0)
        ax = _new_axes(plt, side, side)
    position = _layout(len(rows), first, second, strength)
    from matplotlib.collections import LineCollection
    from matplotlib.patheffects import withStroke

    widest = float(strength.max(initial=0.0)) or 1.0
    share = strength / widest
    segments = np.stack([position[first], position[second]], axis=1)
    shades = plt.get_cmap(f"{_MAP}_r")(0.25 + 0.75 * share)
    ax.add_collection(LineCollection(list(segments), linewidths=0.5 + 4.5 * share, colors=shades, zorder=1))
    linked = np.isin(np.arange(len(rows)), np.concatenate([first, second]))
    ax.scatter(*position.T, s=60, c=np.where(linked, _NODE, "#BBBBBB"), edgecolors="white", zorder=2)
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for spot, name in zip(position, rows, strict=True):
        text = ax.annotate(name, spot, xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9, zorder=3)
        text.set(path_effects=halo, parse_math=False)
    widths = f"{label}: thickest line {widest:.2g}" if len(strength) else f"{label}: no line"
    ax.set_title(widths, fontsize=9, color=_EDGE)
    ax.margins(0.12)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    return ax


def dumbbells(values: ArrayLike, names: Sequence[str], groups: Sequence[str], *, ax: Axes | None = None) -> Axes:
    """Draw the strengths of pairs in several groups: a row for each pair, with a dot for each group.

    Parameters
    ----------
    values : array (pairs, groups)
        Strengths; nan is left out.
    names : sequence of str
        The names of the pairs.
    groups : sequence of str
        The names of the groups.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = dumbbells([[0.8, 0.3]], ["price · mileage"], ["before", "after"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['before', 'after']
    """
    matrix = np.asarray(values, dtype=np.float64)
    plt = load("matplotlib.pyplot", "drawing")
    if ax is None:
        ax = _new_axes(plt, 7.0, max(2.0, 1.0 + 0.32 * len(matrix)))
    places = np.arange(len(matrix))[::-1]
    if matrix.size:
        ax.hlines(places, np.nanmin(matrix, axis=1), np.nanmax(matrix, axis=1), color="0.7", zorder=1)
    for name, column in zip(_shown("groups", groups), matrix.T, strict=True):
        ax.scatter(column, places, label=name, zorder=2)
    ax.set_yticks(places, _shown("names", names))
    ax.set_xlabel("strength")
    ax.legend()
    return ax


def _check_matrix(values: Any, names: Any, columns: Any) -> tuple[Floats, list[str], list[str]]:
    try:
        matrix = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type_error("values", "a matrix of numbers", describe(values)) from error
    rows = _shown("names", names)
    heads = rows if columns is None else _shown("columns", columns)
    if matrix.shape != (len(rows), len(heads)) or not matrix.size:
        raise value_error("values", f"a matrix of {len(rows)} by {len(heads)}, as the names", f"shape {matrix.shape}")
    return matrix, rows, heads


def _shown(parameter: str, names: Any) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise type_error(parameter, "a sequence of texts", describe(names))
    return [printable(name, _LONGEST_NAME) for name in names]


def _profiles(matrix: Floats) -> Floats:
    """How alike the rows of a table are: 1 less their distance, as a share of the largest."""
    rows = np.nan_to_num(matrix)
    distance = np.sqrt(np.square(rows[:, None] - rows[None]).sum(axis=-1))
    return np.asarray(1.0 - distance / (distance.max() or 1.0))


def _clusters(similarity: Floats) -> list[int]:
    """Positions in the order of the leaves of a clustering."""
    if len(similarity) < 3:
        return list(range(len(similarity)))
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    alike = np.nan_to_num((similarity + similarity.T) / 2, nan=0.0, posinf=0.0, neginf=0.0)
    distance = alike.max() - alike
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    tree = linkage(condensed, "average")
    # The best order of leaves takes the cube of their number.
    tree = optimal_leaf_ordering(tree, condensed) if len(alike) <= _MOST_NAMED else tree
    return [int(leaf) for leaf in leaves_list(tree)]


def _layout(count: int, first: NDArray[np.intp], second: NDArray[np.intp], strength: Floats) -> Floats:
    """Places of the nodes: each connected part by itself, the parts side by side, the largest first."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from(zip(first.tolist(), second.tolist(), strength.tolist(), strict=True))
    # The nearer the stronger, within a factor of four: a weak line shall not be long.
    nearness = strength / strength.max(initial=0.0) if len(strength) else strength
    nx.set_edge_attributes(
        graph, dict(zip(zip(first.tolist(), second.tolist(), strict=True), 1 / (0.33 + nearness), strict=True)), "far"
    )
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    place = np.empty((count, 2))
    sides = [2.0 * len(part) ** 0.5 for part in parts]
    widest = max(max(sides), sum(side * side for side in sides) ** 0.5)
    x = y = height = 0.0
    for part, side in zip(parts, sides, strict=True):
        if x + side > 1.01 * widest:
            x, y, height = 0.0, y - height, 0.0
        height = max(height, side)
        place[sorted(part)] = np.array([x + side / 2, y - side / 2]) + 0.38 * side * _spread(graph.subgraph(part))
        x += side
    return place


def _spread(part: Any) -> Floats:
    """Places of connected nodes, in the order of their numbers, within a circle around the origin."""
    import networkx as nx

    nodes = sorted(part)
    if len(nodes) == 1:
        return np.zeros((1, 2))
    if len(nodes) <= _MOST_NAMED:
        found = nx.kamada_kawai_layout(part, weight="far")
    else:
        found = nx.spring_layout(part, seed=_SEED, iterations=100)
    spots = np.array([found[node] for node in nodes])
    spots -= (spots.min(axis=0) + spots.max(axis=0)) / 2
    return np.asarray(spots / np.linalg.norm(spots, axis=1).max())


def _name_axis(axis: Any, names: Sequence[str], rotation: int) -> None:
    step = -(-len(names) // _MOST_NAMED)
    axis.set_ticks(range(0, len(names), step), names[::step], rotation=rotation, fontsize=8, parse_math=False)


def _number_cells(ax: Axes, matrix: Floats, image: Any) -> None:
    for row, column in zip(*np.nonzero(np.isfinite(matrix)), strict=True):
        value = matrix[row, column]
        ink = "black" if image.norm(value) > 0.6 else "white"
        text = f"{value:.2f}".replace("0.", ".", 1)
        text = text.removeprefix("-") if float(text) == 0 else text
        ax.text(column, row, text, ha="center", va="center", color=ink, fontsize=7)


def _new_axes(plt: Any, width: float, height: float) -> Axes:
    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    return ax
