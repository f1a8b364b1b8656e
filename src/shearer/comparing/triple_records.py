"""What happened to triples of columns beyond their pairs, as records of a comparison's document."""

import math
from itertools import combinations
from typing import Any

from shearer._progress import track
from shearer._validate import describe, value_error
from shearer.comparing.read_groups import ReadGroups
from shearer.comparing.tested_triples import triple_test
from shearer.scanning.document import number


def check_triples(triples: object, cluster: str | None, paired: bool) -> bool:
    """Whether triples are wanted; rows that belong together have no test of theirs."""
    if not isinstance(triples, bool):
        raise value_error("triples", "True or False", describe(triples))
    if triples and (cluster is not None or paired):
        hint = "Triples are compared where rows are independent of each other."
        raise value_error("triples", "neither cluster nor paired beside it", "cluster" if cluster else "paired", hint)
    return triples


def triple_records(read: ReadGroups, seed: int, progress: bool | None) -> list[dict[str, Any]]:
    """One record for each triple of the columns that are compared, not adjusted yet."""
    found = []
    total = math.comb(len(read.kinds), 3)
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
