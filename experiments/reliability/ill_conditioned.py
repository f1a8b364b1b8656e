"""Entropies and measures of ill-conditioned tables against a computation with 250 digits.

Tables of a few rows whose rows are nearly equal, far apart, far from 0 or of sizes that floats hardly hold, at widths
that make every row alike or none; orders near 0, near 1 and large. The exact values come from mpmath, from the floats
as they are; see tests/reference/oracle.py. Default widths are medians of exact distances.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

import shearer as sh
from tests.reference import oracle

Floats = NDArray[np.float64]
Values = dict[str, tuple[float, mp.mpf]]

#: Digits: eigenvalues of nearly equal rows are far below 1e-50, and count at orders near 0.
DIGITS = 250
ORDERS = (0.0, 1e-6, 0.01, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12, 1.0, 1 + 1e-12, 1 + 1e-6, 1.01, 2.0, 3.0, 40.0, 1e4, 1e8)
#: From here on round-off of eigenvalues is not amplified, and values are compared; below, bounds alone say how far off.
LEAST_ORDER = 1 - 1e-6
#: Error in bits of an entropy or measure; of a normalised measure times what it is divided by, in bits.
BITS = 1e-12
#: By what bounds may be missed: their own round-off.
SLACK = 1e-12
ROWS = 10


def tables() -> dict[str, tuple[dict[str, Floats], float | None]]:
    """Name -> three variables, and their width where it is not the default."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=ROWS)
    y = x**2 + 0.3 * rng.normal(size=ROWS)
    z = rng.normal(size=ROWS)
    plain = {"x": x, "y": y, "z": z}
    few = {name: np.tile(column[:3], 4)[:ROWS] for name, column in plain.items()}

    def of(change: Any) -> dict[str, Floats]:
        return {name: change(column) for name, column in plain.items()}

    far = np.where(np.arange(ROWS) % 2, 1e8, 0.0)
    return {
        "ordinary": (plain, None),
        "rows that differ by 1e-12": ({name: own * (1 + 1e-12 * x) for name, own in few.items()}, None),
        "rows that differ by the last digit": (
            {name: np.where(np.arange(ROWS) < 3, own, np.nextafter(own, 9.0)) for name, own in few.items()},
            None,
        ),
        "scale 1e-150": (of(lambda own: 1e-150 * own), None),
        "scale 1e150": (of(lambda own: 1e150 * own), None),
        "scales 1e-150, 1 and 1e150": ({"x": 1e-150 * x, "y": y, "z": 1e150 * z}, None),
        "offset 1e12": (of(lambda own: 1e12 + own), None),
        "offset -1e12 and scale 1e-3": (of(lambda own: -1e12 + 1e-3 * own), None),
        "two clusters 1e8 apart": (of(lambda own: own + far), None),
        "two clusters 1e8 apart, width 1": (of(lambda own: own + far), 1.0),
        "one row 1e12 away": (of(lambda own: np.where(np.arange(ROWS) == 4, 1e12, own)), None),
        "heavy tails": (of(lambda own: np.sinh(20 * own)), None),
        "width 1e-9": (plain, 1e-9),
        "width 0.05": (plain, 0.05),
        "width 1e3": (plain, 1e3),
        "width 1e6": (plain, 1e6),
        "width 1e9": (plain, 1e9),
        "two constants": ({"x": np.full(ROWS, 3.7), "y": np.full(ROWS, -1e12), "z": z}, None),
        "constant but for 1e-13": (of(lambda own: 1.0 + 1e-13 * own), 1.0),
        "20 coordinates at 1e6": (
            {name: 1e6 + rng.normal(size=(ROWS, 20)) for name in "xyz"},
            None,
        ),
    }


def exact_width(values: Floats) -> mp.mpf:
    """Median of the distances that are not 0."""
    rows = [[mp.mpf(float(v)) for v in row] for row in values]
    pairs = (mp.sqrt(mp.fsum((a - b) ** 2 for a, b in zip(*two, strict=True))) for two in combinations(rows, 2))
    found = sorted(distance for distance in pairs if distance > 0)
    if not found:
        return mp.mpf(1)
    return (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2


def measured(noun: Any, exact: oracle.Oracle) -> Iterator[tuple[str, Callable[[], Any], mp.mpf, mp.mpf]]:
    """Name of a measure, what estimates it, the exact value, and what a normalised one is divided by (1 for bits)."""
    one = mp.mpf(1)
    yield "entropy", noun.entropy, exact.entropy(0, 1, 2), one
    yield "entropy of x", partial(noun.entropy, "x"), exact.entropy(0), one
    marginals = [exact.entropy(i) for i in range(3)]
    for measure, names, by in (
        ("total_correlation", (), mp.fsum(marginals) - max(marginals)),
        ("dual_total_correlation", (), exact.entropy(0, 1, 2)),
        ("mutual_information", ("x", "y"), max(marginals[:2])),
    ):
        estimate = getattr(noun, measure)
        yield f"{measure} in bits", partial(estimate, *names, normalize=False), getattr(exact, measure)(False), one
        if by > mp.mpf(10) ** (20 - DIGITS):  # not of constants
            yield measure, partial(estimate, *names), getattr(exact, measure)(True), by
    yield "o_information", noun.o_information, exact.o_information(), one
    yield "co_information", noun.co_information, exact.co_information(), one


def oracle_of(data: dict[str, Floats], width: float | None) -> oracle.Oracle:
    """Of the exact kernels."""
    blocks = [own.reshape(len(own), -1) for own in data.values()]
    widths = [exact_width(own) if width is None else mp.mpf(width) for own in blocks]
    return oracle.Oracle([oracle.gaussian(own, by) for own, by in zip(blocks, widths, strict=True)], 1)


def study(name: str) -> dict[str, Any]:
    """Largest errors of one table over orders, measures and routes, and bounds that do not hold."""
    data, width = tables()[name]
    kernel = None if width is None else sh.kernels.Gaussian(width)
    found: dict[str, Any] = {"digits": DIGITS, "promised": BITS, "values": 0, "refused": 0, "outside": [], "far": []}
    found |= dict.fromkeys(("bits", "share", "pairs"), 0.0)
    with mp.workdps(DIGITS):
        every = oracle_of(data, width)
        for order in (*ORDERS, math.inf):
            exact = every.at(mp.inf if math.isinf(order) else mp.mpf(order))
            for tol in (None, 1e-6):
                noun = sh.Dependence(data, kernel=kernel, alpha=order, **({} if tol is None else {"tol": tol}))
                for measure, estimate, value, by in measured(noun, exact):
                    where = f"{measure}, order {order!r}" + ("" if tol is None else f", tol {tol}")
                    _compare(where, estimate, value, by, None if order < LEAST_ORDER else tol or 0.0, found)
            if order >= LEAST_ORDER:
                screened(data, kernel, order, exact, found)
    found["good"] = not found["outside"] and not found["far"]
    return found


def _compare(
    where: str,
    estimate: Callable[[], Any],
    value: mp.mpf,
    by: mp.mpf,
    tol: float | None,
    found: dict[str, Any],
) -> None:
    """Bounds hold, and the value is within what was asked for, where that is known (`tol`)."""
    try:
        own = estimate()
    except sh.ToleranceError:  # said in words: round-off leaves no bounds so narrow
        found["refused"] += 1
        return
    found["values"] += 1
    shown = f"{where}: {own} and {mp.nstr(value, 20)}"
    if not own.lower - SLACK / by <= value <= own.upper + SLACK / by:
        found["outside"].append(shown)
    if tol is None:
        return
    error = float(abs(mp.mpf(float(own.value)) - value))
    if tol == 0.0:
        kind, error = ("bits" if by == 1 else "share"), error * float(by)
        found[kind] = max(found[kind], error)
    if error > max(tol, BITS):
        found["far"].append(shown)


def screened(data: dict[str, Floats], kernel: Any, order: float, exact: oracle.Oracle, found: dict[str, Any]) -> None:
    """`pairwise` of the same table, in bits."""
    result = sh.pairwise(data, kernel=kernel, alpha=order, normalize=False)
    for i, j in combinations(range(3), 2):
        value = exact.entropy(i) + exact.entropy(j) - exact.entropy(i, j)
        error = float(abs(mp.mpf(float(result.value[i, j])) - value))
        found["values"] += 1
        found["pairs"] = max(found["pairs"], error)
        if error > BITS + result.error:
            found["far"].append(f"pair {i}, {j}, order {order!r}: {result.value[i, j]!r} and {mp.nstr(value, 20)}")
