"""Triples of a table with missing values at alpha = 2, each on the rows that its three variables have.

With M the squared similarities of a variable, 0 where one of the rows is missing, and E the matrix of ones where it has
both rows, the sum over the common rows of three variables of the product of the similarities of some of them is a sum
of products of three matrices, M for those and E for the others. All of them are matrix products, as without gaps.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Table
from shearer.kernels import Kernel
from shearer.measures.combination import no_entropy
from shearer.measures.entropies import Subset
from shearer.measures.registry import MEASURES
from shearer.screening.entropies import tiles
from shearer.screening.entropies.pair_entropies import collision_bits
from shearer.screening.entropies.products import CrossSum
from shearer.screening.entropies.similarities import Similarities

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Entries of a stack, as for triples without gaps.
_ENTRIES, _FEWEST = 2**15, 512
# Which of a < b < c stand for their similarity in each of the sums, in the order in which these are found.
_SUBSETS: tuple[Subset, ...] = tuple(frozenset(some) for some in ((0, 1, 2), (0, 2), (1, 2), (0, 1), (0,), (1,), (2,)))


def masked_triples(
    table: Table, kernel: Kernel | Mapping[str, Kernel] | None, triples: Indices, names: Sequence[str], fewest: int
) -> dict[str, Floats]:
    """Measures of triples at alpha = 2, at widths found from the rows that each variable has.

    Parameters
    ----------
    table : Table
        The variables.
    kernel : Kernel or mapping of name -> Kernel, optional
        As in the measures.
    triples : array (m, 3)
        Positions of three variables each, ascending.
    names : sequence of str
        The measures, by their names in the registry.
    fewest : int
        Rows below which there is no value but nan.

    Examples
    --------
    >>> from shearer.data import read
    >>> from shearer.kernels import Gaussian
    >>> a, b, c = [0.0, 0, 1, 1, np.nan], [0.0, 1, 0, 1, 1], [0.0, 1, 1, 0, 1]
    >>> table = read(a, b, c, missing="pairwise", pairwise=True)
    >>> xor = np.array([[0, 1, 2]])  # on the first four rows
    >>> found = masked_triples(table, Gaussian(1e-3), xor, ["o_information"], fewest=2)
    >>> found["o_information"].round(6)
    array([-1.])
    """
    source = Similarities(table, kernel)
    pivots = np.unique(triples[:, 2])
    totals = {t: (CrossSum(t, 2 * t), CrossSum(t, 2 * t), CrossSum(t, t)) for t in pivots.tolist()}
    size = max(_FEWEST, _ENTRIES // source.count)
    double = np.dtype(np.float64)
    for tile in tiles.cut(source.rows, size):
        similar = np.ascontiguousarray(source.stack(tile).T)
        present = np.ascontiguousarray(source.present_pairs(tile, double)[:, source.presence.pattern].T)
        for t, (first, second, third) in totals.items():
            both = np.concatenate([similar[:t], present[:t]]).T
            first.add((similar[:t] * similar[t]).T, both)
            second.add((similar[:t] * present[t]).T, both)
            third.add((present[:t] * similar[t]).T, present[:t].T)
    masks = source.presence.masks[source.presence.pattern].astype(np.float64)
    sums, rows = np.empty((len(_SUBSETS), len(triples))), np.empty(len(triples))
    for t, found in totals.items():
        here = np.flatnonzero(triples[:, 2] == t)
        a, b = triples[here, 0], triples[here, 1]
        with_third, without, alone = (total.result() for total in found)
        sums[:, here] = (
            with_third[a, b], with_third[a, t + b], with_third[b, t + a],
            without[a, b], without[a, t + b], without[b, t + a], alone[a, b],
        )  # fmt: skip
        rows[here] = ((masks[:t] * masks[t]) @ masks[:t].T)[a, b]
    bits: dict[Subset, Any] = {subset: collision_bits(part, rows) for subset, part in zip(_SUBSETS, sums, strict=True)}
    with np.errstate(invalid="ignore"):
        values = {
            name: MEASURES[name].values(3, bits.__getitem__, MEASURES[name].is_normalized, no_entropy(rows))
            for name in names
        }
    return {name: np.where(rows >= fewest, value, np.nan) for name, value in values.items()}
