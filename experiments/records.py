"""Results of an experiment that survive a kill: one entry a case, written after each, gone on with later."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"


def run(name: str, description: str | None, cases: Iterable[str], study: Callable[[str, bool], dict[str, Any]]) -> int:
    """Parse the command line and study every case that the results do not hold yet.

    Parameters
    ----------
    name : str
        Of the JSON file.
    description : str
        For `--help`.
    cases : iterable of str
        What there is to study.
    study : callable
        Case and whether to be quick -> what to write.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few trials, written nowhere")
    parser.add_argument("--only", nargs="*", default=list(cases), metavar="NAME", help="these cases only")
    options = parser.parse_args()
    path = FOLDER / f"{name}.json"
    known = json.loads(path.read_text()) if path.exists() and not options.quick else {}
    for case in options.only:
        if case in known:
            continue
        known[case] = study(case, options.quick)
        print(case, known[case], file=sys.stderr, flush=True)
        if not options.quick:
            path.parent.mkdir(exist_ok=True)
            temporary = path.with_suffix(".tmp")
            temporary.write_text(json.dumps(known, indent=1) + "\n")
            temporary.replace(path)
    return 0
