"""Sums over rows of the features of one similarity, and what the permutation moments need of it.

With f the features of a row less their mean over n rows, N = f f' is M less its row and column means, and off the
diagonal the U-centered form (Székely and Rizzo 2014) is

    u_ij = N_ij + h_i + h_j,   h = d / (n - 2) - D / (2 (n - 1) (n - 2)),

where d is the diagonal of N and D its trace. With m the mean of M off the diagonal, M_ij / m - 1 is
u_ij / m + g_i + g_j, where g is the additive part: how much more alike a row is to the others than rows are on average,
a local density. Every sum of u and of g is then a sum over rows of products of d, of the row sums p of the squares of
N, and of s = f'c, where c is the mean of the features: two passes over the rows, since p and s need the totals of the
first. Sums over rows add up, so that rows can come in chunks, from files, or from other machines. Nothing here is a
difference of large numbers.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.null_law.moments import PAIRS, TRIPLES, Form, falling, form_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]

# Entries of a matrix of probes that are formed at a time.
_BAND = 2**18
#: Sums over rows of the second pass that are numbers: of the squares and cubes of the diagonal of N, and of g.
NUMBERS = 4


@dataclass(frozen=True, eq=False)
class Totals:
    """The sums of a first pass, and what follows from them alone; of one set of rows or, along first axes, of several.

    Attributes
    ----------
    n : int or array
        Rows.
    center : array (..., r)
        Mean of the features less their offset.
    inner : array (..., r, r)
        Products of the centered features.
    mean_features : array (..., r)
        c, the mean of the features.
    trace : float or array
        Of N.
    mean : float or array
        Of M off the diagonal.
    usable : bool or array
        False where nearly all rows are unlike, so that tails fail.
    """

    n: Any
    center: Floats
    inner: Floats
    mean_features: Floats
    trace: Any
    mean: Any
    usable: Any

    @classmethod
    def of(cls, n: Any, sums: Floats, products: Floats, offset: Floats) -> "Totals":
        """From the sums over rows of features less an offset, and of their products."""
        rows = np.asarray(n, dtype=np.float64)
        center = sums / rows[..., None]
        inner = products - center[..., :, None] * sums[..., None, :]
        c = offset + center
        trace = np.trace(inner, axis1=-2, axis2=-1)
        mean = np.vecdot(c, c) - trace / (rows * (rows - 1))
        saturated = rows + rows * (rows - 1) * np.maximum(mean, 0.0)
        usable = (mean > 0) & (np.log2(rows**2 / saturated) <= limits.LARGEST_SATURATION * np.log2(rows))
        return cls(n, center, inner, c, trace, mean, usable)

    @property
    def scale(self) -> Any:
        """What M is divided by: its mean, or 1 where that is not usable."""
        return np.where(self.usable, self.mean, 1.0)

    def terms(self, features: Floats) -> "RowTerms":
        """What each of some rows adds in the second pass; `features` are less the offset."""
        f = features - self.center
        d = np.vecdot(f, f)
        return RowTerms(f, d, self.slopes(d, f @ self.mean_features))

    def slopes(self, diagonal: Floats, along: Floats) -> Floats:
        """The additive part g of rows, from the diagonal of N and the products of their centered features with c."""
        n, trace, scale = (np.asarray(part)[..., None] for part in (self.n, self.trace, self.scale))
        found: Floats = (along - (diagonal - trace / n) / (n - 2)) / scale
        return found

    def shifts(self, diagonal: Floats) -> tuple[Floats, Floats]:
        """Of rows with so large a diagonal of N: h, and what u would be on the diagonal."""
        n, trace = (np.asarray(part)[..., None] for part in (self.n, self.trace))
        h = diagonal / (n - 2) - trace / (2 * (n - 1) * (n - 2))
        y = n / (n - 2) * diagonal - trace / ((n - 1) * (n - 2))
        return h, y


@dataclass(frozen=True, eq=False)
class RowTerms:
    """Terms of some rows: centered features, the diagonal of N, and the additive part g."""

    features: Floats
    diagonal: Floats
    slope: Floats


class RowSums:
    """The sums of a second pass.

    Parameters
    ----------
    totals : Totals
        Of the first.
    """

    def __init__(self, totals: Totals) -> None:
        self.totals = totals
        self.with_diagonal: Floats = np.zeros(totals.center.shape)
        self.numbers: Floats = np.zeros((*totals.center.shape[:-1], NUMBERS))

    def add(self, terms: RowTerms) -> None:
        """Add rows."""
        self.add_up(terms.diagonal @ terms.features, terms.diagonal, terms.slope)

    def add_up(self, with_diagonal: Floats, diagonal: Floats, slope: Floats) -> None:
        """Add rows of which the sum of the centered features times the diagonal is known; 0 at rows of no account."""
        self.with_diagonal += with_diagonal
        for place, vector in ((0, diagonal), (2, slope)):
            squared = vector * vector
            self.numbers[..., place] += squared.sum(axis=-1)
            self.numbers[..., place + 1] += np.vecdot(squared, vector)

    def marginal(self, probes: Floats, stands_for: Floats) -> "Marginal":
        """What pairs need.

        Parameters
        ----------
        probes : array (..., m, r)
            Centered features of rows that stand for all in those sums of the third moment that grow with rows squared
            (the cubes of N) or with rows times features squared (the row sums p of its squares); these count less and
            less as rows grow. None where the third moment is not asked for.
        stands_for : array (..., m)
            Rows that each of them stands for.
        """
        return self.marginal_with(self._of_probes(probes, stands_for))

    def marginal_with(self, steep: "SteepSums") -> "Marginal":
        """What pairs need, where the sums that grow faster than rows are known."""
        t = self.totals
        n, trace = t.n, t.trace
        d2, d3, g2, g3 = np.moveaxis(self.numbers, -1, 0)
        near, hp, y_own = steep
        total_h = trace / (2 * (n - 1))
        # Sums of h = d / (n - 2) - low, and of y, from those of the powers of d.
        d1, low, most = trace / (n - 2), trace / (2 * (n - 1) * (n - 2)), n / (n - 2)
        h2 = d2 / (n - 2) ** 2 - 2 * low * d1 + n * low**2
        h3 = d3 / (n - 2) ** 3 - 3 * low * d2 / (n - 2) ** 2 + 3 * low**2 * d1 - n * low**3
        y3 = most**3 * d3 - 6 * low * most**2 * d2 + 12 * low**2 * most * trace - 8 * n * low**3
        a = self.with_diagonal / np.asarray(n - 2)[..., None]
        aa = np.vecdot(a, a)
        y_own = y_own + h2 * trace * n / (n - 1) + 2 * n * aa
        cubed = ((t.inner @ t.inner) * t.inner).sum(axis=(-2, -1))
        triangles = cubed + 3 * n * aa + 2 * total_h**3 + 6 * n * total_h * h2
        triangles = triangles - 3 * y_own - y3
        cubes = d3 + near + 6 * hp + 6 * aa + 2 * n * h3 + 6 * total_h * h2 - y3
        squares = (t.inner * t.inner).sum(axis=(-2, -1)) - most * d2 + trace**2 / ((n - 1) * (n - 2))
        centered = form_of(n, centered_sums(np.maximum(squares, 0.0), cubes, triangles))
        bearing = np.where(d2 > 0, trace**2 / np.where(d2 > 0, d2, 1.0), n)
        spectrum = drawn_together(np.linalg.eigvalsh(t.inner)[..., ::-1], n)
        return Marginal(n, t.mean, t.scale, trace, t.usable, centered, g2, g3, bearing, spectrum)

    def _of_probes(self, probes: Floats, weights: Floats) -> "SteepSums":
        """Sums over all rows, as some stand for them."""
        d = np.vecdot(probes, probes)
        p = np.vecdot(probes @ self.totals.inner, probes)
        cubes = 0.0
        size = max(1, _BAND // max(1, weights.size))
        for start in range(0, probes.shape[-2], size):
            band = slice(start, start + size)
            near = probes[..., band, :] @ np.swapaxes(probes, -1, -2)
            cubes = cubes + np.vecdot(weights[..., band], np.vecdot(near * near * near, weights[..., None, :]))
        return self.steep(cubes, p, d, weights)

    def of_every_row(self, features: Floats, away: Floats, masks: Masks, diagonal: Floats) -> "SteepSums":
        """Sums over all rows of each of several sets of them, without a matrix of each.

        With M the products of the features less one center, N of a set is M_ij + w_i + w_j: sums of its powers are
        products of M and of its powers, which all sets share, with vectors of each.

        Parameters
        ----------
        features : array (n, r)
            At all rows, less one center.
        away : array (sets, r)
            Mean of each set less that center.
        masks : array of bool (sets, n)
            The sets.
        diagonal : array (sets, n)
            Of N, 0 at rows of no account.
        """
        products = features @ features.T
        squares = products * products
        m = masks.astype(np.float64)
        w = (np.vecdot(away, away)[:, None] / 2 - away @ features.T) * m
        first, second, third = (m @ power for power in (products, squares, squares * products))
        weighted = w @ products
        n, w1, w2, w3 = (
            sums[:, None] for sums in (m.sum(axis=1), w.sum(axis=1), (w * w).sum(axis=1), (w**3).sum(axis=1))
        )
        p = (second + 2 * w * first + 2 * weighted + n * w * w + 2 * w * w1 + w2) * m
        cubes = np.vecdot(third, m) + 6 * (np.vecdot(second, w) + np.vecdot(first, w * w) + np.vecdot(weighted, w))
        cubes += (2 * n * w3 + 6 * w2 * w1)[:, 0]
        return self.steep(cubes, p, diagonal, m)

    def steep(self, cubes: Any, squares: Floats, diagonal: Floats, weights: Floats) -> "SteepSums":
        """The sums that grow faster than rows.

        Parameters
        ----------
        cubes : float or array
            Sum of the cubes of N, with its diagonal.
        squares : array
            Row sums p of the squares of N, at some rows.
        diagonal, weights : array
            Of N at these rows, and how many rows each stands for.
        """
        t = self.totals
        n, trace = (np.asarray(part)[..., None] for part in (t.n, t.trace))
        h, y = t.shifts(diagonal)
        own = squares + h * (n * h + trace / (n - 1)) - y * y
        off = cubes - np.vecdot(weights**2, diagonal**3)
        return SteepSums(off, np.vecdot(weights * h, squares), np.vecdot(weights * y, own))


class SteepSums(NamedTuple):
    """Sums that grow faster than rows: of the cubes of N off its diagonal, of h p, and of y times the row sums of the
    squares of u.
    """

    cubes: Any
    with_squares: Any
    own: Any


def probes_of(diagonal: Floats, most: int, count: int = limits.PROBES) -> tuple[Indices, Floats]:
    """Rows that stand for all, and how many each stands for: those with the largest diagonal of N, and others evenly.

    Parameters
    ----------
    diagonal : array (n,)
        Of all rows.
    most : int
        Up to so many rows all of them.
    count : int
        Beyond, so many, an even number.
    """
    n = len(diagonal)
    if n <= most:
        return np.arange(n), np.ones(n)
    half = count // 2
    least = np.partition(diagonal, n - half)[n - half]
    # Equal up to round-off, as rows of one label are: not the last bit decides which of them, but their order.
    tolerance = limits.EQUAL * diagonal.max()
    largest = np.flatnonzero(diagonal > least + tolerance)
    equal = np.flatnonzero(np.abs(diagonal - least) <= tolerance)
    largest = np.concatenate([largest, _evenly(equal, half - len(largest))])
    rest = np.ones(n, dtype=bool)
    rest[largest] = False
    chosen = _evenly(np.flatnonzero(rest), half)
    return np.concatenate([largest, chosen]), np.repeat([1.0, (n - half) / half], half)


def _evenly(places: Indices, count: int) -> Indices:
    """Some of them, evenly spread."""
    return places[np.linspace(0, len(places) - 1, count).round().astype(np.intp)]


@dataclass(frozen=True, eq=False)
class Marginal:
    """What pairs need of one similarity, or of several along a first axis.

    Attributes
    ----------
    n : int or array
        Rows.
    mean, scale : float or array
        Mean of M off the diagonal, and what M is divided by.
    trace : float or array
        Of N.
    usable : bool or array
        False where nearly all rows are unlike, so that tails fail.
    centered : Form
        U-centered.
    two, three : float or array
        Sums of the squares and of the cubes of the additive part g.
    bearing : float or array
        Rows that the diagonal of N rests on, its sum squared over the sum of its squares: few where some lie far out.
    spectrum : array (..., r)
        Eigenvalues of N, the largest first, `drawn_together`.
    """

    n: Any
    mean: Any
    scale: Any
    trace: Any
    usable: Any
    centered: Form
    two: Any
    three: Any
    bearing: Any
    spectrum: Floats

    def at(self, place: int) -> "Marginal":
        """One of several."""
        form = Form(*(getattr(self.centered, key)[place] for key in ("second", "third", "spread")))
        names = ("n", "mean", "scale", "trace", "usable", "two", "three", "bearing", "spectrum")
        return Marginal(**{name: getattr(self, name)[place] for name in names}, centered=form)

    @classmethod
    def unknown(cls, n: int) -> "Marginal":
        """Stand for a variable with too few rows."""
        nothing = Form(np.full(len(PAIRS), np.nan), np.full(len(TRIPLES), np.nan), np.array(np.nan))
        return cls(n, np.nan, np.nan, np.nan, False, nothing, np.nan, np.nan, np.nan, np.empty(0))

    @property
    def residual(self) -> Any:
        """Mass of M, of 1, that the features leave out; nan where that is not known, as of a single row."""
        return 1.0 - self.mean - self.trace / np.maximum(self.n - 1, 1)

    @property
    def raw(self) -> Floats:
        """Means over the ways in which two edges meet of M / m - 1, in the order of `PAIRS`."""
        n = self.n
        same = n * (n - 1) * self.centered.second[0] / self.scale**2 + 2 * (n - 2) * self.two
        meeting = (n - 2) ** 2 * self.two - same
        totals = (same, meeting, -4 * meeting - 2 * same)
        return np.array([total / falling(n, way[0]) for total, way in zip(totals, PAIRS.values(), strict=True)])

    @property
    def squares(self) -> float:
        """Sum of the squares of M off the diagonal."""
        return float(self.n * (self.n - 1) * (self.scale**2 * self.raw[0] + self.mean**2))


def drawn_together(eigenvalues: NDArray[Any], n: Any) -> Floats:
    """Estimate the eigenvalues of a law from those of a sample, which lie further apart (Lawley 1956).

    An eigenvalue l of n rows is larger by l / n times the sum of m / (l - m) over all others m than that of the law.
    Differences that rows alone can make, of sqrt(l m / n), are not divided by.

    Parameters
    ----------
    eigenvalues : array (..., r)
        The largest first.
    n : int or array
        Rows.

    Examples
    --------
    >>> drawn_together(np.array([35.0, 30.0, 25.0]), 90).round(1).tolist()
    [32.5, 30.3, 27.1]
    """
    some = np.maximum(eigenvalues, 0.0)
    products = some[..., :, None] * some[..., None, :] / np.asarray(n)[..., None, None]
    apart = some[..., :, None] - some[..., None, :]
    squares = apart * apart + products
    moved = np.divide(products * apart, squares, out=np.zeros_like(squares), where=squares > 0)
    found: Floats = np.maximum(some - moved.sum(axis=-1), 0.0)
    return found


def centered_sums(squares: Any, cubes: Any, triangles: Any) -> dict[str, Any]:
    """Sums of a form whose row sums are 0: of its squares and cubes, and tr(uuu)."""
    none = np.zeros_like(squares)
    return dict.fromkeys(("S", "rr", "qr", "rrr", "rxr"), none) | {"B": squares, "c": cubes, "T": triangles}
