"""Every public function from 16 threads at once, and in processes by fork, spawn and loky; global state stays.

usage: python -m experiments.reliability.concurrency

Answers must be those of one call after the other. Writes experiments/results/reliability_concurrency.json.
"""

import json
import multiprocessing
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from experiments.records import FOLDER
from experiments.reliability.fixed_calls import CALLS, changed, same, state

THREADS = 16


def call(name: str) -> Any:
    return CALLS[name]()


def main() -> int:
    warnings.simplefilter("ignore")
    import matplotlib as mpl  # noqa: F401 - its backend must stay
    import torch  # noqa: F401 - its threads must stay

    expected = {name: call(name) for name in CALLS}
    before = state()
    found: dict[str, Any] = {"functions": len(CALLS), "threads": THREADS, "routes": {}}
    work = [name for name in CALLS for _ in range(3)]
    with ThreadPoolExecutor(THREADS) as pool:
        wrong = [
            name for name, value in zip(work, pool.map(call, work), strict=True) if not same(value, expected[name])
        ]
    found["routes"]["threads"] = {"calls": len(work), "wrong": wrong}
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            values = pool.map_async(call, list(CALLS)).get(timeout=600)
        wrong = [name for name, value in zip(CALLS, values, strict=True) if not same(value, expected[name])]
        found["routes"][method] = {"calls": len(CALLS), "wrong": wrong}
    import joblib

    values = joblib.Parallel(2, backend="loky")(joblib.delayed(call)(name) for name in CALLS)
    wrong = [name for name, value in zip(CALLS, values, strict=True) if not same(value, expected[name])]
    found["routes"]["loky"] = {"calls": len(CALLS), "wrong": wrong}
    found["changed"] = [name for name in changed(before, state()) if name != "environment"]
    kept = {key: value for key, value in state()["environment"].items() if not key.startswith("LOKY")}
    if kept != before["environment"]:
        found["changed"].append("environment")
    (FOLDER / "reliability_concurrency.json").write_text(json.dumps(found, indent=1) + "\n")
    print(found)
    return 1 if found["changed"] or any(route["wrong"] for route in found["routes"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
