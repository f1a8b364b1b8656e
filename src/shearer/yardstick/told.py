"""Results and contents as lines of text."""

from collections.abc import Mapping, Sequence
from typing import Any

from shearer.yardstick.known_design import Suite
from shearer.yardstick.method import Method
from shearer.yardstick.ranked_scores import losses, summary
from shearer.yardstick.stored import merge

_MOST = 12


def told(documents: Sequence[Mapping[str, Any]]) -> str:
    """The ranking of every suite, and where ours loses.

    Examples
    --------
    >>> from shearer.yardstick import Effort, run
    >>> options = {"suites": ["interaction"], "quick": True, "effort": Effort(3, 3), "isolated": False}
    >>> print(told([run(methods=["product term"], **options)]))
    interaction: 13 designs
      1  product term  level ...
    """
    document = merge(documents)
    lines = []
    for name, suite in document["suites"].items():
        rows = summary(document, name)
        if not rows:
            continue
        lines.append(f"{name}: {len(suite['designs'])} designs")
        widest = max(len(row["method"]) for row in rows)
        for row in rows:
            place = "level!" if row.get("marked") else "unfinished" if row["rank"] is None else str(row["rank"])
            lines.append(f"  {place}  {row['method']:<{widest}}  {_scores(row)}")
        lost = losses(document, name)
        lines += [
            f"  loses: {one['design']}: {one['ours']} {one['own']:.2f}, {one['rival']} {one['power']:.2f}"
            + (" (does not hold its level)" if one["marked"] else "")
            for one in lost[:_MOST]
        ]
    return "\n".join(lines)


def _scores(row: Mapping[str, Any]) -> str:
    seconds = "" if row["seconds"] is None else f", {row['seconds']:.2g} s"
    keys: tuple[str, ...] = ("growth",)
    if "power" in row:
        keys = ("level", "power", "regret", "worst_regret")
    elif "agreement" in row:
        keys = ("agreement",)
    elif "score" in row:
        keys = ("score", "zero", "disorder", "inequity")
    known = [f"{key.replace('_', ' ')} {row[key]:.2f}" for key in keys if row[key] is not None]
    return ", ".join(known) + seconds


def listing_of(suites: Mapping[str, Suite], methods: Mapping[str, Method]) -> str:
    """Suites with their designs, and methods with what they need."""
    lines = []
    for suite in suites.values():
        lines.append(f"{suite.name} (version {suite.version}): {suite.question}")
        lines += [f"  {design.name}: {design.law}, {design.rows} rows" for design in suite.designs]
    lines.append("methods")
    for method in methods.values():
        missing = "" if method.present else f"; needs {method.needs}, which is not installed"
        lines.append(f"  {method.name} ({', '.join(method.tasks)}): {method.source}{missing}")
    return "\n".join(lines)
