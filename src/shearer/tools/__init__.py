"""scikit-learn estimators built on dependence."""

from shearer.tools.network import DependenceNetwork
from shearer.tools.scoring import dependence_score
from shearer.tools.selection import DependenceSelector

__all__ = ["DependenceNetwork", "DependenceSelector", "dependence_score"]
