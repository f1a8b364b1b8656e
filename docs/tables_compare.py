"""The committed study of comparisons as tables."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "experiments" / "results"
TESTS = ("shearer", "Pearson", "Spearman", "dCor")


def cases(kind: str, study: str = "compare") -> dict[str, Any]:
    """Those of one part of a study."""
    found = json.loads((FOLDER / f"{study}.json").read_text(encoding="utf-8"))
    return {name.split(": ", 1)[1]: found[name] for name in found if name.startswith(f"{kind}: ")}


def rejected(kind: str, title: str, tests: tuple[str, ...]) -> tuple[str, list[str], list[list[str]]]:
    """How often each test rejects at 5 %, and the trials of the first."""
    lines = []
    for name, one in cases(kind).items():
        shares = [
            "–" if test not in one["rejected"] else f"{100 * one['rejected'][test][0] / one['rejected'][test][1]:.1f} %"
            for test in tests
        ]
        law, sizes = name.split(", n=")
        lines.append([law, sizes.replace(", ", " / "), *shares])
    return title, ["distribution", "rows", *tests], lines


def level() -> tuple[str, list[str], list[list[str]]]:
    """Groups of the same dependence."""
    trials = max((one["rejected"]["shearer"][1] for one in cases("level").values()), default=0)
    return rejected("level", f"Equal dependence rejected at 5 %, of {trials} trials", TESTS[:3])


def power() -> tuple[str, list[str], list[list[str]]]:
    """Groups of different dependence."""
    trials = [max((o["rejected"].get(t, [0, 0])[1] for o in cases("power").values()), default=0) for t in TESTS]
    title = f"Different dependence found at 5 %, of {trials[0]} trials (dCor: {trials[3]})"
    return rejected("power", title, TESTS)


def rates() -> tuple[str, list[str], list[list[str]]]:
    """Tables of 30 columns."""
    lines = [
        [name, str(one["tables"]), f"{one['rate']:.3f} ± {one['error']:.3f}", f"{100 * one['found']:.0f} %"]
        for name, one in cases("fdr").items()
    ]
    header = ["columns", "tables", "share of false ones among those reported", "of five that changed, found"]
    return "30 columns, 300 rows a group, 5 pairs that change, at a rate of 5 %", header, lines


def three_rejected(kind: str, title: str) -> tuple[str, list[str], list[list[str]]]:
    """How often the test of triples rejects at 5 %."""
    found = cases(kind, "compare_triples")
    lines = []
    for name, one in found.items():
        law, sizes = name.split(", n=")
        lines.append([law, sizes.replace(", ", " / "), f"{100 * one['rejected'][0] / one['rejected'][1]:.1f} %"])
    trials = max(one["rejected"][1] for one in found.values())
    return f"{title} at 5 %, of {trials} trials", ["distribution", "rows", "rejected"], lines


def three_level() -> tuple[str, list[str], list[list[str]]]:
    """Groups of the same excess."""
    return three_rejected("level", "Triples of equal excess rejected")


def three_power() -> tuple[str, list[str], list[list[str]]]:
    """Groups of different excess."""
    return three_rejected("power", "Triples of different excess found")


def three_rates() -> tuple[str, list[str], list[list[str]]]:
    """Tables of 9 columns."""
    lines = [
        [str(one["tables"]), f"{one['rate']:.3f} ± {one['error']:.3f}", f"{100 * one['found']:.0f} %"]
        for one in cases("fdr", "compare_triples").values()
    ]
    header = ["tables", "share of false ones among those reported", "the one that changed, found"]
    return "9 columns (84 triples), 400 rows a group, one triple and three pairs that change, at 5 %", header, lines


TABLES = {
    "compare_level": level,
    "compare_power": power,
    "compare_rates": rates,
    "compare_triples_level": three_level,
    "compare_triples_power": three_power,
    "compare_triples_rates": three_rates,
}
