"""The two centred forms of a similarity matrix M, known by their sums: no centred matrix is formed.

Both are factor M_ij - shift_i - shift_j + constant off the diagonal: *raw*, M / mean - 1, and *centred*, with zero row
sums. Their sums are expanded in sums of M itself, so M may be a full matrix or a factor of one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shearer.pairs.moments import Sums, moments, shifted_triangles
from shearer.pairs.pearson3 import upper_tail
from shearer.inference.result import Component
from shearer.inference.totals import Totals

Floats = NDArray[np.float64]

# Beyond this skewness the Pearson type III tail was not measured to hold; centred components reach sqrt(8).
LARGEST_SKEWNESS = 3.0


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of M without its diagonal.

    Attributes
    ----------
    rows, squares : array (n,)
        Row sums of M and of its squared entries.
    cubes : float
        Sum of its cubed entries.
    triangles : float
        tr(MMM).
    times : callable
        M times a vector or columns.
    """

    rows: Floats
    squares: Floats
    cubes: float
    triangles: float
    times: Callable[[Floats], Floats]

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.rows)

    @property
    def total(self) -> float:
        """Sum of the entries off the diagonal."""
        return float(self.rows.sum())

    @property
    def square_total(self) -> float:
        """Sum of the squared entries off the diagonal."""
        return float(self.squares.sum())

    @property
    def mean(self) -> float:
        """Mean entry off the diagonal."""
        return self.total / (self.n * (self.n - 1))

    @cached_property
    def raw(self) -> Sums:
        """Sums of M / mean - 1."""
        return shifted_sums(self, 1.0 / self.mean, np.zeros(self.n), -1.0)

    @cached_property
    def centered(self) -> Sums:
        """Sums of the U-centred form."""
        n = self.n
        return shifted_sums(self, 1.0, self.rows / (n - 2), self.total / ((n - 1) * (n - 2)))


def pair_of(first: Known, second: Known, products: float, label: str) -> list[Component]:
    """The raw and the centred statistic of two matrices whose entries' products add up to `products` over i < j."""
    return compared(first, second, products, float(first.rows @ second.rows), label)


def compared(
    first: Known | Totals, second: Known | Totals, products: float, row_products: float, label: str
) -> list[Component]:
    """The same from the sum of the products of row sums."""
    n = first.n
    raw = products / (first.mean * second.mean) - n * (n - 1) / 2
    centered = products - row_products / (n - 2) + first.total * second.total / (2 * (n - 1) * (n - 2))
    found = []
    forms = (("centered", centered, first.centered, second.centered), ("raw", raw, first.raw, second.raw))
    for form, statistic, left, right in forms:
        law = moments([left, right], [1.0, 1.0])
        if law.deviation > 0 and abs(law.skewness) <= LARGEST_SKEWNESS:
            z = statistic / law.deviation
            found.append(Component(f"{form} {label}", z, float(upper_tail(z, law.skewness)), law.skewness))
    return found


def shifted_sums(known: Known, factor: float, shift: Floats, constant: float) -> Sums:
    """Sums of x_ij = factor M_ij - shift_i - shift_j + constant off the diagonal, expanded in those of M."""
    n, rows, squares = len(known.rows), known.rows, known.squares
    image = known.times(shift)
    total, total_squares = float(shift.sum()), float(shift @ shift)
    r = factor * rows - (n - 2) * shift - total + (n - 1) * constant
    inner = shift - constant
    q = factor**2 * squares - 2 * factor * (inner * rows + image)
    q += (n - 1) * inner**2 + 2 * inner * (total - shift) + (total_squares - shift**2)
    # The cube of factor M - g with g_ij = e_i + e_j, e = shift - constant/2.
    e = shift - constant / 2
    with_squares = 2 * float(squares @ e)
    with_rows = 2 * float(rows @ e**2) + 2 * float(e @ known.times(e))
    g_cubes = 2 * n * float(np.sum(e**3)) + 6 * float(e.sum()) * float(e @ e) - float(np.sum((2 * e) ** 3))
    c = factor**3 * known.cubes - 3 * factor**2 * with_squares + 3 * factor * with_rows - g_cubes
    diagonal = constant - 2 * shift
    s = float(r.sum())
    rxr = factor * float(r @ known.times(r)) - 2 * float(shift @ r) * s + constant * s**2 - float(r**2 @ diagonal)
    return Sums(
        n=n,
        S=s,
        B=float(q.sum()),
        c=c,
        rr=float(r @ r),
        qr=float(q @ r),
        rrr=float(np.sum(r**3)),
        rxr=rxr,
        T=shifted_triangles(known.triangles, known.times, factor, shift, constant, q + diagonal**2),
    )
