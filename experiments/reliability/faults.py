"""Faults in the middle of every long command: signals, full disks, read-only places, other writers, closed pipes.

usage: python -m experiments.reliability.faults [--only NAME ...]

Commands that keep parts (``--shards``) are ended by a signal after at least two parts were written, gone on with, and
must end with the answer of a run that nothing disturbed; others are ended after a moment, must leave no file that is
not whole, and answer the same when run again. Writes experiments/results/reliability_faults.json.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shearer as sh
from experiments.records import FOLDER, add

COMMAND = [sys.executable, "-m", "shearer"]
PATIENCE = 300
SIGNALS = {"kill -9": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
#: Commands that keep parts -> options.
RESUMED = {
    "scan": ["--top", "5"],
    "scan --stream": ["--stream", "--top", "5"],
    "scan --given": ["--given", "noise_1", "--top", "3"],
    "scan --lags": ["--lags", "0..3", "--lag-test", "stretches"],
}
#: Others -> their arguments after the table.
WHOLE = {
    "compare": ["{table}", "--csv", "{out}.csv", "--report", "{out}.html"],
    "network": ["--csv", "{out}.csv"],
    "outliers": ["--csv", "{out}.csv"],
    "test": ["{first}", "{second}", "--method", "permutation", "--resamples", "2000"],
}
#: Bytes that a file may have at most: ten points at which a disk is full.
FULL = (0, 1, 64, 300, 600, 1_000, 2_000, 4_000, 16_000, 64_000)


def start(*arguments: str, limit: int | None = None, **options: Any) -> "subprocess.Popen[bytes]":
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.Popen(
        [*COMMAND, *arguments], stderr=subprocess.PIPE, preexec_fn=limited, env=environment, **options
    )


def finish(process: "subprocess.Popen[bytes]") -> tuple[int, str]:
    said = process.communicate(timeout=PATIENCE)[1].decode(errors="replace")
    # Where the folder was that the case had for itself is of no account.
    return process.returncode, re.sub(rf"{re.escape(tempfile.gettempdir())}/[^/]+/", "", said)


def answer(path: Path) -> Any:
    """The document without what differs from run to run."""
    document = json.loads(path.read_text(encoding="utf-8"))
    for key in ("date", "seconds", "source", "sources"):
        document.get("settings", {}).pop(key, None)
    return document


@contextlib.contextmanager
def place() -> Iterator[tuple[Path, Path]]:
    """A folder and a table in it."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        pl.DataFrame(sh.datasets.planted_table(300, rng=1).columns).write_csv(table)
        yield Path(folder), table


def in_words(code: int, said: str) -> bool:
    return code in (1, 2) and "Traceback" not in said and "bug" not in said and said.startswith("shearer: ")


def interrupted(name: str, sign: str) -> dict[str, Any]:
    """A command that keeps parts, ended after two of them, and gone on with."""
    with place() as (folder, table):
        command = ["scan", str(table), *RESUMED[name], "--quiet"]
        whole = folder / "whole.json"
        code, said = finish(start(*command, "--json", str(whole)))
        assert code == 0, said
        shards, out = folder / "shards", folder / "out.json"
        process = start(*command, "--shards", str(shards), "--json", str(out))
        parts = 0
        while process.poll() is None and parts < 2:
            parts = len(list(shards.glob("*.npz"))) if shards.exists() else 0
            time.sleep(0.002)
        process.send_signal(SIGNALS[sign])
        code, _ = finish(process)
        left = sorted(path.name for path in shards.glob("*.part")) if sign != "kill -9" else []
        early = out.exists()
        found, said = finish(start(*command, "--shards", str(shards), "--resume", "--json", str(out)))
        same = found == 0 and answer(out) == answer(whole)
        return {"fault": sign, "parts": parts, "code": code, "in the middle": not early, "left": left, "good": same}


def ended(name: str, sign: str) -> dict[str, Any]:
    """A command that keeps nothing, ended on the way: no file that is not whole, and the same answer later."""
    with place() as (folder, table):
        columns = pl.read_csv(table).columns
        out = folder / "out"
        words = {"table": str(table), "out": str(out), "first": columns[0], "second": columns[1]}
        command = [name, str(table), *(option.format(**words) for option in WHOLE[name]), "--quiet"]
        command += ["--json", f"{out}.json"]
        began = time.monotonic()
        code, said = finish(start(*command))
        assert code == 0, said
        took = time.monotonic() - began
        first = {path.name: path.read_bytes() for path in folder.glob("out*")}
        expected = answer(Path(f"{out}.json"))
        for path in folder.glob("out*"):
            path.unlink()
        process = start(*command)
        time.sleep(0.7 * took)
        process.send_signal(SIGNALS[sign])
        code, _ = finish(process)
        left = [path.name for path in folder.iterdir() if path.name not in (*first, "table.csv")]
        partial = [path.name for path in folder.glob("out*") if path.suffix == ".json" and answer(path) != expected]
        found, _ = finish(start(*command))
        same = found == 0 and answer(Path(f"{out}.json")) == expected
        tidy = not partial and (not left or sign == "kill -9")
        return {"fault": sign, "code": code, "left": left, "good": same and tidy}


def full_disk() -> dict[str, Any]:
    """Files may have so many bytes: in words, nothing half-written, and gone on with once there is room."""
    with place() as (folder, table):
        command = ["scan", str(table), "--top", "2", "--quiet"]
        finish(start(*command, "--json", str(folder / "whole.json")))
        points = []
        for number, limit in enumerate(FULL):
            shards, out = folder / f"shards{number}", folder / f"{number}.json"
            code, said = finish(start(*command, "--shards", str(shards), "--json", str(out), limit=limit))
            torn = out.exists() or any(shards.glob("*.part"))
            again, _ = finish(start(*command, "--shards", str(shards), "--resume", "--json", str(out)))
            same = again == 0 and answer(out) == answer(folder / "whole.json")
            points.append({"bytes": limit, "in words": in_words(code, said), "torn": torn, "same": same})
        code, said = finish(start(*command, "--json", "/dev/full"))
        points.append({"bytes": "/dev/full", "in words": in_words(code, said), "torn": False, "same": True})
        good = all(point["in words"] and not point["torn"] and point["same"] for point in points)
        return {"fault": "disk full", "points": points, "good": good}


def read_only() -> dict[str, Any]:
    with place() as (_, table):
        wanted = (["--shards", "/proc/nowhere"], ["--json", "/proc/out.json"], ["--report", "/sys/out.html"])
        said = [finish(start("scan", str(table), "--top", "0", "--quiet", *options)) for options in wanted]
        return {
            "fault": "read-only",
            "said": [text.strip() for _, text in said],
            "good": all(in_words(*s) for s in said),
        }


def writers() -> dict[str, Any]:
    """Three processes on one folder, of the same scan and of others: right, or refused in words."""
    with place() as (folder, table):
        other = folder / "other.csv"
        pl.DataFrame(sh.datasets.planted_table(120, rng=2).columns).write_csv(other)
        tables = (table, table, other)
        for number, own in enumerate(tables):
            finish(start("scan", str(own), "--top", "2", "-q", "--json", str(folder / f"whole{number}.json")))
        ends = []
        for resume in ([], ["--resume"]):
            shards = folder / f"shards{len(resume)}"
            processes = [
                start(
                    "scan", str(own), "--top", "2", "-q", "--shards", str(shards), *resume,
                    "--json", str(folder / f"out{number}.json"),
                )
                for number, own in enumerate(tables)
            ]  # fmt: skip
            for number, process in enumerate(processes):
                code, said = finish(process)
                out, whole = folder / f"out{number}.json", folder / f"whole{number}.json"
                right = answer(out) == answer(whole) if code == 0 else in_words(code, said)
                ends.append({"code": code, "said": said.strip()[:160], "right": right})
                out.unlink(missing_ok=True)
        done = any(end["code"] == 0 for end in ends[:3]) and any(end["code"] == 0 for end in ends[3:])
        return {"fault": "three writers", "ends": ends, "good": done and all(end["right"] for end in ends)}


def broken_pipe() -> dict[str, Any]:
    """Who reads stops before the output, which is more than a pipe holds, has ended."""
    with place() as (_, table):
        wide = {f"column {place}": np.random.default_rng(place).normal(size=40) for place in range(60)}
        pl.DataFrame(wide).write_csv(table)  # 1770 pairs: half a megabyte
        process = start("scan", str(table), "--order", "2", "--top", "0", "--json", "-", "-q", stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.read(100)
        process.stdout.close()
        code, said = process.wait(timeout=PATIENCE), process.stderr.read().decode() if process.stderr else ""
        quiet = "Traceback" not in said and "bug" not in said
        return {"fault": "broken pipe", "code": code, "said": said.strip(), "good": quiet}


def lost_scheduler() -> dict[str, Any]:
    """The scheduler of a Dask cluster is killed while a scan runs on it."""
    with place() as (folder, table), contextlib.ExitStack() as running:
        file = folder / "scheduler.json"
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file", str(file), "--port", "0"]
        dask += ["--dashboard-address", ":0"]
        scheduler = subprocess.Popen(dask, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        running.callback(scheduler.kill)
        for _ in range(600):
            if file.exists() and file.read_text().endswith("}"):
                break
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nworkers", "1", "--nthreads", "1"]
        workers = subprocess.Popen([*worker, "--no-dashboard"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        running.callback(workers.kill)
        parts = []
        frame = pl.read_csv(table)
        for number in range(40):
            parts.append(folder / f"part-{number}.csv")
            pl.concat([frame] * 20).write_csv(parts[-1])
        process = start("scan", *map(str, parts), "--scheduler", address, "--order", "2", "--top", "0", "-q")
        time.sleep(8)
        middle = process.poll() is None
        scheduler.kill()
        code, said = finish(process)
        return {"fault": "scheduler killed", "in the middle": middle, "code": code, "said": said.strip()[-300:],
                "good": in_words(code, said.strip().splitlines()[-1] if said.strip() else "")}  # fmt: skip


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    **{f"{name}, {sign}": lambda n=name, s=sign: interrupted(n, s) for name in RESUMED for sign in SIGNALS},
    **{f"{name}, {sign}": lambda n=name, s=sign: ended(n, s) for name in WHOLE for sign in SIGNALS},
    "disk full": full_disk,
    "read-only": read_only,
    "three writers": writers,
    "broken pipe": broken_pipe,
    "scheduler killed": lost_scheduler,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=list(CASES), metavar="NAME")
    options = parser.parse_args()
    path = FOLDER / "reliability_faults.json"
    failed = []
    for name in options.only:
        found = CASES[name]()
        print(name, found, flush=True)
        add(path, name, found)
        failed += [] if found["good"] else [name]
    print("failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
