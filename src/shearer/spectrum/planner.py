"""Choose the route to an entropy, say why and at what cost, and refuse what cannot be done."""

import math
from dataclasses import dataclass, replace

from shearer._memory import MemoryBudgetError, format_bytes
from shearer._threads import single_threaded_blas
from shearer._validate import message
from shearer.data.arrays import is_numpy
from shearer.kernels.gram import Gram
from shearer.spectrum.closed import Constant, Counts
from shearer.spectrum.dense import Dense, Powers
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.frobenius import Frobenius
from shearer.spectrum.lanczos import Lanczos
from shearer.spectrum.lowrank.certified import LowRank, ToRoundOff
from shearer.spectrum.request import Request, ToleranceError
from shearer.spectrum.solver import Solver

#: Exact routes, the first that is right being the cheapest of them.
EXACT: tuple[Solver, ...] = (Constant(), Counts(), Frobenius(), Powers(), Dense())
CERTIFIED = LowRank()
SOLVERS: tuple[Solver, ...] = (*EXACT, CERTIFIED)
#: The numbers of the exact routes from few columns, where no tolerance is stated.
TO_ROUND_OFF = ToRoundOff()
#: A confidence interval: for what has no low rank, where all eigenvalues take long or do not fit.
STATISTICAL = Lanczos()

# Seconds: an exact answer within this time needs no approximation, unless the caller states what is enough.
_PATIENCE = 2.0
# Seconds of an exact route from which on an attempt at low rank, which knows when to give up, is cheap.
_WORTH_AN_ATTEMPT = 0.3
# Seconds: what takes n^3 steps and longer than this is done only for a caller who asks for it by tol=0.
_LONGEST = 120.0


@dataclass(frozen=True)
class Plan:
    """Routes in the order in which they will be tried.

    Attributes
    ----------
    solvers : tuple of Solver
        The first one is expected to answer; each further one takes over if the one before does not meet the tolerance.
    request : Request
        What was asked, with the time that all eigenvalues would take.
    """

    solvers: tuple[Solver, ...]
    request: Request

    def describe(self, gram: Gram) -> str:
        """One line for a reader: which route, why, and what it is expected to cost, by a look at a few rows at most."""
        costs = ((solver, solver.forecast(gram, self.request)) for solver in self.solvers)
        last = self.solvers[-1], math.inf
        solver, seconds = next(((solver, cost) for solver, cost in costs if math.isfinite(cost)), last)
        time = f"about {max(seconds, 0.001):.1g} s" if math.isfinite(seconds) else "a sample has no low rank"
        rest = [other.name for other in self.solvers[self.solvers.index(solver) :] if other.name != solver.name]
        if not rest and isinstance(solver, LowRank):
            rest = ["refused"]
        then = "".join(f"; else {name}" for name in rest[:1])
        return f"{solver.name} ({solver.reason}; {time}, {format_bytes(solver.memory(gram, self.request))}{then})"


def plan(gram: Gram, request: Request) -> Plan:
    """Exact where that is quick; else what is cheaper and fits, certified low rank before random vectors."""
    exact = _exact(gram, request)
    fits = exact.memory(gram, request) <= request.memory
    patience = exact.seconds(gram, request) if fits else math.inf
    if request.exact:
        return Plan((exact,), request)
    # Where the exact route is possible, an attempt at low rank may cost a part of it and no more.
    attempt = replace(request, patience=patience)
    solvers: list[Solver] = []
    if request.tol is None and TO_ROUND_OFF.pays(gram, attempt):
        solvers.append(TO_ROUND_OFF)
    slow = patience > _PATIENCE
    if (slow or request.tol is not None) and _is_cheaper(CERTIFIED, gram, attempt):
        solvers.append(CERTIFIED)
    if slow and _is_cheaper(STATISTICAL, gram, attempt):
        solvers.append(STATISTICAL)
    if fits and not (solvers and _takes_too_long(exact, patience)):
        solvers.append(exact)
    return Plan(tuple(solvers) or (exact,), attempt)


def _exact(gram: Gram, request: Request) -> Solver:
    """The first exact route that fits; if none does, the first."""
    able = [solver for solver in EXACT if solver.supports(gram, request)]
    return next((solver for solver in able if solver.memory(gram, request) <= request.memory), able[0])


def _is_cheaper(solver: Solver, gram: Gram, request: Request) -> bool:
    """Whether a route is right, fits, and takes less time than the exact one, if that fits."""
    if not solver.supports(gram, request) or solver.memory(gram, request) > request.memory:
        return False
    if isinstance(solver, LowRank) and request.patience > _WORTH_AN_ATTEMPT:
        return True
    return math.isinf(request.patience) or solver.seconds(gram, request) < request.patience


def _takes_too_long(exact: Solver, seconds: float) -> bool:
    """Whether a route that forms the matrix is left to callers who ask for it."""
    return isinstance(exact, Dense | Powers) and seconds > _LONGEST


@single_threaded_blas()
def solve(gram: Gram, request: Request) -> Estimate:
    """The entropy by the planned route; the next one takes over where the first does not meet the tolerance."""
    chosen = plan(gram, request)
    needed = chosen.solvers[0].memory(gram, request)
    if needed > request.memory:
        got = f"{gram.n} rows at alpha={request.alpha:g} by the {chosen.solvers[0].name} route"
        got = f"{got}, which needs {format_bytes(needed)}"
        expected = f"at most {format_bytes(request.memory)}"
        raise MemoryBudgetError(message("memory", expected, got, _options(gram, request)))
    failures = []
    for solver in chosen.solvers:
        try:
            estimate = solver.solve(gram, chosen.request)
        except ToleranceError as error:
            failures.append(str(error))
            continue
        if request.tol is None or estimate.width <= request.tol:
            return estimate
        failures.append(f"{solver.name}: bounds {estimate.width:.2g} bits apart by round-off")
    default = " (the default, as no tol was stated)" if request.tol is None else ""
    expected = f"a route with bounds within {request.wanted:.2g} bits{default}"
    got = "; ".join(failures)
    dense = Dense().memory(gram, request)
    if dense > request.memory:
        got += f"; dense: needs {format_bytes(dense)}"
    elif not any(isinstance(solver, Dense) for solver in chosen.solvers):
        got += f"; dense: about {Dense().seconds(gram, request):.2g} s and {format_bytes(dense)}"
    raise ToleranceError(message("tol", expected, got, _options(gram, request)))


def _options(gram: Gram, request: Request) -> str:
    """What the caller can change."""
    if CERTIFIED.supports(gram, request):
        options = ["a tol= above that" if request.tol is None else "a larger tol="]
    else:
        options = ["alpha above 0" if is_numpy(gram.like) else "numpy arrays, which have a low-rank route"]
    if request.alpha != 2:
        options.append("alpha=2, which needs no matrix")
    options.append("fewer rows or shearer.Subsampling")
    if Dense().memory(gram, request) > request.memory:
        options.append("a larger memory=")
    elif not request.exact:
        options.append("tol=0, which takes all eigenvalues however long that is")
    return f"Options: {', '.join(options)}."
