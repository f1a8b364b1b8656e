"""Any alpha: joint entropies of sets of variables from eigenvalues, many matrices in one call, calls on threads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._jobs import spread, worker_count
from shearer._progress import track
from shearer._threads import blas_threads_for
from shearer.data.table import Presence
from shearer.kernels import Gram, hadamard
from shearer.screening.entropies.pair_entropies import Entropies, Pairs
from shearer.screening.entropies.products import mirror
from shearer.spectrum import Request, plan, renyi, solve
from shearer.spectrum.dense import Dense
from shearer.spectrum.planner import CERTIFIED

Floats = NDArray[Any]
Joint = Sequence[Gram]

# Entries of the matrices handed to LAPACK in one call, and matrices at most: small ones cost less than their calls.
_ENTRIES, _MOST = 2**20, 64


class Bits(NamedTuple):
    """Entropies in bits, and how far each may be off where a route is not exact."""

    values: NDArray[np.float64]
    errors: NDArray[np.float64]


def entropies(joints: Sequence[Joint], alpha: float, budget: int, n_jobs: int | None, progress: bool | None) -> Bits:
    """S_alpha of each joint, given by the operators of its variables.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.kernels.delta import DeltaGram
    >>> a, b = (DeltaGram(np.array(codes), np.empty(0)) for codes in ([0, 0, 1, 1], [0, 1, 0, 1]))
    >>> entropies([[a], [a, b]], 1.0, 10**6, None, False).values
    array([1., 2.])
    """
    largest = max(joint[0].n for joint in joints)
    size = max(1, min(_MOST, _ENTRIES // largest**2))
    batches = [joints[start : start + size] for start in range(0, len(joints), size)]
    found = list(track(_on_threads(batches, alpha, budget, n_jobs), len(batches), "entropies", progress))
    return Bits(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _on_threads(batches: Sequence[Sequence[Joint]], alpha: float, budget: int, n_jobs: int | None) -> Iterator[Bits]:
    """The batches in order; several at a time if joblib is told so, each then with one BLAS thread."""
    yield from spread(partial(_solve, alpha, budget // worker_count(n_jobs)), batches, n_jobs)


def _solve(alpha: float, budget: int, batch: Sequence[Joint]) -> Bits:
    """The entropies of a few joints: those that need all eigenvalues together, the others by their own route."""
    found = Bits(np.empty(len(batch)), np.zeros(len(batch)))
    request = Request(alpha=alpha, memory=budget)
    grams = [hadamard(joint) for joint in batch]
    dense: dict[int, list[int]] = {}
    for position, gram in enumerate(grams):
        if _is_dense(gram, request):
            dense.setdefault(gram.n, []).append(position)
            continue
        estimate = solve(gram, request)
        found.values[position] = estimate.value
        found.errors[position] = estimate.width if estimate.route == CERTIFIED.name else 0.0
    for n, positions in dense.items():
        # numpy's routine leaves other threads running, scipy's does not.
        stack = np.stack([grams[position].dense() for position in positions])
        with blas_threads_for(n**3):
            spectra = np.linalg.eigvalsh(stack) / n
        found.values[positions] = [renyi.entropy(spectrum, alpha) for spectrum in spectra]
    return found


def _is_dense(gram: Gram, request: Request) -> bool:
    """True if the planned route is all eigenvalues of one matrix, and that fits."""
    solver = plan(gram, request).solvers[0]
    fits = solver.memory(gram, request) <= request.memory
    return isinstance(solver, Dense) and fits and len(gram.components()) == 1


@dataclass(frozen=True, eq=False)
class PairBits(Pairs):
    """Pairs known by their entropies.

    Attributes
    ----------
    array : Floats
        Joint entropies, shape (left, right).
    first, second : Floats
        Entropies of the left and the right variable of a pair; broadcast to that shape.
    rows : NDArray[intp]
        Rows in common; broadcast to that shape.
    own : tuple of Floats
        Entropies of the left and of the right variables on all rows that each has.
    error : float
        Bound in bits on the error of any mutual information, round-off aside.
    """

    array: Floats
    first: Floats
    second: Floats
    rows: NDArray[np.intp]
    own: tuple[Floats, Floats]
    error: float

    @property
    def left_entropy(self) -> Floats:
        """Entropies of the left variables."""
        return self.own[0]

    @property
    def right_entropy(self) -> Floats:
        """Entropies of the right variables."""
        return self.own[1]

    def entropies(self, rows: slice, columns: slice) -> Entropies:
        """A rectangle of the arrays."""
        first, second = (np.broadcast_to(part, self.array.shape)[rows, columns] for part in (self.first, self.second))
        counts = self.rows if self.rows.ndim == 0 else self.rows[rows, columns]
        return Entropies(self.array[rows, columns].copy(), first, second, counts)


class Spectra:
    """S_alpha of all pairs, one spectrum each.

    Parameters
    ----------
    grams : sequence of Gram
        The operator of each variable on the rows that it has.
    presence : Presence
        Which rows those are.
    alpha : float
        Order.
    budget : int
        Bytes that the matrices of all threads may take.
    n_jobs : int or None
        Threads, as joblib counts them.
    """

    name = "spectra"

    def __init__(
        self, grams: Sequence[Gram], presence: Presence, alpha: float, budget: int, n_jobs: int | None
    ) -> None:
        self._grams = grams
        self._presence = presence
        self._alpha = alpha
        self._budget = budget
        self._n_jobs = n_jobs

    def memory(self, left: slice, right: slice) -> int:
        """The arrays of pairs; what a spectrum takes is checked for each."""
        cells: int = (left.stop - left.start) * (right.stop - right.start)
        return (8 if self._presence.complete else 32) * cells

    def pairs(self, left: slice, right: slice, progress: bool | None) -> PairBits:
        """One spectrum for each pair; and two more where the marginals depend on the rows in common."""
        own = [self._bits([(self._grams[k],) for k in range(side.start, side.stop)], False) for side in (left, right)]
        shape = left.stop - left.start, right.stop - right.start
        rows, columns = np.tril_indices(shape[0]) if left == right else np.indices(shape).reshape(2, -1)
        places = list(zip((rows + left.start).tolist(), (columns + right.start).tolist(), strict=True))
        if self._presence.complete:
            joint = np.zeros(shape)
            found = self._bits([(self._grams[a], self._grams[b]) for a, b in places], progress)
            joint[rows, columns] = found.values
            first, second = own[0].values[:, None], own[1].values[None, :]
            error = found.errors + own[0].errors[rows] + own[1].errors[columns]
        else:
            joint, first, second = (np.full(shape, np.nan) for _ in range(3))
            found = self._on_common_rows(places, progress)
            for array, bits in zip((joint, first, second), found.values.reshape(-1, 3).T, strict=True):
                array[rows, columns] = bits
            error = found.errors.reshape(-1, 3).sum(axis=1)
        if left == right:
            mirror(joint)
            if first.shape == shape:
                first, second = _turned(first, second)
        counts = self._presence.counts(left, right)
        if self._presence.complete:
            counts = np.array(self._presence.masks.shape[1])
        return PairBits(joint, first, second, counts, (own[0].values, own[1].values), float(np.max(error)))

    def _on_common_rows(self, pairs: Sequence[tuple[int, int]], progress: bool | None) -> Bits:
        """Joint and both marginal entropies of each pair on the rows that both have; nan where there are none."""
        joints: list[Joint] = []
        known = np.zeros(3 * len(pairs), dtype=bool)
        for position, (a, b) in enumerate(pairs):
            both = self._restricted(a, b)
            if both is not None:
                joints += [both, both[:1], both[1:]]
                known[3 * position : 3 * position + 3] = True
        found = Bits(np.full(len(known), np.nan), np.zeros(len(known)))
        for whole, part in zip(found, self._bits(joints, progress), strict=True):
            whole[known] = part
        return found

    def _restricted(self, a: int, b: int) -> tuple[Gram, Gram] | None:
        """The operators of two variables on the rows that both have, None if there are none."""
        masks = [self._presence.masks[self._presence.pattern[k]] for k in (a, b)]
        common = masks[0] & masks[1]
        if not common.any():
            return None
        kept = [np.flatnonzero(common[mask]) for mask in masks]
        return self._grams[a].restrict(kept[0]), self._grams[b].restrict(kept[1])

    def _bits(self, joints: Sequence[Joint], progress: bool | None) -> Bits:
        if not joints:
            return Bits(np.empty(0), np.empty(0))
        return entropies(joints, self._alpha, self._budget, self._n_jobs, progress)


def _turned(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Fill what is above the diagonal: there the first variable is the second of the pair below."""
    above = np.triu_indices(len(first), 1)
    whole = first.copy(), second.copy()
    whole[0][above], whole[1][above] = second.T[above], first.T[above]
    return whole
