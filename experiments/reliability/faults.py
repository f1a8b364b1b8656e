"""Faults in the middle of every long command: signals, full disks, read-only places, other writers, closed pipes.

usage: python -m experiments.reliability.faults [--only NAME ...] [--again]

Commands that keep parts (``--shards``) are ended by a signal after at least two parts were written, gone on with, and
must end with the answer of a run that nothing disturbed; others are ended after a part of the processor time that they
need, must leave no file that is not whole, and answer the same when run again. Writes
experiments/results/reliability_faults.json.
"""

import argparse
import contextlib
import json
import math
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
from experiments.reliability import cluster_faults

COMMAND = [sys.executable, "-m", "shearer"]
PATIENCE = 600
#: Bytes that a pipe holds.
PIPE_HOLDS = 2**16
SIGNALS = {"kill -9": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
#: How a command ends by them, and what it says then. An interrupt within code that Python makes from text ends the
#: process as one that it had not met.
CODES = {"kill -9": (-9,), "SIGTERM": (143,), "SIGINT": (130, -2)}
TOLD = {"SIGTERM": "shearer: terminated", "SIGINT": "shearer: interrupted"}
#: Share of the processor time of a command after which it is ended: its libraries are loaded, its results not written.
MIDDLE = 0.6
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
    "select": ["{first}", "--csv", "{out}.csv"],
    "test": ["{first}", "{second}", "--method", "permutation", "--resamples", "2000"],
}
#: Bytes that a file may have at most: ten points at which a disk is full.
FULL = (0, 1, 64, 300, 600, 1_000, 2_000, 4_000, 16_000, 64_000)


def start(
    *arguments: str, limit: int | None = None, environment: dict[str, str] | None = None, **options: Any
) -> "subprocess.Popen[bytes]":
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    environment = environment or {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
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
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code, said = finish(start(*command))
        assert code == 0, said
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        first = {path.name: path.read_bytes() for path in folder.glob("out*")}
        expected = answer(Path(f"{out}.json"))
        for path in folder.glob("out*"):
            path.unlink()
        process = start(*command)
        while process.poll() is None and processor_time(process.pid) < MIDDLE * took:
            time.sleep(0.002)
        process.send_signal(SIGNALS[sign])
        code, said = finish(process)
        middle = code in CODES[sign] and not (folder / "out.json").exists()
        told = sign == "kill -9" or said.strip().endswith(TOLD[sign])
        left = [path.name for path in folder.iterdir() if path.name not in (*first, "table.csv")]
        partial = [path.name for path in folder.glob("out*") if path.suffix == ".json" and answer(path) != expected]
        found, _ = finish(start(*command))
        same = found == 0 and answer(Path(f"{out}.json")) == expected
        tidy = not partial and (not left or sign == "kill -9")
        good = same and tidy and middle and told
        return {"fault": sign, "code": code, "in the middle": middle, "in words": told, "left": left, "good": good}


def processor_time(pid: int) -> float:
    """Seconds that a process has computed for; enough for every wait where it has just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


def judged(sign: str) -> dict[str, Any]:
    """The yardstick, which keeps what it has in one file, ended after two cells and gone on with."""

    def cells(path: Path) -> Any:
        kept = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
        timed = ("seconds", "wall")
        return sorted(({k: v for k, v in own.items() if k not in timed} for own in kept), key=str)

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wanted = ["--suite", "independence", "--method", "shearer", "--quick", "--trials", "40", "--budget", "60", "-q"]
        code, said = finish(start("yardstick", str(folder / "whole.json"), *wanted))
        assert code == 0, said
        out, parts = folder / "out.json", 0
        process = start("yardstick", str(out), *wanted)
        while process.poll() is None and parts < 2:
            parts = len(cells(out))
            time.sleep(0.002)
        process.send_signal(SIGNALS[sign])
        code, _ = finish(process)
        middle = len(cells(out)) < len(cells(folder / "whole.json"))
        left = [path.name for path in folder.iterdir() if path.suffix != ".json" and sign != "kill -9"]
        found, _ = finish(start("yardstick", str(out), *wanted))
        same = found == 0 and cells(out) == cells(folder / "whole.json")
        return {"fault": sign, "parts": parts, "code": code, "in the middle": middle, "left": left,
                "good": same and not left}  # fmt: skip


#: A clock that goes back by an hour whenever it is asked, for a process that finds this on its path.
BACKWARDS = """
import time
_now, _asked = time.time(), [0]
def _earlier():
    _asked[0] += 1
    return _now - 3600.0 * _asked[0]
time.time = _earlier
time.time_ns = lambda: int(_earlier() * 1e9)
"""


def clock_jumps() -> dict[str, Any]:
    """The clock goes back while parts are written, and files are of 1970 or of 2100 when a scan goes on."""
    with place() as (folder, table):
        (folder / "path").mkdir()
        (folder / "path" / "sitecustomize.py").write_text(BACKWARDS)
        backwards = {**os.environ, "PYTHONPATH": str(folder / "path"), "COLUMNS": "100", "NO_COLOR": "1"}
        command = ["scan", str(table), "--top", "3", "--quiet"]
        whole = folder / "whole.json"
        finish(start(*command, "--json", str(whole)))
        ends = {}
        for name, seconds in (("1970", 0), ("2100", 4102444800)):
            shards, out = folder / name, folder / f"{name}.json"
            options = ["--shards", str(shards), "--json", str(out)]
            process = start(*command, *options, environment=backwards)
            while process.poll() is None and len(list(shards.glob("*.npz"))) < 2:
                time.sleep(0.002)
            process.kill()
            finish(process)
            parts = list(shards.iterdir())
            for path in parts:
                os.utime(path, (seconds, seconds))
            code, said = finish(start(*command, *options, "--resume", environment=backwards))
            ends[name] = {"parts": len(parts), "code": code, "said": said.strip()[:160]}
            ends[name]["same"] = code == 0 and answer(out) == answer(whole)
        return {"fault": "clock jumps", "ends": ends, "good": all(end["same"] for end in ends.values())}


def broken_pipe() -> dict[str, Any]:
    """Who reads stops before the output, which is more than a pipe holds, has ended."""
    with place() as (_, table):
        wide = {f"column {place}": np.random.default_rng(place).normal(size=40) for place in range(60)}
        pl.DataFrame(wide).write_csv(table)  # 1770 pairs: half a megabyte
        command = ["scan", str(table), "--order", "2", "--top", "0", "--json", "-", "-q"]
        size = len(start(*command, stdout=subprocess.PIPE).communicate(timeout=PATIENCE)[0])
        process = start(*command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.read(100)
        process.stdout.close()
        code, said = process.wait(timeout=PATIENCE), process.stderr.read().decode() if process.stderr else ""
        quiet = "Traceback" not in said and "bug" not in said and size > PIPE_HOLDS
        return {"fault": "broken pipe", "bytes": size, "code": code, "said": said.strip(), "good": quiet}


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    **{f"{name}, {sign}": lambda n=name, s=sign: interrupted(n, s) for name in RESUMED for sign in SIGNALS},
    **{f"{name}, {sign}": lambda n=name, s=sign: ended(n, s) for name in WHOLE for sign in SIGNALS},
    "disk full": full_disk,
    "read-only": read_only,
    "three writers": writers,
    "broken pipe": broken_pipe,
    **{f"yardstick, {sign}": lambda s=sign: judged(s) for sign in SIGNALS},
    "clock jumps": clock_jumps,
    **cluster_faults.CASES,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these; default: all that the results do not hold")
    parser.add_argument("--again", action="store_true", help="those too that the results hold already")
    options = parser.parse_args()
    path = FOLDER / "reliability_faults.json"
    known = json.loads(path.read_text()) if path.exists() and not options.again else {}
    failed = []
    for name in options.only or [name for name in CASES if name not in known]:
        found = CASES[name]()
        print(name, found, flush=True)
        add(path, name, found)
        failed += [] if found["good"] else [name]
    print("failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
