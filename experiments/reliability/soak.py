"""Mixed calls for a long time: memory stays flat, and answers are those of the first round.

usage: python -m experiments.reliability.soak [--minutes 30]

Every minute it adds to experiments/results/reliability_soak.json, and it goes on until the minutes there are as many;
each process begins with a first round of its own.
"""

import argparse
import gc
import sys
import time
import warnings
from typing import Any

from experiments.records import FOLDER
from experiments.reliability import gone_on
from experiments.reliability.fixed_calls import CALLS, changed, same, state

#: Growth after the first rounds that counts as a leak: bytes, more than an allocator keeps back.
ALLOWED = 30 * 10**6
WARM_ROUNDS = 3


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    first = {name: call() for name, call in CALLS.items()}
    before = state()
    wrong: list[str] = []
    sizes: list[int] = []
    started = time.monotonic()
    path = FOLDER / "reliability_soak.json"
    known = gone_on.known_of(path, 0)
    wanted, written = 60 * (options.minutes - known.get("minutes", 0.0)), 0.0
    while time.monotonic() - started < wanted or len(sizes) <= WARM_ROUNDS:
        wrong += [name for name, call in CALLS.items() if not same(call(), first[name])]
        gc.collect()
        sizes.append(resident())
        if time.monotonic() - started > written + 60 and len(sizes) > WARM_ROUNDS:
            written = time.monotonic() - started
            gone_on.write(path, _with(known, written, sizes, wrong, changed(before, state())))
    found = _with(known, time.monotonic() - started, sizes, wrong, changed(before, state()))
    gone_on.write(path, found)
    print(found)
    return 1 if found["wrong"] or found["changed"] or found["grown"] > ALLOWED else 0


def _with(
    known: dict[str, Any], seconds: float, sizes: list[int], wrong: list[str], other: list[str]
) -> dict[str, Any]:
    """What this process has added to those before it; the sizes are its own."""
    found = {
        "seed": 0,
        "processes": 1,
        "minutes": round(seconds / 60, 1),
        "rounds": len(sizes),
        "calls": len(sizes) * len(CALLS),
        "wrong": wrong,
        "grown": sizes[-1] - sizes[WARM_ROUNDS - 1],
        "changed": other,
    }
    own = {"resident": [sizes[0], sizes[len(sizes) // 2], sizes[-1]]}
    kept = {key: value for key, value in known.items() if key != "resident"}
    return gone_on.joined(kept, found, ("grown",)) | own


if __name__ == "__main__":
    sys.exit(main())
