"""Sums of variables on the rows that others leave them: one matrix M a variable, many sets of rows.

Every sum over a set of rows is a product of M, or of a matrix made of it, with the indicators of the sets. Only tr(MMM)
is not; it follows from that of all rows by inclusion and exclusion of the rows that a set lacks. Sums of the centred
form are expanded in those of M, as in `shearer.inference.centring`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each, one_by_one
from shearer.inference.aggregated import LARGEST_SATURATION
from shearer.screening.marginals import Form, centered_sums, form_of, join_forms, own_information, raw_sums
from shearer.screening.similarities import Similarities

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

# Variance of M below which too many digits would go; that of `shearer.inference.similarity`.
_FLAT = 1e-4
# Entries formed at a time.
BATCH = 2**16


@dataclass(frozen=True, eq=False)
class Restricted:
    """The similarities of p variables on q sets of rows each; every array has shape (p, q, ...).

    Attributes
    ----------
    rows : array
        How many rows of the set the variable has.
    mean : array
        Mean of M off the diagonal.
    shift : array (p, q, n)
        Row sums of M over rows - 2; 0 at other rows.
    usable : array
        False where nearly all rows are unlike, so that tails fail.
    flat : array
        True where M varies, but so little that its sums have lost the digits: matrices must be centred one by one.
    raw, centered : Form
        The two centred forms.
    """

    rows: Floats
    mean: Floats
    shift: Floats
    usable: Masks
    flat: Masks
    raw: Form
    centered: Form

    @property
    def scale(self) -> Floats:
        """What the raw form is divided by: the mean, or 1 where it is not usable."""
        return np.where(self.usable, self.mean, 1.0)

    @property
    def own_information(self) -> Floats:
        """I of every variable with itself, at alpha = 2."""
        return own_information(self.rows, self.mean, self.scale, self.raw)


def restricted(similarities: Similarities, sets: Masks, each: Each = one_by_one) -> Restricted:
    """The sums of every variable on each of some sets of rows, shape (sets, rows)."""
    n = similarities.rows
    size = max(1, BATCH // max(n * n, n * len(sets)))
    spans = [slice(start, min(start + size, similarities.count)) for start in range(0, similarities.count, size)]
    return _join(each(lambda span: _restricted(similarities, span, sets), spans))


def restricted_memory(rows: int, sets: int) -> int:
    """Bytes taken in passing by one thread."""
    return 8 * (4 * max(BATCH, rows**2) + 30 * max(BATCH, rows * sets))


def _restricted(similarities: Similarities, span: slice, sets: Masks) -> Restricted:
    own = similarities.presence.masks[similarities.presence.pattern[span]]
    matrices = similarities.matrices(span)
    matrices *= own[:, :, None] & own[:, None, :]
    inside = own[:, None, :] & sets
    ones = inside.astype(np.float64)
    squares = matrices * matrices
    r, q = (ones @ matrix * ones for matrix in (matrices, squares))
    squares *= matrices
    cubes = _dot(ones @ squares, ones)
    triangles = _triangles(matrices, own, inside, out=squares)
    return _centered(ones, r, q, cubes, triangles, (r @ matrices) * ones)


def _centered(ones: Floats, r: Floats, q: Floats, cubes: Floats, triangles: Floats, image: Floats) -> Restricted:
    """From the row sums of M and of its squares, the sum of its cubes, tr(MMM), and M times its row sums."""
    n, total = ones.sum(axis=-1), r.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, shift = total / (n * (n - 1)), r / (n - 2)[..., None]
        variance = q.sum(axis=-1) / (n * (n - 1)) - mean**2
        usable = np.log2(n**2 / (total + n)) <= LARGEST_SATURATION * np.log2(n)
        half = total / (2 * (n - 1) * (n - 2))
        # With e, the centred form is M_ij less e_i and e_j.
        e = (shift - half[..., None]) * ones
        moved = image / (n - 2)[..., None] - half[..., None] * r  # M e
        squared = e * e
        one, two, three = e.sum(axis=-1), squared.sum(axis=-1), _dot(squared, e)
        with_rows, with_squared, with_moved = _dot(e, r), _dot(squared, r), _dot(e, moved)
        own = two[..., None] + (n - 4)[..., None] * squared
        own += 2 * (e * (one[..., None] - r) - moved)
        own *= ones
        own += q
        u_cubes = cubes - 6 * _dot(e, q) + 6 * with_squared + 6 * with_moved
        u_cubes -= 2 * (n - 1) * three + 6 * (two * one - three)
        u_triangles = triangles - 6 * _dot(e, image) + 6 * _dot(e, q)
        u_triangles += 3 * ((n - 4) * with_moved + two * total + 2 * one * with_rows - 4 * with_squared)
        u_triangles -= 6 * (n - 3) * one * two + 2 * one**3 + (16 - 6 * n) * three
        scale = np.where(usable, mean, 1.0)
        level = (n - 1) * mean / (n - 2)
        slope = (shift - level[..., None]) * ones / scale[..., None]
        turned = (image / (n - 2)[..., None] - level[..., None] * r) / scale[..., None]  # M slope
        centered = centered_sums(own.sum(axis=-1), u_cubes, u_triangles)
        turn = _dot(slope, turned) + 2 * _dot(e, slope * slope)
        raw = raw_sums(n, scale, centered, _dot(own, slope), turn, slope)
        flat = (variance > 0) & (variance <= _FLAT)
        return Restricted(n, mean, shift, usable, flat, form_of(n, raw), form_of(n, centered))


def _triangles(matrices: Floats, own: Masks, inside: Masks, out: Floats) -> Floats:
    """tr(MMM) on each set: of all rows less what the rows that it lacks take part in, or of its own rows if few."""
    weighted = np.matmul(matrices, matrices.swapaxes(1, 2), out=out)
    weighted *= matrices
    by_row = weighted.sum(axis=2)
    absent = own[:, None, :] & ~inside
    gone = absent.astype(np.float64)
    found: Floats = by_row.sum(axis=1)[:, None] - 3 * _dot(gone, by_row[:, None, :]) + 3 * _dot(gone @ weighted, gone)
    few = 2 * inside.sum(axis=-1) < own.sum(axis=-1)[:, None]
    for k, matrix in enumerate(matrices):
        found[k, ~few[k]] -= _small_triangles(matrix, absent[k, ~few[k]])
        found[k, few[k]] = _small_triangles(matrix, inside[k, few[k]])
    return found


def _small_triangles(matrix: Floats, sets: Masks) -> Floats:
    """tr(MMM) on small sets of rows."""
    sizes = sets.sum(axis=1)
    found = np.zeros(len(sets))
    if sizes.max(initial=0) < 3:
        return found
    padded = np.zeros((len(matrix) + 1, len(matrix) + 1))
    padded[:-1, :-1] = matrix
    order = np.argsort(sizes, kind="stable")
    step = max(1, BATCH // int(sizes.max()) ** 2)
    for start in range(0, len(order), step):
        part = order[start : start + step]
        widest = int(sizes[part].max())
        # The rows of each set first, then the row of zeros.
        rows = np.where(sets[part], np.arange(len(matrix)), len(matrix))
        rows = np.sort(rows, axis=1)[:, :widest]
        block = padded[rows[:, :, None], rows[:, None, :]]
        found[part] = np.einsum("bij,bij->b", block @ block, block)
    return found


def _dot(left: Floats, right: Floats) -> Floats:
    found: Floats = np.vecdot(left, right)
    return found


def _join(parts: list[Restricted]) -> Restricted:
    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    forms = [join_forms([getattr(part, form) for part in parts]) for form in ("raw", "centered")]
    return Restricted(
        joined("rows"), joined("mean"), joined("shift"), joined("usable"), joined("flat"), forms[0], forms[1]
    )
