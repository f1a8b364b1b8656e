"""Which quadruples a scan tests for a term of all four, and what the tests say."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._threads import map_threads
from shearer.data.table import Table
from shearer.inference.pvalue import adjusted_pvalues
from shearer.inference.threeway.set_term import set_term
from shearer.pairs.limits import FEWEST_ROWS
from shearer.scanning.quadruple_cumulants import SetFunctions, all_quadruples, extended_triples, some_quadruples
from shearer.scanning.store import Part, Store

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Quadruples up to which all are screened: those of 60 columns.
MOST_QUADRUPLES = 487_635
#: Beyond, the triples that are grown, and the columns with the strongest pairs that these are chosen from.
BEAM, BEAM_COLUMNS = 400, 200
#: Quadruples that are tested at most, and rows that all of it is done on; each takes some tenths of a second.
MOST_TESTED, MOST_ROWS = 200, 5000
_TESTED_A_PART = 25


@dataclass(frozen=True, eq=False)
class Quadruples:
    """The quadruples that passed the screen, the most significant first, and what is known of them.

    Attributes
    ----------
    members : array (m, 4)
        Positions in the table, ascending.
    screen_pvalue : array (m,)
        That the four fall into independent parts.
    pvalue, added, added_error : array (m,)
        Of a term of all four; nan where it was not tested.
    rows : array (m,)
        Rows that the four have.
    screened, possible : int
        How many were screened, and how many there are.
    note : str
        Why not all of them; empty if there is nothing to say.
    """

    members: Indices
    screen_pvalue: Floats
    pvalue: Floats
    added: Floats
    added_error: Floats
    rows: Indices
    screened: int
    possible: int
    note: str

    @classmethod
    def empty(cls) -> "Quadruples":
        """None at all."""
        none, whole = np.empty(0), np.empty(0, dtype=np.intp)
        return cls(np.empty((0, 4), dtype=np.intp), none, none, none, none, whole, 0, 0, "")


def search_quadruples(
    table: Table, pvalue: Floats, fdr: float, seed: int, store: Store, progress: bool | None
) -> Quadruples:
    """Screen all quadruples, or those of a beam, and test the ones that pass the false discovery rate.

    Parameters
    ----------
    table : Table
        The variables; with targets only quadruples with one of them count.
    pvalue : array (p, p)
        p-values of all pairs; 1 where none was computed.
    fdr : float
        Rate that the screen must pass.
    seed : int
        Of samples of rows.
    store : Store
        Where finished parts are kept.
    progress : bool, optional
        As in `scan`.
    """
    sampled = table.sample(MOST_ROWS, seed)
    count = len(table.variables)
    wanted = np.arange(count) >= table.free if table.targets else np.ones(count, dtype=bool)
    possible = math.comb(count, 4) - (math.comb(table.free, 4) if table.targets else 0)
    screen = store.get("quadruples-screen", lambda: _screen(sampled, pvalue, wanted))
    members, pvalues = screen["members"], screen["pvalue"]
    passed = np.flatnonzero(adjusted_pvalues(pvalues) <= fdr) if len(pvalues) else np.empty(0, dtype=np.intp)
    order = passed[np.argsort(pvalues[passed], kind="stable")]
    term, added, error = np.full((3, len(order)), np.nan)
    few = slice(0, MOST_TESTED)
    term[few], added[few], error[few] = _terms(sampled, members[order[:MOST_TESTED]], seed, store, progress)
    masks = table.presence.masks[table.presence.pattern]
    rows = np.array([np.logical_and.reduce(masks[four]).sum() for four in members[order]], dtype=np.intp)
    notes = []
    if len(members) < possible:
        notes.append(
            f"{len(members):,} of {possible:,} quadruples were screened: those of the columns with the strongest "
            f"pairs, and those that grow from the {BEAM} clearest triples. A quadruple of which no part shows "
            "anything, as a parity, can be among the others; all are screened of up to 60 columns."
        )
    if len(order) > MOST_TESTED:
        notes.append(
            f"Of {len(order):,} quadruples that passed the screen the {MOST_TESTED} most significant were tested."
        )
    if sampled.rows < table.rows:
        notes.append(f"Quadruples were tested on a random sample of {sampled.rows:,} of {table.rows:,} rows.")
    return Quadruples(members[order], pvalues[order], term, added, error, rows, len(members), possible, " ".join(notes))


def _screen(table: Table, pvalue: Floats, wanted: NDArray[np.bool_]) -> Part:
    functions = SetFunctions(table)
    count = len(table.variables)
    strongest = np.where(np.eye(count, dtype=bool), 1.0, np.minimum(pvalue, pvalue.T)).min(axis=1)
    ranked = np.argsort(strongest, kind="stable")
    size = count
    while math.comb(size, 4) > MOST_QUADRUPLES:
        size -= 1
    pieces: list[tuple[Any, Any]] = [(np.empty((0, 4), dtype=np.intp), np.empty(0))]
    if count >= 4:
        chosen = np.sort(ranked[:size])
        for members, found in all_quadruples(functions, chosen):
            own = wanted[members].any(axis=1)
            pieces.append((members[own], found[own]))
    members, pvalues = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    if size < count:
        more = extended_triples(functions, np.sort(ranked[:BEAM_COLUMNS]), BEAM)
        more = more[wanted[more].any(axis=1) & ~np.isin(more, chosen).all(axis=1)]
        members = np.concatenate([members, more])
        pvalues = np.concatenate([pvalues, some_quadruples(functions, more)])
    return {"members": members, "pvalue": pvalues}


def _terms(table: Table, members: Indices, seed: int, store: Store, progress: bool | None) -> Floats:
    """p-values of terms of all four, what they add, and the error of that: a column for each quadruple."""
    starts, parts = range(0, len(members), _TESTED_A_PART), [np.empty((3, 0))]
    for start in track(starts, len(starts), "terms of four", progress):

        def make(some: Indices = members[start : start + _TESTED_A_PART]) -> Part:
            return {"found": np.array(map_threads(lambda four: _term(table, four, seed), some)).T}

        parts.append(store.get(f"quadruples-{start // _TESTED_A_PART:05d}", make)["found"])
    return np.concatenate(parts, axis=1)


def _term(table: Table, four: Indices, seed: int) -> tuple[float, float, float]:
    common = table.common(four)
    if common.rows < FEWEST_ROWS:
        return np.nan, np.nan, np.nan
    found = set_term(common.variables, seed)
    return found.pvalue, found.added, found.error
