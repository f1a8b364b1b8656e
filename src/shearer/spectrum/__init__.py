"""From a Gram operator to the entropy of its spectrum, with bounds."""

from shearer.spectrum.estimate import Estimate
from shearer.spectrum.planner import Plan, check_budget, plan

__all__ = ["Estimate", "Plan", "check_budget", "plan"]
