"""The rows that a page draws: thinned, numbers in 65,535 steps, rare labels joined."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shearer._validate import check_names, describe, type_error, value_error
from shearer.report.page.packing import pack
from shearer.report.wording import plain_name

_MOST_ROWS = 1000
_MOST_CELLS = 400_000
_MOST_LEVELS = 10
_LONGEST_LEVEL = 60
# The step that stands for a missing value, and the last that stands for one.
_MISSING = 65535
_LAST = 65534
# Beyond this many times the middle 98 %, a number is drawn at the edge.
_FAR = 4.0


def pack_sample(sample: Any, columns: Sequence[Mapping[str, Any]], *, consecutive: bool) -> dict[str, Any] | None:
    """The sample for the page, or None if there is none.

    Parameters
    ----------
    sample : mapping or None
        ``{"rows": m, "columns": {name: {"values": [...]} or {"codes": [...], "levels": [...]}}}``, a "label" optional,
        as is the "total" of the rows they were taken from.
    columns : sequence of mapping
        The columns of the document.
    consecutive : bool
        Keep neighbouring rows together, as lags need; else rows are thinned at random, always in the same way.
    """
    if sample is None:
        return None
    if not isinstance(sample, Mapping) or not {"rows", "columns"} <= set(sample):
        raise type_error("sample", 'a mapping with "rows" and "columns"', describe(sample))
    names = [column["name"] for column in columns]
    check_names("sample", sample["columns"], names)
    rows = int(sample["rows"])
    most = max(1, min(_MOST_ROWS, _MOST_CELLS // max(1, len(sample["columns"]))))
    if rows <= most or consecutive:
        chosen = np.arange(min(rows, most))
    else:
        chosen = np.sort(np.random.default_rng(0).choice(rows, size=most, replace=False))
    packed = [_pack_column(name, sample["columns"].get(name), rows, chosen) for name in names]
    return {"rows": len(chosen), "total": int(sample.get("total", rows)), "columns": packed}


def _pack_column(name: str, column: Any, rows: int, chosen: NDArray[np.intp]) -> dict[str, Any] | None:
    if column is None:
        return None
    entries = column["values"] if "values" in column else column["codes"]
    if len(entries) != rows:
        raise value_error("sample", f"{rows} entries in {describe(name)}", f"{len(entries)}")
    numbers = np.array(entries, dtype=np.float64)
    packed = _numbers(numbers, chosen) if "values" in column else _labels(numbers, column["levels"], chosen)
    return packed | ({"label": plain_name(str(column["label"]))} if column.get("label") else {})


def _numbers(values: NDArray[np.float64], chosen: NDArray[np.intp]) -> dict[str, Any]:
    """Steps between the smallest and the largest that are not far out."""
    known = values[np.isfinite(values)]
    low, high = _range(known)
    span = max(high / 2 - low / 2, np.finfo(float).tiny)  # halves: the range of doubles is not a double
    with np.errstate(invalid="ignore", over="ignore"):
        share = np.clip((values / 2 - low / 2) / span, 0.0, 1.0)
    steps = np.where(np.isfinite(values), np.round(_LAST * np.nan_to_num(share)), _MISSING)
    outside = int(((known < low) | (known > high)).sum())
    return {"low": low, "high": high, "outside": outside, "steps": pack(steps[chosen], "Uint16")}


def _range(known: NDArray[np.float64]) -> tuple[float, float]:
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    with np.errstate(over="ignore", invalid="ignore"):
        near_low, near_high = (float(edge) for edge in np.quantile(known, [0.01, 0.99]))
        room = _FAR * (near_high - near_low)
    if np.isfinite(room) and room > 0:
        low, high = max(low, near_low - room), min(high, near_high + room)
    if low == high:
        # A constant stands in the middle of a range that holds it.
        half = 0.5 * max(abs(low), 1.0) if abs(low) < 1e300 else 0.0
        low, high = low - half, high + half
    return low, high


def _labels(codes: NDArray[np.float64], levels: Sequence[str], chosen: NDArray[np.intp]) -> dict[str, Any]:
    """The most frequent labels in their order, the others as one."""
    known = codes[np.isfinite(codes)].astype(np.intp)
    if known.size and not (known.min() >= 0 and known.max() < len(levels)):
        raise value_error("sample", f"codes from 0 to {len(levels) - 1}", f"{known.min()} to {known.max()}")
    frequency = np.bincount(known, minlength=len(levels))
    present = np.flatnonzero(frequency)
    kept = np.sort(present[np.argsort(-frequency[present], kind="stable")[:_MOST_LEVELS]])
    texts = [plain_name(str(levels[level]), _LONGEST_LEVEL) for level in kept]
    if len(kept) < len(present):
        texts.append(plain_name(f"{len(present) - len(kept):,} others"))
    place = np.full(len(levels) + 1, len(kept))
    place[kept] = np.arange(len(kept))
    steps = np.where(np.isfinite(codes), place[np.nan_to_num(codes).astype(np.intp)], _MISSING)
    return {"levels": texts, "steps": pack(steps[chosen], "Uint16")}
