"""scikit-learn estimators built on dependence."""

from shearer.tools.bagging import FeatureBagging
from shearer.tools.network import DependenceNetwork
from shearer.tools.outliers import SubspaceOutlierDetector
from shearer.tools.scoring import dependence_score
from shearer.tools.selection import DependenceSelector
from shearer.tools.subspaces import SubspaceSearch

__all__ = [
    "DependenceNetwork",
    "DependenceSelector",
    "FeatureBagging",
    "SubspaceOutlierDetector",
    "SubspaceSearch",
    "dependence_score",
]
