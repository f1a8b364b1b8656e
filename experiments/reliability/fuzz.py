"""Whole tables of every kind through every public function, estimator and command, in many libraries of tables.

usage: python -m experiments.reliability.fuzz [--cases 10000] [--minutes 15] [--seed 1] [--only NAME ...] [--again]

Each case is drawn from its own number: a function, a container and a table. It ends in a valid answer, or in an error
of the documented form, within 60 seconds and 2 GB; anything else is a finding, printed with the number that repeats it
(--case N --only ITS_FUNCTION). A child process takes the cases one after the other, and another follows where one dies
or hangs. Adds to experiments/results/reliability_fuzz.json, and goes on after the cases that it holds; --again takes
those that were findings once more, after the code was mended.
"""

import argparse
import collections
import multiprocessing
import queue
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Collection
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from experiments.records import FOLDER
from experiments.reliability import gone_on, more_calls, odd_tables, public_calls

SECONDS, BYTES = 60, 2 * 10**9
#: Functions of columns of any kind, of numbers, and commands; and how often each is called.
GROUPS: list[dict[str, Any]] = [
    public_calls.FUNCTIONS | more_calls.FUNCTIONS,
    public_calls.NUMERIC | more_calls.NUMERIC,
    public_calls.COMMANDS,
]
SHARES = (0.6, 0.25, 0.15)
#: Cases after which results are written.
BATCH = 2000
#: How messages of the package read; estimators pass on what scikit-learn says of arrays that it refuses.
DOCUMENTED = re.compile(r"expected .*got ", re.DOTALL)
OF_SKLEARN = re.compile(
    r"contains (NaN|infinity)|Found array with|minimum of|[Ee]xpected 2D array|Complex data|could not convert|"
    r"Sparse data was passed|n_features|inconsistent numbers of samples|must be a string or a (real )?number|"
    r"[Ff]eature names|dtype|unsupported|[Uu]nable to convert|setting an array element|too large to convert|"
    r"Input contains|a sparse|sparse (array|matrix)|cannot directly convert an xarray"
)
#: What containers say of columns that they cannot hold: no table comes about.
NOT_MADE = "no table"


def drawn(rng: np.random.Generator, only: Collection[str]) -> "tuple[dict[str, Any], str]":
    """A function, and those of its kind: of all, or of those of these names."""
    groups = [{name: call for name, call in group.items() if not only or name in only} for group in GROUPS]
    weights = np.array([share if group else 0.0 for share, group in zip(SHARES, groups, strict=True)])
    if not weights.any():
        raise ValueError(f"only: expected names of functions, got {sorted(only)}")
    place = int(rng.choice(len(GROUPS), p=weights / weights.sum()))
    return GROUPS[place], str(rng.choice(list(groups[place])))


def outcome(number: int, seed: int, only: Collection[str] = ()) -> dict[str, Any]:
    """One case: the function, the container, and how it ended."""
    # The table is the same whatever functions there are.
    calls_of, name = drawn(np.random.default_rng([seed, number, 0]), only)
    rng = np.random.default_rng([seed, number])
    numeric = calls_of is GROUPS[1] or (calls_of is GROUPS[0] and rng.random() < 0.4)
    containers = odd_tables.NUMBER_CONTAINERS if numeric else odd_tables.ANY_CONTAINER
    if name.startswith("neural.") and "Robust" not in name:
        containers = {kind: make for kind, make in containers.items() if kind.startswith("torch")}
    container = "file" if calls_of is GROUPS[2] else str(rng.choice(list(containers)))
    most = max(odd_tables.WIDE_COLUMNS) if name in public_calls.OF_MANY else public_calls.MOST_COLUMNS
    table = odd_tables.draw(rng, numbers_only=numeric, most=most)
    found = {"function": name, "container": container, "rows": len(next(iter(table.values()))), "columns": len(table)}
    with warnings.catch_warnings(record=True) as heard, tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("always")
        try:
            data = table if container == "file" else containers[container](table)
        except BaseException as error:  # that of Rust is none of Python's exceptions
            if isinstance(error, KeyboardInterrupt):
                raise
            return found | {"end": NOT_MADE, "said": f"{type(error).__name__}: {error}"[:200]}
        heard.clear()
        started = time.process_time()
        try:
            calls_of[name](data, rng, Path(folder))
            found["end"] = "answer"
        except (ValueError, TypeError, ImportError) as error:
            text = str(error)
            documented = DOCUMENTED.search(text) or (numeric and OF_SKLEARN.search(text))
            found |= {"end": "refused" if documented else "finding", "said": f"{type(error).__name__}: {text}"[:400]}
            if not documented:
                found["where"] = _where(error)
        except Exception as error:
            found |= {"end": "finding", "said": f"{type(error).__name__}: {error}"[:400], "where": _where(error)}
        found["seconds"] = round(time.process_time() - started, 3)
    leaked = [f"{one.category.__name__}: {one.message}" for one in heard if issubclass(one.category, RuntimeWarning)]
    if leaked and found["end"] != "finding":
        found |= {"end": "finding", "said": leaked[0][:300], "where": f"{heard[0].filename}:{heard[0].lineno}"}
    return found


def _where(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "shearer" in frame.filename]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))


def work(cases: "list[int]", seed: int, only: Collection[str], pipe: Connection) -> None:
    """Take cases one after the other in a process of its own."""
    for case in cases:
        pipe.send((case, None))
        found = outcome(case, seed, only)
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        pipe.send((case, found))
    pipe.send((None, None))


def run(cases: range, minutes: float, seed: int, only: Collection[str] = ()) -> dict[str, Any]:
    ends: collections.Counter[str] = collections.Counter()
    by_function: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    by_container: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    findings: list[dict[str, Any]] = []
    slowest = largest = widest = 0
    started, todo, tried = time.monotonic(), list(cases), 0
    context = multiprocessing.get_context("spawn")
    while todo and time.monotonic() - started < 60 * minutes:
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(todo, seed, only, there))
        process.start()
        there.close()
        current = None
        try:
            while time.monotonic() - started < 60 * minutes:
                if not here.poll(4 * SECONDS if current is not None else 300):
                    raise queue.Empty
                case, found = here.recv()
                if case is None:
                    break
                if found is None:
                    current = case
                    continue
                todo.remove(case)
                if found.get("seconds", 0) > SECONDS or found["peak"] > BYTES:
                    found |= {"end": "finding", "said": f"{found.get('seconds')} s, {found['peak']} bytes"}
                tried += 1
                ends[found["end"]] += 1
                by_function[found["function"]][found["end"]] += 1
                by_container[found["container"]][found["end"]] += 1
                widest = max(widest, found["columns"])
                slowest, largest = max(slowest, found.get("seconds", 0)), max(largest, found["peak"])
                if found["end"] == "finding":
                    findings.append({"case": case, **found})
                    print(case, found, flush=True)
                current = None
        except (EOFError, queue.Empty) as error:
            kind = "hangs" if isinstance(error, queue.Empty) else "ends the process"
            findings.append({"case": current, "said": kind})
            print(current, kind, flush=True)
            ends["finding"] += 1
            tried += 1
            todo = [case for case in todo if case != current]
        finally:
            process.kill()
            process.join()
    return {
        "seed": seed,
        "cases": tried,
        "ends": dict(ends),
        "slowest": slowest,
        "largest": largest,
        "widest": widest,
        "functions": {name: dict(found) for name, found in sorted(by_function.items())},
        "containers": {name: dict(found) for name, found in sorted(by_container.items())},
        "findings": findings,
    }


def taken_again(found: dict[str, Any]) -> dict[str, Any]:
    """Counts after all that were findings have run once more."""
    seed, left = found["seed"], [own["case"] for own in found["findings"]]
    if any("function" not in own for own in found["findings"]):
        raise ValueError("findings: expected cases that came back, got one that ended its process: run it with --case")
    once_more = {"findings": [], **{key: dict(found[key]) for key in ("ends", "functions", "containers")}}
    for case, before in zip(left, found["findings"], strict=True):
        now = outcome(case, seed, (before["function"],))
        counted = (
            once_more["ends"],
            once_more["functions"][before["function"]],
            once_more["containers"][before["container"]],
        )
        for counts in counted:
            counts["finding"] -= 1
            counts[now["end"]] = counts.get(now["end"], 0) + 1
        once_more["findings"] += [{"case": case, **now}] if now["end"] == "finding" else []
        print(case, now, flush=True)
    return {**found, **once_more}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this one, with its error")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="these functions; default: all")
    parser.add_argument("--again", action="store_true", help="only those that were findings")
    options = parser.parse_args()
    if options.again:
        path = FOLDER / "reliability_fuzz.json"
        found = taken_again(gone_on.known_of(path, options.seed))
        gone_on.write(path, found)
        return 1 if found["findings"] else 0
    if options.case is not None:
        print(outcome(options.case, options.seed, options.only))
        return 0
    found = gone_on.run_batches(
        FOLDER / "reliability_fuzz.json",
        partial(run, only=options.only) if options.only else run,
        cases=options.cases,
        batch=BATCH,
        minutes=options.minutes,
        seed=options.seed,
        largest=("slowest", "largest", "widest"),
    )
    print({key: value for key, value in found.items() if key in ("cases", "ends", "slowest", "largest", "widest")})
    return 1 if found["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
