"""Which triples a scan tests, and their p-values, part by part."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shearer._memory import format_bytes
from shearer._progress import track
from shearer._threads import map_threads
from shearer.data.table import Table
from shearer.inference.pvalue import adjusted_pvalues
from shearer.inference.threeway.axes import Axis, axes_of
from shearer.inference.threeway.interaction import least_of_splits
from shearer.inference.threeway.term import three_way, three_way_of_axes
from shearer.kernels import Kernel, kernels_among
from shearer.pairs.limits import FEWEST_ROWS
from shearer.pairs.null_law.rare import CERTAIN, coarse, level_codes, off_mode_of
from shearer.pairs.sides import Ladders
from shearer.pairs.splits import SplitTests, join_splits, pairs_of
from shearer.scanning.store import Part, Store
from shearer.screening.all_triples import compare_triples
from shearer.screening.masked_triples import masked_triples

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Beyond, only triples of the columns with the strongest pairs are tested; 50 columns have so many.
MOST_TRIPLES = 20_000
# Multiplications and additions that all splits may take: half a minute or so on two cores.
MOST_WORK = 1.5e12
# Rows that are always looked at; beyond, a sample where all rows would take more work.
FEWEST_SAMPLED_ROWS = 5000
# Rows of which T* and O-information at alpha = 2 are shown, and fewer where every triple has rows of its own.
VALUE_ROWS, GAP_VALUE_ROWS = 1500, 500
#: Triples that are tested for a three-way term at most, and rows of them; each takes some hundredths of a second.
MOST_THREE_WAY, THREE_WAY_ROWS = 2000, 5000
_TRIPLES_A_PART = 50
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
    rows : int
        Rows that they are tested on, at most.
    note : str
        Why not all of them, or on which rows; empty if there is nothing to say.
    """

    triples: Indices
    possible: int
    rows: int
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
    count, rows = len(table.variables), table.rows
    free, targeted = table.free, len(table.targets)
    strength = np.where(np.eye(count, dtype=bool), 1.0, np.minimum(pvalue, pvalue.T)).min(axis=1)
    ranked = np.argsort(strength[:free], kind="stable")
    missing = 1.0 - float(table.presence.masks.mean(axis=1).min())
    while rows > FEWEST_SAMPLED_ROWS and not _affordable(free, targeted, rows, memory, missing):
        rows = max(FEWEST_SAMPLED_ROWS, rows // 2)
    size = free
    while size > 2 and not _affordable(size, targeted, rows, memory, missing):
        size -= 1
    chosen = np.sort(ranked[:size])
    targets = list(range(free, count))
    triples = _all_triples(chosen, targets)
    possible = _count(free, targeted)
    notes = []
    if size < free:
        notes.append(
            f"{len(triples):,} of {possible:,} triples were tested, those of the {size} columns with the strongest "
            f"pairs: a triple of which no part is strong can be among the others."
        )
    if rows < table.rows:
        notes.append(f"Triples were tested on a random sample of {rows:,} of {table.rows:,} rows.")
    needed = SplitTests.memory(3, rows)
    if needed > memory:
        notes = [f"No triples were tested: they need {format_bytes(needed)} of memory."]
        triples = np.empty((0, 3), dtype=np.intp)
    return Choice(triples, possible, rows, " ".join(notes))


def _affordable(size: int, targets: int, rows: int, memory: int, missing: float) -> bool:
    triples, pairs = _count(size, targets), math.comb(size + targets, 2)
    work = SplitTests.work(rows, pairs, 3 * triples, missing)
    return triples <= MOST_TRIPLES and work <= MOST_WORK and SplitTests.memory(size + targets, rows) <= memory


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
    """What is known of every triple that was tested; nan where it is not.

    p-values of the splits, and of a three-way term where the splits passed; bits that the triple adds to its pairs, and
    their error; T* and O-information in bits at alpha = 2.
    """

    split_pvalue: Floats
    pvalue: Floats
    added: Floats
    added_error: Floats
    total_correlation: Floats
    o_information: Floats

    @classmethod
    def empty(cls) -> "TripleTests":
        """Of no triples."""
        return cls(*(np.empty(0) for _ in cls._fields))


def test_triples(
    table: Table,
    choice: Choice,
    kernel: Kernel | Mapping[str, Kernel] | None,
    fdr: float,
    seed: int,
    store: Store,
    progress: bool | None,
) -> TripleTests:
    """Every triple on the rows that its three variables have; the product of a pair serves all its triples.

    The three-way test is for those whose splits pass the false discovery rate, the most significant first.
    """
    if not len(choice.triples):
        return TripleTests.empty()
    members, place = np.unique(choice.triples, return_inverse=True)
    triples = place.reshape(-1, 3)
    sampled = table.choose(members).sample(choice.rows, seed)
    enough = sampled.presence.masks.sum(axis=1)[sampled.presence.pattern] >= FEWEST_ROWS
    if not enough.all():  # of a column that is nearly empty hardly a row may be in the sample
        kept = replace(choice, triples=choice.triples[np.isin(choice.triples, members[enough]).all(axis=1)])
        return _among(test_triples(table, kept, kernel, fdr, seed, store, progress), kept.triples, choice.triples)
    own = kernels_among(kernel, sampled.names)
    splits = _pvalues(SplitTests(Ladders.of(sampled, own)), triples, store, progress)
    raise_pvalues(splits, triples, sampled)
    values = store.get("triples-values", lambda: _values(sampled, triples, own, seed))
    found = np.full((3, len(triples)), np.nan)
    passed = np.flatnonzero(adjusted_pvalues(splits) <= fdr)
    chosen = passed[np.argsort(splits[passed], kind="stable")][:MOST_THREE_WAY]
    found[:, chosen] = _three_way(sampled.sample(THREE_WAY_ROWS, seed), triples[chosen], seed, store, progress)
    return TripleTests(splits, found[0], found[1], found[2], values["total_correlation"], values["o_information"])


def _among(found: TripleTests, some: Indices, triples: Indices) -> TripleTests:
    """What is known of some triples, among all: nothing of the others, whose p-value is 1."""
    place = {tuple(triple): position for position, triple in enumerate(triples.tolist())}
    where = [place[tuple(triple)] for triple in some.tolist()]
    every = TripleTests(*(np.full(len(triples), np.nan) for _ in TripleTests._fields))
    every.split_pvalue[:] = 1.0
    for whole, part in zip(every, found, strict=True):
        whole[where] = part
    return every


def _pvalues(tests: SplitTests, triples: Indices, store: Store, progress: bool | None) -> Floats:
    pairs, place = pairs_of(triples)
    heights = tests.heights(np.unique(triples))
    starts = range(0, len(pairs), _PAIRS_A_PART)
    tails = np.empty((len(pairs), int(triples.max()) + 1, heights))
    work = [(height, start) for height in range(heights) for start in starts]
    for height, start in track(work, len(work), "triples", progress):
        some = pairs[start : start + _PAIRS_A_PART]

        def make(height: int = height, some: Indices = some) -> Part:
            return {"tails": np.array([found.tails for found in tests.of_pairs(some, height)])}

        found = store.get(f"triples-{height}-{start // _PAIRS_A_PART:05d}", make)["tails"]
        tails[start : start + len(some), :, height] = found
    return join_splits(tails, triples, place)


def _three_way(table: Table, triples: Indices, seed: int, store: Store, progress: bool | None) -> Floats:
    """p-values of three-way terms, what they add, and the error of that: three rows, a column for each triple."""
    starts = range(0, len(triples), _TRIPLES_A_PART)
    # Without missing values a variable is the same axis in all its triples, unless vectors draw rows.
    plain = all(variable.kind != "object" and variable.columns == 1 for variable in table.variables)
    testable = table.presence.complete and plain
    axes = axes_of(table.variables) if testable and len(triples) and table.rows >= FEWEST_ROWS else None
    parts = []
    for start in track(starts, len(starts), "three-way terms", progress):

        def make(some: Indices = triples[start : start + _TRIPLES_A_PART]) -> Part:
            found = map_threads(lambda triple: _term(table, axes, triple, seed), some)
            return {"found": np.array(found).T}

        parts.append(store.get(f"threeway-{start // _TRIPLES_A_PART:05d}", make)["found"])
    return np.concatenate([np.empty((3, 0)), *parts], axis=1)


def three_way_note(tests: TripleTests, fdr: float, rows: int) -> str:
    """Which triples were not tested for a three-way term, or on which rows; empty if there is nothing to say."""
    passed = int((adjusted_pvalues(tests.split_pvalue) <= fdr).sum()) if len(tests.split_pvalue) else 0
    notes = []
    if passed > MOST_THREE_WAY:
        notes.append(
            f"Of {passed:,} triples that passed the screen {MOST_THREE_WAY:,} were tested for a three-way term."
        )
    if passed and rows > THREE_WAY_ROWS:
        notes.append(f"Three-way terms were tested on a random sample of {THREE_WAY_ROWS:,} of {rows:,} rows.")
    return " ".join(notes)


def _term(table: Table, axes: list[Axis] | None, triple: Indices, seed: int) -> tuple[float, float, float]:
    if axes is not None:
        shared = three_way_of_axes([axes[k] for k in triple], seed)
        return shared.pvalue, shared.added, shared.error
    common = table.common(triple)
    if common.rows < FEWEST_ROWS or any(variable.kind == "object" for variable in common.variables):
        return np.nan, np.nan, np.nan
    found = three_way(common.variables, seed)
    return found.pvalue, found.added, found.error


def _values(table: Table, triples: Indices, kernel: Any, seed: int) -> Part:
    """T* and O-information of triples at alpha = 2, on a sample of rows; nan where their variables have too few."""
    names = ("total_correlation", "o_information")
    if not table.presence.complete:
        return dict(masked_triples(table.sample(GAP_VALUE_ROWS, seed), kernel, triples, names, FEWEST_ROWS))
    some = compare_triples(table.sample(VALUE_ROWS, seed), kernel, progress=False)
    base = len(table.variables) ** np.arange(2, -1, -1)
    position = np.searchsorted(some.index @ base, triples @ base)
    return {name: getattr(some, name)[position] for name in names}


def raise_pvalues(pvalues: Floats, triples: Indices, table: Table) -> None:
    """Raise p-values of triples, in place, as `interaction_test` does: to what variables of few values allow."""
    off = np.sort(np.array([off_mode_of(variable) for variable in table.variables])[triples], axis=1)
    # Two together are off their most frequent values at least as often as the one that is so more often.
    possible = coarse(off[:, 0], off[:, 2], table.rows) & (pvalues < CERTAIN)
    for place in np.flatnonzero(possible):
        common = table.common(triples[place])
        pvalues[place] = max(pvalues[place], *least_of_splits([level_codes(item) for item in common.variables]))
