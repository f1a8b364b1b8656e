"""kill -9 at random moments of `shearer scan --shards`, then --resume: is the result the same to the last bit?

usage: python -m experiments.resume [--quick]

A scan of the demonstration table (200 rows) is timed once; then it is started again and again in new folders, killed
after a random share of that time, and gone on with until it ends. Writes experiments/results/resume.json.
"""

import json
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shearer as sh
from experiments import records

KILLS = 20


def command(table: Path, folder: Path, output: Path) -> list[str]:
    options = ["--shards", str(folder), "--resume", "--json", str(output), "--top", "5", "--quiet"]
    return [sys.executable, "-m", "shearer", "scan", str(table), *options]


def result(output: Path) -> dict[str, Any]:
    document = json.loads(output.read_text(encoding="utf-8"))
    for key in ("seconds", "date"):
        del document["settings"][key]
    return dict(document)


def study(_: str, quick: bool) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        table = root / "demo.csv"
        pl.DataFrame(sh.datasets.planted_table(200).columns).write_csv(table)
        start = time.monotonic()
        subprocess.run(command(table, root / "whole", root / "whole.json"), check=True)
        whole = time.monotonic() - start
        expected, same, moments = result(root / "whole.json"), 0, []
        for attempt in count():
            if len(moments) == (2 if quick else KILLS):
                break
            moment = float(rng.uniform(0, whole))
            parts, output = root / f"parts-{attempt}", root / f"{attempt}.json"
            process = subprocess.Popen(command(table, parts, output))
            try:
                process.wait(timeout=moment)
                continue  # it was faster than the first: no kill, not counted
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            written = len(list(parts.glob("*.npz"))) if parts.exists() else 0
            subprocess.run(command(table, parts, output), check=True)
            same += result(output) == expected
            moments.append({"share_of_the_run": round(moment / whole, 3), "parts_at_the_kill": written})
    return {"kills": len(moments), "same": same / len(moments), "moments": moments}


if __name__ == "__main__":
    sys.exit(records.run("resume", __doc__, ["kill -9"], study))
