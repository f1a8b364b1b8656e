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

import numpy as np
from numpy.typing import NDArray

from shearer.pairs import limits
from shearer.pairs.null_law.moments import PAIRS, TRIPLES, Form, falling, form_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Rows of a matrix of probes that are formed at a time.
_BAND_ROWS = 512
#: Sums over rows of the second pass that are numbers.
NUMBERS = 6


@dataclass(frozen=True, eq=False)
class Totals:
    """The sums of a first pass, and what follows from them alone.

    Parameters
    ----------
    n : int
        Rows.
    sums, products : array (r,), (r, r)
        Sums over rows of features less an offset, and of their products.
    offset : array (r,)
        That offset.
    """

    n: int
    center: Floats
    inner: Floats
    mean_features: Floats
    trace: float
    mean: float
    usable: bool

    @classmethod
    def of(cls, n: int, sums: Floats, products: Floats, offset: Floats) -> "Totals":
        """From the sums over rows."""
        center = sums / n
        inner = products - np.multiply.outer(center, sums)
        c = offset + center
        trace = float(np.trace(inner))
        mean = float(c @ c) - trace / (n * (n - 1))
        saturated = n + n * (n - 1) * max(mean, 0.0)
        usable = mean > 0 and np.log2(n**2 / saturated) <= limits.LARGEST_SATURATION * np.log2(n)
        return cls(n, center, inner, c, trace, mean, bool(usable))

    @property
    def scale(self) -> float:
        """What M is divided by: its mean, or 1 where that is not usable."""
        return self.mean if self.usable else 1.0

    @property
    def residual(self) -> float:
        """Mass of M, of 1, that the features leave out."""
        return 1.0 - self.trace / self.n - float(self.mean_features @ self.mean_features)

    @property
    def square(self) -> float:
        """Sum of the squares of N."""
        return float(np.vdot(self.inner, self.inner))

    def terms(self, features: Floats) -> "RowTerms":
        """What each of some rows adds in the second pass; `features` are less the offset."""
        f = features - self.center
        d = np.vecdot(f, f)
        s = f @ self.mean_features
        slope = (s - (d - self.trace / self.n) / (self.n - 2)) / self.scale
        return RowTerms(f, d, slope)

    def shifts(self, diagonal: Floats) -> tuple[Floats, Floats]:
        """Of rows with so large a diagonal of N: h, and what u would be on the diagonal."""
        n, trace = self.n, self.trace
        h = diagonal / (n - 2) - trace / (2 * (n - 1) * (n - 2))
        y = n / (n - 2) * diagonal - trace / ((n - 1) * (n - 2))
        return h, y


@dataclass(frozen=True, eq=False)
class RowTerms:
    """Of some rows: centered features, the diagonal of N, and the additive part g."""

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
        self.with_diagonal: Floats = np.zeros(len(totals.center))
        self.numbers: Floats = np.zeros(NUMBERS)

    def add(self, terms: RowTerms) -> None:
        """Add rows."""
        self.add_up(terms.diagonal @ terms.features, terms.diagonal, terms.slope)

    def add_up(self, with_diagonal: Floats, diagonal: Floats, slope: Floats) -> None:
        """Add rows of which the sum of the centered features times the diagonal is known."""
        h, y = self.totals.shifts(diagonal)
        d, g = diagonal, slope
        self.with_diagonal += with_diagonal
        squared = h * h
        self.numbers += [squared.sum(), squared @ h, (y * y) @ y, (d * d) @ d, g @ g, (g * g) @ g]

    def marginal(self, probes: Floats, stands_for: Floats) -> "Marginal":
        """What pairs need.

        Parameters
        ----------
        probes : array (m, r)
            Centered features of rows that stand for all in those sums of the third moment that grow with rows squared
            (the cubes of N) or with rows times features squared (the row sums p of its squares); these count less and
            less as rows grow. None where the third moment is not asked for.
        stands_for : array (m,)
            Rows that each of them stands for.
        """
        t = self.totals
        n, trace = t.n, t.trace
        h2, h3, y3, d3, g2, g3 = self.numbers
        near, hp, y_own = self._of_probes(probes, stands_for)
        total_h = trace / (2 * (n - 1))
        a = self.with_diagonal / (n - 2)
        aa = float(a @ a)
        y_own = y_own + h2 * trace * n / (n - 1) + 2 * n * aa
        inner = t.inner
        triangles = float(np.vdot(inner @ inner, inner)) + 3 * n * aa + 2 * total_h**3 + 6 * n * total_h * h2
        triangles -= 3 * y_own + y3
        cubes = d3 + near + 6 * hp + 6 * aa + 2 * n * h3 + 6 * total_h * h2 - y3
        # Sum of d^2, from that of h^2.
        constant = trace / (2 * (n - 1) * (n - 2))
        d2 = (n - 2) ** 2 * (h2 + 2 * constant * trace / (n - 2) - n * constant**2)
        squares = t.square - n / (n - 2) * d2 + trace**2 / ((n - 1) * (n - 2))
        centered = form_of(n, centered_sums(max(squares, 0.0), cubes, triangles))
        bearing = trace**2 / d2 if d2 > 0 else float(n)
        return Marginal(n, t.mean, t.scale, trace, t.usable, centered, float(g2), float(g3), bearing)

    def _of_probes(self, probes: Floats, weights: Floats) -> tuple[float, float, float]:
        """Sums over all rows, as some stand for them: of the cubes of N off its diagonal, of h p, and of y times the
        row sums of the squares of u.
        """
        t = self.totals
        d = np.vecdot(probes, probes)
        h, y = t.shifts(d)
        p = np.vecdot(probes @ t.inner, probes)
        own = p + h * (t.n * h + t.trace / (t.n - 1)) - y * y
        cubes = 0.0
        for start in range(0, len(probes), _BAND_ROWS):
            band = slice(start, start + _BAND_ROWS)
            near = probes[band] @ probes.T
            cubes += float(weights[band] @ (near * near * near) @ weights)
        cubes -= float(weights**2 @ d**3)
        return cubes, float(weights * h @ p), float(weights * y @ own)


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
    order = np.argpartition(diagonal, n - half)
    others = np.sort(order[: n - half])
    chosen = others[np.linspace(0, len(others) - 1, half).round().astype(np.intp)]
    return np.concatenate([order[n - half :], chosen]), np.repeat([1.0, (n - half) / half], half)


@dataclass(frozen=True, eq=False)
class Marginal:
    """What pairs need of one similarity.

    Attributes
    ----------
    n : int
        Rows.
    mean, scale : float
        Mean of M off the diagonal, and what M is divided by.
    trace : float
        Of N.
    usable : bool
        False where nearly all rows are unlike, so that tails fail.
    centered : Form
        U-centered.
    two, three : float
        Sums of the squares and of the cubes of the additive part g.
    bearing : float
        Rows that the diagonal of N rests on, its sum squared over the sum of its squares: few where some lie far out.
    """

    n: int
    mean: float
    scale: float
    trace: float
    usable: bool
    centered: Form
    two: float
    three: float
    bearing: float

    @classmethod
    def unknown(cls, n: int) -> "Marginal":
        """Of too few rows."""
        nothing = Form(np.full(len(PAIRS), np.nan), np.full(len(TRIPLES), np.nan), np.array(np.nan))
        return cls(n, np.nan, np.nan, np.nan, False, nothing, np.nan, np.nan, np.nan)

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


def centered_sums(squares: float, cubes: float, triangles: float) -> dict[str, float]:
    """Sums of a form whose row sums are 0: of its squares and cubes, and tr(uuu)."""
    return dict.fromkeys(("S", "rr", "qr", "rrr", "rxr"), 0.0) | {"B": squares, "c": cubes, "T": triangles}
