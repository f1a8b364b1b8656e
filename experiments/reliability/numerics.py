"""Numerics: ill-conditioned tables against 250 digits, the same answers however they are computed, no warnings.

usage: python -m experiments.reliability.numerics [--only TEXT ...] [--again]

Three studies, of which each case is written when it is done, and gone on with later: ill_conditioned.py,
same_answers.py and hostile_columns.py. Writes experiments/results/reliability_numerics.json.
"""

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

from experiments.records import FOLDER, add
from experiments.reliability import hostile_columns, ill_conditioned, same_answers

PATH = FOLDER / "reliability_numerics.json"
#: Rows of the tables whose answers are compared: features of all rows that leave out nothing; some rows stand for all.
ROWS = (200, 600)
#: Beyond, fewer variations.
MOST_ROWS = 500


def cases() -> dict[str, Callable[[], dict[str, Any]]]:
    """Name of the study and of the case -> what runs it."""
    found: dict[str, Callable[[], dict[str, Any]]] = {
        f"digits / {name}": lambda own=name: ill_conditioned.study(own) for name in ill_conditioned.tables()
    }
    for rows in ROWS:
        for name, both in same_answers.variations(rows).items():
            if rows > MOST_ROWS and name in same_answers.FEW_ROWS_ONLY:
                continue
            found[f"same / {rows} rows / {name}"] = lambda n=name, r=rows, b=both: same_answers.compared(n, r, b())
    for name in hostile_columns.calls():
        found[f"warnings / {name}"] = lambda own=name: hostile_columns.study(own)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], metavar="TEXT", help="cases whose names begin with it")
    parser.add_argument("--again", action="store_true", help="those too that the results hold already")
    options = parser.parse_args()
    known = json.loads(PATH.read_text()) if PATH.exists() else {}
    for name, run in cases().items():
        if name.startswith(tuple(options.only)) and (options.again or name not in known):
            found = run()
            print(name, json.dumps(found), flush=True)
            add(PATH, name, found)
    failed = [name for name, found in json.loads(PATH.read_text()).items() if not found["good"]]
    print("failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
