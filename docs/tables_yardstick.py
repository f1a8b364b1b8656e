"""The committed quick run of the yardstick as tables."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from shearer.yardstick import losses, summary
from shearer.yardstick.pictured import single_numbers
from shearer.yardstick.value_scores import CRITERIA

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "yardstick_quick.json"
Table = tuple[str, list[str], list[list[str]]]
TESTS = ("independence", "conditional", "interaction", "change")


@cache
def document() -> dict[str, Any]:
    """The run."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"


def method(row: dict[str, Any]) -> str:
    name = row["method"].replace("*", "\\*").replace("|", "\\|")
    return f"**{name}**" if row["ours"] else name


def judged(suite: str, words: str = "", keep: Any = None) -> Table:
    """Level first, then what false hypotheses show."""
    growth = {row["method"]: row["growth"] for row in rows("scaling")}
    lines = []
    for row in rows(suite, keep):
        grown = growth.get(row["method"])
        lines.append([
            "level" if row["marked"] else "unfinished" if row["rank"] is None else str(row["rank"]), method(row),
            f"{number(row['level'], 3)} ± {number(row['level_error'], 3)}",
            f"{number(row['power'])} ± {number(row['power_error'])}", number(row["power_asked"]),
            f"{row['asked']} of {row['designs']}", number(row["regret"]),
            f"{number(row['worst_regret'])} ({row['worst']})" if row["worst"] else "–",
            "–".join(str(end) for end in dict.fromkeys(row["trials"])), seconds(row["seconds"]),
            "–" if grown is None else f"{grown:.1f}",
        ])  # fmt: skip
    header = ["rank", "method", "level", "power", "where it applies", "alternatives", "regret", "worst case", "trials",
              "seconds", "growth"]  # fmt: skip
    version = document()["suites"][suite]["version"]
    return f"{suite.capitalize()}{words}, version {version}", header, lines


def rows(suite: str, keep: Any = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = summary(document(), suite, keep) if suite in document()["suites"] else []
    return found


def strengths() -> Table:
    lines = [
        [str(row["rank"] or "unfinished"), method(row), number(row["score"]), *(number(row[key]) for key in CRITERIA),
         f"{row['asked']} of {row['designs']}", seconds(row["seconds"])]
        for row in rows("strength")
    ]  # fmt: skip
    return "Strength: 0 is best", ["rank", "value", "mean", *CRITERIA, "designs", "seconds"], lines


def tables() -> Table:
    lines = [
        [str(row["rank"] or "unfinished"), method(row),
         f"{number(row['agreement'])} ± {number(row['agreement_error'])}",
         f"{row['asked']} of {row['designs']}", seconds(row["seconds"])]
        for row in rows("tables")
    ]  # fmt: skip
    return "Rank agreement with predictability", ["rank", "value", "agreement", "pairs", "seconds"], lines


def scaling() -> Table:
    lines = [
        [method(row), seconds(row["seconds"]), number(row["growth"], 1), number(row["growth_columns"], 1)]
        for row in rows("scaling")
    ]
    return "Processor seconds of one call", ["method", "at 1000 rows", "exponent in rows", "in columns"], lines


def lost() -> Table:
    lines = [
        [suite, one["design"], number(one["own"]), number(one["power"]),
         one["rival"] + (" (level not held)" if one["marked"] else "")]
        for suite in TESTS
        if suite in document()["suites"]
        for one in losses(document(), suite)
    ]  # fmt: skip
    header = ["suite", "design", "power of shearer", "power of the rival", "rival"]
    return "Where shearer loses, beyond twice the Monte Carlo error", header, lines


def run() -> Table:
    """What the numbers were measured with."""
    held = document()
    trials = sum(cell["trials"] for cell in held["cells"])
    spent = sum((cell["seconds"] or 0.0) * cell["trials"] for cell in held["cells"])
    parts = {
        "date": held["date"],
        "machine": ", ".join(f"{key} {value}" for key, value in held["machine"].items()),
        "effort": ", ".join(f"{key} {value}" for key, value in held["settings"].items()),
        "methods on designs": f"{len(held['cells']):,}",
        "trials": f"{trials:,}",
        "processor minutes, about": f"{spent / 60:.0f}",
    }
    return "The run", ["", ""], [[key, value] for key, value in parts.items()]


TABLES = {
    **{f"yardstick_{suite}": (lambda suite=suite: judged(suite)) for suite in TESTS},
    "yardstick_numbers": lambda: judged("independence", ", two single columns of numbers", single_numbers),
    "yardstick_strength": strengths,
    "yardstick_tables": tables,
    "yardstick_scaling": scaling,
    "yardstick_losses": lost,
    "yardstick_run": run,
}
