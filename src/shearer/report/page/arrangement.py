"""Where things stand on the page: like columns side by side on the map, linked ones close in the network."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.report.relations import Relations

Floats = NDArray[np.float64]

# A map of more columns has cells that no screen shows; of more than a few dozen, those without a pair take much room.
MOST_MAPPED = 300
_MOST_BLANK = 60
# More links than these are a grey patch, and slow to drag.
MOST_LINKS = 2000
# Links shown at first, for each column and at least, few enough to follow each of them; links of a column that decide
# its place; columns up to which distances are drawn true to strength; synergistic triples that have a place although
# none of their pairs is linked.
_LINKS_A_COLUMN = 1
_LINKS_AT_FIRST = 8
_LINKS_THAT_PULL = 5
_MOST_EXACT = 150
_MOST_TRIPLES = 20


def map_order(strength: Floats, mapped: Sequence[int] | None = None) -> list[int]:
    """Columns in the order of a clustering by strength; of many, those with a pair that was found.

    Parameters
    ----------
    strength : array (p, p)
        Of every two columns.
    mapped : sequence of int, optional
        Columns that have a place. Default: all.

    Examples
    --------
    >>> import numpy as np
    >>> strength = np.zeros((4, 4))
    >>> strength[0, 2] = strength[2, 0] = strength[1, 3] = strength[3, 1] = 0.8
    >>> order = map_order(strength)
    >>> abs(order.index(0) - order.index(2)), abs(order.index(1) - order.index(3))
    (1, 1)
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    places = np.arange(len(strength)) if mapped is None else np.asarray(mapped, dtype=np.intp)
    top = strength.max(axis=1, initial=0.0)[places]
    room = min(MOST_MAPPED, max(_MOST_BLANK, int((top > 0).sum())))
    chosen = places[np.sort(np.argsort(-top, kind="stable")[:room])]
    if len(chosen) < 3:
        return [int(column) for column in chosen]
    own = strength[np.ix_(chosen, chosen)]
    distance = 1.0 - np.clip(own / max(own.max(), 1e-12), 0.0, 1.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    return [int(chosen[leaf]) for leaf in leaves_list(tree)]


@dataclass(frozen=True)
class Network:
    """Columns that are linked, where they stand in a unit square, and their links.

    Attributes
    ----------
    columns : list of int
        Columns with a reported pair or synergistic triple.
    x, y : list of float
        Their places.
    links : list of int
        Rows of the pairs drawn, the strongest first.
    threshold : float
        The strength from which on links are shown at first.
    weaker : int
        Links that are too many to draw.
    """

    columns: list[int]
    x: list[float]
    y: list[float]
    links: list[int]
    threshold: float
    weaker: int


def lay_out(pairs: Relations, links: list[int], triples: NDArray[np.intp], seed: int = 0) -> Network:
    """Place the columns of these pairs and triples: every connected part by itself, the parts side by side.

    Parameters
    ----------
    pairs : Relations
        All pairs.
    links : list of int
        Rows of the pairs to link, the strongest first, one for two columns.
    triples : NDArray
        Columns of the synergistic triples.
    seed : int
        Of the springs that place many columns.
    """
    import networkx as nx

    backbone = set(_strongest_of_each(pairs.index[links], 1))
    drawn = [row for place, row in enumerate(links) if place < MOST_LINKS - len(backbone) or place in backbone]
    graph = _graph(pairs, drawn, triples)
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    placed = _side_by_side([_place(graph.subgraph(sorted(part)), seed) for part in parts])
    columns = sorted(placed)
    shown = min(len(drawn), max(_LINKS_AT_FIRST, _LINKS_A_COLUMN * len(columns)))
    return Network(
        columns,
        [round(placed[column][0], 4) for column in columns],
        [round(placed[column][1], 4) for column in columns],
        drawn,
        float(pairs.strength[drawn[shown - 1]]) if drawn else 0.0,
        len(links) - len(drawn),
    )


def _strongest_of_each(index: NDArray[np.intp], most: int) -> list[int]:
    """Places of the links that are among the first few of one of their columns."""
    seen: Counter[int] = Counter()
    kept = []
    for place, two in enumerate(index.tolist()):
        if min(seen[column] for column in two) < most:
            kept.append(place)
        seen.update(two)
    return kept


def _graph(pairs: Relations, drawn: list[int], triples: NDArray[np.intp]) -> Any:
    """Who pulls whom: the strongest links of each column and those that hold parts together, not all in one heap."""
    import networkx as nx

    top = max((float(pairs.strength[row]) for row in drawn), default=0.0)
    full = nx.Graph()
    for row in drawn:
        a, b = pairs.index[row].tolist()
        share = min(max(float(pairs.strength[row]) / (top or 1.0), 0.0), 1.0)
        full.add_edge(a, b, share=share, distance=1.0 - 0.75 * share)
    graph = nx.maximum_spanning_tree(full, weight="share")
    for place in _strongest_of_each(pairs.index[drawn], _LINKS_THAT_PULL):
        a, b = pairs.index[drawn[place]].tolist()
        graph.add_edge(a, b, **full.edges[a, b])
    for triple in triples[:_MOST_TRIPLES].tolist():
        for a, b in combinations(triple, 2):
            if not graph.has_edge(a, b):
                graph.add_edge(a, b, share=0.5, distance=0.6)
    return graph


def _place(part: Any, seed: int) -> dict[int, tuple[float, float]]:
    """Places in a unit square: by distance where that is cheap, else by springs."""
    import networkx as nx

    if len(part) == 2:
        return dict(zip(part, [(0.15, 0.35), (0.85, 0.65)], strict=True))
    if len(part) <= _MOST_EXACT:
        places = nx.kamada_kawai_layout(part, weight="distance")
    else:
        places = nx.spring_layout(part, weight="share", seed=seed, k=2.5 / math.sqrt(len(part)), iterations=120)
    points = np.array([places[node] for node in part])
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    points = (points - low) / np.where(span > 1e-9, span, 1.0)
    # Half way to even spacing, the more the larger the part: heaps of columns open up, neighbours stay neighbours.
    ranks = points.argsort(axis=0).argsort(axis=0) / (len(part) - 1)
    even = 0.7 * min(1.0, len(part) / _MOST_EXACT)
    points = (1.0 - even) * points + even * ranks
    return {node: (float(x), float(y)) for node, (x, y) in zip(part, points, strict=True)}


def _side_by_side(parts: list[dict[int, tuple[float, float]]]) -> dict[int, tuple[float, float]]:
    """Parts as squares on shelves, the shelves stretched to fill the unit square."""
    sides = [math.sqrt(len(part)) for part in parts]
    whole = math.sqrt(sum(side**2 for side in sides))
    # One large part has a shelf of its own.
    width = max([*sides, 0.0 if max(sides, default=0.0) > 0.75 * whole else 1.25 * whole])
    shelves: list[list[int]] = []
    used = math.inf
    for number, side in enumerate(sides):
        if used + side > width + 1e-9:
            shelves.append([])
            used = 0.0
        shelves[-1].append(number)
        used += side
    height = sum(sides[shelf[0]] for shelf in shelves)
    placed, top = {}, 0.0
    for shelf in shelves:
        left, stretch = 0.0, 1.0 / sum(sides[number] for number in shelf)
        for number in shelf:
            # A margin keeps neighbouring parts apart.
            margin = 0.0 if len(parts) == 1 else min(0.12 * sides[number], 0.4)
            inner = sides[number] - 2 * margin
            for node, (x, y) in parts[number].items():
                placed[node] = ((left + margin + inner * x) * stretch, (top + margin + inner * y) / height)
            left += sides[number]
        top += sides[shelf[0]]
    return placed
