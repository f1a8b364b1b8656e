"""The dependence of two labels in several groups: are all odds ratios the same?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shearer.comparing.group_tests import difference_pvalue, matched_groups
from shearer.inference.threeway.contingency import count_test, fit_margins, unpaired

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Rows that a level must have in every group to be compared, and levels that are.
FEWEST_ROWS, MOST_LEVELS = 5, 8


def kept_levels(counts: Sequence[Floats], most: int = MOST_LEVELS) -> Indices:
    """Levels that every group has rows of: the most frequent ones, in the order given.

    Rows of other levels are left out, which leaves the odds ratios of the rest as they are; joined to one level they
    would not.

    Examples
    --------
    >>> kept_levels([np.array([50.0, 9.0, 40.0, 0.0]), np.array([8.0, 2.0, 30.0, 70.0])]).tolist()
    [0, 2]
    """
    least = np.min(np.stack([own / max(own.sum(), 1.0) for own in counts]), axis=0)
    enough = np.min(np.stack(list(counts)), axis=0) >= FEWEST_ROWS
    found = np.flatnonzero(enough)
    chosen = found[np.argsort(-least[found], kind="stable")[:most]]
    return np.sort(chosen).astype(np.intp)


def odds_pvalue(counts: Floats, seed: int = 0) -> float:
    """p-value of equal odds ratios in all groups: no term of the group and all labels together.

    Parameters
    ----------
    counts : array (groups, levels, levels, ...)
        Rows.
    seed : int
        Of tables drawn from the model where cells are too few for the chi-square law.

    Examples
    --------
    >>> same = np.array([[[30.0, 10.0], [20.0, 40.0]], [[60.0, 20.0], [10.0, 20.0]]])
    >>> odds_pvalue(same) > 0.9, odds_pvalue(np.stack([same[0], same[0][::-1]])) < 1e-6
    (True, True)
    """
    return count_test(counts, seed).pvalue


def matched_odds_pvalue(rows: Sequence[tuple[Indices, Indices, Indices]], shape: tuple[int, int], units: int) -> float:
    """The same where rows come in clusters: sums of efficient scores over clusters against their spread.

    Parameters
    ----------
    rows : sequence of (first, second, cluster)
        Codes of the two labels and of the cluster, for the rows of each group.
    shape : tuple of int
        Levels of the labels.
    units : int
        How many clusters there are.
    """
    flat = [np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]) for a, b, _ in rows]
    counts = np.stack(flat).reshape(len(rows), *shape).astype(np.float64)
    fitted = fit_margins(counts[None])[0] / counts.sum()
    cells = [(g, a, b) for g in range(len(rows) - 1) for a in range(shape[0] - 1) for b in range(shape[1] - 1)]
    basis = np.zeros((len(cells), *counts.shape))
    for place, cell in enumerate(cells):
        basis[(place, *cell)] = 1.0
    scores = unpaired(basis, fitted)
    scores /= np.sqrt(np.maximum((fitted * scores**2).sum(axis=(1, 2, 3), keepdims=True), 1e-12))
    total = np.zeros((units, len(cells)))
    for group, (first, second, unit) in enumerate(rows):
        own = scores[:, group, first, second]
        total += np.stack([np.bincount(unit, column, minlength=units) for column in own], axis=1)
    # A second group of zeros: the means of scores against 0, which has no spread.
    n = float(counts.sum())
    summed = total.sum(axis=0) / n
    groups = matched_groups([summed, np.zeros_like(summed)], [total / n, np.zeros_like(total)], [n, n])
    return difference_pvalue(groups)
