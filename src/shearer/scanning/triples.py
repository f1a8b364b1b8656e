"""Which triples a scan tests, and their p-values, part by part."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._blocks import Variables
from shearer._memory import format_bytes
from shearer._progress import track
from shearer.kernels import Kernel, kernels_among
from shearer.scanning.columns import FEWEST_ROWS
from shearer.scanning.store import Part, Store
from shearer.scanning.top import common_variables, sampled_variables
from shearer.screening.all_triples import compare_triples
from shearer.screening.interactions import HEIGHTS, Interactions, Level, join_splits, pairs_of, raise_pvalues
from shearer.screening.table import Table, table_without_gaps

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Beyond, only triples of the columns with the strongest pairs are tested; 50 columns have so many.
MOST_TRIPLES = 20_000
# Multiplications for the third moments of all products: some minutes on one core.
MOST_WORK = 1.5e13
# Rows beyond which triples are tested on a sample.
MOST_ROWS = 1500
# Pairs whose products are one part of the work.
_PAIRS_A_PART = 32


@dataclass(frozen=True, eq=False)
class Choice:
    """The triples to test.

    Attributes
    ----------
    triples : array (m, 3)
        Positions in the table, ascending; a target is always one of the three.
    possible : int
        How many there are in all.
    note : str
        Why not all of them, or on which rows; empty if there is nothing to say.
    """

    triples: Indices
    possible: int
    note: str


def choose_triples(table: Table, pvalue: Floats, memory: int) -> Choice:
    """All triples, or those of the columns with the strongest pairs.

    Parameters
    ----------
    table : Table
        The variables.
    pvalue : array (p, p)
        p-values of all pairs; 1 where none was computed.
    memory : int
        Bytes that may be allocated.
    """
    count, rows = len(table.variables), min(table.observations, MOST_ROWS)
    free = count - table.targets
    strength = np.where(np.eye(count, dtype=bool), 1.0, np.minimum(pvalue, pvalue.T)).min(axis=1)
    ranked = np.argsort(strength[:free], kind="stable")
    size = free
    while size > 2 and not _affordable(size, table.targets, rows, memory):
        size -= 1
    chosen = np.sort(ranked[:size])
    targets = list(range(free, count))
    triples = _all_triples(chosen, targets)
    possible = _count(free, table.targets)
    notes = []
    if size < free:
        notes.append(
            f"{len(triples):,} of {possible:,} triples were tested, those of the {size} columns with the strongest "
            f"pairs: a triple of which no part is strong can be among the others."
        )
    if table.observations > MOST_ROWS:
        notes.append(f"Triples were tested on a random sample of {MOST_ROWS:,} of {table.observations:,} rows.")
    needed = Interactions.memory(3, rows)
    if needed > memory:
        notes = [f"No triples were tested: they need {format_bytes(needed)} of memory."]
        triples = np.empty((0, 3), dtype=np.intp)
    return Choice(triples, possible, " ".join(notes))


def _affordable(size: int, targets: int, rows: int, memory: int) -> bool:
    work = HEIGHTS * math.comb(size + targets, 2) * float(rows) ** 3
    few = _count(size, targets) <= MOST_TRIPLES
    return few and work <= MOST_WORK and Interactions.memory(size + targets, rows) <= memory


def _count(free: int, targets: int) -> int:
    """Triples of so many variables, or of two of them with each target."""
    return math.comb(free, 2) * targets if targets else math.comb(free, 3)


def _all_triples(chosen: Indices, targets: list[int]) -> Indices:
    if targets:
        found = [(*pair, target) for pair in combinations(chosen.tolist(), 2) for target in targets]
    else:
        found = list(combinations(chosen.tolist(), 3))
    return np.array(found, dtype=np.intp).reshape(-1, 3)


class TripleTests(NamedTuple):
    """What is known of every triple that was tested: p-value, and T* and O-information in bits at alpha = 2."""

    pvalue: Floats
    total_correlation: Floats
    o_information: Floats


def test_triples(
    table: Table,
    triples: Indices,
    kernel: Kernel | Mapping[str, Kernel] | None,
    seed: int,
    store: Store,
    progress: bool | None,
) -> TripleTests:
    """Every triple on the rows that its three variables have; triples with the same rows go together."""
    found = TripleTests(*(np.full(len(triples), fill) for fill in (1.0, np.nan, np.nan)))
    patterns = np.sort(table.presence.pattern[triples], axis=1)
    groups = np.unique(patterns, axis=0, return_inverse=True)[1].reshape(-1)
    count = groups.max(initial=-1) + 1
    jobs = [_Job(number, table, np.flatnonzero(groups == number), triples) for number in range(count)]
    total = sum(job.parts for job in jobs)
    bar = iter(track(range(total), total, "triples", progress))
    for job in jobs:
        for known, part in zip(found, job.run(kernel, seed, store, bar), strict=True):
            known[job.which] = part
    for _ in bar:  # lets the bar end
        pass
    return found


class _Job:
    """The triples whose variables have one set of rows in common."""

    def __init__(self, number: int, table: Table, which: Indices, triples: Indices) -> None:
        self.number = number
        self.which = which
        self._table = table
        self._members, place = np.unique(triples[which], return_inverse=True)
        self._triples = place.reshape(-1, 3)
        self._pairs, self._place = pairs_of(self._triples)
        self._starts = range(0, len(self._pairs), _PAIRS_A_PART)
        self.parts = HEIGHTS * len(self._starts)

    def run(self, kernel: Kernel | Mapping[str, Kernel] | None, seed: int, store: Store, bar: Any) -> TripleTests:
        variables = common_variables(self._table, tuple(self._members.tolist()))
        if variables.rows < FEWEST_ROWS:
            for _ in range(self.parts):
                next(bar)
            unknown = np.full(len(self.which), np.nan)
            return TripleTests(np.ones(len(self.which)), unknown, unknown)
        variables = sampled_variables(variables, MOST_ROWS, seed)
        own = kernels_among(kernel, variables.names)
        values = store.get(f"triples-{self.number:04d}-values", lambda: self._values(variables, own))
        pvalue = self._pvalues(Interactions(variables, own), store, bar)
        raise_pvalues(pvalue, self._triples, variables.items)
        return TripleTests(pvalue, values["total_correlation"], values["o_information"])

    def _values(self, variables: Variables, kernel: Any) -> Part:
        """T* and O-information of the triples, from those of all triples of their variables."""
        found = compare_triples(table_without_gaps(variables.items, variables.rows), kernel, progress=False)
        base = len(self._members) ** np.arange(2, -1, -1)
        place = np.searchsorted(found.index @ base, np.sort(self._triples, axis=1) @ base)
        return {"total_correlation": found.total_correlation[place], "o_information": found.o_information[place]}

    def _pvalues(self, tests: Interactions, store: Store, bar: Any) -> Floats:
        tails = np.empty((len(self._pairs), len(self._members), HEIGHTS))
        for height in range(HEIGHTS):
            level: list[Level] = []
            for part, start in enumerate(self._starts):
                next(bar)
                some = self._pairs[start : start + _PAIRS_A_PART]

                def make(height: int = height, some: Indices = some, level: list[Level] = level) -> Part:
                    if not level:  # only where some part of this height is still missing
                        level.append(tests.level(height))
                    return {"tails": tests.tails(level[0], height, some)}

                name = f"triples-{self.number:04d}-{height}-{part:05d}"
                tails[start : start + len(some), :, height] = store.get(name, make)["tails"]
        return join_splits(tails, self._triples, self._place)
