"""Checks for solvers of your own: what every solver must satisfy, those that come with shearer included."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shearer.data import read
from shearer.kernels import Custom, Delta, Gaussian, Gram, Laplacian, Precomputed, grams, hadamard
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request, ToleranceError
from shearer.spectrum.solver import Solver

__all__ = ["SolverChecks", "exact_entropy", "gram_cases"]

ALPHAS = (0.5, 0.9, 1.0, 1.01, 1.5, 2.0, 3.0, 5.0, math.inf)


def exact_entropy(gram: Gram, alpha: float) -> tuple[float, float]:
    """Compute an entropy from the eigenvalues of the whole matrix, to compare a solver's answer with.

    Parameters
    ----------
    gram : Gram
        The kernel matrix K, of n rows.
    alpha : float
        Order of the entropy of K / n, above 0, up to infinity.

    Returns
    -------
    entropy : float
        In bits.
    error : float
        How far round-off errors may have moved it.

    Examples
    --------
    >>> entropy, error = exact_entropy(grams(read(list("aabb")))[0], 1.0)
    >>> abs(entropy - 1) < 1e-12
    True
    """
    matrix = np.array(gram.dense(), dtype=np.float64) / gram.n
    eigenvalues = np.clip(np.linalg.eigvalsh(matrix), 0.0, None)
    eigenvalues /= eigenvalues.sum()
    noise = gram.n * float(np.finfo(np.float64).eps)
    if math.isinf(alpha):
        return -math.log2(eigenvalues.max()), 1e-12
    positive = eigenvalues[eigenvalues > 0]
    if alpha == 1:
        return float(-np.sum(positive * np.log2(positive))), 1e-10
    power_sum = float(np.sum(positive**alpha))
    error = 1e-10 if alpha > 1 else gram.n * noise**alpha / power_sum / (1 - alpha)
    return math.log2(power_sum) / (1 - alpha), max(error, 1e-15 / abs(1 - alpha))


def gram_cases(rows: int = 60, seed: int = 0) -> Iterator[tuple[str, Gram]]:
    """Iterate over Gram operators with various spectra: vectors, heavy tails, ties, labels, joints, narrow widths.

    Parameters
    ----------
    rows : int, default 60
        Number of rows of each operator.
    seed : int, default 0
        Seed of the random values.

    Yields
    ------
    name : str
        What the case is.
    gram : Gram
        Its operator.

    Examples
    --------
    >>> next(gram_cases())[0]
    'scalar'
    """
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    columns: dict[str, Sequence[object] | NDArray[np.float64]] = {
        "scalar": x,
        "heavy": rng.standard_t(2, size=rows),
        "tied": np.round(2 * x),
        "vector": rng.normal(size=(rows, 3)),
        "many dimensions": rng.normal(size=(rows, 20)),
        "labels": [str(code) for code in rng.integers(0, 4, size=rows)],
        "constant": np.ones(rows),
    }
    singles = dict(zip(columns, grams(read(columns)), strict=True))
    yield from singles.items()
    yield "joint of scalars", hadamard([singles["scalar"], singles["heavy"]])
    yield "joint with labels", hadamard([singles["scalar"], singles["labels"]])
    yield "joint of all", hadamard(list(singles.values()))
    scalar = read(x)
    yield "narrow", grams(scalar, Gaussian(0.01))[0]
    yield "wide", grams(scalar, Gaussian(1e4))[0]
    yield "Laplacian", grams(scalar, Laplacian())[0]
    yield "all distinct", grams(scalar, Delta())[0]
    yield "given matrix", grams(read(np.cos(np.subtract.outer(x, x)), vector=True), Precomputed())[0]
    yield "own kernel of labels", grams(read(columns["labels"]), {"x1": Custom(_overlap)})[0]


def _overlap(a: str, b: str) -> float:
    """A kernel of labels that are more or less alike."""
    return 1.0 if a == b else 0.3


@dataclass(frozen=True)
class SolverChecks:
    """Checks that every solver must pass, for every operator and order that it says it supports.

    Parameters
    ----------
    solver : Solver
        The solver to check.
    tol : float, default 1e-4
        The tolerance in bits that it is asked for.

    Examples
    --------
    >>> from shearer.spectrum.dense import Dense
    >>> SolverChecks(Dense()).run() > 100  # how many answers were checked
    True
    """

    solver: Solver
    tol: float = 1e-4

    def run(self, rows: int = 60, seed: int = 0) -> int:
        """Check every supported case of `gram_cases` at nine orders.

        Parameters
        ----------
        rows, seed : int
            As in `gram_cases`.

        Returns
        -------
        int
            The number of cases that were checked.

        Raises
        ------
        AssertionError
            For the first case that fails.
        """
        checked = 0
        for name, gram in gram_cases(rows, seed):
            for alpha in ALPHAS:
                request = Request(alpha, memory=10**9, tol=self.tol, seed=seed)
                if self.solver.supports(gram, request):
                    self.check(name, gram, request)
                    checked += 1
        return checked

    def check(self, name: str, gram: Gram, request: Request) -> Estimate | None:
        """Check one operator at one order.

        The bounds must contain the value, and the exact entropy if they are certified; the same request must give the
        same answer, and another order of the rows one with overlapping bounds.

        Parameters
        ----------
        name : str
            What the case is, for the message.
        gram : Gram
            The operator.
        request : Request
            Order, tolerance and memory.

        Returns
        -------
        Estimate or None
            The solver's answer; None if it raises `ToleranceError`, as it may where it cannot reach the tolerance.

        Raises
        ------
        AssertionError
            If a check fails.
        """
        case = f"{self.solver.name}, {name}, alpha={request.alpha:g}"
        assert self.solver.memory(gram, request) >= 0, case
        assert self.solver.seconds(gram, request) >= 0, case
        order = np.random.default_rng(1).permutation(gram.n)
        try:
            estimate = self.solver.solve(gram, request)
            moved = self.solver.solve(gram.restrict(order), request)
        except ToleranceError:
            return None
        exact, round_off = exact_entropy(gram, request.alpha)
        slack = round_off + 1e-12
        assert estimate.lower <= float(estimate) <= estimate.upper, case
        if estimate.certified:
            found = f"{case}: {exact} outside [{estimate.lower}, {estimate.upper}]"
            assert estimate.lower - slack <= exact <= estimate.upper + slack, found
        assert 0 <= float(estimate) <= math.log2(gram.n) + slack, case
        assert estimate.route == self.solver.name, case
        again = self.solver.solve(gram, request)
        assert (again.value, again.lower, again.upper) == (estimate.value, estimate.lower, estimate.upper), case
        assert moved.lower - slack <= estimate.upper, case
        assert estimate.lower - slack <= moved.upper, case
        return estimate
