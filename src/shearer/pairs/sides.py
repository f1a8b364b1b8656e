"""One side of a rectangle of pairs: some variables at one rung each, their features and what pairs need of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shearer.kernels import Gram, Kernel
from shearer.pairs import limits
from shearer.pairs.features import Features, fit
from shearer.pairs.moments import Form
from shearer.pairs.rungs import ladder, sample_rows
from shearer.pairs.sums import Marginal, RowSums, Totals
from shearer.screening.table import Table

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]


class Ladders:
    """The rungs of all variables of a table, and their features; found when first asked for.

    Parameters
    ----------
    table : Table
        The variables.
    general : Kernel or None
        The kernel that the user stated for all.
    named : mapping
        Kernels of single variables.
    residual : float
        Share of the mass of a similarity that features may leave out.
    """

    def __init__(self, table: Table, general: Kernel | None, named: Mapping[str, Kernel], residual: float) -> None:
        self.table = table
        self._general, self._named = general, named
        self._residual = residual
        self._grams: dict[int, list[Gram]] = {}
        self._samples: dict[int, Indices] = {}
        self._features: dict[tuple[int, int], Features] = {}

    def grams(self, variable: int) -> list[Gram]:
        """The squared kernel of a variable at each of its rungs, on the rows that it has."""
        if variable not in self._grams:
            item = self.table.variables[variable]
            self._grams[variable] = ladder(item, self._general, self._named.get(item.name))
        return self._grams[variable]

    def features(self, variable: int, height: int) -> Features:
        """Its features at one height; a variable with fewer rungs has its last at every further height."""
        grams = self.grams(variable)
        place = variable, min(height, len(grams) - 1)
        if place not in self._features:
            self._features[place] = fit(grams[place[1]], self._sample(variable), self._residual)
        return self._features[place]

    def _sample(self, variable: int) -> Indices:
        if variable not in self._samples:
            blocks = self.table.variables[variable].blocks
            values = np.asarray(blocks[0].values).reshape(len(blocks[0].values), -1)
            self._samples[variable] = sample_rows(values)
        return self._samples[variable]


@dataclass(frozen=True, eq=False)
class Rows:
    """What pairs need of one variable on the rows of one pattern of missing values: its marginal, and two row vectors.

    Attributes
    ----------
    center : array (r,)
        Mean of the features.
    marginal : Marginal
        Sums.
    diagonal, slope : array (n,)
        The diagonal of N and the additive part g; 0 at rows that do not count.
    """

    center: Floats
    marginal: Marginal
    diagonal: Floats
    slope: Floats


@dataclass(eq=False)
class Side:
    """Some variables at one height.

    Attributes
    ----------
    ladders : Ladders
        Of the whole table.
    variables : array
        Which of them.
    height : int
        The rung.
    room : int
        Bytes of features that may be kept.
    """

    ladders: Ladders
    variables: Indices
    height: int
    room: int
    _rows: dict[tuple[int, int], Rows] = field(default_factory=dict)
    _stacks: dict[int, Floats] = field(default_factory=dict)

    @cached_property
    def features(self) -> list[Features]:
        """Of each variable."""
        return [self.ladders.features(int(k), self.height) for k in self.variables]

    @cached_property
    def starts(self) -> Indices:
        """Where the features of each variable begin among those of all, and where the last end."""
        return np.concatenate([[0], np.cumsum([own.rank for own in self.features])]).astype(np.intp)

    @property
    def table(self) -> Table:
        """The whole table."""
        return self.ladders.table

    @property
    def several(self) -> Masks:
        """Which variables have a rung of their own at this height."""
        return np.array([self.height < len(self.ladders.grams(int(k))) for k in self.variables])

    @property
    def patterns(self) -> Indices:
        """The pattern of missing values of each variable."""
        return self.table.presence.pattern[self.variables]

    def chunks(self) -> Iterator[slice]:
        """Runs of rows."""
        n = self.table.observations
        yield from (slice(start, min(start + limits.CHUNK_ROWS, n)) for start in range(0, n, limits.CHUNK_ROWS))

    def stack(self, chunk: slice) -> Floats:
        """Features of all variables side by side at a run of rows, 0 at missing values; kept while there is room."""
        if chunk.start in self._stacks:
            return self._stacks[chunk.start]
        stack = np.zeros((chunk.stop - chunk.start, int(self.starts[-1])))
        for place, (k, own) in enumerate(zip(self.variables, self.features, strict=True)):
            part = slice(int(self.starts[place]), int(self.starts[place + 1]))
            mask = self.table.presence.masks[self.table.presence.pattern[k]]
            here = mask[chunk]
            first = int(np.count_nonzero(mask[: chunk.start]))
            found = own.of(slice(first, first + int(np.count_nonzero(here))))
            if here.all():
                stack[:, part] = found
            else:
                stack[here, part] = found
        if stack.nbytes * -(-self.table.observations // len(stack)) <= self.room:
            self._stacks[chunk.start] = stack
        return stack

    def rows(self, place: int, pattern: int) -> Rows:
        """What pairs need of the variable at a place on the rows that it has in common with a pattern; found once."""
        masks, own = self.table.presence.masks, int(self.patterns[place])
        both = masks[own] & masks[pattern]
        if int(both.sum()) == int(masks[own].sum()):
            pattern = own  # the other lacks no row that this one has
        if (place, pattern) not in self._rows:
            self._rows[place, pattern] = self._measured(place, both)
        return self._rows[place, pattern]

    def _measured(self, place: int, mask: Masks) -> Rows:
        """Two passes over the rows."""
        part, features = slice(int(self.starts[place]), int(self.starts[place + 1])), self.features[place]
        n, rank = int(mask.sum()), features.rank
        sums, products = np.zeros(rank), np.zeros((rank, rank))
        for chunk in self.chunks():
            here = self._present(chunk, part, mask)
            sums += here.sum(axis=0)
            products += here.T @ here
        totals = Totals.of(n, sums, products, features.offset)
        found = RowSums(totals)
        diagonal, slope = np.zeros(len(mask)), np.zeros(len(mask))
        probes, weight = self._probes(part, mask, totals.center)
        for chunk in self.chunks():
            terms = totals.terms(self._present(chunk, part, mask))
            found.add(terms, probes, weight)
            diagonal[chunk][mask[chunk]] = terms.diagonal
            slope[chunk][mask[chunk]] = terms.slope
        return Rows(totals.center, found.marginal(), diagonal, slope)

    def _present(self, chunk: slice, part: slice, mask: Masks) -> Floats:
        stack, here = self.stack(chunk)[:, part], mask[chunk]
        return stack if here.all() else stack[here]

    def _probes(self, part: slice, mask: Masks, center: Floats) -> tuple[Floats, float]:
        """Centered features of the rows that stand for all in the sum of cubes, and for how many each stands."""
        rows = np.flatnonzero(mask)
        most = max(limits.FEWEST_PROBES, limits.CUBE_ENTRIES // len(rows))
        chosen = rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).round().astype(np.intp)]
        found = np.empty((len(chosen), part.stop - part.start))
        for chunk in self.chunks():
            inside = (chosen >= chunk.start) & (chosen < chunk.stop)
            if inside.any():
                found[inside] = self.stack(chunk)[chosen[inside] - chunk.start, part]
        return found - center, len(rows) / len(chosen)


def gathered(rows: list[list[Rows]], form: str) -> Form:
    """A form of variables on patterns, as arrays of shape (variables, patterns, ...)."""
    forms = [[getattr(one.marginal, form) for one in some] for some in rows]
    return Form(*(np.array([[getattr(one, name) for one in some] for some in forms]) for name in vars(forms[0][0])))
