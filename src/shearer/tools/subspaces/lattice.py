"""Sets of columns, level by level: what two sets join to, what a set is made of, and which sets say nothing new."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

# Positions of columns in rising order.
Columns: TypeAlias = tuple[int, ...]


def without_one(columns: Columns) -> list[Columns]:
    """The sets that lack one of the columns, the first one first.

    Examples
    --------
    >>> without_one((1, 4, 6))
    [(4, 6), (1, 6), (1, 4)]
    """
    return [columns[:place] + columns[place + 1 :] for place in range(len(columns))]


def joined(sets: Iterable[Columns]) -> list[Columns]:
    """Every union of two sets of k columns that have k - 1 in common, once (the Apriori join), in rising order.

    Examples
    --------
    >>> joined([(0, 1), (1, 2), (3, 4)])
    [(0, 1, 2)]
    """
    additions: dict[Columns, list[int]] = {}
    for columns in sets:
        for column, stem in zip(columns, without_one(columns), strict=True):
            additions.setdefault(stem, []).append(column)
    unions = {
        tuple(sorted((*stem, *pair))) for stem, extra in additions.items() for pair in combinations(sorted(extra), 2)
    }
    return sorted(unions)


def by_stem(sets: Sequence[Columns]) -> dict[Columns, list[tuple[int, int]]]:
    """The sets as a stem and one column more, with as few stems as a greedy choice finds.

    Returns
    -------
    dict of stem -> list of (position in `sets`, the column that the stem lacks)

    Examples
    --------
    >>> by_stem([(0, 1, 2), (1, 2, 5)])
    {(1, 2): [(0, 0), (1, 5)]}
    """
    occurrences = Counter(stem for columns in sets for stem in without_one(columns))
    stems: dict[Columns, list[tuple[int, int]]] = {}
    for position, columns in enumerate(sets):
        stem, column = max(zip(without_one(columns), columns, strict=True), key=lambda item: occurrences[item[0]])
        stems.setdefault(stem, []).append((position, column))
    return stems


def not_redundant(scores: Mapping[Columns, float]) -> list[Columns]:
    """The sets of which no proper superset scores higher, best first; ties by the columns.

    Examples
    --------
    >>> not_redundant({(0, 1): 0.5, (0, 1, 2): 0.6, (0, 3): 0.9})
    [(0, 3), (0, 1, 2)]
    """
    sets = sorted(scores, key=lambda columns: (-scores[columns], columns))
    used = {column: place for place, column in enumerate(sorted({c for columns in sets for c in columns}))}
    members = np.zeros((len(sets), len(used)), dtype=np.float32)
    for position, columns in enumerate(sets):
        members[position, [used[column] for column in columns]] = 1.0
    size, score = members.sum(axis=1), np.array([scores[columns] for columns in sets])
    within = members @ members.T == size[:, None]
    beaten = within & (size[None, :] > size[:, None]) & (score[None, :] > score[:, None])
    return [columns for columns, dropped in zip(sets, beaten.any(axis=1), strict=True) if not dropped]
