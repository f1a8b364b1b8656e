"""Shapes of two numbers that are no curve: rings, groups, a spread that grows; and of a number among labels."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f_oneway, kruskal, rankdata

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Spread of the distances from the centre of a ring, of their mean (a disc has .35); the widest gap among directions;
# sectors, and the share of an even share that each has at least.
_RING_SPREAD, _RING_GAP, _SECTORS, _SECTOR_SHARE = 0.25, np.pi / 3, 8, 0.25
# Depth of the valley between two groups, of the lower of the peaks beside it; their least share of the rows; the share
# of rows that cells of groups must hold; ranks within a group correlate no more than this.
_VALLEY, _PEAK_SHARE, _IN_GROUPS, _WITHIN = 0.35, 0.1, 0.95, 0.3
# Width of the density, of its spread: half of Silverman's, whose normal law has one peak.
_WIDTH, _GRID = 0.45, 200
# How often the spread of the last fourth must be that of the first, or the reverse, and standard errors of the rank
# correlation of spread with place.
_SPREAD_RATIO, _SPREAD_ERRORS, _OUTWARDS_ERRORS = 2.0, 4.0, 2.0
# Rows below which nothing is said of a spread.
_SPREAD_ROWS = 100
# Squared mean of distances from the middle over the mean of their squares: a normal law has .64, an even one .75, two
# branches nearly 1.
_ONE_HEAP = 0.72
# p-values below which levels of a label are said to differ; rows of a level that counts.
_DIFFER, _LEVEL_ROWS = 1e-3, 5


def is_ring(x: Floats, y: Floats) -> bool:
    """Whether rows lie around a centre, in all directions and hardly near it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> angle, e, f = rng.uniform(0, 6.28, 200), rng.normal(size=200), rng.normal(size=200)
    >>> is_ring(np.cos(angle) + 0.1 * e, 5 * np.sin(angle) + 0.5 * f), is_ring(e, f)
    (True, False)
    """
    u, v = ((column - column.mean()) / column.std() for column in (x, y))
    # The ellipse a u^2 + b u v + c v^2 + d u + e v = 1 of least squares.
    terms = np.stack([u * u, u * v, v * v, u, v], axis=1)
    a, b, c, d, e = np.linalg.lstsq(terms, np.ones(len(u)), rcond=None)[0]
    form = np.array([[a, b / 2], [b / 2, c]])
    values, axes = np.linalg.eigh(form)
    if values[0] <= 0:
        return False
    centre = np.linalg.solve(-2 * form, [d, e])
    moved = (np.stack([u, v], axis=1) - centre) @ axes * np.sqrt(values)
    radius, angle = np.hypot(*moved.T), np.sort(np.arctan2(*moved.T))
    gaps = np.diff(np.append(angle, angle[0] + 2 * np.pi))
    counts = np.bincount(np.minimum((angle + np.pi) / (2 * np.pi) * _SECTORS, _SECTORS - 1).astype(np.intp))
    even = len(counts) == _SECTORS and counts.min() >= _SECTOR_SHARE * len(u) / _SECTORS
    return bool(radius.std() < _RING_SPREAD * radius.mean() and gaps.max() < _RING_GAP and even)


def are_groups(x: Floats, y: Floats, parts: tuple[Indices, Indices]) -> bool:
    """Whether rows come in groups that lie apart in both columns, and within which the two hardly depend.

    Parameters
    ----------
    x, y : array (n,)
        The columns.
    parts : two arrays (n,)
        What `parted` says of each.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(0, 3, 300)
    >>> x, y = 6 * group + rng.normal(size=300), np.array([0, 9, 4])[group] + rng.normal(size=300)
    >>> are_groups(x, y, (parted(x), parted(y))), are_groups(x, x + y, (parted(x), parted(x + y)))
    (True, False)
    """
    if min(int(part.max()) for part in parts) < 1:
        return False
    width = int(parts[1].max()) + 1
    cells = parts[0] * width + parts[1]
    counts = np.bincount(cells, minlength=width * (int(parts[0].max()) + 1))
    chosen = np.flatnonzero(counts >= _PEAK_SHARE * len(x) / 2)
    if len(chosen) == len(counts) or counts[chosen].sum() < _IN_GROUPS * len(x):
        return False
    within = [abs(_rank_correlation(x[cells == cell], y[cells == cell])) for cell in chosen]
    return float(np.average(within, weights=counts[chosen])) <= _WITHIN


def parted(values: Floats) -> Indices:
    """The group of each row, by the valleys of the density of a column; all 0 where there is none."""
    n = len(values)
    spread = min(values.std(), float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / 1.349 or values.std())
    width = _WIDTH * spread * n**-0.2
    counts, edges = np.histogram(values, bins=_GRID)
    grid = (edges[1:] + edges[:-1]) / 2
    density = np.exp(-0.5 * ((grid[:, None] - grid) / width) ** 2) @ counts
    peaks = [k for k in range(_GRID) if density[k] == density[max(k - 1, 0) : k + 2].max()]
    ends: list[int] = []
    last = peaks[0]
    for peak in peaks[1:]:
        valley = last + int(np.argmin(density[last : peak + 1]))
        if density[valley] < _VALLEY * min(density[last], density[peak]):
            ends.append(valley)
            last = peak
        elif density[peak] > density[last]:
            last = peak
    part = np.searchsorted(grid[ends], values)
    shares = np.bincount(part, minlength=len(ends) + 1) / n
    return part if shares.min() >= _PEAK_SHARE else np.zeros(n, dtype=np.intp)


def spread_trend(x: Floats, residual: Floats) -> int:
    """1 if what is left of a curve spreads far more as x rises, -1 if far less, 0 if neither is clear.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, e = rng.uniform(0, 1, 300), rng.normal(size=300)
    >>> spread_trend(x, x * e), spread_trend(x, (1 - x) * e), spread_trend(x, e)
    (1, -1, 0)
    """
    size = np.abs(residual - np.median(residual))
    rho = _rank_correlation(x, size)
    low, high = np.quantile(x, [0.25, 0.75])
    first, last = np.median(size[x <= low]), np.median(size[x >= high])
    if len(x) < _SPREAD_ROWS or abs(rho) * np.sqrt(len(x) - 1) < _SPREAD_ERRORS:
        return 0
    if max(first, last) < _SPREAD_RATIO * min(first, last) or (last > first) != (rho > 0):
        return 0
    wide = size[x >= np.median(x)] if rho > 0 else size[x <= np.median(x)]
    # Two branches, as those of a parabola seen from its side, are no spread: hardly a row lies between them.
    return int(np.sign(rho)) if wide.mean() ** 2 < _ONE_HEAP * float(wide @ wide) / len(wide) else 0


def narrows_outwards(x: Floats, residual: Floats) -> bool:
    """Whether what is left of a curve spreads less the farther from the middle of x, as that of a funnel's side."""
    rho = _rank_correlation(np.abs(x - np.median(x)), np.abs(residual))
    return bool(rho * np.sqrt(len(x) - 1) < -_OUTWARDS_ERRORS)


def level_word(number: Floats, codes: Indices) -> str | None:
    """In what the levels of a label differ: "shift" of the middle, "spread", or both; None where neither is clear.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> label, e = rng.integers(0, 3, 300), rng.normal(size=300)
    >>> [level_word(number, label) for number in (e + label, e * (1 + 2 * label), (e + 5) * (1 + label), e)]
    ['shift', 'spread', 'shift and spread', None]
    """
    groups = [number[codes == level] for level in np.unique(codes)]
    groups = [group for group in groups if len(group) >= _LEVEL_ROWS]
    if len(groups) < 2 or np.ptp(np.concatenate(groups)) == 0:
        return None
    sizes = [np.abs(group - np.median(group)) for group in groups]
    spreads = [float(np.mean(size)) for size in sizes]
    moved = kruskal(*groups).pvalue < _DIFFER and _welch(groups) < _DIFFER
    wider = max(spreads) >= 1.5 * min(spreads) and max(spreads) > 0 and f_oneway(*sizes).pvalue < _DIFFER
    words = [word for word, said in (("shift", moved), ("spread", wider)) if said]
    return " and ".join(words) or None


def _welch(groups: list[Floats]) -> float:
    """p-value of equal means of ranks of groups of unequal spread (Welch 1951)."""
    from scipy.stats import f as law

    ends = np.cumsum([len(group) for group in groups])[:-1]
    ranks = np.split(rankdata(np.concatenate(groups)), ends)
    counts = np.array([len(group) for group in ranks], dtype=np.float64)
    means = np.array([group.mean() for group in ranks])
    variances = np.maximum([group.var(ddof=1) for group in ranks], 1.0 / 12.0)
    weights = counts / variances
    share = weights / weights.sum()
    k = len(groups)
    rest = float(np.sum((1 - share) ** 2 / (counts - 1)))
    between = float(weights @ (means - share @ means) ** 2) / (k - 1)
    statistic = between / (1 + 2 * (k - 2) / (k * k - 1) * rest)
    return float(law.sf(statistic, k - 1, (k * k - 1) / (3 * rest)))


def _rank_correlation(x: Floats, y: Floats) -> float:
    one, other = (ranks - ranks.mean() for ranks in (rankdata(x), rankdata(y)))
    norm = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / norm if norm > 0 else 0.0
