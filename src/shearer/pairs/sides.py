"""One side of a rectangle of pairs: some variables at one rung each, their features and what pairs need of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer._threads import map_threads
from shearer.data.table import Presence, Table
from shearer.kernels import Gaussian, Kernel, chosen_kernels
from shearer.pairs import limits
from shearer.pairs.features import Features, fit
from shearer.pairs.patterns import FeatureRows, Rows, on_patterns
from shearer.pairs.rungs import Ladder, spaced_rows
from shearer.pairs.sums import RowSums, Totals, probes_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Masks = NDArray[np.bool_]


class Ladders:
    """The rungs of several variables and their features, which are found when first asked for.

    Parameters
    ----------
    ladders : sequence of Ladder
        Of each variable, on the rows that it has.
    presence : Presence
        Which rows these are.
    exact : bool
        Features that leave out nothing but round-off, where there is such a low rank; those of few rows always do.
    """

    def __init__(self, ladders: Sequence[Ladder], presence: Presence, exact: bool = False) -> None:
        self._ladders = ladders
        self.presence = presence
        self._residual = limits.EXACT_RESIDUAL if exact else limits.residual_of(self.rows)
        #: Rows up to which nothing in the third moment is left to a sample.
        self.probes = limits.EXACT_PROBES if exact else limits.ALL_PROBES
        self._sample_rows = limits.EXACT_SAMPLE_ROWS if exact else limits.SAMPLE_ROWS
        self._features: dict[tuple[int, int], Features] = {}
        #: Largest share of the mass of a similarity that features were seen to leave out.
        self.residual = 0.0

    @classmethod
    def of(
        cls,
        table: Table,
        kernel: Kernel | Mapping[str, Kernel] | None = None,
        *,
        single: bool = False,
        exact: bool = False,
    ) -> "Ladders":
        """Those of a table; with `single` at the one width of the default kernel only."""
        general, named = chosen_kernels(kernel, table.names)
        if single and general is None:
            general = Gaussian()
        return cls([Ladder.of(item, general, named.get(item.name)) for item in table.variables], table.presence, exact)

    @property
    def count(self) -> int:
        """How many variables."""
        return len(self._ladders)

    @property
    def rows(self) -> int:
        """How many rows, those with missing values included."""
        return int(self.presence.masks.shape[1])

    def heights(self, variable: int) -> int:
        """How many rungs a variable has."""
        return len(self._ladders[variable].rungs)

    def features(self, variable: int, height: int) -> Features:
        """Its features at one height; a variable with fewer rungs has its last at every further height."""
        own = self._ladders[variable]
        place = variable, min(height, len(own.rungs) - 1)
        if place not in self._features:
            self._features[place] = fit(own.rungs[place[1]], own.sample(self._sample_rows), self._residual)
        return self._features[place]


@dataclass(eq=False)
class Prepared:
    """What pairs need of the variables of a side, by place and pattern, and the patterns that it was found for."""

    rows: dict[tuple[int, int], Rows] = field(default_factory=dict)
    patterns: list[int] = field(default_factory=list)


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
    third : bool
        Whether the third moment is asked for.
    prepared : Prepared
        What was found of the same variables at the same height before.
    """

    ladders: Ladders
    variables: Indices
    height: int
    room: int
    third: bool = True
    prepared: Prepared = field(default_factory=Prepared)
    _stacks: dict[int, Floats] = field(default_factory=dict)
    _known: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)

    @cached_property
    def features(self) -> list[Features]:
        """Of each variable."""
        return map_threads(lambda k: self.ladders.features(int(k), self.height), self.variables)

    @cached_property
    def starts(self) -> Indices:
        """Where the features of each variable begin among those of all, and where the last end."""
        return np.concatenate([[0], np.cumsum([own.rank for own in self.features])]).astype(np.intp)

    @property
    def several(self) -> Masks:
        """Which variables have a rung of their own at this height."""
        return np.array([self.height < self.ladders.heights(int(k)) for k in self.variables])

    @property
    def patterns(self) -> Indices:
        """The pattern of missing values of each variable."""
        return self.ladders.presence.pattern[self.variables]

    def chunks(self) -> Iterator[slice]:
        """Runs of rows."""
        n = self.ladders.rows
        yield from (slice(start, min(start + limits.CHUNK_ROWS, n)) for start in range(0, n, limits.CHUNK_ROWS))

    def stack(self, chunk: slice) -> Floats:
        """Features of all variables side by side at a run of rows, 0 at missing values; kept while there is room."""
        if chunk.start in self._stacks:
            return self._stacks[chunk.start]
        stack = np.empty((chunk.stop - chunk.start, int(self.starts[-1])))

        def fill(place: int) -> None:
            stack[:, self._own(place)] = self._block(place, chunk)

        map_threads(fill, range(len(self.features)))
        if self._are_kept:
            self._stacks[chunk.start] = stack
        return stack

    @property
    def _are_kept(self) -> bool:
        """Whether there is room for the features of all rows."""
        return 8 * self.ladders.rows * int(self.starts[-1]) <= self.room

    def _own(self, place: int) -> slice:
        """Where the features of a variable stand among those of all."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def _block(self, place: int, chunk: slice) -> Floats:
        """Features of one variable at a run of rows, 0 at missing values."""
        if chunk.start in self._stacks:
            return self._stacks[chunk.start][:, self._own(place)]
        mask = self.ladders.presence.masks[self.patterns[place]]
        here = mask[chunk]
        first = int(np.count_nonzero(mask[: chunk.start]))
        found = self.features[place].of(slice(first, first + int(np.count_nonzero(here))))
        if here.all():
            return found
        whole = np.zeros((len(here), found.shape[1]))
        whole[here] = found
        return whole

    def prepare(self, patterns: Indices) -> None:
        """Find what pairs need of all variables on the rows that they have in common with some patterns.

        Those of few patterns are found once; of many, those that are asked for together. Which are found together
        decides the last bits: it must not depend on what was asked for before.
        """
        if self._are_kept:
            for chunk in self.chunks():
                self.stack(chunk)
        every = self.ladders.presence.masks.shape[0]
        wanted = range(every) if every <= limits.FEW_PATTERNS else sorted({int(pattern) for pattern in patterns})
        if self.prepared.patterns == list(wanted):
            return
        found = map_threads(lambda place: self._on(place, list(wanted)), range(len(self.variables)))
        self.prepared = Prepared({key: rows for some in found for key, rows in some.items()}, list(wanted))
        residuals = [rows.marginal.residual for rows in self.prepared.rows.values()]
        self.ladders.residual = float(np.nanmax([self.ladders.residual, *residuals]))

    def rows(self, place: int, pattern: int) -> Rows:
        """What pairs need of the variable at a place on the rows that it has in common with a pattern."""
        if pattern not in self.prepared.patterns:
            self.prepare(np.array([pattern]))
        return self.prepared.rows[place, self._shared(place, pattern)]

    def _shared(self, place: int, pattern: int) -> int:
        """The variable's own pattern where another lacks no row that it has, else that other one."""
        presence, own = self.ladders.presence, int(self.patterns[place])
        return own if presence.common[own, pattern] == presence.common[own, own] else pattern

    def _on(self, place: int, patterns: list[int]) -> dict[tuple[int, int], Rows]:
        """What pairs need of the variable at a place, by pattern."""
        presence = self.ladders.presence
        own = presence.masks[self.patterns[place]]
        if presence.complete:
            return {(place, patterns[0]): self._measured(place)}
        different = sorted({self._shared(place, pattern) for pattern in patterns})
        position = np.cumsum(own) - 1
        features = FeatureRows(
            lambda: ((chunk, self._block(place, chunk)) for chunk in self.chunks()),
            lambda rows: self.features[place].of(position[rows]),
            own,
            self.features[place].offset,
        )
        found = on_patterns(features, own & presence.masks[different], most=self.ladders.probes, third=self.third)
        return {(place, pattern): rows for pattern, rows in zip(different, found, strict=True)}

    def centered(self, place: int) -> Floats:
        """Features of the variable at a place at all rows, less their mean; without missing values."""
        return np.concatenate([self._block(place, chunk) for chunk in self.chunks()]) - self.rows(place, 0).center

    def _measured(self, place: int) -> Rows:
        """Two passes over the rows; without missing values."""
        features, n = self.features[place], self.ladders.rows
        totals = Totals.of(n, *(self._known.pop(place, None) or self._first_pass(place)), features.offset)
        found = RowSums(totals)
        diagonal, slope = np.empty(n), np.empty(n)
        for chunk in self.chunks():
            terms = totals.terms(self._block(place, chunk))
            found.add(terms)
            diagonal[chunk], slope[chunk] = terms.diagonal, terms.slope
        probes, stands_for = self._probes(place, diagonal)
        return Rows(totals.center, found.marginal(probes - totals.center, stands_for), diagonal, slope)

    def _first_pass(self, place: int) -> tuple[Floats, Floats]:
        """Sums over rows of features, and of their products."""
        rank = self.features[place].rank
        sums, products = np.zeros(rank), np.zeros((rank, rank))
        for chunk in self.chunks():
            here = self._block(place, chunk)
            sums += here.sum(axis=0)
            products += here.T @ here
        return sums, products

    def settle(self, sums: Floats, products: list[Floats]) -> None:
        """Take the sums of the first pass from those of all variables side by side; without missing values."""
        if not self.prepared.rows:
            self._known |= {place: (sums[self._own(place)], own) for place, own in enumerate(products)}

    def _probes(self, place: int, diagonal: Floats) -> tuple[Floats, Floats]:
        """Features of rows that stand for all in some sums of the third moment, and how many each stands for."""
        if not self.third:
            return np.empty((0, self.features[place].rank)), np.empty(0)
        n, features = self.ladders.rows, self.features[place]
        spaced = spaced_rows(n)
        if len(spaced) < n:
            away = features.of(spaced)
            away -= away.mean(axis=0)
            diagonal = np.vecdot(away, away)
        chosen, stands_for = probes_of(diagonal, self.ladders.probes)
        return features.of(spaced[chosen]), stands_for * (n / len(spaced))
