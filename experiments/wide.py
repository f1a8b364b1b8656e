"""A scan of 100 columns by 10,000 to 1,000,000 rows that are read from files in chunks, within a budget of memory.

usage: python -m experiments.wide [--quick] [--only ROWS ...]

Twenty pairs depend (y = x^2 / 10 + noise, labels that shift a mean), all others do not. Each size runs in a process of
its own, from Parquet files in a temporary folder. Writes experiments/results/wide.json after every size, and goes on
where it stopped.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from experiments import records

COLUMNS, BUDGET = 100, "2GB"
SIZES = ("10000", "100000", "1000000")
FILE_ROWS = 50_000
SCAN = """
import json, sys, time, warnings
import shearer as sh
from shearer.sketching import open_rows
started = time.perf_counter()
found = sh.scan(open_rows(sys.argv[1]), order=2, top=5, memory=sys.argv[2], progress=False).document
peak = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
pairs = [pair["variables"] for pair in found["pairs"] if pair["reported"]]
true = sum(a[1:] == b[1:] for a, b in pairs)
print(json.dumps({
    "rows": found["settings"]["rows"], "wall": time.perf_counter() - started, "cpu": time.process_time(),
    "peak": peak, "reported": len(pairs), "true": true,
}))
"""


def part(number: int, rows: int) -> pl.DataFrame:
    """Rows of one file; x7 goes with y7 and so on for twenty of fifty."""
    rng = np.random.default_rng([100, number])
    columns: dict[str, np.ndarray] = {}
    for k in range(COLUMNS // 2):
        x = rng.normal(size=rows)
        y = rng.normal(size=rows)
        if k < 10:
            y += x**2 / 10
        elif k < 20:
            x = rng.integers(0, 4, size=rows)
            y += (x == 1) / 4
        columns |= {f"x{k}": x if k < 10 or k >= 20 else np.array(list("abcd"))[x], f"y{k}": y}
    return pl.DataFrame(columns)


def study(case: str, quick: bool) -> dict:
    """Write the files and scan them in a fresh process."""
    rows = int(case) // (10 if quick else 1)
    with tempfile.TemporaryDirectory() as folder:
        size = min(rows, FILE_ROWS)
        for number in range(rows // size):
            part(number, size).write_parquet(Path(folder) / f"part-{number:03d}.parquet")
        command = [sys.executable, "-c", SCAN, f"{folder}/part-*.parquet", BUDGET]
        found = json.loads(subprocess.check_output(command))
    return {"columns": COLUMNS, "budget": BUDGET, **found}


if __name__ == "__main__":
    sys.exit(records.run("wide", __doc__, SIZES, study))
