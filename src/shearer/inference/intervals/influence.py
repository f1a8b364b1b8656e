"""The influence of every row on the entropy of an operator: what it would be without the row.

All of them come from one decomposition (`rank_one`), of the whole matrix or of a factor of low rank, where leaving rows
out in turn would take n of them.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shearer._threads import single_threaded_blas
from shearer.data.arrays import epsilon, is_numpy, to_numpy
from shearer.inference.intervals.rank_one import Shares
from shearer.kernels.delta import DeltaGram
from shearer.kernels.gram import Gram
from shearer.spectrum import Request, renyi
from shearer.spectrum.lowrank import certificate, cholesky

Floats = NDArray[np.float64]

LN2 = math.log(2.0)
# Up to here all eigenvectors take less time than a factorisation of low rank.
_FEW_ROWS = 250
# Up to here they take seconds; of more rows without low rank a sample has to do.
MOST_DENSE = 2000
# Certified width of an entropy from a factor: in bits, where more was allowed, and relative to the entropy.
_COARSEST, _RELATIVE = 1e-4, 1e-4
# A factor of higher rank than this part of the rows costs as much as all eigenvectors; one of more work (n rank^2) as
# much as the eigenvectors of `MOST_DENSE` rows, or at alpha = 2 as their sums.
_SHARE, _WORK, _WORK_OF_SUMS = 0.4, 8e9, 8e8
# Copies of the factor, or of the matrix, that are held at once.
COPIES = 5
# Rows whose squared entries are summed without a factor, at alpha = 2.
_MOST_SUMMED = 2500
# Orders as close to 1 as this are 1: the difference of two logarithms would be round-off.
_ONE = 1e-6


class NoFactorError(ValueError):
    """So many rows have neither a factor of low rank nor eigenvectors within reach."""


@dataclass(frozen=True)
class Influence:
    """An entropy and what every row does to it.

    Attributes
    ----------
    entropy : float
        Of all rows, in bits.
    changes : array (n,)
        The entropy without the row, less that of all rows.
    """

    entropy: float
    changes: Floats


def influence(gram: Gram, request: Request) -> Influence:
    """The entropy of an operator and what every row does to it.

    Parameters
    ----------
    gram : Gram
        The operator.
    request : Request
        Order above 0, memory, and the width of an entropy that comes from a factor.

    Examples
    --------
    >>> import numpy as np
    >>> from shearer.data import read
    >>> from shearer.kernels import grams
    >>> from shearer.spectrum import Request, solve
    >>> request = Request(alpha=1.0, memory=10**8)
    >>> [operator] = grams(read(np.array([0.0, 0.1, 0.2, 3.0])))
    >>> found = influence(operator, request)
    >>> without_last = solve(operator.restrict(np.arange(3)), request)
    >>> round(found.entropy, 4), round(float(found.changes[3]), 4), round(without_last.value - found.entropy, 4)
    (0.8173, -0.7883, -0.7883)
    """
    if abs(request.alpha - 1.0) < _ONE:
        request = replace(request, alpha=1.0)
    if gram.is_constant:
        return Influence(0.0, np.zeros(gram.n))
    if isinstance(gram, DeltaGram):
        return _of_counts(gram, request.alpha)
    if request.alpha == 2 and gram.n <= _MOST_SUMMED and is_numpy(gram.like):
        return _of_sums(gram)
    parts = gram.components()
    found = _of_factor(gram, request) if max(map(len, parts)) > _FEW_ROWS and is_numpy(gram.like) else None
    return _of_blocks(gram, parts, request) if found is None else found


def _of_counts(gram: DeltaGram, alpha: float) -> Influence:
    """Labels: the eigenvalues are their frequencies, and without a row its label has one less."""
    n, counts = gram.n, gram.counts.astype(np.float64)
    if math.isinf(alpha):
        others = np.array([np.delete(counts, place).max(initial=0.0) for place in np.argsort(counts)[-1:]])
        total = float(counts.max())
        less = np.where(counts == total, np.maximum(counts - 1.0, others) - total, 0.0)
    else:
        total = float(_terms(counts / n, alpha).sum())
        less = _terms((counts - 1.0) / n, alpha) - _terms(counts / n, alpha)
    changes = _entropy_changes(total, less, alpha, n)
    return Influence(float(renyi.entropy(counts / n, alpha)), changes[gram.codes])


def _terms(frequencies: Floats, alpha: float) -> Floats:
    """The terms of tr f(A)."""
    positive = np.where(frequencies > 0, frequencies, 1.0)
    terms = positive * np.log(positive) if alpha == 1 else positive**alpha
    return np.where(frequencies > 0, terms, 0.0)


def _of_sums(gram: Gram) -> Influence:
    """At alpha = 2: a row takes its squared entries with it, twice but for the diagonal."""
    sums = gram.squared().matmul(np.ones(gram.n))
    total, less = float(sums.sum()), 1.0 - 2.0 * sums
    return Influence(-math.log2(total / gram.n**2), _entropy_changes(total, less, 2.0, gram.n))


def _of_factor(gram: Gram, request: Request) -> Influence | None:
    """From a factor of low rank, where a certificate says that it is enough."""
    affordable = int(request.memory / (8 * COPIES * gram.n))
    work = _WORK_OF_SUMS if request.alpha == 2 else _WORK
    most = min(int(_SHARE * gram.n), affordable, int(math.sqrt(work / gram.n)))
    if most < 1:
        return None

    def enough(spectrum: certificate.PartialSpectrum) -> bool:
        lower, upper = certificate.bounds(spectrum, request.alpha)
        return upper - lower <= min(request.wanted, _COARSEST, _RELATIVE * upper)

    with single_threaded_blas():  # many small steps: threads would wait for each other
        found, spectrum = cholesky.factorize(gram, request.alpha, request.rng(), most, enough)
        if not enough(spectrum):
            return None
        shares = Shares.of_factor(found.factor)
    entropy = sum(certificate.bounds(spectrum, request.alpha)) / 2
    changes = _entropy_changes(shares.total(request.alpha), shares.changes(request.alpha), request.alpha, gram.n)
    return Influence(entropy, changes)


def _of_blocks(gram: Gram, parts: list[NDArray[np.intp]], request: Request) -> Influence:
    """From all eigenvectors, block by block where labels split the matrix."""
    alpha, n, largest = request.alpha, gram.n, max(map(len, parts))
    if largest > MOST_DENSE or 8 * COPIES * largest**2 > request.memory:
        raise NoFactorError(f"{largest} rows without a factor of low rank")
    values, total, less = [], 0.0, np.zeros(n)
    for rows in parts:
        block = gram if len(parts) == 1 else gram.restrict(rows)
        shares = Shares.of_matrix(to_numpy(block.dense()).astype(np.float64), n, epsilon(gram.like))
        values.append(shares.values)
        own = shares.total(alpha)
        if math.isinf(alpha):
            if own <= total:  # the largest eigenvalue is another block's, whose rows alone move it
                continue
            total, less = 0.0, np.zeros(n)
        total += own
        less[rows] = shares.changes(alpha)
    if math.isinf(alpha) and len(parts) > 1:  # without the row another block's may be the largest
        second = sorted(float(own[-1]) for own in values)[-2]
        less = np.maximum(less, second - total)
    entropy = float(renyi.entropy(np.concatenate(values), alpha))
    return Influence(entropy, _entropy_changes(total, less, alpha, n))


def _entropy_changes(total: float, less: Floats, alpha: float, n: int) -> Floats:
    """Of the entropy in bits, from tr f(A) and how it changes without a row; what is left has trace (n - 1)/n."""
    log_trace = math.log1p(-1.0 / n)
    if alpha == 1:
        return (log_trace - (total + n * less) / (n - 1)) / LN2
    share = np.log1p(np.maximum(less / total, -1.0 + cholesky.EPSILON))
    if math.isinf(alpha):
        return (log_trace - share) / LN2
    found: Floats = (share - alpha * log_trace) / ((1.0 - alpha) * LN2)
    return found
