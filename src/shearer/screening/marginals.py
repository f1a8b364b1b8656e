"""What the permutation moments of pairs need of every variable, from stacks of similarity matrices.

With u the centred form of M (zero diagonal, zero row sums) and m its mean, the raw form is
M_ij / m - 1 = u_ij / m + g_i + g_j, where g are the row sums of M over (n - 2) m less their mean. All sums of the raw
form follow from five of u and two of g, and none of them is a difference of large numbers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.inference.aggregated import LARGEST_SATURATION, SMALLEST_SPREAD
from shearer.pairs.moments import PAIRS, TRIPLES, edge_means

Floats = NDArray[np.float64]

# Mean square of a centred form, against that of M, below which a product of two such forms is lost in that of the M.
_FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class Form:
    """A centred form of p variables.

    Attributes
    ----------
    second : array (p, 3)
        Means over the ways in which two edges meet, in the order of `PAIRS`.
    third : array (p, 8)
        Means over the ways in which three edges meet, in the order of `TRIPLES`.
    spread : array (p,)
        Root mean square off the diagonal.
    """

    second: Floats
    third: Floats
    spread: Floats

    @property
    def smallest(self) -> Floats:
        """A thousand millionth of the spread; infinite where the spread itself is round-off."""
        return np.where(self.spread > SMALLEST_SPREAD, 1e-9 * self.spread, np.inf)


@dataclass(frozen=True, eq=False)
class Marginals:
    """The similarities M = K o K of p variables at one width each, as far as their pairs need them.

    Attributes
    ----------
    mean : array (p,)
        Mean of M off the diagonal.
    shift : array (p, n)
        Row sums of M over n - 2.
    slope : array (p, n)
        g, the additive part of the raw form.
    usable : array (p,)
        False where nearly all rows are unlike, so that tails fail.
    raw, centered : Form
        The two centred forms.
    """

    mean: Floats
    shift: Floats
    slope: Floats
    usable: NDArray[np.bool_]
    raw: Form
    centered: Form

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.shift.shape[1])

    @property
    def scale(self) -> Floats:
        """What the raw form is divided by: the mean, or 1 where it is not usable."""
        return np.where(self.usable, self.mean, 1.0)

    @property
    def squares(self) -> Floats:
        """Sum of the squares of M off the diagonal."""
        squares: Floats = self.rows * (self.rows - 1) * (self.scale**2 * self.raw.second[:, 0] + self.mean**2)
        return squares

    @property
    def flat(self) -> NDArray[np.bool_]:
        """True where the centred form is so little of M that sums of products of M itself do not tell it."""
        size = self.mean**2 + self.scale**2 * self.raw.second[:, 0]
        return (self.centered.spread > SMALLEST_SPREAD) & (self.centered.spread**2 < _FLAT * size)

    @property
    def constant(self) -> Floats:
        """What is added to M_ij - shift_i - shift_j to give the centred form."""
        constant: Floats = self.mean * (self.rows / (self.rows - 2))
        return constant

    def __getitem__(self, which: Any) -> "Marginals":
        """Those of some variables."""
        forms = [Form(form.second[which], form.third[which], form.spread[which]) for form in (self.raw, self.centered)]
        return Marginals(self.mean[which], self.shift[which], self.slope[which], self.usable[which], *forms)


def join(parts: Iterable[Marginals]) -> Marginals:
    """The variables of several, in order."""
    found = list(parts)
    if len(found) == 1:
        return found[0]

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in found])

    forms = [join_forms([getattr(part, form) for part in found]) for form in ("raw", "centered")]
    return Marginals(joined("mean"), joined("shift"), joined("slope"), joined("usable"), forms[0], forms[1])


def join_forms(forms: Sequence[Form]) -> Form:
    """The variables of several, in order."""
    return Form(*(np.concatenate([getattr(form, name) for form in forms]) for name in vars(forms[0])))


def marginals(matrices: Floats) -> Marginals:
    """The sums of a stack of matrices M, shape (p, n, n), zero diagonal; overwritten by their centred forms.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.repeat([0, 1], 4)
    >>> found = marginals((labels[:, None] == labels).astype(float)[None] - np.eye(8))
    >>> found.mean.round(3), found.usable, found.centered.spread.round(3)
    (array([0.429]), array([ True]), array([0.495]))
    """
    n = matrices.shape[1]
    ones = np.ones(n)
    rows = matrices @ ones
    total = rows.sum(axis=1)
    mean, shift = total / (n * (n - 1)), rows / (n - 2)
    center(matrices, shift, mean)
    squares = matrices * matrices
    own = squares @ ones
    cubes = _contract(squares, matrices)
    # One array and its transpose: a symmetric product, at half the cost.
    triangles = _contract(np.matmul(matrices, matrices.swapaxes(1, 2), out=squares), matrices)
    usable = np.log2(n**2 / (total + n)) <= LARGEST_SATURATION * np.log2(n)
    safe = np.where(usable, mean, 1.0)
    slope = (shift - shift.mean(axis=1, keepdims=True)) / safe[:, None]
    image = np.matmul(matrices, slope[:, :, None])[:, :, 0]
    centered = centered_sums(own.sum(axis=1), cubes, triangles)
    raw = raw_sums(n, safe, centered, np.sum(own * slope, axis=1), np.sum(image * slope, axis=1), slope)
    return Marginals(mean, shift, slope, usable, form_of(n, raw), form_of(n, centered))


def center(matrices: Floats, shift: Floats, mean: Floats) -> None:
    """Overwrite M by its centred form."""
    n = matrices.shape[1]
    matrices -= shift[:, :, None]
    matrices -= (shift - (mean * (n / (n - 2)))[:, None])[:, None, :]
    np.einsum("bii->bi", matrices)[:] = 0.0


def _contract(left: Floats, right: Floats) -> Floats:
    """Sum of the products of entries, matrix by matrix."""
    count = len(left)
    found: Floats = np.matmul(left.reshape(count, 1, -1), right.reshape(count, -1, 1)).reshape(count)
    return found


def centered_sums(squares: Floats, cubes: Floats, triangles: Floats) -> dict[str, Any]:
    """Sums of a form whose row sums are 0: of its squares and cubes, and tr(uuu)."""
    return dict.fromkeys(("S", "rr", "qr", "rrr", "rxr"), 0.0) | {"B": squares, "c": cubes, "T": triangles}


def raw_sums(n: Any, mean: Floats, u: dict[str, Any], squares: Floats, image: Floats, g: Floats) -> dict[str, Any]:
    """Sums of u / m + g_i + g_j: `squares` is the row sums of u^2 times g, `image` is g'ug."""
    squared = g * g
    two, three = squared.sum(axis=-1), np.vecdot(squared, g)
    return {
        "S": 0.0,
        "B": u["B"] / mean**2 + 2 * (n - 2) * two,
        "c": u["c"] / mean**3 + 6 * squares / mean**2 + 6 * image / mean + 2 * (n - 4) * three,
        "rr": (n - 2) ** 2 * two,
        "qr": (n - 2) * (squares / mean**2 + 2 * image / mean + (n - 4) * three),
        "rrr": (n - 2) ** 3 * three,
        "rxr": (n - 2) ** 2 * (image / mean - 2 * three),
        "T": u["T"] / mean**3 - 6 * squares / mean**2 + 3 * (n - 4) * image / mean + (16 - 6 * n) * three,
    }


def form_of(n: Any, sums: dict[str, Any]) -> Form:
    """The means of a centred form from its sums."""
    means = edge_means(n, **sums)
    second, third = (np.stack([means[name] for name in names], axis=-1) for names in (PAIRS, TRIPLES))
    return Form(second, third, np.sqrt(np.maximum(means["B"], 0.0)))
