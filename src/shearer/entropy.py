"""Entropies of subsets of variables, each computed once."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._validate import message
from shearer.kernels.gram import Gram, hadamard
from shearer.spectrum import Estimate, Request, ToleranceError, plan, solve

Subset: TypeAlias = frozenset[int]

# Each round asks for entropies tighter by what the last one missed: two or three are enough.
_ROUNDS = 6


class SubsetEntropies:
    """S_alpha of the joint of any subset of variables (paper Eq. renyi_joint), remembered.

    Parameters
    ----------
    grams : sequence of Gram
        One operator for each variable.
    request : Request
        Order, tolerance of a measure, memory, seed.

    Examples
    --------
    >>> from shearer.kernels import grams
    >>> from shearer.spectrum import Request
    >>> from shearer._variables import read_variables
    >>> labels = read_variables(["a", "a", "b", "b"], ["u", "v", "u", "v"])
    >>> entropies = SubsetEntropies(grams(labels), Request(alpha=1.0, memory=10**6))
    >>> [entropies(subset).value for subset in ({0}, {1}, {0, 1})]
    [1.0, 1.0, 2.0]
    """

    def __init__(self, grams: Sequence[Gram], request: Request) -> None:
        self._grams = tuple(grams)
        self._request = request
        self._known: dict[Subset, Estimate] = {}

    def __call__(self, subset: Subset | set[int], tol: float | None = None) -> Estimate:
        """Entropy in bits, with bounds at most `tol` apart; 0 for the empty set."""
        key = frozenset(subset)
        if not key:
            return Estimate(0.0, 0.0, 0.0, True, "empty")
        known = self._known.get(key)
        if known is None or (tol is not None and known.width > tol):
            known = self._known[key] = solve(self._joint(key), self._request.within(tol))
        return known

    def meet(self, build: Callable[[float | None], Estimate], weight: float) -> Estimate:
        """A measure whose own bounds are within the stated tolerance.

        Parameters
        ----------
        build : callable
            The measure from entropies of the given tolerance.
        weight : float
            Sum of the coefficients' sizes: how much wider the measure's bounds are than an entropy's.
        """
        wanted = self._request.tol
        if wanted is None:
            return build(None)
        tol = wanted / max(weight, 1.0)
        for _ in range(_ROUNDS):
            estimate = build(tol)
            if estimate.width <= wanted:
                return estimate
            tol *= 0.5 * wanted / estimate.width
        got = f"bounds {estimate.width:.2g} apart from entropies within {tol:.2g} bits"
        raise ToleranceError(message("tol", f"a measure with bounds within {wanted:.2g}", got, "Ask for less."))

    def explain(self, subset: Subset) -> str:
        """The route this subset takes, why, and at what cost."""
        gram = self._joint(subset)
        return plan(gram, self._request).describe(gram)

    @property
    def rows(self) -> int:
        """Number of observations."""
        return self._grams[0].n

    def restricted(self, rows: Sequence[int] | NDArray[np.intp]) -> "SubsetEntropies":
        """The same variables and kernels on some of the rows."""
        index = np.asarray(rows, dtype=np.intp)
        return SubsetEntropies([gram.restrict(index) for gram in self._grams], self._request)

    def _joint(self, subset: Subset) -> Gram:
        return hadamard([self._grams[index] for index in sorted(subset)])
