"""Tables of the tests given conditions: level and power beside other tests."""

from typing import Any

from tables_network import Table, results
from tables_times import committed

METHODS = ("shearer", "KCI", "RCIT", "FastKCI", "local permutation")
ROWS = (100, 200, 500, 2000)
KINDS = ("linear", "nonlinear", "mixed", "sachs", "asia")
NAMES = {"fisherz": "Fisher-Z", "rcit": "RCIT", "kci": "KCI", "chisq": "chi-square"}


def _cases(null: bool) -> dict[str, dict[tuple[str, int], dict[str, Any]]]:
    """Design -> method and rows -> what was found."""
    found: dict[str, dict[tuple[str, int], dict[str, Any]]] = {}
    for case, study in results("conditional").items():
        design, method, rows = case.split(" | ")
        if study["null"] == null:
            found.setdefault(design, {})[method, int(rows)] = study
    return found


def _share(study: dict[str, Any] | None, field: str = "rejected") -> str:
    if study is None or study[field] is None or study["refused"] == 1:
        return "–"
    return f"{100 * study[field]:.0f}"


def _trials(found: dict[str, dict[tuple[str, int], dict[str, Any]]], case: tuple[str, int]) -> str:
    """Of a method at a number of rows: how many, or from how many to how many; nothing where it was not run."""
    counts = sorted({studies[case]["trials"] for studies in found.values() if case in studies})
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else "".join(map(str, counts))


def conditional_level() -> Table:
    """Rejections of independent pairs without a warning, and warnings, by rows."""
    found = _cases(True)
    shown = []
    for design, studies in found.items():
        own = [studies.get(("shearer", rows)) for rows in ROWS]
        name = design + (" (developed on)" if any(one and one["developed"] for one in own) else "")
        cells = [f"{_share(one, 'rejected_quiet')} ({_share(one, 'warned')})" if one else "–" for one in own]
        shown.append([name, *cells])
    trials = {rows: _trials(found, ("shearer", rows)) for rows in ROWS}
    counts = ", ".join(f"{count} at {rows}" for rows, count in trials.items() if count)
    title = f"Rejected without a warning, % (with a warning or refused, %), 5 % level; trials: {counts} rows"
    return title, ["independent given z", *(f"n = {rows}" for rows in ROWS)], shown


def conditional_level_others() -> Table:
    """Rejections of independent pairs at 200 rows, of all tests."""
    return _beside(True, "Rejections of pairs that are independent given z, %")


def conditional_power() -> Table:
    """Rejections of linked pairs at 200 rows, of all tests."""
    return _beside(False, "Rejections of pairs that depend given z, %")


def conditional_power_few() -> Table:
    """Rejections of linked pairs at 100 rows, of all tests."""
    return _beside(False, "Rejections of pairs that depend given z, %", 100)


def _beside(null: bool, title: str, rows: int = 200) -> Table:
    found = _cases(null)
    methods = [m for m in METHODS if any((m, rows) in studies for studies in found.values())]
    trials = {m: _trials(found, (m, rows)) for m in methods}
    counts = ", ".join(f"{m} {count}" for m, count in trials.items())
    shown = [[design, *(_share(studies.get((m, rows))) for m in methods)] for design, studies in found.items()]
    return f"{title}, {rows} rows, 5 % level; trials: {counts}", ["design", *methods], shown


def skeletons() -> Table:
    """F1 of the edges that PC finds and its processor time, by kind of graph and test."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for case, study in results("skeletons").items():
        kind, method, _ = case.split(" | ")
        found.setdefault((kind, method), []).append(study)
    shown = [
        [
            kind,
            NAMES.get(method, method),
            f"{len(studies)}",
            f"{sum(one['f1'] for one in studies) / len(studies):.2f}",
            f"{sum(one['seconds'] for one in studies) / len(studies):.1f}",
        ]
        for (kind, method), studies in sorted(found.items(), key=lambda item: KINDS.index(item[0][0]))
    ]
    title = "Skeletons that PC finds at a level of 5 %: means over graphs of the F1 of edges and of processor time"
    return title, ["graphs", "test", "how many", "F1", "seconds"], shown


def conditional_times() -> Table:
    """Processor time of a test beside those of causal-learn, from the committed benchmark."""
    shown = []
    for case in committed("conditional"):
        what, _, rival = case["name"].partition(", beside ")
        time = f"{case['reference']:.3g} s" + " (extrapolated)" * ("extrapolated" in case["note"])
        theirs = [rival, time, f"{case['ratio']:.3g}"] if rival else ["–"] * 3
        shown.append([what, f"{case['ours']:.3g} s", *theirs])
    return "Processor time of one test", ["test", "ours", "other", "its time", "factor"], shown


TABLES = {
    "conditional_times": conditional_times,
    "skeletons": skeletons,
    "conditional_level": conditional_level,
    "conditional_level_others": conditional_level_others,
    "conditional_power": conditional_power,
    "conditional_power_few": conditional_power_few,
}
