"""Tables of the page on reliability, from the committed results of experiments/reliability: title, header, rows."""

from collections.abc import Callable
from typing import Any

from tables_network import Table, results


def _megabytes(count: float) -> str:
    return f"{count / 1e6:.0f} MB"


def _ends(counted: dict[str, int]) -> list[str]:
    return [str(counted.get(end, 0)) for end in ("answer", "refused", "finding")]


def fuzzed() -> Table:
    """Whole tables through functions, by function."""
    found = results("reliability_fuzz")
    rows = [[f"``{name}``", *_ends(counted)] for name, counted in found["functions"].items()]
    rows.append(["all", *_ends(found["ends"])])
    title = (
        f"{found['cases']:,} tables; of {found['ends'].get('no table', 0)} the library of tables made none; "
        f"the widest had {found['widest']:,} columns, the slowest took {found['slowest']:.1f} s of processor time, "
        f"the largest process "
        f"{_megabytes(found['largest'])}"
    )
    return title, ["function", "answers", "refused in words", "findings"], rows


def containers() -> Table:
    """The same by container."""
    found = results("reliability_fuzz")
    rows = [[name, *_ends(counted)] for name, counted in found["containers"].items()]
    return "The same tables by what held them", ["container", "answers", "refused in words", "findings"], rows


def altered() -> Table:
    """Files that were altered."""
    found = results("reliability_files")
    rows = [[kind, *_ends(counted)] for kind, counted in found["kinds"].items()]
    rows.append(["all", *_ends(found["ends"])])
    escaped = "some" if found["escaped"] else "none"
    title = f"{found['cases']:,} altered files; files written outside of their folder: {escaped}"
    return title, ["file", "answers", "refused in words", "findings"], rows


def faults() -> Table:
    """What was done to commands, and how they went on."""
    rows = []
    for name, found in results("reliability_faults").items():
        how = f"after {found['parts']} parts" if "parts" in found else ""
        how = f"{len(found['points'])} points" if "points" in found else how
        rows.append([name, how, "yes" if found["good"] else "**no**"])
    return "Faults that were injected", ["command and fault", "when", "nothing lost"], rows


def memory() -> Table:
    """Peak against budget."""
    rows = []
    for name, found in results("reliability_memory").items():
        for run in found["runs"]:
            peak = _megabytes(run["peak"]) if "peak" in run else run["said"]
            end = "refused" if run.get("refused") else "answer"
            rows.append([name, _megabytes(run["budget"]), peak, end, "yes" if run["good"] else "**no**"])
    return "Peak memory against the budget", ["route", "budget", "peak", "end", "kept"], rows


def concurrency() -> Table:
    """Threads and processes."""
    found = results("reliability_concurrency")
    rows = [[name, str(own["calls"]), str(len(own["wrong"]))] for name, own in found["routes"].items()]
    changed = ", ".join(found["changed"]) or "nothing"
    title = f"{found['functions']} functions at once, {found['threads']} threads; state that changed: {changed}"
    return title, ["route", "calls", "other answers"], rows


def soaked() -> Table:
    """A long run."""
    found = results("reliability_soak")
    sizes = ", ".join(_megabytes(size) for size in found["resident"])
    row = [
        f"{found['minutes']:g}",
        str(found["rounds"]),
        str(found["calls"]),
        str(len(found["wrong"])),
        sizes,
        ", ".join(found["changed"]) or "nothing",
    ]
    header = [
        "minutes",
        "rounds",
        "calls",
        "other answers",
        "memory at the start, the middle, the end",
        "changed state",
    ]
    return "Mixed calls, one after the other", header, [row]


def mutants() -> Table:
    """Mutants by package."""
    counted: dict[str, list[int]] = {}
    for name, found in results("reliability_mutants").items():
        own = counted.setdefault(name.split("/")[0], [0, 0, 0])
        own[0] += 1
        own[1] += found["end"] == "survived"
        own[2] += found["end"] == "survived" and "why" in found
    rows = [[f"``{package}``", *map(str, own)] for package, own in sorted(counted.items())]
    rows.append(["all", *(str(sum(own[place] for own in counted.values())) for place in range(3))])
    return "Mutants", ["package", "tried", "survived", "of these explained"], rows


def survivors() -> Table:
    """Mutants that no test has noticed."""
    found: dict[str, Any] = results("reliability_mutants")
    rows = [
        [
            f"``{name.partition(': ')[0]}``",
            name.partition(": ")[2].replace("*", r"\*"),
            own.get("why", "not explained"),
        ]
        for name, own in sorted(found.items())
        if own["end"] == "survived"
    ]
    return "Mutants that survived", ["file", "change", "why"], rows or [["none", "–", "–"]]


def _studied(study: str) -> dict[str, Any]:
    """Cases of one of the studies of numerics."""
    found = results("reliability_numerics")
    return {name.partition(" / ")[2]: own for name, own in found.items() if name.startswith(f"{study} / ")}


def digits() -> Table:
    """Ill-conditioned tables against a computation with many digits."""
    found = _studied("digits")
    rows = [
        [
            name,
            str(own["values"]),
            *(f"{own[kind]:.0e}" for kind in ("bits", "share", "pairs")),
            str(len(own["outside"])),
            str(own["refused"]),
        ]
        for name, own in found.items()
    ]
    header = ["table", "values", "bits", "normalised", "``pairwise``", "bounds that do not hold", "``tol`` refused"]
    some = next(iter(found.values()))
    title = f"Largest errors in bits against {some['digits']} digits; {some['promised']:.0e} is promised"
    return title, header, rows


def same() -> Table:
    """Answers under other threads, instructions, orders and chunks."""
    rows = []
    for name, own in _studied("same").items():
        size, _, variation = name.partition(" / ")
        row = [variation, size.removesuffix(" rows"), str(own["numbers"])]
        for tests in (False, True):
            some = {key: one for key, one in own["functions"].items() if key.endswith("p") is tests}
            worst = max(some, key=lambda key: some[key]["apart"] / some[key]["promised"])
            row.append(f"{some[worst]['apart']:.0e} of {some[worst]['promised']:.0e} ({worst.removesuffix(', p')})")
        rows.append([*row, "yes" if own["good"] else f"**no**: {', '.join(own['beyond'])}"])
    header = ["what differs", "rows", "numbers", "values: nearest to the promise", "p-values", "as promised"]
    return "Deviations between two ways to the same answer, and what is promised", header, rows


def warned() -> Table:
    """Warnings over hostile columns."""
    found = _studied("warnings")
    ends = [sum(own[kind] for own in found.values()) for kind in ("answer", "refused")]
    findings = sum(len(own["findings"]) for own in found.values())
    row = [str(len(found)), *map(str, ends), str(findings)]
    header = ["functions", "answers", "refused in words", "warnings and other errors"]
    return "Functions on hostile columns", header, [row]


TABLES: dict[str, Callable[[], Table]] = {
    "reliability_fuzz": fuzzed,
    "reliability_containers": containers,
    "reliability_files": altered,
    "reliability_faults": faults,
    "reliability_memory": memory,
    "reliability_concurrency": concurrency,
    "reliability_soak": soaked,
    "reliability_mutants": mutants,
    "reliability_survivors": survivors,
    "reliability_digits": digits,
    "reliability_same": same,
    "reliability_warnings": warned,
}
