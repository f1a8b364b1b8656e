"""Links that go through a third variable: what is taken off their weight, and which of them are left out."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def context_likelihood(weights: Floats, counted: Mask | None = None) -> Floats:
    """How far each weight stands out among those of either variable (Faith et al. 2007, context likelihood, CLR).

    sqrt(z_i^2 + z_j^2), where z_i = max(0, (w_ij - mean_i) / deviation_i) over the other weights of variable i.

    Parameters
    ----------
    weights : array (p, p)
        Symmetric; the diagonal does not count.
    counted : array of bool (p, p), optional
        Symmetric: the pairs that count; default: all.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    >>> context_likelihood(w)  # means 2, 2, 1; deviations 1, 1, 0
    array([[0.        , 1.41421356, 0.        ],
           [1.41421356, 0.        , 0.        ],
           [0.        , 0.        , 0.        ]])
    """
    counts = ~np.eye(len(weights), dtype=bool) if counted is None else counted
    others = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    mean = np.where(counts, weights, 0.0).sum(axis=1, keepdims=True) / others
    off = np.where(counts, weights - mean, 0.0)
    deviation = np.sqrt((off**2).sum(axis=1, keepdims=True) / others)
    # weights that are all the same, up to rounding, stand out nowhere
    even = deviation <= 1e-12 * np.abs(weights).max(initial=0.0)
    squares = np.where(even, 0.0, np.maximum(off, 0.0) / np.where(even, 1.0, deviation)) ** 2
    joined: Floats = np.sqrt(squares + squares.T)
    return joined


def mean_ranks(weights: Floats, counted: Mask) -> Floats:
    """Mean of the rank of each weight and the rank of how far it stands out, as shares of the pairs that are lighter.

    Parameters
    ----------
    weights : array (p, p)
        Symmetric.
    counted : array of bool (p, p)
        Symmetric, False on the diagonal: the pairs that count; all others are 0.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> mean_ranks(w, ~np.eye(3, dtype=bool)).round(2)
    array([[0.  , 0.83, 0.17],
           [0.83, 0.  , 0.5 ],
           [0.17, 0.5 , 0.  ]])
    """
    from scipy.stats import rankdata  # loaded only where it is used

    pairs = np.nonzero(np.triu(counted))
    ranks = np.zeros_like(weights)
    for matrix in (weights, context_likelihood(weights, counted)):
        ranks[pairs] += (rankdata(matrix[pairs]) - 0.5) / (2 * len(pairs[0]))
    both: Floats = ranks + ranks.T
    return both


def weakest_links(weights: Floats, linked: Mask, tolerance: float) -> Mask:
    """Links that are the weakest of a triangle: what data processing leaves of two stronger ones (ARACNE).

    Along a chain x - z - y no information on y reaches x but through z, so that I(x; y) is at most the smaller of the
    other two (Margolin et al. 2006). A link goes if it is below (1 - tolerance) times that in any triangle; triangles
    are those of the links before any is taken away, so that the order does not matter.

    Parameters
    ----------
    weights : array (p, p)
        Symmetric.
    linked : array of bool (p, p)
        Symmetric, False on the diagonal: which links count.
    tolerance : float
        From 0 to 1; 1 takes no link away.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.array([[0.0, 0.9, 0.5], [0.9, 0.0, 0.8], [0.5, 0.8, 0.0]])
    >>> weakest_links(w, ~np.eye(3, dtype=bool), 0.1).astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [1, 0, 0]])
    """
    weakest = np.zeros_like(linked)
    absent = weights.min() - 1.0
    present = np.where(linked, weights, absent)
    for i in range(len(weights)):
        others = np.flatnonzero(linked[i])
        after = others[others > i]
        detour = np.minimum(present[i, others], present[np.ix_(after, others)]).max(axis=1, initial=absent)
        weakest[i, after] = weights[i, after] < detour - tolerance * np.abs(detour)
    return weakest | weakest.T


def explained_links(
    weights: Floats, linked: Mask, pvalue: Callable[[int, int, int], float], level: float, progress: bool | None = None
) -> Mask:
    """Links that are the weakest of a triangle and do not show once its third variable is known.

    Parameters
    ----------
    weights, linked
        As in `weakest_links`.
    pvalue : callable
        p-value of the link of two variables given a third.
    level : float
        A link goes if the p-value given any third variable is above it.
    progress : bool, optional
        As in `track`.
    """
    explained = np.zeros_like(linked)
    suspects = list(triangles(weights, linked))
    for i, j, thirds in track(suspects, len(suspects), "conditional tests", progress):
        if any(pvalue(i, j, k) > level for k in thirds):
            explained[i, j] = explained[j, i] = True
    return explained


def separated_links(
    linked: Mask,
    pvalue: Callable[..., float],
    level: float,
    most: int = 3,
    progress: bool | None = None,
) -> Mask:
    """Links that do not show given some of the neighbors of either end: the adjacency search of the PC algorithm.

    In its order-independent form (Colombo and Maathuis 2014): neighbors are those at the start of each round, so that
    the order of the variables does not matter. Rounds take sets of one neighbor, of two, and so on.

    Parameters
    ----------
    linked : array of bool (p, p)
        Symmetric, False on the diagonal: the links to begin with.
    pvalue : callable
        p-value of the link of two variables given others: ``pvalue(i, j, *others)``.
    level : float
        A link goes if any p-value is above it.
    most : int
        Largest sets of neighbors.
    progress : bool, optional
        As in `track`.

    Examples
    --------
    >>> import numpy as np
    >>> linked = ~np.eye(3, dtype=bool)
    >>> gone = separated_links(linked, lambda i, j, *given: 0.5 if given == (1,) else 0.0, 0.05)
    >>> gone.astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [1, 0, 0]])
    """
    left = linked.copy()
    for size in range(1, most + 1):
        before = left.copy()
        neighbors = [np.flatnonzero(row).tolist() for row in before]
        pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(before)), strict=True)]
        for i, j in track(pairs, len(pairs), f"links given {size} others", progress):
            sides = [[k for k in neighbors[end] if k not in (i, j)] for end in (i, j)]
            sets = dict.fromkeys(chosen for side in sides for chosen in combinations(side, size))
            if any(pvalue(i, j, *chosen) > level for chosen in sets):
                left[i, j] = left[j, i] = False
        if max((len(own) for own in neighbors), default=0) <= size:
            break
    return linked & ~left


def triangles(weights: Floats, linked: Mask) -> Iterator[tuple[int, int, list[int]]]:
    """Links i < j with the variables that make a triangle in which no link is weaker; the strongest detour first."""
    for i, j in zip(*np.nonzero(np.triu(linked)), strict=True):
        thirds = np.flatnonzero(linked[i] & linked[j])
        detour = np.minimum(weights[i, thirds], weights[j, thirds])
        order = np.argsort(-detour, kind="stable")
        chosen = thirds[order][detour[order] >= weights[i, j]]
        if len(chosen):
            yield int(i), int(j), chosen.tolist()
