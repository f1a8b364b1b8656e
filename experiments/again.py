"""Some cases of the paper's tables and figures, computed again and compared with the committed results.

usage: python -m experiments.again [--full]

A few minutes on two cores. A case is computed with the seeds and settings that the committed one had, and its record
is compared number by number; what takes long, and what needs data that are not there, is left out and named. With
--full everything is run instead, trainings included, in the paper's sizes (days, and a graphics card for the
trainings): results go to files of their own beside the committed ones.
"""

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from experiments.records import FOLDER

# Experiment -> what of the paper it is, and cases that take seconds.
QUICK = {
    "figure1": ("Figure 1", ["1b-25", "1b-50", "1b_half-25"]),
    "figure2": ("Figure 2", ["A-source-2", "A-text-2", "B-source-2", "B-text-2"]),
    "figures78": ("Figure 8", ["8-2", "8-5", "8-10"]),
    "dream4": ("Table 2", ["10/1/correlations", "10/1/order 2", "10/1/order 1.01"]),
    "odds": ("Table 4", ["pima: LOF", "pima: T*", "breastw: D*"]),
}
# In full: experiment -> the arguments that ask for all of it.
FULL = {
    "figure1": ["--full"], "figure2": ["--full"], "figures78": ["--full"], "dream4": [], "odds": [],
    "fashion_shift": ["--full"], "bike_noise": ["--full"], "bottleneck_mnist": ["--full"], "cifar_errors": ["--full"],
    "vgg_dynamics": ["--full"],
}  # fmt: skip
# How far a number may be from the committed one: a decision or two of a hundred can turn on the last bit.
TOLERANCE = 0.03
# Times and memory are the machine's; p-values are none of the paper's measures and move with the library's tests.
_NOT_COMPARED = ("seconds", "peak_gib", "-log p")


def numbers(record: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a record with its place.

    Examples
    --------
    >>> list(numbers({"x": 1, "rates": {"a": [0.5, 0.25]}, "seconds": 3.0}))
    [('/x', 1.0), ('/rates/a/0', 0.5), ('/rates/a/1', 0.25)]
    """
    if isinstance(record, dict):
        for key, value in record.items():
            if not any(part in key for part in _NOT_COMPARED):
                yield from numbers(value, f"{path}/{key}")
    elif isinstance(record, list | tuple):
        for place, value in enumerate(record):
            yield from numbers(value, f"{path}/{place}")
    elif isinstance(record, int | float) and not isinstance(record, bool):
        yield path, float(record)


def farthest(ours: Any, committed: Any) -> float:
    """The largest difference between two records of one shape; infinity if their shapes differ.

    Examples
    --------
    >>> farthest({"a": 0.5}, {"a": 0.75}), farthest({"a": 0.5}, {"b": 0.5})
    (0.25, inf)
    """
    first, second = dict(numbers(ours)), dict(numbers(committed))
    if first.keys() != second.keys():
        return float("inf")
    return max((abs(first[place] - second[place]) for place in first), default=0.0)


def quick() -> int:
    """Compare; the exit code says whether anything differs."""
    apart = 0
    for name, (item, cases) in QUICK.items():
        committed = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        module = importlib.import_module(f"experiments.{name}")
        for case in cases:
            try:
                distance = farthest(module.study(case, False), committed[case])
            except FileNotFoundError as error:
                print(f"{item:<9} {case:<22} left out: {error}", flush=True)
                continue
            verdict = "reproduced" if distance <= TOLERANCE else "DIFFERS"
            apart += distance > TOLERANCE
            print(f"{item:<9} {case:<22} {verdict}, largest difference {distance:.2g}", flush=True)
    print("The trainings (Tables 3, 5, 6, Figures 3 to 5 and 9 to 11) take hours: --full, or each by itself.")
    return 1 if apart else 0


def full() -> int:
    """Run everything, one after the other; each goes on where it stopped."""
    for name, arguments in FULL.items():
        subprocess.run([sys.executable, "-m", f"experiments.{name}", *arguments], check=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="everything, in the paper's sizes")
    return full() if parser.parse_args().full else quick()


if __name__ == "__main__":
    sys.exit(main())
