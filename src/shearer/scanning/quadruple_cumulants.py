"""How far every four columns are from falling into independent parts: joint cumulants of bounded functions.

With centered functions f, g, h, k of four columns, E[fghk] - E[fg]E[hk] - E[fh]E[gk] - E[fk]E[gh] is 0 where the four
fall into independent parts. The mean of a product of four is one of two products of two: all quadruples whose second
column is b are one matrix product of the pairs that end in b and the pairs beyond it.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shearer.data.table import Table
from shearer.inference.threeway.axes import axis_of
from shearer.inference.threeway.set_term import rank_functions

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Classes of numbers in the screen: their functions are of ranks, and hardly differ for more.
_CLASSES = 16
# Which function each of the four has: at most one the second.
CHOICES = ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
# Entries of products that are held at a time.
_HELD = 2**22


class SetFunctions:
    """Two functions of every column, with mean 0 and variance 1 over the rows that it has, and 0 on the others.

    Parameters
    ----------
    table : Table
        The columns; those that hold neither numbers nor labels have no functions.

    Attributes
    ----------
    values : array (2, rows, columns)
        Of single precision. The second is 0 of columns with two values.
    counted : array (2, columns)
        Which of them are functions.
    present : array (rows, columns) or None
        1 where a column has a value; None where all have.
    """

    def __init__(self, table: Table) -> None:
        masks, columns = table.presence.masks, len(table.variables)
        self.values = np.zeros((2, table.rows, columns), dtype=np.float32)
        self.counted = np.zeros((2, columns), dtype=bool)
        for place, variable in enumerate(table.variables):
            own = masks[table.presence.pattern[place]]
            if variable.kind == "object" or own.sum() < 2:
                continue
            axis = axis_of(table.common([place]).variables[0], _CLASSES)
            functions = rank_functions(axis) if len(axis.basis) > 1 else np.empty((1, 0))
            for height in range(functions.shape[1]):
                self.values[height, own, place] = functions[axis.codes, height]
                self.counted[height, place] = True
        complete = table.presence.complete
        self.present = None if complete else masks[table.presence.pattern].T.astype(np.float32)
        self._covariances: dict[tuple[int, int], Floats] = {}

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.values.shape[1]

    def covariance(self, first: int, second: int) -> Floats:
        """Means of the products of one function of one column and one of another, over the rows that both have."""
        if (first, second) not in self._covariances:
            both = self.values[first].T @ self.values[second]
            counts = self.rows if self.present is None else np.maximum(self.present.T @ self.present, 1.0)
            self._covariances[first, second] = np.asarray(both / counts, dtype=np.float64)
        return self._covariances[first, second]

    def screened(self, members: Indices, means: Floats, counts: Floats | float) -> Floats:
        """p-values of quadruples from the means of their five products, shape (choices, quadruples).

        Under independence of parts each cumulant times sqrt(rows) is close to normal with variance 1.
        """
        a, b, c, d = members.T
        total, degrees = np.zeros(len(members)), np.zeros(len(members))
        for choice, mean in zip(CHOICES, means, strict=True):
            f, g, h, k = choice
            pairs = self.covariance(f, g)[a, b] * self.covariance(h, k)[c, d]
            pairs += self.covariance(f, h)[a, c] * self.covariance(g, k)[b, d]
            pairs += self.covariance(f, k)[a, d] * self.covariance(g, h)[b, c]
            total += counts * (mean - pairs) ** 2
            degrees += self.counted[choice, members].all(axis=1)
        with np.errstate(invalid="ignore"):
            found: Floats = np.where(degrees > 0, special.chdtrc(np.maximum(degrees, 1), total), 1.0)
        return found


def all_quadruples(functions: SetFunctions, columns: Indices) -> Iterator[tuple[Indices, Floats]]:
    """Every four of some columns, in pieces: the members, ascending, and the p-values of their cumulants.

    Examples
    --------
    >>> from shearer.data import read
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(300, 6))
    >>> x[:, 5] = np.abs(x[:, 5]) * np.sign(x[:, 0] * x[:, 2] * x[:, 3])
    >>> pieces = list(all_quadruples(SetFunctions(read(x)), np.arange(6)))
    >>> members, pvalues = (np.concatenate(parts) for parts in zip(*pieces))
    >>> len(members), members[pvalues.argmin()].tolist(), bool(pvalues.min() < 1e-12)
    (15, [0, 2, 3, 5], True)
    """
    for place in range(1, len(columns) - 2):
        b, before, beyond = columns[place], columns[:place], columns[place + 1 :]
        pairs = np.array(list(combinations(beyond.tolist(), 2)), dtype=np.intp)
        step = max(1, _HELD // (functions.rows + len(before)))
        for start in range(0, len(pairs), step):
            some = pairs[start : start + step]
            members = np.empty((len(before), len(some), 4), dtype=np.intp)
            members[..., 0], members[..., 1], members[..., 2:] = before[:, None], b, some
            yield _piece(functions, members.reshape(-1, 4), before, int(b), some)


def _piece(
    functions: SetFunctions, members: Indices, before: Indices, b: int, pairs: Indices
) -> tuple[Indices, Floats]:
    c, d = pairs.T
    values, means = functions.values, []
    for f, g, h, k in CHOICES:
        left = values[f][:, before] * values[g][:, [b]]
        means.append((left.T @ (values[h][:, c] * values[k][:, d])).ravel())
    counts: Floats | float = float(functions.rows)
    if functions.present is not None:
        there = functions.present
        both = (there[:, before] * there[:, [b]]).T @ (there[:, c] * there[:, d])
        counts = np.maximum(both.ravel(), 1.0).astype(np.float64)
    return members, functions.screened(members, np.array(means, dtype=np.float64) / counts, counts)


def extended_triples(functions: SetFunctions, columns: Indices, beam: int) -> Indices:
    """The triples of some columns with the largest third cumulants, each with every other column of the table."""
    best, found = np.empty(0), np.empty((0, 3), dtype=np.intp)
    first = functions.values[0]
    for place in range(1, len(columns) - 1):
        b, before, beyond = columns[place], columns[:place], columns[place + 1 :]
        third = (first[:, before] * first[:, [b]]).T @ first[:, beyond]
        size = np.abs(third).ravel()
        one, other = np.divmod(np.arange(third.size), len(beyond))
        own = np.stack([before[one], np.full(third.size, b), beyond[other]], axis=1)
        best, found = np.concatenate([best, size]), np.concatenate([found, own])
        kept = np.argsort(-best, kind="stable")[:beam]
        best, found = best[kept], found[kept]
    count = first.shape[1]
    more = [(*triple, other) for triple in found.tolist() for other in range(count) if other not in triple]
    return np.unique(np.sort(np.array(more, dtype=np.intp).reshape(-1, 4), axis=1), axis=0)


def some_quadruples(functions: SetFunctions, members: Indices) -> Floats:
    """p-values of the cumulants of given quadruples."""
    found = []
    step = max(1, _HELD // functions.rows)
    for start in range(0, len(members), step):
        some = members[start : start + step]
        parts = [functions.values[list(choice), :, some] for choice in CHOICES]  # (quadruples, 4, rows) each
        means = np.array([part.prod(axis=1).sum(axis=1) for part in parts], dtype=np.float64)
        counts: Floats | float = float(functions.rows)
        if functions.present is not None:
            there = functions.present[:, some].prod(axis=2).sum(axis=0)
            counts = np.maximum(there, 1.0).astype(np.float64)
        found.append(functions.screened(some, means / counts, counts))
    return np.concatenate([np.empty(0), *found])
