"""A comparison of two tall tables beside scans of pairs of each, in processor time of fresh processes."""

from benchmarks.cases import PEAK, Case, child

_MAKE = """
import json, sys, time
import numpy as np
rows = int(sys.argv[1])
def table(seed, slope):
    x = np.random.default_rng(seed).normal(size=(rows, 10))
    x[:, 1] += slope * x[:, 0]
    return {f"x{k}": x[:, k] for k in range(10)}
"""

_SCANS = f"""{_MAKE}
from shearer.data import read
from shearer.pairs.engine import PairTests
tables = [read(table(seed, seed)) for seed in range(2)]
start = time.process_time()
for one in tables:
    PairTests.of(one).judged(slice(None), slice(None), progress=False)
print(json.dumps({{"seconds": time.process_time() - start, "peak": {PEAK}}}))
"""

_COMPARE = f"""{_MAKE}
import shearer as sh
tables = [table(seed, seed) for seed in range(2)]
start = time.process_time()
found = sh.compare(*tables, progress=False)
assert found.document["pairs"][0]["reported"]
print(json.dumps({{"seconds": time.process_time() - start, "peak": {PEAK}}}))
"""

_CHUNKS = f"""{_MAKE}
import tempfile
from pathlib import Path
import polars as pl
import shearer as sh
with tempfile.TemporaryDirectory() as folder:
    paths = [Path(folder) / f"{{seed}}.parquet" for seed in range(2)]
    for seed, path in enumerate(paths):
        pl.DataFrame(table(seed, seed)).write_parquet(path, row_group_size=65536)
    start = time.process_time()
    found = sh.compare(*paths, progress=False)
    assert found.document["pairs"][0]["reported"]
    print(json.dumps({{"seconds": time.process_time() - start, "peak": {PEAK}}}))
"""


def run() -> list[Case]:
    scans, compared, chunked = (child(code, "1000000") for code in (_SCANS, _COMPARE, _CHUNKS))
    note = "processor seconds of p-values and strengths of all pairs of both tables"
    return [
        Case("compare, 1,000,000 x 10 each", compared["seconds"], scans["seconds"], "s", at_most=2.0, note=note),
        Case("the same from files in chunks", chunked["seconds"], scans["seconds"], "s", at_most=2.0, note=note),
        Case("the same: peak memory", chunked["peak"], compared["peak"], "MiB", note="tables in memory"),
    ]
