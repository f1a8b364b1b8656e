"""Counts of cases that one run adds to those of others before it, in one file, written again and again on the way."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shearer._files.writing import replace_file


def known_of(path: Path, seed: int) -> dict[str, Any]:
    """What earlier runs with this seed have written; nothing if there was none."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found if found.get("seed") == seed else {}


def joined(one: dict[str, Any], other: dict[str, Any], largest: tuple[str, ...] = ()) -> dict[str, Any]:
    """Counts added up at every depth, lists put together; of some entries the larger, of truth values whether any is.

    Examples
    --------
    >>> joined({"n": 1, "ends": {"a": 2}, "worst": 3}, {"n": 4, "ends": {"b": 1}, "worst": 2}, ("worst",))
    {'n': 5, 'ends': {'a': 2, 'b': 1}, 'worst': 3}
    """
    found = dict(one)
    for key, value in other.items():
        if key not in found or key == "seed":
            found[key] = value
        elif isinstance(value, dict):
            found[key] = joined(found[key], value, largest)
        elif isinstance(value, bool):
            found[key] = found[key] or value
        else:
            found[key] = max(found[key], value) if key in largest else found[key] + value
    return found


def write(path: Path, found: dict[str, Any]) -> None:
    """Whole, or not at all."""
    replace_file(path, (json.dumps(found, indent=1) + "\n").encode())


def run_batches(
    path: Path,
    run: Callable[[range, float, int], dict[str, Any]],
    *,
    cases: int,
    batch: int,
    minutes: float,
    seed: int,
    largest: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Go on with cases after those of earlier runs, batch after batch, until all are done or the time is over.

    Parameters
    ----------
    path : Path
        Where counts are written after every batch.
    run : callable
        Cases, minutes that are left, and seed -> counts.
    cases, batch : int
        How many there shall be in all, and at a time.
    minutes : float
        Of this run.
    seed : int
        Of the cases.
    largest : tuple of str
        As in `joined`.
    """
    started, found = time.monotonic(), known_of(path, seed)
    while found.get("cases", 0) < cases:
        left = minutes - (time.monotonic() - started) / 60
        if left <= 0:
            break
        first = found.get("cases", 0)
        found = joined(found, run(range(first, min(first + batch, cases)), left, seed), largest)
        write(path, found)
    return found
