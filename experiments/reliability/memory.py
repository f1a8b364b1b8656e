"""Peak memory of routes and commands against their budget, each in a fresh process with all of its children.

usage: python -m experiments.reliability.memory [--only NAME ...]

The peak is that of the process after it has loaded the package and made its table; a budget that is refused in words
counts as kept. Writes experiments/results/reliability_memory.json.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from experiments.records import FOLDER, add

#: Above the budget by so much at most, and by what is not counted: code of libraries that is loaded on first use,
#: buffers of the matrix library, what the allocator keeps back.
ALLOWED, UNCOUNTED = 1.2, 40 * 10**6
START = """
import sys, resource, warnings
warnings.simplefilter("ignore")
import numpy as np, polars as pl, scipy.linalg, scipy.stats, sklearn, networkx, joblib
import shearer as sh
import shearer.scanning, shearer.comparing, shearer.tools, shearer.report.page.render
from shearer._files import read_files
def peak():
    with open("/proc/self/status") as file:
        own = next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024
    return own + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
rng = np.random.default_rng(0)
budget = int(sys.argv[1])
"""
END = """
import gc
gc.collect()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak counts from here
before = peak()
try:
    run()
    said = ""
except (sh.MemoryBudgetError, sh.ToleranceError) as error:
    said = str(error)
print(peak() - before, said)
"""
#: A command in this process, on a table of 5000 rows and 12 columns, after it has loaded its code on one of 50 rows.
COMMAND = """
pl.DataFrame(rng.normal(size=(5000, 12)), schema=[f"c{{k}}" for k in range(12)]).write_csv(sys.argv[2] + "/t.csv")
pl.read_csv(sys.argv[2] + "/t.csv")[:50].write_csv(sys.argv[2] + "/few.csv")
from experiments.reliability.public_calls import command
def on(table, *options):
    words = [sys.argv[2] + table if word == "TABLE" else word for word in {words}]
    code, _, err = command(*words, "-q", *options)
    if "shearer: memory: expected" in err:
        raise sh.MemoryBudgetError(err)
    assert code == 0, err
on("/few.csv")
run = lambda: on("/t.csv", "--memory", str(budget))
"""
#: Name -> budgets in bytes and what is run.
ROUTES = {
    "mutual_information, 3000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(2, 3000))\nrun = lambda: sh.mutual_information(*x, memory=budget)",
    ),
    "mutual_information, alpha=2, 20000 rows": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(2, 20000))\nrun = lambda: sh.mutual_information(*x, alpha=2, memory=budget)",
    ),
    "pairwise, 300 columns": (
        (10 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(400, 300))\nrun = lambda: sh.pairwise(x, memory=budget)",
    ),
    "pairwise, p-values, 300 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(400, 300))\nrun = lambda: sh.pairwise(x, memory=budget).pvalue",
    ),
    "triples, 60 columns": (
        (5 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(300, 60))\nrun = lambda: sh.triples(x, memory=budget)",
    ),
    "permutation_test, 2000 rows": (
        (20 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(2, 2000))\nrun = lambda: sh.permutation_test(*x, n_resamples=19, rng=0, memory=budget)",
    ),
    **{
        f"independence_test, {words}": (
            (20 * 10**6, 400 * 10**6),
            "x = rng.normal(size=(7, 20_000))\n"
            f"call = lambda x: sh.independence_test({code}, memory=budget, progress=False)\n"
            "try:\n    call(x[:, :200])\nexcept sh.MemoryBudgetError:\n    pass\nrun = lambda: call(x)",
        )
        for words, code in {
            "20000 rows": "*x[:2]",
            "three variables, 20000 rows": "*x[:3]",
            "six variables, 20000 rows": "*x[:6]",
            "clusters, 20000 rows": "*x[:2], cluster=np.arange(x.shape[1]) // 10",
            "given a number, 20000 rows": "*x[:2], given=x[2]",
            "given five numbers, 20000 rows": "*x[:2], given=x[2:].T",
            "given a label, 20000 rows": "*x[:2], given=np.floor(9 * x[2]).astype(str)",
            "a label given a number, 20000 rows": "x[0], np.floor(50 * x[1]).astype(str), given=x[2]",
            "vectors, 20000 rows": "x[:3].T, x[3:].T",
            "vectors in clusters, 20000 rows": "x[:3].T, x[3:].T, cluster=np.arange(x.shape[1]) // 10",
            "vectors given a number, 20000 rows": "x[:3].T, x[3:6].T, given=x[6]",
        }.items()
    },
    **{
        f"interaction_test, {words}, 20000 rows": (
            (20 * 10**6, 800 * 10**6),
            f"x = rng.normal(size=({count}, 20_000))\n"
            f"call = lambda x, **options: sh.interaction_test(*{code}, **options)\n"
            "call(x[:, :200])\nrun = lambda: call(x, memory=budget)",
        )
        for words, count, code in (
            ("numbers", 3, "x"),
            ("four numbers", 4, "x"),
            ("vectors", 12, "x.T.reshape(-1, 3, 4).transpose(1, 0, 2)"),
            ("labels", 3, "np.floor(5 * x).astype(str)"),
        )
    },
    "scan, 60 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(1000, 60))\nrun = lambda: sh.scan(x, order=2, top=2, memory=budget)",
    ),
    "compare, 40 columns": (
        (20 * 10**6, 200 * 10**6),
        "x, y = rng.normal(size=(2, 1000, 40))\nrun = lambda: sh.compare(x, y, memory=budget)",
    ),
    "dual_total_correlation, alpha=1.5, 2000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(3, 2000))\nrun = lambda: sh.dual_total_correlation(*x, alpha=1.5, memory=budget)",
    ),
    "Dependence, tol=1e-3, 20000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(2, 20000))\n"
        "run = lambda: sh.Dependence(*x, tol=1e-3, memory=budget).mutual_information()",
    ),
    "Subsampling, 100000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(2, 100_000))\nrun = lambda: sh.Subsampling(*x, memory=budget).total_correlation()",
    ),
    "confidence_interval, 2000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(2, 2000))\nrun = lambda: sh.confidence_interval(*x, memory=budget)",
    ),
    "conditional_test, 2000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(3, 2000))\n"
        "run = lambda: sh.inference.conditional_test(*x[:2], given=x[2], n_resamples=19, rng=0, memory=budget)",
    ),
    "adjusted_mutual_information, 2000 rows": (
        (40 * 10**6, 400 * 10**6),
        "x = rng.normal(size=(2, 2000))\nrun = lambda: sh.inference.adjusted_mutual_information(*x, memory=budget)",
    ),
    "profile_of, 40 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(1000, 40))\nrun = lambda: sh.comparing.profile_of(x, memory=budget)",
    ),
    "DependenceNetwork, 100 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(300, 100))\nrun = lambda: sh.tools.DependenceNetwork(memory=budget).fit(x).weights_",
    ),
    "DependenceSelector, 20 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(1000, 20))\n"
        "run = lambda: sh.tools.DependenceSelector(2, memory=budget).fit(x, x[:, 0] + rng.normal(size=1000))",
    ),
    "dependence_score, 40 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(1000, 40))\nrun = lambda: sh.tools.dependence_score(x, x[:, 0], memory=budget)",
    ),
    "SubspaceSearch, 20 columns": (
        (20 * 10**6, 200 * 10**6),
        "x = rng.normal(size=(1000, 20))\nrun = lambda: sh.tools.SubspaceSearch(n_subspaces=5, memory=budget).fit(x)",
    ),
    **{
        f"shearer {words}": ((10 * 10**6, 100 * 10**6), COMMAND.format(words=words.split()))
        for words in (
            "scan TABLE --top 3 --order 2",
            "scan TABLE --top 3 --order 2 --stream",
            "scan TABLE --top 3 --order 2 --jobs 2",
            "compare TABLE TABLE",
            "network TABLE",
            "select TABLE c0",
            "test TABLE c0 c1",
            "test TABLE c0 c1 c2",
            "test TABLE c0 c1 --given c2,c3",
            "outliers TABLE",
        )
    },
    "read_files, Parquet": (
        (5 * 10**6, 100 * 10**6),
        "x = pl.DataFrame(rng.normal(size=(100_000, 10)))\nx.write_parquet(sys.argv[2] + '/t.parquet')\ndel x\n"
        "run = lambda: read_files(sys.argv[2] + '/t.parquet', memory=budget)",
    ),
    "read_files, Excel": (
        (5 * 10**6, 100 * 10**6),
        "x = pl.DataFrame(rng.normal(size=(5_000, 10)))\nx.write_excel(sys.argv[2] + '/t.xlsx')\ndel x\n"
        "run = lambda: read_files(sys.argv[2] + '/t.xlsx', memory=budget)",
    ),
    "read_files, text, 1e6 cells": (
        (5 * 10**6, 100 * 10**6),
        "import io\nx = pl.DataFrame(rng.normal(size=(100_000, 10)))\nx.write_csv(sys.argv[2] + '/t.csv')\ndel x\n"
        "run = lambda: read_files(sys.argv[2] + '/t.csv', memory=budget)",
    ),
    "read_files, gzip that grows": (
        (5 * 10**6, 100 * 10**6),
        "import gzip\nopen(sys.argv[2] + '/t.csv.gz', 'wb').write(gzip.compress(b'x,y\\n' + b'1,2\\n' * 20_000_000))\n"
        "run = lambda: read_files(sys.argv[2] + '/t.csv.gz', memory=budget)",
    ),
}


def measured(code: str, budget: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", f"{START}\n{code}\n{END}", str(budget), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"budget": budget, "said": done.stderr.strip().splitlines()[-1], "good": False}
    taken, _, said = done.stdout.strip().partition(" ")
    good = int(taken) <= ALLOWED * budget + UNCOUNTED
    return {"budget": budget, "peak": int(taken), "refused": bool(said), "good": good}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these; default: all that the results do not hold")
    parser.add_argument("--again", action="store_true", help="those too that the results hold already")
    options = parser.parse_args()
    path = Path(FOLDER / "reliability_memory.json")
    known = json.loads(path.read_text()) if path.exists() and not options.again else {}
    for name in options.only or [name for name in ROUTES if name not in known]:
        budgets, code = ROUTES[name]
        found = [measured(code, budget) for budget in budgets]
        print(name, found, flush=True)
        add(path, name, {"runs": found, "good": all(run["good"] for run in found)})
    every = json.loads(path.read_text())
    failed = [name for name, own in every.items() if not own["good"]]
    print("above their budget:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
