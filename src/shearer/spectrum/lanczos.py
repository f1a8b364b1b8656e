"""Spectra that do not decay: stochastic Lanczos quadrature with the top of the spectrum taken out, matrix-free.

tr f(A) = sum_j u_j' f(A) u_j + tr P f(A) P, with u_j vectors close to the leading eigenvectors and P the projection on
the rest. Both parts are integrals of f over spectral measures that Lanczos' recurrence knows by Gauss and Gauss-Radau
rules, and the derivatives of f have signs such that the two rules bound each integral from its two sides (Golub and
Meurant 2010). The trace over the rest is the mean over random vectors (Ubaru, Chen and Saad 2017; Meyer, Musco, Musco
and Woodruff 2021); of f only what a parabola does not explain varies with them, since tr PAP and tr PAAP are known.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from shearer._threads import blas_threads_for
from shearer.data.arrays import is_numpy
from shearer.kernels.gram import Gram
from shearer.spectrum import renyi
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request, ToleranceError
from shearer.spectrum.solver import Solver

Floats = NDArray[np.float64]

# Rows below which all eigenvalues take less time.
_FEWEST_ROWS = 500
# Vectors taken out, as measured to pay; those whose residual is a larger part of their eigenvalue stay in.
_DEFLATED, _CONVERGED = 96, 0.1
# Random vectors of the first batch and of all, steps of the recurrence.
_PROBES, _MOST_PROBES, _STEPS = 12, 192, 24
# Part of the tolerance that the quadrature may take before the number of steps is doubled; and how often.
_QUADRATURE_SHARE, _MOST_STEPS = 0.3, 96
# A first batch estimates its own spread: what is needed is not known better than this.
_MARGIN = 1.3
# Bits: less would take more random vectors than all eigenvalues take time.
_SMALLEST_TOL = 1e-3
_SECONDS_A_FLOP, _SECONDS_AN_ENTRY = 5e-11, 4e-9


class Lanczos(Solver):
    """Random vectors and a three-term recurrence: an interval of confidence, not a certificate."""

    name = "lanczos"
    reason = "the spectrum does not decay; a 95 % confidence interval from random vectors, not certified"

    def supports(self, gram: Gram, request: Request) -> bool:
        """For numpy data, some rows, orders whose function has derivatives of known sign, and a tolerance in reach."""
        wanted = request.tol is not None and request.tol >= _SMALLEST_TOL
        return wanted and is_numpy(gram.like) and gram.n >= _FEWEST_ROWS and 0 < request.alpha < math.inf

    def memory(self, gram: Gram, request: Request) -> int:
        """The vectors of the recurrence; the matrix only where it fits beside them."""
        return 8 * gram.n * (3 * _DEFLATED + _PROBES * (_STEPS + 4)) + 2**25

    def seconds(self, gram: Gram, request: Request) -> float:
        """Products with blocks of vectors; the entries of the matrix once, or at each product."""
        products = 3 * _DEFLATED + 2 * _PROBES * _STEPS
        times = 1 if self._holds_matrix(gram, request) else _STEPS + 3
        return gram.n**2 * (2 * products * _SECONDS_A_FLOP + times * _SECONDS_AN_ENTRY * (gram.dimensions + 2) / 3)

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """The middle of a 95 % interval, or an error that says how close it came."""
        rng = request.rng()
        operator = _Operator(gram, hold=self._holds_matrix(gram, request))
        f = _integrand(request.alpha)
        top = _leading(operator, rng)
        bits = _transform(request.alpha)
        steps, probes = _STEPS, _PROBES
        rest = _Rest.empty(operator, top)
        while True:
            rest = rest.extended(probes, steps, rng)
            low, high, quadrature = rest.interval(f)
            ends = sorted(bits(part + whole) for part, whole in zip(top.integral(f), (low, high), strict=True))
            width = ends[1] - ends[0]
            if width <= request.wanted:
                return Estimate(sum(ends) / 2, max(0.0, ends[0]), min(math.log2(gram.n), ends[1]), False, self.name)
            share = quadrature / (high - low) if high > low else 0.0
            if share * width > _QUADRATURE_SHARE * request.wanted and steps < _MOST_STEPS:
                steps, probes, rest = 2 * steps, rest.count, _Rest.empty(operator, top)
                continue
            needed = (_MARGIN * (1 - share) * width / max(request.wanted - share * width, 0.1 * request.wanted)) ** 2
            probes = min(math.ceil(rest.count * (needed - 1)), _MOST_PROBES - rest.count)
            if probes <= 0 or rest.count * needed > 2 * _MOST_PROBES:
                found = f"an interval of {width:.2g} bits from {rest.count} random vectors"
                raise ToleranceError(f"lanczos: {found}")

    def _holds_matrix(self, gram: Gram, request: Request) -> bool:
        return self.memory(gram, request) + 16 * gram.n**2 <= request.memory


class _Operator:
    """A = K/n as products with blocks of vectors, and tr AA; the matrix is kept if it may."""

    def __init__(self, gram: Gram, hold: bool) -> None:
        self.n = gram.n
        self._gram = gram
        self._matrix = gram.dense() if hold else None
        self._squares: float | None = None

    def times(self, vectors: Floats) -> Floats:
        """A times (n, m) vectors."""
        if self._matrix is not None:
            with blas_threads_for(self._matrix.size * vectors.shape[1]):
                product: Floats = self._matrix @ vectors
            return product / self.n
        product = np.empty_like(vectors)
        squares = []
        height = max(1, 2**22 // self.n)
        for start in range(0, self.n, height):
            band = self._gram.block(slice(start, min(start + height, self.n)), slice(None))
            with blas_threads_for(band.size * vectors.shape[1]):
                product[start : start + height] = band @ vectors
            if self._squares is None:
                squares.append(float(np.vdot(band, band)))
        if squares:
            self._squares = math.fsum(squares)
        return product / self.n

    @property
    def squares(self) -> float:
        """Tr AA; known after the first product."""
        if self._squares is None:
            assert self._matrix is not None
            self._squares = float(np.vdot(self._matrix, self._matrix))
        return self._squares / self.n**2


@dataclass(frozen=True)
class _Top:
    """Vectors close to leading eigenvectors: u' A u, |A u - u (u' A u)|, and themselves."""

    values: Floats
    residuals: Floats
    vectors: Floats

    def integral(self, f: Callable[[Floats], Floats]) -> tuple[float, float]:
        """Sum of u' f(A) u between the one-point rules of Gauss and of Gauss-Radau with a node at 0."""
        ratio = (self.residuals / self.values) ** 2
        gauss = float(np.sum(f(self.values)))
        radau = float(np.sum(f(np.minimum(self.values * (1 + ratio), 1.0)) / (1 + ratio)))
        return min(gauss, radau), max(gauss, radau)


def _leading(operator: _Operator, rng: np.random.Generator) -> _Top:
    """Three products with a random block; what has not converged is left to the random vectors."""
    block = rng.normal(size=(operator.n, min(_DEFLATED, operator.n // 4)))
    for _ in range(2):
        block = scipy.linalg.qr(operator.times(block), mode="economic", overwrite_a=True, check_finite=False)[0]
    image = operator.times(block)
    values, rotation = scipy.linalg.eigh(block.T @ image, check_finite=False)
    vectors = block @ rotation
    residuals = np.linalg.norm(image @ rotation - vectors * values, axis=0)
    good = residuals < _CONVERGED * np.maximum(values, 0.0)
    return _Top(values[good], residuals[good], vectors[:, good])


@dataclass(frozen=True)
class _Rest:
    """Quadrature rules of random vectors in the complement of the top.

    Attributes
    ----------
    gauss, radau : pair of arrays (probes, steps), (probes, steps + 1)
        Nodes and weights for each vector.
    """

    operator: _Operator
    top: _Top
    gauss: tuple[Floats, Floats]
    radau: tuple[Floats, Floats]

    @classmethod
    def empty(cls, operator: _Operator, top: _Top) -> "_Rest":
        """No vector yet."""
        none = np.empty((0, 0)), np.empty((0, 0))
        return cls(operator, top, none, none)

    @property
    def count(self) -> int:
        """Random vectors so far."""
        return len(self.gauss[0])

    @property
    def dimension(self) -> int:
        """Of the complement."""
        return self.operator.n - len(self.top.values)

    def extended(self, probes: int, steps: int, rng: np.random.Generator) -> "_Rest":
        """With more random vectors of the same number of steps, a batch at a time."""
        rules = [] if self.count == 0 else [(*self.gauss, *self.radau)]
        for start in range(0, probes, 2 * _PROBES):
            vectors = rng.normal(size=(self.operator.n, min(2 * _PROBES, probes - start)))
            vectors -= self.top.vectors @ (self.top.vectors.T @ vectors)
            rules.append(_rules(*_tridiagonal(self.operator, vectors, steps)))
        joined = [np.concatenate(part) for part in zip(*rules, strict=True)]
        return _Rest(self.operator, self.top, (joined[0], joined[1]), (joined[2], joined[3]))

    def interval(self, f: Callable[[Floats], Floats]) -> tuple[float, float, float]:
        """A 95 % interval of tr P f(A) P, and how much of its width is the quadrature's."""
        (nodes, weights), (outer, outer_weights) = self.gauss, self.radau
        # f against 1, x, xx in the mean measure: their integrals over the complement are known exactly.
        design = np.vander(nodes.ravel() / nodes.max(), 3)
        root = np.sqrt(weights.ravel())
        fit = np.linalg.lstsq(design * root[:, None], f(nodes).ravel() * root, rcond=None)[0]
        parabola = np.polyval(fit, nodes / nodes.max())
        explained = np.sum(weights * parabola, axis=1)
        left = [np.sum(weights * f(nodes), axis=1), np.sum(outer_weights * f(outer), axis=1)]
        ends = np.sort(np.stack(left) - explained, axis=0) * self.dimension
        values, residuals = self.top.values, self.top.residuals
        first = 1.0 - float(values.sum())
        second = self.operator.squares - float(np.sum(values**2 + residuals**2))
        known = fit[2] * self.dimension + fit[1] * first / nodes.max() + fit[0] * second / nodes.max() ** 2
        middle = ends.mean(axis=0)
        error = _student(self.count - 1) * float(middle.std(ddof=1)) / math.sqrt(self.count)
        low, high = (float(end.mean()) for end in ends)
        return known + low - error, known + high + error, high - low


def _tridiagonal(operator: _Operator, vectors: Floats, steps: int) -> tuple[Floats, Floats]:
    """Lanczos' recurrence for every column, orthogonalised in full: diagonals (m, steps), off-diagonals after each."""
    n, count = vectors.shape
    basis = np.empty((steps + 1, count, n))
    basis[0] = (vectors / np.linalg.norm(vectors, axis=0)).T
    diagonal, beside = np.zeros((count, steps)), np.zeros((count, steps))
    for step in range(steps):
        image = operator.times(np.ascontiguousarray(basis[step].T)).T.copy()
        diagonal[:, step] = np.einsum("ij,ij->i", image, basis[step])
        known = basis[: step + 1].transpose(1, 0, 2)
        for _ in range(2):
            overlap = known @ image[:, :, None]
            image -= (overlap.transpose(0, 2, 1) @ known)[:, 0]
        beside[:, step] = np.linalg.norm(image, axis=1)
        # Where a vector is exhausted the rule is exact; what follows has no weight.
        basis[step + 1] = image / np.maximum(beside[:, step], np.finfo(np.float64).tiny)[:, None]
    return diagonal, beside


def _rules(diagonal: Floats, beside: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Nodes and weights of Gauss' rule, and of Gauss-Radau's with a node at 0, for each recurrence."""
    count, steps = diagonal.shape
    matrices = np.zeros((count, steps + 1, steps + 1))
    index = np.arange(steps)
    matrices[:, index, index] = diagonal
    matrices[:, index, index + 1] = matrices[:, index + 1, index] = beside
    nodes, vectors = np.linalg.eigh(matrices[:, :-1, :-1])
    # det = 0: the last diagonal entry is b^2 times the last entry of the inverse (Golub 1973).
    inverse = np.sum(vectors[:, -1] ** 2 / np.maximum(nodes, np.finfo(np.float64).tiny), axis=1)
    matrices[:, -1, -1] = np.minimum(beside[:, -1] ** 2 * inverse, 1.0)
    outer, outer_vectors = np.linalg.eigh(matrices)
    return np.clip(nodes, 0.0, 1.0), vectors[:, 0] ** 2, np.clip(outer, 0.0, 1.0), outer_vectors[:, 0] ** 2


def _integrand(alpha: float) -> Callable[[Floats], Floats]:
    """What is summed over eigenvalues."""
    return (lambda x: renyi.tau_or_zero(x, alpha)) if renyi.near_one(alpha) else (lambda x: x**alpha)


def _transform(alpha: float) -> Callable[[float], float]:
    """Bits from that sum; a sum beyond its range stands for the end of it."""

    def bits(total: float) -> float:
        if renyi.near_one(alpha):
            return float(renyi.bits_of_tau(np.float64(max(total, 0.0)), alpha))
        return float(renyi.bits_of_power_sum(np.float64(max(total, np.finfo(np.float64).tiny)), alpha))

    return bits


def _student(freedom: int) -> float:
    """97.5 % point of Student's law."""
    from scipy.special import stdtrit  # loaded only where it is used

    return float(stdtrit(freedom, 0.975))
