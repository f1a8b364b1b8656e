"""Show how the figures of the benchmarks went from commit to commit, from the JSON that each of them holds.

`python -m benchmarks` writes benchmarks/results; commits keep what was measured. Times of different commits come from
runs at different hours: the ratio to the reference, which ran beside, says more, and is what changes are told by.

usage: speeds.py [--since COMMIT] [--changed FACTOR] [--json] [NAME...]   (names of benchmarks; default: all)
"""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = "benchmarks/results"


@dataclass(frozen=True)
class Figure:
    """What one commit has for one case: ours, the reference of the same run, and their ratio as the case states it."""

    commit: str
    date: str
    ours: float
    reference: float
    ratio: float
    unit: str


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def commits_of(path: str, since: str | None) -> list[tuple[str, str]]:
    """The commits that changed a file, the oldest first, each with its date."""
    span = [f"{since}..HEAD"] if since else ["HEAD"]
    lines = git("log", "--reverse", "--date=short", "--format=%h %ad", *span, "--", path).splitlines()
    return [(line.split()[0], line.split()[1]) for line in lines]


def history(name: str, since: str | None) -> dict[str, list[Figure]]:
    """Case -> its figures, the oldest first; a figure that did not change from one commit to the next counts once."""
    path = f"{RESULTS}/{name}.json"
    found: dict[str, list[Figure]] = {}
    for commit, date in commits_of(path, since):
        try:
            cases = json.loads(git("show", f"{commit}:{path}"))["cases"]
        except subprocess.CalledProcessError:  # the commit took the file away
            continue
        for case in cases:
            numbers = (case.get("ours"), case.get("reference"), case.get("ratio"))
            if any(number is None for number in numbers):
                continue
            figure = Figure(commit, date, *map(float, numbers), case.get("unit", "s"))
            figures = found.setdefault(case["name"], [])
            if not figures or (figures[-1].ours, figures[-1].reference) != (figure.ours, figure.reference):
                figures.append(figure)
    return found


def changes(figures: list[Figure], factor: float) -> list[str]:
    """Where ours over the reference grew or shrank by more than a factor from one figure to the next."""
    lines = []
    for before, after in pairwise(figures):
        if min(before.ours, before.reference, after.ours, after.reference) <= 0:
            continue
        change = (after.ours / after.reference) / (before.ours / before.reference)
        if not 1 / factor <= change <= factor:
            word = "slower" if change > 1 else "faster"
            lines.append(f"{before.commit} -> {after.commit}: {max(change, 1 / change):.1f} times {word}")
    return lines


def main(arguments: list[str]) -> int:
    known = sorted(path.stem for path in (ROOT / RESULTS).glob("*.json"))
    parser = argparse.ArgumentParser(prog="speeds.py", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--since", metavar="COMMIT", help="what came after it")
    parser.add_argument("--changed", type=float, default=1.5, metavar="FACTOR", help="point out larger changes (1.5)")
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r}; expected one of {', '.join(known)}")
    if given.changed <= 1:
        parser.error(f"--changed: expected a factor above 1, got {given.changed:g}")
    every = {name: history(name, given.since) for name in given.names or known}
    if given.json:
        print(json.dumps({name: {case: [asdict(f) for f in own] for case, own in cases.items()}
                          for name, cases in every.items()}, indent=1))  # fmt: skip
        return 0
    for name, cases in every.items():
        for case, figures in cases.items():
            print(f"\n{name}: {case} ({figures[-1].unit}; ours, reference, ours / reference)")
            for figure in figures:
                share = f"{figure.ours / figure.reference:.3g}" if figure.reference else "-"
                print(f"  {figure.date}  {figure.commit}  {figure.ours:>9.3g}  {figure.reference:>9.3g}  {share:>9}")
            for line in changes(figures, given.changed):
                print(f"  ! {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
