"""Routes whose spectrum can be written down: constants and labels."""

import numpy as np

from shearer.data.arrays import device, epsilon, is_numpy
from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import Gram
from shearer.spectrum import renyi
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request
from shearer.spectrum.solver import Solver


class Constant(Solver):
    """A kernel matrix of ones: one eigenvalue, no entropy."""

    name = "constant"
    reason = "all rows are equal"

    def supports(self, gram: Gram, request: Request) -> bool:
        """For constant variables."""
        return gram.is_constant

    def memory(self, gram: Gram, request: Request) -> int:
        """None."""
        return 0

    def seconds(self, gram: Gram, request: Request) -> float:
        """None."""
        return 0.0

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """Zero, with a zero derivative where the library takes derivatives."""
        return self._estimate(
            gram.xp.sum(0.0 * gram.like[:1, ...]) if gram.like.shape[0] else np.float64(0.0), 0.0, 0.0
        )


class Counts(Solver):
    """Labels under the delta kernel: the eigenvalues are their frequencies."""

    name = "counts"
    reason = "the eigenvalues of a delta kernel are the frequencies of the labels"

    def supports(self, gram: Gram, request: Request) -> bool:
        """For delta kernels and their products."""
        return isinstance(gram, DeltaGram)

    def memory(self, gram: Gram, request: Request) -> int:
        """A few numbers a row."""
        return 64 * gram.n

    def seconds(self, gram: Gram, request: Request) -> float:
        """A sort."""
        return 1e-7 * gram.n

    def solve(self, gram: Gram, request: Request) -> Estimate:
        """Entropy of the frequencies."""
        assert isinstance(gram, DeltaGram)  # narrows the type; `supports` has decided
        frequencies = gram.counts / gram.n
        value = renyi.entropy(frequencies, request.alpha)
        lower, upper = renyi.bounds(frequencies, 4 * epsilon(frequencies), request.alpha)
        if request.alpha == 0:  # a count of labels is exact
            lower = upper = float(value)
        like = gram.like
        if not is_numpy(like):
            value = gram.xp.asarray(float(value), dtype=like.dtype, device=device(like))
        return self._estimate(value, lower, upper)
