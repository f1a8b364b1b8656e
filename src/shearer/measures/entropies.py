"""Entropies of subsets of variables, each computed once."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shearer._user_warnings import warn_caller
from shearer._validate import message
from shearer.kernels.gram import Gram, hadamard
from shearer.spectrum import Estimate, Request, ToleranceError, plan, solve
from shearer.spectrum.planner import CERTIFIED

Subset: TypeAlias = frozenset[int]

# Each round asks for entropies tighter by what the last one missed: two or three are enough.
_ROUNDS = 6
# Without a stated tolerance, bounds farther apart than this are tried again with entropies within these many bits.
_OPEN = 1e-2
_TIGHTER = (1e-8, 1e-10)


class Entropies(Protocol):
    """What a measure asks: entropies of subsets of variables, from rows in memory or from sums over rows gone by."""

    def __call__(self, subset: Subset | set[int], tol: float | None = None) -> Estimate:
        """Entropy in bits; 0 for the empty set."""

    def meet(self, build: Callable[[float | None], Estimate], weight: float) -> Estimate:
        """A measure, by `build` from a tolerance for its entropies, as close as was asked."""

    @property
    def rows(self) -> int:
        """Number of rows."""


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
    >>> from shearer.data import read
    >>> labels = read(["a", "a", "b", "b"], ["u", "v", "u", "v"])
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
            known = self._known[key] = solve(self.joint(key), self._request.within(tol))
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
            return self._resolved(build)
        # One tolerance for the usual measures of these variables, or entropies would be computed again for each.
        tol = wanted / max(weight, 4.0 * len(self._grams))
        for _ in range(_ROUNDS):
            try:
                estimate = build(tol)
            except ToleranceError as error:
                shared = f"tol={wanted:.2g} for the measure asks for entropies within {tol:.2g} bits each."
                raise ToleranceError(f"{error} {shared}") from error
            if estimate.width <= wanted:
                return estimate
            tol *= 0.5 * wanted / estimate.width
        got = f"bounds {estimate.width:.2g} apart from entropies within {tol:.2g} bits"
        raise ToleranceError(message("tol", f"a measure with bounds within {wanted:.2g}", got, "Ask for less."))

    def _resolved(self, build: Callable[[float | None], Estimate]) -> Estimate:
        """Without a stated tolerance: tighter entropies where the default ones leave a quotient open.

        Entropies certified to 1e-6 bits say nothing of a quotient whose denominator is as small.
        """
        estimate = build(None)
        for tol in _TIGHTER:
            if not estimate.width > _OPEN or CERTIFIED.name not in estimate.route:
                return estimate
            try:
                estimate = build(tol)
            except ToleranceError:
                break
        if estimate.width > _OPEN:
            span = f"between {estimate.lower:.3g} and {estimate.upper:.3g}"
            warn_caller(
                f"only bounds are known: {span}. At these widths the variables have next to no entropy; a smaller "
                "bandwidth would tell more."
            )
        return estimate

    def explain(self, subset: Subset) -> str:
        """The route this subset takes, why, and at what cost."""
        gram = self.joint(subset)
        return plan(gram, self._request).describe(gram)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._grams[0].n

    @property
    def request(self) -> Request:
        """What is asked of every entropy."""
        return self._request

    def restricted(self, rows: Sequence[int] | NDArray[np.intp]) -> "SubsetEntropies":
        """The same variables and kernels on some of the rows."""
        index = np.asarray(rows, dtype=np.intp)
        return SubsetEntropies([gram.restrict(index) for gram in self._grams], self._request)

    def shuffled(self, orders: Sequence[NDArray[np.intp]]) -> "SubsetEntropies":
        """The same variables with the rows of each in an order of its own; entropies of single ones stay known."""
        pairs = zip(self._grams, orders, strict=True)
        other = SubsetEntropies([gram.restrict(order) for gram, order in pairs], self._request)
        other._known = {subset: known for subset, known in self._known.items() if len(subset) == 1}
        return other

    def joint(self, subset: Subset) -> Gram:
        """The operator of the joint variable."""
        return hadamard([self._grams[index] for index in sorted(subset)])
