"""What happened to triples of columns beyond their pairs, as records of a comparison's document."""

import math
from itertools import combinations
from typing import Any

from shearer._progress import track
from shearer._validate import value_error
from shearer.comparing.profile import Profile
from shearer.comparing.read_groups import ReadGroups
from shearer.comparing.tested_triples import MOST_TRIPLES, triple_test
from shearer.scanning.document import number


def check_triples(triples: object, cluster: str | None, paired: bool) -> bool:
    """Whether triples are wanted; rows that belong together have no test of theirs."""
    if not isinstance(triples, bool):
        raise value_error("triples", "True or False", repr(triples))
    if triples and (cluster is not None or paired):
        hint = "Triples are compared where rows are independent of each other."
        raise value_error("triples", "neither cluster nor paired beside it", "cluster" if cluster else "paired", hint)
    return triples


def triple_records(read: ReadGroups, seed: int, progress: bool | None) -> list[dict[str, Any]]:
    """One record for each triple of the columns that are compared, not adjusted yet."""
    for group in read.groups:
        if isinstance(group, Profile) and group.triples is None:
            hint = "A profile keeps pairs only; compare the tables themselves."
            raise value_error("triples", "tables", f"a profile ({group.name})", hint)
    total = math.comb(len(read.kinds), 3)
    if total > MOST_TRIPLES:
        hint = "Compare fewer columns at a time."
        raise value_error("triples", f"at most {MOST_TRIPLES:,} triples", f"{total:,}", hint)
    found = []
    for names in track(combinations(read.kinds, 3), total, "comparing triples", progress):
        tested = triple_test(read, names, seed)
        found.append(
            {
                "variables": list(names),
                "excess": [number(value) for value in tested.excess],
                "pvalue": number(tested.pvalue),
                "n": tested.rows,
                "notes": tested.notes,
            }
        )
    return found
