"""From a Gram operator to the entropy of its spectrum, with bounds."""

from shearer.spectrum.estimate import Estimate
from shearer.spectrum.planner import plan, solve
from shearer.spectrum.request import Request, ToleranceError

__all__ = ["Estimate", "Request", "ToleranceError", "plan", "solve"]
