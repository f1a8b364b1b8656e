"""Entropies of subsets of variables, each computed once."""

from collections.abc import Sequence
from typing import TypeAlias

from shearer.kernels.gram import Gram, hadamard
from shearer.spectrum import Estimate, Plan, check_budget, plan

Subset: TypeAlias = frozenset[int]


class SubsetEntropies:
    """S_alpha of the joint of any subset of variables (paper Eq. renyi_joint), remembered.

    Parameters
    ----------
    grams : sequence of Gram
        One operator for each variable.
    alpha : float
        Order of the entropy.
    memory : int
        Bytes that one entropy may take.

    Examples
    --------
    >>> from shearer.kernels import grams
    >>> from shearer._variables import read_variables
    >>> labels = read_variables(["a", "a", "b", "b"], ["u", "v", "u", "v"])
    >>> entropies = SubsetEntropies(grams(labels), alpha=1.0, memory=10**6)
    >>> [entropies(subset).value for subset in ({0}, {1}, {0, 1})]
    [1.0, 1.0, 2.0]
    """

    def __init__(self, grams: Sequence[Gram], alpha: float, memory: int) -> None:
        self._grams = tuple(grams)
        self._alpha = alpha
        self._memory = memory
        self._known: dict[Subset, Estimate] = {}

    def __call__(self, subset: Subset | set[int]) -> Estimate:
        """Entropy in bits; 0 for the empty set."""
        key = frozenset(subset)
        if not key:
            return Estimate(0.0, 0.0, 0.0, True, "empty")
        if key not in self._known:
            gram = self._joint(key)
            chosen = plan(gram, self._alpha)
            check_budget(chosen, gram, self._alpha, self._memory)
            self._known[key] = chosen.solver.solve(gram, self._alpha)
        return self._known[key]

    def plan(self, subset: Subset) -> Plan:
        """The route this subset takes."""
        return plan(self._joint(subset), self._alpha)

    @property
    def rows(self) -> int:
        """Number of observations."""
        return self._grams[0].n

    def _joint(self, subset: Subset) -> Gram:
        return hadamard([self._grams[index] for index in sorted(subset)])
