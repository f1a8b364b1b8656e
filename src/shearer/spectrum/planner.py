"""Choose the route to an entropy, say why, and refuse what does not fit in memory."""

from dataclasses import dataclass

from shearer._memory import format_bytes, require
from shearer.kernels.gram import Gram
from shearer.spectrum.solvers import EXACT, Solver

_OPTIONS = "Options: alpha=2, which needs no matrix; fewer rows; a larger memory=."


@dataclass(frozen=True)
class Plan:
    """A chosen route.

    Attributes
    ----------
    solver : Solver
        The route.
    memory : int
        Bytes it will allocate at its peak.
    """

    solver: Solver
    memory: int

    def describe(self) -> str:
        """One line for a reader."""
        return f"{self.solver.name} ({self.solver.reason}; about {format_bytes(self.memory)})"


def plan(gram: Gram, alpha: float) -> Plan:
    """The first, cheapest, exact route that is right for the operator and the order."""
    solver = next(solver for solver in EXACT if solver.supports(gram, alpha))
    return Plan(solver, solver.memory(gram))


def check_budget(chosen: Plan, gram: Gram, alpha: float, budget: int) -> None:
    """Refuse before allocating what needs more than the budget."""
    purpose = f"{gram.n} rows at alpha={alpha:g} by the {chosen.solver.name} route"
    require(chosen.memory, budget, purpose, _OPTIONS)
