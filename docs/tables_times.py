"""How long scans take, from the committed benchmarks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables_network import Table

BENCHMARKS = Path(__file__).parent.parent / "benchmarks" / "results"


def committed(benchmark: str) -> list[dict[str, Any]]:
    """All cases of a committed benchmark."""
    found: list[dict[str, Any]] = json.loads((BENCHMARKS / f"{benchmark}.json").read_text(encoding="utf-8"))["cases"]
    return found


def case(benchmark: str, name: str) -> dict[str, Any]:
    """One case of a committed benchmark."""
    return next(found for found in committed(benchmark) if found["name"] == name)


def seconds(value: float) -> str:
    """As a reader says it.

    Examples
    --------
    >>> [seconds(value) for value in (0.4512, 13.34, 352.8, 31000.0)]
    ['0.5 s', '13 s', '6 minutes', '9 hours']
    """
    if value < 60:
        return f"{value:.1f} s" if value < 9.5 else f"{value:.0f} s"
    return f"{value / 60:.0f} minutes" if value < 3600 else f"{value / 3600:.0f} hours"


def scan_times() -> Table:
    """Typical sizes."""
    rows = [
        [
            "200 rows, 11 columns: pairs and triples",
            seconds(case("threads", "scan 200 x 11, time")["reference"]),
            "threads",
        ],
        [
            "5000 rows, 30 columns: pairs, triples, intervals and the page",
            seconds(case("scan", "default scan, 5000 x 30")["ours"]),
            "scan",
        ],
        [
            "5000 rows, 15 columns, a third of them labels, a tenth of all values missing, without intervals",
            seconds(case("scan", "scan, 5000 x 15, a tenth missing")["ours"]),
            "scan",
        ],
        [
            "1,000,000 rows, 10 columns: p-values of all pairs",
            seconds(case("scan", "the same: seconds")["ours"]),
            "scan",
        ],
        [
            "136 rows, 1000 columns: p-values of all pairs",
            seconds(case("inference", "aggregated test of all pairs, 1000 x 136")["ours"]),
            "inference",
        ],
        [
            "10,000 rows, 1000 columns: p-values of all pairs, extrapolated",
            seconds(case("wide", "p-values of 1000 columns x 10000 rows, extrapolated")["ours"]),
            "wide",
        ],
    ]
    shown = [[what, time, f"``python -m benchmarks {program}``"] for what, time, program in rows]
    return "Time on two cores", ["table", "time", "measured by"], shown


TABLES: dict[str, Callable[[], Table]] = {"scan_times": scan_times}
