"""scikit-learn estimators built on dependence."""

from shearer.tools.bagging import FeatureBagging
from shearer.tools.outliers import SubspaceOutlierDetector
from shearer.tools.subspaces import SubspaceSearch

__all__ = ["FeatureBagging", "SubspaceOutlierDetector", "SubspaceSearch"]
