"""How large the source is, as a table."""

import json
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "house.json"


def architecture() -> tuple[str, list[str], list[list[str]]]:
    """A line for each number, before there was one engine for pairs and now."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    before, now = found["before"], found["now"]
    rows = [[name, f"{before[name]:,}", f"{now[name]:,}"] for name in now if name != "visited"]
    rows += [
        [f"files visited by ``{call}``", str(before["visited"][call]), str(count)]
        for call, count in now["visited"].items()
    ]
    return "The source (``python -m experiments.house``)", ["what", "before one engine for pairs", "now"], rows


TABLES = {"architecture": architecture}
