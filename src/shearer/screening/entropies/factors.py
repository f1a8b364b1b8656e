"""Low-rank factors of a Gram operator: only some of its columns are ever formed."""

import numpy as np
from numpy.typing import NDArray

from shearer.kernels import Gram
from shearer.spectrum.lowrank.cholesky import Factorization, residual_error

# Of the random pivots: the same operator has the same factor whenever it is formed again.
_SEED = 0


def factor(gram: Gram, tolerance: float, most_rank: int) -> tuple[NDArray[np.float64], float]:
    """F of shape (n, r) with K - F F' positive semidefinite, and the residual mass trace(K - F F') / n.

    Parameters
    ----------
    gram : Gram
        A positive semidefinite operator with unit diagonal.
    tolerance : float
        Residual mass to stop at.
    most_rank : int
        Columns to stop at; the residual mass is then above the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data.variables import Block
    >>> from shearer.kernels import Gaussian
    >>> gram = Gaussian(1.0).gram(Block("continuous", np.linspace(0, 3, 200)[:, None]), np.empty(0))
    >>> F, residual = factor(gram, tolerance=1e-9, most_rank=50)
    >>> F.shape[1] < 25, residual < 1e-9, bool(np.abs(F @ F.T - gram.dense()).max() < 1e-6)
    (True, True, True)
    """
    work = Factorization(gram, np.random.default_rng(_SEED))
    while work.residual.mean() > tolerance and work.rank < most_rank and work.grow(most_rank):
        pass
    return work.factor, float(work.residual.mean() + residual_error(work.rank, gram.entry_error))
