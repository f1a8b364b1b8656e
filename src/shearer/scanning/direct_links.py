"""Which of the reported pairs of a scan are direct: they still show given the columns that either is linked with."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer.data.table import Table
from shearer.report.wording import count
from shearer.scanning.store import Store
from shearer.tools.networks.indirect import separated_links
from shearer.tools.networks.pair_tests import GivenOthers

#: Links that are looked at, the strongest; rows, tests and columns given together at most: some seconds in all.
MOST_LINKS, MOST_ROWS, MOST_TESTS, MOST_GIVEN = 60, 1000, 600, 2
#: That a link does not show is tried again on so many rows, where there are more; such a test counts as so many.
MORE_ROWS, TESTS_A_REPEAT = 5000, 4
#: A link goes where a p-value given others is above this.
LEVEL = 0.05


class _Search:
    """Tests given others, as many as there may be, and the links of which some could not be done.

    Parameters
    ----------
    few, more : GivenOthers
        Of a sample of the rows, and of a larger one, None where there are no more.
    fixed : set of (int, int)
        Variables each value of which has one value of another.
    """

    def __init__(self, few: GivenOthers, more: GivenOthers | None, fixed: set[tuple[int, int]]) -> None:
        self._few, self._more, self._fixed = few, more, fixed
        self.count = 0
        self.unclear: set[tuple[int, int]] = set()

    @property
    def spent(self) -> bool:
        return self.count >= MOST_TESTS

    def __call__(self, i: int, j: int, *others: int) -> float:
        """The p-value of a link given others; 0, which takes no link away, where it cannot be had or says nothing."""
        if any((other, end) in self._fixed for other in others for end in (i, j)):
            return 0.0  # nothing of that end is left
        found = math.nan if self.spent else self._asked(self._few, i, j, *others)
        if found > LEVEL and self._more is not None:
            self.count += TESTS_A_REPEAT - 1
            found = self._asked(self._more, i, j, *others)
        if math.isnan(found):
            self.unclear.add((i, j))
            return 0.0
        return found

    def _asked(self, tests: GivenOthers, *places: int) -> float:
        self.count += 1
        refused = tests.refused.total()
        found = tests(*places)
        return math.nan if tests.refused.total() > refused else found


def describe_direct(document: dict[str, Any], table: Table, seed: int, store: Store, progress: bool | None) -> None:
    """Mark the strongest reported pairs of a document as direct or not, and say how that was found.

    Parameters
    ----------
    document : dict
        Of a scan, the strongest pairs first.
    table : Table
        Its variables.
    seed : int
        Of the sample of rows.
    store : Store
        Where results are kept.
    progress : bool, optional
        As in `shearer.scan`.
    """
    reported = [pair for pair in document["pairs"] if pair["reported"]]
    chosen = reported[:MOST_LINKS]
    place = {name: k for k, name in enumerate(table.names)}
    ends = np.array([[place[name] for name in pair["variables"]] for pair in chosen], dtype=np.intp).reshape(-1, 2)
    linked = np.zeros((len(place), len(place)), dtype=bool)
    linked[ends[:, 0], ends[:, 1]] = linked[ends[:, 1], ends[:, 0]] = True

    def make() -> dict[str, NDArray[Any]]:
        samples = [table.sample(most, seed) for most in (MOST_ROWS, MORE_ROWS)]
        few, more = (GivenOthers(sample, None, 1, seed, None) for sample in samples)
        search = _Search(few, more if table.rows > MOST_ROWS else None, _fixed_by(chosen, place))
        gone = separated_links(linked, search, LEVEL, MOST_GIVEN, progress)
        unclear = np.zeros_like(gone)
        for i, j in search.unclear:
            unclear[i, j] = unclear[j, i] = True
        return {"gone": gone, "unclear": unclear & ~gone, "spent": np.array(search.spent)}

    found = store.get("direct", make)
    for pair in document["pairs"]:
        pair["direct"] = None
    for pair, (i, j) in zip(chosen, ends, strict=True):
        pair["direct"] = None if found["unclear"][i, j] else not bool(found["gone"][i, j])
    if chosen:
        direct, spent = [pair["direct"] for pair in chosen], bool(found["spent"])
        document["notes"].append(_note(direct, len(reported), table.rows, spent))


def _fixed_by(pairs: list[dict[str, Any]], place: dict[str, int]) -> set[tuple[int, int]]:
    """Variables of which each value has one value of another: what determines, what is determined."""
    found = set()
    for pair in pairs:
        first, second = (place[name] for name in pair["variables"])
        found |= {(first, second)} if pair["determines"] in ("first", "both") else set()
        found |= {(second, first)} if pair["determines"] in ("second", "both") else set()
    return found


def _note(direct: list[bool | None], reported: int, rows: int, spent: bool) -> str:
    links, still, unclear = len(direct), direct.count(True), direct.count(None)
    which = f"the {count(links, 'link')}" if links == reported else f"the {links} strongest of {reported:,} links"
    text = (
        f"Direct links: {still} of {which} still show at a level of {LEVEL:g} given any one or two of the columns "
        f"linked with either end, {direct.count(False)} do not."
    )
    if unclear:
        ended, few = f"the search ended after {MOST_TESTS:,} tests", "too few rows have all values, or none is left"
        why = ended if spent else few
        text += f" Of {count(unclear, 'link')} it cannot be said ({why})."
    if rows > MOST_ROWS:
        more = f"all {rows:,}" if rows <= MORE_ROWS else f"{MORE_ROWS:,} of {rows:,}"
        text += f" The tests are of a random sample of {MOST_ROWS:,} rows; that a link does not show, of {more}."
    return text + " A common cause that is not in the table looks like a direct link."
