"""scikit-learn estimators built on dependence."""

from typing import TYPE_CHECKING

from shearer._lazy import load_on_first_use

if TYPE_CHECKING:
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

# Loaded on first use, so that a scan, which asks this package for links given others, does without scikit-learn.
_PLACES = {
    "DependenceNetwork": "networks.network",
    "DependenceSelector": "selection.selector",
    "FeatureBagging": "outliers.bagging",
    "GraphCheck": "networks.implied",
    "PvalueGiven": "networks.causal",
    "SubspaceOutlierDetector": "outliers.detector",
    "SubspaceSearch": "subspaces.search",
    "check_graph": "networks.implied",
    "dependence_score": "selection.scoring",
    "pgmpy_test": "networks.causal",
    "register_causal_learn": "networks.causal",
}

__getattr__, __dir__ = load_on_first_use(globals(), {name: f"shearer.tools.{place}" for name, place in _PLACES.items()})
