"""Exact permutation moments of sums of products of symmetric matrices (docs: inference).

Z = sum_{i<j} prod_k M^k_ij, with the rows of all variables but one permuted independently. Written as
M^k = m_k (1 + x_k) with x_k of zero diagonal and zero sum, Z - E Z = prod m_k sum_{i<j} h_ij with
h = prod (1 + x_k) - 1 - sum x_k, whose first three moments are sums over the ways in which two or three edges of a
complete graph can meet. The centred form keeps its digits however small the spread of Z is against its mean.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._threads import blas_threads_for

Floats = NDArray[np.float64]

# How three edges can meet: vertices, how often it occurs in Z^3, how each pair of them meets.
# B: the same edge, P3: one vertex shared, D2: none.
TRIPLES: dict[str, tuple[int, float, tuple[str, str, str]]] = {
    "c": (2, 1 / 2, ("B", "B", "B")),
    "t21": (3, 3.0, ("B", "P3", "P3")),
    "t2d": (4, 3 / 4, ("B", "D2", "D2")),
    "T": (3, 1.0, ("P3", "P3", "P3")),
    "star": (4, 1.0, ("P3", "P3", "P3")),
    "path": (4, 3.0, ("P3", "D2", "P3")),
    "p3d": (5, 3 / 2, ("P3", "D2", "D2")),
    "d3": (6, 1 / 8, ("D2", "D2", "D2")),
}
PAIRS: dict[str, tuple[int, float]] = {"B": (2, 1 / 2), "P3": (3, 1.0), "D2": (4, 1 / 4)}
# The two edges of a triple that each of its three pairs joins.
_EDGES = ((0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Sums:
    """What the moments need of one symmetric matrix x of zero diagonal: sums over ordered pairs of rows.

    Attributes
    ----------
    n : int
        Rows.
    S, B, c : float
        Sums of x, x^2, x^3 entrywise.
    rr, qr, rrr : float
        Sums over rows of r^2, q r, r^3, where r and q are row sums of x and of x^2.
    rxr : float
        r' x r.
    T : float
        tr(x x x).
    """

    n: int
    S: float
    B: float
    c: float
    rr: float
    qr: float
    rrr: float
    rxr: float
    T: float

    def means(self) -> dict[str, float]:
        """Mean of the product of x over all ways in which two or three edges meet."""
        return edge_means(**vars(self))


def edge_means(n: Any, S: Any, B: Any, c: Any, rr: Any, qr: Any, rrr: Any, rxr: Any, T: Any) -> dict[str, Any]:
    """Mean of the product of x over all ways in which two or three edges meet; sums as in `Sums`, or arrays of them."""
    p3 = rr - B
    d2 = S**2 - 4 * p3 - 2 * B
    t21 = qr - c
    t2d = B * S - 4 * t21 - 2 * c
    star = rrr - 3 * t21 - c
    path = rxr - 2 * t21 - c - T
    p3d = p3 * S - 4 * t21 - 2 * T - 2 * star - 4 * path
    d3 = d2 * S - 4 * t2d - 8 * path - 8 * p3d
    totals = {"B": B, "P3": p3, "D2": d2, "c": c, "t21": t21, "t2d": t2d}
    totals |= {"T": T, "star": star, "path": path, "p3d": p3d, "d3": d3}
    vertices = {name: count for name, (count, _) in PAIRS.items()} | {name: t[0] for name, t in TRIPLES.items()}
    return {name: total / falling(n, vertices[name]) for name, total in totals.items()}


def sums_of(x: Floats, triangles: float | None = None) -> Sums:
    """The sums of a symmetric matrix with zero diagonal; tr(xxx) takes a symmetric product unless it is known."""
    r, squares = x.sum(axis=1), x * x
    q = squares.sum(axis=1)
    # tr(xxx) = sum of (x x') * x entrywise; x' x of one array is a symmetric product, at half the cost.
    if triangles is None:
        with blas_threads_for(len(x) ** 3):
            triangles = float(np.vdot(x.T @ x, x))
    return Sums(
        n=len(x),
        S=float(r.sum()),
        B=float(q.sum()),
        c=float(np.vdot(squares, x)),
        rr=float(r @ r),
        qr=float(q @ r),
        rrr=float(np.sum(r**3)),
        rxr=float(r @ x @ r),
        T=triangles,
    )


@dataclass(frozen=True)
class Moments:
    """Standard deviation and skewness of Z over all permutations."""

    deviation: float
    skewness: float


def falling(n: Any, count: int) -> Any:
    """The falling factorial n (n - 1) ... (n - count + 1), of a number or of an array of them."""
    product = 1.0
    for i in range(count):
        product = product * (n - i)
    return product


def moments(means: Sequence[Mapping[str, float]], n: int) -> Moments:
    """Moments of Z less its mean, for variables whose matrices are 1 + x_k, from the means of the x_k.

    Parameters
    ----------
    means : sequence of mappings
        One for each variable: `Form.means` of x_k, whose total must be 0.
    n : int
        Rows, at least 6.
    """
    second = sum(
        falling(n, vertices) * share * two_or_more([mean[name] for mean in means])
        for name, (vertices, share) in PAIRS.items()
    )
    third = sum(
        falling(n, vertices) * share * _triple(name, pairs, means) for name, (vertices, share, pairs) in TRIPLES.items()
    )
    deviation = math.sqrt(max(second, 0.0))
    return Moments(deviation, third / deviation**3 if deviation > 0 else 0.0)


def two_or_more(values: Iterable[Any]) -> Any:
    """Sum over sets of two or more variables of the product of their values, numbers or arrays of them."""
    one = two = 0.0
    for value in values:
        two += value * one
        one += value * (1.0 + one)
    return two


def _triple(name: str, pairs: tuple[str, str, str], means: Sequence[Mapping[str, float]]) -> float:
    """Expected product of h over three edges: each edge needs two or more variables, and a variable enters none, two or
    three of the edges (entering one gives 0, since x_k has mean 0).
    """
    states: dict[tuple[int, int, int], float] = {(0, 0, 0): 1.0}
    for mean in means:
        following = dict(states)
        moves = [(edges, mean[pair]) for edges, pair in zip(_EDGES, pairs, strict=True)] + [((0, 1, 2), mean[name])]
        for state, weight in states.items():
            for edges, value in moves:
                first, second, third = (min(2, count + (i in edges)) for i, count in enumerate(state))
                reached = (first, second, third)
                following[reached] = following.get(reached, 0.0) + weight * value
        states = following
    return states.get((2, 2, 2), 0.0)


@dataclass(frozen=True, eq=False)
class Form:
    """A centered form of one similarity, or of several along a first axis.

    Attributes
    ----------
    second : array (..., 3)
        Means over the ways in which two edges meet, in the order of `PAIRS`.
    third : array (..., 8)
        Means over the ways in which three edges meet, in the order of `TRIPLES`.
    spread : array (...)
        Root mean square off the diagonal.
    """

    second: Floats
    third: Floats
    spread: Floats

    def scaled(self, factor: float) -> "Form":
        """Scale the matrix by a number."""
        return Form(self.second * factor**2, self.third * factor**3, self.spread * abs(factor))

    def means(self) -> dict[str, float]:
        """By the names of the ways in which edges meet, of one similarity."""
        return dict(zip((*PAIRS, *TRIPLES), (*self.second.tolist(), *self.third.tolist()), strict=True))


def form_of(n: Any, sums: dict[str, Any]) -> Form:
    """The means of a centered form from its sums."""
    means = edge_means(n, **sums)
    second, third = (np.stack([means[name] for name in names], axis=-1) for names in (PAIRS, TRIPLES))
    return Form(second, third, np.sqrt(np.maximum(means["B"], 0.0)))


def weights(n: Any, ways: Mapping[str, tuple[Any, ...]]) -> Floats:
    """How often edges meet in each of the ways, along a last axis; of a number of rows or of an array of them."""
    return np.stack([falling(np.asarray(n, dtype=np.float64), way[0]) * way[1] for way in ways.values()], axis=-1)
