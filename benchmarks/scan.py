"""Scans beside other people's loops over all pairs, and beside themselves with missing values."""

import time
from itertools import combinations

import numpy as np

import shearer as sh
from benchmarks.cases import PEAK, Case, best, child
from shearer.data import read
from shearer.pairs.engine import PairTests

EVERY = slice(None), slice(None)

_ONE = """
import json, time
import numpy as np
import shearer as sh
rng = np.random.default_rng(0)
table = rng.normal(size=(5000, 30))
table[:, 1] += table[:, 0]
table[:, 5] = np.sign(table[:, 6] * table[:, 7]) * abs(table[:, 5])
sh.scan({"x": rng.normal(size=60), "y": rng.normal(size=60), "z": rng.normal(size=60)}, progress=False)
start = time.perf_counter()
sh.scan(table, progress=False).to_html()
print(json.dumps({"seconds": time.perf_counter() - start}))
"""

_TALL = f"""
import json, sys, time
import numpy as np
from shearer.data import read
from shearer.pairs.engine import PairTests
rows = int(sys.argv[1])
table = read(np.random.default_rng(0).normal(size=(rows, 10)))
start = time.perf_counter()
PairTests.of(table, memory="1GB").pvalues(slice(None), slice(None))
print(json.dumps({{"seconds": time.perf_counter() - start, "peak": {PEAK}}}))
"""


def against_rivals(table: np.ndarray) -> list[Case]:
    """All rows of 5000 x 30: p-values of all pairs, and a whole scan with its page."""
    import dcor
    from sklearn.feature_selection import mutual_info_regression

    whole = read(table)
    PairTests.of(read(table[:100])).pvalues(*EVERY)
    ours = best(lambda: PairTests.of(whole).pvalues(*EVERY), 2)
    dcor.distance_correlation(table[:50, 0], table[:50, 1])
    loop = best(
        lambda: [
            dcor.distance_correlation(table[:, i], table[:, j]) for i, j in combinations(range(table.shape[1]), 2)
        ],
        2,
    )
    cases = [Case("p-values of all pairs, 5000 x 30", ours, loop, "s", at_most=1.5, note="dcor, values in a loop")]
    start = time.perf_counter()
    for target in range(table.shape[1]):
        mutual_info_regression(np.delete(table, target, axis=1), table[:, target], random_state=0)
    ksg = time.perf_counter() - start
    whole = child(_ONE)["seconds"]
    note = "scikit-learn's mutual_info_regression over all targets; ours with triples, intervals and page"
    return [*cases, Case("default scan, 5000 x 30", whole, ksg, "s", at_most=1.0, note=note)]


def with_missing_values() -> Case:
    """5000 x 15 with labels, a tenth of the values missing, against the same without."""
    rng = np.random.default_rng(0)
    table = {f"x{k}": rng.normal(size=5000) for k in range(10)}
    labels = {f"l{k}": rng.choice(list("abcd"), size=5000).astype(object) for k in range(5)}
    seconds = []
    for share in (0.0, 0.1):
        for column in (table | labels).values():
            gaps = rng.random(5000) < share
            column[gaps] = None if column.dtype == object else np.nan
        seconds.append(best(lambda: sh.scan(table | labels, top=0, progress=False), 1))
    return Case("scan, 5000 x 15, a tenth missing", seconds[1], seconds[0], "s", at_most=3.0, note="without gaps")


def tall() -> list[Case]:
    """A million rows of 10 columns: time against ten thousand, and memory."""
    few, many = (child(_TALL, str(rows)) for rows in (10_000, 1_000_000))
    slope = np.log(many["seconds"] / few["seconds"]) / np.log(100)
    return [
        Case("pairs of 1,000,000 x 10: slope in rows", float(slope), 1.0, "", at_most=1.1, note="from 10,000 rows"),
        Case("the same: seconds", many["seconds"], few["seconds"], "s", note="10,000 rows"),
        Case("the same: peak memory", many["peak"], 2048.0, "MiB", at_most=1.0, note="2 GiB"),
    ]


def run() -> list[Case]:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(5000, 30))
    table[:, 1] += table[:, 0]
    return [*against_rivals(table), with_missing_values(), *tall()]
