"""Tests of pairs whose rows come in clusters: several rows of one patient, household or machine.

Rows of a cluster may depend on each other in any way, clusters do not. With f and g the centered features of two
variables, the products f_i x g_i are summed over the rows of each cluster to Z_c. If the variables are independent of
each other, sum_c Z_c has mean 0 and a covariance that sum_c Z_c Z_c' estimates, and its squared norm is a mixture of
chi-square variables with the eigenvalues of that covariance as weights: by three moments, a Pearson type III law. No
permutation is valid where rows of a cluster are alike and clusters differ in size.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._threads import single_threaded_blas
from shearer._validate import check_names, describe, value_error
from shearer.data.arrays import to_numpy
from shearer.data.table import Table
from shearer.pairs import limits
from shearer.pairs.leading import HEIGHTS, LeadingFeatures, products_of
from shearer.pairs.null_law.combined_pvalue import half_cauchy
from shearer.pairs.null_law.pearson3 import upper_tail
from shearer.pairs.null_law.rare import level_codes
from shearer.pairs.sides import Ladders
from shearer.pairs.statistics import width_label

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

#: With fewer clusters the covariance of their sums is not known well enough.
FEWEST_CLUSTERS = 8
#: What the test of one pair takes for a row, at most.
BYTES_A_ROW = 2400


def cluster_codes(cluster: Any, rows: int) -> Codes:
    """Number the clusters, from one label a row.

    Examples
    --------
    >>> cluster_codes(["ann", "bob", "ann"] * 6 + list("cdefgh"), 24)[:4].tolist()
    [0, 1, 0, 0]
    """
    labels = to_numpy(cluster)
    if labels.shape != (rows,):
        raise value_error("cluster", f"one label for each of {rows} rows", f"shape {labels.shape}")
    if any(label is None or label != label for label in labels.tolist()):
        hint = "Drop the rows without one, or give each a label of its own."
        raise value_error("cluster", "a label for every row", "a missing one", hint)
    kinds = {type(label) for label in labels.tolist()}
    values = labels if len(kinds) == 1 and labels.dtype != object else np.array([str(label) for label in labels])
    codes: Codes = np.unique(values, return_inverse=True)[1].reshape(-1)
    count = int(codes.max()) + 1
    if count < FEWEST_CLUSTERS:
        raise value_error("cluster", f"at least {FEWEST_CLUSTERS} clusters", f"{count}: {describe(values[:5])}")
    return codes


def without_clusters(table: Table, cluster: Any) -> tuple[Table, Codes]:
    """Take the column that names the clusters, where it is one, out of a table, and number the cluster of each row."""
    if not isinstance(cluster, str):
        return table, cluster_codes(cluster, table.rows)
    check_names("cluster", [cluster], table.names)
    place, count = table.names.index(cluster), len(table.variables)
    if place >= table.free:
        raise value_error("cluster", "a column beside the targets", describe(cluster))
    own = table.variables[place]
    if len(level_codes(own)) < table.rows:
        raise value_error("cluster", "a label for every row", f"missing values in {describe(cluster)}")
    others = replace(table.choose([k for k in range(count) if k != place]), targets=table.targets)
    return others, cluster_codes(level_codes(own), table.rows)


class ClusterTests:
    """Independence tests of pairs of variables of a table whose rows come in clusters.

    At the wide rungs of the ladders, with the leading features of each variable, joined to one p-value as those of
    `PairTests` are. A p-value is nan where the rows that both variables have are of too few clusters.

    Parameters
    ----------
    ladders : Ladders
        The variables.
    clusters : array (n,)
        Which cluster each row belongs to.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data import read
    >>> rng = np.random.default_rng(0)
    >>> x, y = np.repeat(rng.normal(size=(2, 30)), 10, axis=1)  # each row ten times
    >>> table = read(x, y, x + rng.normal(size=300))
    >>> found = ClusterTests(Ladders.of(table), np.repeat(np.arange(30), 10)).pvalues(slice(0, 1), slice(1, 3))
    >>> (found < 0.01).tolist()
    [[False, True]]
    """

    def __init__(self, ladders: Ladders, clusters: Codes) -> None:
        self._leading = LeadingFeatures(ladders)
        self._clusters = clusters
        self._masks = ladders.presence.masks[ladders.presence.pattern]

    def pvalues(
        self, rows: slice, columns: slice, *, progress: bool | None = None, label: str = "tests of pairs"
    ) -> Floats:
        """The p-values of all pairs of two runs of variables, shape (rows, columns); of a variable with itself 1."""
        every = range(self._leading.ladders.count)
        found = {}
        wanted = {(min(i, j), max(i, j)) for i in every[rows] for j in every[columns] if i != j}
        for pair in track(sorted(wanted), len(wanted), label, progress):
            parts = list(self.components(*pair))
            pvalues, weights = [part[2] for part in parts], [part[4] for part in parts]
            found[pair] = float(half_cauchy(pvalues, weights)) if parts else np.nan
        return np.array([[found.get((min(i, j), max(i, j)), 1.0) for j in every[columns]] for i in every[rows]])

    def components(self, first: int, second: int) -> Iterator[tuple[str, float, float, float, float]]:
        """Each statistic of one pair: what it looks at, deviations from its mean, tail, skewness and weight."""
        both = self._masks[first] & self._masks[second]
        codes = np.unique(self._clusters[both], return_inverse=True)[1].reshape(-1)
        if not len(codes) or int(codes.max()) + 1 < FEWEST_CLUSTERS:
            return
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        heights = [self._leading.ladders.heights(k) for k in (first, second)]
        for height in range(min(HEIGHTS, max(heights))):
            features = [self._leading.of(k, height)[both][order] for k in (first, second)]
            with single_threaded_blas():
                law = _chi_squares(np.add.reduceat(products_of(*(own - own.mean(axis=0) for own in features)), starts))
            if law is not None:
                label = width_label(max(heights), height)
                z, skewness = law
                tail = float(upper_tail(z, skewness))
                yield f"clusters {label}", z, tail, skewness, limits.RUNG_WEIGHTS[height]


def _chi_squares(sums: Floats) -> tuple[float, float] | None:
    """Deviations from its mean of the squared norm of a sum of independent vectors, and skewness, if their mean is 0.

    By the eigenvalues of the sum of their outer products, as weights of chi-square variables.
    """
    count = len(sums)
    total = sums.sum(axis=0)
    centered = sums - total / count
    inner = centered.T @ centered if centered.shape[0] > centered.shape[1] else centered @ centered.T
    inner *= count / (count - 1)
    mean, second = float(np.trace(inner)), float(np.vdot(inner, inner))
    if mean <= limits.ROUND_OFF**2 or second <= 0:
        return None
    third = float(np.vdot(inner @ inner, inner))
    z = (float(total @ total) - mean) / np.sqrt(2 * second)
    return float(z), float(np.sqrt(8) * third / second**1.5)
