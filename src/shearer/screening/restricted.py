"""Sums of variables on the rows that others leave them: one matrix M a variable, many sets of rows.

Every sum over a set of rows is a product of M, or of a matrix made of it, with the indicators of the sets. Only tr(MMM)
is not; it follows from that of all rows by inclusion and exclusion of the rows that a set lacks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each, one_by_one
from shearer.screening.adjustment import collision, own_bits
from shearer.screening.expanded import expand
from shearer.screening.marginals import Form, join_forms
from shearer.screening.similarities import Similarities

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

# What has to be left of M without its mean, and centred, against its mean square.
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
    def own(self) -> Floats:
        """I of every variable with itself, at alpha = 2."""
        squares = self.rows * (self.rows - 1) * (self.scale**2 * self.raw.second[..., 0] + self.mean**2)
        own: Floats = own_bits(self.rows, self.mean, squares)
        return own

    @property
    def entropy(self) -> Floats:
        """Entropies of order 2, in bits."""
        entropy: Floats = collision(self.rows, self.mean)
        return entropy


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
    found, flat = expand(ones, r, q, cubes, triangles, (r @ matrices) * ones).settle(_FLAT)
    return Restricted(ones.sum(axis=-1), found.mean, found.shift, found.usable, flat, found.raw, found.centered)


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
