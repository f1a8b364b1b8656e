"""`FeatureBagging`: outliers by detectors on random subsets of the columns, the usual baseline."""

from typing import Any

from sklearn.utils import check_random_state

from shearer.inference.permutation.resampling import check_count
from shearer.tools.outliers.ensemble import SubspaceEnsemble
from shearer.tools.subspaces.lattice import Columns


class FeatureBagging(SubspaceEnsemble):
    """Outliers by detectors on random subsets of the columns (Lazarevic and Kumar 2005).

    Each subset has from half of the columns to all but one, the number and the columns drawn at random.

    Parameters
    ----------
    detector : estimator, optional
        As in `SubspaceOutlierDetector`.
    n_estimators : int, default 10
        Subsets.
    n_neighbors : int, default 20
        Of the local outlier factor, the default detector.
    combination : {"mean", "breadth_first", "max", "rank"}
        How the scores of a row are joined; the first two are those of the paper.
    scale, ties, contamination, n_jobs
        As in `SubspaceOutlierDetector`.
    random_state : int, RandomState or None, default 0
        Source of the subsets, and of what spreads ties.
    progress : bool, optional
        As in `SubspaceOutlierDetector`.

    Attributes
    ----------
    decision_scores_, labels_, threshold_, offset_, subspaces_, names_, n_features_in_, feature_names_in_
        As in `SubspaceOutlierDetector`.

    Examples
    --------
    >>> from shearer.datasets import planted_subspace
    >>> from shearer.tools import FeatureBagging
    >>> found = FeatureBagging(n_estimators=3).fit(planted_subspace(100, noise=4).X)
    >>> [len(columns) for columns in found.subspaces_], found.decision_scores_.shape
    ([8, 4, 7], (100,))
    """

    def __init__(
        self,
        detector: Any = None,
        *,
        n_estimators: int = 10,
        n_neighbors: int = 20,
        combination: str = "mean",
        scale: bool = True,
        ties: str = "spread",
        contamination: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = 0,
        progress: bool | None = None,
    ) -> None:
        self.detector = detector
        self.n_estimators = n_estimators
        self.n_neighbors = n_neighbors
        self.combination = combination
        self.scale = scale
        self.ties = ties
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_estimators", self.n_estimators, 1)

    def _choose_subspaces(self, X: Any) -> list[Columns]:
        return random_subsets(self.n_features_in_, self.n_estimators, self.random_state)


def random_subsets(columns: int, count: int, random_state: Any) -> list[Columns]:
    """Sets of half of the columns to all but one, drawn at random.

    Examples
    --------
    >>> random_subsets(5, 3, random_state=0)
    [(0, 2), (1, 3, 4), (1, 3)]
    """
    random = check_random_state(random_state)
    sizes = random.randint(max(1, columns // 2), max(2, columns), size=count)
    return [tuple(sorted(random.choice(columns, size=size, replace=False).tolist())) for size in sizes]
