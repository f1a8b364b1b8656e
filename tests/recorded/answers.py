"""How answers are written down and compared: plain lists, numbers and strings.

A key may state a tolerance, as in ``value ~1e-06``: of numbers that are promised to no more than that, or whose last
digits are those of round-off, as records made with other instructions of the processor show. Keys that name p-values or
q-values are compared by their logarithms, to 1e-6 where none is stated. All other numbers agree to 1e-10.
"""

import math
import re

import numpy as np

# Numbers, absolute or in relation to their size; logarithms of p-values.
VALUE = 1e-10
LOG_P = 1e-6
# Below, logarithms of p-values are compared in relation to their size.
SMALL_LOG = math.log(1e-20)
# Larger arrays are recorded by some of their entries, and their sums.
MOST = 60


class Cases(dict):
    """Cases by name: functions without arguments that answer with a flat mapping."""

    def add(self, name, function, *arguments, **options):
        if name in self:
            raise ValueError(f"two cases are called {name}")
        self[name] = lambda: plain(function(*arguments, **options))


def plain(answer):
    """As JSON has it; what is not finite by its name."""
    if isinstance(answer, dict):
        return {str(key): plain(value) for key, value in answer.items()}
    if isinstance(answer, np.ndarray):
        return plain(answer.tolist())
    if isinstance(answer, list | tuple):
        return [plain(value) for value in answer]
    if answer is None or isinstance(answer, str):
        return answer
    if isinstance(answer, bool | np.bool_):
        return str(bool(answer))
    if isinstance(answer, int | np.integer):
        return int(answer)
    number = float(answer)
    return number if math.isfinite(number) else str(number)


def entries(name, array, most=MOST):
    """A whole array if it is small; else its first and last entries, some between, and sums."""
    array = np.asarray(array, dtype=np.float64)
    if array.size <= most:
        return {name: array}
    flat = array.reshape(-1)
    places = np.linspace(0, flat.size - 1, 25).astype(int)
    found = {f"{name}, some": flat[places], f"{name}, nan": int(np.isnan(flat).sum())}
    if "value" in name and name.startswith(("p", "q")):
        with np.errstate(divide="ignore"):
            found[f"{name.replace('value', '')}, mean log ~1e-06"] = np.nanmean(np.maximum(np.log(flat), -600))
        return found
    return found | {f"{name}, mean": np.nanmean(flat), f"{name}, mean square": np.nanmean(flat**2)}


def upper(matrix):
    """The entries of a symmetric matrix above its diagonal."""
    matrix = np.asarray(matrix)
    return matrix[np.triu_indices(len(matrix), 1)]


def tolerance_of(key):
    """The tolerance that a key states, else None."""
    stated = re.search(r" ~([-0-9.e]+)", key)
    return float(stated[1]) if stated else None


def differences(recorded, found):
    """What disagrees, in words; empty if nothing does."""
    if list(recorded) != list(found):
        return [f"keys: {sorted(set(recorded) ^ set(found)) or 'another order'}"]
    return [line for key in recorded for line in _compare(key, key, recorded[key], found[key])]


def _compare(key, place, old, new):
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(old, new, strict=True)
        return [line for k, (a, b) in enumerate(pairs) for line in _compare(key, f"{place}[{k}]", a, b)]
    numbers = all(isinstance(value, int | float) for value in (old, new))
    if not numbers:
        return [] if old == new else [f"{place}: {old!r} became {new!r}"]
    off, allowed = distance(key, old, new)
    return (
        [] if off <= allowed else [f"{place}: {old!r} became {new!r}, off by {off:.2g} where {allowed:.2g} is allowed"]
    )


def distance(key, old, new):
    """How far two numbers are apart, and how far they may be."""
    stated = tolerance_of(key)
    if "pvalue" in key or "qvalue" in key:
        if old <= 0 or new <= 0:
            return (0.0 if old == new else math.inf), 0.0
        logs = math.log(old), math.log(new)
        allowed = LOG_P * max(1.0, logs[0] / SMALL_LOG) if stated is None else stated * max(1.0, -logs[0])
        return abs(logs[0] - logs[1]), allowed
    return abs(old - new), (VALUE if stated is None else stated) * max(1.0, abs(old))
