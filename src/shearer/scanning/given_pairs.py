"""The pairs of a scan given columns that are known: tests by `independence_test(given=)`, strengths of what is left."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._progress import track
from shearer._validate import describe, listing, type_error, value_error
from shearer.conditioning.pair import PairsGiven
from shearer.conditioning.residual import Residual
from shearer.data.arrays import to_numpy
from shearer.data.columns import Column, Columns
from shearer.data.table import Table
from shearer.data.variables import Block, Variable
from shearer.kernels import Gaussian
from shearer.pairs.limits import FEWEST_ROWS
from shearer.scanning.screened_pairs import PairFindings, screened_pairs, wanted_pairs
from shearer.scanning.store import Part, Store
from shearer.scanning.top import PAIR_FIELDS

Floats = NDArray[np.float64]
FUNCTION_OF_GIVEN = "a function of what is given"
# Pairs of rows of which one has the same value in both, from which on what is left tells the conditions in detail, and
# the width at which only its mean counts, in units of its spread.
_MANY_TIES, _WIDE = 1 / 40, 10.0


def check_given(given: Any) -> list[str] | None:
    """Names of columns, or None."""
    if given is None:
        return None
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise type_error("given", "the name of a column, or a list of names", describe(given))
    if not names:
        raise value_error("given", "at least one column", "none", "Without conditions leave given out.")
    return list(dict.fromkeys(names))


def check_alone(name: str, asked: Any, others: Mapping[str, Any]) -> None:
    """Raise where an option is asked for beside others that it does not go with."""
    found = [other for other, value in others.items() if value is not None]
    if asked is not None and found:
        raise value_error(name, f"no {found[0]} beside it", "both")


def check_places(given: Sequence[str], names: Sequence[str], targets: Sequence[str], columns: Any) -> None:
    """Raise unless columns that are given take part in the scan, and others are left to be tested."""
    for name in given:
        if name in targets:
            raise value_error("given", "columns that are no targets", describe(name))
        if name not in names:
            reason = next(column["notes"][0] for column in columns if column["name"] == name)
            raise value_error("given", "columns that vary", f"{describe(name)}, {reason}", "Leave it out.")
    if len(names) - len(given) < 2:
        raise value_error("given", "at least two other columns", f"{len(names) - len(given)}")


@dataclass(frozen=True, eq=False)
class Known:
    """Pairs given others.

    Attributes
    ----------
    table : Table
        What the conditions leave of each variable that is not a function of them, as numbers.
    pairs : PairFindings
        p-values given the conditions, and the strength of what is left.
    warned : array of bool
        Pairs whose small p-value may be due to the conditions.
    explained : dict
        Name of a variable -> share that the conditions explain.
    determined : list of str
        Variables that are functions of the conditions.
    labels : array of bool
        Which variables of the table are not numbers.
    notes : list of str
        What was done, and what to beware of.
    """

    table: Table
    pairs: PairFindings
    warned: NDArray[np.bool_]
    explained: dict[str, float]
    determined: list[str]
    labels: NDArray[np.bool_]
    notes: list[str]

    def without_signs(self, values: Floats, position: int) -> Floats:
        """What was measured of a pair, without what is not so of the columns themselves, or of labels."""
        labels = self.labels[self.pairs.members[position]].any()
        out = ("determines", "pearson", "spearman", "sign") if labels else ("determines",)
        return np.where(np.isin(PAIR_FIELDS, out), np.nan, values)

    def describe(self, document: dict[str, Any]) -> None:
        """Put into a document what scans without conditions do not have."""
        names = self.table.names
        warned = {
            frozenset(names[k] for k in pair)
            for pair, found in zip(self.pairs.members, self.warned, strict=True)
            if found
        }
        for pair in document["pairs"]:
            pair["warned"] = frozenset(pair["variables"]) in warned
        for column in document["columns"]:
            if column["name"] in self.explained:
                column["explained"] = round(self.explained[column["name"]], 4)
            if column["name"] in self.determined:
                column["notes"].append(FUNCTION_OF_GIVEN)
        doubtful = sum(pair["warned"] and pair["reported"] for pair in document["pairs"])
        if doubtful:
            document["notes"].append(
                f"Of {doubtful} of the reported pairs what the regressions leave still depends on the conditions: "
                "their p-values may be theirs (warned)."
            )


def pairs_given(table: Table, given: Sequence[str], memory: int, store: Store, progress: bool | None) -> Known:
    """Every pair of the other columns given some, whose rows must have a value in all of these."""
    places = [table.names.index(name) for name in given]
    known = np.logical_and.reduce([table.presence.masks[table.presence.pattern[k]] for k in places])
    notes = [_what_is_done(given)]
    if not known.all():
        notes.append(f"{int((~known).sum()):,} rows were left out: they lack a value of what is given.")
        table = table.take(known)
    conditions = [table.variables[k] for k in places]
    free = [k for k in range(len(table.variables)) if k not in places]
    others = replace(table.choose(free), targets=table.targets)
    groups = _groups(others, conditions)
    residuals = [_own(others, groups, k) for k in range(len(free))]
    explained = {
        name: own.explained for name, own in zip(others.names, residuals, strict=True) if math.isfinite(own.explained)
    }
    left = [k for k, own in enumerate(residuals) if not own.is_determined]
    determined = [others.names[k] for k in range(len(free)) if k not in left]
    targets = tuple(others.names[k] for k in left if others.names[k] in table.targets)
    if len(left) < 2 or (table.targets and not 0 < len(targets) < len(left)):
        got = f"{listing(determined)}: {FUNCTION_OF_GIVEN}"
        raise value_error("given", "columns that leave something of at least two others", got)
    if determined:
        notes.append(f"Not tested: {listing(determined)}; {FUNCTION_OF_GIVEN}.")
    rest = _left(others, [residuals[k] for k in left], left, targets)
    members = wanted_pairs(rest)

    def make() -> Part:
        found = np.full((len(members), 2), np.nan)
        for place, (i, j) in enumerate(track(members, len(members), "pairs given others", progress)):
            first, second = left[int(i)], left[int(j)]
            pattern = tuple(sorted(others.presence.pattern[[first, second]].tolist()))
            tests, where = groups[pattern]
            if tests is not None:
                answer = tests.answer(where[first], where[second])
                found[place] = answer.pvalue, bool(answer.warning)
        return {"found": found}

    pvalue, warned = store.get("given", make)["found"].T
    untested = int(np.isnan(pvalue).sum())
    if untested:
        notes.append(f"{untested} of {len(members)} pairs were not tested (p = 1): too few rows for what is given.")
    coarse = {others.names[k] for k in left if _is_coarse(others.variables[k])}
    kernels = {
        name: Gaussian(_WIDE * math.sqrt(variable.columns))
        for name, variable in zip(rest.names, rest.variables, strict=True)
        if name in coarse
    }
    pairs = screened_pairs(rest, kernels, None, memory, store, progress)
    pairs = replace(pairs, pvalue=np.nan_to_num(pvalue, nan=1.0))
    labels = np.array([others.variables[k].kind != "continuous" for k in left])
    return Known(rest, pairs, np.nan_to_num(warned).astype(bool), explained, determined, labels, notes)


def _what_is_done(given: Sequence[str]) -> str:
    names = listing(list(given))
    return (
        f"Every pair is tested given {names}: both columns are regressed on what is given, and strengths, intervals, "
        "signs and pictures are those of what is left. Triples are not tested given others. Conditions that are "
        "effects of both columns make dependence."
    )


#: Tests of the variables of two patterns of gaps, on the rows that both have, and where each variable stands.
_Groups = dict[tuple[int, ...], tuple[PairsGiven | None, dict[int, int]]]


def _groups(others: Table, conditions: Sequence[Variable]) -> _Groups:
    found: _Groups = {}
    pattern = others.presence.pattern
    for pair in combinations_with_replacement(range(len(others.presence.masks)), 2):
        members = np.flatnonzero(np.isin(pattern, pair)).tolist()
        rows = np.logical_and.reduce(others.presence.masks[list(pair)])
        where = {place: k for k, place in enumerate(members)}
        tests = None
        if rows.sum() >= FEWEST_ROWS:
            items = [others.variables[k].take(rows[others.presence.masks[pattern[k]]]) for k in members]
            tests = PairsGiven(items, [condition.take(rows) for condition in conditions])
        found[pair] = tests, where
    return found


def _own(others: Table, groups: _Groups, place: int) -> Residual:
    """What the conditions leave of a variable on the rows that it has."""
    own = int(others.presence.pattern[place])
    tests, where = groups[own, own]
    if tests is not None and not tests.refusal:
        return tests.residual(where[place])
    reason = tests.refusal if tests is not None else "fewer than 6 rows have a value"
    raise value_error("given", f"conditions that {describe(others.names[place])} can be tested by", reason)


def _left(others: Table, residuals: Sequence[Residual], left: Sequence[int], targets: tuple[str, ...]) -> Table:
    """The table of what is left."""
    variables = []
    for k, own in zip(left, residuals, strict=True):
        linear = own.features[:, : own.linear]
        if _is_coarse(others.variables[k]):
            linear = _of_equal_spread(linear)
        variables.append(Variable(others.names[k], (Block("continuous", linear),)))
    chosen = others.choose(left)
    return replace(chosen, variables=tuple(variables), targets=targets)


def _is_coarse(variable: Variable) -> bool:
    """Whether a variable takes few values: what is left of it is near one of few functions of the conditions.

    Close up, what is left of two such variables is alike because both functions are of the same conditions. Its mean
    given the conditions is 0 all the same.
    """
    if variable.kind != "continuous" or variable.columns > 1:
        return variable.kind != "continuous"
    counts = np.unique(to_numpy(variable.blocks[0].values), return_counts=True)[1]
    return bool(np.sum((counts / variable.rows) ** 2) > _MANY_TIES)


def _of_equal_spread(columns: Floats) -> Floats:
    """Combinations of columns of variance 1 that are uncorrelated: as of labels none counts more than the others."""
    left, sizes, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    kept: Floats = left[:, sizes > 1e-9 * sizes[0]] * math.sqrt(len(columns))
    return kept


def sources_left(table: Table) -> Columns:
    """What is left as columns that pictures are drawn from."""
    found: Columns = {}
    presence = table.presence
    for place, variable in enumerate(table.variables):
        mask = presence.masks[presence.pattern[place]]
        values = np.zeros((len(mask), variable.blocks[0].values.shape[1]))
        values[mask] = variable.blocks[0].values
        found[variable.name] = [
            Column(variable.name if k == 0 else f"{variable.name} {k + 1}", "continuous", values[:, k : k + 1], ~mask)
            for k in range(values.shape[1])
        ]
    return found
