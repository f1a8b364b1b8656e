"""The sums of every variable that its pairs need, each by the cheapest way to them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shearer._threads import Each, map_threads
from shearer.inference.tall import tall_factor
from shearer.kernels.gram import Gram
from shearer.screening.bands import band_sums, reach
from shearer.screening.expanded import Expanded, expand
from shearer.screening.factors import factor
from shearer.screening.marginals import Marginals, join, marginals
from shearer.screening.polynomials import groups_of, polynomial_sums
from shearer.screening.similarities import Labels, Similarities

Indices = NDArray[np.intp]

# Entries of matrices, or of polynomials, that are formed at a time.
BATCH = 2**18
# What has to be left of M without its mean, and centred, against its mean square: sums of polynomials, of bands and of
# labels are good to a few units of round-off, those of factors to some 1e-12.
_FLAT, _FLAT_FACTOR = 3e-4, 3e-3
# Rows from which it pays to look for bands, and for factors.
_FEWEST_BANDED, _FEWEST_FACTORED = 256, 1000
# Part of the rows that the blocks of a band may reach to, where factors are the other way and where matrices are.
_NARROW, _NARROW_OF_FEW = 0.3, 0.5
# Mean residual of a row of a factor, and columns of one that beats the whole matrix.
_RESIDUAL, _WIDEST = 1e-13, 0.3


def marginals_of(similarities: Similarities, each: Each = map_threads) -> Marginals:
    """The sums of every variable, by whole matrices only where nothing else serves or keeps the digits."""
    parts: list[Marginals] = []
    order: list[Indices] = []
    for variables, sums, flat in _expansions(similarities, each) if similarities.presence.complete else ():
        found, lost = sums.settle(flat)
        every = Marginals(found.mean, found.shift, found.slope, found.usable, found.raw, found.centered)
        parts.append(every[~lost])
        order.append(variables[~lost])
    rest = _without(similarities.count, order)
    others, size = similarities.restrict(rest), max(1, BATCH // similarities.rows**2)
    spans = [slice(start, min(start + size, len(rest))) for start in range(0, len(rest), size)]
    parts += each(lambda span: marginals(others.matrices(span)), spans)
    return join(parts)[np.argsort(np.concatenate([*order, rest]), kind="stable")]


def _expansions(similarities: Similarities, each: Each) -> Iterator[tuple[Indices, Expanded, float]]:
    """Sums of M itself for some variables, and what has to be left of their M."""
    labels, scalars, n = similarities.labels, similarities.scalars, similarities.rows
    if len(labels.index):
        yield labels.index, _of_labels(labels), _FLAT
    groups = groups_of(scalars, BATCH)
    columns = [columns for columns, _ in groups]
    found = each(lambda group: polynomial_sums(scalars, *group), groups)
    if n >= _FEWEST_BANDED:
        wide = map(int, _without(len(scalars.index), columns))
        most = _NARROW if n >= _FEWEST_FACTORED else _NARROW_OF_FEW
        narrow = [k for k in wide if reach(scalars.values[:, k], float(scalars.rates[k])) <= most]
        columns += [np.array([column]) for column in narrow]
        found += each(lambda column: band_sums(scalars, column), narrow)
    for some, sums in zip(columns, found, strict=True):
        yield scalars.index[some], sums, _FLAT
    if n >= _FEWEST_FACTORED:
        known = [labels.index, *(scalars.index[some] for some in columns)]
        rest = [int(k) for k in _without(similarities.count, known)]
        for k, factored in zip(rest, each(lambda k: _of_factor(similarities.operator(k)), rest), strict=True):
            if factored is not None:
                yield np.array([k]), factored, _FLAT_FACTOR


def _without(count: int, some: list[Indices]) -> Indices:
    return np.setdiff1d(np.arange(count), np.concatenate([*some, np.empty(0, dtype=np.intp)]))


def _of_labels(labels: Labels) -> Expanded:
    """M is 1 among the rows of a label: all is known from how many these are."""
    others = np.array([np.bincount(codes)[codes] - 1.0 for codes in labels.codes.T])
    cubes, triangles = others.sum(axis=1), np.sum(others * (others - 1), axis=1)
    return expand(np.ones(others.shape[1]), others, others, cubes, triangles, others**2)


def _of_factor(square: Gram) -> Expanded | None:
    """From a low-rank factor of M, and the sum of its cubes tile by tile; None where there is no low rank."""
    found, residual = factor(square, _RESIDUAL, int(_WIDEST * square.n))
    if residual > 10 * _RESIDUAL:
        return None
    cubes = 0.0
    for rows, columns, block in square.tiles():
        cubes += float(np.vdot(block * block, block)) * (1 if rows == columns else 2)
    known = tall_factor(found, cubes).known
    image = known.times(known.rows)
    totals = np.array([known.cubes]), np.array([known.triangles])
    return expand(np.ones(square.n), known.rows[None], known.squares[None], *totals, image[None])
