"""Mutual information of order 1 of all pairs of columns: from few features of each, by products and small spectra.

The joint kernel of two numbers with features f and g has the spectrum of the sum over rows of (f f') x (g g'), which is
16 x 16. All its entries are products of f_k f_k' and g_l g_l', ten of each, so that a tile of pairs is one matrix
product. Of a label the products are its indicators. The entropies of single columns on the rows that both have are
partial traces of the same sums, so that gaps cost little.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._threads import map_threads
from shearer.data.table import Table
from shearer.pairs.limits import FEWEST_ROWS
from shearer.tools.networks.score_features import (
    FEATURES,
    MOST_LEVELS,
    level_features,
    normal_scores,
    score_features,
)

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Variables of a tile.
TILE = 64
# Shares below this are 0: what two normal variables with a correlation of 0.15 have. So weak a dependence shows in many
# rows only, and nothing in its order tells links from others.
LEAST_SHARE = 0.014
# Independent columns have about f g / (2 n ln 2) bits: f is the number of levels less one of a label, and of a number
# this (measured: 1.39 to 1.48 for 50 to 2000 rows).
NUMBER_FREEDOM = 1.45
_FIRST, _SECOND = np.triu_indices(FEATURES)
_PLACE = np.zeros((FEATURES, FEATURES), dtype=np.intp)
_PLACE[_FIRST, _SECOND] = _PLACE[_SECOND, _FIRST] = np.arange(len(_FIRST))
_PRODUCTS = len(_FIRST)
# Products of a number and of a label.
_WIDTHS = (_PRODUCTS, MOST_LEVELS)
# Products of a tile of variables that are made at a time: 8 megabytes.
_ENTRIES, _FEWEST_ROWS = 2**20, 256
_DIAGONAL = np.flatnonzero(_FIRST == _SECOND)
# Where the entries of a joint matrix of two numbers stand among the products.
_JOINT = (_PLACE[:, None, :, None] * _PRODUCTS + _PLACE[None, :, None, :]).reshape(FEATURES**2, FEATURES**2)


class PairInformation:
    """How much columns tell of each other: I at order 1 as a share of what a copy would tell.

    Numbers count by their ranks; of a label the eight most frequent levels, the last of them joined with all others.
    Labels of many levels share more by chance than numbers do: this is taken off, so that all pairs have the chance
    that two numbers have. Shares below that of a correlation of 0.15 are 0.

    Parameters
    ----------
    table : Table
        The variables, one column each, with or without gaps.
    least : float
        Shares below this are 0.

    Examples
    --------
    >>> from shearer.data import read
    >>> x, e = np.random.default_rng(0).normal(size=(2, 300))
    >>> found = PairInformation(read({"x": x, "cube": x**3, "square": x**2, "noise": e}))
    >>> found.all_pairs().round(2)[0]
    array([0.  , 1.  , 0.43, 0.  ])
    """

    def __init__(self, table: Table, least: float = LEAST_SHARE) -> None:
        self._least = least
        self.count, self._rows = len(table.variables), table.rows
        self._presence = table.presence
        self.is_label = np.array([variable.kind != "continuous" for variable in table.variables])
        self._freedom = np.full(self.count, NUMBER_FREEDOM)
        self._place = np.zeros(self.count, dtype=np.intp)  # among those of the same kind
        kinds = [np.flatnonzero(self.is_label == label) for label in (False, True)]
        for own in kinds:
            self._place[own] = np.arange(len(own))
        self._numbers = np.zeros((len(kinds[0]), self._rows, FEATURES))
        self._labels = np.zeros((len(kinds[1]), MOST_LEVELS, self._rows))
        for k, variable in enumerate(table.variables):
            values, rows = np.asarray(variable.blocks[0].values), table.presence.rows(k)
            if self.is_label[k]:
                indicators, levels = level_features(values)
                self._labels[self._place[k], :, rows] = indicators
                self._freedom[k] = levels - 1
            else:
                self._numbers[self._place[k], rows] = score_features(normal_scores(values[:, 0]))
        self._entropy, self._own = self._alone()

    def all_pairs(self, progress: bool | None = None) -> Floats:
        """Shares of all pairs, symmetric, 0 on the diagonal; nan where fewer than six rows are common."""
        found = np.zeros((self.count, self.count))
        tiles = [np.arange(start, min(start + TILE, self.count)) for start in range(0, self.count, TILE)]
        for i, left in track(enumerate(tiles), len(tiles), "information of pairs", progress):
            blocks = map_threads(partial(self.block, left), tiles[i:])
            band = np.concatenate(blocks, axis=1)
            found[left[0] : left[-1] + 1, left[0] :] = band
        upper = np.triu(found, 1)
        return upper + upper.T

    def block(self, left: Indices, right: Indices) -> Floats:
        """Shares of all pairs of two sets of variables, shape (left, right)."""
        bits = np.empty((len(left), len(right)))
        for first in (False, True):
            for second in (False, True):
                some, others = (
                    np.flatnonzero(self.is_label[side] == kind) for side, kind in ((left, first), (right, second))
                )
                if len(some) and len(others):
                    bits[np.ix_(some, others)] = self._bits(left[some], right[others], first, second)
        rows = self._presence.common[np.ix_(self._presence.pattern[left], self._presence.pattern[right])]
        freedom = np.outer(self._freedom[left], self._freedom[right]) - NUMBER_FREEDOM**2
        most = np.minimum.outer(self._own[left], self._own[right])
        with np.errstate(divide="ignore", invalid="ignore"):
            # numbers have nothing taken off, labels of two levels nothing put on
            share = (bits - np.maximum(freedom, 0.0) / (2 * rows * np.log(2))) / most
        share[(most <= 0) | (share < self._least)] = 0.0
        share[rows < FEWEST_ROWS] = np.nan
        found: Floats = np.minimum(share, 1.0)
        return found

    def _bits(self, left: Indices, right: Indices, first: bool, second: bool) -> Floats:
        """Mutual information of variables of one kind each."""
        shape = len(left), len(right)
        flat = np.zeros((len(left) * _WIDTHS[first], len(right) * _WIDTHS[second]))
        for rows in self._chunks(max(shape)):
            mine, others = self._products(left, first, rows), self._products(right, second, rows)
            flat += mine.reshape(len(flat), -1) @ others.reshape(flat.shape[1], -1).T
        sums = flat.reshape(len(left), _WIDTHS[first], len(right), _WIDTHS[second]).transpose(0, 2, 1, 3)
        if first and second:
            joint = _entropy(sums.reshape(*shape, -1))
        elif first:
            joint = _entropy(_spectra(sums).reshape(*shape, -1))
        elif second:
            joint = _entropy(_spectra(sums.swapaxes(2, 3)).reshape(*shape, -1))
        else:
            joint = _entropy(np.linalg.eigvalsh(sums.reshape(*shape, _PRODUCTS**2)[..., _JOINT]))
        if self._presence.complete:
            bits: Floats = self._entropy[left][:, None] + self._entropy[right] - joint
            return bits
        alone = (
            _entropy(part if label else _spectra(part))
            for part, label in (
                (sums.sum(axis=3) if second else sums[..., _DIAGONAL].sum(axis=3), first),
                (sums.sum(axis=2) if first else sums[:, :, _DIAGONAL].sum(axis=2), second),
            )
        )
        own, other = alone
        bits = own + other - joint
        return np.asarray(bits)

    def _alone(self) -> tuple[Floats, Floats]:
        """The entropy of each variable on its rows, and the information of it with itself."""
        entropy, own = np.zeros((2, self.count))
        for start in range(0, self.count, TILE):
            some = np.arange(start, min(start + TILE, self.count))
            for label in (False, True):
                members = some[self.is_label[some] == label]
                if not len(members):
                    continue
                sums = np.zeros((len(members), _WIDTHS[label]))
                joint = np.zeros((len(members), _PRODUCTS, _PRODUCTS))
                for rows in self._chunks(len(members)):
                    products = self._products(members, label, rows)
                    sums += products.sum(axis=2)
                    if not label:
                        joint += products @ products.transpose(0, 2, 1)
                if label:
                    own[members] = entropy[members] = _entropy(sums)
                else:
                    entropy[members] = _entropy(_spectra(sums))
                    both = _entropy(np.linalg.eigvalsh(joint.reshape(len(members), -1)[:, _JOINT]))
                    own[members] = 2 * entropy[members] - both
        own[own < 1e-9] = 0.0  # constants, up to rounding
        return entropy, own

    def _products(self, variables: Indices, label: bool, rows: slice) -> Floats:
        """Products of two features each, shape (variables, products, rows)."""
        place = self._place[variables]
        if label:
            return self._labels[place, :, rows]
        features = self._numbers[place, rows]
        return (features[..., _FIRST] * features[..., _SECOND]).transpose(0, 2, 1)

    def _chunks(self, variables: int) -> Iterator[slice]:
        """Rows whose products of so many variables stay small."""
        step = max(_FEWEST_ROWS, _ENTRIES // (_PRODUCTS * max(variables, 1)))
        for start in range(0, self._rows, step):
            yield slice(start, min(start + step, self._rows))


def _spectra(sums: Floats) -> Floats:
    """Eigenvalues of the matrices of one number, from its products on the last axis."""
    return np.asarray(np.linalg.eigvalsh(sums[..., _PLACE]))


def _entropy(spectrum: NDArray[Any]) -> Floats:
    """Entropy of order 1 in bits of spectra on the last axis, which are scaled to sum 1; 0 of nothing."""
    positive = np.maximum(spectrum, 0.0)
    total = positive.sum(axis=-1)
    safe = np.where(total > 0, total, 1.0)
    logs = np.log2(positive, out=np.zeros_like(positive), where=positive > 0)
    found: Floats = np.log2(safe) - (positive * logs).sum(axis=-1) / safe
    return found
