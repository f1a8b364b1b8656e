"""Mixed calls for a long time: memory stays flat, and answers are those of the first round.

usage: python -m experiments.reliability.soak [--minutes 30]

Writes experiments/results/reliability_soak.json.
"""

import argparse
import gc
import json
import sys
import time
import warnings
from typing import Any

from experiments.records import FOLDER
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
    while time.monotonic() - started < 60 * options.minutes or len(sizes) <= WARM_ROUNDS:
        wrong += [name for name, call in CALLS.items() if not same(call(), first[name])]
        gc.collect()
        sizes.append(resident())
    grown = sizes[-1] - sizes[WARM_ROUNDS - 1]
    found: dict[str, Any] = {
        "minutes": round((time.monotonic() - started) / 60, 1),
        "rounds": len(sizes),
        "calls": len(sizes) * len(CALLS),
        "wrong": wrong,
        "resident": [sizes[0], sizes[len(sizes) // 2], sizes[-1]],
        "grown": grown,
        "changed": changed(before, state()),
    }
    (FOLDER / "reliability_soak.json").write_text(json.dumps(found, indent=1) + "\n")
    print(found)
    return 1 if wrong or found["changed"] or grown > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
