"""Features and a target as a few orthonormal columns each, on which what explains what is a matter of regression."""

import math

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Table
from shearer.data.variables import Block
from shearer.tools.networks.score_features import MOST_LEVELS, normal_scores, score_features

Floats = NDArray[np.float64]

# Classes of a target that are told apart, and rows that a level must have; all others are one.
MOST_CLASSES, FEWEST_OF_LEVEL = 32, 5
# Directions with less than this share of the spread are rounding.
_SMALLEST = 1e-6


def orthonormal(columns: Floats) -> Floats:
    """Centered columns of length sqrt(n) at right angles that span the same; none for constants.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 4.0])
    >>> orthonormal(np.stack([x, 2 * x + 5, np.ones(4)], axis=1)).shape
    (4, 1)
    """
    centered = columns - columns.mean(axis=0)
    left, lengths, _ = np.linalg.svd(centered, full_matrices=False)
    kept = lengths > _SMALLEST * math.sqrt(len(columns))
    found: Floats = left[:, kept] * math.sqrt(len(columns))
    return found


def feature_columns(block: Block) -> Floats:
    """Of a number three features of its ranks, lines and bends; of a label its levels less one, at most eight."""
    values = np.asarray(block.values)
    if block.kind != "continuous":
        return orthonormal(_indicators(values, MOST_LEVELS))
    return orthonormal(score_features(normal_scores(values[:, 0]))[:, 1:])


def target_columns(block: Block) -> Floats:
    """Of a number a line and a bend of its ranks, both bounded; of classes their indicators less one."""
    values = np.asarray(block.values)
    if block.kind != "continuous":
        return orthonormal(_indicators(values, MOST_CLASSES))
    return orthonormal(score_features(normal_scores(values[:, 0]))[:, 1:3])


class FeatureStack:
    """The features of all columns side by side, each with as many places as the widest has.

    Parameters
    ----------
    table : Table
        The features, and the target as the last variable; without gaps.

    Attributes
    ----------
    values : array (n, p, r)
        Orthonormal columns of each feature; 0 in places that it does not need.
    ranks : array of int (p,)
        How many each has: 0 for constants.
    target : array (n, s)
        Of the target.
    """

    def __init__(self, table: Table) -> None:
        *features, target = (variable.blocks[0] for variable in table.variables)
        found = [feature_columns(block) for block in features]
        self.ranks = np.array([own.shape[1] for own in found], dtype=np.intp)
        self.values = np.zeros((table.rows, len(found), max(1, int(self.ranks.max(initial=0)))))
        for place, own in enumerate(found):
            self.values[:, place, : own.shape[1]] = own
        self.target = target_columns(target)

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.values)

    @property
    def count(self) -> int:
        """How many features."""
        return len(self.ranks)

    def shared(self, others: Floats) -> Floats:
        """Share of what each feature and some orthonormal columns could have in common that they have."""
        sums = self.values.reshape(self.rows, -1).T @ others / self.rows
        squares = (sums**2).reshape(self.count, -1).sum(axis=1)
        found: Floats = squares / np.maximum(np.minimum(self.ranks, others.shape[1]), 1)
        return found


def _indicators(codes: NDArray[np.integer], most: int) -> Floats:
    """Indicators of the most frequent levels; rare ones and those beyond `most` are one level together."""
    _, own, counts = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(counts), dtype=np.intp)
    place[order] = np.minimum(np.arange(len(counts)), most - 1)
    rare = counts < FEWEST_OF_LEVEL
    if rare.any() and not rare.all():
        place[rare] = min(int((~rare).sum()), most - 1)
    found: Floats = np.eye(int(place.max()) + 1)[place[own.reshape(-1)]]
    return found
