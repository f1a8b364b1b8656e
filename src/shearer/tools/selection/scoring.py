"""`dependence_score`: how much every feature tells about a target, for scikit-learn's filters."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._memory import parse_memory
from shearer._threads import single_threaded_blas
from shearer._validate import check_option
from shearer.data import read
from shearer.kernels import Kernel
from shearer.screening import Pairwise
from shearer.screening.all_pairs import compare
from shearer.tools.estimator_input import checked_array, is_table
from shearer.tools.networks.pair_tests import TESTS, pair_pvalues
from shearer.tools.selection.selector import MISSING
from shearer.tools.selection.targets import read_target, target_column


@single_threaded_blas()
def dependence_score(
    X: Any,
    y: Any,
    *,
    target: str = "auto",
    kernel: Kernel | Mapping[str, Kernel] | None = None,
    test: str = "moments",
    missing: str = "error",
    memory: str | float | None = None,
    progress: bool | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Dependence of a target on every feature, and its p-values: a score function for `SelectKBest` and the like.

    Parameters
    ----------
    X : table or array-like (n, p)
        The features.
    y : array-like (n,)
        The target.
    target : {"auto", "continuous", "categorical"}
        What `y` is. "auto": labels, and whole numbers of at most 20 different values that have two rows each or more,
        on average, are classes.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in `shearer.pairwise`; the target has the name "target".
    test : {"moments", "aggregated"}
        How p-values are found where no kernel is stated: at one width, or over several widths.
    missing : {"error", "drop"}
        What to do with rows that lack a value.
    memory, progress
        As in `shearer.pairwise`.

    Returns
    -------
    scores : array (p,)
        Mutual information at order 2, in bits above what permuted rows have on average; 0 for a constant.
    pvalues : array (p,)
        Of independence, by exact permutation moments; 1 of fewer than six rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest
    >>> from shearer.tools import dependence_score
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> SelectKBest(dependence_score, k=1).fit(X, X[:, 2] ** 2).get_support(indices=True)
    array([2])
    """
    check_option("missing", missing, MISSING)
    check_option("test", test, TESTS)
    finite: Any = True if missing == "error" else "allow-nan"
    data = X if is_table(X) else checked_array(X, ensure_min_samples=2, ensure_all_finite=finite)
    column = target_column(data, read_target(data, y, target))
    table = read(data, target=column, missing=missing).as_numpy()
    scores = bits_above_chance(compare(table, kernel, parse_memory(memory), normalize=False, progress=progress))
    return scores, pair_pvalues(table, kernel, test, memory, progress)[:, 0]


def bits_above_chance(found: Pairwise) -> NDArray[np.float64]:
    """I at order 2 with a target less what it is on average once rows are permuted, to first order.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.screening import pairwise
    >>> x, y = np.random.default_rng(0).normal(size=(2, 300))
    >>> bits_above_chance(pairwise({"x": x, "copy": y}, target={"y": y}, normalize=False)).round(2)
    array([-0.01,  0.77])
    """
    n = found.rows
    # sums of similarities over all rows i, j: n^2 2^-S, of which n are the ones on the diagonal
    entropies = found.joint[:, 0], found.entropy, found.target_entropy
    joint, own, other = (n**2 * np.exp2(-np.asarray(entropy)) for entropy in entropies)
    bits: NDArray[np.float64] = np.log2(joint / (n + (own - n) * (other - n) / (n * (n - 1))))
    return bits
