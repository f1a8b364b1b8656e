"""Scores of tests: level first, then power, regret against the best that hold it, the worst case, seconds."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shearer.yardstick.value_scores import strength_scores, table_scores

#: Rejections above so much of the level count against a method: Bradley's stringent criterion (1978).
ROBUST = 1.1
#: Probability at which a method that holds its level would be marked, over all null designs of a suite.
MARK = 0.01
#: Trials without which a power is too rough to be what others are judged by.
FEWEST_TRIALS = 20

Cell = Mapping[str, Any]
Cells = Mapping[str, Mapping[str, Cell]]


def summary(document: Mapping[str, Any], suite: str, keep: Callable[[Mapping[str, Any]], bool] | None = None) -> Any:
    """The methods of a suite, ranked; those that are not finished or do not hold their level come last, without rank.

    Parameters
    ----------
    document : mapping
        A result.
    suite : str
        Which of its suites.
    keep : callable, optional
        Whether a described design counts; default: all.

    Returns
    -------
    list of dict
        One for each method: "rank" (None if marked or not finished), "pending" (designs that it takes and that were
        not run; they count for nothing), and the scores of the suite.

    Examples
    --------
    >>> from shearer.yardstick import Effort, run, summary
    >>> found = run(suites=["interaction"], methods=["product term"], quick=True, effort=Effort(5, 5), isolated=False)
    >>> summary(found, "interaction")[0]["method"]
    'product term'
    """
    held = document["suites"][suite]
    designs = {design["name"]: design for design in held["designs"] if keep is None or keep(design)}
    cells: dict[str, dict[str, Cell]] = {}
    for cell in document["cells"]:
        if cell["suite"] == suite and cell["design"] in designs:
            cells.setdefault(cell["method"], {})[cell["design"]] = cell
    level = document["settings"]["level"]
    pending = {name: _pending(document["methods"][name], suite, designs, own) for name, own in cells.items()}
    if suite == "scaling":
        rows = [_scaling(name, own, designs) for name, own in cells.items()]
        rows.sort(key=lambda row: math.inf if row["seconds"] is None else row["seconds"])
    elif suite == "tables":
        rows = table_scores(cells, designs)
    elif held["task"] == "strength":
        rows = strength_scores(cells, designs)
    else:
        rows = _test_scores(cells, designs, level, pending)
    rank = 0
    for row in rows:
        row["ours"] = bool(document["methods"][row["method"]].get("ours"))
        row["pending"] = len(pending[row["method"]])
        unranked = bool(row.get("marked")) or row["pending"] > 0
        rank += not unranked
        row["rank"] = None if unranked else rank
    return sorted(rows, key=lambda row: (bool(row.get("marked")), row["pending"] > 0))


def _pending(
    method: Mapping[str, Any], suite: str, designs: Mapping[str, Any], own: Mapping[str, Cell]
) -> frozenset[str]:
    """Designs that a method takes and that were not run yet."""
    untaken = method.get("untaken", {}).get(suite, designs)
    return frozenset(name for name in designs if name not in own and name not in untaken)


def upper_tail(count: int, trials: int, rate: float) -> float:
    """The probability of so many rejections or more.

    Examples
    --------
    >>> round(upper_tail(2, 3, 0.5), 3)
    0.5
    """
    from scipy.special import betainc

    return 1.0 if count <= 0 else float(betainc(count, trials - count + 1, rate))


def _test_scores(
    cells: Cells, designs: Mapping[str, Any], level: float, pending: Mapping[str, frozenset[str]]
) -> list[dict[str, Any]]:
    nulls = [name for name, design in designs.items() if design["null"]]
    others = [name for name, design in designs.items() if design["null"] is False]
    rows = [_level_row(name, own, nulls, level) for name, own in cells.items()]
    trusted = [row["method"] for row in rows if not row["marked"]]
    best = {name: _best(cells, trusted, name) for name in others}
    for row in rows:
        run = [name for name in others if name not in pending[row["method"]]]
        row |= _power_row(cells[row["method"]], run, best)
    rows.sort(key=lambda row: (-(row["power"] or 0.0), row["method"]))
    return rows


def _level_row(name: str, own: Mapping[str, Cell], nulls: Sequence[str], level: float) -> dict[str, Any]:
    """Rejections of true hypotheses, and the designs on which there are too many."""
    asked = [own[design] for design in nulls if design in own and own[design]["trials"]]
    allowed = MARK / max(len(asked), 1)
    marked = [
        cell["design"] for cell in asked if upper_tail(cell["rejected"], cell["trials"], ROBUST * level) < allowed
    ]
    rates = [cell["rate"] for cell in asked]
    return {
        "method": name,
        "marked": marked,
        "level": float(np.mean(rates)) if rates else None,
        "level_error": _error(asked),
        "level_worst": max(rates, default=None),
        "null_trials": sum(cell["trials"] for cell in asked),
        "seconds": _middle(cell["seconds"] for cell in own.values()),
        "unanswered": sum(cell["trials"] - cell["answered"] for cell in own.values()),
        "stopped": sum(cell["status"] != "done" for cell in own.values()),
    }


def _best(cells: Cells, trusted: Iterable[str], design: str) -> tuple[float, str | None]:
    """The largest power on a design among methods that hold their level, and whose it is."""
    found = [
        (cells[name][design]["rate"], name)
        for name in trusted
        if design in cells[name] and cells[name][design]["trials"] >= FEWEST_TRIALS
    ]
    return max(found, default=(0.0, None))


def _power_row(
    own: Mapping[str, Cell], others: Sequence[str], best: Mapping[str, tuple[float, str | None]]
) -> dict[str, Any]:
    """A design that a method does not take counts as one that it never finds."""
    asked = [own[name] for name in others if name in own and own[name]["trials"]]
    rates = {cell["design"]: cell["rate"] for cell in asked}
    regrets = {name: max(0.0, best[name][0] - rates.get(name, 0.0)) for name in others}
    worst = max(regrets, key=lambda name: regrets[name], default=None)
    error = _error(asked)
    return {
        "power": sum(rates.values()) / len(others) if others else None,
        "power_error": None if error is None or not others else error * len(asked) / len(others),
        "power_asked": float(np.mean(list(rates.values()))) if rates else None,
        "asked": len(asked),
        "designs": len(others),
        "regret": float(np.mean(list(regrets.values()))) if regrets else None,
        "worst": worst,
        "worst_regret": regrets[worst] if worst is not None else None,
        "trials": [min((c["trials"] for c in asked), default=0), max((c["trials"] for c in asked), default=0)],
    }


def _error(cells: Sequence[Cell]) -> float | None:
    """The Monte Carlo error of a mean of rates, each shrunk to the middle, so that 0 and 1 have one too."""
    if not cells:
        return None
    rates = [(cell["rejected"] + 0.5) / (cell["trials"] + 1) for cell in cells]
    variances = [rate * (1 - rate) / cell["trials"] for rate, cell in zip(rates, cells, strict=True)]
    return math.sqrt(sum(variances)) / len(cells)


def _scaling(name: str, own: Mapping[str, Cell], designs: Mapping[str, Any]) -> dict[str, Any]:
    """Seconds at 1000 rows, and exponents of their growth from 300 rows on, and with columns."""
    times = {
        family: sorted(
            (designs[design]["place"], cell["seconds"])
            for design, cell in own.items()
            if designs[design]["family"] == family and cell["seconds"]
        )
        for family in ("rows", "columns")
    }
    known = dict(times["rows"])
    return {
        "method": name,
        "seconds": known.get(1000.0),
        "most_rows": max(known, default=None),
        "growth": _slope([pair for pair in times["rows"] if pair[0] >= 300]),
        "growth_columns": _slope(times["columns"]),
        "times": times["rows"],
        "stopped": sum(cell["status"] != "done" for cell in own.values()),
    }


def _slope(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < 2:
        return None
    x, y = np.log(np.array(pairs, dtype=float)).T
    return float(np.polyfit(x, y, 1)[0])


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


def losses(document: Mapping[str, Any], suite: str) -> list[dict[str, Any]]:
    """Alternatives on which a rival has more power than the first of ours, beyond chance.

    Beyond chance: by more than twice the Monte Carlo error of the difference, which counts both as independent. Where
    no rival that holds its level does, one that does not is named, and marked.

    Parameters
    ----------
    document : mapping
        A result.
    suite : str
        One whose methods are tests.

    Returns
    -------
    list of dict
        "design", "ours", "own" (its power), "rival", "power", "marked"; rivals that hold their level first, and the
        largest difference first among these and among the others.
    """
    ours = next((name for name, method in document["methods"].items() if _plays(document, name, method, suite)), None)
    if ours is None or document["suites"][suite]["task"] == "strength":
        return []
    marks = {row["method"]: bool(row.get("marked")) for row in summary(document, suite) if not row["ours"]}
    cells = {(cell["method"], cell["design"]): cell for cell in document["cells"] if cell["suite"] == suite}
    found = []
    for design in document["suites"][suite]["designs"]:
        own = cells.get((ours, design["name"]))
        if own is None or design["null"] is not False or not own["trials"]:
            continue
        for marked in (False, True):
            rivals = [cells.get((name, design["name"])) for name, mark in marks.items() if mark == marked]
            known = [cell for cell in rivals if cell is not None and cell["trials"] >= FEWEST_TRIALS]
            best = max(known, key=lambda cell: (cell["rate"], cell["method"]), default=None)
            if best is not None and _beyond(best, own):
                found.append(
                    {"design": design["name"], "ours": ours, "own": own["rate"], "rival": best["method"],
                     "power": best["rate"], "marked": marked}
                )  # fmt: skip
                break
    return sorted(found, key=lambda one: (one["marked"], one["own"] - one["power"]))


def _beyond(best: Cell, own: Cell) -> bool:
    """Whether the first rejects more, by twice the error of the difference."""
    spread = math.hypot(*((_error([cell]) or 0.0) for cell in (own, best)))
    return bool(best["rate"] - own["rate"] > 2 * spread)


def _plays(document: Mapping[str, Any], name: str, method: Mapping[str, Any], suite: str) -> bool:
    return bool(method.get("ours")) and any(
        cell["suite"] == suite and cell["method"] == name for cell in document["cells"]
    )
