"""One hundred million rows, generated chunk by chunk, through one sketch: constant memory, time in proportion.

usage: python -m experiments.rows [--rows N] [--fresh]

Two normal variables of correlation 0.7, I* with certified bounds. The sketch itself is the checkpoint: it is saved
every million rows beside the results (not committed), and a run goes on from it. Writes experiments/results/rows.json.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

import shearer as sh

RESULTS = Path(__file__).parent / "results"
CHUNK = 250_000
# Chunks between two checkpoints, and rows at which a record is written.
EVERY = 4
SIZES = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)


def chunk(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that depend on the number of their chunk alone."""
    x, noise = np.random.default_rng([2021, number]).normal(size=(2, CHUNK))
    return x, 0.7 * x + np.sqrt(1 - 0.49) * noise


def memory() -> float:
    """Resident memory of this process now, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def run(rows: int, fresh: bool) -> dict:
    """Add rows to the sketch, from where it stands."""
    path, state = RESULTS / "rows.json", RESULTS / "rows_sketch.npz"
    if fresh or not (path.exists() and state.exists()):
        x, y = chunk(10**9)
        sketch = sh.Sketch.like(x[:4096], y[:4096], measures=("mutual_information",), tol=1e-3)
        result: dict = {
            "chunk": CHUNK,
            "landmarks": sketch.landmarks,
            "done": 0,
            "cpu": 0.0,
            "wall": 0.0,
            "records": [],
        }
    else:
        sketch, result = sh.Sketch.load(state), json.loads(path.read_text())
    while result["done"] < rows:
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(EVERY):
            sketch.update(*chunk(result["done"] // CHUNK))
            result["done"] += CHUNK
        result["wall"] += time.perf_counter() - wall
        result["cpu"] += time.process_time() - cpu
        if result["done"] in SIZES:
            found = sketch.mutual_information()
            record = {"rows": sketch.rows, "wall": result["wall"], "cpu": result["cpu"], "memory": memory()}
            record |= {"value": float(found), "width": found.width, "rows_per_cpu_second": sketch.rows / result["cpu"]}
            result["records"].append(record)
            print(json.dumps(record), file=sys.stderr, flush=True)
        sketch.save(state)
        path.write_text(json.dumps(result, indent=1) + "\n")
    return result


def main() -> int:
    """Parse the command line, run, print rows per second and the slope."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=SIZES[-1], help="how many in all; a multiple of a million")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    options = parser.parse_args()
    records = run(options.rows, options.fresh)["records"]
    for record in records:
        speed = f"{record['rows_per_cpu_second']:,.0f} rows a second"
        print(f"{record['rows']:>11,} rows: {speed}, {record['memory']:.0f} MiB")
    if len(records) > 1:
        logs = [np.log([record[key] for record in records]) for key in ("rows", "cpu")]
        print(f"slope of log time against log rows: {np.polyfit(*logs, 1)[0]:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
