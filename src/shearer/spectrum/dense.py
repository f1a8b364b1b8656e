"""Routes that form the whole matrix: all eigenvalues, or a few matrix products at small integer alpha."""

import numpy as np
import scipy.linalg

from shearer._threads import blas_threads_for
from shearer.data.arrays import Array, epsilon, is_numpy, item_size, to_float, tracks_gradient
from shearer.kernels.gram import Gram
from shearer.spectrum import renyi
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request
from shearer.spectrum.solver import Solver


class Powers(Solver):
    """Small integer alpha: tr A^alpha from one or two matrix products."""

    name = "powers"
    reason = "at a small integer alpha one or two matrix products cost less than the eigenvalues"

    def supports(self, gram: Gram, request: Request) -> bool:
        """Where it pays: one product, two if derivatives would need eigenvectors; no labels that split the matrix."""
        orders = (3, 4, 5, 6, 8) if tracks_gradient(gram.like) else (3, 4)
        return gram.nonnegative and request.alpha in orders and len(gram.components()) == 1

    def memory(self, gram: Gram, request: Request) -> int:
        """The matrix and its powers."""
        return item_size(gram.like) * (8 if tracks_gradient(gram.like) else 4) * gram.n**2

    def seconds(self, gram: Gram, request: Request) -> float:
        """One or two matrix products."""
        return 4e-11 * gram.n**3 + 2e-8 * gram.n**2

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """Tr A^alpha = sum of A^floor(alpha/2) * A^ceil(alpha/2), entrywise."""
        alpha = request.alpha
        matrix = gram.dense() / gram.n
        half = int(alpha) // 2
        with blas_threads_for(gram.n**3):
            low = matrix if half == 1 else matrix @ matrix
            low = low @ matrix if half == 3 else low @ low if half == 4 else low
            high = low @ matrix if alpha % 2 else low
        power_sum = gram.xp.sum(low * high)
        # Entries are not negative: each product adds a relative error of n epsilon at most.
        number = to_float(power_sum)
        largest = number ** (1 / alpha)
        relative = alpha * epsilon(gram.like) * (gram.n + gram.entry_error / largest)
        ends = [np.float64(number * (1 + relative)), np.float64(number * max(1 - relative, 1e-300))]
        lower, upper = (float(renyi.bits_of_power_sum(end, alpha)) for end in ends)
        return self._estimate(renyi.bits_of_power_sum(power_sum, alpha), lower, upper)


class Dense(Solver):
    """Any alpha: all eigenvalues of the whole matrix, block by block where labels split it."""

    name = "dense"
    reason = "all eigenvalues, exact to round-off for any alpha"

    def supports(self, gram: Gram, request: Request) -> bool:
        """Always."""
        return True

    def memory(self, gram: Gram, request: Request) -> int:
        """The largest block and its distances; eigenvectors and tangents where derivatives are kept."""
        largest = max(len(rows) for rows in gram.components())
        copies = 6 if tracks_gradient(gram.like) or not is_numpy(gram.like) else 3
        return item_size(gram.like) * copies * largest**2

    def seconds(self, gram: Gram, request: Request) -> float:
        """A tridiagonal reduction of each block."""
        return sum(6e-11 * len(rows) ** 3 + 3e-8 * len(rows) ** 2 for rows in gram.components())

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """Entropy of the spectrum."""
        parts = gram.components()
        blocks = [gram] if len(parts) == 1 else [gram.restrict(rows) for rows in parts]
        eigenvalues = gram.xp.concat([_eigenvalues(block) for block in blocks]) / gram.n
        # Weyl: eigenvalues move by at most the norm of the perturbation, n eps |A| of LAPACK's and that of the entries.
        error = epsilon(eigenvalues) * (gram.n * to_float(gram.xp.max(eigenvalues)) + gram.entry_error)
        lower, upper = renyi.bounds(eigenvalues, error, request.alpha)
        return self._estimate(renyi.entropy(eigenvalues, request.alpha), lower, upper)


def _eigenvalues(gram: Gram) -> Array:
    matrix = gram.dense()
    if is_numpy(matrix):
        # The transpose of a symmetric C-ordered matrix is the Fortran order LAPACK wants: no copy.
        with blas_threads_for(gram.n**3):
            return scipy.linalg.eigvalsh(matrix.T, overwrite_a=True, check_finite=False, driver="evr")
    return gram.xp.linalg.eigvalsh(matrix)
