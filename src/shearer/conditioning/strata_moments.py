"""Moments of sums of products of features over all rearrangements of rows within strata.

With V_s = sum_i a_i x b_i over the rows of a stratum, the statistics are sums of |V_s|^2 and of V_s . V_t without the
products of rows with themselves: U_s = sum_{i != j} (a_i . a_j)(b_i . b_j). Rows of one variable change places within
strata, each stratum by itself. Of m rows, C_s = A'A x B'B / (m - 1) is the covariance of V_s, and
m / ((m - 1)(m - 2)) times the product of the third moments of a and b its third moment; U_s has the permutation moments
of a pair of similarities (shearer.pairs.null_law.moments). Strata are independent and V_s has mean 0, so that, with
u_s = E[U_s V_s] = 2 / ((m - 1)(m - 2)) sum_i |a_i|^2 a_i x sum_i |b_i|^2 b_i, over different s, t and r,

    variance  sum Var U_s + 2 sum tr C_s C_t
    third     sum k3(U_s) + 12 sum Cov(U_s, V_s' C_t V_s) + 6 sum u_s . u_t + 4 sum E[V_s^3] . E[V_t^3]
              + 8 sum tr C_s C_t C_r

All of it is exact; of very many strata the products of third moments are those of a draw.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.pairs.null_law.moments import PAIRS, TRIPLES, falling, form_of, weights

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Numbers in the largest array of a block of strata; strata whose third moments are compared, and numbers in these.
_ROOM = 2**20
MOST_COMPARED, _THIRD_ROOM = 500, 2**24
# Variances of U_s below this part of the square of |V_s|^2 are round-off.
_ROUND_OFF = 1e-20


@dataclass(frozen=True, eq=False)
class Cumulants:
    """A statistic with its mean, variance and third cumulant over all rearrangements."""

    statistic: float
    mean: float
    variance: float
    third: float


def rearranged(first: Floats, second: Floats, codes: Indices, counts: Indices) -> tuple[Cumulants, Cumulants]:
    """Of the products summed over all strata, and of the sum over strata of U_s over their rows.

    Parameters
    ----------
    first, second : array (n, a), (n, b)
        Features of mean 0 within each stratum.
    codes : array (n,)
        The stratum of each row.
    counts : array (s,)
        Rows of each stratum.
    """
    a, b = first.shape[1], second.shape[1]
    total, steep = np.zeros((a, b)), np.zeros((a, b))
    covariance, squares, along = (np.zeros((a * a, b * b)) for _ in range(3))
    own: list[Floats] = []
    for size, rows in _blocks(codes, counts, max(a, b)):
        left, right = first[rows], second[rows]
        one, other = _Powers.of(left), _Powers.of(right)
        cross = left.swapaxes(1, 2) @ right
        total += cross.sum(axis=0)
        within = _traces(cross, cross) - np.vecdot(one.lengths, other.lengths)
        mean = one.trace * other.trace / (size * (size - 1))
        variance, third = _of_pairs(size, one.sums, other.sums)
        varies = variance > _ROUND_OFF * (one.trace * other.trace / (size - 1)) ** 2  # of two rows nothing does
        variance, third = np.where(varies, variance, 0.0), np.where(varies, third, 0.0)
        square = one.square_trace * other.square_trace / (size - 1) ** 2
        cube = one.cube_trace * other.cube_trace / (size - 1) ** 3
        skew = np.zeros(len(rows))
        if size > 2:
            factor = 2.0 / ((size - 1) * (size - 2))
            steep += factor * (one.steep.T @ other.steep)
            skew = factor**2 * np.vecdot(one.steep, one.steep) * np.vecdot(other.steep, other.steep)
        covariance += _flat(one.gram).T @ _flat(other.gram) / (size - 1)
        squares += _flat(one.squared).T @ _flat(other.squared) / (size - 1) ** 2
        itself = np.zeros(len(rows))
        for factor, left_part, right_part in _with_quadratic(one, other, mean):
            along += factor * (_flat(left_part).T @ _flat(right_part))
            ends = [_traces(left_part, one.gram), _traces(right_part, other.gram)]
            itself += factor / (size - 1) * ends[0] * ends[1]
        of_block = [within, mean, variance, third, square, cube, itself, skew]
        own.append(np.stack([*of_block, np.full(len(rows), float(size))]))
    within, mean, variance, third, square, cube, itself, skew, sizes = np.concatenate(own, axis=1)
    by_rows = zip((within, mean, variance, third), (1, 1, 2, 3), strict=True)
    apart = Cumulants(*(float(np.sum(part / sizes**power)) for part, power in by_rows))
    between = 12.0 * (np.vdot(along, covariance) - itself.sum())
    covariance, squares = (_paired(each, a, b) for each in (covariance, squares))
    double = covariance @ covariance
    between += 8.0 * (np.vdot(double, covariance) - 3.0 * np.vdot(squares, covariance) + 2.0 * cube.sum())
    between += 6.0 * (float(np.vdot(steep, steep)) - skew.sum())
    between += 4.0 * _between_third_moments(first, second, codes, counts)
    joint = Cumulants(
        float(np.vdot(total, total) - np.sum(np.vecdot(first, first) * np.vecdot(second, second))),
        float(mean.sum()),
        float(variance.sum() + 2.0 * (np.trace(double) - square.sum())),
        float(third.sum() + between),
    )
    return joint, apart


def _blocks(codes: Indices, counts: Indices, width: int) -> Iterator[tuple[int, Indices]]:
    """Strata of the same number of rows, two or more: the number, and the rows of each."""
    order = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    for size in np.unique(counts[counts > 1]).tolist():
        chosen = starts[counts == size]
        step = max(1, _ROOM // (size * width))
        for k in range(0, len(chosen), step):
            yield size, order[chosen[k : k + step, None] + np.arange(size)]


def _flat(matrices: Floats) -> Floats:
    return matrices.reshape(len(matrices), -1)


def _traces(left: Floats, right: Floats) -> Floats:
    """Traces of the products of symmetric matrices."""
    found: Floats = np.einsum("sij,sij->s", left, right)
    return found


def _paired(products: Floats, a: int, b: int) -> Floats:
    """Sums of products of the entries of two matrices as the sum of their Kronecker products."""
    found: Floats = products.reshape(a, a, b, b).transpose(0, 2, 1, 3).reshape(a * b, a * b)
    return found


@dataclass(frozen=True, eq=False)
class _Powers:
    """What the moments need of one variable, for several strata of the same number of rows.

    Attributes
    ----------
    lengths : array (s, m)
        Squared lengths of the rows.
    gram, squared, weighted : array (s, a, a)
        A'A, its square, and A'A with rows weighted by their squared lengths.
    trace, square_trace, cube_trace : array (s,)
        Of A'A, its square and its cube.
    steep : array (s, a)
        Sums of the rows times their squared lengths.
    sums : dict
        Of A A' without its diagonal, less its mean: as `Sums` of shearer.pairs.null_law.moments.
    """

    lengths: Floats
    gram: Floats
    squared: Floats
    weighted: Floats
    trace: Floats
    square_trace: Floats
    cube_trace: Floats
    steep: Floats
    sums: dict[str, Any]

    @classmethod
    def of(cls, rows: Floats) -> "_Powers":
        """From features of mean 0 within each stratum, (s, m, a)."""
        lengths = np.vecdot(rows, rows)
        gram = rows.swapaxes(1, 2) @ rows
        squared = gram @ gram
        traces = np.einsum("sii->s", gram), np.einsum("sii->s", squared), _traces(squared, gram)
        steep = (lengths[:, None, :] @ rows)[:, 0]
        along = np.vecdot(rows @ gram, rows)  # diagonal of (A A')^2
        weighted = (rows * lengths[:, :, None]).swapaxes(1, 2) @ rows
        return cls(lengths, gram, squared, weighted, *traces, steep, _sums(rows, lengths, along, traces[2]))


def _sums(rows: Floats, lengths: Floats, along: Floats, cube_trace: Floats) -> dict[str, Any]:
    """Sums of x = A A' without its diagonal, less the mean k of what is left; r and q are row sums of x and x^2."""
    m = rows.shape[1]
    k = -lengths.sum(axis=1) / (m * (m - 1))
    r, q = -lengths, along - lengths**2  # before k is taken off
    squares = q.sum(axis=1)
    cubes = _cubes(rows) - (lengths**3).sum(axis=1)
    triangles = cube_trace - 3.0 * np.vecdot(lengths, along) + 2.0 * (lengths**3).sum(axis=1)
    total = r.sum(axis=1)
    moved = r - k[:, None] * (m - 1)
    turned = (moved[:, None, :] @ rows)[:, 0]
    moved_squares = q - 2.0 * k[:, None] * r + (k**2)[:, None] * (m - 1)
    chains = np.vecdot(r, r) - squares
    return {
        "S": np.zeros(len(rows)),
        "B": squares - k * total,
        "c": cubes - 3.0 * k * squares + 2.0 * k**2 * total,
        "rr": np.vecdot(moved, moved),
        "qr": np.vecdot(moved_squares, moved),
        "rrr": (moved**3).sum(axis=1),
        "rxr": np.vecdot(turned, turned) - np.vecdot(lengths, moved**2) + k * np.vecdot(moved, moved),
        "T": triangles - 3.0 * k * chains + 2.0 * k**2 * (m - 2) * total,
    }


def _cubes(rows: Floats) -> Floats:
    """Sums of the cubes of all entries of A A', its diagonal among them."""
    _, m, a = rows.shape
    if m <= a * a:
        found: Floats = np.sum((rows @ rows.swapaxes(1, 2)) ** 3, axis=(1, 2))
    else:
        tensor = _third_moments(rows)
        found = np.vecdot(tensor, tensor)
    return found


def _third_moments(rows: Floats) -> Floats:
    """Sums over the rows of a x a x a, for each stratum."""
    strata, m, a = rows.shape
    found = np.zeros((strata, a * a, a))
    step = max(1, _ROOM // (strata * a * a))
    for k in range(0, m, step):
        some = rows[:, k : k + step]
        twice = (some[:, :, :, None] * some[:, :, None, :]).reshape(strata, -1, a * a)
        found += twice.swapaxes(1, 2) @ some
    return found.reshape(strata, -1)


def _of_pairs(m: int, left: dict[str, Any], right: dict[str, Any]) -> tuple[Floats, Floats]:
    """Variance and third cumulant of U_s of m rows: exact for any number of rows, as ways of more rows do not occur."""
    found = []
    with np.errstate(divide="ignore", invalid="ignore"):
        forms = form_of(float(m), left), form_of(float(m), right)
    for ways, power in ((PAIRS, 2), (TRIPLES, 3)):
        occurs = np.array([falling(m, way[0]) > 0 for way in ways.values()])
        one, other = (np.where(occurs, form.second if power == 2 else form.third, 0.0) for form in forms)
        # U_s sums over ordered pairs of rows
        found.append(2.0**power * (one * other) @ weights(m, ways))
    return np.maximum(found[0], 0.0), found[1]


def _with_quadratic(left: _Powers, right: _Powers, mean: Floats) -> Iterator[tuple[float, Floats, Floats]]:
    """Cov(U_s, V_s' M V_s) as sums of products, each linear in what M has of either variable.

    Yields factors and matrices P, Q: for M = G x H the covariance is the sum of factor tr(P G) tr(Q H). They belong to
    the ways in which a pair of rows of U_s meets one of V_s' M V_s (the same, one row shared, none), or a row of it
    that is paired with itself (on the pair, beside it).
    """
    m = left.lengths.shape[1]
    parts = []
    for own in (left, right):
        spanned = own.trace[:, None, None] * own.gram
        same = own.squared - own.weighted
        shared = own.weighted - same
        parts.append((same, shared, spanned - 2.0 * same - 4.0 * shared, own.weighted, 2.0 * own.weighted - spanned))
    for (rows, ways), one, other in zip(((2, 2), (3, 4), (4, 1), (2, 2), (3, 1)), *parts, strict=True):
        if m >= rows:
            yield ways / falling(m, rows), one, other
    yield -1.0 / (m - 1), left.gram * mean[:, None, None], right.gram


def _between_third_moments(first: Floats, second: Floats, codes: Indices, counts: Indices) -> float:
    """Sum over pairs of strata of the products of the third moments of their V; of very many strata, of a draw."""
    a, b = first.shape[1], second.shape[1]
    places = np.flatnonzero(counts > 2)
    strata = len(places)
    most = max(2, min(MOST_COMPARED, _THIRD_ROOM // (a**3 + b**3)))
    chosen = np.random.default_rng(0).choice(places, most, replace=False) if strata > most else places
    if len(chosen) < 2:
        return 0.0
    kept = np.isin(codes, chosen)
    first, second, codes = first[kept], second[kept], np.unique(codes[kept], return_inverse=True)[1]
    left, right = [], []
    for size, rows in _blocks(codes, np.bincount(codes), max(a, b)):
        left.append(_third_moments(first[rows]) * (size / ((size - 1) * (size - 2))))
        right.append(_third_moments(second[rows]))
    one, other = np.concatenate(left), np.concatenate(right)
    products = (one @ one.T) * (other @ other.T)
    share = strata * (strata - 1) / (len(chosen) * (len(chosen) - 1))
    return share * float(products.sum() - np.trace(products))
