"""Exact routes from a Gram operator to its entropy, each for the cases where it is the cheapest."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import scipy.linalg

from shearer._arrays import Array, as_scalar, device, epsilon, is_numpy, item_size, to_float, tracks_gradient
from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import TILE, Gram
from shearer.spectrum import renyi
from shearer.spectrum.estimate import Estimate


class Solver(ABC):
    """A way to the entropy of K/n, with bounds."""

    #: What `Estimate.route` says.
    name: ClassVar[str]
    #: Why one would take it.
    reason: ClassVar[str]

    @abstractmethod
    def supports(self, gram: Gram, alpha: float) -> bool:
        """True if this route is right for the operator and the order."""

    @abstractmethod
    def memory(self, gram: Gram) -> int:
        """Bytes it allocates at its peak."""

    @abstractmethod
    def solve(self, gram: Gram, alpha: float) -> Estimate:
        """The entropy in bits."""

    def _estimate(self, value: Array, lower: float, upper: float) -> Estimate:
        """Bounds never exclude the value itself: rounding may move it past a bound that is tight."""
        number = to_float(value)
        return Estimate(as_scalar(value), min(lower, number), max(upper, number), True, self.name)


class Constant(Solver):
    """A kernel matrix of ones: one eigenvalue, no entropy."""

    name = "constant"
    reason = "all rows are equal"

    def supports(self, gram: Gram, alpha: float) -> bool:  # noqa: ARG002 - one signature for all solvers
        """For constant variables."""
        return gram.is_constant

    def memory(self, gram: Gram) -> int:  # noqa: ARG002
        """None."""
        return 0

    def solve(self, gram: Gram, alpha: float) -> Estimate:  # noqa: ARG002
        """Zero, with a zero derivative where the library takes derivatives."""
        return self._estimate(0.0 * gram.xp.sum(gram.like[:1]) if gram.like.shape[0] else np.float64(0.0), 0.0, 0.0)


class Counts(Solver):
    """Labels under the delta kernel: the eigenvalues are their frequencies."""

    name = "counts"
    reason = "the eigenvalues of a delta kernel are the frequencies of the labels"

    def supports(self, gram: Gram, alpha: float) -> bool:  # noqa: ARG002
        """For delta kernels and their products."""
        return isinstance(gram, DeltaGram)

    def memory(self, gram: Gram) -> int:
        """A few numbers a row."""
        return 64 * gram.n

    def solve(self, gram: Gram, alpha: float) -> Estimate:
        """Entropy of the frequencies."""
        assert isinstance(gram, DeltaGram)
        frequencies = gram.counts / gram.n
        value = renyi.entropy(frequencies, alpha)
        lower, upper = renyi.bounds(frequencies, 4 * epsilon(frequencies), alpha)
        if alpha == 0:  # a count of labels is exact
            lower = upper = float(value)
        like = gram.like
        if not is_numpy(like):
            value = gram.xp.asarray(float(value), dtype=like.dtype, device=device(like))
        return self._estimate(value, lower, upper)


class Frobenius(Solver):
    """alpha = 2: tr A^2 is the sum of squared entries, taken tile by tile."""

    name = "frobenius"
    reason = "at alpha=2 the sum of squared entries is enough; no matrix is formed, no eigenvalue computed"

    def supports(self, gram: Gram, alpha: float) -> bool:  # noqa: ARG002
        """At alpha = 2 only."""
        return alpha == 2

    def memory(self, gram: Gram) -> int:
        """Two tiles; the whole matrix and its tangents where derivatives are kept."""
        item = item_size(gram.like)
        return item * (6 * gram.n**2 if tracks_gradient(gram.like) else 4 * TILE**2)

    def solve(self, gram: Gram, alpha: float) -> Estimate:
        """S_2 = -log2 sum_ij (K_ij / n)^2."""
        total: Array = 0.0
        for rows, columns, tile in gram.tiles():
            flat = gram.xp.reshape(tile, (-1,))
            total = total + (1.0 if rows == columns else 2.0) * gram.xp.vecdot(flat, flat)
        power_sum = total / gram.n**2
        # Entries err by entry_error each, and sum |K_ij|/n^2 <= sqrt(sum K_ij^2)/n; dot products add their own.
        eps = epsilon(gram.like)
        number = to_float(power_sum)
        error = 2 * gram.entry_error * eps * number**0.5 + (TILE + gram.n / TILE) * eps * number
        ends = [np.float64(min(1.0, number + error)), np.float64(max(1.0 / gram.n, number - error))]
        lower, upper = (float(renyi.bits_of_power_sum(end, alpha)) for end in ends)
        return self._estimate(renyi.bits_of_power_sum(power_sum, alpha), lower, upper)


class Powers(Solver):
    """Small integer alpha: tr A^alpha from one or two matrix products."""

    name = "powers"
    reason = "at a small integer alpha one or two matrix products cost less than the eigenvalues"

    def supports(self, gram: Gram, alpha: float) -> bool:
        """Where it was measured to pay: one product, or two if eigenvectors would be needed for derivatives."""
        return gram.nonnegative and alpha in ((3, 4, 5, 6, 8) if tracks_gradient(gram.like) else (3, 4))

    def memory(self, gram: Gram) -> int:
        """The matrix and its powers."""
        return item_size(gram.like) * (8 if tracks_gradient(gram.like) else 4) * gram.n**2

    def solve(self, gram: Gram, alpha: float) -> Estimate:
        """Tr A^alpha = sum of A^floor(alpha/2) * A^ceil(alpha/2), entrywise."""
        matrix = gram.dense() / gram.n
        half = int(alpha) // 2
        low = matrix if half == 1 else matrix @ matrix
        low = low @ matrix if half == 3 else low @ low if half == 4 else low
        high = low @ matrix if alpha % 2 else low
        power_sum = gram.xp.sum(low * high)
        # Entries are not negative: each product adds a relative error of n epsilon at most.
        eps = epsilon(gram.like)
        number = to_float(power_sum)
        largest = number ** (1 / alpha)
        relative = alpha * eps * (gram.n + gram.entry_error / largest)
        ends = [np.float64(number * (1 + relative)), np.float64(number * max(1 - relative, 1e-300))]
        lower, upper = (float(renyi.bits_of_power_sum(end, alpha)) for end in ends)
        return self._estimate(renyi.bits_of_power_sum(power_sum, alpha), lower, upper)


class Dense(Solver):
    """Any alpha: all eigenvalues of the whole matrix, block by block where labels split it."""

    name = "dense"
    reason = "all eigenvalues, exact to round-off for any alpha"

    def supports(self, gram: Gram, alpha: float) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def memory(self, gram: Gram) -> int:
        """The largest block and its distances; eigenvectors and tangents where derivatives are kept."""
        largest = max(len(rows) for rows in gram.components())
        copies = 6 if tracks_gradient(gram.like) or not is_numpy(gram.like) else 3
        return item_size(gram.like) * copies * largest**2

    def solve(self, gram: Gram, alpha: float) -> Estimate:
        """Entropy of the spectrum."""
        parts = gram.components()
        blocks = [gram] if len(parts) == 1 else [gram.restrict(rows) for rows in parts]
        eigenvalues = gram.xp.concat([_eigenvalues(block) for block in blocks]) / gram.n
        eps = epsilon(eigenvalues)
        # Weyl: eigenvalues move by at most the norm of the perturbation, n eps |A| of LAPACK's and that of the entries.
        error = eps * (gram.n * to_float(gram.xp.max(eigenvalues)) + gram.entry_error)
        lower, upper = renyi.bounds(eigenvalues, error, alpha)
        return self._estimate(renyi.entropy(eigenvalues, alpha), lower, upper)


def _eigenvalues(gram: Gram) -> Array:
    matrix = gram.dense()
    if is_numpy(matrix):
        # The transpose of a symmetric C-ordered matrix is the Fortran order LAPACK wants: no copy.
        return scipy.linalg.eigvalsh(matrix.T, overwrite_a=True, check_finite=False, driver="evr")
    return gram.xp.linalg.eigvalsh(matrix)


EXACT: tuple[Solver, ...] = (Constant(), Counts(), Frobenius(), Powers(), Dense())
