"""scikit-learn estimators built on dependence."""

from shearer.tools.bagging import FeatureBagging
from shearer.tools.causal import PvalueGiven, pgmpy_test, register_causal_learn
from shearer.tools.implied import GraphCheck, check_graph
from shearer.tools.network import DependenceNetwork
from shearer.tools.outliers import SubspaceOutlierDetector
from shearer.tools.scoring import dependence_score
from shearer.tools.selection import DependenceSelector
from shearer.tools.subspaces import SubspaceSearch

__all__ = [
    "DependenceNetwork",
    "DependenceSelector",
    "FeatureBagging",
    "GraphCheck",
    "PvalueGiven",
    "SubspaceOutlierDetector",
    "SubspaceSearch",
    "check_graph",
    "dependence_score",
    "pgmpy_test",
    "register_causal_learn",
]
