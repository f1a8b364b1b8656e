"""Results of an experiment that survive a kill: one entry a case, written after each, gone on with later."""

import argparse
import fcntl
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from shearer._files.writing import replace_file

FOLDER = Path(__file__).parent / "results"


def run(
    name: str,
    description: str | None,
    cases: Iterable[str],
    study: Callable[[str, bool], dict[str, Any]],
    renewed: Callable[[str, dict[str, Any]], dict[str, Any]] | None = None,
) -> int:
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
    renewed : callable, optional
        Case and what the results hold of it -> what to write instead; `--renew` asks for it.
    """
    parser = _parser(description)
    parser.add_argument("--quick", action="store_true", help="few trials, written nowhere")
    if renewed is not None:
        parser.add_argument("--renew", action="store_true", help="compute again what the library itself gives")
    parser.add_argument("--only", nargs="*", default=list(cases), metavar="NAME", help="these cases only")
    options = parser.parse_args()
    path = None if options.quick else FOLDER / f"{name}.json"
    if renewed is not None and options.renew and path is not None:
        known = _read(path)
        for case in (case for case in options.only if case in known):
            add(path, case, renewed(case, known[case]))
        return 0
    _go_on(path, options.only, lambda case: study(case, options.quick))
    return 0


def run_figure(
    name: str,
    description: str | None,
    cases: Callable[[bool], Iterable[str]],
    study: Callable[[str, bool], dict[str, Any]],
) -> int:
    """As `run`, in two sizes that are both written: `--quick`, which is committed, and `--full`, to a file of its own.

    Parameters
    ----------
    name, description
        As in `run`.
    cases : callable
        Whether in full -> what there is to study.
    study : callable
        Case and whether in full -> what to write.
    """
    parser = _parser(description)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="what is committed (default)")
    size.add_argument("--full", action="store_true", help="all points and trials of the paper's text; takes days")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these cases only")
    options = parser.parse_args()
    path = FOLDER / f"{name}{'_full' if options.full else ''}.json"
    _go_on(path, options.only or cases(options.full), lambda case: study(case, options.full))
    return 0


def run_trials(
    name: str,
    description: str | None,
    wanted: Mapping[str, int],
    study: Callable[[str, range], dict[str, Any]],
    joined: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]],
) -> int:
    """As `run`, of cases that are counts over trials: what is missing of them is added, a few at a time.

    Parameters
    ----------
    name, description
        As in `run`.
    wanted : mapping of str to int
        How many trials of each case; those of the same words after the first " | " grow together.
    study : callable
        Case and numbers of trials, from which their seeds follow -> what to write, "trials" among it.
    joined : callable
        What was found in earlier trials and in further ones -> what to write of all.
    """
    parser = _parser(description)
    parser.add_argument("--quick", action="store_true", help="five trials, written nowhere")
    parser.add_argument("--only", nargs="*", default=list(wanted), metavar="NAME", help="these cases only")
    parser.add_argument("--step", type=int, default=50, help="trials after which the results are written (default: 50)")
    options = parser.parse_args()
    if options.quick:
        _go_on(None, options.only, lambda case: study(case, range(5)))
        return 0
    path = FOLDER / f"{name}.json"
    groups: dict[str, list[str]] = {}
    for case in options.only:
        groups.setdefault(case.partition(" | ")[2], []).append(case)
    for cases in groups.values():
        while (following := _behind(path, cases, wanted)) is not None:
            case, known = following
            earlier = _read(path).get(case)
            found = study(case, range(known, min(known + options.step, wanted[case])))
            found = found if earlier is None else joined(earlier, found)
            print(case, found, file=sys.stderr, flush=True)
            add(path, case, found)
    return 0


def _behind(path: Path, cases: Iterable[str], wanted: Mapping[str, int]) -> tuple[str, int] | None:
    """The case with the fewest trials among those that lack some, and how many it has."""
    known = _read(path)
    trials = {case: known[case]["trials"] if case in known else 0 for case in cases}
    lacking = [case for case in trials if trials[case] < wanted[case]]
    return min(((case, trials[case]) for case in lacking), key=lambda item: item[1], default=None)


def _parser(description: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def _go_on(path: Path | None, cases: Iterable[str], study: Callable[[str], dict[str, Any]]) -> None:
    """Study the cases that the file does not hold yet, writing after each."""
    for case in cases:
        if path is not None and case in _read(path):
            continue
        found = study(case)
        print(case, found, file=sys.stderr, flush=True)
        if path is not None:
            add(path, case, found)


def add(path: Path, case: str, found: dict[str, Any]) -> None:
    """Put a case into the file, to which other processes may add theirs meanwhile."""
    path.parent.mkdir(exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        replace_file(path, (json.dumps({**_read(path), case: found}, indent=1) + "\n").encode())


def _read(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return known
