"""Which of the reported pairs of a scan are direct: they still show given the columns that either is linked with."""

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
#: A link goes where a p-value given others is above this.
LEVEL = 0.05


class _Counted:
    """Tests given others, as many as there may be; then every link stays."""

    def __init__(self, tests: GivenOthers) -> None:
        self._tests = tests
        self.count = 0

    @property
    def spent(self) -> bool:
        return self.count >= MOST_TESTS

    def __call__(self, i: int, j: int, *others: int) -> float:
        if self.spent:
            return 0.0
        self.count += 1
        return self._tests(i, j, *others)


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
        tests = _Counted(GivenOthers(table.sample(MOST_ROWS, seed), None, 1, seed, None))
        gone = separated_links(linked, tests, LEVEL, MOST_GIVEN, progress)
        return {"gone": gone, "spent": np.array(tests.spent)}

    found = store.get("direct", make)
    for pair in document["pairs"]:
        pair["direct"] = None
    for pair, (i, j) in zip(chosen, ends, strict=True):
        pair["direct"] = not bool(found["gone"][i, j])
    if chosen:
        direct = sum(pair["direct"] for pair in chosen)
        document["notes"].append(_note(direct, len(chosen), len(reported), table.rows, bool(found["spent"])))


def _note(direct: int, links: int, reported: int, rows: int, spent: bool) -> str:
    which = f"the {count(links, 'link')}" if links == reported else f"the {links} strongest of {reported:,} links"
    text = (
        f"Direct links: {direct} of {which}, which still show at a level of {LEVEL:g} given any one or two of the "
        "columns linked with either end. A common cause that is not in the table looks like a direct link."
    )
    if rows > MOST_ROWS:
        text += f" They were looked for in a random sample of {MOST_ROWS:,} of {rows:,} rows."
    if spent:
        text += f" The search ended after {MOST_TESTS:,} tests: links that it did not come to count as direct."
    return text
