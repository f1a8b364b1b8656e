"""The committed study of terms of four variables as two tables."""

import math
from collections.abc import Callable
from typing import Any

from tables_network import Table, results


def rate(study: dict[str, Any], share: float) -> str:
    """A share of trials with its binomial error."""
    error = math.sqrt(max(share * (1 - share), 1 / study["trials"]) / study["trials"])
    return f"{100 * share:.1f} ± {100 * error:.1f} %"


def setterms() -> Table:
    """Rejections."""
    rows = []
    for name, study in results("setterms").items():
        if not name.startswith("scan"):
            design, law = name.rsplit(", n=", 1)[0], "yes" if study["fewer"] else "no"
            shares = [rate(study, study["rates"][level]) for level in ("0.05", "0.01")]
            rows.append([design, law, f"{study['rows']:,}", str(study["trials"]), *shares, f"{study['added']:.3f}"])
    header = ["design", "model of fewer", "rows", "trials", "rejected at 5 %", "at 1 %", "added, bits"]
    return "Rejections by the test of a term of four; effects fall as the root of the rows", header, rows


def setterms_scans() -> Table:
    """Scans of order 4."""
    rows = []
    for name, study in results("setterms").items():
        if name.startswith("scan"):
            found = "–" if study["found"] is None else rate(study, study["found"])
            size = f"{study['rows']} × {study['columns']}"
            shares = [rate(study, study["rate"]), f"{study['passed']:.1f}", found]
            rows.append([name.removeprefix("scan, "), size, str(study["trials"]), *shares])
    header = ["columns", "rows × columns", "tables", "tables with a false report", "tested", "planted one found"]
    return "Scans of order 4", header, rows


TABLES: dict[str, Callable[[], Table]] = {make.__name__: make for make in (setterms, setterms_scans)}
