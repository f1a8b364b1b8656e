"""Scans and tests beside another checkout (``--before FOLDER``), and one test beside hyppo's (``--rivals PYTHON``).

Both checkouts run in processes of their own, in turns, with the same packages. The commit before one engine for pairs
is the parent of the first that has ``src/shearer/pairs/engine.py``.
"""

import os
import sys
from pathlib import Path

from benchmarks.cases import OPTIONS, Case, child

# Turns, of which the shortest counts; scans take long enough for fewer.
TURNS, SCANS = 5, 2
# Permutations of hyppo's test, and those that are timed unless all are asked for.
RESAMPLES, TIMED = 1000, 20

_SCAN = """
import json, os, sys, time
import numpy as np
import shearer as sh
rng = np.random.default_rng(0)
if sys.argv[1] == "penguins":
    import polars as pl
    table = pl.read_csv(sys.argv[2], null_values="NA")
elif sys.argv[1] == "mixed":
    label = rng.choice(list("abc"), size=344)
    size = np.array([0.0, 1.0, 3.0])[np.searchsorted(list("abc"), label)][:, None] + rng.normal(size=(344, 4))
    size[:2] = np.nan
    table = {f"size {k}": size[:, k] for k in range(4)}
    table |= {"kind": label, "place": rng.choice(list("uvw"), size=344), "sex": rng.choice(list("fm"), size=344)}
    table["year"] = rng.integers(2007, 2010, size=344).astype(float)
else:
    table = rng.normal(size=(int(sys.argv[2]), 30))
    table[:, 1] += table[:, 0]
    table[:, 5] = np.sign(table[:, 6] * table[:, 7]) * abs(table[:, 5])
sh.scan({"x": rng.normal(size=60), "y": rng.normal(size=60), "z": rng.normal(size=60)}, progress=False)
start, used = time.perf_counter(), time.process_time()
sh.scan(table, progress=False).to_html()
found = {"seconds": time.perf_counter() - start, "processor": time.process_time() - used}
print(json.dumps(found | {"source": sh.__file__}))
"""

_TEST = """
import json, sys, time
import numpy as np
import shearer as sh
rng = np.random.default_rng(0)
n = int(sys.argv[1])
x = rng.normal(size=n)
y = 0.05 * x + rng.normal(size=n)
sh.independence_test(x, y)
repeats = max(3, 20_000 // n)
seconds = []
for _ in range(repeats):
    start = time.perf_counter()
    sh.independence_test(x, y)
    seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": min(seconds), "source": sh.__file__}))
"""

_HSIC = """
import json, sys, time
import numpy as np
from hyppo.independence import Hsic
rng = np.random.default_rng(0)
n, timed, wanted = map(int, sys.argv[1:])
x = rng.normal(size=(n, 1))
y = 0.05 * x + rng.normal(size=(n, 1))
Hsic().test(x[:100], y[:100], reps=5, workers=1, auto=False)  # compiles
def seconds(reps):
    start = time.perf_counter()
    Hsic().test(x, y, reps=reps, workers=1, auto=False)
    return time.perf_counter() - start
base = seconds(1)
print(json.dumps({"seconds": base + (seconds(timed) - base) * (wanted - 1) / (timed - 1)}))
"""


def in_turns(code: str, arguments: tuple[str, ...], checkout: str, turns: int, figure: str) -> tuple[float, float]:
    """The smallest figure of this checkout and of another."""
    ours, theirs = [], []
    for _ in range(turns):
        ours.append(child(code, *arguments)[figure])
        other = child(code, *arguments, checkout=checkout)
        if not Path(other["source"]).is_relative_to(Path(checkout).resolve()):
            raise RuntimeError(f"--before: expected the source of {checkout}, got {other['source']}")
        theirs.append(other[figure])
    return min(ours), min(theirs)


def scans(checkout: str) -> list[Case]:
    """Whole default scans with their pages, in seconds of processor time."""
    data = os.environ.get("SHEARER_DATA")
    penguins = Path(data) / "tables" / "penguins.csv" if data else None
    few = ("penguins", str(penguins)) if penguins is not None and penguins.exists() else ("mixed", "")
    words = "penguins" if few[0] == "penguins" else "344 x 8 like penguins"
    cases = []
    for arguments, name, least in ((few, words, 8.0), (("rows", "5000"), "5000 x 30", 10.0)):
        ours, theirs = in_turns(_SCAN, arguments, checkout, SCANS, "processor")
        note = "another checkout, in turns; processor time"
        cases.append(Case(f"default scan, {name}, beside before", ours, theirs, "s", at_least=least, note=note))
    return cases


def few_rows(checkout: str) -> Case:
    """One default test of 50 rows."""
    ours, theirs = in_turns(_TEST, ("50",), checkout, TURNS, "seconds")
    return Case("default test, n=50, beside before", ours, theirs, "s", at_most=1.2, note="another checkout, in turns")


def beside_permutations() -> Case:
    """One default test of 2000 rows against hyppo's Hsic with 1000 permutations."""
    timed = RESAMPLES if OPTIONS.whole else TIMED
    theirs = child(_HSIC, "2000", str(timed), str(RESAMPLES), python=OPTIONS.rivals)["seconds"]
    ours = min(child(_TEST, "2000")["seconds"] for _ in range(TURNS))
    how = "all of them" if OPTIONS.whole else f"extrapolated from {TIMED}"
    note = f"hyppo Hsic, {RESAMPLES} permutations, {how}"
    return Case("default test, n=2000, beside permutations", ours, theirs, "s", at_least=300, note=note)


def run() -> list[Case]:
    cases = [beside_permutations()]
    if OPTIONS.before is None:
        print("no --before FOLDER: nothing is run beside another checkout", file=sys.stderr)
        return cases
    return [*cases, *scans(OPTIONS.before), few_rows(OPTIONS.before)]
