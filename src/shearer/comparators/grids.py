"""Cutting an axis: into rows of equal size, or where a cut tells most about labels that the rows already have.

The steps are those of Reshef et al. 2011, "Detecting novel associations in large data sets", supplement: rows of equal
size, clumps of neighbours with one label, superclumps, and dynamic programming over the cuts between them.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

# Counts of labels between clumps that are held at a time: 32 MB.
_MOST_COUNTS = 2**22


def equal_rows(ascending: Floats, rows: int) -> Codes:
    """The row of each value, equal values together, sizes as near to n / rows as that allows.

    Examples
    --------
    >>> equal_rows(np.array([1.0, 2.0, 2.0, 2.0, 3.0, 4.0]), rows=3).tolist()
    [0, 1, 1, 1, 2, 2]
    """
    n = len(ascending)
    starts = _starts(ascending)
    sizes = np.diff(starts, append=n)
    assigned = np.empty(len(starts), dtype=np.intp)
    row, filled, wanted = 0, 0, n / rows
    for group, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        if filled and abs(filled + size - wanted) >= abs(filled - wanted) and row < rows - 1:
            row, filled = row + 1, 0
            wanted = (n - start) / (rows - row)
        assigned[group] = row
        filled += size
    return np.repeat(assigned, sizes)


def _starts(ascending: Floats) -> NDArray[np.intp]:
    """Where values begin that differ from those before."""
    return np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))


def find_clumps(ascending: Floats, labels: Codes, most: int) -> NDArray[np.intp]:
    """Ends of runs of rows between which a cut may be worth while, joined to at most so many.

    A cut between neighbours of one label never pays, and rows of equal value cannot be cut apart.
    """
    n = len(ascending)
    starts = _starts(ascending)
    low, high = np.minimum.reduceat(labels, starts), np.maximum.reduceat(labels, starts)
    # Equal values with several labels form a clump of their own, whatever their neighbours.
    mixed = low != high
    changes = np.flatnonzero((np.diff(low) != 0) | mixed[1:] | mixed[:-1]) + 1
    ends = np.append(starts[changes], n)
    if len(ends) <= most:
        return ends
    run = np.searchsorted(ends, np.arange(n), side="right").astype(np.float64)
    joined = equal_rows(run, most)
    return np.append(np.flatnonzero(np.diff(joined)) + 1, n)


def best_information(labels: Codes, levels: int, ends: NDArray[np.intp], columns: int) -> Floats:
    """Largest mutual information in nats of the labels and any cut into at most 1, 2, ..., `columns` parts at the ends.

    The entropy of the labels is fixed, so the sum over parts of size times entropy within is made smallest.
    """
    best, _ = _partitions(labels, levels, ends, columns)
    return np.maximum(entropy(labels) - best / len(labels), 0.0)


def best_cut(labels: Codes, levels: int, ends: NDArray[np.intp], columns: int) -> Codes:
    """The part of each row in the cut into at most `columns` parts that tells most about the labels."""
    _, starts = _partitions(labels, levels, ends, columns)
    cuts = []
    last = len(ends) - 1
    for start in reversed(starts):
        first = int(start[last])
        if first == 0:
            break
        cuts.append(int(ends[first - 1]))
        last = first - 1
    part: Codes = np.searchsorted(np.array(sorted(cuts), dtype=np.intp), np.arange(len(labels)), side="right")
    return part


def _partitions(
    labels: Codes, levels: int, ends: NDArray[np.intp], columns: int
) -> tuple[Floats, list[NDArray[np.intp]]]:
    """Smallest costs of all clumps in at most 1, 2, ... parts, and where, for each, the last part up to clump t starts.

    Dynamic programming: the last part starts at some clump s > 0 behind the best of one part less, or at 0, being all.
    """
    cost = _costs(labels, levels, ends)
    best = cost[0]
    found, starts = [best[-1]], [np.zeros(len(best), dtype=np.intp)]
    for _ in range(1, columns):
        choices = np.vstack([cost[:1], best[:-1, None] + cost[1:]])
        starts.append(np.argmin(choices, axis=0))
        best = np.min(choices, axis=0)
        found.append(best[-1])
    return np.array(found), starts


def entropy(labels: Codes) -> float:
    """Entropy of the labels in nats."""
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-np.sum(shares * np.log(shares)))


def _costs(labels: Codes, levels: int, ends: NDArray[np.intp]) -> Floats:
    """cost[s, t]: rows of clumps s to t times the entropy of their labels; infinite for s > t."""
    inside = np.zeros((len(ends) + 1, levels), dtype=np.intp)
    clump = np.searchsorted(ends, np.arange(len(labels)), side="right")
    np.add.at(inside, (clump + 1, labels), 1)
    running = np.cumsum(inside, axis=0)
    table = np.append(0.0, np.arange(1.0, len(labels) + 1) * np.log(np.arange(1.0, len(labels) + 1)))
    cost: Floats = table[_between(running.sum(axis=1))]
    step = max(1, _MOST_COUNTS // len(ends) ** 2)
    for start in range(0, levels, step):
        cost -= table[_between(running[:, start : start + step])].sum(axis=2)
    cost[np.tril_indices(len(ends), -1)] = np.inf
    return cost


def _between(running: Codes) -> Codes:
    """Counts from clump s to clump t, of running sums; 0 for s > t."""
    counts: Codes = np.maximum(running[None, 1:] - running[:-1, None], 0)
    return counts
