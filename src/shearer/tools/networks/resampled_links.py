"""How often links are found again in halves of the rows."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer.data.table import Table

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def link_stability(
    weigh: Callable[[Table], Floats],
    table: Table,
    pairs: tuple[Indices, Indices],
    counted: NDArray[np.bool_],
    *,
    halves: int,
    seed: int,
    progress: bool | None = None,
) -> Floats:
    """Share of halves of the rows in which each link is among as many heaviest pairs as there are links.

    Parameters
    ----------
    weigh : callable
        Table -> weights of all pairs.
    table : Table
        The variables.
    pairs : two arrays of int
        The links.
    counted : array of bool (p, p)
        The pairs that count.
    halves : int
        How many halves are drawn, each without replacement.
    seed, progress
        Of the draws; as in `track`.

    Examples
    --------
    >>> from shearer.data import read
    >>> table = read(np.random.default_rng(0).normal(size=(100, 3)) @ np.array([[1, 1, 0], [0, 0.1, 0], [0, 0, 1]]))
    >>> weigh = lambda half: np.abs(np.corrcoef([v.blocks[0].values[:, 0] for v in half.variables]))
    >>> link_stability(weigh, table, (np.array([0]), np.array([1])), ~np.eye(3, dtype=bool), halves=10, seed=0)
    array([1.])
    """
    found = np.zeros(len(pairs[0]))
    upper = np.nonzero(np.triu(counted, 1))
    if not len(found):
        return found
    random = np.random.default_rng(seed)
    for _ in track(range(halves), halves, "halves of the rows", progress):
        rows = np.sort(random.permutation(table.rows)[: table.rows // 2])
        weights = weigh(table.take(rows))
        heaviest = np.partition(weights[upper], len(upper[0]) - len(found))[len(upper[0]) - len(found)]
        found += (weights[pairs] >= heaviest) & (weights[pairs] > 0)
    found /= halves
    return found
