"""The test of one pair of columns, of whatever kinds, in all groups."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from shearer.comparing.compared_groups import FEWEST_PAIR_ROWS, Group, TableGroup
from shearer.comparing.group_tests import independent_groups, joined_pvalue, matched_groups
from shearer.comparing.label_pairs import kept_levels, matched_odds_pvalue, odds_pvalue
from shearer.comparing.mixed_pairs import mixed_components, mixed_pair
from shearer.comparing.number_pairs import COMPONENTS, WEIGHTS
from shearer.comparing.read_groups import ReadGroups

_FEW_ROWS = f"fewer than {FEWEST_PAIR_ROWS} common rows in a group, or no variation: not tested"
_FEW_CLUSTERS = "rests on a few clusters: not tested"
_FEW_LEVELS = "fewer than two labels that every group has: not tested"


class Tested(NamedTuple):
    """The test of a pair: p-value, rows in each group, correlations and their errors, what is to be said."""

    pvalue: float
    rows: list[int]
    correlations: list[tuple[float, float]] | None
    notes: list[str]


def units_of(groups: Sequence[Group]) -> int:
    """How many clusters there are; 0 where rows are independent."""
    return max((group.units for group in groups if isinstance(group, TableGroup)), default=0)


def pair_test(read: ReadGroups, first: str, second: str, seed: int) -> Tested:
    """Test whether the dependence of two columns is the same in all groups."""
    kinds = read.kinds[first], read.kinds[second]
    if kinds == ("number", "number"):
        return _test_numbers(read.groups, first, second)
    if kinds == ("label", "label"):
        return _test_labels(read, first, second, seed)
    label, other = (first, second) if kinds[0] == "label" else (second, first)
    return _test_mixed(read, label, other)


def _test_numbers(groups: Sequence[Group], first: str, second: str) -> Tested:
    found = [group.numbers(first, second) for group in groups]
    known = [own for own in found if own is not None]
    rows = [0 if own is None else own.rows for own in found]
    if len(known) < len(groups):
        return Tested(np.nan, rows, None, [_FEW_ROWS])
    means, sums = [own.means for own in known], [own.sums for own in known if own.sums is not None]
    if sums:
        together = matched_groups(means, sums, rows)
    else:
        together = independent_groups(means, [own.covariance for own in known], rows)
    errors = np.sqrt([own.covariance[0, 0] for own in known])
    correlations = [(float(own[0]), float(error)) for own, error in zip(means, errors, strict=True)]
    pvalue = joined_pvalue(together, COMPONENTS, WEIGHTS)
    return Tested(pvalue, rows, correlations, [_FEW_CLUSTERS] if math.isnan(pvalue) else [])


def _test_labels(read: ReadGroups, first: str, second: str, seed: int) -> Tested:
    counts = [group.counts(first, second) for group in read.groups]
    left = kept_levels([own.table.sum(axis=1) for own in counts])
    right = kept_levels([own.table[left].sum(axis=0) for own in counts]) if len(left) else left
    tables = np.stack([own.table[np.ix_(left, right)] for own in counts]) if len(right) else np.zeros((len(counts), 1))
    rows = [int(own.sum()) for own in tables]
    if min(len(left), len(right)) < 2 or min(rows) < FEWEST_PAIR_ROWS:
        return Tested(np.nan, rows, None, [_FEW_LEVELS])
    notes = _left_out(read, (first, left), (second, right))
    if counts[0].rows is None:
        return Tested(odds_pvalue(tables, seed), rows, None, notes)
    matched = []
    for own in counts:
        if own.rows is not None:
            a, b, unit = own.rows
            inside = np.isin(a, left) & np.isin(b, right)
            matched.append((np.searchsorted(left, a[inside]), np.searchsorted(right, b[inside]), unit[inside]))
    shape = len(left), len(right)
    pvalue = matched_odds_pvalue(matched, shape, units_of(read.groups))
    return Tested(pvalue, rows, None, [*notes, *([_FEW_CLUSTERS] if math.isnan(pvalue) else [])])


def _test_mixed(read: ReadGroups, label: str, other: str) -> Tested:
    counts = [group.counts(label, other) for group in read.groups]
    kept = kept_levels([own.table.sum(axis=1) for own in counts])
    tables = [own.table[kept] for own in counts]
    rows = [int(own.sum()) for own in tables]
    if len(kept) < 2 or min(rows) < FEWEST_PAIR_ROWS:
        return Tested(np.nan, rows, None, [_FEW_LEVELS])
    if min(int((own.sum(axis=0) > 0).sum()) for own in tables) < 2:
        return Tested(np.nan, rows, None, [_FEW_ROWS])
    shares = np.mean([own.sum(axis=1) / own.sum() for own in tables], axis=0)
    used = [own.sum(axis=0) > 0 for own in tables]
    pairs = [mixed_pair(own[:, bins], shares) for own, bins in zip(tables, used, strict=True)]
    means = [pair.means for pair in pairs]
    if counts[0].rows is None:
        together = independent_groups(means, [pair.covariance for pair in pairs], rows)
    else:
        sums, units = [], units_of(read.groups)
        for own, pair, bins, n in zip(counts, pairs, used, rows, strict=True):
            if own.rows is not None:
                a, b, unit = own.rows
                inside = np.isin(a, kept)
                place = (np.cumsum(bins) - 1)[b[inside]]
                moved = pair.influence[np.searchsorted(kept, a[inside]), place]
                sums.append(
                    np.stack([np.bincount(unit[inside], own_, minlength=units) for own_ in moved.T], axis=1) / n
                )
        together = matched_groups(means, sums, rows)
    pvalue = joined_pvalue(together, mixed_components(len(kept)), WEIGHTS)
    few = [_FEW_CLUSTERS] if math.isnan(pvalue) else []
    return Tested(pvalue, rows, None, [*_left_out(read, (label, kept)), *few])


def _left_out(read: ReadGroups, *kept: tuple[str, Any]) -> list[str]:
    """Say which labels are not compared."""
    notes = []
    for name, places in kept:
        gone = len(read.levels[name]) - len(places)
        if gone:
            notes.append(f"{gone} of {len(read.levels[name])} labels of {name} are rare in a group: rows left out")
    return notes
