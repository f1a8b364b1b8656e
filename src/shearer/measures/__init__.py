"""Measures of dependence: the noun `Dependence` and the verbs that make one and ask it one thing."""

from shearer.measures.dependence import Dependence
from shearer.measures.family import co_information, o_information, s_information, shearer_gap
from shearer.measures.subsampling import Subsampling
from shearer.measures.verbs import dual_total_correlation, entropy, mutual_information, total_correlation

__all__ = [
    "Dependence",
    "Subsampling",
    "co_information",
    "dual_total_correlation",
    "entropy",
    "mutual_information",
    "o_information",
    "s_information",
    "shearer_gap",
    "total_correlation",
]
