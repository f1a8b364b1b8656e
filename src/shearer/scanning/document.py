"""What a scan found, as plain data: lists and dictionaries that any language reads (docs: scan, the document)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._cached import cached_property
from shearer.data.table import Table
from shearer.inference.intervals.confidence import note_on
from shearer.inference.pvalue import adjusted_pvalues
from shearer.inference.threeway.interaction import kind_of
from shearer.report.relations import FLOOR
from shearer.scanning.details import PairDetails
from shearer.scanning.screened_pairs import PairFindings
from shearer.scanning.screened_quadruples import Quadruples
from shearer.scanning.screened_triples import Choice, TripleTests
from shearer.scanning.shapes.shape_words import SHAPES
from shearer.scanning.top import PAIR_FIELDS, TRIPLE_FIELDS

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

VERSION = 2
STRENGTH_ENDS = ("strength_low", "strength_high")
_NO_INTERVAL = (math.nan, math.nan)
#: What determines what: neither, the first the second, the second the first, each the other.
WAYS = (None, "first", "second", "both")
_SIDES = (None, "first", "second")
# Ending of the name of a measure -> what it is kept as.
_MUTUAL = {"": "mutual_information", "_low": "low", "_high": "high"}


@dataclass(frozen=True, eq=False)
class Findings:
    """p-values of pairs and triples, and what follows from them.

    Attributes
    ----------
    pairs : PairFindings
        All pairs.
    fdr : float
        Rate up to which they are reported.
    triples : array (m, 3)
        The triples that were tested.
    triple_tests : TripleTests
        What is known of them.
    triple_rows : array (m,)
        Rows that the three have.
    possible : int
        How many triples there are.
    quadruples : Quadruples, optional
        What is known of sets of four, where they were asked for.
    """

    pairs: PairFindings
    fdr: float
    triples: Indices = field(default_factory=lambda: np.empty((0, 3), dtype=np.intp))
    triple_tests: TripleTests = field(default_factory=TripleTests.empty)
    triple_rows: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    possible: int = 0
    quadruples: Quadruples | None = None

    def with_triples(self, table: Table, choice: Choice, tests: TripleTests) -> "Findings":
        """The same with triples."""
        return replace(
            self,
            triples=choice.triples,
            triple_tests=tests,
            triple_rows=_common_rows(table, choice.triples),
            possible=choice.possible,
        )

    @cached_property
    def _qvalues(self) -> list[Floats]:
        """Of pairs, triples and quadruples: one rate for all that is reported, the same part of it for each list.

        Quadruples that were screened and not tested count with p = 1. The shorter list has the larger weights, by which
        q could fall below p; nothing is reported at a rate below p.
        """
        lists = [self.pairs.pvalue, np.nan_to_num(self.triple_tests.pvalue, nan=1.0)]
        if self.quadruples is not None:
            untested = np.ones(self.quadruples.screened - len(self.quadruples.members))
            lists.append(np.concatenate([np.nan_to_num(self.quadruples.pvalue, nan=1.0), untested]))
        weights = [np.full(len(pvalues), 1.0 / max(len(pvalues), 1)) for pvalues in lists]
        pvalues = np.concatenate(lists)
        together = np.maximum(adjusted_pvalues(pvalues, weights=np.concatenate(weights)), pvalues)
        return np.split(together, np.cumsum([len(own) for own in lists[:-1]]))

    @property
    def pair_qvalue(self) -> Floats:
        """False discovery rate at which each pair would be reported."""
        return self._qvalues[0]

    @property
    def triple_qvalue(self) -> Floats:
        """The same for the three-way terms of triples; those that were not tested for one count with p = 1."""
        return self._qvalues[1]

    @property
    def quadruple_qvalue(self) -> Floats:
        """The same for the terms of quadruples."""
        return self._qvalues[2][: 0 if self.quadruples is None else len(self.quadruples.members)]

    @cached_property
    def pair_order(self) -> Indices:
        """Pairs: those reported before the others, the strongest first; among equals the most significant."""
        strength = np.nan_to_num(self.pairs.strength, nan=-1.0)
        return np.lexsort((self.pairs.pvalue, -strength, self.pair_qvalue > self.fdr))

    @cached_property
    def triple_order(self) -> Indices:
        """Triples, the reported ones first, then by the three-way term and, without one, by the splits."""
        tests = self.triple_tests
        return np.lexsort((tests.split_pvalue, np.nan_to_num(tests.pvalue, nan=2.0), ~self.is_reported))

    @cached_property
    def is_reported(self) -> NDArray[np.bool_]:
        """Triples within the false discovery rate that add more to their pairs than the floor."""
        tests = self.triple_tests
        enough = np.nan_to_num(tests.added - tests.added_error, nan=-np.inf) >= FLOOR
        return (self.triple_qvalue <= self.fdr) & enough

    @property
    def reported_pairs(self) -> list[int]:
        """Positions of the pairs within the false discovery rate, the strongest first."""
        return [int(position) for position in self.pair_order if self.pair_qvalue[position] <= self.fdr]

    @property
    def reported_triples(self) -> list[int]:
        """The triples that are reported, the most significant first."""
        return [int(position) for position in self.triple_order if self.is_reported[position]]


def describe_findings(
    names: Sequence[str],
    findings: Findings,
    measured: Mapping[tuple[str, int], Floats],
    excess: Mapping[int, Floats],
    intervals: Mapping[int, tuple[float, float]],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """The document, without the columns and notes.

    Parameters
    ----------
    names : sequence of str
        The variables.
    findings : Findings
        All tests.
    measured : mapping
        ("pair" or "triple", position) -> what `measure_pair` or `measure_triple` gave.
    excess : mapping
        Position of a triple -> its O-information less its bias, and the error of that.
    intervals : mapping
        Position of a pair -> ends of the interval of its strength.
    settings : mapping
        What was asked for.
    """
    pairs, q, strength = findings.pairs, findings.pair_qvalue, findings.pairs.strength
    listed = []
    for position in findings.pair_order:
        record = {
            "variables": [names[member] for member in pairs.members[position]],
            "strength": number(strength[position]),
            **dict(zip(STRENGTH_ENDS, map(number, intervals.get(int(position), _NO_INTERVAL)), strict=True)),
            "pvalue": number(pairs.pvalue[position]),
            "qvalue": number(q[position]),
            "n": int(pairs.rows[position]),
            "reported": bool(q[position] <= findings.fdr),
            **_details(measured.get(("pair", int(position))), settings["alpha"]),
        }
        if pairs.lag is not None:
            record["lag"] = int(pairs.lag[position])
        listed.append(record)
    triples = [
        _describe_triple(names, findings, place, measured.get(("triple", place)), excess.get(place), settings)
        for place in map(int, findings.triple_order)
    ]
    triples.sort(key=lambda triple: (not triple["reported"], triple["kind"] != "synergistic"))
    fours = _describe_quadruples(names, findings)
    tested = {
        "pairs_tested": len(listed),
        "triples_tested": len(triples),
        "triples_passed": int(np.isfinite(findings.triple_tests.pvalue).sum()),
        "triples_possible": findings.possible,
    }
    if findings.quadruples is not None:
        tested |= {
            "quadruples_screened": findings.quadruples.screened,
            "quadruples_passed": len(findings.quadruples.members),
            "quadruples_possible": findings.quadruples.possible,
        }
    return {"version": VERSION, "settings": {**settings, **tested}, "pairs": listed, "triples": triples, **fours}


def _describe_quadruples(names: Sequence[str], findings: Findings) -> dict[str, Any]:
    """The quadruples that passed the screen, the reported ones first; nothing where none were asked for."""
    found = findings.quadruples
    if found is None:
        return {}
    qvalues = findings.quadruple_qvalue
    enough = np.nan_to_num(found.added - found.added_error, nan=-np.inf) >= FLOOR
    reported = (qvalues <= findings.fdr) & enough
    listed = []
    for place in np.lexsort((found.screen_pvalue, np.nan_to_num(found.pvalue, nan=2.0), ~reported)):
        tested = bool(np.isfinite(found.pvalue[place]))
        listed.append(
            {
                "variables": [names[member] for member in found.members[place]],
                "added": number(found.added[place]),
                "added_error": number(found.added_error[place]),
                "pvalue": number(found.pvalue[place]),
                "qvalue": number(qvalues[place]) if tested else None,
                "screen_pvalue": number(found.screen_pvalue[place]),
                "n": int(found.rows[place]),
                "reported": bool(reported[place]),
            }
        )
    return {"quadruples": listed}


def _describe_triple(
    names: Sequence[str],
    findings: Findings,
    position: int,
    values: Floats | None,
    excess: Floats | None,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    tests = findings.triple_tests
    record: dict[str, Any] = {
        "variables": [names[member] for member in findings.triples[position]],
        "kind": None if excess is None else kind_of(*map(float, excess)),
        "added": number(tests.added[position]),
        "added_error": number(tests.added_error[position]),
        "value": number(tests.total_correlation[position]),
        "o_information": number(tests.o_information[position]),
        "excess": None if excess is None else number(excess[0]),
        "excess_error": None if excess is None else number(excess[1]),
        "pvalue": number(tests.pvalue[position]),
        "qvalue": None if np.isnan(tests.pvalue[position]) else number(findings.triple_qvalue[position]),
        "split_pvalue": number(tests.split_pvalue[position]),
        "n": int(findings.triple_rows[position]),
        "reported": bool(findings.is_reported[position]),
        "measured": None,
    }
    if values is not None:
        found = dict(zip(TRIPLE_FIELDS, map(number, values), strict=True))
        record["measured"] = {"alpha": settings["alpha"], **_with_interval(found)}
    return record


def _details(values: Floats | None, alpha: float) -> dict[str, Any]:
    """What stands beside the strength of a pair; measures with their order in their names."""
    if values is None:
        return {"sign": None, "determines": None, "shape": None, "shape_along": None, "details": None}
    found = dict(zip(PAIR_FIELDS, map(number, values), strict=True))
    sign, ways, shape, along = (found.pop(key) for key in ("sign", "determines", "shape", "along"))
    details: dict[str, Any] = {key: found.pop(key) for key in PairDetails._fields if key in found}
    order = f"_order{alpha:g}"
    rarest = found.pop("rarest")
    details |= {f"mutual_information{order}{end}": found.pop(key) for end, key in _MUTUAL.items()}
    details["interval_note"] = _note(rarest)
    details |= {f"{key}{order}": value for key, value in found.items()}
    return {
        "sign": {1.0: "+", -1.0: "-"}.get(sign or 0.0),
        "determines": WAYS[int(ways or 0)],
        "shape": (None, *SHAPES)[int(shape or 0)],
        "shape_along": _SIDES[int(along or 0)],
        "details": details,
    }


def _with_interval(found: dict[str, Any]) -> dict[str, Any]:
    low, high = found.pop("low"), found.pop("high")
    note = _note(found.pop("rarest"))
    return {**found, "interval": None if low is None else [low, high], "interval_note": note}


def _note(rarest: float | None) -> str | None:
    """What is to be said against an interval."""
    return None if rarest is None else note_on(rarest) or None


def number(value: Any) -> float | None:
    """A number that JSON can hold: none for what is not finite."""
    plain = float(value)
    return plain if math.isfinite(plain) else None


def _common_rows(table: Table, triples: Indices) -> Indices:
    """Rows that three variables have in common; triples of the same patterns are counted once."""
    patterns = table.presence.pattern[triples]
    kinds, which = np.unique(np.sort(patterns, axis=1), axis=0, return_inverse=True)
    counts = np.array([np.logical_and.reduce(table.presence.masks[kind]).sum() for kind in kinds], dtype=np.intp)
    return counts[which.reshape(-1)] if len(triples) else np.empty(0, dtype=np.intp)
