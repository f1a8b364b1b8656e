"""scikit-learn estimators built on dependence."""

from shearer.tools.networks.causal import PvalueGiven, pgmpy_test, register_causal_learn
from shearer.tools.networks.implied import GraphCheck, check_graph
from shearer.tools.networks.network import DependenceNetwork
from shearer.tools.outliers.bagging import FeatureBagging
from shearer.tools.outliers.detector import SubspaceOutlierDetector
from shearer.tools.selection.scoring import dependence_score
from shearer.tools.selection.selector import DependenceSelector
from shearer.tools.subspaces.search import SubspaceSearch

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
