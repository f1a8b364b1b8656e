"""p-values of all pairs of many columns x 10,000 rows: slices are measured, the rest follows from how time grows.

Time is a sum of a part for each column and one for each pair of columns; both are found from slices by least squares.
``--whole`` runs 1000 columns as a whole. Every slice says which part of its time went where.
"""

import numpy as np

from benchmarks.cases import OPTIONS, PEAK, Case, child

ROWS, SLICES, COLUMNS, MANY = 10_000, (64, 128, 192), 1000, 10_000
#: Seconds that 1000 columns may take on two cores.
MOST = 1200.0
#: The slices with the shares of their time, and what was extrapolated: goes to the JSON.
DETAILS: dict[str, object] = {}

_SLICE = f"""
import cProfile, json, pstats, sys, time
import numpy as np
from shearer.screening import pairwise
columns, rows, looking = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "shares"
x = np.random.default_rng(0).normal(size=(rows, columns))
pairwise(x[:100, :3]).pvalue
profile = cProfile.Profile()
start, used = time.perf_counter(), time.process_time()
if looking:
    profile.enable()
pairwise(x).pvalue
profile.disable()
found = {{"columns": columns, "seconds": time.perf_counter() - start, "processor": time.process_time() - used}}
if looking:
    parts = {{"pairwise": "values", "_cross_products": "products of features", "_rows_of": "single variables",
              "tails": "tails", "joined": "tails", "starts": "features",
              "rungs": "widths", "raise_pvalues": "rare values"}}
    shares = dict.fromkeys(parts.values(), 0.0)
    for (_, _, name), (_, _, _, cumulative, _) in pstats.Stats(profile).stats.items():
        if name in parts:
            shares[parts[name]] += cumulative / found["seconds"]
    found["shares"] = shares
print(json.dumps(found | {{"peak": {PEAK}}}))
"""


def growth(slices: list[dict], figure: str) -> np.ndarray:
    """What a column and a pair of columns cost; neither is below 0."""
    columns = np.array([one["columns"] for one in slices], dtype=float)
    terms = np.stack([columns, columns * (columns - 1) / 2], axis=1)
    seconds = np.array([one[figure] for one in slices])
    # Relative errors count: each slice as much as the others.
    found = np.linalg.lstsq(terms / seconds[:, None], np.ones(len(columns)), rcond=None)[0]
    if found.min() >= 0:
        return found
    alone = [float(np.mean(seconds / term)) if keep else 0.0 for keep, term in zip(found > 0, terms.T, strict=True)]
    return np.array(alone)


def run() -> list[Case]:
    slices = [child(_SLICE, str(columns), str(ROWS), "time") for columns in SLICES]
    looked = child(_SLICE, str(SLICES[-1]), str(ROWS), "shares")
    shares = sorted(looked["shares"].items(), key=lambda item: -item[1])
    largest = ", ".join(f"{name} {share:.0%}" for name, share in shares[:3])
    cost = growth(slices, "seconds")

    def at(columns: int) -> float:
        return float(cost @ [columns, columns * (columns - 1) / 2])

    DETAILS.update(slices=slices, shares=dict(shares), seconds_a_column=cost[0], seconds_a_pair=cost[1])
    measured = ", ".join(f"{one['columns']}: {one['seconds']:.1f} s" for one in slices)
    cases = [
        Case(
            f"p-values of {COLUMNS} columns x {ROWS} rows, extrapolated", at(COLUMNS), MOST, "s", at_most=1.0,
            note=f"reference: 20 minutes; slices of {measured}; {largest}",
        ),
        Case(f"p-values of {MANY} columns x {ROWS} rows, extrapolated", at(MANY) / 3600, 1.0, "h", note=largest),
        Case(f"peak memory of {SLICES[-1]} columns", slices[-1]["peak"], 1024.0, "MiB", note="reference: 1 GiB"),
    ]  # fmt: skip
    if OPTIONS.whole:
        whole = child(_SLICE, str(COLUMNS), str(ROWS), "time")
        DETAILS["whole"] = whole
        note = f"reference: 20 minutes; peak {whole['peak']:.0f} MiB"
        cases.append(
            Case(f"p-values of {COLUMNS} columns x {ROWS} rows", whole["seconds"], MOST, "s", at_most=1.0, note=note)
        )
    return cases
