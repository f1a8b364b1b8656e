"""Measures of dependence: the noun `Dependence` and the verbs that make one and ask it one thing."""

from shearer.measures import family, verbs
from shearer.measures.dependence import Dependence as Dependence
from shearer.measures.family import *  # noqa: F403
from shearer.measures.subsampling import Subsampling as Subsampling
from shearer.measures.verbs import *  # noqa: F403

# Functions are listed once, beside each other in their own file.
__all__ = ["Dependence", "Subsampling"]
__all__ += family.__all__
__all__ += verbs.__all__
