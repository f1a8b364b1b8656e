"""Tables of the page on scale, from committed results: title, header, rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tables_network import Table, results

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "results" / "scale.json"


def _measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(BENCHMARK.read_text(encoding="utf-8"))
    return found


def duration(seconds: float) -> str:
    """Seconds, minutes, hours or days, to two digits."""
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} s"


def costs() -> Table:
    """What a row and a pair cost on one core, and what large runs would take."""
    found = _measured()
    rows, pairs, columns = found["rows"], found["pair_rows"], found["columns"]
    lines = [
        [
            f"I\\* of two scalars, one pass, {rows['landmarks']} landmarks in all",
            f"{rows['seconds_a_row'] * 1e6:.2g} µs a row; {rows['seconds_a_merge'] * 1e3:.2g} ms a merge",
            f"{rows['rows']:.0e} rows",
            duration(rows["seconds"]),
        ],
        [
            "tests and values of all pairs, two passes",
            f"{pairs['seconds_a_row_and_column'] * 1e6:.2g} µs a row and column, "
            f"{pairs['seconds_a_row_and_pair'] * 1e9:.3g} ns a row and pair",
            f"{pairs['rows']:.0e} rows of {pairs['columns']} columns",
            duration(pairs["seconds"]),
        ],
        [
            f"tests of all pairs in memory, {columns['rows']} rows",
            f"{columns['seconds_a_pair'] * 1e6:.2g} µs a pair",
            f"{columns['columns']:.0e} columns, {columns['pairs']:.0e} pairs",
            duration(columns["seconds"]),
        ],
    ]
    title = f"Cost on one core, and what the model gives for {rows['workers']} workers of one core"
    return title, ["work", "measured cost", "for", f"on {rows['workers']} workers"], lines


def model() -> Table:
    """The model against three larger runs of each kind."""
    lines = [
        [case["name"].replace("*", "\\*"), duration(case["reference"]), duration(case["ours"]), f"{case['ratio']:.2f}"]
        for case in _measured()["cases"]
        if not case["name"].startswith("Lanczos")
    ]
    title = "The model, fitted to small runs, against larger ones (processor time of one core)"
    return title, ["run", "foretold", "taken", "ratio"], lines


def stream() -> Table:
    """One hundred million rows through one sketch."""
    found = results("rows")["records"]
    lines = [
        [
            f"{record['rows']:,}",
            duration(record["cpu"]),
            f"{record['rows_per_cpu_second']:,.0f}",
            f"{record['memory']:.0f} MiB",
            f"{record['value']:.4f}",
            f"{record['width']:.1e}",
        ]
        for record in found
    ]
    slope = np.polyfit(*(np.log([record[key] for record in found]) for key in ("rows", "cpu")), 1)[0]
    title = f"Rows generated in chunks, I\\* of a normal pair; slope of log time against log rows {slope:.3f}"
    header = ["rows", "processor time", "rows a second", "resident memory", "I\\*", "width of its bounds"]
    return title, header, lines


def wide() -> Table:
    """One hundred columns scanned from files."""
    found = results("wide").values()
    lines = [
        [
            f"{study['rows']:,}",
            duration(study["cpu"]),
            duration(study["wall"]),
            f"{study['peak']:.0f} MiB",
            f"{study['true']} of 20",
            f"{study['reported'] - study['true']}",
        ]
        for study in sorted(found, key=lambda study: study["rows"])
    ]
    some = next(iter(results("wide").values()))
    title = f"``scan`` of {some['columns']} columns from Parquet files, pairs, memory of {some['budget']}, one core"
    return title, ["rows", "processor time", "by the clock", "peak", "planted pairs reported", "others reported"], lines


def lanczos() -> Table:
    """Coverage of the Lanczos route."""
    lines = [
        [
            law,
            f"{study['rows']}",
            f"{study['alpha']:g}",
            f"{100 * study['coverage']:.1f} %",
            f"{study['half_width']:.2g} ({study['largest_half_width']:.2g})",
            f"{study['error']:.2g}",
        ]
        for law, study in results("lanczos").items()
    ]
    seeds = next(iter(results("lanczos").values()))["seeds"]
    title = f"95 % intervals of the Lanczos route over {seeds} seeds, half-width asked for: 0.05 bits"
    return title, ["distribution", "n", "α", "coverage", "mean (largest) half-width, bits", "rms error, bits"], lines


TABLES: dict[str, Callable[[], Table]] = {
    "scale_costs": costs,
    "scale_model": model,
    "scale_stream": stream,
    "scale_wide": wide,
    "scale_lanczos": lanczos,
}
