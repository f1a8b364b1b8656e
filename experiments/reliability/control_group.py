"""Commands under a limit that the system enforces: what needs more is done in less, or refused before it is killed.

usage: python -m experiments.reliability.control_group [--only CASE ...]

Each command runs in a control group of its own, as a container or a job of a cluster does, without --memory: its budget
is what it makes of the limit. Where the limit is exceeded the kernel ends the process. Needs the right to make control
groups (root, outside of most containers). Writes experiments/results/reliability_control_group.json.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from experiments.records import FOLDER, add

#: Of version 1, in its own hierarchy, and of version 2: where groups are made, the limit, the peak.
VERSIONS = (
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
    ("/sys/fs/cgroup", "memory.max", "memory.peak"),
)
#: Bytes that a process may take, its libraries (some 200 MB) among them.
LIMITS = (300 * 10**6, 500 * 10**6, 1000 * 10**6)
#: Rows of a table of ten columns -> commands on it.
COMMANDS = {
    1_000_000: (
        "scan TABLE --order 2 --top 0",
        "scan TABLE --stream --order 2 --top 0",
        "test TABLE c0 c1",
        "outliers TABLE",
        "compare TABLE TABLE --order 2",
    ),
    200_000: (
        "scan TABLE",
        "test TABLE c0 c1 c2",
        "test TABLE c0 c1 --given c2,c3",
        "network TABLE",
        "select TABLE c0",
        "outliers TABLE",
    ),
}
CASES = {
    f"{words} | {rows} | {limit}": (words, rows, limit)
    for rows, own in COMMANDS.items()
    for words in own
    for limit in LIMITS
}
#: Seconds until a command counts as not ended.
PATIENCE = 900


@contextmanager
def control_group(limit: int) -> Iterator[tuple[Path, str]]:
    """A control group with a limit of memory, and the name of the file that holds its peak."""
    for root, limit_file, peak_file in VERSIONS:
        group = Path(root, f"shearer_{os.getpid()}")
        try:
            group.mkdir()
            (group / limit_file).write_text(str(limit))
        except OSError:
            if group.is_dir():
                group.rmdir()
            continue
        try:
            yield group, peak_file
        finally:
            group.rmdir()
        return
    raise SystemExit("no control group with a limit of memory can be made here")


def measured(words: str, table: Path, limit: int) -> dict[str, Any]:
    """How a command ends under a limit."""
    arguments = [str(table) if word == "TABLE" else word for word in words.split()]
    command = [sys.executable, "-m", "shearer", *arguments, "-q", "--json", f"{table.parent}/found.json"]
    with control_group(limit) as (group, peak_file):
        start = time.monotonic()
        process = subprocess.Popen(
            ["/bin/sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            said = "did not end"
        peak = int((group / peak_file).read_text())
    refused = process.returncode > 0 and said.startswith("shearer: memory: expected")
    found = {"limit": limit, "peak": peak, "seconds": round(time.monotonic() - start, 1), "refused": refused}
    found |= {"good": process.returncode == 0 or refused}
    return found if found["good"] else found | {"end": process.returncode, "said": said.strip()[-200:]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="CASE", default=list(CASES), help="those that begin with this")
    options = parser.parse_args()
    import numpy as np
    import polars as pl

    path = Path(FOLDER / "reliability_control_group.json")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for case, (words, rows, limit) in CASES.items():
            if not case.startswith(tuple(options.only)):
                continue
            table = Path(folder, f"{rows}.csv")
            if not table.exists():
                values = np.random.default_rng(0).normal(size=(rows, 10))
                pl.DataFrame(values.round(4), schema=[f"c{k}" for k in range(10)]).write_csv(table)
            found = measured(words, table, limit)
            print(case, found, flush=True)
            add(path, case, found)
            failed += [] if found["good"] else [case]
    print("ended by the system, or in other ways than in words:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
