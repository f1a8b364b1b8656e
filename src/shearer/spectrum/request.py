"""What is asked of a solver, and the refusal when nothing can meet it."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shearer._memory import parse_memory
from shearer._validate import check_alpha, check_inside, describe, type_error

# Bits, where the caller states none and an answer exact to round-off would take long.
DEFAULT_TOL = 1e-6
_TOL = "a positive finite number of bits, or 0 for all eigenvalues"


class ToleranceError(ValueError):
    """No route meets the stated tolerance within the memory allowed."""


@dataclass(frozen=True)
class Request:
    """One entropy, how exactly, in how much memory.

    Attributes
    ----------
    alpha : float
        Order of the entropy.
    memory : int
        Bytes that may be allocated.
    tol : float or None
        Widest interval allowed, in bits. None: exact to round-off where that is quick, else `DEFAULT_TOL`.
    seed : int
        Of the random choices of a route that makes some.
    patience : float
        Seconds that another route would take: an attempt that may fail gives up after a part of them.
    exact : bool
        Only routes that are exact to round-off by themselves, however long they take: what ``tol=0`` asks for.
    """

    alpha: float
    memory: int
    tol: float | None = None
    seed: int = 0
    patience: float = math.inf
    exact: bool = False

    @classmethod
    def checked(cls, alpha: Any, memory: Any, tol: Any, rng: Any) -> "Request":
        """From what a user passes."""
        wanted = None if tol is None else check_inside("tol", tol, _TOL, lambda bits: 0 <= bits < math.inf)
        return cls(check_alpha(alpha), parse_memory(memory), wanted or None, seed_of(rng), exact=wanted == 0)

    def within(self, tol: float | None) -> "Request":
        """The same with another tolerance."""
        return replace(self, tol=tol)

    @property
    def wanted(self) -> float:
        """The tolerance an approximate route has to meet."""
        return DEFAULT_TOL if self.tol is None else self.tol

    def rng(self) -> np.random.Generator:
        """A fresh source of randomness: the same request gives the same answer."""
        return np.random.default_rng(self.seed)


def seed_of(rng: Any) -> int:
    """A seed from an int, a Generator (drawn from it) or None (drawn from the system)."""
    if isinstance(rng, np.random.Generator) or rng is None:
        return int(np.random.default_rng(rng).integers(2**63))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise type_error("rng", "a seed >= 0, a numpy Generator or None", describe(rng))
    return int(rng)
