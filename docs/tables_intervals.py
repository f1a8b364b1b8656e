"""The committed study of confidence intervals as a table."""

import json
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "coverage.json"
METHODS = ("influence", "jackknife", "subsampling")
SYMBOLS = {
    "mutual_information": "I\\*",
    "total_correlation": "T\\*",
    "dual_total_correlation": "D\\*",
    "o_information": "O",
}


def coverage() -> tuple[str, list[str], list[list[str]]]:
    """A line for each law, measure and number of rows; where cells are too rare for the interval it is said."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    studies = {(r["design"], r["measure"], r["rows"], r["method"]): r for r in found["records"]}
    lines = []
    ordered = sorted(found["records"], key=_order(found))
    for key in dict.fromkeys((r["design"], r["measure"], r["rows"]) for r in ordered):
        records = [studies.get((*key, method)) for method in METHODS]
        shown = ["–" if one is None else f"{100 * one['coverage']:.1f} % ({one['mean_width']:.3f})" for one in records]
        noted = next(one["noted"] for one in records if one is not None)
        design, measure, rows = key
        lines.append([found["designs"][design], SYMBOLS[measure], str(rows), *shown, f"{100 * noted:.0f} %"])
    title = f"Population values held by {100 * found['settings']['level']:.0f} % intervals (mean width)"
    return title, ["distribution", "measure", "rows", *METHODS, "noted"], lines


def _order(found):
    designs, measures = list(found["designs"]), list(SYMBOLS)
    return lambda record: (designs.index(record["design"]), measures.index(record["measure"]), record["rows"])


TABLES = {"coverage": coverage}
